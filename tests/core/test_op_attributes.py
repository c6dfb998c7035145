"""Attributes of ops: every value is brought into the form of its kind, or refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.core.op_registry import get_op
from millrace._src.core.shapes import TensorShape
from tests.core.test_op_def import declare, registry

__all__ = ["registry"]


@pytest.mark.parametrize(
    ("attrs", "words"),
    [
        ({"nothing": 1}, "unexpected keyword argument 'nothing'"),
        ({"factor": "a"}, "Expected float for argument 'factor'"),
        ({"tags": "text"}, "Expected list for argument 'tags'"),
        ({"tags": [1]}, "Expected string for argument 'tags'"),
        ({"tags": 3}, "Expected list for argument 'tags'"),
    ],
)
def test_malformed_attributes_raise(registry: Any, attrs: Any, words: str) -> None:
    scaled = declare()
    with pytest.raises(TypeError, match=words):
        scaled(1.0, **attrs)
    with tf.Graph().as_default(), pytest.raises(TypeError, match=words):
        scaled(1.0, **attrs)


def test_attributes_take_their_own_form() -> None:
    conv = get_op("Conv2D")
    attrs = conv.normalize_attrs({"strides": np.array([1, 2, 2, 1]), "padding": b"SAME", "T": "float32"})
    assert attrs["strides"] == (1, 2, 2, 1)
    assert all(type(s) is int for s in attrs["strides"])
    assert attrs["padding"] == "SAME"
    assert attrs["T"] is tf.float32
    assert attrs["data_format"] == "NHWC"
    placeholder = get_op("Placeholder").normalize_attrs({"dtype": tf.int8, "shape": [None, 3]})
    assert placeholder["shape"] == TensorShape([None, 3])
    assert conv.normalize_attrs({"_private": object(), "strides": [1], "padding": "SAME"})["_private"] is not None


def test_a_list_of_dtypes_holds_only_what_the_op_takes() -> None:
    described = {"a": tf.io.FixedLenFeature([], tf.int32)}
    with pytest.raises(tf.errors.InvalidArgumentError, match="Value for attr 'Tdense' of int32 is not in the list"):
        tf.io.parse_example([b""], described)
    with pytest.raises(TypeError, match="has DataType int32 not in list of allowed values: float32, int64, string"):
        tf.function(lambda: tf.io.parse_example([b""], described)).get_concrete_function()
    with pytest.raises(tf.errors.InvalidArgumentError, match="Value for attr 'sparse_types' of int32 is not in the"):
        tf.io.parse_example([b""], {"a": tf.io.VarLenFeature(tf.int32)})


def test_a_shape_without_dimensions_is_an_integer_vector() -> None:
    graph = tf.function(lambda x: tf.reshape(x, tf.TensorShape([]))).get_concrete_function(tf.constant([1.0])).graph
    constants = [(op.name, op.outputs[0].dtype) for op in graph.get_operations() if op.type == "Const"]
    assert constants == [("Reshape/shape", tf.int32)]


@pytest.mark.parametrize("name", ["Conv2D", "MatMul", "ArgMax", "AsString", "VarHandleOp", "Squeeze", "Equal"])
def test_none_is_the_default_of_every_attribute_that_has_one(name: str) -> None:
    op = get_op(name)
    expected = op.normalize_attrs({})
    assert op.normalize_attrs(dict.fromkeys(op.default_attrs)) == expected


def test_an_attribute_without_a_default_is_never_none() -> None:
    with pytest.raises(TypeError, match="Expected list for argument 'strides'"):
        tf.raw_ops.Conv2D(input=tf.ones([1, 2, 2, 1]), filter=tf.ones([1, 1, 1, 1]), strides=None, padding="SAME")


def test_raw_ops_take_none_for_attributes_eagerly_and_in_graphs() -> None:
    def product() -> Any:
        return tf.raw_ops.MatMul(a=[[2.0]], b=[[3.0]], transpose_a=None, transpose_b=None)

    assert product().numpy() == tf.function(product)().numpy() == 6.0
    assert tf.raw_ops.Equal(x=[1], y=[1], incompatible_shape_error=None).numpy().tolist() == [True]
    assert tf.raw_ops.ArgMax(input=[1.0, 2.0], dimension=0, output_type=None).dtype is tf.int64
