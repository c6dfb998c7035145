"""Reductions of rows that carry a segment number; the numbers are sorted.

`segment_sum(data, ids)` adds the rows of equal `ids`, which never decrease. The result has a row for each number up to
the last, so the size of the result depends on the values. Segments without rows are 0 (1 in a product).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.dtypes import float32
from millrace._src.core.errors import invalid
from millrace._src.core.op_def import op
from millrace._src.core.shape_complaint import ShapeComplaint
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.batching_rules import trailing
from millrace._src.ops.math.element_types import INDEX_NO_DEFAULT, NUMBER, REAL
from millrace._src.ops.math.precision import in_single
from millrace._src.ops.shape_rules import UNKNOWN
from millrace._src.util.export import export
from millrace._src.util.segment_reductions import combine_runs, run_starts

_SIGNATURE = "data: T, segment_ids: Tindices -> output: T"


def segment_shape(c: ShapeContext) -> TensorShape:
    """Returns the shape of an unknown number of rows like those of the data."""
    data, ids = c.shape("data"), c.shape("segment_ids")
    if data.rank == 0:
        raise ShapeComplaint("Shape must be at least rank 1 but is rank 0", running="input must be at least rank 1")
    if ids.rank not in (None, 1):
        raise ShapeComplaint(f"Shape must be rank 1 but is rank {ids.rank}", running="segment_ids should be a vector.")
    if data.dim_sizes is None:
        return UNKNOWN
    return TensorShape.of((None, *data.dim_sizes[1:]))


def _check(data: Array, ids: Array) -> None:
    if ids.ndim != 1 or data.ndim == 0:
        raise ValueError("wrong rank")
    if len(ids) != data.shape[0]:
        raise invalid("segment_ids should be the same size as dimension 0 of input.")
    if len(ids) == 0:
        return
    if ids[0] < 0:
        raise invalid(
            f"Segment id {ids[0]} out of range [0, {ids[-1] + 1}), possibly because 'segment_ids' input is not sorted."
        )
    if len(ids) > 1 and (ids[1:] < ids[:-1]).any():
        raise invalid("segment ids are not increasing")


_UFUNCS: dict[str, np.ufunc] = {"add": np.add, "mul": np.multiply, "max": np.maximum, "min": np.minimum}
_LARGE = 1 << 14
"""Numbers from which on all runs take their rows together, rather than run by run."""

_FEW_IDS = 1 << 13
"""So few numbers are counted one by one: quicker than four calls of NumPy."""


def _reduce_segments(xp: Xp, mode: str, data: Array, ids: Array, empty: float) -> Array:
    """Combines each run of rows of equal `ids`; the result is `empty` for numbers that do not occur."""
    _check(data, ids)
    shape = (int(ids[-1]) + 1 if len(ids) else 0, *data.shape[1:])
    if not data.size:
        return np.full(shape, empty, dtype=data.dtype)
    first_starts = starts = run_starts(ids)
    if data.ndim == 1 or data.size < _LARGE:
        combined_rows = _UFUNCS[mode].reduceat(data, starts, axis=0, dtype=data.dtype)
    else:
        starts, combined_rows = combine_runs(data.reshape(len(ids), -1), starts, _UFUNCS[mode])
    if starts is first_starts and len(starts) == shape[0]:  # no number is missing
        return combined_rows.reshape(shape)
    result = np.full(shape, empty, dtype=data.dtype)
    result[ids[starts]] = combined_rows.reshape(-1, *data.shape[1:])
    return result


def _count_rows(ids: Array, segments: int) -> Array:
    """Returns how many rows each segment has, but 1 for none; `ids` are sorted."""
    if len(ids) < _FEW_IDS:
        return np.maximum(np.bincount(ids, minlength=segments), 1)
    counts = np.ones(segments, np.int64)
    starts = run_starts(ids)
    counts[ids[starts]] = np.diff(starts, append=len(ids))
    return counts


@export("math.segment_sum", v1=["segment_sum", "math.segment_sum"])
@op(
    "SegmentSum",
    _SIGNATURE,
    T=NUMBER,
    Tindices=INDEX_NO_DEFAULT,
    shape=segment_shape,
    host_only=True,
    batching=trailing("data"),
)
def segment_sum(xp: Xp, data: Array, segment_ids: Array) -> Array:
    """Sums the rows of each segment.

    >>> tf.math.segment_sum([[1, 2], [3, 4], [5, 6]], [0, 0, 1]).numpy()
    array([[4, 6],
           [5, 6]], dtype=int32)

    Args:
      data: A `Tensor` of numbers with at least one axis.
      segment_ids: An int32 or int64 vector with a number for each row of `data`, sorted; numbers may repeat.

    Returns: A `Tensor` with one row per segment; 0 for segments without rows.
    Raises: InvalidArgumentError: if the numbers are negative, not sorted, or not one per row.
    """
    return in_single(xp, lambda x: _reduce_segments(xp, "add", x, segment_ids, 0), data)


@segment_sum.gradient
def segment_sum_gradient(doutput: Tensor, segment_ids: Tensor) -> tuple[Tensor, None]:
    return gather_rows(doutput, segment_ids), None


def gather_rows(rows: Tensor, ids: Tensor) -> Any:
    """Gathers the row of each id."""
    return raw.GatherV2(params=rows, indices=ids, axis=np.int32(0))


@export("math.segment_mean", v1=["segment_mean", "math.segment_mean"])
@op(
    "SegmentMean",
    _SIGNATURE,
    T=NUMBER,
    Tindices=INDEX_NO_DEFAULT,
    shape=segment_shape,
    host_only=True,
    batching=trailing("data"),
)
def segment_mean(xp: Xp, data: Array, segment_ids: Array) -> Array:
    """Computes the mean of the rows of each segment; means of integers are rounded towards zero.

    >>> tf.math.segment_mean([1.0, 2.0, 4.0], [0, 0, 1]).numpy()
    array([1.5, 4. ], dtype=float32)

    Args:
      data: A `Tensor` of numbers with at least one axis.
      segment_ids: An int32 or int64 vector with a number for each row of `data`, sorted; numbers may repeat.

    Returns: A `Tensor` with one row per segment; 0 for segments without rows.
    Raises: InvalidArgumentError: if the numbers are negative, not sorted, or not one per row.
    """

    def mean(x: Array) -> Array:
        total = _reduce_segments(xp, "add", x, segment_ids, 0)
        counts = _count_rows(segment_ids, len(total)).reshape(-1, *[1] * (x.ndim - 1))
        if x.dtype.kind in "iu":
            return (np.sign(total) * (np.abs(total) // counts)).astype(x.dtype)
        return total / counts.astype(x.dtype)

    return in_single(xp, mean, data)


@segment_mean.gradient
def segment_mean_gradient(doutput: Tensor, data: Tensor, segment_ids: Tensor) -> tuple[Tensor, None]:
    ones = raw.Cast(x=raw.OnesLike(x=segment_ids), DstT=doutput.dtype)
    counts = gather_rows(raw.SegmentSum(data=ones, segment_ids=segment_ids), segment_ids)
    return gather_rows(doutput, segment_ids) / _as_column(counts, data), None


def _as_column(vector: Tensor, like: Tensor) -> Any:
    """Gives a vector as many axes as `like`, so that the vector broadcasts along the rows."""
    rank = like.shape.rank
    if rank is not None:
        return raw.Reshape(tensor=vector, shape=np.array([-1] + [1] * (rank - 1), np.int32))
    ones = raw.OnesLike(x=raw.Shape(input=like)[1:])
    return raw.Reshape(tensor=vector, shape=raw.ConcatV2(values=[np.array([-1], np.int32), ones], axis=np.int32(0)))


@export("math.segment_max", v1=["segment_max", "math.segment_max"])
@op(
    "SegmentMax",
    _SIGNATURE,
    T=REAL,
    Tindices=INDEX_NO_DEFAULT,
    shape=segment_shape,
    host_only=True,
    batching=trailing("data"),
)
def segment_max(xp: Xp, data: Array, segment_ids: Array) -> Array:
    """Computes the element-wise maximum of the rows of each segment.

    >>> tf.math.segment_max([1.0, 3.0, 2.0], [0, 0, 1]).numpy()
    array([3., 2.], dtype=float32)

    Args:
      data: A `Tensor` of real numbers with at least one axis.
      segment_ids: An int32 or int64 vector with a number for each row of `data`, sorted; numbers may repeat.

    Returns: A `Tensor` with one row per segment; 0 for segments without rows.
    Raises: InvalidArgumentError: if the numbers are negative, not sorted, or not one per row.
    """
    return _reduce_segments(xp, "max", data, segment_ids, 0)


@export("math.segment_min", v1=["segment_min", "math.segment_min"])
@op(
    "SegmentMin",
    _SIGNATURE,
    T=REAL,
    Tindices=INDEX_NO_DEFAULT,
    shape=segment_shape,
    host_only=True,
    batching=trailing("data"),
)
def segment_min(xp: Xp, data: Array, segment_ids: Array) -> Array:
    """Computes the element-wise minimum of the rows of each segment.

    >>> tf.math.segment_min([1.0, 3.0, 2.0], [0, 0, 1]).numpy()
    array([1., 2.], dtype=float32)

    Args:
      data: A `Tensor` of real numbers with at least one axis.
      segment_ids: An int32 or int64 vector with a number for each row of `data`, sorted; numbers may repeat.

    Returns: A `Tensor` with one row per segment; 0 for segments without rows.
    Raises: InvalidArgumentError: if the numbers are negative, not sorted, or not one per row.
    """
    return _reduce_segments(xp, "min", data, segment_ids, 0)


@segment_max.gradient
def segment_max_gradient(doutput: Tensor, data: Tensor, segment_ids: Tensor, output: Tensor) -> tuple[Tensor, None]:
    return extreme_gradient(
        doutput,
        data,
        output,
        lambda rows: gather_rows(rows, segment_ids),
        lambda x: raw.SegmentSum(data=x, segment_ids=segment_ids),
    ), None


segment_min.gradient(segment_max_gradient)


def extreme_gradient(
    doutput: Tensor,
    data: Tensor,
    output: Tensor,
    gather: Callable[[Tensor], Tensor],
    add_up: Callable[[Tensor], Tensor],
) -> Any:
    """Differentiates a maximum or minimum per segment: the rows that reach the extreme share its gradient equally."""
    is_extreme = raw.Equal(x=data, y=gather(output))
    count = add_up(raw.Cast(x=is_extreme, DstT=doutput.dtype))
    share = gather(raw.DivNoNan(x=doutput, y=count))  # no element is the maximum of a segment without rows
    return raw.SelectV2(condition=is_extreme, t=share, e=raw.ZerosLike(x=share))


@export("math.segment_prod", v1=["segment_prod", "math.segment_prod"])
@op(
    "SegmentProd",
    _SIGNATURE,
    T=NUMBER,
    Tindices=INDEX_NO_DEFAULT,
    shape=segment_shape,
    host_only=True,
    batching=trailing("data"),
)
def segment_prod(xp: Xp, data: Array, segment_ids: Array) -> Array:
    """Multiplies the rows of each segment.

    >>> tf.math.segment_prod([2.0, 3.0, 4.0], [0, 0, 1]).numpy()
    array([6., 4.], dtype=float32)

    Args:
      data: A `Tensor` of numbers with at least one axis.
      segment_ids: An int32 or int64 vector with a number for each row of `data`, sorted; numbers may repeat.

    Returns: A `Tensor` with one row per segment; 1 for segments without rows.
    Raises: InvalidArgumentError: if the numbers are negative, not sorted, or not one per row.
    """
    return in_single(xp, lambda x: _reduce_segments(xp, "mul", x, segment_ids, 1), data)


@segment_prod.gradient
def segment_prod_gradient(doutput: Tensor, data: Tensor, segment_ids: Tensor, output: Tensor) -> tuple[Tensor, None]:
    return product_gradient(
        doutput,
        data,
        output,
        lambda rows: gather_rows(rows, segment_ids),
        lambda x: raw.SegmentSum(data=x, segment_ids=segment_ids),
        lambda x: raw.SegmentProd(data=x, segment_ids=segment_ids),
    ), None


def product_gradient(
    doutput: Tensor,
    data: Tensor,
    output: Tensor,
    gather: Callable[[Tensor], Tensor],
    add_up: Callable[[Tensor], Tensor],
    multiply_up: Callable[[Tensor], Tensor],
) -> Any:
    """Differentiates a product per segment: the gradient is the product of the *other* rows, also where rows are 0."""
    zeros, ones = raw.ZerosLike(x=data), raw.OnesLike(x=data)
    is_zero = raw.Equal(x=data, y=zeros)
    has_several_zeros = add_up(raw.Cast(x=is_zero, DstT=float32)) > 1.0
    gradient = raw.SelectV2(condition=has_several_zeros, t=raw.ZerosLike(x=doutput), e=doutput)
    nonzero = raw.SelectV2(condition=is_zero, t=ones, e=data)
    other_products = raw.SelectV2(condition=is_zero, t=gather(multiply_up(nonzero)), e=gather(output) / nonzero)
    return gather(gradient) * other_products
