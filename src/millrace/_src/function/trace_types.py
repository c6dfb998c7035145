"""Trace types: what a call's arguments look like to `tf.function`.

Problem: a trace may be reused for a call exactly when the arguments are "of the same type": the type is a tensor's
dtype and shape, a Python number's value, an object's identity.

Idea: one small protocol. A `TraceType` answers whether it is a subtype of another, what generalizes several, what
represents the argument while tracing, and which tensors an argument of the type consists of. This module holds the
protocol and the two leaf types; tensors use `TensorSpec`, structures are in `trace_structures`, variables in
`state.variable_spec`; what a call carries while its types are made is in `tracing_context`.
"""

from __future__ import annotations

import abc
import numbers
import weakref
from collections.abc import Hashable, Iterator, Sequence
from typing import Any, Protocol, runtime_checkable

from millrace._src.core.specs import TypeSpec
from millrace._src.util.export import export


@export("types.experimental.TraceType")
class TraceType(abc.ABC):
    """The type of one argument of a `tf.function`; decides which traces fit a call.

    >>> class Exactly(tf.types.experimental.TraceType):
    ...     def __init__(self, value): self.value = value
    ...     def is_subtype_of(self, other): return self == other
    ...     def most_specific_common_supertype(self, others): return self if all(self == o for o in others) else None
    ...     def placeholder_value(self, placeholder_context): return self.value
    ...     def __eq__(self, other): return isinstance(other, Exactly) and self.value == other.value
    ...     def __hash__(self): return hash(self.value)
    >>> Exactly(1).is_subtype_of(Exactly(1))
    True

    Implement `__tf_tracing_type__(self, context)` in a class to return such a type for its instances.
    """

    @abc.abstractmethod
    def is_subtype_of(self, other: object) -> bool:
        """Returns whether a trace made for `other` also serves an argument of this type."""

    @abc.abstractmethod
    def most_specific_common_supertype(self, others: Sequence[Any]) -> Any:
        """Returns the narrowest type that `self` and all `others` are subtypes of, or None."""

    @abc.abstractmethod
    def placeholder_value(self, placeholder_context: object) -> Any:
        """Returns the value that the Python function receives instead of the argument while tracing."""

    def to_tensors(self, value: object) -> list[Any]:
        """Returns the tensors in `value`, in the order of `flatten`."""
        del value
        return []

    def from_tensors(self, tensors: Iterator[Any]) -> Any:
        """Makes a value of this type of the next tensors of the iterator."""
        del tensors
        return self.placeholder_value(PlaceholderContext())

    def flatten(self) -> list[Any]:
        """Returns the types of the tensors that `to_tensors` returns."""
        return []

    def cast(self, value: Any, cast_context: Any) -> Any:
        """Casts `value` to a value of this type.

        Raises: AssertionError: if `value` cannot be cast.
        """
        del cast_context
        if value != self.placeholder_value(PlaceholderContext()):
            raise AssertionError(f"Can not cast {value!r} to type {self!r}")
        return value

    @abc.abstractmethod
    def __hash__(self) -> int: ...

    @abc.abstractmethod
    def __eq__(self, other: object) -> bool: ...


TraceType.register(TypeSpec)


@export("types.experimental.SupportsTracingProtocol")
@runtime_checkable
class SupportsTracingProtocol(Protocol):
    """An object that names the `TraceType` of its traces."""

    def __tf_tracing_type__(self, context: object) -> Any:
        """Returns the trace type of this object; `context` is a `TracingContext`."""


class PlaceholderContext:
    """The context in which placeholders are made: `context_graph`, with names from `name`.

    Without a graph, placeholders of tensors are the specs themselves.
    """

    def __init__(self, context_graph: Any = None, aliases: dict[Hashable, Any] | None = None) -> None:
        self.context_graph = context_graph
        self.name: str | None = None
        self._aliases = aliases if aliases is not None else {}

    @property
    def naming_scope(self) -> str | None:
        """The name that placeholders made now are given."""
        return self.name

    def update_naming_scope(self, name: str | None) -> None:
        """Sets the name that placeholders made from now on are given."""
        self.name = name

    def has_placeholder(self, alias_id: Hashable) -> bool:
        """Returns whether an object was noted for `alias_id`."""
        return alias_id in self._aliases

    def get_placeholder(self, alias_id: Hashable) -> Any:
        """Returns the object noted for `alias_id`."""
        return self._aliases[alias_id]

    def add_placeholder(self, alias_id: Hashable, value: object) -> None:
        """Notes the object that represents `alias_id`."""
        self._aliases[alias_id] = value


class CastContext:
    """Options of `TraceType.cast`: whether a tensor of a narrower shape may represent a wider one."""

    def __init__(self, allow_specs: bool = False) -> None:
        self.allow_specs = allow_specs


class Literal(TraceType):
    """A Python value that is part of the trace: an equal value *of the same type* fits.

    `1`, `1.0` and `True` are three literals, `0.0` and `-0.0` are two, `nan` is one.
    """

    __slots__ = ("value", "_key")

    def __init__(self, value: Any) -> None:
        self.value = value
        self._key = literal_key(value)

    def is_subtype_of(self, other: object) -> bool:
        return self == other

    def most_specific_common_supertype(self, others: Sequence[Any]) -> Any:
        return self if all(self == other for other in others) else None

    def placeholder_value(self, placeholder_context: Any) -> Any:
        return self.value

    def cast(self, value: object, cast_context: object) -> Any:
        if literal_key_or_none(value) == self._key or _equal_numbers(value, self.value):
            return self.value
        raise ValueError(f"Can not cast {value!r} to {self!r}")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Literal) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    def __repr__(self) -> str:
        return f"Literal[{self.value!r}]"


def literal_key(value: object) -> Hashable:
    """Returns the key that equal literals share: type and value, with signed zeros and nan told apart.

    Raises: TypeError: if the value cannot be hashed.
    """
    kind = type(value)
    if isinstance(value, float):
        return kind, float.hex(value)
    if isinstance(value, complex):
        return kind, float.hex(value.real), float.hex(value.imag)
    hash(value)
    return kind, value


def literal_key_or_none(value: object) -> Hashable:
    """Returns `literal_key`, or None for a value that cannot be a literal."""
    try:
        return literal_key(value)
    except TypeError:
        return None


def _equal_numbers(value: object, literal: object) -> bool:
    return isinstance(value, numbers.Number) and isinstance(literal, numbers.Number) and bool(value == literal)


class Weakref(TraceType):
    """Any other object, not kept alive: fits the same object, or an equal object, as long as the object lives."""

    __slots__ = ("_ref", "_hash")

    def __init__(self, ref: weakref.ref[Any]) -> None:
        self._ref = ref
        self._hash = hash(ref)

    def is_subtype_of(self, other: object) -> bool:
        return self == other

    def most_specific_common_supertype(self, others: Sequence[Any]) -> Any:
        return self if all(self == other for other in others) else None

    def placeholder_value(self, placeholder_context: Any) -> Any:
        return self._ref()

    def cast(self, value: object, cast_context: object) -> Any:
        referent = self._ref()
        if value is referent or (referent is not None and value == referent):
            return referent
        raise ValueError(f"Can not cast {value!r} to {self!r}")

    @property
    def value(self) -> Any:
        """The object, or None after the object's end."""
        return self._ref()

    @property
    def is_dead(self) -> bool:
        """Whether the object is gone; no call can fit any more."""
        return self._ref() is None

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Weakref):
            return False
        if self._ref is other._ref:
            return True
        mine, theirs = self._ref(), other._ref()
        return mine is not None and theirs is not None and (mine is theirs or bool(mine == theirs))

    def __hash__(self) -> int:
        return self._hash

    def __repr__(self) -> str:
        return f"Weakref[{self._ref!r}]"
