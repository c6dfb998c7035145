"""Calls of functions under tapes: the derivative that is built once, and the gradients."""

from __future__ import annotations

from typing import Any

import numpy as np

import millrace as tf
from millrace._src.control_flow.derivative import derivative_of
from millrace._src.function.graph_function import GraphFunction
from millrace._src.graph.func_graph import FuncGraph


def value(x: Any) -> Any:
    return np.asarray(x).tolist()


def function(body: Any, *shapes: Any) -> GraphFunction:
    graph = FuncGraph("body")
    with graph.as_default():
        graph.inputs = [graph.add_placeholder(tf.float32, shape, f"x{i}") for i, shape in enumerate(shapes)]
        graph.outputs = list(body(*graph.inputs))
    return GraphFunction(graph, "body_1")


def test_the_derivative_is_built_once_and_takes_all_orders() -> None:
    f = function(lambda x: (tf.sin(x) * x,), [])
    x = tf.constant(0.5)
    for _ in range(2):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            (y,) = f([x])
            first = tape.gradient(y, x)
        second = tape.gradient(first, x)
    np.testing.assert_allclose(value(first), np.sin(0.5) + 0.5 * np.cos(0.5), rtol=1e-6)
    np.testing.assert_allclose(value(second), 2 * np.cos(0.5) - 0.5 * np.sin(0.5), rtol=1e-5)
    assert derivative_of(f, closed=True) is derivative_of(f, closed=True)


def test_an_output_that_is_not_used_and_one_that_is_an_integer_need_no_gradient() -> None:
    f = function(lambda x: (x * x, tf.cast(x, tf.int32), x * 100.0), [])
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y, n, _ = f([x])
    assert value(n) == 3
    assert value(tape.gradient(y, x)) == 6.0


def test_a_function_whose_output_is_its_input() -> None:
    f = function(lambda x, y: (x, x * y), [], [])
    x, y = tf.constant(2.0), tf.constant(5.0)
    with tf.GradientTape() as tape:
        tape.watch([x, y])
        a, b = f([x, y])
        z = a * b
    assert [value(g) for g in tape.gradient(z, [x, y])] == [20.0, 4.0]


def test_a_call_without_a_watched_input_builds_no_derivative() -> None:
    f = function(lambda x: (x * x,), [])
    with tf.GradientTape():
        f([tf.constant(1.0)])
    assert not f.derivatives
