"""Memory for large results.

Problem: XLA takes an array without a copy if the array begins at a multiple of 64 bytes, which NumPy's arrays do by
chance. And the C library gives blocks of more than 32 MB back to the system at once, so that each page of the next
large result is a fault: a sum of 40 MB takes 4.2 ms in new memory and 1.8 ms in memory that was used before.

Idea: results begin where they should, in memory that is a little larger. The memory of a very large result comes back
when no array refers to it any more, and is kept for the next one; what is kept in all has a bound.
"""

from __future__ import annotations

import ctypes
import math
import weakref
from typing import Any

import numpy as np

from millrace._src.core.aligned_memory import ALIGNMENT, align_within
from millrace._src.core.array_namespace import Array

_LARGEST_OF_ALLOCATOR = 31 << 20
"""The bytes of the largest result whose memory the allocator keeps: see `engine`."""
_MAX_KEPT = 256 << 20
_SLACK = 1.25
"""How much larger than a result the memory may be that is kept for the result."""


def aligned_empty(shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    """Returns a new array that begins at a multiple of 64 bytes; its elements are anything."""
    size = math.prod(shape) * dtype.itemsize + ALIGNMENT
    return align_within(np.empty(size, np.uint8) if size <= _LARGEST_OF_ALLOCATOR else _KEPT.loan(size), shape, dtype)


class _KeptMemory:
    """Memory that nothing uses, for the next large results.

    Memory comes back in whatever thread the last array dies, perhaps in the middle of a call of a method here. So there
    is no lock, and every change is one operation on a dictionary.
    """

    def __init__(self) -> None:
        self._kept: dict[int, Any] = {}

    def loan(self, size: int) -> Array:
        """Returns an array of at least `size` bytes, whose memory comes back when no array refers to it any more."""
        memory = self._take(size)
        lent = (ctypes.c_char * memory.size).from_buffer(memory)
        weakref.finalize(lent, self._take_back, memory).atexit = False
        return np.frombuffer(lent, np.uint8)

    def _take(self, size: int) -> Any:
        """Returns memory of about `size` bytes that is kept, or else new memory."""
        for key, memory in list(self._kept.items()):
            if size <= memory.size <= size * _SLACK and self._kept.pop(key, None) is not None:
                return memory
        return np.empty(size, np.uint8)

    def _take_back(self, memory: Any) -> None:
        if sum(kept.size for kept in list(self._kept.values())) + memory.size <= _MAX_KEPT:
            self._kept[id(memory)] = memory


_KEPT = _KeptMemory()
