"""`ExtensionTypeSpec`: the spec of an extension type, made of the fields of the type.

Problem: each extension type needs a `TypeSpec`, whose fields are those of the type with specs instead of tensors.
The user may write parts of that class: a constructor, `shape`, `__validate__`.

Idea: `make_spec_class` derives the class from the user's part, if there is one, and from `ExtensionTypeSpec`, where all
is said once over the fields. The tensors and composites in the fields, in order, are the components.
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from millrace._src.core.composite import CompositeTensor
from millrace._src.core.dtypes import variant
from millrace._src.core.execute import execute
from millrace._src.core.extension_types.field_conversion import Wanted, convert_fields
from millrace._src.core.extension_types.fields import PLAIN_TYPES, ExtensionTypeField
from millrace._src.core.extension_types.immutable_fields import (
    PACKED,
    ImmutableFields,
    generate_constructor,
    make_bare,
    wrap_constructor,
)
from millrace._src.core.op_registry import get_op
from millrace._src.core.specs import TensorSpec
from millrace._src.core.tensor import Tensor
from millrace._src.core.type_spec_registry import is_registered
from millrace._src.core.type_specs import TypeSpec
from millrace._src.util import nest
from millrace._src.util.class_homes import tensorflow_home
from millrace._src.util.export import export
from millrace._src.util.immutable_dict import ImmutableDict

if TYPE_CHECKING:
    from millrace._src.core.argument_types import TensorLike

_PACKED_MARK = ("_tf_extension_type_is_packed", True)


@export("experimental.ExtensionTypeSpec")
@tensorflow_home("python.framework.extension_type")
class ExtensionTypeSpec(ImmutableFields, TypeSpec):
    """Base of the specs of extension types; `MyType.Spec` derives from it.

    >>> class Pair(tf.experimental.ExtensionType):
    ...     first: tf.Tensor
    ...     second: tf.Tensor
    >>> issubclass(Pair.Spec, tf.experimental.ExtensionTypeSpec)
    True
    """

    _tf_extension_type_kind = "ExtensionTypeSpec"

    value_type: ClassVar[Any] = None
    """The extension type."""

    # --- fields ----------------------------------------------------------------------------------------------------

    @classmethod
    def _tf_extension_type_fields(cls) -> tuple[ExtensionTypeField, ...]:
        fields: tuple[ExtensionTypeField, ...] = cls.value_type._tf_extension_type_fields()
        return fields

    def _tf_extension_type_convert_fields(self) -> None:
        convert_fields(self._tf_extension_type_fields(), self.__dict__, Wanted.SPECS)

    def __validate__(self) -> None:
        """Checks the fields of a new spec; a user's `Spec` may override it."""

    def _tf_extension_type_values(self) -> dict[str, Any]:
        return {field.name: self.__dict__[field.name] for field in self._tf_extension_type_fields()}

    @classmethod
    def from_value(cls, value: TensorLike) -> Any:
        """Returns the spec of a value of the type.

        >>> class Pair(tf.experimental.ExtensionType):
        ...     first: tf.Tensor
        ...     second: tf.Tensor
        >>> Pair.Spec.from_value(Pair(1, 2)).first
        TensorSpec(shape=(), dtype=tf.int32, name=None)

        Raises:
            TypeError: if `value` is of another type.
        """
        if cls.value_type is None or not isinstance(value, cls.value_type):
            raise TypeError(f"{cls.__qualname__}.from_value needs {_describe(cls.value_type)}; received {value!r}.")
        return value._type_spec

    # --- packed form -------------------------------------------------------------------------------------------------

    _tf_extension_type_is_packed: bool = False
    """Whether the values are in packed form: one variant tensor for all components."""

    def _tf_extension_type_with_packed(self, packed: bool) -> Any:
        """Returns this spec for values in packed form, or for values that are not."""
        changed = make_bare(type(self), self._tf_extension_type_values())
        if packed:
            changed.__dict__["_tf_extension_type_is_packed"] = True
        return changed

    def _tf_extension_type_encoded(self, value: TensorLike) -> Any:
        """Returns the variant that holds the components of a value."""
        if not is_registered(type(self)):
            raise ValueError("ExtensionTypes must have a __name__ field in order to be packed.")
        plain = self._tf_extension_type_with_packed(False)
        attrs = {"metadata": plain.experimental_as_proto().SerializeToString()}
        return execute(get_op("CompositeTensorVariantFromComponents"), (plain.to_tensors(value),), attrs)

    def _tf_extension_type_decoded(self, variant_tensor: object) -> Any:
        """Returns the value whose components a variant holds."""
        plain = self._tf_extension_type_with_packed(False)
        specs = plain.flatten()
        attrs = {
            "metadata": plain.experimental_as_proto().SerializeToString(),
            "Tcomponents": [spec.dtype for spec in specs],
        }
        tensors = execute(get_op("CompositeTensorVariantToComponents"), (variant_tensor,), attrs)
        for tensor, spec in zip(tensors, specs, strict=True):
            tensor.set_shape(spec.shape)
        return plain.from_tensors(iter(tensors))

    # --- a TypeSpec --------------------------------------------------------------------------------------------------

    def _serialize(self) -> tuple[tuple[str, Any], ...]:
        fields = [(name, _with_dicts(value)) for name, value in self._tf_extension_type_values().items()]
        return tuple([*fields, _PACKED_MARK] if self._tf_extension_type_is_packed else fields)

    @classmethod
    def _deserialize(cls, serialization: Any) -> Any:
        return make_bare(cls, {name: _with_immutable_dicts(value) for name, value in serialization})

    def __reduce__(self) -> Any:
        return _spec_of_type, (self.value_type, self._serialize())

    @property
    def _component_specs(self) -> Any:
        if self._tf_extension_type_is_packed:
            return TensorSpec([], variant)
        return tuple([part for part in _leaves(self._tf_extension_type_values()) if isinstance(part, TypeSpec)])

    def _to_components(self, value: Any) -> Any:
        packed = value.__dict__.get(PACKED)
        if self._tf_extension_type_is_packed:
            return self._tf_extension_type_encoded(value) if packed is None else packed
        if packed is not None:
            value = self._tf_extension_type_decoded(packed)
        return self._tf_extension_type_components(
            {f.name: value.__dict__[f.name] for f in self._tf_extension_type_fields()}
        )

    def _tf_extension_type_components(self, fields: dict[str, Any]) -> tuple[Any, ...]:
        """Returns the leaves of a value's fields that stand where this spec has specs."""
        components: list[Any] = []
        for name, spec in self._tf_extension_type_values().items():
            if type(spec) is TensorSpec:
                components.append(fields[name])
            elif not isinstance(spec, PLAIN_TYPES):
                pairs = zip(nest.flatten(spec), nest.flatten(fields[name]), strict=True)
                components += [part for leaf, part in pairs if isinstance(leaf, TypeSpec)]
        return tuple(components)

    def _from_components(self, components: Any) -> Any:
        if self._tf_extension_type_is_packed:
            return self._pack_value(components)
        remaining = iter(components)
        fields = self._tf_extension_type_values()
        values = [next(remaining) if isinstance(leaf, TypeSpec) else leaf for leaf in _leaves(fields)]
        parts = nest.pack_sequence_as(list(fields.values()), values)
        return make_bare(self.value_type, dict(zip(fields, parts, strict=True)))

    def _pack_value(self, variant_tensor: object) -> Any:
        """Makes the packed value that holds a variant; fields whose default the class has are taken out at once."""
        attributes = {PACKED: variant_tensor, "_tf_extension_type_cached_type_spec": self}
        with_default = [field.name for field in self._tf_extension_type_fields() if field.has_default]
        if with_default and isinstance(variant_tensor, Tensor):
            fields = self._tf_extension_type_decoded(variant_tensor).__dict__
            attributes.update({name: fields[name] for name in with_default})
        return make_bare(self.value_type, attributes)

    def _to_legacy_output_types(self) -> Any:
        raise NotImplementedError(f"{type(self).__qualname__}._to_legacy_output_types()")

    def _to_legacy_output_shapes(self) -> Any:
        shape = getattr(self, "shape", None)
        if shape is None:
            raise NotImplementedError(
                "It appears that the Spec of the ExtensionType is missing a shape property. In order to support "
                "tf.Data, it is recommended that you implement a shape property on the Spec."
            )
        return shape

    def _to_legacy_output_classes(self) -> Any:
        return self.value_type

    def __repr__(self) -> str:
        fields = ", ".join([f"{name}={value!r}" for name, value in self._serialize()])
        return f"{type(self).__qualname__}({fields})"


def _spec_of_type(value_type: Any, serialization: Any) -> Any:
    return value_type.Spec._deserialize(serialization)


def _describe(value_type: Any) -> str:
    return "an extension type" if value_type is None else f"a value of type {value_type.__name__}"


def spec_of_field(value: object, context: Any = None) -> Any:
    """Returns a field's value with specs instead of tensors and composites.

    Args:
        value: the field's value.
        context: numbers the variables of a call of a function; None for a spec outside a call.
    """

    def spec_of(leaf: Any) -> Any:
        if isinstance(leaf, Tensor):
            return TensorSpec(leaf.shape, leaf.dtype)
        if not isinstance(leaf, CompositeTensor):
            return leaf
        return leaf._type_spec if context is None else leaf.__tf_tracing_type__(context)

    return nest.map_structure(spec_of, value)


def _leaves(fields: dict[str, Any]) -> list[Any]:
    """Lists the parts of all fields that are not tuples or mappings, field by field."""
    return [leaf for value in fields.values() for leaf in nest.flatten(value)]


def _with_dicts(value: object) -> Any:
    return _with_mappings(dict, value)


def _with_immutable_dicts(value: object) -> Any:
    return _with_mappings(ImmutableDict, value)


def _with_mappings(kind: Callable[[Any], Any], value: object) -> Any:
    """Returns nested tuples and mappings with mappings of another class."""
    if isinstance(value, Mapping):
        return kind({key: _with_mappings(kind, item) for key, item in value.items()})
    if type(value) is tuple:
        return tuple([_with_mappings(kind, item) for item in value])
    return value


# --- making the class ------------------------------------------------------------------------------------------------


def make_spec_class(value_type: type, base: type[ExtensionTypeSpec]) -> type[ExtensionTypeSpec]:
    """Makes the class `Spec` of an extension type.

    Args:
        value_type: the extension type; its nested class `Spec`, if it has one of its own, is the user's part.
        base: the class of specs to derive from.

    Raises:
        ValueError: if `Spec` is not a class.
    """
    name = f"{value_type.__name__}.Spec"
    qualified = f"{value_type.__qualname__}.Spec"
    users_part = value_type.__dict__.get("Spec", base)
    if not isinstance(users_part, type):
        raise ValueError(f"{qualified} must be a nested class; got {users_part!r}.")
    bases = (users_part,) if issubclass(users_part, base) else (users_part, base)
    space = {
        "value_type": value_type,
        "__module__": value_type.__module__,
        "__qualname__": qualified,
        "__doc__": users_part.__doc__ if users_part is not base else f"The spec of `{value_type.__name__}`.",
    }
    if "__repr__" in users_part.__dict__:
        space["__repr__"] = users_part.__dict__["__repr__"]
    spec_class: type[ExtensionTypeSpec] = types.new_class(name, bases, {}, lambda namespace: namespace.update(space))
    if users_part is not base and "__init__" in users_part.__dict__:
        spec_class.__init__ = wrap_constructor(users_part.__init__)  # type: ignore[method-assign,misc]  # as generated
    else:
        spec_class.__init__ = generate_constructor(_spec_signature(value_type, spec_class))  # type: ignore[method-assign]
    return spec_class


def _spec_signature(value_type: Any, spec_class: type) -> inspect.Signature:
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    names = ["self", *(field.name for field in value_type._tf_extension_type_fields())]
    return inspect.Signature([inspect.Parameter(name, kind) for name in names], return_annotation=spec_class)
