"""Nests of specs on the wire."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

import millrace as tf
from millrace._src.core.specs import NoneTensorSpec
from millrace._src.graph.structured_values import decode_structure, encode_structure
from millrace._src.proto import struct_pb2


class Point(NamedTuple):
    """A named tuple."""

    x: Any
    y: Any


@pytest.mark.parametrize(
    "value",
    [
        tf.TensorSpec([], tf.int64),
        tf.TensorSpec([None, 2], tf.bfloat16, "name"),
        tf.TensorSpec(None, tf.string),
        (),
        (tf.TensorSpec([], tf.int64), [1, 2.5, True, "a"]),
        {"b": {}, "a": (tf.TensorShape([1, None]), tf.float32)},
        NoneTensorSpec(),
        -7,
    ],
)
def test_a_nest_comes_back(value: Any) -> None:
    again = decode_structure(encode_structure(value))
    assert again == value
    assert type(again) is type(value)


def test_a_named_tuple_comes_back_by_name_and_fields() -> None:
    again = decode_structure(encode_structure(Point(tf.TensorSpec([], tf.int64), 2)))
    assert type(again).__name__ == "Point"
    assert again._fields == ("x", "y")
    assert tuple(again) == (tf.TensorSpec([], tf.int64), 2)


def test_bytes_are_those_of_tensorflow() -> None:
    assert encode_structure(tf.TensorSpec([], tf.int64)).SerializeToString().hex() == "8a020412001809"
    value = (tf.TensorSpec([], tf.int64), {"b": tf.TensorSpec([2, 3], tf.float32), "a": tf.TensorSpec([], tf.string)})
    written = "a203320a078a02041200180" + "90a27aa03240a140a0162120f8a020c120812020802120208031801"
    written += "0a0c0a016112078a020412001807"
    assert decode_structure(struct_pb2.StructuredValue.FromString(bytes.fromhex(written))) == value


def test_what_has_no_form_is_refused() -> None:
    with pytest.raises(NotImplementedError, match="composite tensors"):
        encode_structure((tf.data.DatasetSpec(tf.TensorSpec([], tf.int64)),))
    message = struct_pb2.StructuredValue()
    message.type_spec_value.type_spec_class_name = "RaggedTensorSpec"
    with pytest.raises(NotImplementedError, match="type_spec_value"):
        decode_structure(message)
