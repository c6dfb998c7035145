from __future__ import annotations

from typing import Any

import pytest

import millrace as tf


def _taped(v: Any) -> Any:
    with tf.GradientTape() as tape:
        y = v * v * v
    return tape.gradient(y, v)


def test_a_tape_in_a_function_knows_a_variable_that_is_an_argument() -> None:
    f = tf.function(_taped)
    v, w = tf.Variable(3.0), tf.Variable(2.0)
    assert float(f(v)) == 27.0
    assert float(f(w)) == 12.0 and f.experimental_get_tracing_count() == 1
    assert float(tf.function(lambda d: _taped(d["a"][0]))({"a": [v]})) == 27.0


def test_a_tape_in_a_function_tells_variables_apart_that_share_a_trace() -> None:
    @tf.function
    def f(a: Any, b: Any) -> Any:
        with tf.GradientTape() as tape:
            y = a * b * b
        return tape.gradient(y, [a, b])

    v, w = tf.Variable(3.0), tf.Variable(2.0)
    assert [float(g) for g in f(v, w)] == [4.0, 12.0]
    assert [float(g) for g in f(w, v)] == [9.0, 12.0] and f.experimental_get_tracing_count() == 1
    assert [float(g) for g in f(v, v)] == [27.0, 27.0] and f.experimental_get_tracing_count() == 2


def test_a_variable_that_is_argument_and_closure_has_one_gradient() -> None:
    v = tf.Variable(3.0)

    @tf.function
    def f(a: Any) -> Any:
        with tf.GradientTape() as tape:
            y = a * a * v
        return tape.gradient(y, [a, v])

    assert [float(g) for g in f(v)] == [27.0, 27.0]


@pytest.mark.parametrize("order", [1, 2, 3])
def test_derivatives_of_any_order_by_a_variable_argument(order: int) -> None:
    def nth(v: Any, n: int) -> Any:
        if n == 0:
            return v**4
        with tf.GradientTape() as tape:
            y = nth(v, n - 1)
        return tape.gradient(y, v)

    assert float(tf.function(lambda v: nth(v, order))(tf.Variable(2.0))) == [32.0, 48.0, 48.0][order - 1]
