"""The fields of an extension type, as its annotations declare them.

Problem: a class says with annotations of what its values consist. Names may clash with what every extension type has,
annotations may be of no use, and an annotation may be the name of a class that does not exist yet.

Idea: `declared_fields` reads the annotations when the class is made and refuses what cannot work. What a text names
that is not defined yet stays a text, and `resolve_fields` tries again when the fields are first needed.
"""

from __future__ import annotations

import inspect
import sys
import types
import typing
from collections.abc import Mapping
from typing import Any, ForwardRef, NamedTuple

from millrace._src.core.composite import CompositeTensor
from millrace._src.core.dtypes import DType
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import Tensor

RESERVED_FIELD_NAMES = (
    "self",
    "Spec",
    "_type_spec",
    "_shape_invariant_to_type_spec",
    "_consumers",
    "value_type",
    "is_compatible_with",
    "most_specific_compatible_type",
    "_with_tensor_ranks_only",
    "_to_components",
    "_from_components",
    "_component_specs",
    "_to_tensor_list",
    "_from_tensor_list",
    "_from_compatible_tensor_list",
    "_flat_tensor_specs",
    "_serialize",
    "_deserialize",
    "_to_legacy_output_types",
    "_to_legacy_output_shapes",
    "_to_legacy_output_classes",
    "_keras_mask",
)
"""What every extension type or its spec has under these names."""

RESERVED_PREFIX = "_tf_extension_type"
PLAIN_TYPES = (bool, int, float, str, bytes, type(None))
"""The classes of Python values that a field may hold; such a value is part of the spec."""

_UNIONS: tuple[Any, ...] = (typing.Union, types.UnionType)
_ABSENT = object()


class _NoDefault:
    """Prints as what it represents: a field without a default."""

    def __repr__(self) -> str:
        return "ExtensionTypeField.NO_DEFAULT"


class _Field(NamedTuple):
    name: str
    value_type: Any
    default: Any


class ExtensionTypeField(_Field):
    """A name, the type of the values, and the default of one field.

    >>> from millrace._src.core.extension_types.fields import ExtensionTypeField
    >>> ExtensionTypeField("x", int)
    ExtensionTypeField(name='x', value_type=<class 'int'>, default=ExtensionTypeField.NO_DEFAULT)
    """

    __slots__ = ()

    NO_DEFAULT = _NoDefault()

    def __new__(cls, name: str, value_type: object, default: object = NO_DEFAULT) -> ExtensionTypeField:
        return super().__new__(cls, name, value_type, default)

    @property
    def has_default(self) -> bool:
        """Whether a constructor may be called without this field."""
        return self.default is not self.NO_DEFAULT

    @staticmethod
    def is_reserved_name(name: str) -> bool:
        """Returns whether no field may have a name, since extension types use it themselves."""
        return name in RESERVED_FIELD_NAMES or name.startswith(RESERVED_PREFIX)


# --- reading a class -------------------------------------------------------------------------------------------------


def declared_fields(cls: type) -> tuple[ExtensionTypeField, ...]:
    """Returns the fields of a class: those of its base classes first, then its own.

    Args:
        cls: a subclass of `ExtensionType`, just made. Its annotations may name classes that do not exist yet.

    Raises:
        ValueError: if a name is reserved, or an attribute has no annotation.
        TypeError: if an annotation cannot be the type of a field.
    """
    own = _own_annotations(cls)
    _check_names(cls, own)
    fields: dict[str, ExtensionTypeField] = {}
    for base in reversed(cls.__mro__[1:]):
        for inherited in base.__dict__.get("_tf_extension_type_cached_fields") or ():
            fields[inherited.name] = inherited
    hints = _resolve(cls, own)
    for name in own:
        default = cls.__dict__.get(name, ExtensionTypeField.NO_DEFAULT)
        check_annotation(hints[name], f"In field '{name}'")
        fields[name] = ExtensionTypeField(name, hints[name], default)
    return tuple(fields.values())


def resolve_fields(cls: type, fields: tuple[ExtensionTypeField, ...]) -> tuple[ExtensionTypeField, ...]:
    """Returns fields whose annotations no longer name what can be looked up by now.

    Args:
        cls: the class.
        fields: its fields, some of them with names of classes in the annotations.
    """
    found_types: dict[str, Any] = {}
    for base in reversed(cls.__mro__):
        if base.__dict__.get("_tf_extension_type_cached_fields"):
            found_types.update(_resolve(base, _own_annotations(base)))
    return tuple(field._replace(value_type=found_types.get(field.name, field.value_type)) for field in fields)


def holds_names(annotation: object) -> bool:
    """Returns whether an annotation still names a class that was not defined when it was read."""
    if isinstance(annotation, (str, ForwardRef)):
        return True
    return any(holds_names(part) for part in typing.get_args(annotation))


def _own_annotations(cls: type) -> dict[str, Any]:
    if sys.version_info >= (3, 14):  # annotations are computed when asked for
        import annotationlib  # of Python 3.14

        return dict(annotationlib.get_annotations(cls, format=annotationlib.Format.FORWARDREF))
    return inspect.get_annotations(cls)


def _resolve(cls: type, own: dict[str, Any]) -> dict[str, Any]:
    """Returns annotations with classes for their names; as they are if a name is not defined."""
    stand_in = types.SimpleNamespace(__annotations__=own, __module__=cls.__module__)
    module = sys.modules.get(cls.__module__)
    scope = {**vars(typing), **getattr(module, "__dict__", {})} if module is None else dict(module.__dict__)
    try:
        return typing.get_type_hints(stand_in, scope, {cls.__name__: cls})
    except (NameError, AttributeError):
        return own


def _check_names(cls: type, own: dict[str, Any]) -> None:
    start = f"The field annotations for {cls.__name__} are invalid."
    for name in own:
        if ExtensionTypeField.is_reserved_name(name):
            raise ValueError(f"{start} Field '{name}' is reserved.")
    for name, value in cls.__dict__.items():
        if name in own or name.startswith("__") or name in ("Spec", "_abc_impl"):
            continue
        if ExtensionTypeField.is_reserved_name(name):
            raise ValueError(f"{start} Field '{name}' is reserved.")
        if not callable(value) and not hasattr(type(value), "__get__"):
            raise ValueError(f"{start} Field {name} is missing a type annotation.")


# --- annotations -----------------------------------------------------------------------------------------------------


def check_annotation(annotation: object, where: str) -> None:
    """Refuses an annotation that cannot be the type of a field.

    Raises:
        TypeError: if the annotation is none of: a plain Python type, `tf.Tensor`, `tf.TensorShape`, `tf.DType`, a class
            of composite tensors, and `Union`, `Optional`, `Tuple` and `Mapping` of these.
    """
    parts = union_options(annotation) or tuple_parts(annotation)
    if isinstance(annotation, (str, ForwardRef)) or is_leaf_type(annotation):
        return
    if parts is not None:
        for part in parts:
            check_annotation(part, where)
    elif (key_and_value := mapping_parts(annotation)) is not None:
        key, value = key_and_value
        if key not in PLAIN_TYPES and not isinstance(key, (str, ForwardRef)):
            raise TypeError(f"{where}: Mapping had a key {_key_name(key)!r} with type {type(key).__name__!r}")
        check_annotation(value, where)
    else:
        raise TypeError(f"{where}: Unsupported type annotation {annotation_text(annotation)}")


def is_leaf_type(annotation: object) -> bool:
    """Returns whether an annotation is a class whose instances can be the value of a field."""
    if not isinstance(annotation, type) or typing.get_origin(annotation) is not None:
        return False
    if annotation in PLAIN_TYPES or annotation in (Tensor, TensorShape, DType):
        return True
    return is_composite_type(annotation)


def is_composite_type(annotation: Any) -> bool:
    """Returns whether an annotation is a class of composite tensors, or the class of what `tf.Variable()` makes."""
    return issubclass(annotation, CompositeTensor) and annotation._can_be_field


def union_options(annotation: object) -> tuple[Any, ...] | None:
    """Returns the types of a `Union`, None for another annotation."""
    return typing.get_args(annotation) if typing.get_origin(annotation) in _UNIONS else None


def tuple_parts(annotation: object) -> tuple[Any, ...] | None:
    """Returns the types of the items of a `Tuple`, the type of all items of a `Tuple[X, ...]`; None if it is none."""
    if typing.get_origin(annotation) is not tuple or annotation is tuple or annotation is typing.Tuple:  # noqa: UP006  # the bare alias
        return None
    return tuple(part for part in typing.get_args(annotation) if part is not Ellipsis)


def mapping_parts(annotation: object) -> tuple[Any, Any] | None:
    """Returns the types of keys and values of a `Mapping`, None for another annotation."""
    arguments = typing.get_args(annotation)
    return arguments if typing.get_origin(annotation) is Mapping and len(arguments) == 2 else None


def annotation_text(annotation: Any) -> str:
    """Returns how messages name an annotation: a class by its name in quotes, anything else as it prints."""
    is_class = isinstance(annotation, type) and typing.get_origin(annotation) is None
    return repr(annotation.__name__) if is_class else repr(annotation)


def _key_name(key: object) -> str:
    return key.__name__ if isinstance(key, type) else str(key)
