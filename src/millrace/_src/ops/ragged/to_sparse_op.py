"""The op `RaggedTensorToSparse`: the coordinates of all values of a ragged tensor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.dtypes import int64
from millrace._src.core.errors import invalid
from millrace._src.core.op_def import op
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.array.shape_ops import shape_tensor
from millrace._src.ops.type_sets import ANY, INDEX


def _to_sparse_shape(c: ShapeContext) -> list[TensorShape]:
    values, ragged_rank = c.shape("rt_dense_values"), len(c.shapes("rt_nested_splits"))
    for splits in c.shapes("rt_nested_splits"):
        splits.assert_has_rank(1)
    rank = None if values.rank is None else values.rank + ragged_rank
    size = values.num_elements()
    return [TensorShape([size, rank]), TensorShape([size]), TensorShape([rank])]


@op(
    "RaggedTensorToSparse",
    "rt_nested_splits: RAGGED_RANK * Tsplits, rt_dense_values: T "
    "-> sparse_indices: int64, sparse_values: T, sparse_dense_shape: int64",
    T=ANY,
    Tsplits=INDEX.with_default(int64),
    shape=_to_sparse_shape,
    host_only=True,
    not_batched="the rows of a batch have partitions of different sizes",
)
def ragged_tensor_to_sparse(
    xp: Xp, rt_nested_splits: list[Array], rt_dense_values: Array
) -> tuple[Array, Array, Array]:
    """Returns the indices, values and dense shape of the sparse tensor with the values of a ragged tensor.

    >>> indices, _, shape = tf.raw_ops.RaggedTensorToSparse(rt_nested_splits=[[0, 2, 3]], rt_dense_values=[7, 8, 9])
    >>> indices.numpy().tolist(), shape.numpy().tolist()
    ([[0, 0], [0, 1], [1, 0]], [2, 2])
    """
    check_nested_splits(rt_nested_splits, rt_dense_values)
    nrows = rt_nested_splits[0].size - 1
    indices = np.arange(nrows, dtype=np.int64)[:, None]
    dense_shape = [nrows]
    for splits in rt_nested_splits:
        lengths = splits[1:] - splits[:-1]
        indices = _with_columns(indices, splits, lengths)
        dense_shape.append(lengths.max(initial=0))
    inner_dims = rt_dense_values.shape[1:]
    if inner_dims:
        indices = _with_inner_columns(indices, inner_dims)
    return indices, rt_dense_values.reshape(-1), np.array([*dense_shape, *inner_dims], np.int64)


def _with_columns(indices: Array, splits: Array, lengths: Array) -> Array:
    """Returns the coordinates of the next dimension: those of the row, repeated, and the column in the row."""
    row_table = np.column_stack([indices, -splits[:-1].astype(np.int64)])
    table = np.repeat(row_table, lengths, axis=0)
    table[:, -1] += np.arange(len(table))
    return table


def _with_inner_columns(indices: Array, inner_dims: Sequence[int]) -> Array:
    """Returns the coordinates of all elements of dense values."""
    inner = np.indices(inner_dims, dtype=np.int64).reshape(len(inner_dims), -1).T
    return np.hstack([np.repeat(indices, len(inner), axis=0), np.tile(inner, (len(indices), 1))])


def check_nested_splits(nested_splits: Sequence[Array], values: Array) -> None:
    """Refuses row splits that do not partition the values.

    Raises: InvalidArgumentError: if row splits are empty, do not begin with 0, decrease, or do not end with the values.
    """
    if not nested_splits:
        raise invalid("Value for attr 'RAGGED_RANK' of 0 must be at least minimum 1")
    sizes: list[Any] = [splits.size - 1 for splits in nested_splits[1:]]
    for splits, size in zip(nested_splits, [*sizes, values.shape[0] if values.ndim else None], strict=True):
        if not splits.size:
            raise invalid("ragged splits may not be empty.")
        if splits.reshape(-1)[0] != 0:
            raise invalid("First value of ragged splits must be 0.")
        decreasing = np.flatnonzero(splits[1:] < splits[:-1])
        if decreasing.size:
            at = int(decreasing[0])
            pair = f"{splits[at]} followed by {splits[at + 1]}"
            raise invalid(f"Ragged splits should be non decreasing, but we got {pair}")
        if splits.reshape(-1)[-1] != size:
            raise invalid("Final value of ragged splits must match the length the corresponding ragged values.")


@ragged_tensor_to_sparse.gradient
def ragged_tensor_to_sparse_gradient(
    d_indices: Tensor, d_values: Tensor, d_shape: Tensor, rt_nested_splits: list[Tensor], rt_dense_values: Tensor
) -> tuple[Any, ...]:
    """Gives the gradient of the values their shape."""
    gradient = raw.Reshape(tensor=d_values, shape=shape_tensor(rt_dense_values))
    return [None] * len(rt_nested_splits), gradient
