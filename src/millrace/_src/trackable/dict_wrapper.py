"""`_DictWrapper`: a dict that checkpoints can walk.

Problem: as for lists: everybody else must go on seeing a dict, and the user's own name for it the same one.

Idea: the wrapper is a subclass of `dict` that reads and writes the user's dict; see `list_wrapper.py`. Elements are
found by their keys, so that replacing one is no harm; a key that is not a string cannot be in a checkpoint.
"""

from __future__ import annotations

import copy
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from collections.abc import Mapping as AbstractMapping
from typing import Any, SupportsIndex

from millrace._src.trackable.base import SaveType, Trackable
from millrace._src.trackable.data_structures import (
    NoDependency,
    TrackableDataStructure,
    has_nothing_to_track,
    register_wrapper,
    wrap_or_unwrap,
)


class Mapping(TrackableDataStructure, AbstractMapping[str, Any]):
    """A dict from strings to trackable objects, of which none can be replaced or removed."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._storage: dict[str, Any] = {}
        self.update(*args, **kwargs)

    @property
    def _values(self) -> Iterable[Any]:
        return self._storage.values()

    @property
    def _plain(self) -> dict[str, Any]:
        return self._storage

    def __setitem__(self, key: str, value: Any) -> None:
        if not isinstance(key, str):
            raise TypeError(f"Mapping accepts only string keys, but got a key {key!r}.")
        value = self._track_value(value, key)
        present = self._storage.setdefault(key, value)
        if present is not value:
            raise ValueError(
                f"Mappings are an append-only data structure. Tried to overwrite the key '{key}' with value {value}, "
                f"but it already contains {present}"
            )

    def update(self, *args: object, **kwargs: object) -> None:
        """Adds the items of a mapping or of keyword arguments."""
        for key, value in dict(*args, **kwargs).items():
            self[key] = value

    def __reduce_ex__(self, protocol: SupportsIndex) -> Any:
        return type(self), (), None, None, iter(self._storage.items())

    def __getitem__(self, key: str) -> Any:
        return self._storage[key]

    def __len__(self) -> int:
        return len(self._storage)

    def __iter__(self) -> Iterator[str]:
        return iter(self._storage)

    def __repr__(self) -> str:
        return f"Mapping({self._storage!r})"


def _reading(name: str) -> Callable[..., Any]:
    """Returns a method that is the one of the user's dict."""

    def method(self: Any, *args: object, **kwargs: object) -> Any:
        return getattr(self._storage, name)(*args, **kwargs)

    method.__name__ = name
    return method


def _changing(name: str) -> Callable[..., Any]:
    """Returns a method that is the one of the user's dict; a change by it counts as made behind the wrapper's back."""
    read = _reading(name)

    def method(self: Any, *args: object, **kwargs: object) -> Any:
        try:
            return read(self, *args, **kwargs)
        finally:
            self._is_modified_outside()
            self._see()

    method.__name__ = name
    return method


class _DictWrapper(TrackableDataStructure, dict[Any, Any]):
    """A dict that a user set as an attribute: it takes any keys and values, and remembers what cannot be saved.

    Elements that are set are tracked under their keys. Other changes (`pop`, `clear`, `setdefault`, ...) go to the
    user's dict, and so count as changes behind the wrapper's back.

    Args: wrapped_dict: the user's dict, which stays the one that is read and changed; or pairs of keys and values.
    """

    _has_other_keys = False
    _before_modification: dict[Any, Any] | None = None
    """What the wrapper knew to be in the user's dict when that was first changed behind the wrapper's back."""

    def __init__(self, wrapped_dict: dict[Any, Any] | Iterable[tuple[Any, Any]] = ()) -> None:
        self._storage: dict[Any, Any] = wrapped_dict if isinstance(wrapped_dict, dict) else dict(wrapped_dict)
        if not has_nothing_to_track(self._storage.values()):
            self._storage.update([(key, self._track_value(value, key)) for key, value in self._storage.items()])
        dict.update(self, self._storage)

    @property  # type: ignore[misc]  # read-only
    def __class__(self) -> Any:  # isinstance(self, OrderedDict) where the user's dict is one
        return type(self._storage)

    @property
    def _plain(self) -> dict[Any, Any]:
        return self._storage

    __wrapped__ = _plain

    @property
    def _values(self) -> Iterable[Any]:
        return self._storage.values()

    def _track_value(self, value: Any, name: Any) -> Any:
        """Tracks a value under its key, and returns what to store."""
        if isinstance(name, str):
            return self._track_if_trackable(value, name)
        if isinstance(value, NoDependency):
            return value.value
        value = wrap_or_unwrap(value)
        if isinstance(value, Trackable):
            self._has_other_keys = True
        return value

    def _trackable_children(self, save_type: str = SaveType.CHECKPOINT, **kwargs: object) -> dict[str, Any]:
        problem = None
        if self._has_other_keys:
            problem = (
                "The wrapped dictionary contains a non-string key which maps to a trackable object or mutable data "
                "structure."
            )
        elif self._is_modified_outside():
            problem = (
                f"The wrapped dictionary was modified outside the wrapper (its final value was {self._storage}, its "
                f"value when a checkpoint dependency was added was {self._before_modification}), which breaks "
                "restoration on object creation."
            )
        if problem is not None:
            raise ValueError(
                f"Unable to save the object {self} (a dictionary wrapper constructed automatically on attribute "
                f"assignment). {problem}\n\nIf you don't need this dictionary checkpointed, wrap it in a non-trackable "
                "object; it will be subsequently ignored."
            )
        return super()._trackable_children(save_type, **kwargs)

    def _known_content(self) -> dict[Any, Any]:
        """Returns what the wrapper knows to be in the user's dict."""
        return dict(zip(dict.keys(self), dict.values(self), strict=True))

    def _is_modified_outside(self) -> bool:
        """Returns whether the user's dict was changed behind the wrapper's back; remembers the former contents."""
        if self._before_modification is None and not _is_same(self._known_content(), self._storage):
            self._before_modification = self._known_content()
        return self._before_modification is not None

    def _see(self) -> None:
        """Takes over what is in the user's dict."""
        dict.clear(self)
        dict.update(self, self._storage)

    def _replace(self, contents: dict[Any, Any]) -> None:
        """Replaces all elements without noting a change, for AutoGraph, which undoes and redoes changes."""
        if list(contents) != list(self._storage) or not _is_same(contents, self._storage):
            self._storage.clear()
            self._storage.update(contents)
            self._see()

    # --- changes -----------------------------------------------------------------------------------------------

    def __setitem__(self, key: object, value: object) -> None:
        self._storage[key] = value = self._track_value(value, key)
        dict.__setitem__(self, key, value)

    def __delitem__(self, key: object) -> None:
        del self._storage[key]
        dict.pop(self, key, None)

    def update(self, *args: object, **kwargs: object) -> None:
        """Sets the items of a mapping, of pairs, or of keyword arguments."""
        for key, value in dict(*args, **kwargs).items():
            self[key] = value

    def __ior__(self, other: Any) -> Any:
        self._storage |= other
        self._is_modified_outside()
        self._see()
        return self

    # --- as a dict ---------------------------------------------------------------------------------------------

    def copy(self) -> Any:
        """Returns a copy that tracks the same elements."""
        return copy.copy(self)

    def __copy__(self) -> Any:
        return type(self)(copy.copy(self._storage))

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        memo[id(self)] = copied = type(self)(type(self._storage)())
        for key, value in self._storage.items():
            copied[copy.deepcopy(key, memo)] = copy.deepcopy(value, memo)
        return copied

    def __reduce_ex__(self, protocol: SupportsIndex) -> Any:
        return type(self), (type(self._storage)(),), None, None, iter(self._storage.items())

    __hash__: Any = None  # type: ignore[misc]  # as a dict

    def __getitem__(self, key: object) -> Any:
        return self._storage[key]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._storage)

    def __len__(self) -> int:
        return len(self._storage)

    def __contains__(self, key: object) -> bool:
        return key in self._storage

    def __eq__(self, other: object) -> bool:
        return self._storage == _plain_dict(other)

    def __ne__(self, other: object) -> bool:
        return self._storage != _plain_dict(other)

    def __or__(self, other: Any) -> Any:
        return self._storage | _plain_dict(other)

    def __ror__(self, other: Any) -> Any:
        return other | self._storage

    def __repr__(self) -> str:
        return f"DictWrapper({self._storage!r})"

    def __str__(self) -> str:
        return str(self._storage)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return getattr(self._storage, name)

    keys: Any = _reading("keys")
    values: Any = _reading("values")
    items: Any = _reading("items")
    get: Any = _reading("get")
    pop: Any = _changing("pop")
    popitem: Any = _changing("popitem")
    clear: Any = _changing("clear")
    setdefault: Any = _changing("setdefault")
    __reversed__: Any = _reading("__reversed__")


def _is_same(one: dict[Any, Any], other: dict[Any, Any]) -> bool:
    return one.keys() == other.keys() and all(one[key] is other[key] for key in one)


def _plain_dict(value: object) -> Any:
    return value._storage if isinstance(value, _DictWrapper) else value


register_wrapper(_DictWrapper, dict, OrderedDict)


DictWrapper = _DictWrapper
"""The class under a public name: other modules import it; TensorFlow's own name begins with an underscore."""
