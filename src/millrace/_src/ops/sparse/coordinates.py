"""The coordinates of the elements of a sparse tensor: in order, within bounds, as positions in the dense tensor.

Problem: most kernels of sparse tensors sort, merge or compare coordinates, the rows of a matrix of indices `[n, rank]`.
To compare rows costs `rank` times what it costs to compare numbers, and more in Python.

Idea: a coordinate becomes one number, its *position* in the flat dense tensor. Positions are ordered as coordinates
are. Where the dense tensor has more than 2**63 elements there are no such numbers, and rows are compared after all.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.errors import invalid
from millrace._src.core.kernel_part import kernel_part
from millrace._src.ops.array.shape_checks import dims_text

OWN_COORDINATES = "each row has its own coordinates"
"""Why an op of sparse tensors goes through the rows of a batch one by one."""

_MAX_POSITIONS = 2**63


def strides_of(dims: Sequence[int]) -> list[int]:
    """Returns how many elements of a dense tensor lie between neighbours along each axis."""
    return [math.prod(dims[axis + 1 :]) for axis in range(len(dims))]


def positions(xp: Any, indices: Array, dims: Sequence[int]) -> Array:
    """Returns the positions in the flat dense tensor, of fewer than 2**63 elements, of coordinates within bounds.

    Args:
      xp: the array namespace of a kernel, or NumPy where the arrays are the host's.
      indices: a matrix of coordinates.
      dims: the dense shape.
    """
    if not dims:
        return xp.zeros(indices.shape[0], indices.dtype)
    *strides, _ = strides_of(dims)
    total = indices[:, -1]
    for axis, stride in enumerate(strides):
        total = total + indices[:, axis] * stride
    return total


def have_positions(dims: Sequence[int]) -> bool:
    """Returns whether every coordinate of a dense tensor has a position that is an int64."""
    return math.prod(max(dim, 1) for dim in dims) < _MAX_POSITIONS


def are_inside(indices: Array, dims: Sequence[int]) -> bool:
    """Returns whether all coordinates are within the bounds of a dense tensor."""
    if not indices.size:
        return True
    if min(dims) <= 0:
        return False
    columns = indices.T.view(f"u{indices.itemsize}")  # a negative index becomes a large one
    return all(int(column.max()) < size for column, size in zip(columns, dims, strict=True))


def sort_keys(indices: Array, dims: Sequence[int]) -> Array | None:
    """Returns a number for each coordinate, ordered as the coordinates are; None where there are no such numbers."""
    return positions(np, indices, dims) if have_positions(dims) and are_inside(indices, dims) else None


def are_sorted(keys: Array) -> bool:
    """Returns whether no number is less than the number before."""
    return bool((keys[1:] >= keys[:-1]).all())


def are_increasing(keys: Array) -> bool:
    """Returns whether each number is greater than the number before."""
    return bool((keys[1:] > keys[:-1]).all())


@kernel_part
def order_of_coordinates(xp: Xp, indices: Array, dims: Array) -> Array | None:
    """Returns the permutation that puts coordinates in order, None if they are known to be in order.

    Equal coordinates stay as they are.
    """
    keys = sort_keys(indices, dims.tolist())
    if keys is None:
        return np.lexsort(indices.T[::-1]) if indices.shape[1] else None
    return None if are_sorted(keys) else order_of_keys(keys)


@order_of_coordinates.kernel_for("xla")
def _order_by_axes(xp: Xp, indices: Array, dims: Array) -> Array:
    """Orders by the last axis first; each stable sort keeps the order of the axes behind."""
    order = xp.arange(indices.shape[0])
    for axis in reversed(range(indices.shape[1])):
        order = xp.take(order, xp.argsort(xp.take(indices[:, axis], order), stable=True))
    return order


def take(xp: Xp, rows: Array, order: Array | None) -> Array:
    """Returns rows in the order of a permutation; the rows themselves where there is none."""
    return rows if order is None else xp.take(rows, order, axis=0)


def validate_positions(indices: Array, dims: Sequence[int]) -> Array:
    """Returns the positions of coordinates that are within bounds, in order, and different.

    Raises: InvalidArgumentError: for the first other coordinate, or if there are too many elements for positions.
    """
    keys = sort_keys(indices, dims)
    if keys is not None and are_increasing(keys):
        return keys
    require_order(indices, dims)
    raise invalid(f"Shape {dims_text(dims)} would have more than 2**63 - 1 elements")


def require_order(indices: Array, dims: Sequence[int]) -> None:
    """Refuses coordinates that are out of bounds, out of order or repeated.

    Raises: InvalidArgumentError: for the first such coordinate.
    """
    is_outside = ((indices < 0) | (indices >= np.array(dims, np.int64))).any(axis=1)
    comparison = np.ones(len(indices), np.int64)
    comparison[1:] = _compare(indices[1:], indices[:-1])
    is_bad = is_outside | (comparison <= 0)
    if is_bad.any():
        at = int(np.argmax(is_bad))
        raise invalid(_complaint(at, indices[at], dims, bool(is_outside[at]), int(comparison[at])))


def _compare(coordinates: Array, others: Array) -> Array:
    """Returns 1, 0 or -1 for each coordinate that is behind, at, or before the other one."""
    signs = np.sign(coordinates - others)
    result = np.zeros(len(coordinates), np.int64)
    for axis in range(coordinates.shape[1]):
        result = np.where(result == 0, signs[:, axis], result)
    return result


def _complaint(at: int, coordinate: Array, dims: Sequence[int], is_outside: bool, comparison: int) -> str:
    where = f"indices[{at}] = {dims_text(coordinate.tolist())}"
    if is_outside:
        return f"{where} is out of bounds: need 0 <= index < {dims_text(dims)}"
    if comparison < 0:
        return (
            f"{where} is out of order. Many sparse ops require sorted indices.\n"
            "    Use `tf.sparse.reorder` to create a correctly ordered copy.\n\n"
        )
    return f"{where} is repeated"


def common_keys(matrices: Sequence[Array], dims: Sequence[int] | None = None) -> list[Array]:
    """Returns a number for each coordinate of several matrices, ordered as all these coordinates are.

    Args:
      matrices: matrices of indices, of one rank.
      dims: the dense shape, if the caller knows one; coordinates out of bounds get a number all the same.
    """
    if dims is None or not all(are_inside(matrix, dims) for matrix in matrices):
        dims = _bounds(matrices)
    if dims is not None and have_positions(dims):
        return [positions(np, matrix, dims) for matrix in matrices]
    _, numbers = np.unique(np.concatenate(matrices), axis=0, return_inverse=True)
    return np.split(numbers.reshape(-1), np.cumsum([len(matrix) for matrix in matrices])[:-1])


def _bounds(matrices: Sequence[Array]) -> list[int] | None:
    """Returns the smallest dense shape that contains all coordinates; None if an index is negative."""
    indices = [matrix for matrix in matrices if matrix.size]
    if any(int(matrix.min()) < 0 for matrix in indices):
        return None
    rank = matrices[0].shape[1]
    return [max((int(matrix[:, axis].max()) for matrix in indices), default=0) + 1 for axis in range(rank)]


def order_of_keys(keys: Array) -> Array:
    """Returns the permutation that puts numbers in order; equal numbers stay as they are.

    The quick sort is five times as fast as the stable one on numbers in random order, and as good where all differ.
    """
    order = np.argsort(keys)
    sorted_keys = keys[order]
    return order if are_increasing(sorted_keys) else np.argsort(keys, kind="stable")


def occurrences(sorted_keys: Array) -> Array:
    """Returns how often each number occurred before, in a vector of numbers in order."""
    numbers = np.arange(len(sorted_keys))
    is_first = np.ones(len(sorted_keys), bool)
    is_first[1:] = sorted_keys[1:] != sorted_keys[:-1]
    return numbers - np.maximum.accumulate(np.where(is_first, numbers, 0))
