"""Whether saved values fit the objects that are to take them: found out for all objects before one is changed.

Tests: tests/checkpoint/test_checkpoint.py
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from millrace._src.checkpoint.restore_specs import RestoreSpec
from millrace._src.checkpoint.value_reading import ValueReader
from millrace._src.core.dtypes import as_dtype, runtime_name
from millrace._src.core.errors import InvalidArgumentError
from millrace._src.core.resources import is_variable
from millrace._src.core.shapes import TensorShape


@dataclass(frozen=True, slots=True)
class ShapeMismatch:
    """A variable that cannot have its saved value."""

    variable: Any
    key: str
    shape: TensorShape
    dtype: Any
    saved_shape: TensorShape
    saved_dtype: Any

    @property
    def is_of_shape(self) -> bool:
        """Whether the shape does not fit; else the dtype does not."""
        return not self.shape.is_compatible_with(self.saved_shape)

    def error(self, details: str) -> Exception:
        """Returns TensorFlow's exception for the mismatch, with details of all mismatches at its end."""
        if self.is_of_shape:
            return ValueError(
                f"Received incompatible tensor with shape {self.saved_shape} when attempting to restore variable with "
                f"shape {self.shape} and name {self.variable.name}.{details}"
            )
        wanted, saved = runtime_name(self.dtype), runtime_name(self.saved_dtype)
        return InvalidArgumentError(
            None,
            None,
            f"tensor_name = {self.key}; expected dtype {wanted} does not equal original dtype {saved}{details}",
        )


def find_mismatches(reader: ValueReader, restore_specs: Iterable[RestoreSpec]) -> list[ShapeMismatch]:
    """Returns the variables among the restore specs that cannot have their saved values."""
    listed = []
    for restore_spec in restore_specs:
        variable = restore_spec.trackable
        if restore_spec.wants and is_variable(variable):
            (want,) = restore_spec.wants
            entry = reader.entry(want.key)
            shape, dtype = TensorShape(variable.shape), as_dtype(variable.dtype)  # a tuple and text, in Keras
            saved_shape = TensorShape(entry.shape)
            if entry.dtype is not dtype or not shape.is_compatible_with(saved_shape):
                listed.append(ShapeMismatch(variable, want.key, shape, dtype, saved_shape, entry.dtype))
    return listed
