"""The loop behind the passes: order, graphs inside of nodes, what may be replaced, and failures."""

from __future__ import annotations

import pytest

import millrace as tf
from millrace._src.passes.optimized_graph import Node
from millrace._src.passes.rewrite import Rewriting, RuleError, rewrite
from tests.passes.tracing import VECTOR, optimized, types


def test_a_rule_sees_what_became_of_the_inputs() -> None:
    graph = optimized(lambda x: tf.exp(tf.negative(tf.negative(x))), VECTOR, passes="dead_code_elimination")
    rewrite(graph, [Rewriting(lambda _: lambda node: node.inputs if node.type == "Neg" else None)])
    assert types(graph) == ["Exp"]
    assert graph.nodes[0].inputs[0] is graph.inputs[0]


def test_graphs_inside_of_a_node_come_before_the_node_and_have_rules_of_their_own() -> None:
    graph = optimized(
        lambda x: tf.cond(x[0] > 0.0, lambda: tf.exp(x), lambda: x), VECTOR, passes="dead_code_elimination"
    )
    seen: list[str] = []
    rewrite(
        graph,
        [
            Rewriting(
                lambda inner: (seen.append(f"graph of {len(inner.inputs)}"), lambda node: seen.append(node.type))[1],
                enter=lambda node: seen.append("enter"),
            )
        ],
    )
    assert seen[-5:] == ["enter", "graph of 1", "Exp", "graph of 1", graph.nodes[-1].type]


def test_a_rule_that_raises_is_named() -> None:
    def fail(node: Node) -> None:
        raise ZeroDivisionError("mine")

    good, bad = Rewriting(lambda _: lambda node: None), Rewriting(lambda _: fail)
    with pytest.raises(RuleError) as caught:
        rewrite(optimized(tf.exp, VECTOR), [good, bad])
    assert caught.value.rewriting is bad
    assert isinstance(caught.value.__cause__, ZeroDivisionError)
