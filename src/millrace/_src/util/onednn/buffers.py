"""Memory that calculations borrow: aligned, used again, and bounded.

Problem: a calculation needs scratch memory and copies of operands in other layouts, megabytes for some tens of
milliseconds. The system zeroes the pages of new memory on first use, which takes as long as reading them.

Idea: a buffer goes back to a pool when the call is over, and the next call takes the smallest that is large enough. The
pool keeps no more than a fixed number of bytes.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np

ALIGNMENT = 64
"""Bytes: the width of the processor's largest registers, and of a line of the cache."""
_PAGE = 4096
_MAX_BYTES = 1 << 26


class BufferPool:
    """Buffers that nothing uses at the moment.

    Args:
      most_bytes: how much the pool keeps.
    """

    def __init__(self, most_bytes: int = _MAX_BYTES) -> None:
        self.most_bytes = most_bytes
        self.forget()

    def forget(self) -> None:
        """Lets all buffers go that nothing uses."""
        self.kept_bytes = 0
        self._free: list[Any] = []
        self._lock = threading.Lock()

    @contextlib.contextmanager
    def lend(self, size: int) -> Iterator[Any]:
        """Lends a buffer of at least `size` bytes inside of a `with`."""
        buffer = self.take(size)
        try:
            yield buffer
        finally:
            self.give_back(buffer)

    def take(self, size: int) -> Any:
        """Returns a buffer of at least `size` bytes, aligned; its contents are arbitrary."""
        size = max(size, 1)
        with self._lock:
            fitting = min((b for b in self._free if b.nbytes >= size), key=lambda b: b.nbytes, default=None)
            if fitting is not None and fitting.nbytes <= 2 * size + _PAGE:
                self._free = [b for b in self._free if b is not fitting]
                self.kept_bytes -= fitting.nbytes
                return fitting
        return make_aligned(-(-size // _PAGE) * _PAGE)

    def give_back(self, buffer: Any) -> None:
        """Takes back a buffer from `take`; the oldest buffers are let go where there are too many."""
        with self._lock:
            self._free.append(buffer)
            self.kept_bytes += buffer.nbytes
            while self.kept_bytes > self.most_bytes:
                self.kept_bytes -= self._free.pop(0).nbytes


def make_aligned(size: int) -> Any:
    """Makes an aligned array of `size` bytes."""
    buffer = np.empty(size + ALIGNMENT, np.uint8)
    start = -buffer.ctypes.data % ALIGNMENT
    return buffer[start : start + size]
