"""Memory in which the results of calls lie side by side, as they will in a batch.

A batch of results that threads have made one by one is a copy of all of them: for images half as much work as a resize,
and one thread's. So each thread puts its results into the batch's memory itself, while these are in its processor's
cache. The shapes are those of earlier results; results of other shapes stay where they are.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from millrace._src.core.aligned_memory import empty_array
from millrace._src.core.array_namespace import Array
from millrace._src.data.blocks import Block

Kind = tuple[tuple[int, ...], np.dtype[Any]]
"""The shape and dtype of one result."""

_MAX_BYTES = 1 << 28
"""The largest size of the results: the number of calls is not known."""


class StackedResults:
    """The results for consecutive elements; several threads may put results at a time.

    Args:
      count: how many elements there may be.
      kinds: the kind of each result.
    """

    __slots__ = ("_columns", "_is_uneven")

    def __init__(self, count: int, kinds: Sequence[Kind]) -> None:
        self._columns = [empty_array((count, *shape), dtype) for shape, dtype in kinds]
        self._is_uneven = False  # whether a result has stayed where it was

    def put(self, index: int, results: list[Array]) -> list[Array]:
        """Copies the results for an element to their row; returns the copies, or the results if they do not fit."""
        for column, array in zip(self._columns, results, strict=True):
            if column.shape[1:] != array.shape or column.dtype != array.dtype:
                self._is_uneven = True
                return results
        copies = [column[index, ...] for column in self._columns]
        for copy, array in zip(copies, results, strict=True):
            copy[...] = array
        return copies

    def block(self, start: int, rows: Sequence[list[Array]]) -> Block:
        """Returns the results for elements from `start` on.

        Args:
          start: the index of the first of the elements.
          rows: what `put` returned for each of these.
        """
        if self._is_uneven:
            return block_of_views(rows)
        return Block([column[start : start + len(rows)] for column in self._columns], len(rows))


def allocate_results(count: int, kinds: Sequence[Kind] | None) -> StackedResults | None:
    """Returns memory for the results for some elements; None for one element, for too many, and for unknown kinds."""
    if kinds is None or count == 1:
        return None
    size = sum(math.prod(shape) * dtype.itemsize for shape, dtype in kinds)
    return StackedResults(count, kinds) if count * size <= _MAX_BYTES else None


def kinds_of(results: Block) -> list[Kind] | None:
    """Returns the kinds of the results for one element; None if elements differ."""
    return [(column.shape[1:], column.dtype) for column in results.columns] if results.is_uniform else None


def block_of_views(rows: Sequence[Sequence[Array]]) -> Block:
    """Returns elements that are given as arrays as a block, without a copy."""
    if len(rows) == 1:
        return Block.of_row(rows[0])
    return Block([list(arrays) for arrays in zip(*rows, strict=True)], len(rows))
