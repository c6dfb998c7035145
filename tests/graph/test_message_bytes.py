"""Messages read from files."""

from __future__ import annotations

import pytest

import millrace as tf
from millrace._src.graph.message_bytes import dtype_of_number, read_message
from millrace._src.proto import tensor_shape_pb2


def test_bytes_that_are_no_message_are_a_loss_of_data() -> None:
    shape = tf.TensorShape([2, 3]).as_proto()
    assert read_message(tensor_shape_pb2.TensorShapeProto, shape.SerializeToString(), "f") == shape
    with pytest.raises(tf.errors.DataLossError, match="f/x: these 3 bytes are not a serialized TensorShapeProto"):
        read_message(tensor_shape_pb2.TensorShapeProto, b"\xff\xff\xff", "f/x")


def test_a_number_that_is_no_dtype_of_a_value_is_refused() -> None:
    assert dtype_of_number(1, "x") is tf.float32
    with pytest.raises(ValueError, match="The thing has the dtype 77, which is not known"):
        dtype_of_number(77, "The thing")
    with pytest.raises(ValueError, match="The thing has the dtype float32_ref, which no value has"):
        dtype_of_number(101, "The thing")
