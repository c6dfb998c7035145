"""Supplementary children in checkpoints: written beside the message of the objects, so that TensorFlow reads the file.

Problem: layers in lists, the state of dropout, metrics: TensorFlow's checkpoints of Keras's objects have none of them.
A file with more objects in its message would fail TensorFlow's assertions.

Idea: a second message with the nodes of the first: its edges and nodes are added to the first when Millrace restores.
A checkpoint to which there is nothing to add has no second message.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from millrace._src.checkpoint.object_graph import (
    ObjectGraphView,
    SavedGraph,
    SavedTensor,
    TrackableObjectGraph,
    add_attributes,
    escape,
)
from millrace._src.checkpoint.saved_attributes import has_values

SUPPLEMENT_KEY = "_SUPPLEMENTARY_OBJECT_GRAPH"


@dataclass
class SupplementaryGraph:
    """What supplementary children add to the objects of a view.

    Attributes:
      nodes: the objects that only supplementary children lead to, numbered after those of the view.
      paths: the path of each of them.
      edges: the number of the parent, the name, and the number of the child.
    """

    nodes: list[Any] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    edges: list[tuple[int, str, int]] = field(default_factory=list)


def supplementary_graph(view: ObjectGraphView) -> SupplementaryGraph:
    """Returns what supplementary children add to the objects of a view: those that lead to values."""
    known = view.nodes()
    found = _SupplementWalk(view)
    valued = found.leading_to_values()
    kept = [number for number in range(len(known), len(found.nodes)) if number in valued]
    renumbered = {number: number for number in range(len(known))}
    renumbered |= {number: len(known) + index for index, number in enumerate(kept)}
    return SupplementaryGraph(
        [found.nodes[number] for number in kept],
        [found.paths[number] for number in kept],
        [
            (renumbered[parent], name, renumbered[child])
            for parent, name, child in found.edges
            if parent in renumbered and child in valued
        ],
    )


class _SupplementWalk:
    """All objects that children and supplementary children lead to, and the edges that a view does not have."""

    def __init__(self, view: ObjectGraphView) -> None:
        self.nodes = list(view.nodes())
        self.paths = list(view.paths)
        self.edges: list[tuple[int, str, int]] = []
        self._view = view
        self._known_count = len(self.nodes)
        self._numbers = dict(view.node_ids)
        waiting = deque(range(self._known_count))
        while waiting:
            parent = waiting.popleft()
            for name, child in self._missing_children(parent):
                if id(child) not in self._numbers:
                    waiting.append(self._number(child, parent, name))
                self.edges.append((parent, name, self._numbers[id(child)]))

    def _missing_children(self, number: int) -> Iterator[tuple[str, Any]]:
        trackable = self.nodes[number]
        supplements = trackable._supplementary_children()
        if number >= self._known_count:
            yield from (supplements | self._view.children(trackable)).items()
        elif supplements:
            names = {name for name, _ in self._view.number_children(number)}
            yield from ((name, child) for name, child in supplements.items() if name not in names)

    def _number(self, child: object, parent: int, name: str) -> int:
        self._numbers[id(child)] = number = len(self.nodes)
        self.nodes.append(child)
        path = self.paths[parent]
        self.paths.append(f"{path}/{escape(name)}" if path else escape(name))
        return number

    def leading_to_values(self) -> set[int]:
        """Returns the numbers of the objects that have values or lead to values by the edges that the view lacks."""
        if not self.edges:
            return set()
        parents: dict[int, list[int]] = {}
        for parent, _, child in self.edges:
            parents.setdefault(child, []).append(parent)
        found = {number for number in parents if has_values(self.nodes[number])}
        waiting = list(found)
        while waiting:
            new = [parent for parent in parents.get(waiting.pop(), ()) if parent not in found]
            found.update(new)
            waiting.extend(new)
        return found


def with_supplement(saved_graph: SavedGraph, view: ObjectGraphView) -> SavedGraph:
    """Returns what a checkpoint holds, with the supplementary children of the objects."""
    found = supplementary_graph(view)
    if not found.edges:
        return saved_graph
    proto = TrackableObjectGraph()
    count = len(view.nodes())
    messages = [proto.nodes.add() for _ in range(count + len(found.nodes))]
    for parent, name, child in found.edges:
        messages[parent].children.add(node_id=child, local_name=name)
    tensors: list[SavedTensor] = []
    for node_id, trackable, path in zip(range(count, len(messages)), found.nodes, found.paths, strict=True):
        tensors.extend(add_attributes(messages[node_id], node_id, trackable, path))
    return SavedGraph(saved_graph.proto, [*saved_graph.tensors, *tensors], proto)


def merge_supplement(proto: TrackableObjectGraph, supplement: TrackableObjectGraph) -> None:
    """Adds edges and nodes to the saved objects."""
    for node_id, addition in enumerate(supplement.nodes):
        node = proto.nodes[node_id] if node_id < len(proto.nodes) else proto.nodes.add()
        node.MergeFrom(addition)
