"""Variables in engines whose arrays are not NumPy's: a cell holds the value of one variable.

Kernels read and assign the `value` of the object behind a handle. An engine with arrays of its own replaces the
variable's storage by a cell, so that kernels are the same for all engines. Afterwards the variable takes the cell's
last value.

Tests: tests/contracts/engines/test_conformance.py
"""

from __future__ import annotations

from millrace._src.core.array_namespace import Array


class Cell:
    """The stand-in of a variable's storage."""

    __slots__ = ("value", "name", "dtype", "shape", "lock")

    def __init__(self, value: Array, name: str, dtype: object = None, shape: object = None) -> None:
        self.value = value
        self.name = name
        self.dtype = dtype
        self.shape = shape
        self.lock = None

    def like(self, value: Array) -> Cell:
        """Returns a cell for the same variable with another value."""
        return Cell(value, self.name, self.dtype, self.shape)
