"""`ImmutableDict`: a mapping that nothing changes.

Problem: a field of an immutable object may be a mapping, and a `dict` handed out could be changed behind the object's
back.

Idea: a `Mapping` over a dict of its own. It keeps the order of its keys and has no method that changes anything.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class ImmutableDict(Mapping[K, V]):
    """A mapping that is made once, as `dict` is, and never changes.

    >>> from millrace._src.util.immutable_dict import ImmutableDict
    >>> ImmutableDict({"a": 1})
    ImmutableDict({'a': 1})
    """

    __slots__ = ("_items",)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._items: dict[K, V] = dict(*args, **kwargs)

    def __getitem__(self, key: K) -> V:
        return self._items[key]

    def __iter__(self) -> Iterator[K]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __contains__(self, key: object) -> bool:
        return key in self._items

    def __repr__(self) -> str:
        return f"ImmutableDict({self._items!r})"
