"""`ListWrapper`: a list that checkpoints can walk.

Problem: everybody else must go on seeing a list, and the user's own name for it the same one. Saved elements are
found by their index, so a list whose elements have moved cannot be saved.

Idea: the wrapper is a subclass of `list` that reads and writes the user's list. Its own storage as a list is what it
has seen: C code reads it, and where it differs from the user's list, that was changed without the wrapper.
A change that moves elements is allowed and remembered; a checkpoint that asks for the children is told.
"""

from __future__ import annotations

import copy
import operator
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, SupportsIndex

from millrace._src.trackable.base import SaveType, Trackable
from millrace._src.trackable.data_structures import (
    TrackableDataStructure,
    has_nothing_to_track,
    register_wrapper,
    wrap_or_unwrap,
)
from millrace._src.trackable.deferred_restoration import RestorePosition


class List(TrackableDataStructure, Sequence[Any]):
    """A list of trackable objects to which one can only append."""

    def __init__(self, values: Iterable[Any] = ()) -> None:
        self._storage: list[Any] = []
        self.extend(values)

    @property
    def _values(self) -> Iterable[Any]:
        return self._storage

    @property
    def _plain(self) -> list[Any]:
        return self._storage

    def append(self, value: Any) -> None:
        """Appends and tracks an element."""
        self._storage.append(self._track_value(value, str(len(self._storage))))

    def extend(self, values: Iterable[Any]) -> None:
        """Appends and tracks elements."""
        for value in list(values):
            self.append(value)

    def copy(self) -> Any:
        """Returns a copy that tracks the same elements."""
        return copy.copy(self)

    def _defer(self, name: str, position: RestorePosition) -> None:
        if not name.isdecimal():
            raise self._cannot_restore(name)
        super()._defer(name, position)

    def index(self, value: object, *bounds: SupportsIndex) -> int:
        """Returns the first index of an element that equals `value`."""
        return self._storage.index(value, *bounds)

    def count(self, value: object) -> int:
        """Returns how many elements equal `value`."""
        return self._storage.count(value)

    def __reduce_ex__(self, protocol: SupportsIndex) -> Any:
        return type(self), (), None, iter(self._storage)  # elements last: one of them may hold this list

    def __iadd__(self, values: Iterable[Any]) -> Any:  # type: ignore[misc]  # not as `+`
        self.extend(values)
        return self

    def __add__(self, other: object) -> Any:
        return self._storage + _plain_list(other)

    def __radd__(self, other: object) -> Any:
        return _plain_list(other) + self._storage

    def __mul__(self, count: SupportsIndex) -> Any:
        return self._storage * count

    __rmul__ = __mul__

    def __getitem__(self, key: Any) -> Any:
        return self._storage[key]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._storage)

    def __reversed__(self) -> Iterator[Any]:
        return reversed(self._storage)

    def __len__(self) -> int:
        return len(self._storage)

    def __contains__(self, value: object) -> bool:
        return value in self._storage

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._storage!r})"


class ListWrapper(List, list[Any]):
    """A list that a user set as an attribute: it takes every change, and remembers what cannot be saved.

    Args: wrapped_list: the user's list, which stays the one that is read and changed; or any elements.
    """

    _non_append_mutation = False
    _before_modification: list[Any] | None = None
    """What the wrapper knew to be in the user's list when that was first changed behind the wrapper's back."""

    def __init__(self, wrapped_list: Iterable[Any] = ()) -> None:
        self._storage = wrapped_list if isinstance(wrapped_list, list) else list(wrapped_list)
        if not has_nothing_to_track(self._storage):
            self._storage[:] = [self._track_value(value, str(index)) for index, value in enumerate(self._storage)]
        list.extend(self, self._storage)

    def _track_value(self, value: Any, name: Any) -> Any:
        return self._track_if_trackable(value, name)

    def __reduce_ex__(self, protocol: SupportsIndex) -> Any:
        state = {"_non_append_mutation": True} if self._non_append_mutation else None
        return type(self), (), state, iter(self._storage)

    # --- what can be saved -------------------------------------------------------------------------------------

    def _trackable_children(self, save_type: str = SaveType.CHECKPOINT, **kwargs: object) -> dict[str, Any]:
        if self._non_append_mutation:
            problem = (
                "A list element was replaced (__setitem__, __setslice__), deleted (__delitem__, __delslice__), or "
                "moved (sort). In order to support restoration on object creation, tracking is exclusively for "
                "append-only data structures.\n\nIf you don't need this list checkpointed, wrap it in a non-trackable "
                "object"
            )
        elif self._is_modified_outside():
            problem = (
                f"The wrapped list was modified outside the wrapper (its final value was {self._storage}, its value "
                f"when a checkpoint dependency was added was {self._before_modification}), which breaks restoration "
                "on object creation.\n\nIf you don't need this list checkpointed, wrap it in a NoDependency object"
            )
        else:
            return super()._trackable_children(save_type, **kwargs)
        raise ValueError(
            f"Unable to save the object {self!r} (a list wrapper constructed to track trackable TensorFlow objects). "
            f"{problem}; it will be subsequently ignored."
        )

    def _known_content(self) -> list[Any]:
        """Returns what the wrapper knows to be in the user's list."""
        return list(list.__iter__(self))

    def _is_modified_outside(self) -> bool:
        """Returns whether the user's list was changed behind the wrapper's back; remembers the former contents."""
        if self._before_modification is None and not _is_same(self._known_content(), self._storage):
            self._before_modification = self._known_content()
        return self._before_modification is not None

    def _inspect(self) -> bool:
        """Notes a change behind the wrapper's back, before one through it; returns whether there are trackables."""
        self._is_modified_outside()
        return self._holds_trackables()

    def _take_change(self, moves_elements: bool) -> None:
        """Takes over a change of the user's list; `moves_elements` says that saved elements are elsewhere now."""
        if moves_elements:
            self._non_append_mutation = True
        list.__setitem__(self, slice(None), self._storage)

    def _replace(self, contents: list[Any]) -> None:
        """Replaces all elements without noting a change, for AutoGraph, which undoes and redoes changes."""
        if not _is_same(contents, self._storage):
            self._storage[:] = contents
            list.__setitem__(self, slice(None), contents)

    # --- changes -----------------------------------------------------------------------------------------------

    def append(self, value: object) -> None:
        """Appends an element, and tracks it if it can be tracked."""
        super().append(value)
        list.append(self, self._storage[-1])

    def __setitem__(self, key: Any, value: Any) -> None:
        moves_elements = self._inspect()
        if isinstance(key, slice):
            self._storage[key] = [wrap_or_unwrap(item) for item in value]
            moves_elements = moves_elements or self._holds_trackables()
        else:
            index = range(len(self._storage))[key]
            moves_elements = isinstance(self._storage[index], Trackable)  # only such an element can have been saved
            self._storage[index] = self._track_value(value, str(index))
        self._take_change(moves_elements)

    def __delitem__(self, key: Any) -> None:
        had_trackables = self._inspect()
        del self._storage[key]
        self._take_change(had_trackables)

    def insert(self, index: SupportsIndex, value: Any) -> None:
        """Inserts an element before an index."""
        self._inspect()
        self._storage.insert(index, wrap_or_unwrap(value))
        self._take_change(self._holds_trackables())

    def pop(self, index: SupportsIndex = -1) -> Any:
        """Removes and returns the element at an index."""
        value = self._storage[index]
        del self[operator.index(index)]
        return value

    def remove(self, value: object) -> None:
        """Removes the first element that equals `value`."""
        del self[self._storage.index(value)]

    def clear(self) -> None:
        """Removes all elements."""
        del self[:]

    def reverse(self) -> None:
        """Reverses the order of the elements."""
        self._inspect()
        self._storage.reverse()
        self._take_change(self._holds_trackables())

    def sort(self, *, key: Any = None, reverse: bool = False) -> None:
        """Sorts the elements."""
        self._inspect()
        self._storage.sort(key=key, reverse=reverse)
        self._take_change(self._holds_trackables())

    def __imul__(self, count: SupportsIndex) -> Any:
        times = operator.index(count)
        if times <= 0:
            self.clear()
        else:
            self.extend(self._storage * (times - 1))
        return self

    # --- as a list ---------------------------------------------------------------------------------------------

    __hash__: Any = None  # type: ignore[misc]  # as a list

    def __eq__(self, other: object) -> bool:
        return self._storage == _plain_list(other)

    def __ne__(self, other: object) -> bool:
        return self._storage != _plain_list(other)

    def __lt__(self, other: object) -> bool:
        return self._storage < _plain_list(other)

    def __le__(self, other: object) -> bool:
        return self._storage <= _plain_list(other)

    def __gt__(self, other: object) -> bool:
        return self._storage > _plain_list(other)

    def __ge__(self, other: object) -> bool:
        return self._storage >= _plain_list(other)


def _is_same(one: list[Any], other: list[Any]) -> bool:
    return len(one) == len(other) and all(map(operator.is_, one, other))


def _plain_list(value: object) -> Any:
    return value._storage if isinstance(value, List) else value


register_wrapper(ListWrapper, list)
