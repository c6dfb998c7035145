"""Combining the rows of runs: neighbouring rows that belong together.

NumPy's `reduceat` calls its loop once a row. Here all runs take their first row, all their second, and so on, the
longest runs first, so that the runs that still have a row stand together. A sum is a product with a sparse matrix of
ones, which SciPy runs row by row in the order of the rows.
"""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

_Array = np.ndarray[Any, Any]
_SPARSE_TYPES = "bBhHiIlLqQfdFD"
_LONG = 256
"""A run of more than one row in so many is long: `reduceat` takes whole runs."""


def run_starts(ids: _Array) -> _Array:
    """Returns where a number differs from the one before; numbers that are equal stand together."""
    is_start = np.empty(ids.size, bool)
    is_start[:1] = True
    np.not_equal(ids[1:], ids[:-1], out=is_start[1:])
    return np.flatnonzero(is_start)


def combine_runs(rows: _Array, starts: _Array, ufunc: np.ufunc) -> tuple[_Array, _Array]:
    """Combines the rows of each run, in their order.

    Args:
      rows: a matrix.
      starts: where runs begin, rising, the first at 0.
      ufunc: the function that combines two rows, e.g. `np.maximum`.

    Returns: The starts, in another order maybe, and for each the combination of the run's rows.
    """
    counts = np.diff(starts, append=len(rows))
    if int(counts.max()) * _LONG > len(rows):
        return starts, ufunc.reduceat(rows, starts, axis=0, dtype=rows.dtype)
    if ufunc is np.add and rows.dtype.char in _SPARSE_TYPES:
        return starts, _sums(rows, starts)
    starts = starts[np.argsort(-counts)]
    with_so_many = np.cumsum(np.bincount(counts)[::-1])[::-1]
    combined_rows = rows.take(starts, axis=0)
    for number in range(1, int(counts.max())):
        active_rows = combined_rows[: with_so_many[number + 1]]
        ufunc(active_rows, rows.take(starts[: len(active_rows)] + number, axis=0), out=active_rows)
    return starts, combined_rows


def _sums(rows: _Array, starts: _Array) -> _Array:
    sparse = importlib.import_module("scipy.sparse")  # heavy, and few programs need it
    parts = np.ones(len(rows), rows.dtype), np.arange(len(rows)), np.append(starts, len(rows))
    sums: _Array = sparse.csr_array(parts, shape=(starts.size, len(rows))) @ rows
    return sums
