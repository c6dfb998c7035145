"""`tf.GradientTape` to higher orders, and inside and around functions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf


def value(x: Any) -> Any:
    return None if x is None else np.asarray(x).tolist()


# --- higher orders ---------------------------------------------------------------------------------------------------


def test_a_second_tape_around_the_first_gives_the_second_derivative() -> None:
    x = tf.Variable(3.0)
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = x * x * x
        first = inner.gradient(y, x)
    assert value(first) == 27.0
    assert value(outer.gradient(first, x)) == 18.0


def test_a_persistent_tape_differentiates_its_own_gradient() -> None:
    x = tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x * x
        first = tape.gradient(y, x)
        second = tape.gradient(first, x)
    assert value(second) == 18.0
    assert value(tape.gradient(second, x)) == 6.0


def test_third_derivatives_of_every_kind_of_op() -> None:
    x = tf.constant(0.5, tf.float64)
    with tf.GradientTape() as t3:
        t3.watch(x)
        with tf.GradientTape() as t2:
            t2.watch(x)
            with tf.GradientTape() as t1:
                t1.watch(x)
                y = tf.sin(x) * tf.exp(x)
            first = t1.gradient(y, x)
        second = t2.gradient(first, x)
    third = t3.gradient(second, x)
    expected = 2 * np.exp(0.5) * (np.cos(0.5) - np.sin(0.5))
    np.testing.assert_allclose(value(third), expected)


def test_complex_gradients_are_conjugated_as_in_tensorflow() -> None:
    x = tf.constant(1.0 + 2.0j)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    assert value(tape.gradient(y, x)) == 2.0 - 4.0j


@pytest.mark.parametrize("dtype", [tf.float16, tf.bfloat16, tf.float32, tf.float64, tf.complex64, tf.complex128])
def test_the_gradient_has_the_dtype_of_its_source(dtype: Any) -> None:
    x = tf.cast(tf.constant([2.0, 3.0]), dtype)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(x * x) * tf.cast(1.0, dtype)
    found = tape.gradient(y, x)
    assert found.dtype == dtype
    assert found.shape == [2]
    np.testing.assert_allclose(np.asarray(tf.cast(found, tf.complex64)), [4.0, 6.0])


def test_empty_tensors_have_empty_gradients() -> None:
    x = tf.zeros([0, 3])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(x * x)
    assert tape.gradient(y, x).shape == [0, 3]


# --- in functions ----------------------------------------------------------------------------------------------------


def test_a_tape_inside_a_function_differentiates_in_the_graph() -> None:
    v = tf.Variable(3.0)

    @tf.function(autograph=False)
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x * v
        return tape.gradient(y, [x, v])

    assert [value(g) for g in f(tf.constant(2.0))] == [12.0, 4.0]


def test_a_tape_around_a_call_of_a_function() -> None:
    v = tf.Variable(3.0)
    f = tf.function(lambda x: x * x * v, autograph=False)
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    assert [value(g) for g in tape.gradient(y, [x, v])] == [12.0, 4.0]


def test_a_tape_inside_a_function_may_watch_an_eager_tensor_from_outside() -> None:
    c = tf.constant(3.0)

    @tf.function(autograph=False)
    def f():
        with tf.GradientTape() as tape:
            tape.watch(c)
            y = c * c
        return tape.gradient(y, c)

    assert value(f()) == 6.0


def test_a_large_eager_tensor_from_outside_too() -> None:
    c = tf.ones([200]) * 3.0

    @tf.function(autograph=False)
    def f():
        with tf.GradientTape() as tape:
            tape.watch(c)
            y = tf.reduce_sum(c * c)
        return tape.gradient(y, c)

    assert value(f()) == [6.0] * 200


@pytest.mark.parametrize("size", [1, 300])
def test_the_outer_tape_sees_a_watched_tensor_that_a_function_captures(size: int) -> None:
    c = tf.ones([size]) * 3.0
    f = tf.function(lambda x: tf.reduce_sum(x * c), autograph=False)
    with tf.GradientTape() as tape:
        tape.watch(c)
        y = f(tf.constant(2.0))
    found = tape.gradient(y, c)
    assert value(found) == ([2.0] * size if size > 128 else None) or value(found) == [2.0] * size


def test_second_derivatives_through_a_function_with_two_tapes() -> None:
    f = tf.function(lambda x: tf.sin(x) * x, autograph=False)
    x = tf.constant(0.7, tf.float64)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = f(x)
        first = inner.gradient(y, x)
    np.testing.assert_allclose(value(outer.gradient(first, x)), 2 * np.cos(0.7) - 0.7 * np.sin(0.7))


def test_second_derivatives_through_a_function_with_one_persistent_tape() -> None:
    f = tf.function(lambda x: tf.sin(x * x) * x, autograph=False)
    x = tf.constant(0.7, tf.float64)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = f(x)
        first = tape.gradient(y, x)
    h = 1e-6
    slope = lambda t: np.sin(t * t) + 2 * t * t * np.cos(t * t)  # noqa: E731  (a function of one line)
    np.testing.assert_allclose(value(first), slope(0.7))
    np.testing.assert_allclose(value(tape.gradient(first, x)), (slope(0.7 + h) - slope(0.7 - h)) / (2 * h), rtol=1e-6)


def test_third_derivatives_through_a_function_with_one_persistent_tape() -> None:
    f = tf.function(lambda x: tf.exp(2.0 * x) * tf.sin(x), autograph=False)
    g = lambda x: tf.exp(2.0 * x) * tf.sin(x)  # noqa: E731  (a function of one line)
    results = []
    for function in (f, g):
        x = tf.constant(0.3)
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = function(x)
            for _ in range(3):
                y = tape.gradient(y, x)
        results.append(value(y))
    np.testing.assert_allclose(results[0], results[1], rtol=1e-5)


def test_a_tape_that_watches_through_a_function_a_variable_of_an_outer_function() -> None:
    v = tf.Variable(2.0)
    inner = tf.function(lambda x: x * v, autograph=False)

    @tf.function(autograph=False)
    def outer(x):
        with tf.GradientTape() as tape:
            y = inner(x) * inner(x)
        return tape.gradient(y, v)

    assert value(outer(tf.constant(3.0))) == 36.0


def test_watched_variables_include_those_that_a_function_reads() -> None:
    v, w = tf.Variable(2.0, name="v"), tf.Variable(3.0, trainable=False)
    f = tf.function(lambda x: x * v + w, autograph=False)
    for _ in range(2):
        with tf.GradientTape() as tape:
            f(tf.constant(1.0))
        assert [x.name for x in tape.watched_variables()] == ["v:0"]


def test_a_branch_or_body_may_close_over_an_eager_tensor_that_is_watched() -> None:
    x = tf.constant([0.5, 2.0])

    @tf.function
    def f() -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.while_loop(lambda i, y: i < 3, lambda i, y: [i + 1, y * x], [0, x])[1]
        with tf.GradientTape() as other:
            other.watch(x)
            z = tf.cond(tf.reduce_sum(x) > 0.0, lambda: x * x, lambda: x)
        with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as acc:
            u = tf.while_loop(lambda i, y: i < 3, lambda i, y: [i + 1, y * x], [0, x])[1]
        return tape.gradient(y, x), other.gradient(z, x), acc.jvp(u)

    assert [value(g) for g in f()] == [[0.5, 32.0], [1.0, 4.0], [0.5, 32.0]]
