"""Sums of rows that are chosen by index, segment by segment, and the same read backwards.

To sum chosen rows is to multiply by a sparse matrix of ones: segment by row. SciPy's product reads each chosen row once
and makes no array of chosen rows. The gradient is the product with the transposed matrix. Both add in the order of the
indices, as TensorFlow does.
"""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from millrace._src.core.argument_types import DTypeLike
from millrace._src.core.array_namespace import Array

_FEW = 64
"""The most indices for which importing SciPy costs more than it saves."""


def sum_chosen_rows(data: Array, indices: Array, ids: Array, segments: int) -> Array:
    """Sums the rows `data[indices]` of each segment; `ids`, the segment of each index, are sorted."""
    if _suits_scipy(data, indices):
        matrix = _matrix(data.dtype, indices, ids, segments, len(data))
        return np.asarray(matrix @ data.reshape(len(data), -1)).reshape(segments, *data.shape[1:])
    total = np.zeros((segments, *data.shape[1:]), data.dtype)
    if ids.size:
        starts = np.flatnonzero(np.concatenate([[True], ids[1:] != ids[:-1]]))
        total[ids[starts]] = np.add.reduceat(data[indices], starts, axis=0)
    return total


def rows_added_up(grad: Array, indices: Array, ids: Array, rows: int) -> Array:
    """Adds the row of each index's segment to the row at the index, in an array of `rows` rows."""
    if _suits_scipy(grad, indices) and (ids[1:] >= ids[:-1]).all():
        matrix = _matrix(grad.dtype, indices, ids, len(grad), rows)
        return np.asarray(matrix.T @ grad.reshape(len(grad), -1)).reshape(rows, *grad.shape[1:])
    output = np.zeros((rows, *grad.shape[1:]), grad.dtype)
    np.add.at(output, indices, grad[ids])
    return output


def distinct_rows(indices: Array, rows: int) -> tuple[Array, Array]:
    """Returns the different indices below `rows`, sorted, and the number of each index among them."""
    if rows > 8 * len(indices):  # a table of all rows would cost more than a sort
        distinct, numbers = np.unique(indices, return_inverse=True)
        return distinct, numbers.reshape(-1)
    occurs = np.zeros(rows, bool)
    occurs[indices] = True
    distinct = np.flatnonzero(occurs).astype(indices.dtype)
    return distinct, (np.cumsum(occurs) - 1)[indices]


def _suits_scipy(array: Array, indices: Array) -> bool:
    return array.dtype.kind == "f" and array.dtype.itemsize >= 4 and len(indices) > _FEW


def _matrix(dtype: DTypeLike, indices: Array, ids: Array, segments: int, rows: int) -> Any:
    """Makes the matrix of ones, segment by row."""
    sparse = importlib.import_module("scipy.sparse")  # heavy, and few programs need it
    pointers = np.concatenate([[0], np.cumsum(np.bincount(ids, minlength=segments))])
    return sparse.csr_array((np.ones(len(indices), dtype), indices, pointers), shape=(segments, rows))
