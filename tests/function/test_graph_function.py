"""`GraphFunction`: calls in eager mode, other outputs, the life of a function."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import numpy as np

import millrace as tf
from millrace._src.control_flow.derivative import with_outputs
from millrace._src.core.op_def import Effects
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


def test_a_call_in_eager_mode_runs_the_program() -> None:
    f = function(lambda x, y: (x * y, x + y), [], [])
    assert [value(r) for r in f([tf.constant(2.0), tf.constant(3.0)])] == [6.0, 5.0]
    assert f.effects is Effects.NONE
    assert f.program() is f.program()


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
