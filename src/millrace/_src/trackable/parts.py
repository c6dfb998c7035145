"""What objects of other libraries consist of, where they are not trackable or have parts that are not.

A module that knows a class registers a function that returns the parts of an instance by name, of which
`Trackable._supplementary_children` makes children.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from millrace._src.util.class_table import ClassTable

PartsOf: TypeAlias = Callable[[Any], Mapping[str, Any]]
"""Returns the parts of an instance by name: trackable objects, and objects that have parts themselves."""


def register_parts(find: Callable[[type], PartsOf | None]) -> None:
    """Registers a function that returns how instances of a class are taken apart, or None for unknown classes."""
    if find not in _finders:
        _finders.append(find)
        parts_of.clear()


def _find(cls: type) -> PartsOf | None:
    return next((parts for find in _finders if (parts := find(cls)) is not None), None)


_finders: list[Callable[[type], PartsOf | None]] = []

parts_of: ClassTable[PartsOf | None] = ClassTable(_find)
"""How instances of a class are taken apart; None for classes whose children are all that belongs to an instance."""
