"""`TypeSpec`: the description of a value that does not exist yet.

Problem: `tf.function` signatures, datasets, SavedModels and loops describe values that do not exist yet. The values may
be ragged or sparse tensors, or of the user's own classes. Each kind of value must say of which tensors a value consists
and which descriptions are compatible.

Idea: a subclass states its fields once (`_serialize`, in the order of its constructor), and how values become
components and back. All else is generic: equality, hash, pickling, printing, subtyping and generalization walk the
serialized fields, where shapes, dtypes and nested specs know their own order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from millrace._src.core.shapes import TensorShape, unknown_shape
from millrace._src.core.wire_forms import CODEC, class_of_kind
from millrace._src.util import nest
from millrace._src.util.export import export
from millrace._src.util.nest_paths import flatten_up_to

if TYPE_CHECKING:
    from millrace._src.core.argument_types import TensorLike

_ABSTRACT = ("_component_specs", "_from_components", "_serialize", "_to_components", "value_type")


@export("TypeSpec", v1=["TypeSpec", "data.experimental.Structure"])
class TypeSpec:
    """The description of a type of values that consist of tensors.

    A subclass defines `value_type`, `_serialize`, `_component_specs`, `_to_components` and `_from_components`.

    >>> spec = tf.TensorSpec([None, 3], tf.float32)
    >>> isinstance(spec, tf.TypeSpec), spec.is_compatible_with(tf.zeros([2, 3]))
    (True, True)
    """

    def __init_subclass__(cls, **kwargs: object) -> None:
        super().__init_subclass__(**kwargs)
        missing = {name for name in _ABSTRACT if getattr(cls, name) is getattr(TypeSpec, name)}
        cls.__abstractmethods__ = frozenset(missing)  # as `abc` does; its metaclass would slow `isinstance`

    # --- what a subclass says ----------------------------------------------------------------------------------

    __abstractmethods__: ClassVar[frozenset[str]]
    """What a class leaves to its subclasses: Python makes no instances of a class that has some."""

    @property
    def value_type(self) -> Any:
        """The Python class of the described values."""
        raise NotImplementedError(f"{type(self).__name__}.value_type")

    def _serialize(self) -> Any:
        """Returns the fields as a tuple, so that `type(self)(*fields)` is equal to this spec."""
        raise NotImplementedError(f"{type(self).__name__}._serialize")

    @property
    def _component_specs(self) -> Any:
        """A nested structure of specs of the components."""
        raise NotImplementedError(f"{type(self).__name__}._component_specs")

    def _to_components(self, value: Any) -> Any:
        """Returns the components of a value: tensors, in the structure of `_component_specs`."""
        raise NotImplementedError(f"{type(self).__name__}._to_components")

    def _from_components(self, components: Any) -> Any:
        """Makes the value with these components: the inverse of `_to_components`."""
        raise NotImplementedError(f"{type(self).__name__}._from_components")

    @classmethod
    def _deserialize(cls, serialization: Any) -> Any:
        """Makes the spec with the fields that `_serialize` gave."""
        return cls(*serialization)

    # --- messages ----------------------------------------------------------------------------------------------

    def experimental_as_proto(self) -> Any:
        """Returns this spec as a `TypeSpecProto`.

        Raises:
            NotEncodableError: if the class of this spec, or of a spec in a field, has no form in files.
        """
        return _codec().encode(self)

    @classmethod
    def experimental_from_proto(cls, proto: object) -> Any:
        """Makes the spec that a `TypeSpecProto` describes."""
        return _codec().decode(proto)

    @classmethod
    def experimental_type_proto(cls) -> Any:
        """Returns the class of the messages that describe specs."""
        return _codec().message_class

    # --- order -------------------------------------------------------------------------------------------------

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Returns whether a value could be described by both this spec and `spec_or_value`, a spec or a value."""
        if not isinstance(spec_or_value, TypeSpec):
            try:
                spec_or_value = type_spec_from_value(spec_or_value)
            except TypeError:
                return False
        if type(self) is not type(spec_or_value):
            return False
        return _all_pairs(_is_compatible, self._serialize(), spec_or_value._serialize())

    def is_subtype_of(self, other: object) -> bool:
        """Returns whether all values of this spec are values of `other`.

        >>> tf.TensorSpec([2, 3]).is_subtype_of(tf.TensorSpec([None, 3]))
        True
        """
        return type(self) is type(other) and _all_pairs(_is_subtype, self._serialize(), other._serialize())

    def most_specific_common_supertype(self, others: Sequence[Any]) -> Any:
        """Returns the most specific spec for the values of this spec and all `others`, None if no spec describes all.

        >>> tf.TensorSpec([2, 3]).most_specific_common_supertype([tf.TensorSpec([2, 4])])
        TensorSpec(shape=(2, None), dtype=tf.float32, name=None)
        """
        if any(type(other) is not type(self) for other in others):
            return None
        fields = [other._serialize() for other in others]
        try:
            return self._deserialize(nest.map_structure(_common_field, self._serialize(), *fields))
        except (ValueError, TypeError):  # the fields differ in structure, or have nothing in common
            return None

    def most_specific_compatible_type(self, other: object) -> Any:
        """Returns `most_specific_common_supertype` of two specs.

        Raises:
            ValueError: if no spec describes the values of both.
        """
        common = self.most_specific_common_supertype([other]) if isinstance(other, TypeSpec) else None
        if common is None:
            raise ValueError(f"No TypeSpec is compatible with both {self} and {other}")
        return common

    # --- tensors: the trace type protocol ------------------------------------------------------------------------

    def flatten(self) -> list[Any]:
        """Returns the specs of the tensors of which a value consists."""
        return [leaf for spec in nest.flatten(self._component_specs) for leaf in spec.flatten()]

    def to_tensors(self, value: object) -> list[Any]:
        """Returns the tensors of which a value consists."""
        pairs = _pair_components(self._component_specs, self._to_components(value))
        return [tensor for spec, part in pairs for tensor in spec.to_tensors(part)]

    def from_tensors(self, tensors: Iterator[Any]) -> Any:
        """Makes the value that consists of the next tensors of an iterator."""
        return self._from_components(nest.map_structure(lambda spec: spec.from_tensors(tensors), self._component_specs))

    def placeholder_value(self, placeholder_context: Any) -> Any:
        """Makes the value that represents an argument of this type while a function is traced."""
        if placeholder_context.context_graph is None:
            return self
        return self._from_components(
            nest.map_structure(lambda spec: spec.placeholder_value(placeholder_context), self._component_specs)
        )

    def cast(self, value: Any, cast_context: Any) -> Any:
        """Casts `value` to a value of this type.

        Raises:
            TypeError: if `value` is not of this type.
        """
        if cast_context is not None and cast_context.allow_specs and isinstance(value, TypeSpec):
            if not value.is_subtype_of(self):
                raise TypeError(f"Can not cast {value!r} to {self!r}")
            return self
        parts = [
            spec.cast(part, cast_context)
            for spec, part in _pair_components(self._component_specs, self._to_components(value))
        ]
        return self._from_components(nest.pack_sequence_as(self._component_specs, parts))

    @property
    def _flat_tensor_specs(self) -> list[Any]:
        return nest.flatten(self._component_specs, expand_composites=True)

    def _to_tensor_list(self, value: TensorLike) -> list[Any]:
        return nest.flatten(self._to_components(value), expand_composites=True)

    def _from_compatible_tensor_list(self, tensor_list: list[Any]) -> Any:
        """Makes the value with these tensors, which are known to fit."""
        return self._from_components(nest.pack_sequence_as(self._component_specs, tensor_list, expand_composites=True))

    def _from_tensor_list(self, tensor_list: list[Any]) -> Any:
        """Makes the value with these tensors.

        Raises:
            ValueError: if the number or a type of the tensors does not fit.
        """
        specs, name = self._flat_tensor_specs, self._value_name()
        if len(specs) != len(tensor_list):
            raise ValueError(
                f"Cannot create a {name} from the tensor list because the TypeSpec expects {len(specs)} items, "
                f"but the provided tensor list has {len(tensor_list)} items."
            )
        for index, (spec, tensor) in enumerate(zip(specs, tensor_list, strict=True)):
            if not spec.is_compatible_with(tensor):
                raise ValueError(
                    f"Cannot create a {name} from the tensor list because item {index} ({tensor!r}) is incompatible "
                    f"with the expected TypeSpec {spec}."
                )
        return self._from_compatible_tensor_list(tensor_list)

    def _value_name(self) -> str:
        value_type = self.value_type
        return value_type.__name__ if isinstance(value_type, type) else str(value_type)

    # --- a composite, seen by `nest` -------------------------------------------------------------------------------

    def _nest_components(self) -> Any:
        return self._component_specs

    def _nest_rebuild(self, components: object) -> Any:
        return self._from_components(components)

    def _nest_spec(self) -> TypeSpec:
        return self

    # --- variations ------------------------------------------------------------------------------------------------

    def _with_tensor_ranks_only(self) -> Any:
        """Returns this spec with every dimension unknown, ranks kept."""
        return self._deserialize(nest.map_structure(_rank_only, self._serialize()))

    def _without_tensor_names(self) -> Any:
        """Returns this spec with the names of all tensors dropped."""
        return self._deserialize(nest.map_structure(_nameless, self._serialize()))

    def _to_legacy_output_types(self) -> Any:
        return self

    def _to_legacy_output_shapes(self) -> Any:
        return self

    def _to_legacy_output_classes(self) -> Any:
        return self

    # --- objects ---------------------------------------------------------------------------------------------------

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and _comparable(self._serialize()) == _comparable(other._serialize())

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash((type(self), _comparable(self._serialize())))

    def __reduce__(self) -> Any:
        return type(self), self._serialize()

    def __repr__(self) -> str:
        return f"{type(self).__name__}{self._serialize()!r}"


def _codec() -> Any:
    return class_of_kind(CODEC)


def _all_pairs(relation: Callable[[Any, Any], bool], fields_a: object, fields_b: object) -> bool:
    try:
        nest.assert_same_structure(fields_a, fields_b)
    except (ValueError, TypeError):
        return False
    return all(relation(a, b) for a, b in zip(nest.flatten(fields_a), nest.flatten(fields_b), strict=True))


def _is_compatible(a: Any, b: Any) -> bool:
    return bool(a.is_compatible_with(b)) if _is_ordered(a, b) else _is_equal(a, b)


def _is_subtype(a: Any, b: Any) -> bool:
    return bool(a.is_subtype_of(b)) if _is_ordered(a, b) else _is_equal(a, b)


def _is_ordered(a: object, b: object) -> bool:
    return type(a) is type(b) and hasattr(a, "is_subtype_of") and hasattr(a, "is_compatible_with")


def _is_equal(a: Any, b: Any) -> bool:
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return np.array_equal(a, b)
    return type(a) is type(b) and bool(a == b)


def _common_field(field: object, *others: object) -> Any:
    if hasattr(field, "most_specific_common_supertype"):
        common = field.most_specific_common_supertype(others)
        if common is None:
            raise ValueError("no common supertype")
        return common
    if not all(_is_equal(field, other) for other in others):
        raise ValueError("different values")
    return field


def _comparable(field: object) -> Any:
    """Returns a hashable stand-in for a serialized field, equal for equal fields."""
    if isinstance(field, dict):
        return "dict", tuple((key, _comparable(field[key])) for key in sorted(field))
    if isinstance(field, tuple):
        return tuple([_comparable(part) for part in field])
    if isinstance(field, list):
        return "list", tuple([_comparable(part) for part in field])
    if isinstance(field, np.ndarray):
        return "array", field.shape, field.dtype.str, tuple(field.reshape(-1).tolist())
    return field


def _pair_components(specs: object, components: object) -> list[tuple[Any, Any]]:
    """Returns pairs of a spec and its component; a component may be a list that becomes a tensor."""
    return list(zip(nest.flatten(specs), flatten_up_to(specs, components, check_types=False), strict=True))


def fitting_spec(spec: Any, components: Any) -> Any:
    """Returns a spec for components that may be of other sizes than the spec says: then only the ranks count."""
    pairs = _pair_components(spec._component_specs, components)
    if all(_is_of_shape(part_spec, part) for part_spec, part in pairs):
        return spec
    return spec._with_tensor_ranks_only()


def _is_of_shape(spec: object, part: object) -> bool:
    """Returns whether a component is known to be of a spec's shape; what has no static shape counts as if it were."""
    known, shape = getattr(spec, "shape", None), getattr(part, "shape", None)
    return known is None or not isinstance(shape, TensorShape) or shape.is_subtype_of(known)


def _rank_only(field: object) -> Any:
    if isinstance(field, TensorShape):
        return field if field.rank is None else unknown_shape(field.rank)
    return field._with_tensor_ranks_only() if isinstance(field, TypeSpec) else field


def _nameless(field: object) -> Any:
    return field._without_tensor_names() if isinstance(field, TypeSpec) else field


class BatchableTypeSpec(TypeSpec):
    """A spec whose values can be stacked into batches of the same type, as `tf.data` and `tf.map_fn` do."""

    def _batch(self, batch_size: int | None) -> Any:
        """Returns the spec of `batch_size` stacked values; of an unknown number for None."""
        raise NotImplementedError(f"{type(self).__name__}._batch")

    def _unbatch(self) -> Any:
        """Returns the spec of one value of a batch."""
        raise NotImplementedError(f"{type(self).__name__}._unbatch")

    @property
    def _flat_tensor_specs(self) -> list[Any]:
        return nest.flatten(self._component_specs, expand_composites=True)

    def _to_batched_tensor_list(self, value: Any) -> list[Any]:
        """Returns the tensors of a batch of values, each with the batch as its first dimension."""
        return self._to_tensor_list(value)


TypeSpec.__abstractmethods__ = frozenset(_ABSTRACT)


# --- from a value to its spec ------------------------------------------------------------------------------------

_converters: list[tuple[type, Callable[[Any], Any]]] = []


def register_type_spec_from_value_converter(value_type: type, converter: Callable[[Any], Any]) -> None:
    """Lets `type_spec_from_value` describe instances of a class; later registrations go first.

    Args:
        value_type: the class; subclasses are included.
        converter: takes a value and returns its spec, or None to pass.
    """
    _converters.insert(0, (value_type, converter))


@export("type_spec_from_value")
def type_spec_from_value(value: TensorLike) -> Any:
    """Returns the spec that describes a value.

    >>> tf.type_spec_from_value(tf.constant([1, 2]))
    TensorSpec(shape=(2,), dtype=tf.int32, name=None)

    Args:
        value: a tensor, composite tensor or anything that converts to a tensor.

    Raises:
        TypeError: if no spec describes the value.
    """
    if not isinstance(value, TypeSpec):
        spec = getattr(value, "_type_spec", None)
        if isinstance(spec, TypeSpec):
            return spec
        for value_type, converter in _converters:
            spec = converter(value) if isinstance(value, value_type) else None
            if spec is not None:
                return spec
    raise TypeError(f"Could not build a TypeSpec for {value!r} of unsupported type {type(value)}.")
