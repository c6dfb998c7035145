"""Reductions of rows that carry a segment number, in any order.

The number of segments is an input, so the size of the result is static where that input is known. Rows with a negative
segment number are dropped. The numbers may have several axes, which are the leading axes of the data.
"""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

from millrace._src.core import errors
from millrace._src.core.array_namespace import Array, CompilingXp, Xp
from millrace._src.core.context import name_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import int16, int32, int64
from millrace._src.core.kernel_part import kernel_part
from millrace._src.core.op_def import op
from millrace._src.core.op_signature import TypeSet
from millrace._src.core.shape_complaint import ShapeComplaint
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.array import index_batches
from millrace._src.ops.array.concat import concat
from millrace._src.ops.array.filling import ones
from millrace._src.ops.array.shape_ops import rank, shape
from millrace._src.ops.math.binary import maximum
from millrace._src.ops.math.broadcasting import shape_text
from millrace._src.ops.math.element_types import INDEX, INDEX_NO_DEFAULT, NUMBER, REAL
from millrace._src.ops.math.precision import in_single
from millrace._src.ops.math.segments import extreme_gradient, product_gradient
from millrace._src.ops.math.unary import sqrt
from millrace._src.ops.shape_rules import UNKNOWN
from millrace._src.util.export import export

_SIGNATURE = "data: T, segment_ids: Tindices, num_segments: Tnumsegments -> output: T"
_IDS = TypeSet([int16, int32, int64])


def unsorted_segment_shape(c: ShapeContext) -> TensorShape:
    """Returns the shape of `num_segments` entries, each of the shape that follows the axes of the segment numbers."""
    data, ids, count = c.shape("data"), c.shape("segment_ids"), c.value("num_segments")
    count_rank = c.shape("num_segments").rank
    if count_rank not in (None, 0):
        raise ShapeComplaint(
            f"Shape must be rank 0 but is rank {count_rank}",
            running=f"num_segments should be a scalar, not shape {shape_text(c.shape('num_segments'))}",
        )
    if count is not None and int(count) < 0:
        raise ShapeComplaint(
            f"Dimension size, given by scalar input 2, must be non-negative but is {int(count)}",
            running=f"Input num_segments == {int(count)} must not be negative.",
        )
    if ids.dim_sizes is None:
        return UNKNOWN
    _check_prefix(data, ids)
    if data.dim_sizes is None:
        return UNKNOWN
    return TensorShape.of((None if count is None else int(count), *data.dim_sizes[len(ids.dim_sizes) :]))


def _check_prefix(data: TensorShape, ids: TensorShape) -> None:
    if data.dim_sizes is None or ids.dim_sizes is None:
        return
    running = f"data.shape = {shape_text(data)} does not start with segment_ids.shape = {shape_text(ids)}"
    if len(ids.dim_sizes) > len(data.dim_sizes):
        raise ShapeComplaint(
            f"Shape must be at least rank {len(ids.dim_sizes)} but is rank {len(data.dim_sizes)}", running=running
        )
    for m, n in zip(data.dim_sizes, ids.dim_sizes, strict=False):
        if None not in (m, n) and m != n:
            raise ShapeComplaint(f"Dimensions must be equal, but are {m} and {n}", running=running)


def refuse_segments_outside(data: Array, segment_ids: Array, num_segments: Array) -> None:
    """Raises InvalidArgumentError for a segment that is not below the number of segments."""
    ids, count = segment_ids, num_segments
    if count.ndim or not ids.size or ids.max() < count:
        return
    if count >= 0 and data.shape[: ids.ndim] == ids.shape:
        position = np.unravel_index(np.argmax(ids >= count), ids.shape)
        where = f"[{','.join(map(str, position))}]" if ids.ndim else ""
        raise errors.InvalidArgumentError(
            None, None, f"segment_ids{where} = {ids[position]} is out of range [0, {count})"
        )


def _combine(xp: Xp, mode: str, data: Array, ids: Array, num_segments: Array, empty: Any) -> Array:
    """Scatters the rows of `data` with `mode`; rows with negative numbers are dropped."""
    count = -1 if num_segments.ndim else int(num_segments)
    if count < 0 or data.shape[: ids.ndim] != ids.shape:
        raise ValueError("shapes do not match")
    return _scatter(xp, mode, data.reshape((ids.size, *data.shape[ids.ndim :])), ids.reshape(-1), count, empty)


@kernel_part
def _scatter(xp: Xp, mode: str, rows: Array, ids: Array, count: int, empty: Any) -> Array:
    wide_ids = xp.astype(ids, np.int64)
    start = xp.full((count + 1, *rows.shape[1:]), empty, dtype=rows.dtype)
    return xp.scatter(start, (xp.where(wide_ids < 0, xp.asarray(count, np.int64), wide_ids),), rows, mode)[:count]


@_scatter.kernel_for("xla")
def _scatter_by_xla(xp: CompilingXp, mode: str, rows: Array, ids: Array, count: int, empty: Any) -> Array:
    """Scatters rows without an extra row, which would cost a copy of the result: XLA drops what is outside."""
    dtype = np.dtype(np.int64 if ids.dtype.itemsize > 4 or count > _LARGEST_INT32 else np.int32)
    targets = xp.where(ids < 0, np.asarray(count, dtype), xp.astype(ids, dtype))
    return xp.scatter(xp.full((count, *rows.shape[1:]), empty, dtype=rows.dtype), (targets,), rows, mode)


_LARGEST_INT32 = np.iinfo(np.int32).max


def _extreme_of(dtype: Any, *, highest: bool) -> Any:
    info = np.iinfo(dtype) if dtype.kind in "iu" else ml_dtypes.finfo(dtype)
    return info.max if highest else info.min


_SEGMENTS: dict[str, Any] = {
    "Tnumsegments": INDEX,
    "checks": refuse_segments_outside,
    "shape": unsorted_segment_shape,
    "constant_inputs": ("num_segments",),
    "batching": index_batches.segments,
    "refuses": ("segment_ids", "num_segments"),
}


@export("math.unsorted_segment_sum", v1=["unsorted_segment_sum", "math.unsorted_segment_sum"])
@op(
    "UnsortedSegmentSum",
    _SIGNATURE,
    T=NUMBER,
    Tindices=_IDS,
    **_SEGMENTS,
)
def unsorted_segment_sum(xp: Xp, data: Array, segment_ids: Array, num_segments: Array) -> Array:
    """Sums the rows of each segment, in any order.

    >>> tf.math.unsorted_segment_sum([[1, 2], [3, 4], [5, 6]], [1, -1, 1], num_segments=2).numpy()
    array([[0, 0],
           [6, 8]], dtype=int32)

    Args:
      data: A `Tensor` of numbers.
      segment_ids: A `Tensor` of integers whose shape is the start of that of `data`. Negative numbers drop the row.
      num_segments: How many segments there are, a scalar.

    Returns: A `Tensor` with one row per segment; 0 for segments without rows.
    Raises: InvalidArgumentError: if a number is too large or the shapes do not fit.
    """
    return in_single(xp, lambda x: _combine(xp, "add", x, segment_ids, num_segments, 0), data)


@unsorted_segment_sum.added_to
def _add_to_segments(xp: Xp, total: Array, data: Array, segment_ids: Array, num_segments: Array) -> Array | None:
    """Adds `data` to the named rows of `total`; in a loop, such sums are the gradient of a gather."""
    count, row_shape = int(num_segments), data.shape[segment_ids.ndim :]
    if total.shape != (count, *row_shape) or data.shape[: segment_ids.ndim] != segment_ids.shape:
        return None
    ids = xp.astype(xp.reshape(segment_ids, (-1,)), np.dtype(np.int64))
    rows = xp.reshape(data, (segment_ids.size, *row_shape))
    return _add_rows(xp, total, ids, rows)


@kernel_part
def _add_rows(xp: Xp, total: Array, ids: Array, rows: Array) -> Array | None:
    if ids.size and ids.max() >= total.shape[0]:
        return None  # the op says which number is out of range
    np.add.at(total, ids[ids >= 0], rows[ids >= 0])
    return total


@_add_rows.kernel_for("xla")
def _scatter_rows(xp: CompilingXp, total: Array, ids: Array, rows: Array) -> Array:
    return xp.scatter(total, (xp.where(ids < 0, total.shape[0], ids),), rows, "add")


def gather_kept(rows: Tensor, ids: Tensor) -> Any:
    """Gathers the row of each id, 0 for negative ids."""
    gathered_rows = raw.GatherV2(params=rows, indices=raw.Maximum(x=ids, y=raw.ZerosLike(x=ids)), axis=np.int32(0))
    is_kept = ids >= 0
    data_rank, ids_rank = gathered_rows.shape.rank, ids.shape.rank
    if data_rank is not None and ids_rank is not None:
        for _ in range(data_rank - ids_rank):
            is_kept = raw.ExpandDims(input=is_kept, dim=np.int32(-1))
    else:
        extra = raw.OnesLike(x=raw.Shape(input=rows)[1:])
        sizes = raw.ConcatV2(values=[raw.Shape(input=ids), extra], axis=np.int32(0))
        is_kept = raw.Reshape(tensor=is_kept, shape=sizes)
    return raw.SelectV2(condition=is_kept, t=gathered_rows, e=raw.ZerosLike(x=gathered_rows))


@unsorted_segment_sum.gradient
def unsorted_segment_sum_gradient(doutput: Tensor, segment_ids: Tensor) -> tuple[Tensor, None, None]:
    return gather_kept(doutput, segment_ids), None, None


@export("math.unsorted_segment_max", v1=["unsorted_segment_max", "math.unsorted_segment_max"])
@op(
    "UnsortedSegmentMax",
    _SIGNATURE,
    T=REAL,
    Tindices=INDEX_NO_DEFAULT,
    **_SEGMENTS,
)
def unsorted_segment_max(xp: Xp, data: Array, segment_ids: Array, num_segments: Array) -> Array:
    """Computes the element-wise maximum of the rows of each segment, in any order.

    >>> tf.math.unsorted_segment_max([1, 3, 2], [0, 0, 1], num_segments=2).numpy()
    array([3, 2], dtype=int32)

    Args:
      data: A `Tensor` of real numbers.
      segment_ids: A `Tensor` of integers whose shape is the start of that of `data`. Negative numbers drop the row.
      num_segments: How many segments there are, a scalar.

    Returns: A `Tensor` with one row per segment; the smallest number of the dtype for segments without rows.
    Raises: InvalidArgumentError: if a number is too large or the shapes do not fit.
    """
    return _combine(xp, "max", data, segment_ids, num_segments, _extreme_of(data.dtype, highest=False))


@export("math.unsorted_segment_min", v1=["unsorted_segment_min", "math.unsorted_segment_min"])
@op(
    "UnsortedSegmentMin",
    _SIGNATURE,
    T=REAL,
    Tindices=INDEX_NO_DEFAULT,
    **_SEGMENTS,
)
def unsorted_segment_min(xp: Xp, data: Array, segment_ids: Array, num_segments: Array) -> Array:
    """Computes the element-wise minimum of the rows of each segment, in any order.

    >>> tf.math.unsorted_segment_min([1, 3, 2], [0, 0, 1], num_segments=2).numpy()
    array([1, 2], dtype=int32)

    Args:
      data: A `Tensor` of real numbers.
      segment_ids: A `Tensor` of integers whose shape is the start of that of `data`. Negative numbers drop the row.
      num_segments: How many segments there are, a scalar.

    Returns: A `Tensor` with one row per segment; the largest number of the dtype for segments without rows.
    Raises: InvalidArgumentError: if a number is too large or the shapes do not fit.
    """
    return _combine(xp, "min", data, segment_ids, num_segments, _extreme_of(data.dtype, highest=True))


@unsorted_segment_max.gradient
def unsorted_segment_max_gradient(
    doutput: Tensor, data: Tensor, segment_ids: Tensor, num_segments: Tensor, output: Tensor
) -> tuple[Tensor, None, None]:
    def add_up(x: Tensor) -> Any:
        return raw.UnsortedSegmentSum(data=x, segment_ids=segment_ids, num_segments=num_segments)

    dx = extreme_gradient(doutput, data, output, lambda rows: gather_kept(rows, segment_ids), add_up)
    return dx, None, None


unsorted_segment_min.gradient(unsorted_segment_max_gradient)


@export("math.unsorted_segment_prod", v1=["unsorted_segment_prod", "math.unsorted_segment_prod"])
@op(
    "UnsortedSegmentProd",
    _SIGNATURE,
    T=NUMBER,
    Tindices=INDEX_NO_DEFAULT,
    **_SEGMENTS,
)
def unsorted_segment_prod(xp: Xp, data: Array, segment_ids: Array, num_segments: Array) -> Array:
    """Multiplies the rows of each segment, in any order.

    >>> tf.math.unsorted_segment_prod([2, 3, 4], [0, 0, 1], num_segments=3).numpy()
    array([6, 4, 1], dtype=int32)

    Args:
      data: A `Tensor` of numbers.
      segment_ids: A `Tensor` of integers whose shape is the start of that of `data`. Negative numbers drop the row.
      num_segments: How many segments there are, a scalar.

    Returns: A `Tensor` with one row per segment; 1 for segments without rows.
    Raises: InvalidArgumentError: if a number is too large or the shapes do not fit.
    """
    return in_single(xp, lambda x: _combine(xp, "mul", x, segment_ids, num_segments, 1), data)


@unsorted_segment_prod.gradient
def unsorted_segment_prod_gradient(
    doutput: Tensor, data: Tensor, segment_ids: Tensor, num_segments: Tensor, output: Tensor
) -> tuple[Tensor, None, None]:
    dx = product_gradient(
        doutput,
        data,
        output,
        lambda rows: gather_kept(rows, segment_ids),
        lambda x: raw.UnsortedSegmentSum(data=x, segment_ids=segment_ids, num_segments=num_segments),
        lambda x: raw.UnsortedSegmentProd(data=x, segment_ids=segment_ids, num_segments=num_segments),
    )
    return dx, None, None


def _segment_counts(data: Tensor, segment_ids: Tensor, num_segments: Any) -> tuple[Tensor, Tensor]:
    """Counts the rows of each segment.

    Returns the counts, at least 1, with as many axes as the result; and the ids as a tensor.
    """
    ids = convert_to_tensor(segment_ids)
    count = convert_to_tensor(num_segments)
    totals = unsorted_segment_sum(ones(shape(ids), dtype=data.dtype), ids, count)
    counts_shape = concat([count[None], ones([rank(data) - rank(ids)], dtype=count.dtype)], axis=0)
    return maximum(raw.Reshape(tensor=totals, shape=counts_shape), 1), ids


@export("math.unsorted_segment_mean", v1=["unsorted_segment_mean", "math.unsorted_segment_mean"])
def unsorted_segment_mean(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Tensor:
    """Computes the mean of the rows of each segment, in any order.

    >>> tf.math.unsorted_segment_mean([1.0, 2.0, 5.0], [0, 0, 1], num_segments=3).numpy()
    array([1.5, 5. , 0. ], dtype=float32)

    Args:
      data: A `Tensor` of floating point or complex numbers.
      segment_ids: A `Tensor` of integers whose shape is the start of that of `data`. Negative numbers drop the row.
      num_segments: How many segments there are, a scalar.
      name: A name for the operation (optional).

    Returns: A `Tensor` with one row per segment; 0 for segments without rows.
    """
    with name_scope(name, "UnsortedSegmentMean"):
        data = convert_to_tensor(data)
        counts, ids = _segment_counts(data, segment_ids, num_segments)
        return unsorted_segment_sum(data, ids, num_segments) / counts


@export("math.unsorted_segment_sqrt_n", v1=["unsorted_segment_sqrt_n", "math.unsorted_segment_sqrt_n"])
def unsorted_segment_sqrt_n(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Tensor:
    """Divides the sum of the rows of each segment by the square root of their number, in any order.

    >>> tf.math.unsorted_segment_sqrt_n([1.0, 2.0, 5.0], [0, 0, 1], num_segments=3).numpy()
    array([2.1213..., 5.       , 0.       ], dtype=float32)

    Args:
      data: A `Tensor` of floating point or complex numbers.
      segment_ids: A `Tensor` of integers whose shape is the start of that of `data`. Negative numbers drop the row.
      num_segments: How many segments there are, a scalar.
      name: A name for the operation (optional).

    Returns: A `Tensor` with one row per segment; 0 for segments without rows.
    """
    with name_scope(name, "UnsortedSegmentSqrtN"):
        data = convert_to_tensor(data)
        counts, ids = _segment_counts(data, segment_ids, num_segments)
        return unsorted_segment_sum(data, ids, num_segments) / sqrt(counts)
