"""What kernels refuse in the three arrays of a sparse tensor, in words that several of TensorFlow's kernels share.

Tests: tests/oracle/programs/sparse_features.py
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from millrace._src.core.array_namespace import Array
from millrace._src.core.errors import invalid
from millrace._src.core.shape_context import ShapeContext
from millrace._src.ops.array.shape_checks import Dim, with_rank
from millrace._src.ops.sparse.coordinates import are_inside


def check_parts(indices: Array, values: Array, shape: Array) -> None:
    """Refuses arrays of other ranks and sizes than those of a sparse tensor."""
    for name, array, rank in (("indices", indices, 2), ("values", values, 1), ("shape", shape, 1)):
        if array.ndim != rank:
            raise invalid(f"Sparse {name} must be rank {rank} but is rank {array.ndim}")
    if len(indices) != len(values):
        raise invalid(f"Number of elements in indices ({len(indices)}) and values ({len(values)}) do not match")
    if indices.shape[1] != len(shape):
        raise invalid(f"Index rank ({indices.shape[1]}) and shape rank ({len(shape)}) do not match")


def check_dims(dims: Sequence[int]) -> None:
    """Refuses a dense shape with a negative dimension."""
    if min(dims, default=0) < 0:
        raise invalid(f"Expected shape dimensions to be non-negative, got {min(dims)}")


def check_bounds(indices: Array, dims: Sequence[int]) -> None:
    """Refuses a coordinate out of bounds."""
    if not are_inside(indices, dims):
        is_outside = ((indices < 0) | (indices >= np.array(dims, np.int64))).any(axis=1)
        at = int(np.argmax(is_outside))
        raise invalid(f"Sparse index tuple indices[{at}, :] = {indices[at].tolist()} is out of bounds")


def traced_parts(c: ShapeContext, indices: str, values: str, shape: str) -> tuple[Dim, Dim, Dim]:
    """Returns the number of elements and the rank by the indices, and the rank by the dense shape.

    Raises: ValueError: if the parts are known not to have the ranks of the parts of a sparse tensor.
    """
    count, rank = with_rank(c.shape(indices), 2)
    (value_count,) = with_rank(c.shape(values), 1)
    (dense_rank,) = with_rank(c.shape(shape), 1)
    return value_count if count is None else count, rank, dense_rank
