"""Counts of integers as sparse tensors: how often each integer occurs in each row of a dense, sparse or ragged input.

Every op brings its input to two vectors, the row and the integer of each element. Row and integer together are one key,
so that one sort of the keys groups equal integers of a row, in the order of the result.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.dtypes import float32, float64, int32, int64
from millrace._src.core.errors import invalid
from millrace._src.core.op_def import op
from millrace._src.core.op_signature import TypeSet
from millrace._src.core.shape_complaint import ShapeComplaint
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.ops.array.shape_checks import dims_text, merge_dims, with_rank
from millrace._src.ops.math.element_types import INDEX_NO_DEFAULT

_WEIGHTS = TypeSet([int32, int64, float32, float64])
_RESULT = "output_indices: int64, output_values: output_type, output_dense_shape: int64"
_COUNTS = "counts are not differentiable"
_NOT_BATCHED = "the number of elements differs from row to row"
_FACTS: dict[str, Any] = {
    "T": INDEX_NO_DEFAULT,
    "output_type": _WEIGHTS,
    "host_only": True,
    "no_gradient": _COUNTS,
    "not_batched": _NOT_BATCHED,
}


def _result_shapes(rank: int | None) -> Sequence[TensorShape]:
    return TensorShape.of((None, rank)), TensorShape.of((None,)), TensorShape.of((rank,))


def _require_weights(weights: Array, values: Array, what: str) -> None:
    if weights.size and weights.shape != values.shape:
        shapes = f"Weight shape: {dims_text(weights.shape)}; {what} shape: {dims_text(values.shape)}"
        raise invalid(f"Weights and {what} must have the same shape. {shapes}")


def _count(
    rows: Array | None, row_count: int, numbers: Array, weights: Array, minlength: int, maxlength: int, binary: bool
) -> tuple[Array, Array, Array]:
    """Counts, or adds up the weights of, equal numbers of a row; returns the parts of a sparse tensor.

    Args:
      rows: the row of each number; None for a vector.
      row_count: how many rows there are.
      numbers: the numbers, a vector.
      weights: as many weights; an empty vector counts each number as 1.
      minlength: the least length of a row of the result.
      maxlength: the length of a row of the result, if not negative; larger numbers are not counted.
      binary: whether the result is 1 for each number that occurs.
    """
    for name, limit in (("minlength", minlength), ("maxlength", maxlength)):
        if limit < -1:
            raise invalid(f"Value for attr '{name}' of {limit} must be at least minimum -1")
    if numbers.size and int(numbers.min()) < 0:
        raise invalid("Input values must all be non-negative")
    length = maxlength if maxlength >= 0 else max(minlength, int(numbers.max(initial=0)) + 1)
    keys = numbers.astype(np.int64) if rows is None else rows * length + numbers
    if maxlength >= 0:
        is_counted = numbers < maxlength
        keys, weights = keys[is_counted], weights[is_counted] if weights.size else weights
    found_keys, amounts = _amounts_by_key(keys, weights, row_count * length, binary)
    if rows is None:
        return found_keys[:, None], amounts, np.array([length], np.int64)
    indices = np.stack(np.divmod(found_keys, max(length, 1)), axis=1)
    return indices, amounts, np.array([row_count, length], np.int64)


def _amounts_by_key(keys: Array, weights: Array, key_count: int, binary: bool) -> tuple[Array, Array]:
    """Adds up the weights of equal keys; returns the different keys in order, and the sums."""
    if key_count <= 4 * len(keys) and (binary or not weights.size):
        occurrences = np.bincount(keys, minlength=key_count)  # no sort is needed where most keys occur
        found_keys = np.flatnonzero(occurrences)
        counts = occurrences[found_keys]
        return found_keys, np.ones_like(counts, weights.dtype) if binary else counts.astype(weights.dtype)
    if binary or not weights.size:
        found_keys, counts = np.unique(keys, return_counts=True)
        return found_keys, (np.ones_like(counts) if binary else counts).astype(weights.dtype)
    order = np.argsort(keys, kind="stable")
    sorted_keys = keys[order]
    starts = np.flatnonzero(np.concatenate([[True], sorted_keys[1:] != sorted_keys[:-1]])) if len(keys) else order
    if not len(keys):
        return sorted_keys, weights[:0]
    return sorted_keys[starts], np.add.reduceat(weights.reshape(-1)[order], starts)


# --- dense -----------------------------------------------------------------------------------------------------------


def _dense_shapes(c: ShapeContext) -> Sequence[TensorShape]:
    values, weights = c.shape("values").dim_sizes, c.shape("weights").dim_sizes
    if weights is not None and weights != (0,) and None not in weights and values is not None:
        try:
            merge_dims(weights, values)
        except ValueError as fault:
            shapes = f"Weight shape: {dims_text(weights)}; data shape: {dims_text(values)}"
            running = f"Weights and data must have the same shape. {shapes}"
            raise ShapeComplaint(str(fault), running=running) from None
    return _result_shapes(len(values) if values is not None else None)


@op("DenseCountSparseOutput", f"values: T, weights: output_type -> {_RESULT}", shape=_dense_shapes, **_FACTS)
def dense_count_sparse_output(
    xp: Xp, values: Array, weights: Array, *, minlength: int = -1, maxlength: int = -1, binary_output: bool
) -> tuple[Array, Array, Array]:
    """Counts each integer of a vector, or of each row of a matrix, into a sparse tensor.

    >>> tf.raw_ops.DenseCountSparseOutput(
    ...     values=[1, 1, 3], weights=tf.constant([], tf.int64), binary_output=False
    ... ).output_values.numpy()
    array([2, 1])
    """
    if values.ndim not in (1, 2):
        raise invalid(f"Input must be a 1 or 2-dimensional tensor. Got: {dims_text(values.shape)}")
    _require_weights(weights, values, "data")
    rows, row_count = None, 1
    if values.ndim == 2:
        row_count = values.shape[0]
        rows = np.repeat(np.arange(row_count), values.shape[1])
    numbers, amounts = values.reshape(-1), weights.reshape(-1)
    return _count(rows, row_count, numbers, amounts, minlength, maxlength, binary_output)


# --- sparse ----------------------------------------------------------------------------------------------------------


def _sparse_count_shapes(c: ShapeContext) -> Sequence[TensorShape]:
    indices = c.shape("indices")
    if indices.rank not in (None, 2):
        running = f"Input indices must be a 2-dimensional tensor. Got: {dims_text(indices)}"
        raise ShapeComplaint(f"Shape must be rank 2 but is rank {indices.rank}", running=running)
    return _result_shapes(None if indices.dim_sizes is None else indices.dim_sizes[1])


def _require_parts(indices: Array, values: Array, dense_shape: Array) -> None:
    if indices.ndim != 2:
        raise invalid(f"Input indices must be a 2-dimensional tensor. Got: {dims_text(indices.shape)}")
    if values.ndim != 1:
        raise invalid(f"Input values must be a vector. Got: {dims_text(values.shape)}")
    if dense_shape.ndim != 1:
        raise invalid(f"Input dense_shape must be a vector. Got: {dims_text(dense_shape.shape)}")
    if len(values) != len(indices):
        counts = f"Got {len(values)} values, indices shape: {dims_text(indices.shape)}"
        raise invalid(f"Number of values must match first dimension of indices.{counts}")
    if len(dense_shape) != indices.shape[1]:
        counts = f"Got {len(dense_shape)} dimensions, indices shape: {dims_text(indices.shape)}"
        raise invalid(f"Number of dimensions must match second dimension of indices.{counts}")


def _require_inside(indices: Array, dense_shape: Array) -> None:
    is_outside = (indices < 0) | (indices >= dense_shape)
    if not is_outside.any():
        return
    row, column = np.argwhere(is_outside)[0].tolist()
    sizes = " ".join(map(str, dense_shape.tolist()))
    raise invalid(
        f"Invalid index value at {row}: dimension {column} has value {indices[row, column]} which is not in "
        f"[0, {dense_shape[column]}) (as given by dense shape Tensor<type: int64 shape: [{len(dense_shape)}] "
        f"values: {sizes}>"
    )


@op(
    "SparseCountSparseOutput",
    f"indices: int64, values: T, dense_shape: int64, weights: output_type -> {_RESULT}",
    shape=_sparse_count_shapes,
    **_FACTS,
)
def sparse_count_sparse_output(
    xp: Xp,
    indices: Array,
    values: Array,
    dense_shape: Array,
    weights: Array,
    *,
    minlength: int = -1,
    maxlength: int = -1,
    binary_output: bool,
) -> tuple[Array, Array, Array]:
    """Counts each integer of each row of a sparse tensor into a sparse tensor."""
    _require_parts(indices, values, dense_shape)
    _require_weights(weights, values, "values")
    is_vector = len(dense_shape) == 1
    row_count = 1 if is_vector else int(dense_shape[0])
    if row_count <= 0:
        raise invalid(f"Cannot allocate {row_count} batches, is the dense shape too wide?")
    _require_inside(indices, dense_shape)
    rows = None if is_vector else indices[:, 0]
    return _count(rows, row_count, values, weights, minlength, maxlength, binary_output)


# --- dense results ---------------------------------------------------------------------------------------------------


def _length(size: Array) -> int:
    if size.ndim:
        raise invalid(f"Shape must be rank 0 but is rank {size.ndim}")
    if size < 0:
        raise invalid(f"size ({int(size)}) must be non-negative")
    return int(size)


def _tally(rows: Array, row_count: int, numbers: Array, length: int, weights: Array, binary: bool) -> Array:
    """Counts the numbers below `length` in each row, as a matrix."""
    is_counted = (numbers >= 0) & (numbers < length)
    keys = (rows * length + numbers)[is_counted]
    if binary or not weights.size:
        counts = np.bincount(keys, minlength=row_count * length)
        totals = (np.minimum(counts, 1) if binary else counts).astype(weights.dtype)
    elif weights.dtype.kind == "f":
        totals = np.bincount(keys, weights[is_counted], row_count * length).astype(weights.dtype)
    else:
        totals = np.zeros(row_count * length, weights.dtype)
        np.add.at(totals, keys, weights[is_counted])
    return totals.reshape(row_count, length)


def _sparse_bincount_shape(c: ShapeContext) -> TensorShape:
    size, dense_shape = c.value("size"), c.value("dense_shape")
    if c.shape("size").rank not in (None, 0):
        raise ValueError(f"Shape must be rank 0 but is rank {c.shape('size').rank}")
    if size is not None and size < 0:
        raise ValueError(f"size ({int(size)}) must be non-negative")
    length = None if size is None else int(size)
    (rank,) = with_rank(c.shape("dense_shape"), 1)
    if rank is None:
        return TensorShape(None)
    if rank > 2:
        raise ShapeComplaint("Input must be less than rank 2", running="Input must be less than rank 2")
    return TensorShape.of((length,) if rank == 1 else (None if dense_shape is None else int(dense_shape[0]), length))


@op(
    "SparseBincount",
    "indices: int64, values: Tidx, dense_shape: int64, size: Tidx, weights: T -> output: T",
    Tidx=INDEX_NO_DEFAULT,
    T=_WEIGHTS,
    shape=_sparse_bincount_shape,
    host_only=True,
    no_gradient=_COUNTS,
    not_batched=_NOT_BATCHED,
)
def sparse_bincount_op(
    xp: Xp,
    indices: Array,
    values: Array,
    dense_shape: Array,
    size: Array,
    weights: Array,
    *,
    binary_output: bool = False,
) -> Array:
    """Counts each integer below `size` in a sparse vector, or in each row of a sparse matrix."""
    length = _length(size)
    if len(indices) != values.size:
        raise invalid(f"Number of elements in indices ({len(indices)}) and values ({values.size}) do not match")
    if weights.size not in (0, values.size):
        counts = f"{weights.size} weights, {values.size} values"
        raise invalid(f"Weights and values must have the same number of elements, or no weights: got {counts}")
    is_vector = len(dense_shape) == 1
    row_count = 1 if is_vector else int(dense_shape[0])
    is_outside = ((indices < 0) | (indices >= dense_shape)).any(axis=1)
    if is_outside.any():
        row = int(is_outside.argmax())
        raise invalid(f"Sparse index tuple indices[{row}, :] = {indices[row].tolist()} is out of bounds")
    rows = np.zeros(len(indices), np.int64) if is_vector else indices[:, 0]
    table = _tally(rows, row_count, values.reshape(-1), length, weights.reshape(-1), binary_output)
    return table[0] if is_vector else table
