"""Values that must be known while XLA compiles: where they come from, and how they key an executable.

XLA's shapes are static. When a size turns out to depend on an argument, the engine
compiles again with that argument as a constant.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from millrace._src.core.array_namespace import Array
from millrace._src.core.op_def import Effects


class KnownValue:
    """An array as part of a key: equal to one with the same dtype, shape and bytes."""

    __slots__ = ("array", "key")

    def __init__(self, array: Array) -> None:
        self.array = np.asarray(array)
        self.key = (self.array.dtype, self.array.shape, self.array.tobytes())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, KnownValue) and other.key == self.key

    def __hash__(self) -> int:
        return hash(self.key)


def inputs_behind(tensors: Sequence[Any], inputs: Sequence[Any]) -> set[int] | None:
    """The positions in `inputs` of everything that `tensors` are computed from.

    Returns: The positions; None if a variable, a list or another effect is among the sources: then they decide nothing.
    """
    positions = {id(tensor): i for i, tensor in enumerate(inputs)}
    found: set[int] = set()
    pending, seen = list(tensors), set()
    while pending:
        tensor = pending.pop()
        if id(tensor) in seen:
            continue
        seen.add(id(tensor))
        is_argument = id(tensor) in positions
        if tensor.dtype.name in ("resource", "variant") or not is_argument and tensor.op.effects is not Effects.NONE:
            return None
        if is_argument:
            found.add(positions[id(tensor)])
        else:
            pending += tensor.op.inputs
    return found
