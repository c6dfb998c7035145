"""Extension types without a class: what is known of a value whose class is not.

Problem: a file may hold the spec of an extension type whose class the reading program does not define.

Idea: `AnonymousExtensionType` takes any fields, by name, and its spec holds theirs. `reinterpret` makes of such a value
one of a class, and the other way round.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from millrace._src.core.composite import CompositeTensor
from millrace._src.core.dtypes import DType
from millrace._src.core.extension_types.extension_spec import ExtensionTypeSpec
from millrace._src.core.extension_types.extension_type import ExtensionType
from millrace._src.core.extension_types.fields import PLAIN_TYPES, ExtensionTypeField
from millrace._src.core.extension_types.immutable_fields import make_bare
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import Tensor
from millrace._src.core.type_specs import TypeSpec
from millrace._src.util.class_homes import tensorflow_home
from millrace._src.util.immutable_dict import ImmutableDict

_HOME = "python.framework.extension_type"
_VALUES = (*PLAIN_TYPES, TensorShape, DType, Tensor, CompositeTensor, TypeSpec)


def _field_value(value: object) -> Any:
    """Returns what a field holds: the value, with immutable mappings.

    Raises:
        ValueError: if the value is of a kind that no field may have.
    """
    if isinstance(value, _VALUES):
        return value
    if isinstance(value, tuple):
        return tuple([_field_value(item) for item in value])
    if isinstance(value, Mapping):
        return ImmutableDict({_field_value(key): _field_value(item) for key, item in value.items()})
    raise ValueError(f"Cannot convert anonymous fields from an unsupported `value` argument: {value!r}.")


class _AnyFields:
    """What values and specs share: fields of their own, set once."""

    def __init__(self, **fields: Any) -> None:
        for name in fields:
            if ExtensionTypeField.is_reserved_name(name):
                raise ValueError(
                    f"Reserved field name {name!r} was encountered when trying to make {type(self).__name__}."
                )
        self.__dict__.update({name: _field_value(value) for name, value in fields.items()})

    def _tf_extension_type_values(self) -> dict[str, Any]:
        return {n: value for n, value in self.__dict__.items() if not ExtensionTypeField.is_reserved_name(n)}

    def _tf_extension_type_check_mutable(self, name: str, doing: str = "set") -> None:
        raise AttributeError(f"Cannot {doing} attribute `{name}`. {type(self).__name__} instances are immutable.")

    def __delattr__(self, name: str) -> None:
        self._tf_extension_type_check_mutable(name, "delete")


@tensorflow_home(_HOME)
class AnonymousExtensionType(_AnyFields, ExtensionType):
    """A value of an extension type whose class is not known; takes any fields by name."""

    _tf_extension_type_do_not_transform_this_class = True

    @classmethod
    def _tf_extension_type_fields(cls) -> tuple[ExtensionTypeField, ...]:
        raise ValueError(
            "AnonymousExtensionType has no fields of its own: each value has the fields that it was given."
        )


@tensorflow_home(_HOME)
class AnonymousExtensionTypeSpec(_AnyFields, ExtensionTypeSpec):
    """The spec of such a value."""

    value_type = AnonymousExtensionType

    def _to_components(self, value: Any) -> tuple[Any, ...]:
        return self._tf_extension_type_components(value._tf_extension_type_values())


AnonymousExtensionType.Spec = AnonymousExtensionTypeSpec


def reinterpret(value: object, new_type: object) -> Any:
    """Returns the fields of a value as a value of another extension type.

    Args:
        value: a `tf.experimental.ExtensionType`.
        new_type: the class to make; its fields must be those of `value`.

    Raises:
        ValueError: if `value` is not an extension type or `new_type` no class of one, or the fields differ.
        TypeError: if a field is of another type.
    """
    if not isinstance(value, ExtensionType):
        raise ValueError(f"reinterpret expects `value` to be a tf.ExtensionType instance; got {value!r}")
    if not (isinstance(new_type, type) and issubclass(new_type, ExtensionType)):
        raise ValueError(f"reinterpret expects `new_type` to be a subclass of tf.ExtensionType; got {new_type!r}")
    made = make_bare(new_type, value._tf_extension_type_values())
    if not issubclass(new_type, AnonymousExtensionType):
        made._tf_extension_type_convert_fields()
        made.__validate__()
    return made
