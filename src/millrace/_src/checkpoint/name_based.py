"""Checkpoints without objects, such as those of `tf.compat.v1.train.Saver`, restored into objects.

The values of such a checkpoint have the names of variables. An object takes the values that have its variable's name,
and so does any object that becomes a child of it later.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from millrace._src.checkpoint.object_graph import ObjectGraphView, full_name_of
from millrace._src.checkpoint.options import CheckpointOptions
from millrace._src.checkpoint.report import RestoreReport
from millrace._src.checkpoint.report_rows import report_of_names
from millrace._src.checkpoint.restore import RestorationBase
from millrace._src.checkpoint.restore_specs import RestoreSpec, restore_spec_of
from millrace._src.checkpoint.saved_attributes import attributes_of, has_values
from millrace._src.checkpoint.value_reading import ValueReader
from millrace._src.trackable.base import TrackableReference
from millrace._src.trackable.deferred_restoration import ANY_CHILD, Reached, RestorePosition, restore_all


class NameBasedRestoration(RestorationBase):
    """One checkpoint without objects that is being restored.

    Args:
      reader: gives the values.
      root: the object whose variables, and those of all objects below it, take values.
      attached: further children of the root.
      options: the options of the call.
    """

    def __init__(
        self, reader: ValueReader, root: Any, attached: Sequence[TrackableReference], options: CheckpointOptions
    ) -> None:
        super().__init__(reader, root, attached, options)
        self.taken: set[str] = set()
        self.optional: list[Any] = []
        self._met: set[int] = set()

    def restore(self) -> None:
        """Gives the objects below the root their values.

        Raises: as `Restoration.restore`.
        """
        position = NamePosition(self)
        restore_all([Reached(self.root, position), *(Reached(child.ref, position) for child in self.attached)])

    def meet(self, trackable: Any) -> bool:
        """Returns whether an object is met for the first time, and lets its future children be restored."""
        if trackable._update_uid >= self.uid or id(trackable) in self._met:
            return False
        self._met.add(id(trackable))
        trackable._deferred_dependencies[ANY_CHILD] = [NamePosition(self)]
        return True

    def release(self, reached: Sequence[Reached]) -> None:
        """Lets objects that cannot have their values be met again."""
        self._met.difference_update(id(one.trackable) for one in reached)

    def restore_spec(self, reached: Reached) -> RestoreSpec:
        """Returns what takes the values of an object: those under the names of its attributes."""
        trackable = reached.trackable
        name = full_name_of(trackable)
        if not name or name not in self.reader:
            return RestoreSpec(trackable)
        self.taken.add(name)
        (attribute,) = attributes_of(trackable, lambda _: name)
        return restore_spec_of(trackable, {attribute.name: name})

    def report(self) -> RestoreReport:
        """Returns what became of each value, as things stand now."""
        return report_of_names(self)

    def without_values(self) -> list[Any]:
        """Returns the objects that the checkpoint has no value for."""
        nodes = ObjectGraphView(self.root, attached=self.attached).nodes()
        return [node for node in nodes if full_name_of(node) not in self.taken]

    def find_unmatched(self) -> list[tuple[Any, list[str]]]:
        """Returns the objects that have values of their own and found none, with the names of those values."""
        nodes = ObjectGraphView(self.root, attached=self.attached).nodes()
        unmatched_nodes = []
        for node in nodes:
            name = full_name_of(node)
            if any(node is optional for optional in self.optional):
                continue
            if (not name or name not in self.reader) and has_values(node):
                unmatched_nodes.append((node, [name]))
        return unmatched_nodes


class NamePosition(RestorePosition):
    """The saved position of any object in a checkpoint without objects."""

    def __init__(self, restoration: NameBasedRestoration) -> None:
        self._restoration = restoration

    @property
    def restore_uid(self) -> int:
        """The number of the restoration."""
        return self._restoration.uid

    def bind(self, trackable: object) -> bool:
        """Returns whether the object is met for the first time."""
        return self._restoration.meet(trackable)

    def values(self) -> Mapping[str, Any]:
        """Returns nothing: which values belong here, only the object says."""
        return {}

    def children(self, trackable: Any = None) -> Mapping[str, RestorePosition]:
        """Returns this position for all children of an object."""
        return {} if trackable is None else dict.fromkeys(trackable._trackable_children(), self)

    def give_values(self, reached: Sequence[Reached]) -> None:
        """Gives objects the values of their names."""
        self._restoration.give_values(reached)
