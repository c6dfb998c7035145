"""Counting: histograms of fixed width, occurrences of integers, numbers of buckets.

Each value is turned into the number of its bin, and the numbers are counted. The size of a result must be known when
XLA compiles, so the number of bins is a constant input.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from millrace._src.core.argument_types import TensorLike
from millrace._src.core.array_namespace import Array, CompilingXp, Xp
from millrace._src.core.context import executing_eagerly, name_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import DType, as_dtype, float32, float64, int32, int64
from millrace._src.core.errors import invalid
from millrace._src.core.kernel_part import kernel_part
from millrace._src.core.op_def import op
from millrace._src.core.op_signature import TypeSet
from millrace._src.core.shape_complaint import ShapeComplaint
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.array.shape_ops import shape as shape_of_tensor
from millrace._src.ops.array.shape_ops import size
from millrace._src.ops.math.broadcasting import shape_text
from millrace._src.ops.math.casting import cast
from millrace._src.ops.math.clipping import clip_by_value
from millrace._src.ops.math.element_types import INDEX, INDEX_NO_DEFAULT
from millrace._src.ops.math.reduce import reduce_max
from millrace._src.ops.shape_rules import same_shape
from millrace._src.util.export import export

_WEIGHTS = TypeSet([int32, int64, float32, float64])
_COUNTS = "counts are not differentiable"


_BLOCK = 1 << 16
"""The elements that are counted at once: their numbers are in the cache while they are counted."""
_MAX_PAIRED_BINS = 128
"""The most bins whose pairs are counted."""
_MAX_BINS = _BLOCK // 8
"""The most bins whose counts are added up block by block."""


def histogram_shape(c: ShapeContext) -> TensorShape:
    """Returns the shape of a vector of `nbins` counts."""
    range_shape, nbins, nbins_rank = c.shape("value_range"), c.value("nbins"), c.shape("nbins").rank
    if range_shape.rank not in (None, 1):
        raise ValueError(f"Shape must be rank 1 but is rank {range_shape.rank}")
    if range_shape.dim_sizes not in (None, (None,), (2,)):
        running = "value_range should be a vector of 2 elements."
        raise ShapeComplaint(f"Dimension must be 2 but is {range_shape[0]}", running=running)
    if nbins_rank not in (None, 0):
        raise ShapeComplaint(f"Shape must be rank 0 but is rank {nbins_rank}", running="nbins should be a scalar.")
    if nbins is None:
        return TensorShape.of((None,))
    if int(nbins) <= 0:
        running = f"nbins should be a positive number, but got '{int(nbins)}'"
        raise ShapeComplaint(f"Requires nbins > 0: {int(nbins)}", running=running)
    return TensorShape.of((int(nbins),))


def _refuse_empty_range(values: Array, value_range: Array, nbins: Array) -> None:
    if nbins.ndim or nbins <= 0 or value_range.shape != (2,):
        return
    low, high = value_range
    if not low < high:
        bounds = f"[{low:g}, {high:g}]"
        raise invalid(f"value_range should satisfy value_range[0] < value_range[1], but got '{bounds}'")
    if values.dtype.kind == "f" and np.isnan(values).any():
        raise invalid("Histogram values must not contain NaN")


@op(
    "HistogramFixedWidth",
    "values: T, value_range: T, nbins: int32 -> out: dtype",
    T=_WEIGHTS,
    dtype=INDEX,
    checks=_refuse_empty_range,
    shape=histogram_shape,
    constant_inputs=("nbins",),
    not_differentiable=_COUNTS,
    not_batched="it takes one batch of numbers",
)
def histogram_op(xp: Xp, values: Array, value_range: Array, nbins: Array, *, dtype: DType) -> Array:
    """Counts the values in each of `nbins` bins of equal width; the op behind `tf.histogram_fixed_width`.

    >>> tf.raw_ops.HistogramFixedWidth(values=[0.0, 1.0, 5.0], value_range=[0.0, 2.0], nbins=2).numpy()
    array([1, 2], dtype=int32)
    """
    if nbins.ndim or nbins <= 0 or value_range.shape != (2,):
        raise ValueError("shapes do not match")
    low, high, count = value_range[0], value_range[1], int(nbins)
    step = (xp.astype(high, np.float64) - xp.astype(low, np.float64)) / count
    return xp.astype(_bin(xp, xp.reshape(values, (-1,)), low, step, count), dtype.np_dtype)


@kernel_part
def _bin(xp: Xp, values: Array, low: Array, step: Array, count: int) -> Array:
    """Counts the values of each bin, block by block: the steps of a block write into the same memory, in the cache.

    Converting a number that is not negative to an integer rounds it down.
    """
    counts = np.zeros(count, np.int64)
    size = min(_BLOCK, values.size)
    bins, numbers = np.empty(size), np.empty(size, np.int32)
    first, last = np.float64(0), np.float64(count - 1)
    for start in range(0, values.size, _BLOCK):
        block = values[start : start + _BLOCK]
        steps, block_numbers = bins[: block.size], numbers[: block.size]
        np.copyto(steps, block)
        np.subtract(steps, low, out=steps)
        np.divide(steps, step, out=steps)
        np.clip(steps, first, last, out=steps)
        np.copyto(block_numbers, steps, casting="unsafe")
        counts += _count_block(block_numbers, count)
    return counts


def _count_block(numbers: Array, count: int) -> Array:
    """Counts how often each number below `count` occurs in a block of int32.

    Pairs of numbers are counted, if that is not too many counters: half as many steps, which seldom wait for the step
    before to write the same counter.
    """
    half = numbers.size // 2
    if count > _MAX_PAIRED_BINS or half < count * count:
        return np.bincount(numbers, minlength=count)
    pairs = np.multiply(numbers[:half], np.int32(count))
    np.add(pairs, numbers[half : 2 * half], out=pairs)
    table = np.bincount(pairs, minlength=count * count).reshape(count, count)
    counts: Array = table.sum(0) + table.sum(1)
    if numbers.size % 2:
        counts[numbers[-1]] += 1
    return counts


@_bin.kernel_for("xla")
def _bin_xla(xp: Xp, values: Array, low: Array, step: Array, count: int) -> Array:
    index = _bins(xp, values, low, step, count)
    return xp.scatter(xp.zeros((count,), np.int64), (index,), xp.ones(index.shape, np.int64), "add")


def _bins(xp: Xp, values: Array, low: Array, step: Array, count: int) -> Array:
    """Returns the number of the bin of each value."""
    bins = xp.floor((xp.astype(values, np.float64) - low) / step)
    return xp.astype(xp.clip(bins, 0, count - 1), np.dtype(np.int64))


@export("histogram_fixed_width")
def histogram_fixed_width(
    values: TensorLike, value_range: TensorLike, nbins: TensorLike = 100, dtype: DType = int32, name: str | None = None
) -> Tensor:
    """Counts how many values fall into each of `nbins` bins of equal width.

    >>> tf.histogram_fixed_width([-1.0, 0.0, 1.5, 2.0, 5.0, 15.0], [0.0, 5.0], nbins=5).numpy()
    array([2, 1, 1, 0, 2], dtype=int32)

    Args:
      values: A `Tensor` of int32, int64, float32 or float64.
      value_range: The two ends of the range, of the dtype of `values`. Values outside go into the end bins.
      nbins: The number of bins, an integer.
      dtype: The dtype of the counts, int32 or int64.
      name: A name for the operation (optional).

    Returns: A vector of `nbins` counts.
    Raises: InvalidArgumentError: if the range is empty, `nbins` is not positive or a value is NaN.
    """
    with name_scope(name, "histogram_fixed_width") as scope:
        return histogram_op(values, value_range, nbins, dtype=as_dtype(dtype), name=scope)


@export("histogram_fixed_width_bins")
def histogram_fixed_width_bins(
    values: Any, value_range: Any, nbins: TensorLike = 100, dtype: DType = int32, name: str | None = None
) -> Tensor:
    """Finds, for each value, the number of the bin in a histogram of `nbins` bins of equal width.

    >>> tf.histogram_fixed_width_bins([-1.0, 0.0, 1.5, 2.0, 5.0, 15.0], [0.0, 5.0], nbins=5).numpy()
    array([0, 0, 1, 2, 4, 4], dtype=int32)

    Args:
      values: A `Tensor` of floating point.
      value_range: The two ends of the range, of the dtype of `values`. Values outside go into the end bins.
      nbins: The number of bins, an integer.
      dtype: Ignored; the result is int32, as in TensorFlow.
      name: A name for the operation (optional).

    Returns: A `Tensor` of dtype int32 and the shape of `values`.
    Raises: InvalidArgumentError: if `nbins` is not positive.
    """
    with name_scope(name, "histogram_fixed_width_bins"):
        values = convert_to_tensor(values, name="values")
        shape = shape_of_tensor(values)
        flat_values = raw.Reshape(tensor=values, shape=[-1])
        ends = convert_to_tensor(value_range, dtype_hint=values.dtype, name="value_range")
        count = convert_to_tensor(nbins, dtype=int32, name="nbins")
        check(count > 0, f"nbins {count} must > 0")
        bins = cast(count, values.dtype)
        scaled_values = raw.RealDiv(x=flat_values - ends[0], y=ends[1] - ends[0], name="scaled_values")
        index = raw.Floor(x=bins * scaled_values, name="indices")
        bounded_index = clip_by_value(index, 0, bins - 1)
        return raw.Reshape(tensor=cast(bounded_index, int32), shape=shape)


def check(condition: Tensor, message: str) -> None:
    """Raises InvalidArgumentError with `message` unless all of `condition` holds: now, or when the graph runs."""
    if not executing_eagerly():
        rank = condition.shape.rank
        axes = (
            raw.Range(start=0, limit=raw.Rank(input=condition), delta=1)
            if rank is None
            else np.arange(rank, dtype=np.int32)
        )
        raw.Assert(condition=raw.All(input=condition, reduction_indices=axes), data=[message])
    elif not np.all(np.asarray(condition)):
        raise invalid(message)


def bincount_shape(c: ShapeContext) -> TensorShape:
    """Returns the shape of `size` counts, for the whole input or for each row of a matrix."""
    numbers, length = c.inputs[0].shape, c.value("size")
    if numbers.rank is not None and numbers.rank > 2 and c.op.name == "DenseBincount":
        raise ValueError(f"Shape must be at most rank 2 but is rank {numbers.rank}")
    if length is not None and int(length) < 0:
        raise ValueError(f"size ({int(length)}) must be non-negative")
    count = None if length is None else int(length)
    if c.op.name == "Bincount":
        return TensorShape.of((count,))
    if numbers.dim_sizes is None:
        return TensorShape(None)
    return TensorShape.of((*numbers.dim_sizes[:-1], count) if len(numbers.dim_sizes) == 2 else (count,))


def _count(xp: Xp, numbers: Array, size: Array, weights: Array, binary: bool) -> Array:
    """Adds up the weights of equal numbers of each row, dropping numbers from `size` on."""
    if size.ndim or size < 0:
        raise ValueError("wrong size")
    if weights.size and weights.shape != numbers.shape:
        raise invalid(
            "`weights` must be the same shape as `arr` or a length-0 `Tensor`, in which case it acts as all weights "
            f"equal to 1. Received {shape_text(weights.shape)}"
        )
    limit, rows = int(size), numbers.shape[0] if numbers.ndim == 2 else 1
    if not (weights.size or binary) and rows == 1:
        return xp.astype(_tally(xp, xp.reshape(numbers, -1), limit), weights.dtype).reshape(*numbers.shape[:-1], limit)
    if weights.size and not binary and rows == 1:
        flat_numbers, flat_weights = xp.reshape(numbers, -1), xp.reshape(weights, -1)
        return xp.reshape(_weigh(xp, flat_numbers, flat_weights, limit), (*numbers.shape[:-1], limit))
    amounts = weights if weights.size else xp.ones(numbers.shape, dtype=weights.dtype)
    column = xp.minimum(xp.reshape(numbers, (rows, -1)), limit)
    row = xp.broadcast_to(xp.arange(rows)[:, None], column.shape)
    start = xp.zeros((rows, limit + 1), dtype=weights.dtype)
    amounts = xp.reshape(amounts, column.shape)
    counts = xp.scatter(start, (row, column), amounts, "max" if binary else "add")[:, :limit]
    return counts if numbers.ndim == 2 else counts[0]


@kernel_part
def _tally(xp: Xp, numbers: Array, limit: int) -> Array:
    """Counts how often each number below `limit` occurs in a vector."""
    numbers = _at_most(numbers, limit)
    if numbers.size <= _BLOCK or limit >= _MAX_BINS:
        return np.bincount(numbers, minlength=limit + 1)[:limit]
    counts = np.zeros(limit + 1, np.int64)
    for start in range(0, numbers.size, _BLOCK):
        counts += np.bincount(numbers[start : start + _BLOCK], minlength=limit + 1)
    return counts[:limit]


def _at_most(numbers: Array, limit: int) -> Array:
    """Returns numbers with `limit` for those above; mostly there are none, and to look for one is quicker."""
    return np.minimum(numbers, limit) if numbers.size and numbers.max() > limit else numbers


@_tally.kernel_for("xla")
def _scatter_tally(xp: CompilingXp, numbers: Array, limit: int) -> Array:
    start, ones = xp.zeros((limit + 1,), np.int64), xp.ones(numbers.shape, np.int64)
    return xp.scatter(start, (xp.minimum(numbers, limit),), ones, "add")[:limit]


@kernel_part
def _weigh(xp: Xp, numbers: Array, weights: Array, limit: int) -> Array:
    """Adds up the weights of each number below `limit` in a vector; NumPy adds floats in double precision."""
    if weights.dtype.kind == "f" and weights.dtype.itemsize >= 4:
        sums = np.bincount(_at_most(numbers, limit), weights, minlength=limit + 1)[:limit]
        return sums.astype(weights.dtype, copy=False)
    return _scatter_weights(xp, numbers, weights, limit)


@_weigh.kernel_for("xla")
def _scatter_weights(xp: Xp, numbers: Array, weights: Array, limit: int) -> Array:
    start = xp.zeros((limit + 1,), weights.dtype)
    return xp.scatter(start, (xp.minimum(numbers, limit),), weights, "add")[:limit]


def _refuse_negative(numbers: Array, size: Array, weights: Array) -> None:
    fits = not weights.size or weights.shape == numbers.shape
    if fits and not size.ndim and size >= 0 and (numbers < 0).any():
        raise invalid("Input arr must be non-negative!")


def _refuse_negative_rows(input: Array, size: Array, weights: Array, *, binary_output: bool) -> None:
    if input.ndim <= 2:
        _refuse_negative(input, size, input[..., :0] if binary_output else weights)


def _refuse_negative_numbers(arr: Array, size: Array, weights: Array) -> None:
    _refuse_negative(arr, size, weights)


@op(
    "DenseBincount",
    "input: Tidx, size: Tidx, weights: T -> output: T",
    Tidx=INDEX_NO_DEFAULT,
    T=_WEIGHTS,
    checks=_refuse_negative_rows,
    shape=bincount_shape,
    constant_inputs=("size",),
    no_gradient="TensorFlow declares none for the weights; tf.math.unsorted_segment_sum has one",
    not_batched="the number of elements differs from row to row",
)
def dense_bincount(xp: Xp, input: Array, size: Array, weights: Array, *, binary_output: bool = False) -> Array:
    """Counts each integer below `size`, in a vector or in each row; the op behind `tf.math.bincount`.

    >>> tf.raw_ops.DenseBincount(input=[1, 1, 2], size=4, weights=tf.constant([], tf.int32)).numpy()
    array([0, 2, 1, 0], dtype=int32)
    """
    if input.ndim > 2:
        raise ValueError("wrong rank")
    if binary_output:
        weights = xp.ones(input.shape, dtype=weights.dtype)
    return _count(xp, input, size, weights, binary_output)


@op(
    "Bincount",
    "arr: int32, size: int32, weights: T -> bins: T",
    T=_WEIGHTS,
    checks=_refuse_negative_numbers,
    shape=bincount_shape,
    constant_inputs=("size",),
    no_gradient="TensorFlow declares none for the weights; tf.math.unsorted_segment_sum has one",
    not_batched="the number of elements differs from row to row",
)
def bincount_op(xp: Xp, arr: Array, size: Array, weights: Array) -> Array:
    """Counts each integer below `size` in a tensor of any shape.

    >>> tf.raw_ops.Bincount(arr=[1, 1, 2], size=4, weights=tf.constant([], tf.int32)).numpy()
    array([0, 2, 1, 0], dtype=int32)
    """
    return _count(xp, xp.reshape(arr, (-1,)), size, xp.reshape(weights, (-1,)), False)


@export("math.bincount", v1=[])
def bincount(
    arr: TensorLike,
    weights: TensorLike | None = None,
    minlength: TensorLike | None = None,
    maxlength: TensorLike | None = None,
    dtype: DType = int32,
    name: str | None = None,
    axis: int | None = None,
    binary_output: bool = False,
) -> Tensor:
    """Counts how often each integer occurs.

    >>> tf.math.bincount([1, 1, 2, 5]).numpy()
    array([0, 2, 1, 0, 0, 1], dtype=int32)
    >>> tf.math.bincount([[1, 1], [2, 0]], axis=-1).numpy()
    array([[0, 2, 0],
           [1, 0, 1]], dtype=int32)

    Args:
      arr: A `Tensor` of int32 or int64 (other numbers are cast to int32), not negative.
      weights: If given, each occurrence counts as its weight; a tensor of the shape of `arr`.
      minlength: The smallest length of the result; missing numbers count 0.
      maxlength: The largest length of the result; numbers from there on are ignored.
      dtype: The dtype of the counts if there are no weights.
      name: A name for the operation (optional).
      axis: None or 0 counts over the whole tensor, -1 in each row of a matrix.
      binary_output: Whether the result only says which numbers occur, 1 or 0.

    Returns: A vector (a matrix for `axis=-1`) of counts, as long as the largest number plus 1.
    Raises:
      ValueError: for another `axis`, or `binary_output` together with weights.
      InvalidArgumentError: if a number is negative or the weights have another shape.
    """
    with name_scope(name, "bincount"):
        if weights is not None and binary_output:
            raise ValueError("Arguments `binary_output` and `weights` are mutually exclusive. Please specify only one.")
        if axis not in (None, 0, -1):
            raise ValueError(f"Unsupported value for argument axis={axis}. Only 0 and -1 are currently supported.")
        numbers = convert_to_tensor(arr, name="arr")
        if not numbers.dtype.is_integer:
            numbers = cast(numbers, int32)
        if weights is not None:
            weights = convert_to_tensor(weights, name="weights")
        length = result_length(numbers, minlength, maxlength)
        if axis in (None, 0):
            weights = None if weights is None else raw.Reshape(tensor=weights, shape=[-1])
            numbers = raw.Reshape(tensor=numbers, shape=[-1])
        if weights is None:
            weights = convert_to_tensor(np.zeros(0, as_dtype(dtype).np_dtype), name="Const")
        return dense_bincount(numbers, length, weights, binary_output=binary_output)


def result_length(numbers: Tensor, minlength: Any, maxlength: Any) -> Any:
    """Returns the largest number plus 1 (0 if there are no numbers), between the two limits."""
    dtype = numbers.dtype
    is_nonempty = size(numbers) > 0
    length = cast(is_nonempty, dtype) * (reduce_max(numbers) + 1)
    if minlength is not None:
        length = raw.Maximum(x=convert_to_tensor(minlength, dtype=dtype, name="minlength"), y=length)
    if maxlength is not None:
        length = raw.Minimum(x=convert_to_tensor(maxlength, dtype=dtype, name="maxlength"), y=length)
    return length


@op("Bucketize", "input: T -> output: int32", T=_WEIGHTS, shape=same_shape, not_differentiable=_COUNTS)
def bucketize(xp: Xp, input: Array, *, boundaries: list[float]) -> Array:
    """Finds, for each value, the number of its bucket: how many of the sorted `boundaries` are not above the value.

    >>> tf.raw_ops.Bucketize(input=[-5.0, 10.0, 150.0], boundaries=[0.0, 10.0, 100.0]).numpy()
    array([0, 2, 3], dtype=int32)
    """
    limits = np.array(boundaries, np.float32)
    if (limits[1:] < limits[:-1]).any():
        raise invalid("Expected sorted boundaries")
    buckets = xp.searchsorted(xp.asarray(limits.astype(np.float64)), xp.astype(input, np.float64), side="right")
    return xp.astype(buckets, np.dtype(np.int32))
