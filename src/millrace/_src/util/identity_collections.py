"""Collections that tell objects apart by identity.

Problem: tensors and variables define `==` element-wise, so tensors are neither usable dict keys nor set members. Yet
sets of variables and tables of tensors are everywhere.

Idea: `Reference` wraps an object and compares by `is`. `IdentityDict` and `IdentitySet` key by `id` and keep the object
alive, so that no id is reused. The weak variant drops entries with their objects.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Iterator, MutableMapping, MutableSet
from typing import Any, Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class Reference(Generic[K]):
    """A hashable stand-in for one object; equal to the references of the same object only.

    >>> from millrace._src.util.identity_collections import Reference
    >>> x = [1]
    >>> Reference(x) == Reference(x), Reference(x) == Reference([1]), Reference(x).deref() is x
    (True, False, True)
    """

    __slots__ = ("__weakref__", "_wrapped")

    def __init__(self, wrapped: K) -> None:
        self._wrapped = wrapped

    def deref(self) -> K:
        """Returns the referenced object."""
        return self._wrapped

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Reference):
            return NotImplemented
        return self._wrapped is other._wrapped

    def __hash__(self) -> int:
        return id(self._wrapped)

    def __repr__(self) -> str:
        return f"<Reference wrapping {self._wrapped!r}>"


class IdentityDict(MutableMapping[K, V]):
    """A dict whose keys are compared by identity, in insertion order."""

    __slots__ = ("_entries",)

    def __init__(self, items: Iterable[tuple[K, V]] = ()) -> None:
        self._entries: dict[int, tuple[K, V]] = {id(key): (key, value) for key, value in items}

    def __getitem__(self, key: K) -> V:
        try:
            return self._entries[id(key)][1]
        except KeyError:
            raise KeyError(key) from None

    def __setitem__(self, key: K, value: V) -> None:
        self._entries[id(key)] = (key, value)

    def __delitem__(self, key: K) -> None:
        try:
            del self._entries[id(key)]
        except KeyError:
            raise KeyError(key) from None

    def __contains__(self, key: object) -> bool:
        return id(key) in self._entries

    def __iter__(self) -> Iterator[K]:
        return iter([key for key, _ in self._entries.values()])

    def __len__(self) -> int:
        return len(self._entries)

    def __repr__(self) -> str:
        return f"IdentityDict({list(self._entries.values())!r})"


class IdentitySet(MutableSet[K]):
    """A set whose members are compared by identity, in insertion order."""

    __slots__ = ("_members",)

    def __init__(self, members: Iterable[K] = ()) -> None:
        self._members: dict[int, K] = {id(member): member for member in members}

    @classmethod
    def _from_iterable(cls, it: Iterable[Any]) -> IdentitySet[Any]:
        return IdentitySet(it)

    def add(self, value: K) -> None:
        """Adds a member, unless the set has it."""
        self._members.setdefault(id(value), value)

    def discard(self, value: K) -> None:
        """Removes a member, if the set has it."""
        self._members.pop(id(value), None)

    def update(self, values: Iterable[K]) -> None:
        """Adds all of `values`."""
        for value in values:
            self.add(value)

    def __contains__(self, value: object) -> bool:
        return id(value) in self._members

    def __iter__(self) -> Iterator[K]:
        return iter(list(self._members.values()))

    def __len__(self) -> int:
        return len(self._members)

    def __repr__(self) -> str:
        return f"IdentitySet({list(self._members.values())!r})"


class WeakIdentityDict(MutableMapping[K, V]):
    """An `IdentityDict` that does not keep its keys alive: an entry goes with its key."""

    __slots__ = ("__weakref__", "_entries")

    def __init__(self) -> None:
        self._entries: dict[int, tuple[weakref.ref[Any], V]] = {}

    def __getitem__(self, key: K) -> V:
        try:
            return self._entries[id(key)][1]
        except KeyError:
            raise KeyError(key) from None

    def __setitem__(self, key: K, value: V) -> None:
        identifier, entries = id(key), self._entries
        self._entries[identifier] = (weakref.ref(key, lambda _: entries.pop(identifier, None)), value)

    def __delitem__(self, key: K) -> None:
        try:
            del self._entries[id(key)]
        except KeyError:
            raise KeyError(key) from None

    def __contains__(self, key: object) -> bool:
        return id(key) in self._entries

    def __iter__(self) -> Iterator[K]:
        keys = [reference() for reference, _ in list(self._entries.values())]
        return iter([key for key in keys if key is not None])

    def __len__(self) -> int:
        return len(self._entries)
