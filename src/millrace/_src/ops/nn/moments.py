"""Means and variances: `tf.nn.moments`, `weighted_moments`, `sufficient_statistics`, `normalize_moments`.

All four functions are written with elementary ops, in TensorFlow's structure; 16-bit floats are averaged in float32.
"""

from __future__ import annotations

import math
from typing import Any

from millrace._src.core import dtypes as d
from millrace._src.core.argument_types import TensorLike
from millrace._src.core.context import name_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.array.constant import constant
from millrace._src.ops.array.filling import zeros_like
from millrace._src.ops.array.gathering import gather
from millrace._src.ops.array.reshaping import squeeze
from millrace._src.ops.array.shape_ops import rank as rank_of
from millrace._src.ops.array.shape_ops import shape as shape_of
from millrace._src.ops.math.casting import cast
from millrace._src.ops.math.division import divide_no_nan
from millrace._src.ops.math.reduce import reduce_mean, reduce_prod, reduce_sum
from millrace._src.util.export import export

_HALF = (d.float16, d.bfloat16)


@export("nn.moments", v1=[])
def moments(
    x: Any, axes: Any, shift: TensorLike | None = None, keepdims: bool = False, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """Computes the mean and the variance of `x` over `axes`.

    >>> mean, variance = tf.nn.moments(tf.constant([[1., 2.], [3., 6.]]), axes=[0])
    >>> mean.numpy(), variance.numpy()
    (array([2., 4.], dtype=float32), array([1., 4.], dtype=float32))

    Args:
      x: A Tensor of numbers; float16 and bfloat16 are averaged in float32.
      axes: the axes to average over, ints.
      shift: ignored.
      keepdims: whether the averaged axes stay, with size 1.
      name: A name for the operation (optional).

    Returns: The mean and the (biased) variance, in the dtype of `x`.
    """
    with name_scope(name, "moments"):
        x = convert_to_tensor(x, name="x")
        values = cast(x, d.float32) if x.dtype in _HALF else x
        mean = reduce_mean(values, axes, keepdims=True, name="mean")
        squares = raw.SquaredDifference(x=values, y=raw.StopGradient(input=mean))
        variance = reduce_mean(squares, axes, keepdims=True, name="variance")
        return _finish(x, mean, variance, axes, keepdims)


def _finish(x: Tensor, mean: Tensor, variance: Tensor, axes: Any, keepdims: bool) -> tuple[Tensor, Tensor]:
    """Returns the results without the averaged axes, in the dtype of `x`."""
    if not keepdims:
        mean, variance = squeeze(mean, axes), squeeze(variance, axes)
    if x.dtype in _HALF:
        return cast(mean, x.dtype), cast(variance, x.dtype)
    return mean, variance


@export("nn.weighted_moments", v1=[])
def weighted_moments(
    x: Any, axes: Any, frequency_weights: Any, keepdims: bool = False, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """Computes the mean and the variance of `x` over `axes`, each element counted `frequency_weights` times.

    >>> mean, variance = tf.nn.weighted_moments(tf.constant([1., 2., 4.]), [0], [1., 0., 1.])
    >>> mean.numpy(), variance.numpy()
    (np.float32(2.5), np.float32(2.25))

    Args:
      x: A Tensor of numbers; float16 and bfloat16 are averaged in float32.
      axes: the axes to average over, ints.
      frequency_weights: A Tensor that broadcasts with `x`, not negative.
      keepdims: whether the averaged axes stay, with size 1.
      name: A name for the operation (optional).

    Returns: The mean and the (biased) variance, in the dtype of `x`; 0 where all weights are 0.
    """
    with name_scope(name, "weighted_moments"):
        x = convert_to_tensor(x, name="x")
        weights = convert_to_tensor(frequency_weights, name="frequency_weights")
        values = cast(x, d.float32) if x.dtype in _HALF else x
        weights = cast(weights, values.dtype)
        total = reduce_sum(weights * values, axes, keepdims=True, name="weighted_input_sum")
        count = reduce_sum(weights + zeros_like(values), axes, keepdims=True, name="sum_of_weights")
        mean = divide_no_nan(total, count)
        squares = weights * raw.SquaredDifference(x=values, y=mean)
        spread = reduce_sum(squares, axes, keepdims=True, name="weighted_distsq")
        variance = divide_no_nan(spread, count)
        return _finish(x, mean, variance, axes, keepdims)


@export("nn.sufficient_statistics", v1=[])
def sufficient_statistics(
    x: Any, axes: Any, shift: Any = None, keepdims: bool = False, name: str | None = None
) -> tuple[Tensor, Tensor, Tensor, Tensor | None]:
    """Computes what the mean and variance of `x` over `axes` need: the count, the sum and the sum of squares.

    >>> count, total, squares, shift = tf.nn.sufficient_statistics(tf.constant([1., 2., 4.]), [0])
    >>> count.numpy(), total.numpy(), squares.numpy()
    (np.float32(3.0), np.float32(7.0), np.float32(21.0))

    Args:
      x: A Tensor of numbers.
      axes: the axes to sum over, a list of ints.
      shift: A Tensor near the mean, subtracted first for accuracy; None subtracts nothing.
      keepdims: whether the summed axes stay, with size 1.
      name: A name for the operation (optional).

    Returns: The number of elements, the (shifted) sum, the (shifted) sum of squares, and `shift` as given.
    """
    axes = list(set(axes))
    with name_scope(name, "sufficient_statistics"):
        x = convert_to_tensor(x, name="x")
        counts = _count(x, axes)
        if shift is not None:
            shift = convert_to_tensor(shift, dtype=x.dtype, name="shift")
            total, squares = raw.Sub(x=x, y=shift), raw.SquaredDifference(x=x, y=shift)
        else:
            total, squares = x, raw.Square(x=x)
        return (
            counts,
            reduce_sum(total, axes, keepdims=keepdims, name="mean_ss"),
            reduce_sum(squares, axes, keepdims=keepdims, name="var_ss"),
            shift,
        )


def _count(x: Tensor, axes: list[int]) -> Tensor:
    dims = x.shape.as_list() if x.shape.rank is not None else None
    if dims is not None and all(dims[a] is not None for a in axes):
        return constant(math.prod(dims[a] or 0 for a in axes), dtype=x.dtype)
    rank = rank_of(x)
    positive = [a + rank if a < 0 else a for a in axes]
    return reduce_prod(gather(cast(shape_of(x), x.dtype), positive), name="count")


@export("nn.normalize_moments")
def normalize_moments(
    counts: object, mean_ss: Any, variance_ss: object, shift: object, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """Computes the mean and the variance from sufficient statistics.

    >>> mean, variance = tf.nn.normalize_moments(tf.constant(2.), tf.constant(6.), tf.constant(20.), None)
    >>> mean.numpy(), variance.numpy()
    (np.float32(3.0), np.float32(1.0))

    Args:
      counts: the number of elements that were summed.
      mean_ss: the (shifted) sum of the elements.
      variance_ss: the (shifted) sum of the elements' squares.
      shift: the number that was subtracted from each element, or None.
      name: A name for the operation (optional).

    Returns: The mean and the variance.
    """
    with name_scope(name, "normalize"):
        divisor = raw.Reciprocal(x=counts, name="divisor")
        if shift is not None:
            shifted = raw.Mul(x=mean_ss, y=divisor, name="shifted_mean")
            mean = raw.AddV2(x=shifted, y=shift, name="mean")
        else:
            shifted = mean = raw.Mul(x=mean_ss, y=divisor, name="mean")
        variance = raw.Sub(x=raw.Mul(x=variance_ss, y=divisor), y=raw.Square(x=shifted), name="variance")
        return mean, variance
