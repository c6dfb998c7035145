"""The call ops: nodes that hold a function, and gradients through these nodes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.function.graph_function import GraphFunction
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
