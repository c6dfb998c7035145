"""The overload of `tf.cumsum`: sums of the elements before each element, along any axis of a ragged tensor.

Along the innermost ragged axis each row is summed on its own: one running sum of all values, less its value where the
row begins, in double precision. Along an outer axis the values are first put in order of their other coordinates, so
that the values to sum lie side by side.
"""

from __future__ import annotations

from typing import Any

from millrace._src.core.context import name_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import float64, int64
from millrace._src.core.overloads import overload
from millrace._src.ops import raw
from millrace._src.ops.array.ranges import range_
from millrace._src.ops.array.shape_ops import shape_tensor
from millrace._src.ops.array.sorting import argsort
from millrace._src.ops.ragged.ragged_dims import known_axis
from millrace._src.ops.ragged.ragged_tensor import RaggedTensor
from millrace._src.ops.ragged.row_partition import RowPartition


@overload("math.cumsum", RaggedTensor)
def ragged_cumsum(
    x: Any, axis: Any = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None
) -> Any:
    """Adds up the elements before each element along an axis."""
    with name_scope(name, "RaggedCumSum"):
        axis = known_axis(axis, x.shape.rank)
        if axis > x.ragged_rank:
            inner_axis = axis - x.ragged_rank
            return x.with_flat_values(
                raw.Cumsum(x=x.flat_values, axis=inner_axis, exclusive=exclusive, reverse=reverse)
            )
        if axis == x.ragged_rank:
            return x.with_flat_values(_sums(x.flat_values, x._nested_row_partitions[-1], exclusive, reverse))
        groups = _groups(x, axis)
        order = argsort(groups, stable=True)
        values, groups = (raw.GatherV2(params=v, indices=order, axis=0) for v in (x.flat_values, groups))
        _, _, sizes = raw.UniqueWithCounts(x=groups, out_idx=int64)
        sums = _sums(values, RowPartition.from_row_lengths(sizes, validate=False), exclusive, reverse)
        original_order = raw.InvertPermutation(x=order)
        return x.with_flat_values(raw.GatherV2(params=sums, indices=original_order, axis=0))


def _groups(x: RaggedTensor, axis: int) -> Any:
    """Returns, for each of the flat values, a number that identifies its coordinates but the one along `axis`."""
    sizes = x.bounding_shape(out_type=int64)
    number: Any = convert_to_tensor(0, dtype=int64)
    position = range_(shape_tensor(x.flat_values, out_type=int64)[0], dtype=int64)
    stride: Any = convert_to_tensor(1, dtype=int64)
    for a in reversed(range(x.ragged_rank + 1)):
        coordinate = position
        if a:
            partition = x._nested_row_partitions[a - 1].with_dtype(int64)
            coordinate = raw.GatherV2(params=partition.offsets_in_rows(), indices=position, axis=0)
            position = raw.GatherV2(params=partition.value_rowids(), indices=position, axis=0)
        if a != axis:
            number, stride = number + coordinate * stride, stride * sizes[a]
    return number


def _sums(values: Any, partition: RowPartition, exclusive: bool, reverse: bool) -> Any:
    """Adds up the values of each row up to each value."""
    wide = raw.Cast(x=values, DstT=float64) if values.dtype.is_floating else values
    zero = raw.ZerosLike(x=raw.Sum(input=wide, reduction_indices=[0], keep_dims=True))
    running = raw.ConcatV2(values=[zero, raw.Cumsum(x=wide, axis=0)], axis=0)
    bounds = partition.row_limits() if reverse else partition.row_starts()
    at_bounds = raw.GatherV2(params=running, indices=bounds, axis=0)
    base = raw.GatherV2(params=at_bounds, indices=partition.value_rowids(), axis=0)
    up_to_values = running[:-1] if exclusive != reverse else running[1:]
    sums = base - up_to_values if reverse else up_to_values - base
    return raw.Cast(x=sums, DstT=values.dtype)
