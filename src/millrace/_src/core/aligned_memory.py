"""Memory that compiled programs read without a copy.

Problem: XLA takes an array of NumPy without a copy only if the array begins at a multiple of 64 bytes. NumPy's large
arrays begin 16 bytes behind a page, so each call of a compiled function copies its large arguments.

Idea: large arrays that are likely to go into functions, the values of tensors and the batches of datasets, are made
here, at such a multiple. Small arrays are NumPy's: to copy them costs less than to align them.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from millrace._src.core.array_namespace import Array

ALIGNMENT = 64
"""The bytes of which the addresses are multiples."""
SMALLEST_ALIGNED = 1 << 17
"""The bytes from which an array on is aligned."""


def empty_array(shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    """Returns an array to be filled, aligned if the array is large."""
    size = math.prod(shape) * dtype.itemsize
    if size < SMALLEST_ALIGNED or dtype.hasobject:
        return np.empty(shape, dtype)
    return align_within(np.empty(size + ALIGNMENT, np.uint8), shape, dtype)


def align_within(memory: Array, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    """Returns an aligned array in some memory: bytes, `ALIGNMENT` more of them than the array takes."""
    start = -memory.__array_interface__["data"][0] % ALIGNMENT
    return memory[start : start + math.prod(shape) * dtype.itemsize].view(dtype).reshape(shape)


def copy_aligned(array: Array) -> Array:
    """Returns a copy in C order, aligned if the array is large."""
    if array.nbytes < SMALLEST_ALIGNED or array.dtype.hasobject:
        return array.copy()
    copy = empty_array(array.shape, array.dtype)
    copy[...] = array
    return copy


def take(array: Array, indices: Array) -> Array:
    """Returns copies of the slices at indices of the first axis, aligned if these are large.

    Args:
      array: an array of at least one dimension.
      indices: a vector of integers that are at least 0 and less than the size of the first axis.
    """
    size = len(indices) * (array.nbytes // max(len(array), 1))
    if size < SMALLEST_ALIGNED or array.dtype.hasobject:
        return array.take(indices, axis=0)
    slices = empty_array((len(indices), *array.shape[1:]), array.dtype)
    return array.take(indices, axis=0, out=slices, mode="clip")  # any other mode fills a copy of `out` first
