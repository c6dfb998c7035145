"""Constant numbers as arrays, for the ufuncs that have no fast loop for an array and a number.

NumPy takes the larger of two arrays three to six times as fast as the larger of an array and a number. Where the size
of the array is known, a program that bounds it by a constant reads an array that holds the number; programs share it.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from millrace._src.core.array_namespace import Array
from millrace._src.engines.numpy.cache_blocking import FEWEST
from millrace._src.passes.optimized_graph import Node, Value

_SLOW_WITH_NUMBERS = (np.minimum, np.maximum)
_SMALLEST = 1 << 11
"""The number of elements from which on reading another array costs less than the slow loop."""


def full_operand(kernel: object, node: Node, value: Value) -> Array | None:
    """Returns the array that a node reads instead of a constant number; None where the node reads the number.

    Args:
      kernel: what runs the node.
      node: the node.
      value: an input of the node.
    """
    number = value.constant
    if number is None or not any(kernel is ufunc for ufunc in _SLOW_WITH_NUMBERS):
        return None
    shape = node.outputs[0].shape
    count = shape.num_elements()
    if number.ndim or number.dtype.kind not in "iuf" or count is None:
        return None
    sizes = tuple(shape.as_list())
    if not _SMALLEST <= count < FEWEST or not any(other.shape.dim_sizes == sizes for other in node.inputs):
        return None
    return _full(number.dtype, number.tobytes())[:count].reshape(sizes)


@functools.lru_cache(maxsize=16)
def _full(dtype: np.dtype[Any], number: bytes) -> Array:
    """Returns an array that holds a number, given by its bytes: -0.0 is not 0.0."""
    array = np.full(FEWEST, np.frombuffer(number, dtype)[0])
    array.setflags(write=False)
    return array
