"""Variables that are tracked before they have storage for a value.

Problem: a library may make its variable objects while a model is traced to find shapes, and create their storage only
when the trace has ended. A saved value that waits for such a variable arrives when it cannot be assigned yet.

Idea: the library's variable then gets the saved value as its initial value. A class says how by a `DeferredStorage`;
a module that knows the class registers a function that finds it. Classes without one always have storage.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from millrace._src.util.class_table import ClassTable


class DeferredStorage(Protocol):
    """How variables of a class are asked for their storage, and given the value that the storage begins with."""

    def is_missing(self, variable: object) -> bool:
        """Returns whether a variable has no storage yet."""

    def set_initial_value(self, variable: object, value: object) -> None:
        """Makes a tensor the value that the storage of a variable begins with."""


def register_deferred_storage(find: Callable[[type], DeferredStorage | None]) -> None:
    """Registers a function that returns the `DeferredStorage` of a class, or None for a class it does not know."""
    if find not in _finders:
        _finders.append(find)
        _deferred_storage_of.clear()


def deferred_storage(variable: object) -> DeferredStorage | None:
    """Returns how to give a variable its initial value if the variable has no storage yet, else None."""
    rule = _deferred_storage_of[type(variable)]
    return rule if rule is not None and rule.is_missing(variable) else None


_finders: list[Callable[[type], DeferredStorage | None]] = []


def _find(cls: type) -> DeferredStorage | None:
    return next((rule for find in _finders if (rule := find(cls)) is not None), None)


_deferred_storage_of: ClassTable[DeferredStorage | None] = ClassTable(_find)
