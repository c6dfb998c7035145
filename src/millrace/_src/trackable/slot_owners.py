"""Objects that keep slots: variables of their own for each of the variables that they train, as optimizers do.

Problem: a library's optimizer lists all its variables in the order in which they are made. Another optimizer, or the
same one with fewer variables to train, has other slots at the same indices. Which slot a variable is becomes known
only after it was made, when a child with a telling name ("_momentums") holds it.

Idea: a class of such objects has a `SlotOwner`, which says which children tell nothing, and when all slots are made.
The positions of an object's slots wait until then, under `SLOTS`; a reader of checkpoints then matches them at once.
Who knows a class registers a function that finds its `SlotOwner`.

Tests: tests/interop/test_keras_optimizers.py
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from millrace._src.trackable.deferred_restoration import RestorePosition, restore
from millrace._src.util.class_table import ClassTable

SLOTS = "(slots)"
"""The name under which the position of all slots of an object waits until they are made."""


class SlotOwner(Protocol):
    """What checkpoints must know of a class whose objects keep slots.

    Attributes:
      flat_list: the name of the child that lists all variables in the order in which they are made.
      trained_list: the name of the child that lists the variables that have slots.
      common: the names of children that mean the same in all such classes; the first is a variable whose name says
        which kind of object it belongs to.
    """

    flat_list: str
    trained_list: str
    common: tuple[str, ...]

    def own_settings(self, owner: object, kind: str) -> frozenset[str]:
        """Returns the names among `common` that mean something else in saved objects of a kind than in the object."""

    def is_built(self, owner: object) -> bool:
        """Returns whether the slots are made."""

    def call_when_built(self, owner: object, action: Callable[[Any], None]) -> None:
        """Calls a function with the object once its slots are made; again with the same function has no effect."""

    def kind(self, owner: object) -> str:
        """Returns what `kind_in_name` gives for a variable of the object."""

    def kind_in_name(self, variable_name: str) -> str:
        """Returns which kind of object the name of a variable tells of; "" if none."""

    def is_related(self, owner: object, kind: str) -> bool | None:
        """Returns whether objects of a kind have slots of the same meaning as the object; None if that is not known."""


def register_slot_owner(find: Callable[[type], SlotOwner | None]) -> None:
    """Registers a function that returns the `SlotOwner` of a class, or None for a class it does not know."""
    if find not in _finders:
        _finders.append(find)
        slot_owner_of.clear()


def wait_for_slots(owner: Any, position: RestorePosition) -> None:
    """Lets the position of an object's slots wait until they are made."""
    owner._defer(SLOTS, position)
    rule = slot_owner_of[type(owner)]
    assert rule is not None
    rule.call_when_built(owner, _take_slots)


def _take_slots(owner: Any) -> None:
    """Gives the slots of an object the values that wait for them; those of the latest restoration win."""
    waiting = owner._deferred_dependencies.pop(SLOTS, ())
    for position in sorted(waiting, key=lambda position: position.restore_uid, reverse=True):
        restore(owner, position)


_finders: list[Callable[[type], SlotOwner | None]] = []


def _find(cls: type) -> SlotOwner | None:
    return next((rule for find in _finders if (rule := find(cls)) is not None), None)


slot_owner_of: ClassTable[SlotOwner | None] = ClassTable(_find)
"""What is known of a class whose objects keep slots; None for other classes."""
