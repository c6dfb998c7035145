"""A checkpoint in memory: the smallest thing that implements `RestorePosition`."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import millrace as tf
from millrace._src.checkpoint.saved_attributes import serializes_to_tensors
from millrace._src.trackable.deferred_restoration import Reached, restore

_uids = itertools.count(1)


class SavedObject:
    """What was saved of one object: its values, and its children, which may be shared or lead back to it."""

    def __init__(self) -> None:
        self.values: dict[str, Any] = {}
        self.children: dict[str, SavedObject] = {}


def save(root: Any) -> SavedObject:
    """Returns a copy of the values of all objects below a root."""
    return _save(root, {})


def _save(thing: Any, done: dict[int, SavedObject]) -> SavedObject:
    if id(thing) in done:
        return done[id(thing)]
    done[id(thing)] = saved = SavedObject()
    if serializes_to_tensors[type(thing)]:
        saved.values = {name: tf.constant(tensor.numpy()) for name, tensor in thing._serialize_to_tensors().items()}
    saved.children = {name: _save(child, done) for name, child in thing._trackable_children().items()}
    return saved


class MemoryPosition:
    """An object's position in a checkpoint in memory."""

    def __init__(self, saved: SavedObject, restore_uid: int, bound: dict[int, Any]) -> None:
        self._saved = saved
        self._bound = bound
        self.restore_uid = restore_uid

    def bind(self, trackable: Any) -> bool:
        """An object takes each position once; a second object at the same position is not restored."""
        if id(self._saved) in self._bound:
            return False
        self._bound[id(self._saved)] = trackable
        return True

    def values(self) -> Mapping[str, Any]:
        return self._saved.values

    def children(self, trackable: Any = None) -> Mapping[str, MemoryPosition]:
        return {
            name: MemoryPosition(child, self.restore_uid, self._bound) for name, child in self._saved.children.items()
        }

    def give_values(self, reached: Sequence[Reached]) -> None:
        for one in reached:
            if one.is_older and (values := one.position.values()):
                one.trackable._restore_from_tensors(values)
            one.trackable._update_uid = max(one.trackable._update_uid, self.restore_uid)

    def explain_lateness(self) -> str:
        return ""


def restore_from(saved: SavedObject, root: Any) -> None:
    """Gives a root, and what is or will be below it, the saved values."""
    restore(root, MemoryPosition(saved, next(_uids), {}))
