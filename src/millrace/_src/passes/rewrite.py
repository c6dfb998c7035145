"""The small loop behind every pass that goes from node to node.

A rule looks at one node and says what stands for its outputs, or changes the node, or does neither. The loop goes
through the nodes in run order, so that a rule sees what became of the inputs of its node, and once is enough. Rules see
the graphs inside of a node before the node itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from millrace._src.passes.optimized_graph import Node, OptimizedGraph, Value

Rule: TypeAlias = Callable[[Node], "Sequence[Value] | None"]
"""From a node to the values that replace its outputs: the node goes away. None: the node stays, perhaps changed."""


def rewrite(graph: OptimizedGraph, rule: Rule) -> OptimizedGraph:
    """Returns the graph after a rule saw each node of it and of the graphs inside of it."""
    known: dict[Value, Value] = {}
    kept: list[Node] = []
    for node in graph.nodes:
        if known and not known.keys().isdisjoint(node.inputs):
            node.inputs = tuple([known.get(value, value) for value in node.inputs])
        if node.holds_functions:
            for inner in node.graphs:
                rewrite(inner, rule)
        found = rule(node)
        if found is None:
            kept.append(node)
        else:
            known.update(zip(node.outputs, found, strict=True))
    graph.nodes = kept
    graph.outputs = [known.get(value, value) for value in graph.outputs]
    return graph
