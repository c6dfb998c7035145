"""encode_proto: what is written, protobuf reads; refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import millrace as tf
from tests.contracts.sample import Sample
from tests.oracle.programs._proto_sets import SOURCE, M

_WRITTEN = {"message_type": "tensorflow.Int64List", "field_names": ["value"]}
SAMPLES = [
    Sample("EncodeProto", inputs=(np.array([[2], [1]], np.int32), [np.array([[1, 300], [4, 5]])]), attrs=_WRITTEN),
    Sample("EncodeProto", inputs=(np.ones((1, 2, 1), np.int32), [np.array([[[-1], [7]]])]), attrs=_WRITTEN),
    Sample("EncodeProto", inputs=(np.zeros((0, 1), np.int32), [np.zeros((0, 1), np.int64)]), attrs=_WRITTEN),
]
_INT32, _INT64 = st.integers(-(2**31), 2**31 - 1), st.integers(-(2**63), 2**63 - 1)


def _encoded(sizes: Any, **values: Any) -> Any:
    return tf.io.encode_proto(sizes, list(values.values()), list(values), "p.M", SOURCE)


@given(_INT32, _INT64, st.floats(width=32, allow_nan=False), st.binary())
def test_protobuf_reads_what_was_written(small: int, large: int, number: float, data: bytes) -> None:
    values = {
        "int32": (small, tf.int32), "sint32": (small, tf.int64), "sfixed32": (small, tf.int32),
        "int64": (large, tf.int64), "sint64": (large, tf.int64), "sfixed64": (large, tf.int64),
        "uint64": (large % 2**64, tf.uint64), "fixed64": (large % 2**64, tf.uint64),
        "uint32": (small % 2**32, tf.uint32), "fixed32": (small % 2**32, tf.uint64),
        "float": (number, tf.float32), "double": (number, tf.float64), "bytes": (data, tf.string),
        "bool": (small > 0, tf.bool),
    }  # fmt: skip
    tensors = {name: tf.constant([[value]], dtype) for name, (value, dtype) in values.items()}
    message = M.FromString(_encoded([[1] * len(values)], **tensors).numpy()[0])
    for name, (value, _) in values.items():
        assert list(getattr(message, name)) == [value]


def test_fields_are_written_in_the_order_of_their_numbers() -> None:
    written = _encoded([[2, 1], [0, 1]], one=tf.constant([["a", "b"], ["c", "d"]]), int32=tf.constant([[1], [2]]))
    assert written.numpy().tolist() == [b"\x28\x01\xba\x01\x01a\xba\x01\x01b", b"\x28\x02"]


def test_values_are_narrowed_to_the_field() -> None:
    assert _encoded([[1]], int32=tf.constant([[2**40 + 5]], tf.int64)).numpy().tolist() == [b"\x28\x05"]
    assert _encoded([[1]], float=tf.constant([[0.5]], tf.float64)).numpy().tolist() == [b"\x15\x00\x00\x00\x3f"]
    assert _encoded([[-1]], int32=tf.constant([[1]])).numpy().tolist() == [b""]


def test_lists_of_proto3_are_packed() -> None:
    values = tf.constant([[5, 6]], tf.int64)
    written = tf.io.encode_proto([[2]], [values], ["value"], "tensorflow.Int64List")
    assert written.numpy().tolist() == [tf.train.Int64List(value=[5, 6]).SerializeToString()]


@pytest.mark.parametrize(
    ("sizes", "values", "words"),
    [
        ([1], {"int32": [1]}, "Invalid shape for field int32.  Saw shape [1] but it should be at least a matrix."),
        ([[3]], {"int32": [[1, 2]]}, "Size to write must not be larger than value tensor; but saw: 3 > 2 at message 0"),
        ([[1]], {"int32": [["a"]]}, "Incompatible type for field int32.  Saw dtype: string but field type is: int32"),
        ([[1], [1]], {"int32": [[1]]}, "sizes should be batch_size + [len(field_names)].  Saw: [2,1] but"),
        ([[1, 1]], {"int32": [[1]], "one": [["a"], ["b"]]}, "Values must match up to the last dimension: field one"),
    ],
)  # fmt: skip
def test_refusals(sizes: Any, values: Any, words: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        _encoded(sizes, **values)
    assert str(caught.value).startswith(words)


def test_each_field_needs_values() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="Length of inputs list must match field_names"):
        tf.io.encode_proto([[1]], [[[1]]], ["int32", "int64"], "p.M", SOURCE)
