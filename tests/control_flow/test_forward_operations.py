"""Forward mode through calls, branches and loops: any order, any nesting with tapes, as eager Python gives it."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import millrace as tf

X = tf.constant([0.9, 1.2, 0.6, 1.4], tf.float64)
V = tf.constant([1.0, -0.5, 2.0, 0.25], tf.float64)


# --- functions to differentiate --------------------------------------------------------------------------------------


def smooth(x: Any) -> Any:
    return tf.reduce_sum(tf.sin(x) * x**3)


def branches(x: Any) -> Any:
    return tf.cond(tf.reduce_sum(x) > 0.0, lambda: smooth(x) * x[0], lambda: tf.reduce_sum(x))


def branch_without_tangent(x: Any) -> Any:
    return tf.cond(tf.reduce_sum(x) < 0.0, lambda: tf.constant(1.0, tf.float64), lambda: smooth(x))


def cases(x: Any) -> Any:
    return tf.switch_case(tf.constant(1), [lambda: tf.reduce_sum(x), lambda: smooth(x) * x[0]])


def loop(x: Any) -> Any:
    def body(i: Any, y: Any) -> Any:
        return [i + 1, tf.sin(y) * x + y * y * 0.1]

    return tf.reduce_sum(tf.while_loop(lambda i, y: i < 3, body, [0, x], maximum_iterations=5)[1])


def loop_that_starts_constant(x: Any) -> Any:
    """The first loop variable has a tangent only after the first iteration."""

    def body(a: Any, b: Any, i: Any) -> Any:
        return [b * x, tf.sin(a) + x, i + 1]

    first = [tf.ones([4], tf.float64), tf.ones([4], tf.float64), 0]
    return tf.reduce_sum(tf.while_loop(lambda a, b, i: i < 3, body, first, maximum_iterations=3)[0])


def arrays(x: Any) -> Any:
    values, counts = tf.TensorArray(tf.float64, size=4), tf.TensorArray(tf.int32, size=4)

    def body(i: Any, values: Any, counts: Any) -> Any:
        return [i + 1, values.write(i, x[i] ** 3 * x[0]), counts.write(i, i)]

    _, values, counts = tf.while_loop(lambda i, *_: i < 4, body, [0, values, counts], maximum_iterations=4)
    return tf.reduce_sum(values.stack()) * tf.cast(tf.reduce_sum(counts.stack()), tf.float64)


def nested_loops(x: Any) -> Any:
    def inner(j: Any, z: Any, y: Any) -> Any:
        return [j + 1, tf.cond(tf.constant(0) < j, lambda: z * y, lambda: tf.sin(z)), y]

    def outer(i: Any, y: Any) -> Any:
        return [i + 1, x + tf.while_loop(lambda j, *_: j < 3, inner, [0, y, y], maximum_iterations=3)[1]]

    return tf.reduce_sum(tf.while_loop(lambda i, y: i < 2, outer, [0, x], maximum_iterations=2)[1])


def mapped(x: Any) -> Any:
    return tf.reduce_sum(tf.map_fn(lambda t: t * t * x[0], x))


def scanned(x: Any) -> Any:
    return tf.reduce_sum(tf.scan(lambda c, t: tf.sin(c * t), x))


@tf.function
def called(x: Any) -> Any:
    return tf.exp(x * 0.3) * x


def calls(x: Any) -> Any:
    return tf.reduce_sum(called(called(x)))


@tf.custom_gradient
def cube(x: Any) -> Any:
    return x * x * x, lambda dy: dy * 3.0 * x * x


def custom(x: Any) -> Any:
    return tf.reduce_sum(cube(x) * x)


@tf.custom_gradient
def taped(x: Any) -> Any:
    def product(x: Any) -> Any:
        return tf.sin(x) * x

    def grad(dy: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = product(x)
        return tape.gradient(y, x, dy)

    return product(x), grad


def custom_with_a_tape(x: Any) -> Any:
    return tf.reduce_sum(taped(x) * x)


def loop_that_passes_on(x: Any) -> Any:
    """A loop variable that no iteration changes."""
    found = tf.while_loop(lambda i, y, z: i < 3, lambda i, y, z: [i + 1, y, z * y], [0, x * x, x], maximum_iterations=3)
    return tf.reduce_sum(found[1] * found[2])


def loop_that_keeps_one_value(x: Any) -> Any:
    """Each iteration computes the same from what is around the loop."""
    t = tf.sin(x)
    return tf.reduce_sum(tf.while_loop(lambda i, y: i < 3, lambda i, y: [i + 1, (t * 0.5) ** 2], [0, x])[1])


def loop_around_a_map(x: Any) -> Any:
    """What the map goes through is the same in each iteration: a list that is kept once."""

    def body(i: Any, y: Any) -> Any:
        return [i + 1, y + tf.reduce_sum(tf.map_fn(tf.sin, x) * y)]

    return tf.while_loop(lambda i, y: i < 2, body, [0, x[0]])[1]


FUNCTIONS = (smooth, branches, branch_without_tangent, cases, loop, loop_that_starts_constant, arrays, nested_loops)
FUNCTIONS += (mapped, scanned, calls, custom, custom_with_a_tape, loop_that_passes_on, loop_that_keeps_one_value)
FUNCTIONS += (loop_around_a_map,)

# --- orders of modes -------------------------------------------------------------------------------------------------

Function = Callable[[Any], Any]


def forward(f: Function) -> Function:
    """The derivative along V by an accumulator."""

    def derivative(x: Any) -> Any:
        with tf.autodiff.ForwardAccumulator(x, V) as acc:
            y = f(x)
        return acc.jvp(y)

    return derivative


def reverse(f: Function) -> Function:
    """The derivative along V by a tape."""

    def derivative(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        return tf.reduce_sum(tape.gradient(y, x) * V)

    return derivative


MODES = {"f": forward, "r": reverse}


def nested(order: str, f: Function) -> Function:
    """`f` differentiated once per letter; the first letter is the outermost derivative."""
    return functools.reduce(lambda g, letter: MODES[letter](g), reversed(order), f)


@functools.cache
def expected(f: Function, order: int) -> float:
    """The derivative by eager tapes, where branches and loops are Python's own."""
    return float(nested("r" * order, f)(X))


# --- tests -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", ["f", "fr", "rf", "ff", "fff", "ffr", "frf", "rff", "rfr", "frr", "rrf"])
@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_derivatives_inside_of_a_function(f: Function, order: str) -> None:
    np.testing.assert_allclose(tf.function(nested(order, f))(X), expected(f, len(order)), rtol=1e-8)


@pytest.mark.parametrize("order", ["f", "fr", "rf", "ff", "fff", "ffr", "frf", "rff", "rfr", "frr", "rrf"])
@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_derivatives_around_the_call_of_a_function(f: Function, order: str) -> None:
    np.testing.assert_allclose(nested(order, tf.function(f))(X), expected(f, len(order)), rtol=1e-8)


@pytest.mark.xla
@pytest.mark.parametrize("order", ["f", "fr", "rf", "ff"])
@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_derivatives_of_compiled_functions(f: Function, order: str) -> None:
    inside = tf.function(nested(order, f), jit_compile=True)
    around = nested(order, tf.function(f, jit_compile=True))
    np.testing.assert_allclose(inside(X), expected(f, len(order)), rtol=1e-8)
    np.testing.assert_allclose(around(X), expected(f, len(order)), rtol=1e-8)


@pytest.mark.xla
@pytest.mark.slow
@pytest.mark.parametrize("order", ["fff", "ffr", "frf", "rff", "rfr", "frr", "rrf"])
@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_third_derivatives_of_compiled_functions(f: Function, order: str) -> None:
    np.testing.assert_allclose(tf.function(nested(order, f), jit_compile=True)(X), expected(f, 3), rtol=1e-8)


def test_a_tape_that_goes_back_after_the_accumulator_was_asked() -> None:
    @tf.function
    def both(x: Any) -> Any:
        with tf.autodiff.ForwardAccumulator(x, V) as acc:
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = loop(x)
            first = acc.jvp(y)
            gradient = tape.gradient(y, x)
        return first, tf.reduce_sum(acc.jvp(gradient) * V)

    np.testing.assert_allclose(both(X), [expected(loop, 1), expected(loop, 2)], rtol=1e-8)


def test_a_tape_that_goes_back_when_the_accumulator_is_entered_again() -> None:
    @tf.function
    def product(x: Any) -> Any:
        acc = tf.autodiff.ForwardAccumulator(x, V)
        with acc, tf.GradientTape() as tape:
            tape.watch(x)
            y = branches(x)
        with acc:
            gradient = tape.gradient(y, x)
        return tf.reduce_sum(acc.jvp(gradient) * V)

    np.testing.assert_allclose(product(X), expected(branches, 2), rtol=1e-8)


def test_a_loop_with_an_effect_has_it_once_per_iteration() -> None:
    count = tf.Variable(0.0, dtype=tf.float64)

    def body(i: Any, y: Any) -> Any:
        return [i + 1, y * X + count.assign_add(1.0)]

    @tf.function
    def tangent() -> Any:
        with tf.autodiff.ForwardAccumulator(X, V) as acc:
            y = tf.while_loop(lambda i, y: i < 3, body, [0, X])[1]
        return acc.jvp(y)

    def written_out(x: Any) -> Any:
        return (((x * x) + 1.0) * x + 2.0) * x + 3.0

    x, v = X.numpy(), V.numpy()
    numeric = (written_out(x + 1e-6 * v) - written_out(x - 1e-6 * v)) / 2e-6
    np.testing.assert_allclose(tangent(), numeric, rtol=1e-6)
    assert float(count) == 3.0


def test_loops_carry_the_tangents_of_variables() -> None:
    w = tf.Variable([1.0, 2.0])

    @tf.function
    def power(x: Any) -> Any:
        for _ in tf.range(3):
            x = x * w
        return x

    x = tf.constant([1.0, 1.0])
    with tf.autodiff.ForwardAccumulator([x, w], [tf.constant([1.0, 0.0]), tf.constant([0.0, 1.0])]) as acc:
        y = power(x)
    assert acc.jvp(y).numpy().tolist() == [1.0, 12.0]


def test_a_loop_over_a_variable_in_a_branch_has_second_derivatives() -> None:
    w = tf.Variable([[0.1, 0.2], [0.3, 0.4]], dtype=tf.float64)

    def f(x: Any) -> Any:
        def long() -> Any:
            return tf.while_loop(lambda i, s: i < 2, lambda i, s: (i + 1, tf.sin(s * w) + x[0]), (0, w))[1]

        return tf.cond(x[0] > 0.0, long, lambda: tf.identity(w))

    def reverse_over_forward(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            with tf.autodiff.ForwardAccumulator([x, w], [tf.ones_like(x), tf.ones_like(w)]) as acc:
                y = f(x)
            change = acc.jvp(y)
        return tape.gradient(change, [x, w])

    for found, eager in zip(tf.function(reverse_over_forward)(X), reverse_over_forward(X), strict=True):
        np.testing.assert_allclose(found, eager, rtol=1e-9)


@pytest.mark.parametrize("primal", ["x", "w"])
def test_a_custom_gradient_that_reads_a_variable_beside_a_loop_has_tangents(primal: str) -> None:
    w = tf.Variable([1.0, 2.0, 3.0, 4.0], dtype=tf.float64)

    @tf.custom_gradient
    def f(x: Any) -> Any:
        y = tf.foldl(lambda c, e: c + e * w, x, tf.zeros_like(x))
        return y, lambda dy, variables: (tf.reduce_sum(dy * w) * tf.ones_like(x), [dy * tf.reduce_sum(x)])

    def tangent(x: Any) -> Any:
        with tf.autodiff.ForwardAccumulator(x if primal == "x" else w, V) as acc:
            y = f(x)
        return acc.jvp(y)

    np.testing.assert_allclose(tf.function(tangent)(X), tangent(X), rtol=1e-9)


def test_a_custom_gradient_that_calls_a_function_with_a_variable_in_a_branch_in_a_loop_has_second_derivatives() -> None:
    w = tf.Variable([0.1, 0.2, 0.3, 0.4], dtype=tf.float64)
    scaled = tf.function(lambda x: tf.sin(x) * w)

    @tf.custom_gradient
    def f(x: Any) -> Any:
        def grad(dy: Any, variables: Any) -> Any:
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = scaled(x)
            (dx, *of_variables) = tape.gradient(y, [x, *variables], dy)
            return dx, of_variables

        return scaled(x), grad

    def run(x: Any) -> Any:
        def body(i: Any, y: Any) -> Any:
            return i + 1, tf.cond(tf.reduce_sum(y) > 0.0, lambda: f(y * x), lambda: y)

        return tf.while_loop(lambda i, y: i < 2, body, (tf.constant(0), x))[1]

    def reverse_over_forward(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            with tf.autodiff.ForwardAccumulator(x, V) as acc:
                y = run(x)
            change = acc.jvp(y)
        return tape.gradient(change, [x, w])

    for found, eager in zip(tf.function(reverse_over_forward)(X), reverse_over_forward(X), strict=True):
        np.testing.assert_allclose(found, eager, rtol=1e-9)


def test_autograph_with_break_and_early_return_has_tangents() -> None:
    @tf.function
    def f(x: Any, v: Any) -> Any:
        with tf.autodiff.ForwardAccumulator(x, v) as acc:
            y = x
            for i in tf.range(10):
                if y > 50.0:
                    break
                y = y * x if i % 2 == 0 else y + x
            y = y * 2.0
        return y, acc.jvp(y)

    def g(x: float) -> float:
        y = x
        for i in range(10):
            if y > 50.0:
                break
            y = y * x if i % 2 == 0 else y + x
        return y * 2.0

    y, tangent = f(tf.constant(3.0, tf.float64), tf.constant(1.0, tf.float64))
    assert float(y) == g(3.0)
    np.testing.assert_allclose(float(tangent), (g(3.0 + 1e-6) - g(3.0 - 1e-6)) / 2e-6, rtol=1e-6)
