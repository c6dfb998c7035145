"""The small loop behind every pass that goes from node to node.

A rule looks at one node and says what stands for its outputs, or changes the node, or does neither. The loop goes
through the nodes in run order, so that a rule sees what became of the inputs of its node, and once is enough. A graph
inside of a node is gone through before the rule sees that node, with a rule of its own: what a rule remembers of one
graph is no value of another.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from millrace._src.passes.optimized_graph import Node, OptimizedGraph, Value

Rule: TypeAlias = Callable[[Node], "Sequence[Value | None] | None"]
"""From a node to the values that replace its outputs, None for one that stays; or None if all stay."""


def rewrite(
    graph: OptimizedGraph,
    make_rule: Callable[[OptimizedGraph], Rule],
    enter: Callable[[Node], None] = lambda node: None,
) -> OptimizedGraph:
    """Returns the graph after a rule saw each node of it and of the graphs inside of it.

    Args:
      graph: the graph; changed.
      make_rule: makes the rule for a graph and, later, for each of those inside of it.
      enter: called with a node before the graphs inside of that node are gone through.
    """
    rule = make_rule(graph)
    known: dict[Value, Value] = {}
    kept: list[Node] = []
    for node in graph.nodes:
        if known and not known.keys().isdisjoint(node.inputs):
            node.inputs = tuple([known.get(value, value) for value in node.inputs])
        if node.holds_functions:
            enter(node)
            for inner in node.graphs:
                rewrite(inner, make_rule, enter)
        replaced = rule(node) or ()
        pairs = [(value, other) for value, other in zip(node.outputs, replaced, strict=False) if other is not None]
        known.update(pairs)
        if len(pairs) < len(node.outputs) or not pairs:
            kept.append(node)
    graph.nodes = kept
    graph.outputs = [known.get(value, value) for value in graph.outputs]
    return graph


def substitute(graph: OptimizedGraph, known: dict[Value, Value]) -> None:
    """Puts values in the place of others, wherever a graph reads these."""
    for node in graph.nodes:
        if not known.keys().isdisjoint(node.inputs):
            node.inputs = tuple([known.get(value, value) for value in node.inputs])
    graph.outputs = [known.get(value, value) for value in graph.outputs]
