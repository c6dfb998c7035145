"""decode_proto: values of each kind, sizes, defaults, packed and unknown fields, refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import Sample
from tests.oracle.programs._messages import block, varint
from tests.oracle.programs._proto_sets import SOURCE, M

_VALUES = {
    "double": ([1.5, -2.0], tf.float64), "float": ([0.5], tf.float64), "int64": ([-1], tf.int64),
    "uint64": ([2**64 - 1], tf.uint64), "int32": ([-3, 4], tf.int32), "fixed64": ([7], tf.uint64),
    "fixed32": ([8], tf.uint32), "bool": ([True, False], tf.bool), "string": (["é"], tf.string),
    "bytes": ([b"y\0"], tf.string), "uint32": ([2**32 - 1], tf.uint64), "sfixed32": ([-9], tf.int64),
    "sfixed64": ([-(2**63)], tf.int64), "sint32": ([-5], tf.int32), "sint64": ([-(2**62)], tf.int64),
}  # fmt: skip
_WRITTEN = {"message_type": "tensorflow.Int64List", "field_names": ["value"], "output_types": [tf.int64]}


def _messages(*texts: bytes) -> Any:
    array = np.empty(len(texts), dtype=object)
    array[:] = texts
    return array


SAMPLES = [
    Sample("DecodeProtoV2", inputs=(_messages(block(1, b"\x01\x02"), b""),), attrs=_WRITTEN),
    Sample("DecodeProtoV2", inputs=(_messages(block(1, b"\x01"))[0:1].reshape(1, 1),), attrs=_WRITTEN),
]


def _decoded(messages: Any, *fields: tuple[str, tf.DType], **more: Any) -> Any:
    names, dtypes = zip(*fields, strict=True)
    return tf.io.decode_proto(messages, "p.M", list(names), list(dtypes), SOURCE, **more)


def test_values_of_each_kind_are_read() -> None:
    message = M(**{name: values for name, (values, _) in _VALUES.items()}).SerializeToString()
    found = _decoded([message, b""], *[(name, dtype) for name, (_, dtype) in _VALUES.items()])
    assert found.sizes.numpy().tolist() == [[len(values) for values, _ in _VALUES.values()], [0] * len(_VALUES)]
    for tensor, (values, dtype) in zip(found.values, _VALUES.values(), strict=True):
        assert tensor.dtype is dtype
        expected = [value.encode() if isinstance(value, str) else value for value in values]
        assert tensor.numpy()[0].tolist() == expected


def test_missing_values_are_the_default_of_the_field() -> None:
    found = _decoded([b"", M(default=7).SerializeToString()], ("default", tf.int32), ("one", tf.string))
    assert [v.numpy().tolist() for v in found.values] == [[[42], [7]], [[b"x"], [b"x"]]]
    assert found.sizes.numpy().tolist() == [[0, 0], [1, 0]]


def test_the_shape_of_the_messages_is_kept() -> None:
    message = M(int32=[1, 2]).SerializeToString()
    for messages, shape in ((message, []), ([[message, b""]], [1, 2])):
        found = _decoded(messages, ("int32", tf.int32))
        assert (found.sizes.shape, found.values[0].shape) == ([*shape, 1], [*shape, 2])


def test_packed_unknown_and_repeated_fields_are_read_as_the_bytes_say() -> None:
    packed = block(5, b"\x05\x06") + varint(5 << 3) + b"\x07"
    unknown = varint(999 << 3) + b"\x05" + b"\x2d1234" + b"\xfb\x3f\x08\x01\xfc\x3f"
    inner = unknown[:3] + b"\x28\x01"
    found = _decoded(
        [unknown + packed + block(21, inner) + block(23, b"a") * 2],
        ("int32", tf.int64),
        ("m", tf.string),
        ("one", tf.string),
    )
    assert [v.numpy().tolist() for v in found.values] == [[[5, 6, 7]], [[inner]], [[b"a"]]]
    assert found.sizes.numpy().tolist() == [[3, 1, 1]]


def test_text_is_read_and_binary_written_anew() -> None:
    assert _decoded(["int32: 5 int32: 6"], ("int32", tf.int32), message_format="text").values[0].numpy().tolist() == [
        [5, 6]
    ]
    doubled = M(one="a").SerializeToString() + M(one="b").SerializeToString()
    assert _decoded([doubled], ("one", tf.string), sanitize=True).values[0].numpy().tolist() == [[b"b"]]


@pytest.mark.parametrize(
    "data", [b"\xff", b"\x00\x05", b"\x4a\x05ab", b"\x28\x85", b"\x2b\x08\x01", b"\x0c", b"\x29123"]
)
def test_broken_messages_are_lost_data(data: bytes) -> None:
    with pytest.raises(tf.errors.DataLossError):
        _decoded([data], ("int32", tf.int32))


@pytest.mark.parametrize(
    ("messages", "fields", "options", "error", "words"),
    [
        ([b""], [("int64", tf.int32)], {}, "InvalidArgumentError", "Unexpected output type for p.M.int64: int64 to"),
        ([], [("int64", tf.int64)], {}, "InvalidArgumentError", "Bufs argument must contain at least one value"),
        ([b""], [("int64", tf.int64)], {"message_format": "x"}, "InvalidArgumentError", "format must be one of binary"),
        (["?"], [("int64", tf.int64)], {"message_format": "text"}, "DataLossError", "Unable to parse text protobuf"),
        ([b"\xff"], [("int64", tf.int64)], {"sanitize": True}, "DataLossError", "Unable to sanitize binary protobuf"),
    ],
)  # fmt: skip
def test_refusals(messages: Any, fields: Any, options: Any, error: str, words: str) -> None:
    with pytest.raises(getattr(tf.errors, error)) as caught:
        _decoded(tf.constant(messages, tf.string), *fields, **options)
    assert str(caught.value).startswith(words)


def test_names_and_dtypes_must_be_as_many() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="must have the same length"):
        tf.io.decode_proto([b""], "p.M", ["int32", "int64"], [tf.int32], SOURCE)


def test_functions_know_the_shape_but_the_number_of_values() -> None:
    read = tf.function(lambda data: _decoded(data, ("int32", tf.int32)))
    found = read.get_concrete_function(tf.TensorSpec([2, None], tf.string)).structured_outputs
    assert (found.sizes.shape.as_list(), found.values[0].shape.as_list()) == ([2, None, 1], [2, None, None])
    messages = tf.constant([[M(int32=[1]).SerializeToString()], [b""]])
    assert read(messages).values[0].numpy().tolist() == [[[1]], [[0]]]
