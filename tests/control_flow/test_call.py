"""`GraphFunction`: calls in eager mode and in graphs, and the derivative that is built once."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.control_flow.call import GraphFunction
from millrace._src.control_flow.derivative import with_outputs
from millrace._src.core.op_def import Effects
from millrace._src.graph.func_graph import FuncGraph
from tests.contracts.sample import GradientProgram


def value(x: Any) -> Any:
    return np.asarray(x).tolist()


def function(body: Any, *shapes: Any) -> GraphFunction:
    graph = FuncGraph("body")
    with graph.as_default():
        graph.inputs = [graph.add_placeholder(tf.float32, shape, f"x{i}") for i, shape in enumerate(shapes)]
        graph.outputs = list(body(*graph.inputs))
    return GraphFunction(graph, "body_1")


def test_a_call_in_eager_mode_runs_the_program() -> None:
    f = function(lambda x, y: (x * y, x + y), [], [])
    assert [value(r) for r in f([tf.constant(2.0), tf.constant(3.0)])] == [6.0, 5.0]
    assert f.effects is Effects.NONE
    assert f.program() is f.program()


def test_a_call_in_a_graph_is_a_node_that_holds_the_function() -> None:
    f = function(lambda x: (tf.exp(x),), [None])
    with FuncGraph("outer").as_default():
        (y,) = f([tf.constant([1.0])])
    assert y.op.type == "PartitionedCall"
    assert y.op.get_attr("f") is f
    assert y.shape.as_list() == [None]


def test_a_function_with_effects_is_a_stateful_call_that_runs_unused() -> None:
    v = tf.Variable(1.0)
    f = tf.function(lambda x: v.assign_add(x), autograph=False)

    @tf.function(autograph=False)
    def g(x):
        f(x)
        return x

    g(tf.constant(2.0))
    assert value(v) == 3.0
    types = [op.type for op in g.get_concrete_function(tf.constant(1.0)).graph.get_operations()]
    assert "StatefulPartitionedCall" in types


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
    assert f.derivative(closed=True) is f.derivative(closed=True)


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
    assert not f._derivatives


def test_the_same_body_can_be_seen_with_other_outputs() -> None:
    f = function(lambda x: (x * x,), [])
    other = with_outputs(f.graph, [*f.graph.outputs, f.graph.inputs[0]])
    assert len(f.graph.outputs) == 1
    assert [value(r) for r in GraphFunction(other, "two")([tf.constant(3.0)])] == [9.0, 3.0]


def test_a_dropped_function_is_freed() -> None:
    f = function(lambda x: (tf.exp(x),), [])
    x = tf.constant(1.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        (y,) = f([x])
    tape.gradient(y, x)
    seen = weakref.ref(f.graph)
    del f, tape, y
    gc.collect()
    assert seen() is None


@pytest.mark.parametrize("dtype", [tf.float64, tf.complex64, tf.bfloat16])
def test_gradients_through_a_call_keep_the_dtype(dtype: Any) -> None:
    f = tf.function(lambda x: x * x, autograph=False)
    x = tf.cast(3.0, dtype)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    found = tape.gradient(y, x)
    assert found.dtype == dtype
    assert abs(complex(tf.cast(found, tf.complex64))) == 6.0


_RUNS = tf.Variable(0.0)


@tf.function(autograph=False)
def _product(x: Any, y: Any) -> Any:
    return x * tf.sin(y)


@tf.function(autograph=False)
def _counted_product(x: Any, y: Any) -> Any:
    _RUNS.assign_add(1.0)
    return x * tf.sin(y)


GRADIENT_PROGRAMS = [
    GradientProgram(op, function, [np.array([0.7, 1.3]), np.array(1.1)], traced=True)
    for op, function in (("PartitionedCall", _product), ("StatefulPartitionedCall", _counted_product))
]
