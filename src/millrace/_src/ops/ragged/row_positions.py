"""Where the elements of rows lie: the arithmetic that kernels of ragged ops share.

A kernel that copies, repeats or crosses rows would loop over the rows. Each such loop is a gather at positions, and the
positions follow from the first position and the length of every row: repeat, add, count. No loop is left in Python.
"""

from __future__ import annotations

import numpy as np

from millrace._src.core.array_namespace import Array


def splits_of(lengths: Array, dtype: np.dtype[np.generic] | type[np.generic] = np.int64) -> Array:
    """Returns the row splits of rows of the given lengths.

    >>> from millrace._src.ops.ragged.row_positions import splits_of
    >>> splits_of(np.array([2, 0, 1])).tolist()
    [0, 2, 2, 3]
    """
    splits = np.zeros(lengths.size + 1, dtype)
    np.cumsum(lengths, out=splits[1:])
    return splits


def runs(firsts: Array, lengths: Array, step: int) -> Array:
    """Returns runs of numbers, one after the other: run i begins with `firsts[i]` and rises by `step`.

    A running sum of the differences of neighbours, which is twice as fast as `np.repeat`.

    >>> from millrace._src.ops.ragged.row_positions import runs
    >>> runs(np.array([7, 0, 3]), np.array([2, 0, 3]), 0).tolist()
    [7, 7, 3, 3, 3]
    """
    is_run = lengths > 0
    if not is_run.all():
        firsts, lengths = firsts[is_run], lengths[is_run]
    ends = np.cumsum(lengths)
    if not ends.size:
        return np.zeros(0, firsts.dtype)
    numbers = np.full(ends[-1], step, firsts.dtype)
    numbers[0] = firsts[0]
    numbers[ends[:-1]] = firsts[1:] - firsts[:-1] - (lengths[:-1] - 1) * step
    return np.cumsum(numbers, out=numbers)


def positions_in(starts: Array, lengths: Array) -> Array:
    """Returns the positions of the elements of rows, row after row; row i begins at `starts[i]`.

    >>> from millrace._src.ops.ragged.row_positions import positions_in
    >>> positions_in(np.array([7, 0, 3]), np.array([2, 0, 3])).tolist()
    [7, 8, 3, 4, 5]
    """
    return runs(starts, lengths, 1)


def rows_of_positions(splits: Array, count: int) -> Array:
    """Returns the row of each of `count` values: the first row whose end lies behind the value.

    >>> from millrace._src.ops.ragged.row_positions import rows_of_positions
    >>> rows_of_positions(np.array([0, 2, 2, 3]), 3).tolist()
    [0, 0, 2]
    """
    return np.searchsorted(np.maximum.accumulate(splits[1:]), np.arange(count), side="right")
