"""The small loop behind every pass that goes from node to node.

A rule looks at one node and returns values that replace the node's outputs, or changes the node, or does neither. The
loop goes through the nodes in run order, so that a rule sees the rewritten inputs of its node; one walk is enough, and
several passes share it. A graph inside of a node is walked before the rules see that node, with new rules: values that
a rule remembers of one graph are not values of another graph.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

from millrace._src.passes.optimized_graph import Node, OptimizedGraph, Value

Rule: TypeAlias = Callable[[Node], "Sequence[Value | None] | None"]
"""A function from a node to the values that replace its outputs: None for an output that stays, or if all stay."""


class Rewriting(NamedTuple):
    """A pass that goes from node to node."""

    make_rule: Callable[[OptimizedGraph], Rule]
    """Makes the rule for a graph and, later, for each graph inside of that graph."""
    enter: Callable[[Node], None] | None = None
    """Called with a node before the graphs inside of that node are gone through."""


class RuleError(Exception):
    """A rule failed; the cause says how."""

    def __init__(self, rewriting: Rewriting) -> None:
        super().__init__(rewriting)
        self.rewriting = rewriting


def rewrite(graph: OptimizedGraph, rewritings: Sequence[Rewriting]) -> OptimizedGraph:
    """Returns the graph after the rules saw each of its nodes and each node of the graphs inside.

    Raises: RuleError: if a rule raises; the graph may then be half changed and must not be used.
    """
    current = rewritings[0]
    try:
        rules: list[tuple[Rewriting, Rule]] = []
        for current in rewritings:
            rules.append((current, current.make_rule(graph)))
        replacements: dict[Value, Value] = {}
        nodes: list[Node] = []
        for node in graph.nodes:
            if replacements and not replacements.keys().isdisjoint(node.inputs):
                node.inputs = tuple([replacements.get(value, value) for value in node.inputs])
            if node.holds_functions:
                for current in rewritings:
                    if current.enter is not None:
                        current.enter(node)
                for inner in node.graphs:
                    rewrite(inner, rewritings)
            for current, rule in rules:  # noqa: B007  # the handler below names the rule that failed
                replacement = rule(node)
                if replacement is not None and _is_replaced(node, replacement, replacements):
                    break
            else:
                nodes.append(node)
    except RuleError:
        raise
    except Exception as error:
        raise RuleError(current) from error
    graph.nodes = nodes
    graph.outputs = [replacements.get(value, value) for value in graph.outputs]
    return graph


def _is_replaced(node: Node, replaced: Sequence[Value | None], known: dict[Value, Value]) -> bool:
    """Notes the replacements of a node's outputs; returns whether all outputs are replaced."""
    pairs = [(value, other) for value, other in zip(node.outputs, replaced, strict=True) if other is not None]
    known.update(pairs)
    return bool(pairs) and len(pairs) == len(node.outputs)


def substitute(graph: OptimizedGraph, known: dict[Value, Value]) -> None:
    """Replaces values by other values, wherever a graph reads them."""
    for node in graph.nodes:
        if not known.keys().isdisjoint(node.inputs):
            node.inputs = tuple([known.get(value, value) for value in node.inputs])
    graph.outputs = [known.get(value, value) for value in graph.outputs]
