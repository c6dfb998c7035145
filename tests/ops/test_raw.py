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


def test_positional_arguments_raise() -> None:
    with pytest.raises(TypeError, match="only takes keyword args"):
        tf.raw_ops.AddV2(1, 2)


def test_a_name_is_given_in_a_graph() -> None:
    with tf.Graph().as_default():
        assert tf.raw_ops.AddV2(x=1, y=2, name="sum").name == "sum:0"
        assert tf.raw_ops.AddV2(x=1, y=2).op.name == "AddV2"
