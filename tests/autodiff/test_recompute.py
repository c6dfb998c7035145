"""`tf.recompute_grad`: exact gradients of any order, and values that are really computed again."""

from __future__ import annotations

import gc
import re
import weakref
from typing import Any

import numpy as np
import pytest

import millrace as tf


def value(x: Any) -> Any:
    return None if x is None else np.asarray(x).tolist()


def graph(f: Any) -> Any:
    return tf.function(f, autograph=False)


def compiled(f: Any) -> Any:
    return tf.function(f, autograph=False, jit_compile=True)


modes = pytest.mark.parametrize(
    "mode",
    [
        pytest.param(lambda f: f, id="eager"),
        pytest.param(graph, id="graph"),
        pytest.param(compiled, id="xla", marks=pytest.mark.xla),
    ],
)


def gradient(f: Any, *xs: Any) -> list[Any]:
    with tf.GradientTape() as tape:
        tape.watch(xs)
        y = f(*xs)
    return [value(g) for g in tape.gradient(y, list(xs))]


@modes
def test_gradients_are_those_of_the_plain_function(mode: Any) -> None:
    w, b = tf.Variable([[1.0, 2.0], [3.0, 4.0]]), tf.Variable([0.5, -0.5])

    def block(x):
        return tf.tanh(x @ w + b)

    x = tf.constant([[0.1, 0.2]])
    found = []
    for f in (block, tf.recompute_grad(block)):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = mode(lambda x, f=f: f(f(x)))(x)
        found.append([y, *tape.gradient(y, [x, w, b])])
    for plain, recomputed in zip(*found, strict=True):
        np.testing.assert_allclose(plain, recomputed, rtol=1e-6)


@modes
def test_a_tape_inside_of_the_function_and_tf_gradients_agree(mode: Any) -> None:
    f = tf.recompute_grad(lambda x: x * tf.sin(x))

    def step(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x) * 2.0
        return tape.gradient(y, x)

    assert value(mode(step)(tf.constant(2.0))) == pytest.approx(2 * (np.sin(2.0) + 2 * np.cos(2.0)), rel=1e-6)
    assert value(graph(lambda x: tf.gradients(f(x), x)[0])(tf.constant(2.0))) == pytest.approx(
        np.sin(2.0) + 2 * np.cos(2.0), rel=1e-6
    )


@modes
@pytest.mark.parametrize("inside", [True, False])
def test_third_derivatives_are_exact(mode: Any, inside: bool) -> None:
    v = tf.Variable(3.0)
    f = tf.recompute_grad(lambda x: x**4.0 * v)

    def derivatives(f, x):
        with tf.GradientTape() as third:
            third.watch(x)
            with tf.GradientTape() as second:
                second.watch(x)
                with tf.GradientTape() as first:
                    first.watch(x)
                    y = f(x)
                d1 = first.gradient(y, x)
            d2 = second.gradient(d1, x)
        return [d1, d2, *third.gradient(d2, [x, v])]

    x = tf.constant(2.0)
    found = mode(lambda x: derivatives(f, x))(x) if inside else derivatives(mode(f), x)
    assert [value(d) for d in found] == [96.0, 144.0, 144.0, 48.0]


@modes
def test_arguments_and_results_may_be_nested_and_of_any_dtype(mode: Any) -> None:
    @tf.recompute_grad
    def f(pair, n):
        a, b = pair["a"], pair["b"]
        scale = tf.cast(n, tf.float32)
        return {"product": a * b * scale, "count": n + 1}

    def g(a, b):
        return f({"a": a, "b": b}, tf.constant([2, 3]))["product"]

    a, b = tf.constant([1.0, 2.0]), tf.constant([3.0, 4.0])
    assert gradient(mode(g), a, b) == [[6.0, 12.0], [2.0, 6.0]]


@modes
def test_an_argument_that_does_not_matter_has_zeros(mode: Any) -> None:
    f = tf.recompute_grad(lambda a, b: a * a)
    assert gradient(mode(lambda a, b: f(a, b)), tf.constant(2.0), tf.constant([3.0, 4.0])) == [4.0, [0.0, 0.0]]


@modes
def test_it_works_in_loops_and_branches(mode: Any) -> None:
    v = tf.Variable(2.0)
    f = tf.recompute_grad(lambda x: x * x * v)

    def loop(x):
        y = tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, f(y)), (0, x), maximum_iterations=3)[1]
        return tf.cond(x > 0.0, lambda: f(y), lambda: y)

    x = tf.constant(0.5)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = mode(loop)(x)
    assert value(y) == 0.5
    assert [value(g) for g in tape.gradient(y, [x, v])] == [16.0, 3.75]


def test_python_arguments_reach_the_function_as_they_are_both_times() -> None:
    seen = []

    @tf.recompute_grad
    def f(x, kind, on):
        seen.append((kind, on))
        return x * x if kind == "square" and on else x

    assert gradient(lambda x: f(x, "square", True), tf.constant(3.0)) == [6.0]
    assert seen == [("square", True)] * 2


def test_keyword_arguments_are_for_eager_mode() -> None:
    f = tf.recompute_grad(lambda x, scale=1.0: x * x * scale)
    assert gradient(lambda x: f(x, scale=3.0), tf.constant(2.0)) == [12.0]
    with pytest.raises(ValueError, match="keywords arguments only when eager execution is enabled"):
        graph(lambda x: f(x, scale=3.0))(tf.constant(2.0))


def test_methods_are_bound() -> None:
    class Layer(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.w = tf.Variable(2.0)

        @tf.recompute_grad
        def __call__(self, x):
            """Scales."""
            return x * self.w

    layer, x = Layer(), tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = layer(x)
    assert [value(g) for g in tape.gradient(y, [x, layer.w])] == [2.0, 3.0]
    assert (Layer.__call__.__name__, Layer.__call__.__doc__) == ("__call__", "Scales.")


def test_a_variable_may_be_an_argument() -> None:
    v, x = tf.Variable(2.0), tf.constant(3.0)
    f = tf.recompute_grad(lambda x, u: x * u * u)
    for g in (lambda x: f(x, v), graph(lambda x: f(x, v))):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = g(x)
        assert [value(d) for d in tape.gradient(y, [x, v])] == [4.0, 12.0]


def test_eager_tape_keeps_no_intermediate_value() -> None:
    kept: list[Any] = []

    def f(x):
        hidden = tf.exp(x)
        kept.append(weakref.ref(hidden._eager_array))
        return tf.exp(hidden)

    def run(g: Any) -> bool:
        x = tf.constant([1.0, 2.0])
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = g(x)
        gc.collect()
        alive = kept.pop()() is not None
        tape.gradient(y, x)
        return alive

    assert run(f)
    assert not run(tf.recompute_grad(f))


def test_the_forward_function_of_a_graph_returns_no_intermediate_value() -> None:
    def intermediates(f: Any) -> int:
        concrete = graph(f).get_concrete_function(tf.TensorSpec([3], tf.float32))
        x = tf.constant([1.0, 2.0, 3.0])
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = concrete(x)
        tape.gradient(y, x)
        function = concrete.graph_function
        (derivative,) = function.derivatives.values()
        return len(derivative.forward.graph.outputs) - 1

    def f(x):
        return tf.exp(tf.sin(tf.exp(tf.sin(x))))

    assert intermediates(f) > intermediates(tf.recompute_grad(f)) == 0


@pytest.mark.xla
@pytest.mark.parametrize("integers", [False, True])
def test_xla_computes_the_values_twice(integers: bool) -> None:
    table = tf.Variable(np.random.default_rng(0).normal(size=[7, 8]).astype(np.float32))

    def block(x):
        h = tf.gather(table, x) if integers else x @ table
        for _ in range(3):
            h = tf.tanh(tf.matmul(h, table, transpose_b=True)) @ table
        return h

    def count(f: Any) -> int:
        @tf.function(jit_compile=True)
        def step(x):
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(f(x))
            return loss, tape.gradient(loss, table)

        x = tf.constant([1, 2, 3]) if integers else tf.ones([3, 7])
        text = step.experimental_get_compiler_ir(x)(stage="optimized_hlo")
        return len(re.findall(r"= \S+ tanh\(", text))

    plain, recomputed = count(block), count(tf.recompute_grad(block))
    assert (plain, recomputed) == (3, 6)


def test_what_it_says_of_itself_is_the_function() -> None:
    def named(x):
        """The doc."""
        return x

    f = tf.recompute_grad(named)
    assert (f.__name__, f.__doc__, f.__wrapped__) == ("named", "The doc.", named)


def test_a_tape_lets_go_of_values_as_it_is_differentiated() -> None:
    kept: list[Any] = []
    alive: list[int] = []

    @tf.custom_gradient
    def looking(x):
        def grad(dy):
            gc.collect()
            alive.append(sum(ref() is not None for ref in kept))
            return dy

        return x * 1.0, grad

    def run(persistent: bool) -> list[int]:
        x = tf.constant([0.1, 0.2])
        with tf.GradientTape(persistent=persistent) as tape:
            tape.watch(x)
            y = looking(x)
            for _ in range(3):
                y = tf.exp(y)
                kept.append(weakref.ref(y._eager_array))
                y = looking(y)
        tape.gradient(y, x)
        found = alive[:]
        kept.clear(), alive.clear()
        return found

    assert run(persistent=True) == [3, 3, 3, 3]
    first, *_, last = run(persistent=False)
    assert (first, last) == (3, 0)
