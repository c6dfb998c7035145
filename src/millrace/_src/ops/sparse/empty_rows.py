"""`tf.sparse.fill_empty_rows`: a sparse tensor in which each row has an element.

Embeddings of bags of words divide by the number of words: a row without words gets a default word first.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.context import name_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.errors import invalid
from millrace._src.core.op_def import op
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.array.shape_checks import SCALAR, dims_text, merge_dim, require_scalar, vector, with_rank
from millrace._src.ops.sparse.coordinates import are_sorted
from millrace._src.ops.sparse.part_checks import traced_parts
from millrace._src.ops.sparse.sparse_tensor import SparseTensor, as_sparse, sparse_result
from millrace._src.ops.type_sets import ANY
from millrace._src.util.export import export


def _filled_shapes(c: ShapeContext) -> Sequence[TensorShape]:
    count, rank, dense_rank = traced_parts(c, "indices", "values", "dense_shape")
    require_scalar(c.shape("default_value"))
    dims = c.value_as_shape("dense_shape").dim_sizes
    return vector(None, merge_dim(rank, dense_rank)), vector(None), vector(dims[0] if dims else None), vector(count)


def _check_parts(indices: Array, values: Array, dense_shape: Array, default_value: Array) -> None:
    for name, array, rank, kind in (
        ("dense_shape", dense_shape, 1, "vector"),
        ("indices", indices, 2, "matrix"),
        ("values", values, 1, "vector"),
    ):
        if array.ndim != rank:
            raise invalid(f"{name} must be a {kind}, saw: {dims_text(array.shape)}")
    if len(indices) != len(values):
        raise invalid(
            f"The length of `values` ({len(values)}) must match the first dimension of `indices` ({len(indices)})."
        )
    if len(dense_shape) != indices.shape[1]:
        raise invalid(
            f"The length of `dense_shape` ({len(dense_shape)}) must match the second dimension of `indices` "
            f"({indices.shape[1]})."
        )
    if default_value.ndim:
        raise invalid(f"default_value must be a scalar, saw: {dims_text(default_value.shape)}")
    if not dense_shape.size:
        raise invalid("Dense shape cannot be empty.")


def _check_rows(rows: Array, row_count: int) -> None:
    if not row_count and rows.size:
        raise invalid(f"Received SparseTensor with dense_shape[0] = 0 but indices.shape[0] = {len(rows)}")
    if rows.size and (rows.min() < 0 or rows.max() >= row_count):
        is_outside = (rows < 0) | (rows >= row_count)
        at = int(np.argmax(is_outside))
        raise invalid(f"indices({at}, 0) is invalid: {rows[at]} >= {row_count}")


@op(
    "SparseFillEmptyRows",
    "indices: int64, values: T, dense_shape: int64, default_value: T "
    "-> output_indices: int64, output_values: T, empty_row_indicator: bool, reverse_index_map: int64",
    T=ANY,
    shape=_filled_shapes,
    host_only=True,
    not_batched="the number of empty rows differs",
)
def sparse_fill_empty_rows_op(
    xp: Xp, indices: Array, values: Array, dense_shape: Array, default_value: Array
) -> tuple[Array, Array, Array, Array]:
    """Puts a default value first in each row that has no element; the elements come in the order of rows."""
    _check_parts(indices, values, dense_shape, default_value)
    rows, row_count = indices[:, 0], int(dense_shape[0])
    _check_rows(rows, row_count)
    is_empty = np.ones(row_count, bool)
    is_empty[rows] = False
    empty_rows = np.flatnonzero(is_empty)
    numbers = np.arange(len(rows))
    order = None if are_sorted(rows) else np.argsort(rows, kind="stable")
    if order is not None:
        indices, values, rows = indices.take(order, axis=0), values[order], rows[order]
    if not len(empty_rows):
        return indices, values, is_empty, numbers if order is None else _inverse(order)
    targets = numbers + np.cumsum(is_empty)[rows]
    empty_targets = np.searchsorted(rows, empty_rows) + np.arange(len(empty_rows))
    filled_indices = np.zeros((len(rows) + len(empty_rows), indices.shape[1]), np.int64)
    filled_values = np.full(len(filled_indices), default_value, values.dtype)
    filled_indices[targets], filled_values[targets] = indices, values
    filled_indices[empty_targets, 0] = empty_rows
    return filled_indices, filled_values, is_empty, targets if order is None else targets[_inverse(order)]


def _inverse(order: Array) -> Array:
    inverse = np.empty_like(order)
    inverse[order] = np.arange(len(order))
    return inverse


@sparse_fill_empty_rows_op.gradient
def sparse_fill_empty_rows_gradient(
    d_indices: Tensor, d_values: Tensor, d_indicator: Tensor, d_map: Tensor, reverse_index_map: Tensor
) -> tuple[None, Tensor, None, Tensor]:
    """Gives each element the gradient at its new index, and the default value the sum of the others."""
    d_input, d_default = raw.SparseFillEmptyRowsGrad(reverse_index_map=reverse_index_map, grad_values=d_values)
    return None, d_input, None, d_default


def _gradient_shapes(c: ShapeContext) -> Sequence[TensorShape]:
    with_rank(c.shape("grad_values"), 1)
    return vector(with_rank(c.shape("reverse_index_map"), 1)[0]), SCALAR


@op(
    "SparseFillEmptyRowsGrad",
    "reverse_index_map: int64, grad_values: T -> d_values: T, d_default_value: T",
    T=ANY,
    shape=_gradient_shapes,
    host_only=True,
    no_gradient="TensorFlow declares no gradient for it",
    not_batched="the number of empty rows differs",
)
def sparse_fill_empty_rows_grad_op(xp: Xp, reverse_index_map: Array, grad_values: Array) -> tuple[Array, Array]:
    """Takes gradients apart into those of the elements and the sum of the default value's."""
    for name, array in (("reverse_index_map", reverse_index_map), ("grad_values", grad_values)):
        if array.ndim != 1:
            raise invalid(f"{name} must be a vector, saw: {dims_text(array.shape)}")
    count = len(grad_values)
    is_outside = (reverse_index_map < 0) | (reverse_index_map >= count)
    if is_outside.any():
        raise invalid(f"Elements in reverse index must be in [0, {count}) but got {reverse_index_map[is_outside][0]}")
    is_default = np.ones(count, bool)
    is_default[reverse_index_map] = False
    total = np.sum(grad_values[is_default], dtype=grad_values.dtype)
    return grad_values[reverse_index_map], np.asarray(total, grad_values.dtype)


@export("sparse.fill_empty_rows", v1=["sparse.fill_empty_rows", "sparse_fill_empty_rows"])
def sparse_fill_empty_rows(sp_input: Any, default_value: Any, name: str | None = None) -> tuple[SparseTensor, Any]:
    """Puts a default value first in each row of a sparse tensor that has no element.

    >>> st = tf.SparseTensor([[1, 2]], [7], [3, 4])
    >>> filled, is_empty = tf.sparse.fill_empty_rows(st, 0)
    >>> filled.indices.numpy().tolist(), is_empty.numpy().tolist()
    ([[0, 0], [1, 2], [2, 0]], [True, False, True])

    Args:
      sp_input: a SparseTensor.
      default_value: a scalar of the same dtype.
      name: name of the scope in a graph.

    Returns: A SparseTensor of the same shape, and a boolean vector that says which rows were empty.
    Raises:
      TypeError: if `sp_input` is not a SparseTensor.
      tf.errors.InvalidArgumentError: if a row is out of bounds, or `default_value` is not a scalar.
    """
    sp_input = as_sparse(sp_input)
    with name_scope(name, "SparseFillEmptyRows"):
        default_value = convert_to_tensor(default_value, dtype=sp_input.values.dtype)
        indices, values, is_empty, _ = sparse_fill_empty_rows_op(
            sp_input.indices, sp_input.values, sp_input.dense_shape, default_value
        )
        return sparse_result(indices, values, sp_input.dense_shape, sp_input.shape), is_empty
