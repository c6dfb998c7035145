"""The part of the tracing protocol that is the same for all types whose values are fixed while tracing.

A dtype or a shape in a function's arguments is a type of its own, without tensors.

Tests: tests/core/test_dtypes.py
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


class FixedType:
    """A trace type that holds no tensors."""

    __slots__ = ()

    def placeholder_value(self, placeholder_context: object) -> None:
        """Returns None: the value is fixed while tracing, so nothing represents it."""

    def to_tensors(self, value: object) -> list[Any]:
        """Returns an empty list: the type holds no tensors."""
        return []

    def from_tensors(self, tensors: Iterator[Any]) -> None:
        """Takes no tensor from the iterator: the counterpart of `to_tensors`."""

    def flatten(self) -> list[Any]:
        """Returns an empty list: the type has no component types."""
        return []

    def cast(self, value: object, cast_context: object) -> object:
        """Returns `value` if it is this type's placeholder.

        Raises:
            AssertionError: if `value` is not None.
        """
        if value is not None:
            raise AssertionError(f"Can not cast {value!r} to type {self!r}")
        return value
