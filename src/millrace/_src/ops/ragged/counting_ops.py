"""Occurrences of integers in the rows of a ragged matrix, as a dense matrix of counts or as the parts of a sparse one.

Each value knows its row by its position among the splits. Row and value together are one key; equal keys are added up.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from millrace._src.core.array_namespace import Array, CompilingXp, Xp
from millrace._src.core.dtypes import float32, float64, int32, int64
from millrace._src.core.errors import invalid
from millrace._src.core.kernel_part import kernel_part
from millrace._src.core.op_def import op
from millrace._src.core.op_signature import TypeSet
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.ops.array.shape_checks import dims_text, unknown_dims, vector
from millrace._src.ops.ragged.row_positions import rows_of_positions
from millrace._src.ops.type_sets import INDEX

_COUNTS = TypeSet((int32, int64, float32, float64))
_NOT_BATCHED = "the number of values differs from row to row"


def _check_ends(splits: Array, count: int) -> None:
    if splits[0]:
        raise invalid(f"Splits must start with 0, not with {splits[0]}")
    if splits[-1] != count:
        raise invalid(f"Splits must end with the number of values, got {splits[-1]} instead of {count}")


# --- dense counts ----------------------------------------------------------------------------------------------------


def _bincount_shape(c: ShapeContext) -> TensorShape:
    splits, size = c.shape("splits"), c.value("size")
    count = splits.num_elements()
    is_size = size is not None and not size.ndim and size >= 0  # TensorFlow refuses another size only when it runs
    return TensorShape.of((count - 1 if count else None, int(size) if is_size else None))


def _refuse_bad_counts(splits: Array, values: Array, size: Array, weights: Array, *, binary_output: bool) -> None:
    if not splits.size:
        raise invalid("Splits must be non-empty")
    _check_ends(splits.reshape(-1), values.size)
    if values.size and values.min() < 0:
        raise invalid("Input must be non-negative")
    if weights.size not in (0, values.size):
        expected = f"weights must be empty or have the shape of values, {dims_text(values.shape)}"
        raise invalid(f"{expected}; received {dims_text(weights.shape)}")


@kernel_part
def _rows(xp: Xp, splits: Array, count: int) -> Array:
    """Returns the row of each of `count` values."""
    return rows_of_positions(splits, count)


@_rows.kernel_for("xla")
def _rows_by_xla(xp: CompilingXp, splits: Array, count: int) -> Array:
    return xp.searchsorted(splits[1:], xp.arange(count), side="right")


@op(
    "RaggedBincount",
    "splits: int64, values: Tidx, size: Tidx, weights: T -> output: T",
    Tidx=INDEX,
    T=_COUNTS,
    checks=_refuse_bad_counts,
    shape=_bincount_shape,
    constant_inputs=("size",),
    no_gradient="TensorFlow declares none for the weights; tf.math.unsorted_segment_sum has one",
    not_batched=_NOT_BATCHED,
)
def ragged_bincount_op(
    xp: Xp, splits: Array, values: Array, size: Array, weights: Array, *, binary_output: bool = False
) -> Array:
    """Counts each integer below `size` in each row of a ragged matrix, or adds up the weights of its occurrences.

    >>> weights = tf.constant([], tf.int32)
    >>> tf.raw_ops.RaggedBincount(splits=[0, 2, 3], values=[1, 1, 0], size=2, weights=weights).numpy()
    array([[0, 2],
           [1, 0]], dtype=int32)
    """
    if size.ndim:
        raise invalid(f"Shape must be rank 0 but is rank {size.ndim}")
    if size < 0:
        raise invalid(f"size ({int(size)}) must be non-negative")
    limit = int(size)
    flat_values, flat_splits = xp.reshape(values, (-1,)), xp.reshape(splits, (-1,))
    rows = _rows(xp, flat_splits, flat_values.shape[0])
    columns = xp.minimum(flat_values, limit)
    is_weighted = weights.size and not binary_output
    amounts = xp.reshape(weights, (-1,)) if is_weighted else xp.ones(flat_values.shape, dtype=weights.dtype)
    start = xp.zeros((flat_splits.shape[0] - 1, limit + 1), dtype=weights.dtype)
    return xp.scatter(start, (rows, columns), amounts, "max" if binary_output else "add")[:, :limit]


# --- sparse counts ---------------------------------------------------------------------------------------------------


def _sparse_counts_shape(c: ShapeContext) -> Sequence[TensorShape]:
    rank = c.shape("values").rank
    return (
        unknown_dims(2) if rank is None else TensorShape.of((None, rank + 1)),
        vector(None),
        vector(None if rank is None else rank + 1),
    )


@op(
    "RaggedCountSparseOutput",
    "splits: int64, values: T, weights: output_type -> "
    "output_indices: int64, output_values: output_type, output_dense_shape: int64",
    T=INDEX,
    output_type=_COUNTS,
    shape=_sparse_counts_shape,
    host_only=True,
    no_gradient="TensorFlow declares none for the weights; tf.math.unsorted_segment_sum has one",
    not_batched=_NOT_BATCHED,
)
def ragged_count_sparse_output_op(
    xp: Xp,
    splits: Array,
    values: Array,
    weights: Array,
    *,
    minlength: int = -1,
    maxlength: int = -1,
    binary_output: bool,
) -> tuple[Array, Array, Array]:
    """Counts each integer in each row of a ragged matrix; the result has a row for each row, in sparse form.

    >>> weights = tf.constant([], tf.int32)
    >>> counts = tf.raw_ops.RaggedCountSparseOutput(splits=[0, 2], values=[4, 4], weights=weights, binary_output=False)
    >>> counts.output_indices.numpy(), counts.output_values.numpy()
    (array([[0, 4]]), array([2], dtype=int32))
    """
    _check_sparse_counts(splits, values, weights, minlength, maxlength)
    rows, numbers = rows_of_positions(splits.reshape(-1), values.size), values.reshape(-1)
    is_kept = numbers < maxlength if maxlength >= 0 else np.ones(numbers.shape, np.bool_)
    rows, numbers = rows[is_kept], numbers[is_kept].astype(np.int64)
    width = max(minlength, int(numbers.max(initial=0)) + 1) if maxlength < 0 else maxlength
    keys, group = np.unique(rows * max(width, 1) + numbers, return_inverse=True)
    amounts = np.ones(numbers.shape, weights.dtype)
    if weights.size and not binary_output:
        amounts = weights.reshape(-1)[is_kept]
    counts = np.zeros(keys.shape, weights.dtype)
    if binary_output:
        counts[...] = 1
    else:
        np.add.at(counts, group.reshape(-1), amounts)
    indices = np.stack(np.divmod(keys, max(width, 1)), axis=1)
    return indices, counts, np.array([splits.size - 1, width], np.int64)


def _check_sparse_counts(splits: Array, values: Array, weights: Array, minlength: int, maxlength: int) -> None:
    for name, length in (("minlength", minlength), ("maxlength", maxlength)):
        if length < -1:
            raise invalid(f"Value for attr '{name}' of {length} must be at least minimum -1")
    if weights.size and weights.shape != values.shape:
        shapes = f"Weight shape: {dims_text(weights.shape)}; values shape: {dims_text(values.shape)}"
        raise invalid(f"Weights and values must have the same shape. {shapes}")
    if splits.size < 2:
        raise invalid("Must provide at least 2 elements for the splits argument")
    _check_ends(splits.reshape(-1), values.size)
    if values.size and values.min() < 0:
        raise invalid("Input values must all be non-negative")
