"""`_TupleWrapper`: a tuple that checkpoints can walk.

Problem: tuples hold variables too, and namedtuples have a class, fields and methods of their own, which must stay.

Idea: a tuple cannot change, so the wrapper is simply a tuple with its children's names beside it. The wrapper of a
namedtuple derives from the namedtuple's class; such a class is made once for each.
"""

from __future__ import annotations

import copy
import functools
from collections.abc import Iterable
from typing import Any, SupportsIndex

from millrace._src.trackable.base import Trackable
from millrace._src.trackable.data_structures import TrackableDataStructure, register_wrapper, wrap_or_unwrap
from millrace._src.trackable.restoration import RestorePosition
from millrace._src.util.class_table import ClassTable


class _TupleWrapper(TrackableDataStructure, tuple[Any, ...]):
    """A tuple with something trackable in it that a user set as an attribute.

    Elements are tracked under their indices, those of a namedtuple under the names of their fields as well.
    """

    def __new__(cls, original_wrapped_tuple: Iterable[Any] = ()) -> Any:
        kind = original_wrapped_tuple.__class__
        parts = [wrap_or_unwrap(value) for value in original_wrapped_tuple]
        wrapper: Any = tuple.__new__(_tuple_wrapper_classes[kind] if issubclass(kind, tuple) else cls, parts)
        fields = getattr(kind, "_fields", ())
        for name, value in [*zip(fields, parts, strict=False), *zip(map(str, range(len(parts))), parts, strict=True)]:
            if isinstance(value, Trackable):
                wrapper._track_trackable(value, name)
        return wrapper

    @property  # type: ignore[misc]  # read-only
    def __class__(self) -> Any:  # the class of the user's tuple
        return self._tuple_class

    _tuple_class: type = tuple

    @property
    def _plain(self) -> Any:
        return tuple.__new__(self._tuple_class, self)

    __wrapped__ = _plain

    @property
    def _values(self) -> Iterable[Any]:
        return self

    def _defer(self, name: str, position: RestorePosition) -> None:
        fields = getattr(self._tuple_class, "_fields", ())
        if name not in fields and not (name.isdecimal() and int(name) < len(self)):
            raise self._cannot_restore(name)
        super()._defer(name, position)

    __eq__ = tuple.__eq__
    __hash__ = tuple.__hash__

    def __copy__(self) -> Any:
        return type(self)(self._plain)

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        return type(self)(copy.deepcopy(self._plain, memo))

    def __reduce_ex__(self, protocol: SupportsIndex) -> Any:
        return _TupleWrapper, (self._plain,)

    def __repr__(self) -> str:
        return f"_TupleWrapper({self._plain!r})"

    def __str__(self) -> str:
        return str(self._plain)


def _tuple_wrapper_class(kind: type) -> type:
    """Returns the class of wrappers of tuples of a class: with its fields and methods, and deriving from it."""
    if issubclass(kind, _TupleWrapper) or kind is tuple:
        return _TupleWrapper
    make: Any = functools.partial(tuple.__new__, kind)
    return type("_TupleWrapper", (_TupleWrapper, kind), {"_tuple_class": kind, "_make": staticmethod(make)})


_tuple_wrapper_classes: ClassTable[type] = ClassTable(_tuple_wrapper_class)


def _wrapped_tuple(value: tuple[Any, ...]) -> Any:
    """Returns a wrapper of a tuple that has something to track in it; any other tuple as it is."""
    wrapper = _TupleWrapper(value)
    return wrapper if wrapper._self_unconditional_dependency_names else value


register_wrapper(_wrapped_tuple, tuple)
