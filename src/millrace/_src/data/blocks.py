"""Blocks: consecutive elements of a dataset that travel together.

Problem: a Python call for every element and every stage of a pipeline costs more than the work that most elements need.

Idea: stages pass on *blocks*. A block has a column for each tensor of an element. A column is one array with the
elements along its first axis, or a list of arrays where the elements differ in shape. Batching a block reshapes it,
filtering masks it, a vectorized function maps it in one call. A stage that works on single elements asks for rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from millrace._src.core.aligned_memory import empty_array, take
from millrace._src.core.array_namespace import Array

Column = Any
"""An array with the elements along its first axis, or a list with one array for each element."""

Row = Sequence[Array]
"""The arrays of one element."""


class Block:
    """Consecutive elements of a dataset; never changed.

    Args:
      columns: a column for each tensor of an element.
      count: the number of elements, at least one.
    """

    __slots__ = ("columns", "count")

    def __init__(self, columns: Sequence[Column], count: int) -> None:
        self.columns = columns
        self.count = count

    @classmethod
    def of_row(cls, row: Row) -> Block:
        """Makes a block of one element."""
        return cls([array[None] for array in row], 1)

    @classmethod
    def of_rows(cls, rows: Sequence[Row]) -> Block:
        """Makes a block of at least one element, each of them given as arrays; a view of a single one."""
        if len(rows) == 1:
            return cls.of_row(rows[0])
        return cls([column_of(arrays) for arrays in zip(*rows, strict=True)], len(rows))

    def row(self, index: int) -> list[Array]:
        """Returns the arrays of one element; views, where the columns are arrays."""
        return [c[index] if type(c) is list else c[index, ...] for c in self.columns]

    def rows(self) -> Iterable[list[Array]]:
        """Returns the arrays of each element."""
        return [self.row(index) for index in range(self.count)]

    def part(self, start: int, stop: int) -> Block:
        """Returns the elements from `start` up to `stop`, which is at most the count; views, not copies."""
        if start == 0 and stop == self.count:
            return self
        return Block([c[start:stop] for c in self.columns], stop - start)

    def gather(self, indices: Array) -> Block:
        """Returns the elements at indices (a vector of int64), in that order."""
        return Block([gather(c, indices) for c in self.columns], len(indices))

    def save(self) -> Any:
        """Returns the block as the state of a cursor may hold it."""
        return list(self.columns), self.count

    @classmethod
    def from_state(cls, state: Any) -> Block:
        """Returns the block that `save` gave."""
        columns, count = state
        return cls(columns, count)

    @property
    def is_uniform(self) -> bool:
        """Whether all columns are arrays."""
        return all(type(c) is not list for c in self.columns)

    @property
    def nbytes(self) -> int:
        """The size of the elements in bytes; of strings, as a few of them tell."""
        return sum(_bytes_of(c) for c in self.columns)


def _bytes_of(column: Column) -> int:
    """Returns the size of a column in bytes."""
    if type(column) is list:
        return sum(map(_bytes_of, column))
    if column.dtype != object or not column.size:
        return int(column.nbytes)
    some = column.reshape(-1)[:: max(column.size // 4, 1)].tolist()
    return column.size * sum(len(item) for item in some if isinstance(item, bytes)) // len(some)


def column_of(arrays: Sequence[Array]) -> Column:
    """Returns a column with these arrays, of which there is at least one."""
    first = arrays[0]
    shape, dtype = first.shape, first.dtype
    if all(a.shape == shape for a in arrays):
        column = empty_array((len(arrays), *shape), dtype)
        if shape:
            np.stack(arrays, out=column)
        else:
            column[:] = [a[()] for a in arrays]
        return column
    return list(arrays)


def gather(column: Column, indices: Array) -> Column:
    """Returns the elements of a column at indices."""
    return [column[i] for i in indices.tolist()] if type(column) is list else take(column, indices)


def rows_of_column(column: Column) -> list[Array]:
    """Returns the arrays of the elements of a column."""
    return column if type(column) is list else [column[i, ...] for i in range(len(column))]


def join_blocks(blocks: Sequence[Block]) -> Block:
    """Returns the elements of several blocks, at least one, as one block."""
    if len(blocks) == 1:
        return blocks[0]
    columns = [_join_columns(columns) for columns in zip(*[b.columns for b in blocks], strict=True)]
    return Block(columns, sum(b.count for b in blocks))


def alternating(blocks: Sequence[Block], length: int) -> Block:
    """Returns `length` elements of each block in turn, again and again; all blocks have the same number of elements."""
    columns = [_alternating_columns(columns, length) for columns in zip(*[b.columns for b in blocks], strict=True)]
    return Block(columns, sum(b.count for b in blocks))


def _alternating_columns(columns: Sequence[Column], length: int) -> Column:
    count = len(columns[0])
    if all(type(c) is not list for c in columns) and len({c.shape[1:] for c in columns}) == 1:
        shape = columns[0].shape[1:]
        turns = [c.reshape(count // length, length, *shape) for c in columns]
        return np.stack(turns, axis=1).reshape(count * len(columns), *shape)
    rows = [rows_of_column(c) for c in columns]
    return [row for start in range(0, count, length) for column in rows for row in column[start : start + length]]


def _join_columns(columns: Sequence[Column]) -> Column:
    """Returns the elements of several columns as one column."""
    if all(type(c) is not list for c in columns) and len({c.shape[1:] for c in columns}) == 1:
        count = sum(map(len, columns))
        return np.concatenate(columns, out=empty_array((count, *columns[0].shape[1:]), columns[0].dtype))
    return [array for column in columns for array in rows_of_column(column)]
