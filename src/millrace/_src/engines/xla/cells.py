"""Variables while XLA compiles: a cell holds the traced value of one variable.

XLA programs are pure: a variable goes in as a value and comes out as a value. While
the graph is traced its place is taken by a cell with the same `value` attribute as
the real storage, so the kernels that read and assign need not know. Afterwards the
cell's last value is an output of the program.
"""

from __future__ import annotations

from typing import Any

import jax

from millrace._src.core.array_namespace import Array


class Cell:
    """The stand-in of a variable's storage."""

    __slots__ = ("value", "name", "dtype", "shape", "lock")

    def __init__(self, value: Array, name: str, dtype: Any, shape: Any) -> None:
        self.value = value
        self.name = name
        self.dtype = dtype
        self.shape = shape
        self.lock = None

    def like(self, value: Array) -> Cell:
        """A cell for the same variable with another value."""
        return Cell(value, self.name, self.dtype, self.shape)


def is_concrete(value: Any) -> bool:
    """Whether an array's value is known while compiling."""
    return not isinstance(value, jax.core.Tracer)
