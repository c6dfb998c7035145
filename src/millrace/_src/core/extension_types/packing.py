"""Extension types in packed form: one variant tensor for all components.

Problem: a file or a loop may have to carry a value whose number of components is not known there.

Idea: a packed value holds a variant with the components, and its spec the mark that it is packed. The fields are taken
out when they are read.
"""

from __future__ import annotations

from typing import Any

from millrace._src.core.extension_types.extension_type import ExtensionType
from millrace._src.core.extension_types.immutable_fields import PACKED


def pack(value: Any) -> Any:
    """Returns a value in packed form.

    Args:
        value: an extension type's value; its class has a registered name.

    Raises:
        ValueError: if `value` is none, or its class has no name.
    """
    _check(value)
    if is_packed(value):
        return value
    spec = value._type_spec._tf_extension_type_with_packed(True)
    return spec._from_components(spec._to_components(value))


def unpack(value: Any) -> Any:
    """Returns a value with its components as fields.

    Raises: ValueError: if `value` is not an extension type's value.
    """
    _check(value)
    return value._tf_extension_type_unpacked()


def is_packed(value: object) -> bool:
    """Returns whether a value is in packed form.

    Raises: ValueError: if `value` is not an extension type's value.
    """
    _check(value)
    return PACKED in value.__dict__


def _check(value: object) -> None:
    if not isinstance(value, ExtensionType):
        raise ValueError(f"Expected `value` to be an object of type ExtensionType,got an instance of {type(value)}.")


__all__ = ["is_packed", "pack", "unpack"]
