"""Nodes that a pass puts into a graph instead of others, each as early as what it reads allows.

The nodes whose results are replaced stay until `dead_code_elimination` removes them.

Tests: tests/passes/test_batch_normalization.py, tests/passes/test_epilogues.py
"""

from __future__ import annotations

from millrace._src.passes.optimized_graph import Node, OptimizedGraph, Value


class Insertions:
    """Nodes to put into a graph, each behind what it reads."""

    def __init__(self, graph: OptimizedGraph) -> None:
        self._graph = graph
        self._starts = {node: index + 1 for index, node in enumerate(graph.nodes)}
        """The index of the first node that may read the outputs of a node."""
        self._planned: dict[int, list[tuple[Node, dict[Value, Value]]]] = {}
        """The nodes to insert, by the index of the node that follows, and what their outputs replace."""
        self._replaced: dict[Value, Value] = {}
        """What nodes read instead of values of the graph before."""

    def add(self, node: Node, replaced: dict[Value, Value]) -> None:
        """Plans a node behind what it reads; the nodes behind it read its outputs instead of the replaced values."""
        node.inputs = tuple([self._replaced.get(value, value) for value in node.inputs])
        start = max((self._starts[value.node] for value in node.inputs if value.node is not None), default=0)
        self._starts[node] = start
        self._planned.setdefault(start, []).append((node, replaced))
        self._replaced |= replaced

    def apply(self) -> None:
        """Puts the planned nodes into the graph."""
        if not self._planned:
            return
        current: dict[Value, Value] = {}
        nodes: list[Node] = []
        for index, node in enumerate(self._graph.nodes):
            self._insert(index, nodes, current)
            if not current.keys().isdisjoint(node.inputs):
                node.inputs = tuple([current.get(value, value) for value in node.inputs])
            nodes.append(node)
        self._insert(len(self._graph.nodes), nodes, current)
        self._graph.nodes = nodes
        self._graph.outputs = [current.get(value, value) for value in self._graph.outputs]

    def _insert(self, index: int, nodes: list[Node], current: dict[Value, Value]) -> None:
        for node, replaced in self._planned.get(index, ()):
            nodes.append(node)
            current |= replaced
