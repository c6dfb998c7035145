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
        values = x.flat_values
        if axis == x.ragged_rank:
            rows = x.nested_value_rowids()[-1]
            return x.with_flat_values(_sums(values, rows, exclusive, reverse))
        groups = _groups(x, axis)
        order = argsort(groups, stable=True)
        values, groups = (raw.GatherV2(params=v, indices=order, axis=0) for v in (values, groups))
        sums = _sums(values, groups, exclusive, reverse)
        places = raw.InvertPermutation(x=order)
        return x.with_flat_values(raw.GatherV2(params=sums, indices=places, axis=0))


def _groups(x: RaggedTensor, axis: int) -> Any:
    """Returns, for each of the flat values, a number that stands for its coordinates but the one along `axis`."""
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


def _sums(values: Any, groups: Any, exclusive: bool, reverse: bool) -> Any:
    """Adds up the values of each group, which lie side by side, up to each value."""
    wide = raw.Cast(x=values, DstT=float64) if values.dtype.is_floating else values
    before = raw.Cumsum(x=wide, axis=0, exclusive=True)
    starts = raw.GatherV2(params=before, indices=_first_places(groups), axis=0)
    sums = before - starts if exclusive != reverse else before - starts + wide
    if reverse:
        ends = raw.GatherV2(params=sums if exclusive is reverse else sums + wide, indices=_last_places(groups), axis=0)
        sums = ends - sums
    return raw.Cast(x=sums, DstT=values.dtype)


def _first_places(groups: Any) -> Any:
    """Returns for each element of a vector of equal neighbours the place of the first one like it."""
    return _run_bounds(groups, first=True)


def _last_places(groups: Any) -> Any:
    return _run_bounds(groups, first=False)


def _run_bounds(groups: Any, first: bool) -> Any:
    """Returns for each element the place where its run of equal elements begins, or ends."""
    _, runs, counts = raw.UniqueWithCounts(x=groups, out_idx=int64)
    ends = raw.Cumsum(x=counts, axis=0)
    bounds = ends - counts if first else ends - 1
    return raw.GatherV2(params=bounds, indices=runs, axis=0)
