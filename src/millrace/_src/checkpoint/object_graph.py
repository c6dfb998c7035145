"""The objects below a root, and what a checkpoint writes of them.

Problem: a checkpoint must find every value again although objects are shared, lead back to each other and have no
names of their own.

Idea: objects are numbered breadth first from the root; the first path that leads to an object is its own, and the path
is the key of its values. The numbers, the names of children and the keys form the message `TrackableObjectGraph`,
which the checkpoint holds beside the values. Order and keys are TensorFlow's, so equal objects give equal files.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from millrace._src.checkpoint.saved_attributes import SavedAttribute, attributes_of, has_slots
from millrace._src.core.resources import is_variable
from millrace._src.proto import trackable_object_graph_pb2
from millrace._src.trackable.base import OBJECT_GRAPH_PROTO_KEY, SaveType, TrackableReference
from millrace._src.trackable.data_structures import wrap_or_unwrap
from millrace._src.trackable.deferred_storage import deferred_storage

TrackableObjectGraph = trackable_object_graph_pb2.TrackableObjectGraph

ATTRIBUTES = ".ATTRIBUTES"
OPTIMIZER_SLOT = ".OPTIMIZER_SLOT"


def escape(name: str) -> str:
    """Returns the name of a child as a part of a key, without "/" and with no "." alone.

    >>> from millrace._src.checkpoint.object_graph import escaped
    >>> escaped("a.b/c")
    'a..b.Sc'
    """
    return name.replace(".", "..").replace("/", ".S")


def checkpoint_key(path: str, attribute: str) -> str:
    """Returns the key of a value of the object at a path.

    >>> from millrace._src.checkpoint.object_graph import checkpoint_key
    >>> checkpoint_key("model/bias", "VARIABLE_VALUE")
    'model/bias/.ATTRIBUTES/VARIABLE_VALUE'
    """
    return f"{path}/{ATTRIBUTES}/{escape(attribute)}"


@dataclass(frozen=True, slots=True)
class SlotVariable:
    """A variable that an optimizer keeps for another variable, all three by their numbers."""

    optimizer_id: int
    variable_id: int
    slot_name: str
    node_id: int


class ObjectGraphView:
    """The objects below a root.

    Args:
      root: the object that all paths begin at.
      save_type: whose children are meant, those of a checkpoint or those of a SavedModel.
      attached: further children of the root, by name.
      children_arguments: what `_trackable_children` of every object is given.
    """

    def __init__(
        self,
        root: Any,
        save_type: str = SaveType.CHECKPOINT,
        attached: Sequence[TrackableReference] = (),
        **children_arguments: Any,
    ) -> None:
        self.root = root
        self.save_type = save_type
        self._attached = attached
        self._children_arguments = children_arguments
        self._nodes: list[Any] | None = None
        self._children: list[list[tuple[str, int]]] = []
        self._node_ids: dict[int, int] = {}
        self._paths: list[str] = []
        self._slot_variables: list[SlotVariable] = []

    def children(self, trackable: Any) -> dict[str, Any]:
        """Returns the children of an object by name, containers as objects that track their elements."""
        children = trackable._trackable_children(self.save_type, **self._children_arguments)
        children = {name: wrap_or_unwrap(child) for name, child in children.items()}
        if trackable is self.root:
            children |= {reference.name: reference.ref for reference in self._attached}
        return children

    def nodes(self) -> list[Any]:
        """Returns all objects: those below the root, breadth first, then the slot variables of optimizers."""
        if self._nodes is None:
            self._nodes = self.descendants()
            for slot in self._find_slot_variables(list(self._nodes)):
                self._slot_variables.append(slot)
        return self._nodes

    def descendants(self) -> list[Any]:
        """Returns the objects that children lead to from the root, breadth first, and numbers them anew."""
        self._children, self._node_ids, self._paths, self._slot_variables = [], {}, [], []
        return list(self._traverse())

    @property
    def node_ids(self) -> dict[int, int]:
        """The numbers of the objects, by `id(object)`."""
        self.nodes()
        return self._node_ids

    @property
    def paths(self) -> list[str]:
        """The path of each object: escaped names of children, with "/" between them."""
        self.nodes()
        return self._paths

    def number_children(self, node_id: int) -> list[tuple[str, int]]:
        """Returns the names and the numbers of the children of an object."""
        self.nodes()
        return self._children[node_id]

    def slot_variables(self) -> list[SlotVariable]:
        """Returns the slot variables of all optimizers below the root."""
        self.nodes()
        return self._slot_variables

    def _traverse(self) -> Iterator[Any]:
        waiting = deque([self.root])
        self._number(self.root, "")
        while waiting:
            trackable = waiting.popleft()
            path = self._paths[self._node_ids[id(trackable)]]
            numbered = []
            for name, child in self.children(trackable).items():
                if id(child) not in self._node_ids:
                    self._number(child, f"{path}/{escape(name)}" if path else escape(name))
                    waiting.append(child)
                numbered.append((name, self._node_ids[id(child)]))
            self._children.append(numbered)
            yield trackable

    def _number(self, trackable: object, path: str) -> int:
        self._node_ids[id(trackable)] = node_id = len(self._paths)
        self._paths.append(path)
        return node_id

    def _find_slot_variables(self, candidates: list[Any]) -> Iterator[SlotVariable]:
        """Yields the slot variables, and appends those that are reached by no children to the nodes."""
        for optimizer_id, optimizer in enumerate(candidates):
            if not has_slots[type(optimizer)]:
                continue
            for slot_name in optimizer.get_slot_names():
                for variable_id, variable in enumerate(candidates):
                    slot_variable = _slot(optimizer, variable, slot_name)
                    if slot_variable is not None:
                        node_id = self._slot_node(slot_variable, variable_id, optimizer_id, slot_name)
                        yield SlotVariable(optimizer_id, variable_id, slot_name, node_id)

    def _slot_node(self, slot_variable: object, variable_id: int, optimizer_id: int, slot_name: str) -> int:
        if id(slot_variable) in self._node_ids:
            raise NotImplementedError(
                f"A slot variable was re-used as a dependency of a Trackable object: {slot_variable}. Such a variable "
                "would have two keys in a checkpoint; leave it to the optimizer alone."
            )
        path = [self._paths[variable_id], OPTIMIZER_SLOT, self._paths[optimizer_id], escape(slot_name)]
        assert self._nodes is not None
        self._nodes.append(slot_variable)
        self._children.append([])
        return self._number(slot_variable, "/".join(path))


def _slot(optimizer: Any, variable: Any, slot_name: str) -> Any:
    """Returns the slot variable of an object, or None; an optimizer may refuse objects that are not variables."""
    try:
        return optimizer.get_slot(variable, slot_name)
    except (AttributeError, KeyError):
        return None


@dataclass(frozen=True, slots=True)
class SavedTensor:
    """One tensor that a checkpoint is to hold.

    Attributes:
      node_id: the number of the object that the tensor belongs to.
      attribute: the name of the tensor among the object's own.
      checkpoint_key: the key in the file.
      full_name: the name of a variable, which old checkpoints know it by; "" for other objects.
      value: the tensor, or a function without arguments that returns it.
      slice_spec: which part of a larger tensor the value is; "" for a whole tensor.
      trackable: the object.
    """

    node_id: int
    attribute: str
    checkpoint_key: str
    full_name: str
    value: Any
    slice_spec: str
    trackable: Any

    def tensor(self) -> Any:
        """Returns the value as a tensor."""
        return self.value() if callable(self.value) else self.value


@dataclass(frozen=True, slots=True)
class SavedGraph:
    """What a checkpoint holds: the objects as a message, and the tensors in the order of the file.

    Attributes:
      proto: the objects.
      tensors: the tensors.
      supplement: what `proto` lacks of the objects' children; None if that is nothing.
    """

    proto: TrackableObjectGraph
    tensors: list[SavedTensor]
    supplement: TrackableObjectGraph | None = None

    @property
    def key(self) -> str:
        """The key that the message has in the file."""
        return OBJECT_GRAPH_PROTO_KEY


def serialize_object_graph(view: ObjectGraphView) -> SavedGraph:
    """Returns the objects below a root as the message of a checkpoint, with the tensors to write."""
    proto = TrackableObjectGraph()
    tensors: list[SavedTensor] = []
    nodes = view.nodes()
    messages = [proto.nodes.add() for _ in nodes]
    for node_id, (trackable, message) in enumerate(zip(nodes, messages)):
        for name, child_id in view.number_children(node_id):
            message.children.add(node_id=child_id, local_name=name)
        tensors.extend(add_attributes(message, node_id, trackable, view.paths[node_id]))
    for slot in view.slot_variables():
        messages[slot.optimizer_id].slot_variables.add(
            original_variable_node_id=slot.variable_id, slot_name=slot.slot_name, slot_variable_node_id=slot.node_id
        )
    mark_checkpoint_values(proto)
    return SavedGraph(proto, tensors)


def add_attributes(message: Any, node_id: int, trackable: object, path: str) -> Iterator[SavedTensor]:
    """Adds the own attributes of an object to its message, and yields their tensors."""
    full_name = full_name_of(trackable)
    for attribute in attributes_of(trackable, lambda name: checkpoint_key(path, name)):
        message.attributes.add(name=attribute.name, full_name=full_name, checkpoint_key=attribute.key)
        yield from _list_saved_tensors(attribute, node_id, trackable, full_name)


def _list_saved_tensors(
    attribute: SavedAttribute, node_id: int, trackable: object, full_name: str
) -> Iterator[SavedTensor]:
    for tensor in attribute.tensors:
        yield SavedTensor(node_id, attribute.name, tensor.key, full_name, tensor.value, tensor.slice_spec, trackable)


def full_name_of(trackable: Any) -> str:
    """Returns the name of a variable without ":0"; "" for any other object, and for a variable without storage."""
    is_named: bool = is_variable(trackable) and deferred_storage(trackable) is None
    return str(trackable._shared_name) if is_named else ""


def mark_checkpoint_values(proto: TrackableObjectGraph) -> None:
    """Says for each object of a message whether the object, or one below it, has values."""
    parents: list[list[int]] = [[] for _ in proto.nodes]
    for node_id, node in enumerate(proto.nodes):
        for child in node.children:
            parents[child.node_id].append(node_id)
        for slot in node.slot_variables:
            parents[slot.slot_variable_node_id].append(node_id)
    waiting = [node_id for node_id, node in enumerate(proto.nodes) if node.attributes]
    marked = set(waiting)
    while waiting:
        new = [parent for parent in parents[waiting.pop()] if parent not in marked]
        marked.update(new)
        waiting.extend(dict.fromkeys(new))
    for node_id, node in enumerate(proto.nodes):
        node.has_checkpoint_values.value = node_id in marked
