"""The object graph of a checkpoint whose variables are known by their paths alone: a tree.

Tests: tests/interop/array_files/test_file_conversion.py
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from millrace._src.interop.array_files.names import ATTRIBUTE, SLOT, checkpoint_key
from millrace._src.proto.trackable_object_graph_pb2 import TrackableObjectGraph


def object_tree(paths: Iterable[str]) -> TrackableObjectGraph:
    """Returns an object graph with a variable at each path.

    Args:
      paths: names of children with slashes between; `variable/.OPTIMIZER_SLOT/optimizer/slot` is an optimizer's slot.
    """
    tree = _Tree()
    for path in paths:
        variable, is_slot, slot = path.partition(f"/{SLOT}/")
        node_id = tree.add_slot(variable, slot) if is_slot else tree.node_id(variable)
        name = path.replace(f"/{SLOT}", "")
        tree.graph.nodes[node_id].attributes.add(name=ATTRIBUTE, full_name=name, checkpoint_key=checkpoint_key(path))
    return tree.graph


class _Tree:
    """The object graph that is being made."""

    def __init__(self) -> None:
        self.graph = TrackableObjectGraph()
        self.graph.nodes.add()
        self._ids: dict[tuple[str, ...], int] = {(): 0}

    def node_id(self, path: str) -> int:
        """Returns the number of the object at a path; it and those above it are made if they are not there."""
        return self._node_id(tuple(path.split("/")))

    def _node_id(self, names: Sequence[str]) -> int:
        key = tuple(names)
        if key not in self._ids:
            parent = self._node_id(key[:-1])
            self._ids[key] = len(self.graph.nodes)
            self.graph.nodes.add()
            local_name = key[-1].replace(".S", "/").replace("..", ".")
            self.graph.nodes[parent].children.add(node_id=self._ids[key], local_name=local_name)
        return self._ids[key]

    def add_slot(self, variable: str, slot: str) -> int:
        """Adds a variable that an optimizer keeps for another one, and returns its number."""
        optimizer, _, slot_name = slot.rpartition("/")
        original_id, optimizer_id, slot_id = self.node_id(variable), self.node_id(optimizer), len(self.graph.nodes)
        self.graph.nodes.add()
        self.graph.nodes[optimizer_id].slot_variables.add(
            original_variable_node_id=original_id, slot_name=slot_name, slot_variable_node_id=slot_id
        )
        return slot_id
