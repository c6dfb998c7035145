"""`assert`: Python's on Python values, an operation that runs with the graph on tensors."""

from __future__ import annotations

import pytest

import millrace as tf


def _positive(x, message="x is not positive"):
    assert x > 0, message
    return x


def test_an_assertion_over_a_tensor_is_checked_when_the_graph_runs() -> None:
    traced = tf.function(_positive)
    assert traced(tf.constant(1)).numpy() == 1
    with pytest.raises(tf.errors.InvalidArgumentError, match="x is not positive"):
        traced(tf.constant(-1))


def test_an_assertion_over_a_python_value_is_pythons() -> None:
    with pytest.raises(AssertionError, match=r"^mine$"):
        tf.function(_positive)(-1, "mine")
    assert tf.function(_positive)(2) is not None


def test_a_message_is_made_only_if_it_is_needed() -> None:
    def fails() -> str:
        raise RuntimeError("the message was made")

    @tf.function
    def f(x):
        assert x is not None, fails()
        return x

    assert f(tf.constant(1)).numpy() == 1


def test_assertions_keep_their_order_with_side_effects() -> None:
    count = tf.Variable(0)

    @tf.function
    def f(x):
        count.assign_add(1)
        assert x > 0
        count.assign_add(10)
        return x

    f(tf.constant(1))
    with pytest.raises(tf.errors.InvalidArgumentError):
        f(tf.constant(-1))
    assert count.numpy() == 12


def test_an_assertion_in_a_loop_is_checked_in_every_iteration() -> None:
    @tf.function
    def f(n):
        total = 0
        for i in tf.range(n):
            assert i < 3, "too far"
            total += i
        return total

    assert f(tf.constant(3)).numpy() == 3
    with pytest.raises(tf.errors.InvalidArgumentError, match="too far"):
        f(tf.constant(5))


def test_what_is_asserted_must_be_a_boolean_scalar() -> None:
    with pytest.raises(ValueError, match=r"condition of assert statement expected to be `tf.bool` scalar"):
        tf.function(lambda x: _positive(x))(tf.constant([1, 2]))
