"""`_TupleWrapper`: a tuple that checkpoints can walk.

Problem: tuples hold variables too, and namedtuples have a class, fields and methods of their own, which must stay.

Idea: a tuple cannot change, so the wrapper is simply a tuple with its children's names beside it. The wrapper of a
namedtuple derives from the namedtuple's class; such a class is made once for each.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable
from typing import Any, SupportsIndex, cast

from millrace._src.trackable.base import Trackable
from millrace._src.trackable.data_structures import (
    TrackableDataStructure,
    has_nothing_to_track,
    register_wrapper,
    wrap_or_unwrap,
)
from millrace._src.trackable.deferred_restoration import RestorePosition
from millrace._src.util.class_table import ClassTable


class _TupleWrapper(TrackableDataStructure):
    """A tuple with something trackable in it that a user set as an attribute.

    Elements are tracked under their indices, those of a namedtuple under the names of their fields as well. This class
    holds what all wrappers do; an instance is of a class that derives from the class of the user's tuple too.
    """

    _tuple_class: type = tuple

    def __new__(cls, original_wrapped_tuple: Iterable[Any] = ()) -> Any:
        kind = original_wrapped_tuple.__class__
        parts = [wrap_or_unwrap(value) for value in original_wrapped_tuple]
        wrapper: Any = tuple.__new__(_wrapper_classes[kind if issubclass(kind, tuple) else tuple], parts)
        for name, value in [*zip(wrapper._fields_of_tuple(), parts, strict=False), *enumerate(parts)]:
            if isinstance(value, Trackable):
                wrapper._track_trackable(value, str(name))
        return wrapper

    def __init__(self, original_wrapped_tuple: Iterable[Any] = ()) -> None:
        pass  # the user's class may have one, which is not to be called again

    @property  # type: ignore[misc]  # read-only
    def __class__(self) -> Any:  # the class of the user's tuple
        return self._tuple_class

    @property
    def _plain(self) -> Any:
        return _make(self._tuple_class, self._values)

    __wrapped__ = _plain

    @property
    def _values(self) -> Iterable[Any]:
        return cast("Iterable[Any]", self)

    @classmethod
    def _fields_of_tuple(cls) -> tuple[str, ...]:
        """Returns the names of a namedtuple's fields; a plain tuple has none."""
        fields: tuple[str, ...] = getattr(cls._tuple_class, "_fields", ())
        return fields

    @classmethod
    def _make(cls, iterable: Iterable[Any]) -> Any:
        """Makes a namedtuple of the user's class, as the method of that name does."""
        return _make(cls._tuple_class, iterable)

    def _defer(self, name: str, position: RestorePosition) -> None:
        if name not in self._fields_of_tuple() and name not in map(str, range(len(self._plain))):
            raise self._cannot_restore(name)
        super()._defer(name, position)

    def __eq__(self, other: object) -> bool:
        return bool(self._plain == (other._plain if isinstance(other, _TupleWrapper) else other))

    def __hash__(self) -> int:
        return hash(self._plain)

    def __copy__(self) -> Any:
        return _TupleWrapper(self._plain)

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        return _TupleWrapper(copy.deepcopy(self._plain, memo))

    def __reduce_ex__(self, protocol: SupportsIndex) -> Any:
        return _TupleWrapper, (self._plain,)

    def __repr__(self) -> str:
        return f"_TupleWrapper({self._plain!r})"

    def __str__(self) -> str:
        return str(self._plain)


def _make(kind: Any, parts: Iterable[Any]) -> Any:
    """Makes a tuple of a class, past the constructor of the class."""
    return tuple.__new__(kind, parts)


_wrapper_classes: ClassTable[Any] = ClassTable(
    lambda kind: type("_TupleWrapper", (_TupleWrapper, kind), {"_tuple_class": kind})
)
"""The class of the wrappers of tuples of a class."""


def _wrap_tuple(value: tuple[Any, ...]) -> Any:
    """Returns a wrapper of a tuple that has something to track in it; any other tuple as it is."""
    if has_nothing_to_track(value):
        return value
    wrapper = _TupleWrapper(value)
    return wrapper if wrapper._self_unconditional_dependency_names else value


register_wrapper(_wrap_tuple, tuple)


TupleWrapper = _TupleWrapper
"""The class under a public name: other modules import it; TensorFlow's own name begins with an underscore."""
