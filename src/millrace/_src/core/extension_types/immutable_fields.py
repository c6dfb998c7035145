"""How values and specs of extension types are made, and why they cannot change afterwards.

Problem: an object is immutable, yet a user's own `__init__` sets its fields one by one; whatever way it was made, its
fields must be complete, converted and valid.

Idea: attributes may be set only while a mark says that the constructor runs. The outermost constructor, the user's or a
generated one, sets the mark, and when it is done converts and validates the fields. A tensor's way through a
function or loop makes objects of parts that are known to be right: `make_bare`.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, ClassVar

_MARK = "_tf_extension_type_in_constructor"
PACKED = "_tf_extension_type_packed_variant"
"""The attribute of a packed value: the variant tensor that holds its components."""

_MUTABLE = frozenset({"_keras_mask"})
"""What others than the constructor may set: Keras notes the mask of a value on the value."""


class ImmutableFields:
    """Base of values and specs: the fields are attributes that only a constructor sets."""

    _tf_extension_type_kind: ClassVar[str]
    """What messages call objects of the class."""

    def _tf_extension_type_convert_fields(self) -> None:
        """Converts the fields in `__dict__` to what they hold."""
        raise NotImplementedError(f"{type(self).__name__}._tf_extension_type_convert_fields")

    @classmethod
    def _tf_extension_type_fields(cls) -> Any:
        """Returns the fields."""
        raise NotImplementedError(f"{cls.__name__}._tf_extension_type_fields")

    @classmethod
    def _tf_extension_type_has_field(cls, name: str) -> bool:
        return any(field.name == name for field in cls._tf_extension_type_fields())

    def __validate__(self) -> None:
        """Checks the fields of a new object."""

    def __setattr__(self, name: str, value: object) -> None:
        self._tf_extension_type_check_mutable(name)
        object.__setattr__(self, name, value)

    def __delattr__(self, name: str) -> None:
        self._tf_extension_type_check_mutable(name)
        object.__delattr__(self, name)

    def _tf_extension_type_check_mutable(self, name: str) -> None:
        is_new = _MARK in self.__dict__ and self._tf_extension_type_has_field(name)
        if not is_new and name not in _MUTABLE:
            raise AttributeError(
                f"Cannot mutate attribute `{name}` outside the custom constructor of {self._tf_extension_type_kind}."
            )


def make_bare(cls: Any, fields: dict[str, Any]) -> Any:
    """Makes an object of fields that are complete, converted and valid; no constructor runs."""
    made = cls.__new__(cls)
    made.__dict__.update(fields)
    return made


def wrap_constructor(user_constructor: Callable[..., None]) -> Callable[..., None]:
    """Returns a user's `__init__` that also converts and validates the fields which it has set.

    Args:
        user_constructor: the function; a constructor of a subclass may call it.
    """

    @functools.wraps(user_constructor)
    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        _construct(self, lambda: user_constructor(self, *args, **kwargs))

    return __init__


def generate_constructor(signature: inspect.Signature) -> Callable[..., None]:
    """Returns an `__init__` that takes the fields as arguments.

    Args:
        signature: of the constructor, `self` included.
    """
    has_defaults = any(p.default is not inspect.Parameter.empty for p in signature.parameters.values())

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        bound = signature.bind(self, *args, **kwargs)
        if has_defaults:
            bound.apply_defaults()
        fields: dict[str, Any] = bound.arguments
        del fields["self"]
        attributes = self.__dict__
        attributes.update(fields)
        if _MARK not in attributes:  # else the constructor of a subclass calls, which does the rest
            self._tf_extension_type_convert_fields()
            self.__validate__()

    __init__.__signature__ = signature  # type: ignore[attr-defined]  # what `inspect` and editors show
    return __init__


def _construct(made: Any, set_fields: Callable[[], None]) -> None:
    if _MARK in made.__dict__:  # called by the constructor of a subclass, which does the rest
        set_fields()
        return
    made.__dict__[_MARK] = True
    try:
        set_fields()
    finally:
        del made.__dict__[_MARK]
    made._tf_extension_type_convert_fields()
    made.__validate__()
