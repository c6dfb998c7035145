"""The op behind `tf.gather` of a ragged tensor: rows of any depth, picked by number.

The elements of a row lie side by side at every depth. So the splits of the picked rows follow from their lengths, one
depth after the other, and the innermost values are one gather at positions that are computed for all rows at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.dtypes import int64
from millrace._src.core.errors import invalid
from millrace._src.core.indexed_slices import IndexedSlices
from millrace._src.core.op_def import op
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.array.gathering import refuse_outside
from millrace._src.ops.array.shape_checks import UNKNOWN, vector, with_rank, with_rank_at_least
from millrace._src.ops.array.shape_ops import shape_tensor
from millrace._src.ops.gradient_rules import values_for
from millrace._src.ops.ragged.row_positions import positions_in, splits_of
from millrace._src.ops.type_sets import ANY, INDEX


def _gather_shapes(c: ShapeContext) -> Sequence[TensorShape]:
    for splits in c.shapes("params_nested_splits"):
        with_rank(splits, 1)
    values = with_rank_at_least(c.shape("params_dense_values"), 1)
    count = c.attr("OUTPUT_RAGGED_RANK")
    dims = with_rank(c.shape("indices"), count - c.attr("PARAMS_RAGGED_RANK") + 1)
    sizes: list[int | None] = [None] * count
    for i in range(min(len(dims), count)):
        rows = TensorShape.of(dims[: i + 1]).num_elements()
        sizes[i] = None if rows is None else rows + 1
    result = UNKNOWN if values is None else TensorShape.of((None, *values[1:]))
    return [*map(vector, sizes), result]


def _check_params(nested_splits: list[Array], values: Array) -> None:
    if not values.ndim:
        raise invalid("params.rank must be nonzero")
    for i, splits in enumerate(nested_splits):
        inner_rows = len(nested_splits[i + 1]) - 1 if i + 1 < len(nested_splits) else len(values)
        if not splits.size:
            raise invalid("Ragged splits may not be empty")
        if splits[0] < 0:
            raise invalid("Ragged splits must be non-negative")
        if (splits[1:] < splits[:-1]).any():
            raise invalid("Ragged splits must be sorted")
        if splits[-1] > inner_rows:
            raise invalid("Ragged splits must not point past values")


def _uniform_splits(dims: Sequence[int], dtype: Any) -> list[Array]:
    """Returns the splits of the dimensions of `indices` after the first one."""
    return [
        np.arange(int(np.prod(dims[:i])) + 1, dtype=dtype) * np.asarray(dims[i], dtype) for i in range(1, len(dims))
    ]


@op(
    "RaggedGather",
    "params_nested_splits: PARAMS_RAGGED_RANK * Tsplits, params_dense_values: Tvalues, indices: Tindices -> "
    "output_nested_splits: OUTPUT_RAGGED_RANK * Tsplits, output_dense_values: Tvalues",
    Tvalues=ANY,
    Tindices=INDEX,
    Tsplits=INDEX.with_default(int64),
    shape=_gather_shapes,
    host_only=True,
    not_batched="the number of values differs from row to row",
)
def ragged_gather_op(
    xp: Xp,
    params_nested_splits: list[Array],
    params_dense_values: Array,
    indices: Array,
    *,
    OUTPUT_RAGGED_RANK: int,
) -> tuple[list[Array], Array]:
    """Picks the rows of a ragged tensor at `indices`.

    >>> rows = tf.raw_ops.RaggedGather(params_nested_splits=[tf.constant([0, 2, 3], tf.int64)],
    ...                                params_dense_values=[1, 2, 3], indices=[1, 0], OUTPUT_RAGGED_RANK=1)
    >>> rows.output_nested_splits[0].numpy(), rows.output_dense_values.numpy()
    (array([0, 1, 3]), array([3, 1, 2], dtype=int32))
    """
    if not params_nested_splits:
        raise invalid("Value for attr 'PARAMS_RAGGED_RANK' of 0 must be at least minimum 1")
    expected_rank = len(params_nested_splits) + indices.ndim - 1
    if expected_rank != OUTPUT_RAGGED_RANK:
        rank = OUTPUT_RAGGED_RANK - len(params_nested_splits) + 1
        raise invalid(f"Shape must be rank {rank} but is rank {indices.ndim}")
    _check_params(params_nested_splits, params_dense_values)
    refuse_outside(indices, params_nested_splits[0].size - 1)
    dtype = params_nested_splits[0].dtype
    rows = indices.reshape(-1)
    starts, limits = params_nested_splits[0][rows], params_nested_splits[0][rows + 1]
    picked_splits = [splits_of(limits - starts, dtype)]
    for splits in params_nested_splits[1:]:
        bounds = positions_in(starts, limits - starts)
        picked_splits.append(splits_of(splits[bounds + 1] - splits[bounds], dtype))
        starts, limits = splits[starts], splits[limits]
    values = np.take(params_dense_values, positions_in(starts, limits - starts), axis=0)
    if not indices.ndim:  # one row: its bounds are not a dimension of the result
        picked_splits = picked_splits[1:]
    return _uniform_splits(indices.shape, dtype) + picked_splits, values


@ragged_gather_op.gradient
@values_for(params_dense_values=())
def ragged_gather_gradient(
    splits_gradients: object,
    dy: Tensor,
    params_nested_splits: Sequence[Tensor],
    params_dense_values: Tensor,
    indices: Tensor,
) -> tuple[list[None], IndexedSlices, None]:
    """Returns IndexedSlices that say from which row of the values each value of the result was taken."""
    splits = params_nested_splits[0]
    for inner_splits in params_nested_splits[1:]:
        splits = raw.GatherV2(params=inner_splits, indices=splits, axis=0)
    shape = shape_tensor(params_dense_values)
    positions = raw.Range(start=0, limit=raw.Cast(x=shape[0], DstT=splits.dtype), delta=1)
    rows = raw.Reshape(tensor=indices, shape=[-1])
    picked = raw.RaggedGather(
        params_nested_splits=[splits], params_dense_values=positions, indices=rows, OUTPUT_RAGGED_RANK=1
    )
    slices = IndexedSlices(values=dy, indices=picked.output_dense_values, dense_shape=shape)
    return [None] * len(params_nested_splits), slices, None
