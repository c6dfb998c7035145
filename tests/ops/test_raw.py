"""`tf.raw_ops`: every op by name, keyword arguments only."""

from __future__ import annotations

import pytest

import millrace as tf


def test_every_op_of_the_registry_is_there() -> None:
    assert "MatMul" in dir(tf.raw_ops)
    assert tf.raw_ops.AddV2(x=1, y=2).numpy() == 3
    assert tf.raw_ops.AddV2.__name__ == "AddV2"
    assert not hasattr(tf.raw_ops, "NoSuchOp")


@pytest.mark.parametrize(
    ("kwargs", "words"),
    [
        ({"x": 1}, "missing 1 required"),
        ({}, "missing 2 required"),
        ({"x": 1, "y": 2, "z": 3}, "z"),
        ({"x": 1, "y": 2, "T": tf.int32}, "T"),
    ],
)
def test_missing_and_unknown_arguments_raise(kwargs: dict[str, object], words: str) -> None:
    with pytest.raises(TypeError, match=words):
        tf.raw_ops.AddV2(**kwargs)


def test_an_attribute_without_default_must_be_given() -> None:
    with pytest.raises(TypeError, match=r"const\(\) missing 1 required argument: 'dtype'"):
        tf.raw_ops.Const(value=tf.make_tensor_proto(1))
    with pytest.raises(TypeError, match="missing 1 required argument: 'DstT'"):
        tf.raw_ops.Cast(x=1)


@pytest.mark.parametrize(("value", "dtype"), [([1.0, 2.0], tf.float32), (["a"], tf.string), (3, tf.int32)])
def test_a_constant_is_given_as_a_proto(value: object, dtype: tf.DType) -> None:
    proto = tf.make_tensor_proto(value, dtype)
    assert tf.raw_ops.Const(value=proto, dtype=dtype).numpy().tolist() == tf.constant(value, dtype).numpy().tolist()
    with tf.Graph().as_default():
        tensor = tf.raw_ops.Const(value=proto, dtype=dtype, name="c")
    assert (tensor.name, tensor.dtype) == ("c:0", dtype)
    assert tensor.op.get_attr("value") == proto


def test_a_constant_that_is_no_proto_of_its_dtype_is_refused() -> None:
    with pytest.raises(TypeError, match="Don't know how to convert 3 to a TensorProto for argument 'value'"):
        tf.raw_ops.Const(value=3, dtype=tf.int32)
    with pytest.raises(TypeError, match="is a TensorProto of float32, where dtype is int32"):
        tf.raw_ops.Const(value=tf.make_tensor_proto(1.0), dtype=tf.int32)


def test_positional_arguments_raise() -> None:
    with pytest.raises(TypeError, match="only takes keyword args"):
        tf.raw_ops.AddV2(1, 2)


def test_a_name_is_given_in_a_graph() -> None:
    with tf.Graph().as_default():
        assert tf.raw_ops.AddV2(x=1, y=2, name="sum").name == "sum:0"
        assert tf.raw_ops.AddV2(x=1, y=2).op.name == "AddV2"
