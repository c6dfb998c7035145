"""From what a caller gives to what a field holds.

Problem: `MaskedTensor([1, 2], mask)` makes tensors of lists, `shape=[2]` a `tf.TensorShape`; a field of a spec takes
specs instead of the values. A wrong argument must be named, however deep it lies.

Idea: one recursion over the annotation. It carries the path to the part at hand, which messages begin with, and whether
values, specs or defaults are wanted.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from typing import Any

from millrace._src.core.composite import CompositeTensor
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import DType, as_dtype
from millrace._src.core.extension_types.fields import (
    PLAIN_TYPES,
    ExtensionTypeField,
    annotation_text,
    is_composite_type,
    is_leaf_type,
    mapping_parts,
    tuple_parts,
    union_options,
)
from millrace._src.core.shapes import TensorShape, as_shape
from millrace._src.core.specs import TensorSpec
from millrace._src.core.tensor import Tensor
from millrace._src.core.type_specs import TypeSpec
from millrace._src.util.immutable_dict import ImmutableDict


class Wanted(enum.Enum):
    """What fields are filled with: values, the specs of values, or defaults of a constructor."""

    VALUES = "values"
    SPECS = "specs"
    DEFAULTS = "defaults"


def convert_fields(fields: Sequence[ExtensionTypeField], values: dict[str, Any], wanted: Wanted) -> None:
    """Replaces the values of fields by what the fields hold.

    Args:
        fields: the fields of a type.
        values: the value of each field by its name; changed in place.
        wanted: values or specs.

    Raises:
        ValueError: if fields are missing, or there are values for no field.
        TypeError: if a value is not of the type of its field.
    """
    names = [field.name for field in fields]
    if len(values) != len(names) or not all(map(values.__contains__, names)):
        _refuse_names(set(names), set(values))
    for name, annotation, _ in fields:
        value = values[name]
        if annotation is not Tensor or wanted is not Wanted.VALUES or not isinstance(value, Tensor):
            values[name] = convert_value(value, annotation, (name,), wanted)


def _refuse_names(names: set[str], given: set[str]) -> None:
    if given - names:
        raise ValueError(f"Got unexpected fields: {given - names}")
    raise ValueError(f"Missing required fields: {names - given}")


def convert_value(value: Any, annotation: Any, path: tuple[str, ...], wanted: Wanted) -> Any:
    """Returns what a field, or a part of a field, holds for a given value.

    Args:
        value: what the caller gave.
        annotation: the type of the field or part.
        path: the texts that name the part, such as `("x", "[0]")`.
        wanted: values, specs or defaults.

    Raises:
        TypeError: if the value is not of that type.
    """
    if is_leaf_type(annotation):
        return _convert_leaf(value, annotation, path, wanted)
    options = union_options(annotation)
    if options is not None:
        return _convert_option(value, annotation, options, path, wanted)
    items = tuple_parts(annotation)
    if items is not None:
        return _convert_tuple(value, annotation, items, path, wanted)
    key_and_value = mapping_parts(annotation)
    if key_and_value is not None:
        return _convert_mapping(value, key_and_value, path, wanted)
    raise TypeError(f"{''.join(path)}: Unsupported type annotation {annotation_text(annotation)}")


def _convert_leaf(value: object, kind: type, path: tuple[str, ...], wanted: Wanted) -> Any:
    if kind is Tensor:
        return _convert_tensor(value, path, wanted)
    if kind in PLAIN_TYPES:
        return _instance(value, kind, path)
    if kind is TensorShape:
        return _convert_by(as_shape, value, kind, "tf.TensorShape", path)
    if kind is DType:
        return _convert_by(as_dtype, value, kind, "tf.DType", path)
    return _convert_composite(value, kind, path, wanted)


def _instance(value: object, kind: type, path: tuple[str, ...]) -> Any:
    if not isinstance(value, kind):
        raise _refusal(path, repr(kind.__name__), value)
    return value


def _convert_by(convert: Any, value: Any, kind: type, expected: str, path: tuple[str, ...]) -> Any:
    if isinstance(value, kind):
        return value
    try:
        return convert(value)
    except (TypeError, ValueError) as error:
        raise _refusal(path, f"'{expected}'", value) from error


def _convert_tensor(value: Any, path: tuple[str, ...], wanted: Wanted) -> Any:
    if wanted is Wanted.SPECS:
        if not isinstance(value, TensorSpec):
            raise _refusal(path, "a TensorSpec", value)
        return value
    if isinstance(value, Tensor) or wanted is Wanted.DEFAULTS:
        return value
    try:
        return convert_to_tensor(value)
    except (TypeError, ValueError) as error:
        raise _refusal(path, "a Tensor", value) from error


def _convert_composite(value: object, kind: type, path: tuple[str, ...], wanted: Wanted) -> Any:
    assert is_composite_type(kind)
    if wanted is not Wanted.SPECS:
        return value if wanted is Wanted.DEFAULTS else _instance(value, kind, path)
    if not isinstance(value, TypeSpec) or not issubclass(value.value_type, kind):
        raise _refusal(path, f"a TypeSpec for {kind.__name__!r}", value)
    return value


def _convert_option(value: Any, annotation: object, options: Any, path: tuple[str, ...], wanted: Wanted) -> Any:
    if isinstance(value, CompositeTensor):  # what is of one of the classes need not fail to become a tensor first
        options = sorted(options, key=lambda option: not (isinstance(option, type) and isinstance(value, option)))
    for option in options:
        try:
            return convert_value(value, option, path, wanted)
        except TypeError:  # another option may take the value
            continue
    raise _refusal(path, str(annotation), value)


def _convert_tuple(value: Any, annotation: Any, items: Any, path: tuple[str, ...], wanted: Wanted) -> Any:
    if not isinstance(value, Sequence):
        raise _refusal(path, "tuple", value)
    if Ellipsis in annotation.__args__:
        items = items * len(value)
    if len(value) != len(items):
        raise TypeError(
            f"{''.join(path)}: expected tuple with length {len(items)}, got {type(value).__name__!r} "
            f"of length {len(value)}"
        )
    pairs = enumerate(zip(value, items, strict=True))
    return tuple([convert_value(item, kind, (*path, f"[{index}]"), wanted) for index, (item, kind) in pairs])


def _convert_mapping(value: Any, key_and_value: Any, path: tuple[str, ...], wanted: Wanted) -> Any:
    if not isinstance(value, Mapping):
        raise _refusal(path, "mapping", value)
    key_type, value_type = key_and_value
    return ImmutableDict(
        [
            (
                convert_value(key, key_type, (*path, "[<key>]"), wanted),
                convert_value(item, value_type, (*path, f"[{key!r}]"), wanted),
            )
            for key, item in value.items()
        ]
    )


def _refusal(path: tuple[str, ...], expected: str, value: object) -> TypeError:
    return TypeError(f"{''.join(path)}: expected {expected}, got {type(value).__name__!r}")
