"""Values that must be known while XLA compiles: their origin, and how such values key an executable.

XLA's shapes are static. When a size turns out to depend on an argument, the engine compiles again with that argument as
a constant.
"""

from __future__ import annotations

from collections.abc import Sequence

import jax
import numpy as np

from millrace._src.core.array_namespace import Array
from millrace._src.passes.optimized_graph import Value


def is_concrete(value: object) -> bool:
    """Returns whether an array's value is known while compiling."""
    return not isinstance(value, jax.core.Tracer)


class CompileTimeValue:
    """An array as part of a key, equal to an array with the same dtype, shape and bytes."""

    __slots__ = ("array", "key")

    def __init__(self, array: Array) -> None:
        self.array = np.asarray(array)
        self.key = (self.array.dtype, self.array.shape, self.array.tobytes())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CompileTimeValue) and other.key == self.key

    def __hash__(self) -> int:
        return hash(self.key)


def inputs_behind(values: Sequence[Value], inputs: Sequence[Value]) -> set[int] | None:
    """Returns the positions of the `inputs` from which `values` are computed.

    Returns: The positions; None if a variable, a list or another effect is among the sources, too.
    """
    positions = {value: i for i, value in enumerate(inputs)}
    input_positions: set[int] = set()
    stack, seen_values = list(values), set()
    while stack:
        value = stack.pop()
        if value in seen_values:
            continue
        seen_values.add(value)
        if value in positions:
            input_positions.add(positions[value])
        if value.dtype.is_handle:
            return None
        if value not in positions and value.node is not None:
            if not value.node.is_pure:
                return None
            stack += value.node.inputs
    return input_positions
