"""Combining rows at indices that may repeat.

NumPy's `ufunc.at` is quick for single numbers at a vector of indices, and slow for rows and for several axes. So the
indexed axes become one. Sums of rows are a product with a sparse matrix of ones, position by row, which SciPy runs
row by row in the order of the rows. For extremes and products the rows are sorted by position, so that the rows of a
position are a run (`util.segment_reductions`).
"""

from __future__ import annotations

import importlib
import math
from typing import Any

import numpy as np

from millrace._src.core.argument_types import DTypeLike
from millrace._src.core.array_namespace import Array
from millrace._src.util.segment_reductions import combine_runs, run_starts

_UFUNCS = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "min": np.minimum,
    "max": np.maximum,
}
_LARGE = 1 << 14
"""Numbers from which on importing SciPy and sorting pay."""
_FEW = 4
"""How many times as many rows a table has where few of its rows change: what is read and written are these alone."""
_SMALL = 1 << 9
"""Numbers up to which NumPy's `at` is quickest as it is."""
_SPARSE_TYPES = "bBhHiIlLqQfdFD"


def scatter(x: Array, index: Any, updates: Array, mode: str, *, may_change: bool = False) -> Array:
    """Returns `x` with `updates` combined at `x[index]`, repeated indices in order.

    Args:
      x: any array.
      index: a tuple of arrays of indices, or of anything else that NumPy takes as an index.
      updates: an array that broadcasts to the shape of `x[index]`.
      mode: set, add, sub, mul, div, min or max.
      may_change: whether `x` itself may be changed, if it is in C order; else a copy is.
    """
    result = x if may_change and x.flags.c_contiguous else np.array(x, copy=True, order="C")
    if mode == "set":
        result[index] = updates
    elif updates.size <= _SMALL or not _is_by_positions(index) or updates.shape != _indexed_shape(x, index):
        _UFUNCS[mode].at(result, index, updates)
    else:
        table = result.reshape(math.prod(x.shape[: len(index)]), -1) if x.size else result
        positions = index[0].reshape(-1) if len(index) == 1 else _positions(index, x.shape)
        _combine(table, positions, updates.reshape(positions.size, -1) if updates.size else updates, mode)
    return result


def _is_by_positions(index: object) -> bool:
    """Returns whether an index consists of arrays of integers of one shape."""
    if not (isinstance(index, tuple) and index and all(isinstance(part, np.ndarray) for part in index)):
        return False
    return all(part.dtype.kind in "iu" and part.shape == index[0].shape for part in index)


def _indexed_shape(x: Array, index: tuple[Array, ...]) -> tuple[int, ...]:
    """Returns the shape of `x[index]`."""
    shape: tuple[int, ...] = index[0].shape + x.shape[len(index) :]
    return shape


def _positions(index: tuple[Array, ...], shape: tuple[int, ...]) -> Array:
    """Returns the numbers of the rows, where the indexed axes are one."""
    positions = index[0].reshape(-1).astype(np.int64)
    _refuse_outside(positions, shape[0])
    for part, size in zip(index[1:], shape[1:], strict=False):
        flat_part = part.reshape(-1)
        _refuse_outside(flat_part, size)
        positions *= size
        positions += flat_part
    return positions


def _refuse_outside(indices: Array, size: int) -> None:
    """Raises IndexError for an index out of range."""
    if indices.size and (indices.min() < 0 or indices.max() >= size):
        raise IndexError(f"indices are not in [0, {size})")


def _combine(table: Array, positions: Array, rows: Array, mode: str) -> None:
    """Changes rows of `table`: combines each with the rows that belong there."""
    ufunc = _UFUNCS[mode]
    if not rows.size:
        return
    if rows.shape[1] == 1:
        ufunc.at(table.reshape(-1), positions, rows.reshape(-1))
        return
    if rows.dtype.char == "e":  # sums of runs would be more accurate than one after the other
        ufunc.at(table, positions, rows)
        return
    _refuse_outside(positions, len(table))
    if rows.size < _LARGE or mode == "div" or len(rows) * _FEW <= len(table):
        _combine_in_order(table, positions, rows, ufunc)
    elif mode in ("add", "sub") and rows.dtype.char in _SPARSE_TYPES:
        ufunc(table, _matrix_of_ones(positions, len(table), rows.dtype) @ rows, out=table)
    else:
        found_positions, combined_rows = _combine_by_position(positions, rows, np.add if mode == "sub" else ufunc)
        table[found_positions] = ufunc(table[found_positions], combined_rows)


def _combine_in_order(table: Array, positions: Array, rows: Array, ufunc: np.ufunc) -> None:
    """Changes rows of `table` one after the other, as `ufunc.at` does: equal values in a fraction of the time.

    A row of the table and the rows that belong there stand together, in their order, and each run is combined. Zero may
    lose its sign.
    """
    order = np.argsort(positions, kind="stable")
    ordered_positions = positions.take(order)
    starts = run_starts(ordered_positions)
    if len(starts) == len(positions):  # no position occurs twice
        table[positions] = ufunc(table.take(positions, axis=0), rows)
        return
    found_positions = ordered_positions.take(starts)
    run_begins = starts + np.arange(len(starts))
    runs = np.empty((len(rows) + len(starts), rows.shape[1]), rows.dtype)
    is_row = np.ones(len(runs), bool)
    is_row[run_begins] = False
    runs[run_begins] = table.take(found_positions, axis=0)
    runs[is_row] = rows.take(order, axis=0)
    if runs.size >= _LARGE and ufunc in (np.add, np.subtract) and rows.dtype.char in _SPARSE_TYPES:
        signs = np.where(is_row, -1, 1) if ufunc is np.subtract else np.ones(len(runs))
        table[found_positions] = _sum_runs(runs, run_begins, signs.astype(rows.dtype))
    elif ufunc is np.add:  # `reduceat` would add in pairs
        ufunc.at(table, positions, rows)
    else:
        table[found_positions] = ufunc.reduceat(runs, run_begins, axis=0, dtype=rows.dtype)


def _sum_runs(rows: Array, begins: Array, signs: Array) -> Array:
    """Returns the sum of each run of rows, in their order, each row with its sign."""
    sparse = importlib.import_module("scipy.sparse")  # heavy, and few programs need it
    parts = signs, np.arange(len(rows)), np.append(begins, len(rows))
    sums: Array = sparse.csr_array(parts, shape=(begins.size, len(rows))) @ rows
    return sums


def _matrix_of_ones(positions: Array, count: int, dtype: DTypeLike) -> Any:
    """Returns the sparse matrix that holds 1 at each position, a column for each row that is to be added."""
    sparse = importlib.import_module("scipy.sparse")  # heavy, and few programs need it
    columns = np.arange(positions.size + 1)
    return sparse.csc_array((np.ones(positions.size, dtype), positions, columns), shape=(count, positions.size))


def _combine_by_position(positions: Array, rows: Array, ufunc: np.ufunc) -> tuple[Array, Array]:
    """Returns the distinct positions, and for each the combination of its rows in their order."""
    if (positions[1:] < positions[:-1]).any():
        ranks = positions.astype(np.int64) << 32
        ranks |= np.arange(positions.size)
        ranks.sort()
        positions, rows = ranks >> 32, rows.take(ranks & 0xFFFFFFFF, axis=0)
    starts, combined_rows = combine_runs(rows, run_starts(positions), ufunc)
    return positions[starts], combined_rows
