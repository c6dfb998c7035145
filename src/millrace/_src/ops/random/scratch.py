"""Work arrays that a thread keeps, for the intermediate results of random numbers.

Problem: an array of some hundred kilobytes comes from the operating system page by page, each time anew. That costs
more than what is computed in the array.

Idea: each thread keeps one array for each purpose. Such an array holds intermediate results of one chunk, until the
thread asks for the same purpose again; no result of an op is ever a part of one.
"""

from __future__ import annotations

import math
import threading
from typing import Any

import numpy as np

from millrace._src.core.array_namespace import Array

_FEW = 1024
"""Arrays of so few elements are made for their one use: they are fast to make."""
_LARGE = 1 << 20
"""Arrays of so many bytes are made for their one use: they are too large to keep."""
_ALIGNMENT = 64


class _Kept(threading.local):
    def __init__(self) -> None:
        self.arrays: dict[str, Array] = {}


_kept = _Kept()


def scratch(purpose: str, shape: tuple[int, ...], dtype: Any) -> Array:
    """Returns an uninitialized array of a shape and dtype, valid until this thread asks for the same purpose again.

    Args:
      purpose: one of the few names that a module has for its work arrays.
      shape: the shape of the array.
      dtype: the dtype of the array.
    """
    count = math.prod(shape)
    if count <= _FEW:
        return np.empty(shape, dtype)
    size = count * np.dtype(dtype).itemsize
    if size >= _LARGE:
        return np.empty(shape, dtype)
    kept = _kept.arrays.get(purpose)
    if kept is None or len(kept) < size:
        memory = np.empty(size + _ALIGNMENT, np.uint8)
        kept = _kept.arrays[purpose] = memory[-memory.ctypes.data % _ALIGNMENT :]
    return kept[:size].view(dtype).reshape(shape)
