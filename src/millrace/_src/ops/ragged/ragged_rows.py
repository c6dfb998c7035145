"""Rows of ragged tensors picked and joined: what the overloads of `tf.gather`, `tf.concat` and `tf.tile` share.

Rows of any depth lie side by side, so picking rows is one op, `RaggedGather`, and joining tensors along the first axis
is one concatenation of flat values and one of row lengths a depth. Every function here takes dense tensors too.

Tests: tests/oracle/programs/ragged_arrays.py
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from millrace._src.ops import raw
from millrace._src.ops.array.ranges import range_
from millrace._src.ops.array.shape_ops import shape_tensor
from millrace._src.ops.ragged.broadcasting import nest_partitions
from millrace._src.ops.ragged.partition_checks import depend_on_checks
from millrace._src.ops.ragged.ragged_tensor import RaggedTensor
from millrace._src.ops.ragged.row_partition import RowPartition


def gather(params: object, indices: Any, *, keeps_lengths: bool = True) -> Any:
    """Picks the rows of `params` at `indices`; either may be ragged.

    Args:
      params: a Tensor or RaggedTensor.
      indices: an integer Tensor of known rank, or RaggedTensor.
      keeps_lengths: whether rows that are known to have one length are known to have it afterwards. `tf.gather` forgets
        it, as TensorFlow's does: Keras's tests tell ragged batches by that.

    Returns: The rows in the shape of `indices`, ragged where `indices` is or where the rows are.
    """
    if isinstance(indices, RaggedTensor):
        return indices.with_values(gather(params, indices.values, keeps_lengths=keeps_lengths))
    if not isinstance(params, RaggedTensor):
        return raw.GatherV2(params=params, indices=indices, axis=0)
    if indices.shape.rank is None:
        raise ValueError("rank(indices) must be known statically")
    partitions = params._nested_row_partitions
    found = raw.RaggedGather(
        params_nested_splits=[partition.row_splits() for partition in partitions],
        params_dense_values=params.flat_values,
        indices=indices,
        OUTPUT_RAGGED_RANK=len(partitions) + indices.shape.rank - 1,
    )
    splits_of_all = found.output_nested_splits
    lengths = _uniform_lengths(indices, partitions) if keeps_lengths else [None] * len(splits_of_all)
    picked_partitions = [
        RowPartition._of(splits, uniform_row_length=length)
        for splits, length in zip(splits_of_all, lengths, strict=True)
    ]
    return nest_partitions(found.output_dense_values, picked_partitions)


def _uniform_lengths(indices: Any, partitions: Sequence[RowPartition]) -> list[Any]:
    """Returns for each dimension of picked rows the length that all its rows have, None where they may differ."""
    own_lengths = [partition.uniform_row_length() for partition in partitions]
    if not indices.shape.rank:
        return own_lengths[1:]
    return [None] * (indices.shape.rank - 1) + own_lengths


def with_ragged_rank(value: object, ragged_rank: int) -> RaggedTensor:
    """Returns a dense or ragged tensor with at least so many partitions; dense dimensions become uniform rows."""
    if not isinstance(value, RaggedTensor):
        made: RaggedTensor = RaggedTensor.from_tensor(value, ragged_rank=ragged_rank)
        return made
    missing = ragged_rank - value.ragged_rank
    if missing <= 0:
        return value
    return value.with_flat_values(
        RaggedTensor.from_tensor(value.flat_values, ragged_rank=missing, row_splits_dtype=value._row_partition.dtype)
    )


def with_common_ragged_rank(values: Sequence[Any]) -> list[RaggedTensor]:
    """Returns dense and ragged tensors with as many partitions each as the deepest one has, and one splits dtype."""
    ragged_rank = max(value.ragged_rank for value in values if isinstance(value, RaggedTensor))
    dtype = next(value._row_partition.dtype for value in values if isinstance(value, RaggedTensor))
    return [
        with_ragged_rank(
            value
            if isinstance(value, RaggedTensor)
            else RaggedTensor.from_tensor(value, ragged_rank=ragged_rank, row_splits_dtype=dtype),
            ragged_rank,
        )
        for value in values
    ]


def join_rows(values: Sequence[Any]) -> Any:
    """Joins dense tensors, or ragged tensors of one ragged rank, along the first axis."""
    first = values[0]
    if len(values) == 1:
        return first
    if not isinstance(first, RaggedTensor):
        return raw.ConcatV2(values=list(values), axis=0)
    flat_values = raw.ConcatV2(values=[value.flat_values for value in values], axis=0)
    depths = zip(*(value._nested_row_partitions for value in values), strict=True)
    return nest_partitions(flat_values, [join_partitions(partitions) for partitions in depths])


def join_partitions(partitions: Sequence[RowPartition]) -> RowPartition:
    """Returns the partition that has the rows of all partitions, one after the other."""
    lengths = raw.ConcatV2(values=[partition.row_lengths() for partition in partitions], axis=0)
    return RowPartition.from_row_lengths(lengths, validate=False)


def interleave_rows(values: Sequence[RaggedTensor]) -> RaggedTensor:
    """Puts, for each row number, the rows of that number one after the other.

    Rows of `[[1], [2]]` and `[[3], []]` are `[[1], [3], [2], []]`.
    """
    first = values[0]._row_partition
    numbers = range_(first.nrows() * len(values), dtype=first.dtype)
    by_value = raw.Reshape(tensor=numbers, shape=[len(values), -1])
    order = raw.Reshape(tensor=raw.Transpose(x=by_value, perm=[1, 0]), shape=[-1])
    rows: RaggedTensor = gather(join_rows(values), order)
    return rows


def join_in_rows(values: Sequence[RaggedTensor]) -> RaggedTensor:
    """Joins, for each row number, the rows of that number: `[[1], [2]]` and `[[3], []]` give `[[1, 3], [2]]`."""
    total = values[0].row_lengths()
    for value in values[1:]:
        total = raw.AddV2(x=total, y=value.row_lengths())
    return RaggedTensor._of(interleave_rows(values).values, RowPartition.from_row_lengths(total, validate=False))


def stack_in_rows(values: Sequence[RaggedTensor]) -> RaggedTensor:
    """Makes, of the rows of each number, one row: `[[1], [2]]` and `[[3], []]` give `[[[1], [3]], [[2], []]]`."""
    rows, nrows = interleave_rows(values), values[0]._row_partition.nrows()
    splits = range_(nrows + 1, dtype=nrows.dtype) * len(values)
    return RaggedTensor._of(rows, RowPartition._of(splits))


def row_count(value: Any, dtype: Any) -> Any:
    """Returns the number of rows of a dense or ragged tensor, as a scalar of `dtype`."""
    if isinstance(value, RaggedTensor):
        return value.nrows(out_type=dtype)
    return shape_tensor(value, out_type=dtype)[0]


def validate_values(value: object, checks: Sequence[Any]) -> Any:
    """Returns a dense or ragged tensor, whose values in a graph become available after the checks have run."""
    if not checks:
        return value
    if isinstance(value, RaggedTensor):
        return value.with_flat_values(depend_on_checks(value.flat_values, checks))
    return depend_on_checks(value, checks)
