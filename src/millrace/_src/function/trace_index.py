"""Finds the traces that may serve a call without comparing the call with all of them.

Problem: a function that was traced for a thousand shapes would compare each new kind of call with a thousand types
before it traces again.

Idea: a trace serves a call when trace and call have the same *structure key* (everything but shapes), and each shape of
the trace is the call's shape with some dimensions unknown. The unknown dimensions of a trace are its *unknown-dimension
mask*. Traces have few different masks; so each mask that occurs among the traces of the call's structure key is applied
to the call's shapes, and the masked shapes are looked up in a dictionary. The traces in the dictionary are candidates,
which are then compared exactly.

A type of the user's own decides itself which types are its subtypes. Such a type has no structure key, so a call with
such a type has all traces as candidates; a call without such a type is never served by a trace with one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from typing import Any, TypeAlias

from millrace._src.core.dtypes import DType
from millrace._src.core.shapes import TensorShape
from millrace._src.core.specs import TensorSpec, TypeSpec
from millrace._src.function.trace_structures import NestedType
from millrace._src.function.trace_types import Literal, Weakref
from millrace._src.state.variable_spec import VariableSpec
from millrace._src.util import nest

_Shape: TypeAlias = tuple[int | None, ...] | None
"""The dimensions of a shape; None for an unknown rank."""
_Mask: TypeAlias = tuple[tuple[int, ...] | None, ...]
"""For each shape the positions of its unknown dimensions; None for an unknown rank."""


class _NoStructureKeyError(Exception):
    """A type has no structure key, because it decides itself about its subtypes."""


class TraceGroup:
    """The traces of one structure key.

    Attributes:
      entries: the traces by their shapes; several traces for the same shapes differ in names of tensors.
      masks: the number of traces with each mask.
    """

    __slots__ = ("entries", "masks")

    def __init__(self) -> None:
        self.entries: dict[tuple[_Shape, ...], list[Any]] = {}
        self.masks: Counter[_Mask] = Counter()

    def add(self, shapes: tuple[_Shape, ...], entry: object) -> None:
        """Adds a trace with its shapes."""
        self.entries.setdefault(shapes, []).append(entry)
        self.masks[_mask_of(shapes)] += 1

    def remove(self, shapes: tuple[_Shape, ...], entry: object) -> None:
        """Takes a trace away."""
        self.entries[shapes].remove(entry)
        if not self.entries[shapes]:
            del self.entries[shapes]
        mask = _mask_of(shapes)
        self.masks[mask] -= 1
        if not self.masks[mask]:
            del self.masks[mask]

    def candidates(self, shapes: tuple[_Shape, ...]) -> list[Any]:
        """Returns the traces whose shapes are the given shapes with a mask that occurs in the group."""
        masked = {_mask_shapes(shapes, mask) for mask in self.masks}
        return [entry for key in masked for entry in self.entries.get(key, ())]


class TraceIndex:
    """The entries of a trace cache by the structure keys of their keys."""

    def __init__(self) -> None:
        self._groups: dict[Hashable, TraceGroup] = {}

    def add(self, entry: Any) -> None:
        """Adds an entry; an entry without a structure key is in no group."""
        found = _structure_key_of(entry.key)
        if found is not None:
            structure_key, shapes = found
            self._groups.setdefault(structure_key, TraceGroup()).add(shapes, entry)

    def remove(self, entry: Any) -> None:
        """Takes an entry away."""
        found = _structure_key_of(entry.key)
        if found is not None:
            structure_key, shapes = found
            group = self._groups[structure_key]
            group.remove(shapes, entry)
            if not group.entries:
                del self._groups[structure_key]

    def alike(self, key: object) -> list[Any] | None:
        """Returns the entries that agree with `key` in all but shapes; None if `key` has no structure key."""
        found = _structure_key_of(key)
        if found is None:
            return None
        group = self._groups.get(found[0])
        return [] if group is None else [entry for entries in group.entries.values() for entry in entries]

    def candidates(self, key: object) -> list[Any] | None:
        """Returns a few entries, among them all that may serve `key`; None if `key` has no structure key."""
        found = _structure_key_of(key)
        if found is None:
            return None
        structure_key, shapes = found
        group = self._groups.get(structure_key)
        return [] if group is None else group.candidates(shapes)


def _structure_key_of(key: Any) -> tuple[Hashable, tuple[_Shape, ...]] | None:
    shapes: list[_Shape] = []
    try:
        parts = tuple([_part(kind, shapes) for kind in key.types])
    except _NoStructureKeyError:
        return None
    return (key.context, key.layout, parts), tuple(shapes)


def _part(kind: Any, shapes: list[_Shape]) -> Hashable:
    """Returns the structure key of a type, which its subtypes share; adds the type's shapes to `shapes`."""
    subtype_rule = type(kind).is_subtype_of
    if subtype_rule is TensorSpec.is_subtype_of:  # the name may differ
        shapes.append(_dims(kind.shape))
        return TensorSpec, kind.dtype
    if subtype_rule is VariableSpec.is_subtype_of:
        shapes.append(_dims(kind.shape))
        return VariableSpec, kind.dtype, kind.trainable, kind.alias_id
    if subtype_rule in (Literal.is_subtype_of, Weakref.is_subtype_of):
        return kind
    if subtype_rule is NestedType.is_subtype_of:
        return kind.container_key(), tuple([_part(part, shapes) for part in kind.components])
    if subtype_rule is TypeSpec.is_subtype_of:
        return type(kind), tuple([_field(field, shapes) for field in nest.flatten(kind._serialize())])
    raise _NoStructureKeyError


def _field(field: object, shapes: list[_Shape]) -> Any:
    """Returns the structure key of a field of a spec, which the fields of subtypes share: at the least, the class."""
    if isinstance(field, TensorShape):
        shapes.append(_dims(field))
        return TensorShape
    if isinstance(field, TypeSpec):
        return _part(field, shapes)
    if isinstance(field, (DType, str, int)):
        return type(field), field
    return type(field)


def _dims(shape: TensorShape) -> _Shape:
    return None if shape.rank is None else tuple(shape.as_list())


def _mask_of(shapes: Sequence[_Shape]) -> _Mask:
    return tuple([None if s is None else tuple([i for i, d in enumerate(s) if d is None]) for s in shapes])


def _mask_shapes(shapes: Sequence[_Shape], mask: _Mask) -> tuple[_Shape, ...]:
    return tuple([_mask_shape(s, hidden) for s, hidden in zip(shapes, mask, strict=True)])


def _mask_shape(shape: _Shape, hidden: tuple[int, ...] | None) -> _Shape:
    if shape is None or hidden is None:
        return None
    return tuple([None if i in hidden else d for i, d in enumerate(shape)]) if hidden else shape
