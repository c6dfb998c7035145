"""The machinery of option classes: typed properties that merge, compare and travel as protocol buffers.

Tests: tests/data/test_options.py
"""

from __future__ import annotations

import copy
import enum
from collections.abc import Callable
from typing import Any


class Option:
    """One property of an option class.

    Args:
      kind: the type of the values.
      doc: the property's documentation.
      field: the name of the field in the protocol buffer; that of the property by default.
      default: makes the value of a property that was not set.
    """

    def __init__(
        self, kind: type, doc: str, field: str | None = None, default: Callable[[], Any] = lambda: None
    ) -> None:
        self.kind: Any = kind
        self.__doc__ = doc
        self.field = field
        self.default = default
        self.name = ""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name
        self.field = self.field or name

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        if instance is None:
            return self
        values = instance._values
        if self.name not in values:
            default = self.default()
            if not isinstance(default, OptionsBase):
                return default
            values[self.name] = default
        return values[self.name]

    def __set__(self, instance: Any, value: Any) -> None:
        if not isinstance(value, self.kind) or self.kind is int and isinstance(value, bool):
            raise TypeError(f'Property "{self.name}" must be of type {self.kind}, got: {value} (type: {type(value)})')
        instance._check_mutable()
        instance._values[self.name] = value

    def __delete__(self, instance: object) -> None:
        raise AttributeError(f"property {self.name!r} of {type(instance).__name__!r} object has no deleter")


class OptionsBase:
    """A set of options; a subclass has an `Option` for each."""

    def __init__(self) -> None:
        object.__setattr__(self, "_values", {})
        object.__setattr__(self, "_is_mutable", True)

    _values: dict[str, Any]
    _is_mutable: bool

    @classmethod
    def _options(cls) -> dict[str, Option]:
        """Returns the options by name, without second names."""
        return {name: option for name, option in vars(cls).items() if isinstance(option, Option)}

    def __setattr__(self, name: str, value: object) -> None:
        if not hasattr(type(self), name):
            raise AttributeError(f"Cannot set the property {name} on {type(self).__name__}.")
        object.__setattr__(self, name, value)

    def _check_mutable(self) -> None:
        if not self._is_mutable:
            raise ValueError(
                "Mutating `tf.data.Options()` returned by `tf.data.Dataset.options()` has no effect. Use "
                "`tf.data.Dataset.with_options(options)` to set or update dataset options."
            )

    def _freeze(self) -> None:
        """Refuses changes from now on."""
        for option in self._options().values():
            value = option.__get__(self)
            if isinstance(value, OptionsBase):
                value._freeze()
        object.__setattr__(self, "_is_mutable", False)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, type(self)):
            return NotImplemented
        return all(option.__get__(self) == option.__get__(other) for option in self._options().values())

    __hash__ = None  # type: ignore[assignment]  # options change

    def _merge(self, other: Any) -> Any:
        """Returns options that are those of `other` where these are set, and of this set elsewhere."""
        merged = type(self)()
        for name, option in self._options().items():
            mine, theirs = option.__get__(self), option.__get__(other)
            if isinstance(mine, OptionsBase):
                merged._values[name] = mine._merge(theirs)
            elif name in other._values or name in self._values:
                merged._values[name] = copy.copy(theirs if name in other._values else mine)
        return merged

    def _write(self, message: object) -> None:
        """Writes the options that are set into a protocol buffer."""
        for name, option in self._options().items():
            value = option.__get__(self)
            if isinstance(value, OptionsBase):
                part = getattr(message, str(option.field))
                part.SetInParent()
                value._write(part)
            elif name in self._values:
                _write_field(message, str(option.field), value)

    def _read(self, message: object) -> None:
        """Reads options from a protocol buffer."""
        for name, option in self._options().items():
            if issubclass(option.kind, OptionsBase):
                option.__get__(self)._read(getattr(message, str(option.field)))
            elif option.kind is list:
                values = list(getattr(message, str(option.field)))
                self._values.update({name: values} if values else {})
            elif _is_present(message, str(option.field)):
                self._values[name] = option.kind(getattr(message, str(option.field)))


def _write_field(message: object, field: str, value: object) -> None:
    if isinstance(value, list):
        getattr(message, field).extend(value)
    else:
        setattr(message, field, value.value if isinstance(value, enum.Enum) else value)


def _is_present(message: Any, field: str) -> bool:
    """Returns whether a protocol buffer has a value for a field."""
    return any(descriptor.name == field for descriptor, _ in message.ListFields())
