"""Overloads of `tf.reduce_*` for ragged tensors.

Reducing along the first axis combines the rows column by column, reducing along the second one combines the values of
each row: both are segment reductions of the values (`ragged_segments`), by column and by row. Further in, the values
are reduced and the partitions stay. Several axes are reduced one after the other, the innermost first.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from millrace._src.core.context import name_scope
from millrace._src.core.dtypes import bool as tf_bool
from millrace._src.core.dtypes import int32
from millrace._src.core.overloads import overload
from millrace._src.core.shape_context import static_value
from millrace._src.core.tensor import EagerTensor, Tensor
from millrace._src.ops import raw
from millrace._src.ops.math import reduce
from millrace._src.ops.math.casting import cast
from millrace._src.ops.math.division import truediv
from millrace._src.ops.ragged.broadcasting import BroadcastValues
from millrace._src.ops.ragged.flat_values import on_flat_values
from millrace._src.ops.ragged.ragged_dims import known_axis
from millrace._src.ops.ragged.ragged_segments import SegmentOp, combine_segments
from millrace._src.ops.ragged.ragged_shapes import expand_dims
from millrace._src.ops.ragged.ragged_tensor import RaggedTensor


class RaggedReduction:
    """A reduction of dense tensors, and the segment op that does the same for the rows of ragged ones.

    Args:
      dense: a function of a tensor and axes.
      segments: a function of data, segment ids and the number of segments.
    """

    def __init__(self, dense: Callable[..., Any], segments: SegmentOp) -> None:
        self.dense, self.segments = dense, segments

    def __call__(self, value: Any, axis: object, keepdims: object) -> Any:
        """Reduces a ragged tensor along axes; None for all of them."""
        rank = value.shape.rank
        if axis is None:
            total = self.dense(value.flat_values)
            return raw.Reshape(tensor=total, shape=[1] * rank) if keepdims else total
        for a in reversed(_axes(axis, rank)):
            value = self.along(value, a)
            value = expand_dims(value, a) if keepdims else value
        return value

    def along(self, value: object, axis: int) -> Any:
        """Reduces a dense or ragged tensor along one axis."""
        if not isinstance(value, RaggedTensor):
            return self.dense(value, axis)
        if axis > 1:
            return value.with_values(self.along(value.values, axis - 1))
        partition = value._row_partition
        if axis == 1:
            ids, count = partition.value_rowids(), partition.nrows()
        else:
            ids, count = partition.offsets_in_rows(), _longest_row(value)
        return combine_segments(self.segments, value.values, ids, count)


def _longest_row(value: RaggedTensor) -> Any:
    """Returns the length of the longest row; 0 without rows, also where rows would all be of one length.

    A function that was traced for any ragged tensor does not know of that length, and is to give what eager mode gives.
    """
    partition = value._row_partition
    longest = value.bounding_shape(axis=1)
    if partition.is_uniform() and not partition.static_nrows:
        return longest * raw.Minimum(x=partition.nrows(), y=raw.OnesLike(x=longest))
    return longest


def _axes(axis: Any, rank: int | None) -> list[int]:
    """Returns the axes of a reduction in rising order."""
    if isinstance(axis, Tensor):
        known = static_value(axis)
        if known is None:
            raise ValueError("axis must be known at graph construction time.")
        if known.ndim == 0 and isinstance(axis, EagerTensor):
            raise TypeError(f"axis must be an int; got {axis.dtype.name}")
        axis = known.tolist()
    if not isinstance(axis, (list, tuple)):
        return [known_axis(axis, rank)]
    return sorted(known_axis(a, rank, f"axis[{i}]") for i, a in enumerate(axis))


_sum = RaggedReduction(reduce.reduce_sum, raw.UnsortedSegmentSum)
_product = RaggedReduction(reduce.reduce_prod, raw.UnsortedSegmentProd)
_smallest = RaggedReduction(reduce.reduce_min, raw.UnsortedSegmentMin)
_largest = RaggedReduction(reduce.reduce_max, raw.UnsortedSegmentMax)


@overload("math.reduce_sum", RaggedTensor)
def ragged_reduce_sum(
    input_tensor: object, axis: object = None, keepdims: object = False, name: str | None = None
) -> Any:
    """Adds up the elements along axes."""
    with name_scope(name, "RaggedReduceSum"):
        return _sum(input_tensor, axis, keepdims)


@overload("math.reduce_prod", RaggedTensor)
def ragged_reduce_prod(
    input_tensor: object, axis: object = None, keepdims: object = False, name: str | None = None
) -> Any:
    """Multiplies the elements along axes."""
    with name_scope(name, "RaggedReduceProd"):
        return _product(input_tensor, axis, keepdims)


@overload("math.reduce_min", RaggedTensor)
def ragged_reduce_min(
    input_tensor: object, axis: object = None, keepdims: object = False, name: str | None = None
) -> Any:
    """Finds the smallest elements along axes; the largest number of the dtype for an empty row."""
    with name_scope(name, "RaggedReduceMin"):
        return _smallest(input_tensor, axis, keepdims)


@overload("math.reduce_max", RaggedTensor)
def ragged_reduce_max(
    input_tensor: object, axis: object = None, keepdims: object = False, name: str | None = None
) -> Any:
    """Finds the largest elements along axes; the smallest number of the dtype for an empty row."""
    with name_scope(name, "RaggedReduceMax"):
        return _largest(input_tensor, axis, keepdims)


@overload("math.reduce_mean", RaggedTensor)
def ragged_reduce_mean(input_tensor: Any, axis: Any = None, keepdims: Any = False, name: str | None = None) -> Any:
    """Averages the elements along axes: NaN for an empty row, float64 for integers."""
    with name_scope(name, "RaggedReduceMean"):
        return _mean(input_tensor, axis, keepdims)


def _mean(value: RaggedTensor, axis: object, keepdims: object) -> Any:
    ones = value.with_flat_values(raw.OnesLike(x=value.flat_values))
    return on_flat_values(truediv, _sum(value, axis, keepdims), _sum(ones, axis, keepdims))


@overload("math.reduce_variance", RaggedTensor)
def ragged_reduce_variance(input_tensor: Any, axis: Any = None, keepdims: Any = False, name: str | None = None) -> Any:
    """Computes the mean of the squares less the square of the mean along axes; refuses complex numbers."""
    with name_scope(name, "RaggedReduceVariance"):
        return _variance(input_tensor, axis, keepdims)


def _variance(value: RaggedTensor, axis: object, keepdims: object) -> Any:
    if value.dtype.is_complex:
        raise ValueError("reduce_variance is not supported for RaggedTensors with complex dtypes.")
    squares = value.with_flat_values(raw.Square(x=value.flat_values))
    mean_square, mean = _mean(squares, axis, keepdims), _mean(value, axis, keepdims)
    return on_flat_values(_difference_from_square, mean_square, mean)


def _difference_from_square(mean_square: object, mean: object) -> Any:
    """Returns the variance; rounding, of which a root would make NaN, does not take it below 0."""
    difference = mean_square - raw.Square(x=mean)
    return raw.Maximum(x=difference, y=raw.ZerosLike(x=difference))


@overload("math.reduce_std", RaggedTensor)
def ragged_reduce_std(input_tensor: Any, axis: Any = None, keepdims: Any = False, name: str | None = None) -> Any:
    """Computes the square root of the variance along axes."""
    with name_scope(name, "RaggedReduceStd"):
        return on_flat_values(lambda x: raw.Sqrt(x=x), _variance(input_tensor, axis, keepdims))


@overload("math.reduce_any", RaggedTensor)
def ragged_reduce_any(input_tensor: Any, axis: Any = None, keepdims: Any = False, name: str | None = None) -> Any:
    """Returns whether an element along axes is true (not 0)."""
    with name_scope(name, "RaggedReduceAny"):
        return _as_truth(_sum(_as_numbers(input_tensor), axis, keepdims))


@overload("math.reduce_all", RaggedTensor)
def ragged_reduce_all(input_tensor: Any, axis: Any = None, keepdims: Any = False, name: str | None = None) -> Any:
    """Returns whether all elements along axes are true (not 0)."""
    with name_scope(name, "RaggedReduceAll"):
        return _as_truth(_product(_as_numbers(input_tensor), axis, keepdims))


def _as_numbers(value: RaggedTensor) -> RaggedTensor:
    """Returns 1 where an element is true, else 0."""
    return value.with_flat_values(cast(cast(value.flat_values, tf_bool), int32))


def _as_truth(value: object) -> Any:
    return on_flat_values(lambda x: cast(x, tf_bool), value)


@overload("math.reduce_logsumexp", RaggedTensor)
def ragged_reduce_logsumexp(
    input_tensor: Any, axis: object = None, keepdims: Any = False, name: str | None = None
) -> Any:
    """Computes the logarithm of the sum of the exponentials along axes."""
    with name_scope(name, "ReduceLogSumExp"):
        if axis is None:
            result = reduce.reduce_logsumexp(input_tensor.flat_values)
            return raw.Reshape(tensor=result, shape=[1] * input_tensor.shape.rank) if keepdims else result
        largest = on_flat_values(lambda x: raw.StopGradient(input=_finite(x)), _largest(input_tensor, axis, True))
        operands = BroadcastValues([input_tensor, largest])
        powers = operands.with_flat_values(raw.Exp(x=raw.Sub(x=operands.flat_values[0], y=operands.flat_values[1])))
        logarithm = on_flat_values(lambda x: raw.Log(x=x), _sum(powers, axis, keepdims))
        return on_flat_values(lambda x, y: x + y, logarithm, largest if keepdims else _largest(largest, axis, False))


def _finite(x: object) -> Any:
    """Returns 0 instead of what is not finite."""
    return raw.SelectV2(condition=raw.IsFinite(x=x), t=x, e=raw.ZerosLike(x=x))
