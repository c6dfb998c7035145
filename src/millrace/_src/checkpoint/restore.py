"""One checkpoint that is being restored into objects, now and later.

Problem: objects meet their saved values at different times. Some exist when a program restores, others are made by the
first call of a layer. A mistake in one object must not leave the others half restored.

Idea: a `Restoration` holds the open file, the message of the saved objects, and which object matches which of these.
The walk of `trackable/deferred_restoration.py` finds the pairs; the values of all objects that were reached are then
looked at, read, and given, in that order. Restored in a graph, the values are the outputs of one `RestoreV2`.
"""

from __future__ import annotations

import abc
import contextlib
import copy
import dataclasses
import itertools
import weakref
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Self

from millrace._src.checkpoint.options import CheckpointOptions
from millrace._src.checkpoint.renamed_children import explain_names
from millrace._src.checkpoint.report import RestoreReport
from millrace._src.checkpoint.report_rows import report_of
from millrace._src.checkpoint.restore_specs import RestoreSpec, restore_spec_of
from millrace._src.checkpoint.shape_mismatches import ShapeMismatch, find_mismatches
from millrace._src.checkpoint.slot_matching import SavedOwner, match_slots, saved_owner, warn_of_slots
from millrace._src.checkpoint.value_reading import ValueReader, Want
from millrace._src.core.context import in_plain_graph, state
from millrace._src.core.resources import is_variable
from millrace._src.graph.func_graph import init_scope
from millrace._src.proto.trackable_object_graph_pb2 import TrackableObjectGraph
from millrace._src.trackable.base import TrackableReference
from millrace._src.trackable.deferred_restoration import (
    Reached,
    RestorePosition,
    restore,
    restore_all,
    warn_of_late_values,
)
from millrace._src.trackable.slot_owners import wait_for_slots

_uids = itertools.count(1)


class RestorationBase(abc.ABC):
    """What one call of `restore` knows, whatever kind of checkpoint it reads.

    Args:
      reader: gives the values.
      root: the object that all others are found from.
      attached: further children of the root, within checkpoints.
      options: the options of the call.
    """

    def __init__(
        self, reader: ValueReader, root: Any, attached: Sequence[TrackableReference], options: CheckpointOptions
    ) -> None:
        self.reader = reader
        self.root = root
        self.attached = attached
        self.options = options
        self.uid = next(_uids)
        self.graph = state.graph
        self.session_operations: list[Any] | None = [] if in_plain_graph() else None
        """What a session runs to give values in a graph of TensorFlow 1; None where values are given at once."""
        self.mismatches: list[ShapeMismatch] = []
        self.has_given = False
        """Whether objects have values of this restoration."""

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """Returns a restoration of the same file: a copy of an object waits for the same values as the object."""
        memo[id(self)] = copied = copy.copy(self)
        for name, value in vars(self).items():
            if isinstance(value, (dict, set)):
                setattr(copied, name, copy.copy(value))  # which objects took which positions
        return copied

    @property
    def has_supplement(self) -> bool:
        """Whether the checkpoint has supplementary children of objects."""
        return False

    @abc.abstractmethod
    def restore_spec(self, reached: Reached) -> RestoreSpec:
        """Returns what takes the saved values of an object."""

    @abc.abstractmethod
    def release(self, reached: Sequence[Reached]) -> None:
        """Lets go of objects that cannot have their values, so that others may take their positions."""

    @abc.abstractmethod
    def report(self) -> RestoreReport:
        """Returns what became of each value, as things stand now."""

    def context(self) -> AbstractContextManager[Any]:
        """Leads back to where the program called `restore`: out of functions that are traced, or into its graph."""
        if self.graph is None:
            return init_scope()
        return contextlib.nullcontext() if state.graph is self.graph else self.graph.as_default()

    def give_values(self, reached: Sequence[Reached]) -> None:
        """Gives objects their values.

        Raises:
          ValueError: if a saved value has another shape than an object takes; no object has changed then.
          InvalidArgumentError: if a saved value has another dtype.
          NotFoundError: if the checkpoint lacks a value.
        """
        older = {id(one.trackable): one for one in reversed(reached) if one.is_older}  # the first of two positions
        restore_specs = [self.restore_spec(one) for one in reversed(older.values())]
        self.mismatches = find_mismatches(self.reader, restore_specs)
        if self.mismatches:
            error = self.mismatches[0].error(f"\n\n{self.report()}")
            self.release(reached)
            raise error
        with self.context():
            values = self.reader.read([want for restore_spec in restore_specs for want in restore_spec.wants])
            for restore_spec in restore_specs:
                taken = restore_spec.take([next(values) for _ in restore_spec.wants])
                self.has_given = self.has_given or bool(restore_spec.wants)
                if self.session_operations is not None and restore_spec.wants:
                    self.session_operations.append(taken)
        for one in reached:
            one.trackable._update_uid = max(one.trackable._update_uid, self.uid)


class Restoration(RestorationBase):
    """One checkpoint of objects that is being restored.

    Args:
      reader: gives the values.
      proto: the saved objects.
      root: the object that the first saved object belongs to.
      attached: further children of the root, within checkpoints.
      options: the options of the call.
      required_count: how many of the saved objects, from the first on, assertions are about; None for all. The others
        are supplementary.
    """

    def __init__(
        self,
        reader: ValueReader,
        proto: TrackableObjectGraph,
        root: Any,
        attached: Sequence[TrackableReference],
        options: CheckpointOptions,
        required_count: int | None = None,
    ) -> None:
        super().__init__(reader, root, attached, options)
        self.proto = proto
        self.required_count = len(proto.nodes) if required_count is None else required_count
        self.unused_attributes: dict[int, list[str]] = {}
        self.waiting_slots: dict[int, list[tuple[int, Any]]] = {}
        self.refused_slots: dict[int, str] = {}
        """Why saved slots of optimizers are not restored."""
        self.slot_numbers: set[int] = set()
        """The numbers of the saved slots that are matched by what they are for."""
        self._found_slots: deque[tuple[int, Any]] = deque()
        self._found_owners: deque[SavedOwner] = deque()
        self._bound: dict[int, Any] = {}

    def restore(self) -> None:
        """Gives the objects below the root their values.

        Raises: as `give_values`.
        """
        attached = {child.name: child.ref for child in self.attached}
        numbers = {child.local_name: child.node_id for child in self.proto.nodes[0].children}
        restore_all(
            [
                Reached(self.root, RootPosition(self, attached)),
                *(
                    Reached(child, CheckpointPosition(self, numbers[name]))
                    for name, child in attached.items()
                    if name in numbers
                ),
            ]
        )

    @property
    def has_supplement(self) -> bool:
        """Whether the checkpoint has supplementary children of objects."""
        return self.required_count < len(self.proto.nodes)

    # --- which object matches which saved object ----------------------------------------------------------------

    def child_numbers(self, node_id: int) -> dict[str, int]:
        """Returns the numbers of the children of a saved object by their names."""
        return {child.local_name: child.node_id for child in self.proto.nodes[node_id].children}

    def position(self, node_id: int) -> CheckpointPosition:
        """Returns the position of a saved object."""
        return CheckpointPosition(self, node_id)

    def matching_object(self, node_id: int) -> Any:
        """Returns the object that matches a saved object; None if none does, or if it is gone."""
        holder = self._bound.get(node_id)
        return holder() if isinstance(holder, weakref.ref) else holder

    def was_bound(self, node_id: int) -> bool:
        """Returns whether an object was matched to a saved object, though it may be gone by now."""
        return node_id in self._bound

    def matched_node_ids(self) -> dict[int, int]:
        """Returns the numbers of the saved objects that living objects match, by the `id` of the objects."""
        bound = {node_id: self.matching_object(node_id) for node_id in self._bound}
        return {id(trackable): node_id for node_id, trackable in bound.items() if trackable is not None}

    def report(self) -> RestoreReport:
        """Returns what became of each value, as things stand now."""
        return report_of(self)

    def bind(self, node_id: int, trackable: object) -> bool:
        """Notes that an object matches a saved object; returns whether that one was free."""
        if node_id in self._bound:
            return False
        self._bound[node_id] = _weakly(trackable)
        if not self.options.experimental_skip_slot_variables:
            self._note_slots(node_id)
        return True

    def release(self, reached: Sequence[Reached]) -> None:
        """Lets go of objects that cannot have their values, so that others may take their positions."""
        for one in reached:
            assert isinstance(one.position, CheckpointPosition)
            self._bound.pop(one.position.node_id, None)

    # --- values --------------------------------------------------------------------------------------------------

    def give_values(self, reached: Sequence[Reached]) -> None:
        """Gives objects their values, then optimizers the slot variables that the objects complete."""
        owners, warned = [], []
        reached = list(reached)
        while self._found_owners:
            found = self._found_owners.popleft()
            if found.rule.is_built(found.owner):
                matches = match_slots(found)
                reached += matches.reached
                warned.append(matches.warning)
            else:
                owners.append(found)
        super().give_values(reached)
        for found in owners:
            wait_for_slots(found.owner, SlotsPosition(found))
        self._restore_slots()
        for warning in warned:
            warn_of_slots(warning)

    def note_owner(self, found: SavedOwner) -> None:
        """Notes an object whose slots are to be matched once all objects are reached."""
        self._found_owners.append(found)
        self.slot_numbers.update(found.saved_slots)

    def restore_spec(self, reached: Reached) -> RestoreSpec:
        """Returns what takes the values of an object, and notes which saved attributes the object does not know."""
        position = reached.position
        assert isinstance(position, CheckpointPosition)
        restore_spec = restore_spec_of(reached.trackable, position.attributes())
        if restore_spec.unused:
            self.unused_attributes[position.node_id] = restore_spec.unused
        return restore_spec

    def _note_slots(self, node_id: int) -> None:
        """Finds the slot variables for which the optimizer and the variable are both there now."""
        for slot in self.proto.nodes[node_id].slot_variables:
            if self.was_bound(slot.original_variable_node_id):
                self._found_slots.append((node_id, slot))
            else:
                self.waiting_slots.setdefault(slot.original_variable_node_id, []).append((node_id, slot))
        self._found_slots.extend(self.waiting_slots.pop(node_id, ()))

    def _restore_slots(self) -> None:
        while self._found_slots:
            optimizer_id, slot = self._found_slots.popleft()
            optimizer, variable = (
                self.matching_object(optimizer_id),
                self.matching_object(slot.original_variable_node_id),
            )
            if optimizer is not None and is_variable(variable):  # a damaged file names anything
                optimizer._create_or_restore_slot_variable(
                    slot_variable_position=CheckpointPosition(self, slot.slot_variable_node_id),
                    slot_name=slot.slot_name,
                    variable=variable,
                )


def _weakly(trackable: object) -> Any:
    try:
        return weakref.ref(trackable)
    except TypeError:  # a tuple cannot be referred to weakly
        return trackable


class CheckpointPosition(RestorePosition):
    """The position of one saved object. Optimizers that make slot variables use it; the names are TensorFlow's.

    Args:
      restoration: the restoration.
      node_id: the number of the saved object.
    """

    def __init__(self, restoration: Restoration, node_id: int) -> None:
        self.checkpoint = restoration
        self.node_id = node_id

    @property
    def restore_uid(self) -> int:
        """The number of the restoration; a later one has a larger number."""
        return self.checkpoint.uid

    @property
    def proto_id(self) -> int:
        """The number of the saved object."""
        return self.node_id

    @property
    def object_proto(self) -> Any:
        """The message of the saved object."""
        return self.checkpoint.proto.nodes[self.node_id]

    @property
    def trackable(self) -> Any:
        """The object that matches; None if none did."""
        return self.checkpoint.matching_object(self.node_id)

    def attributes(self) -> dict[str, str]:
        """Returns the key of each of the saved object's own attributes."""
        return {attribute.name: attribute.checkpoint_key for attribute in self.object_proto.attributes}

    def is_simple_variable(self) -> bool:
        """Returns whether the saved object is a variable and nothing else."""
        return list(self.attributes()) == ["VARIABLE_VALUE"] and not self.object_proto.children

    def bind(self, trackable: object) -> bool:
        """Notes that an object matches; returns whether the position was free."""
        return self.checkpoint.bind(self.node_id, trackable)

    def bind_object(self, trackable: object) -> bool:
        """Does as `bind`."""
        return self.bind(trackable)

    def values(self) -> Mapping[str, Any]:
        """Returns the saved tensors of the object itself by their names."""
        return self.value_tensors()

    def value_tensors(self, shape_and_slices: Mapping[str, str] | None = None) -> dict[str, Any]:
        """Returns the saved tensors by the names of the attributes.

        Args: shape_and_slices: for some keys, which part of the tensor is wanted, as `tf.raw_ops.RestoreV2` takes it.
        """
        slices = shape_and_slices or {}
        attributes = self.attributes()
        wants = [Want(key, slices.get(key, "")) for key in attributes.values()]
        with self.checkpoint.context():
            return dict(zip(attributes, self.checkpoint.reader.read(wants)))

    def value_shape(self) -> Any:
        """Returns the shape of a saved variable."""
        return self.checkpoint.reader.shape(self.attributes()["VARIABLE_VALUE"])

    def child_numbers(self) -> dict[str, int]:
        """Returns the numbers of the saved object's children by their names."""
        return self.checkpoint.child_numbers(self.node_id)

    def children(self, trackable: Any = None) -> dict[str, RestorePosition]:
        """Returns the positions of the saved object's children by their names.

        Slots of an optimizer do not take them: all slots are matched at once, when they are made.
        """
        found = None if trackable is None else saved_owner(self, trackable)
        if found is None:
            return {name: CheckpointPosition(self.checkpoint, number) for name, number in self.child_numbers().items()}
        self.checkpoint.note_owner(found)
        return {
            name: _class_of_child(found, name)(self.checkpoint, number) for name, number in self.child_numbers().items()
        }

    def give_values(self, reached: Sequence[Reached]) -> None:
        """Gives objects that were reached from here their saved values."""
        self.checkpoint.give_values(reached)

    def explain_lateness(self) -> str:
        """Returns which children have other names in the checkpoint than in the program; "" if none do."""
        return explain_names(self.checkpoint)

    def restore(self, trackable: Any) -> None:
        """Gives an object that matches, and all objects below it, the saved values."""
        restore(trackable, self)


class SlotPosition(CheckpointPosition):
    """The position of a slot, or of what holds slots: nothing takes it by its name alone."""

    def bind(self, trackable: Any) -> bool:
        """Returns False."""
        return False


class SlotListPosition(CheckpointPosition):
    """The position of a list whose elements are not identified by their indices alone."""

    def children(self, trackable: Any = None) -> dict[str, RestorePosition]:
        """Returns the positions of the elements, which are matched later."""
        return {name: SlotPosition(self.checkpoint, number) for name, number in self.child_numbers().items()}


def _class_of_child(found: SavedOwner, name: str) -> type[CheckpointPosition]:
    if name in (found.rule.flat_list, found.rule.trained_list):
        return SlotListPosition
    return SlotPosition if name in found.slot_names else CheckpointPosition


class SlotsPosition(CheckpointPosition):
    """The position of all slots of an optimizer, which waits until they are made.

    Args: found: the optimizer.
    """

    def __init__(self, found: SavedOwner) -> None:
        super().__init__(found.restoration, found.position.node_id)
        self._found = found

    def bind(self, trackable: Any) -> bool:
        """Returns True."""
        return True

    def children(self, trackable: Any = None) -> dict[str, RestorePosition]:
        """Returns nothing: what leads to the slots says only the match."""
        return {}

    def give_values(self, reached: Sequence[Reached]) -> None:
        """Gives the slots their values."""
        (one,) = reached
        matches = match_slots(dataclasses.replace(self._found, owner=one.trackable))
        before = {id(variable): variable._update_uid for variable in matches.by_index}
        self.checkpoint.give_values(matches.reached)
        late = [variable for variable in matches.by_index if variable._update_uid != before[id(variable)]]
        if late:
            warn_of_late_values(late, self.explain_lateness())
        warn_of_slots(matches.warning)


class RootPosition(CheckpointPosition):
    """The position of the root, some of whose children are not its own: they are attached within checkpoints.

    Args:
      restoration: the restoration.
      attached: the attached children by name.
    """

    def __init__(self, restoration: Restoration, attached: Mapping[str, Any]) -> None:
        super().__init__(restoration, 0)
        self._attached = attached

    def children(self, trackable: object = None) -> dict[str, RestorePosition]:
        """Returns the positions of the children that are the root's own."""
        return {name: position for name, position in super().children().items() if name not in self._attached}
