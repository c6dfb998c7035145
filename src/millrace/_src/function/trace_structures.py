"""Trace types of nested structures: lists, tuples, dicts, named tuples, attrs classes and custom nests.

Each type is a container type with component types. A structure is a subtype of another structure when the containers
agree and every component is a subtype, so a wider shape deep inside a dict is found by the same rule as a wider shape
at the top.
"""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import Any

from millrace._src.function.trace_types import TraceType
from millrace._src.util import nest


class NestedType(TraceType):
    """The base of the container types: `components` in flattening order, and a key that subtypes share."""

    __slots__ = ("components", "_hash")

    def __init__(self, components: Sequence[Any]) -> None:
        self.components = tuple(components)
        self._hash: int | None = None

    @property
    def labels(self) -> Sequence[Any]:
        """The keys, fields or positions of the components."""
        return range(len(self.components))

    @property
    def accessors(self) -> list[str]:
        """What stands behind a value in Python code that means a component: `[0]`, `['key']` or `.field`."""
        return [f"[{label!r}]" for label in self.labels]

    def container_key(self) -> Hashable:
        """Returns the key that two structures of one kind share, whatever the types of their components."""
        raise NotImplementedError

    def with_components(self, components: Sequence[Any]) -> NestedType:
        """Returns the same container with other component types."""
        raise NotImplementedError

    def unpack(self, value: object) -> Sequence[Any]:
        """Returns the components of a value of this type."""
        raise NotImplementedError

    def pack(self, values: Sequence[Any]) -> Any:
        """Makes a value of this type of the given components."""
        raise NotImplementedError

    def check(self, value: object) -> None:
        """Raises TypeError or ValueError unless `value` is a container of this type."""
        raise NotImplementedError

    def is_subtype_of(self, other: object) -> bool:
        return (
            isinstance(other, NestedType)
            and self.container_key() == other.container_key()
            and all(mine.is_subtype_of(theirs) for mine, theirs in zip(self.components, other.components))
        )

    def most_specific_common_supertype(self, others: Sequence[Any]) -> Any:
        key = self.container_key()
        if not all(isinstance(other, NestedType) and other.container_key() == key for other in others):
            return None
        wider = []
        for index, mine in enumerate(self.components):
            common_type = mine.most_specific_common_supertype([other.components[index] for other in others])
            if common_type is None:
                return None
            wider.append(common_type)
        return self.with_components(wider)

    def placeholder_value(self, placeholder_context: Any) -> Any:
        return self.pack([component.placeholder_value(placeholder_context) for component in self.components])

    def to_tensors(self, value: Any) -> list[Any]:
        parts = zip(self.components, self.unpack(value))
        return [tensor for component, part in parts for tensor in component.to_tensors(part)]

    def from_tensors(self, tensors: Iterator[Any]) -> Any:
        return self.pack([component.from_tensors(tensors) for component in self.components])

    def flatten(self) -> list[Any]:
        return [leaf for component in self.components for leaf in component.flatten()]

    def cast(self, value: object, cast_context: object) -> Any:
        self.check(value)
        parts = self.unpack(value)
        cast = [component.cast(part, cast_context) for component, part in zip(self.components, parts)]
        return value if all(new is old for new, old in zip(cast, parts)) else self.pack(cast)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, NestedType)
            and self.container_key() == other.container_key()
            and self.components == other.components
        )

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash((self.container_key(), self.components))
        return self._hash


class ListType(NestedType):
    """A list; a subclass of `list` is traced as a plain list."""

    __slots__ = ()

    def container_key(self) -> Hashable:
        return ListType, len(self.components)

    def with_components(self, components: Sequence[Any]) -> ListType:
        return ListType(components)

    def unpack(self, value: Any) -> Sequence[Any]:
        return list(value)

    def pack(self, values: Sequence[Any]) -> Any:
        return list(values)

    def check(self, value: object) -> None:
        if not isinstance(value, list):
            raise TypeError(f"Can not cast {value!r} to list type.")
        _check_length(self, value)

    def __repr__(self) -> str:
        return f"List[{', '.join(map(repr, self.components))}]"


class TupleType(NestedType):
    """A tuple."""

    __slots__ = ()

    def container_key(self) -> Hashable:
        return TupleType, len(self.components)

    def with_components(self, components: Sequence[Any]) -> TupleType:
        return TupleType(components)

    def unpack(self, value: Any) -> Sequence[Any]:
        return tuple(value)

    def pack(self, values: Sequence[Any]) -> Any:
        return tuple(values)

    def check(self, value: object) -> None:
        if not isinstance(value, tuple):
            raise TypeError(f"Can not cast {value!r} to tuple type.")
        _check_length(self, value)

    def __repr__(self) -> str:
        return f"Tuple[{', '.join(map(repr, self.components))}]"


def _check_length(kind: NestedType, value: Sequence[Any]) -> None:
    if len(value) != len(kind.components):
        raise TypeError(f"Can not cast {value!r} of length {len(value)} to {kind!r} of length {len(kind.components)}")


class DictType(NestedType):
    """A mapping, whatever the order of its keys; tensors are taken in the order of the sorted keys."""

    __slots__ = ("keys", "order", "mapping_type")

    def __init__(self, mapping: Mapping[Any, Any], mapping_type: type | None = None) -> None:
        self.keys = tuple(sorted(mapping))
        self.order = tuple(mapping)
        self.mapping_type = mapping_type
        super().__init__([mapping[key] for key in self.keys])

    @property
    def labels(self) -> Sequence[Any]:
        return self.keys

    @property
    def mapping(self) -> dict[Any, Any]:
        """The component types by key, in the order of the value that the type was made from."""
        by_key = dict(zip(self.keys, self.components))
        return {key: by_key[key] for key in self.order}

    def container_key(self) -> Hashable:
        return DictType, self.keys

    def with_components(self, components: Sequence[Any]) -> DictType:
        by_key = dict(zip(self.keys, components))
        return DictType({key: by_key[key] for key in self.order}, self.mapping_type)

    def unpack(self, value: Any) -> Sequence[Any]:
        return [value[key] for key in self.keys]

    def pack(self, values: Sequence[Any]) -> Any:
        by_key = dict(zip(self.keys, values))
        ordered = {key: by_key[key] for key in self.order}
        return _make_mapping(self.mapping_type, ordered)

    def check(self, value: object) -> None:
        if not isinstance(value, Mapping):
            raise TypeError(f"Can not cast {value!r} to a Dict type.")
        if set(value) != set(self.keys):
            raise ValueError(f"{value!r} has different keys with the TraceType {self!r}.")

    def __repr__(self) -> str:
        pairs = (f"[{key!r}, {component!r}]" for key, component in self.mapping.items())
        return f"Dict[{', '.join(pairs)}]"


def _make_mapping(kind: type | None, mapping: dict[Any, Any]) -> Any:
    if kind in (None, dict, defaultdict):
        return mapping
    if kind is OrderedDict:
        return OrderedDict(mapping)
    try:
        return kind(mapping)
    except TypeError:
        return mapping


class FieldsType(NestedType):
    """An object with named fields: the name of its class, field names and component types.

    Instances are made of the class of the first value, None where that is not known.
    """

    __slots__ = ("type_name", "fields", "value_type")
    _kind = ""
    """What messages call such objects."""

    def __init__(
        self, type_name: str, fields: Sequence[str], components: Sequence[Any], value_type: type | None
    ) -> None:
        self.type_name = type_name
        self.fields = tuple(fields)
        self.value_type = value_type
        super().__init__(components)

    @property
    def labels(self) -> Sequence[str]:
        return self.fields

    @property
    def accessors(self) -> list[str]:
        return [f".{field}" for field in self.fields]

    def container_key(self) -> Hashable:
        return type(self), self.type_name, self.fields

    def with_components(self, components: Sequence[Any]) -> FieldsType:
        return type(self)(self.type_name, self.fields, components, self.value_type)

    def pack(self, values: Sequence[Any]) -> Any:
        if self.value_type is None:
            raise ValueError(f"Packing {self._kind} {self.type_name} requires its class, which is not known here.")
        return self.value_type(*values)

    def check(self, value: object) -> None:
        if self.value_type is None or not self._is_alike(value):
            raise TypeError(f"Cannot cast {value!r} to type {self.value_type!r}.")

    def _is_alike(self, value: object) -> bool:
        """Returns whether a value has these fields."""
        raise NotImplementedError

    def __repr__(self) -> str:
        pairs = (f"[{field!r}, {component!r}]" for field, component in zip(self.fields, self.components))
        return f"{self.type_name}[{', '.join(pairs)}]"


class NamedTupleType(FieldsType):
    """A named tuple."""

    __slots__ = ()
    _kind = "NamedTuple"

    def unpack(self, value: Any) -> Sequence[Any]:
        return tuple(value)

    def _is_alike(self, value: object) -> bool:
        return bool(nest.named_tuple_fields(value) == self.fields)  # as TensorFlow: the fields count, not the class


class AttrsType(FieldsType):
    """An instance of an attrs class."""

    __slots__ = ()
    _kind = "Attrs"

    def unpack(self, value: object) -> Sequence[Any]:
        return [getattr(value, field) for field in self.fields]

    def _is_alike(self, value: object) -> bool:
        return self.value_type is not None and isinstance(value, self.value_type)


class CustomNest(NestedType):
    """An object that `__tf_flatten__` takes apart and `__tf_unflatten__` puts together."""

    __slots__ = ("value_type", "metadata")

    def __init__(self, value_type: Any, metadata: Any, components: Sequence[Any]) -> None:
        self.value_type = value_type
        self.metadata = metadata
        super().__init__(components)

    def container_key(self) -> Hashable:
        return _Comparable((CustomNest, self.value_type, self.metadata, len(self.components)))

    def with_components(self, components: Sequence[Any]) -> CustomNest:
        return CustomNest(self.value_type, self.metadata, components)

    def unpack(self, value: Any) -> Sequence[Any]:
        components: Sequence[Any] = value.__tf_flatten__()[1]
        return components

    def pack(self, values: Sequence[Any]) -> Any:
        build: Callable[..., Any] = self.value_type.__tf_unflatten__
        return build(self.metadata, tuple(values))

    def check(self, value: Any) -> None:
        if not isinstance(value, self.value_type):
            raise TypeError(f"[{self.value_type.__name__}] Can not cast {value!r} to type {self.value_type!r}.")
        metadata, components = value.__tf_flatten__()
        if metadata != self.metadata or len(components) != len(self.components):
            raise ValueError(f"Can not cast {value!r}: its static part {metadata!r} differs from {self.metadata!r}.")

    def __repr__(self) -> str:
        return f"CustomNestTraceType [metadata={self.metadata!r}, components={self.components!r}]"


class _Comparable:
    """A key whose parts can be compared but perhaps not hashed."""

    __slots__ = ("parts",)

    def __init__(self, parts: tuple[Any, ...]) -> None:
        self.parts = parts

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Comparable) and bool(self.parts == other.parts)

    def __hash__(self) -> int:
        return hash(self.parts[1])
