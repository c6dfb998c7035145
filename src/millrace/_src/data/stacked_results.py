"""Memory in which the results of calls lie side by side, as they will in a batch.

A batch of results that threads have made one by one is a copy of all of them: for images as much work as the resize
before it, and one thread's. So each thread puts its results into the batch's memory itself, while these are in its
processor's cache. The shapes are those of the results that come first; results that do not fit stay where they are.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence

from millrace._src.core.aligned_memory import empty_array
from millrace._src.core.array_namespace import Array
from millrace._src.data.blocks import Block

_MOST_BYTES = 1 << 28
"""The size of the results from which on these stay where they are: nobody knows how many more calls there will be."""


class StackedResults:
    """The results for consecutive elements; several threads may put results at a time.

    Args:
      count: how many elements there may be.
    """

    __slots__ = ("_columns", "_count", "_is_uneven", "_lock")

    def __init__(self, count: int) -> None:
        self._count = count
        self._columns: list[Array] = []  # made by the first result
        self._is_uneven = False  # whether a result has stayed where it was
        self._lock = threading.Lock()

    def put(self, place: int, results: list[Array]) -> list[Array]:
        """Copies the results for an element to their place; returns the copies, or the results if they do not fit."""
        with self._lock:
            if not self._columns and not self._is_uneven:
                self._make_columns(results)
            if not self._fits(results):
                self._is_uneven = True
                return results
        copies = [column[place, ...] for column in self._columns]
        for copy, array in zip(copies, results, strict=True):
            copy[...] = array
        return copies

    def _make_columns(self, results: list[Array]) -> None:
        if self._count * sum(array.nbytes for array in results) <= _MOST_BYTES:
            self._columns = [empty_array((self._count, *array.shape), array.dtype) for array in results]

    def _fits(self, results: list[Array]) -> bool:
        """Tells whether results have the shapes and dtypes of the columns."""
        return len(self._columns) == len(results) and all(
            column.shape[1:] == array.shape and column.dtype == array.dtype
            for column, array in zip(self._columns, results, strict=True)
        )

    def block(self, start: int, rows: Sequence[list[Array]]) -> Block:
        """Returns the results for elements from `start` on.

        Args:
          start: the place of the first of the elements.
          rows: what `put` returned for each of these.
        """
        if self._is_uneven:
            return Block([list(arrays) for arrays in zip(*rows, strict=True)], len(rows))
        return Block([column[start : start + len(rows)] for column in self._columns], len(rows))
