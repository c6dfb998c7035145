"""The rules for optimized graphs find what breaks them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.core.dtypes import float32
from millrace._src.passes.optimized_graph import OptimizedGraph, Value
from millrace._src.passes.optimized_graph_validation import IllegalOptimizedGraphError, check
from tests.passes.tracing import VECTOR, optimized


def graph() -> OptimizedGraph:
    v = tf.Variable(1.0)

    def f(x: Any) -> Any:
        v.assign_add(1.0)
        return tf.cond(x[0] > 0.0, lambda: tf.exp(tf.sin(x)), lambda: x)

    return optimized(f, VECTOR)


def reversed_nodes(graph: OptimizedGraph) -> None:
    graph.nodes.reverse()


def an_input_twice(graph: OptimizedGraph) -> None:
    graph.inputs.append(graph.inputs[0])


def an_unknown_output(graph: OptimizedGraph) -> None:
    graph.outputs.append(Value(float32, tf.TensorShape([])))


def a_constant_input(graph: OptimizedGraph) -> None:
    graph.inputs[0].constant = np.float32(1.0)


def an_effect_that_need_not_run(graph: OptimizedGraph) -> None:
    next(node for node in graph.nodes if node.effects.must_run).must_run = False


def a_branch_without_result(graph: OptimizedGraph) -> None:
    next(node for node in graph.nodes if node.graphs).graphs[0].outputs.clear()


def a_missing_operand(graph: OptimizedGraph) -> None:
    node = next(node for node in graph.nodes if node.graphs)
    node.inputs = node.inputs[:1]


@pytest.mark.parametrize(
    "damage",
    [
        reversed_nodes,
        an_input_twice,
        an_unknown_output,
        a_constant_input,
        an_effect_that_need_not_run,
        a_branch_without_result,
        a_missing_operand,
    ],
)
def test_a_broken_rule_is_found(damage: Callable[[OptimizedGraph], None]) -> None:
    broken = graph()
    check(broken)
    damage(broken)
    with pytest.raises(IllegalOptimizedGraphError):
        check(broken)
