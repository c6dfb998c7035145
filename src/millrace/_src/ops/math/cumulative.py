"""Scans along an axis: cumulative sum, product and log-sum-exp.

`exclusive` leaves each element out of its own total (the first total is that of no elements);
`reverse` scans from the end. The gradient of a scan is a scan in the other direction.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from millrace._src.core import errors
from millrace._src.core.argument_types import TensorLike
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.context import name_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.kernel_part import kernel_part
from millrace._src.core.op_def import op
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.batching_rules import along
from millrace._src.ops.math.broadcasting import conj, shape_text
from millrace._src.ops.math.element_types import FLOAT, INDEX, NUMBER
from millrace._src.ops.math.precision import in_single
from millrace._src.ops.shape_rules import same_shape
from millrace._src.util.export import export

_SIGNATURE = "x: T, axis: Tidx -> out: T"
_CONSTANT = ("axis",)


_MANY = 256
"""From so many vectors on all take a step together."""


def _scan(
    xp: Xp,
    scan: Callable[[Array, int], Array],
    x: Array,
    axis: Array,
    exclusive: bool,
    reverse: bool,
    neutral: float,
) -> Array:
    if axis.ndim:
        raise errors.InvalidArgumentError(None, None, f"ScanOp: axis must be a scalar, not {shape_text(axis.shape)}")
    rank, position = x.ndim, int(axis)
    if not -rank <= position < rank:
        low = -rank if rank else 0
        axis_index = position + rank if position < 0 else position
        raise errors.InvalidArgumentError(
            None, None, f"ScanOp: Expected scan axis in the range [{low}, {rank}), but got {axis_index}"
        )
    if reverse:
        x = xp.flip(x, position)
    if exclusive and x.shape[position]:
        kept_elements = xp.moveaxis(xp.moveaxis(x, position, 0)[:-1], 0, position)
        first = xp.full((*x.shape[: position % rank], 1, *x.shape[position % rank + 1 :]), neutral, dtype=x.dtype)
        x = xp.concatenate([first, kept_elements], axis=position)
    result = scan(x, position)
    return xp.flip(result, position) if reverse else result


@kernel_part
def _running(xp: Xp, name: str, x: Array, axis: int) -> Array:
    """Adds or multiplies up along an axis.

    Along another axis than the last NumPy takes one vector after the other; here all vectors take a step together.
    """
    if axis % x.ndim == x.ndim - 1 or x.size < _MANY * max(x.shape[axis], 1):
        return _xla_running(xp, name, x, axis)
    combine: np.ufunc = {"add": np.add, "multiply": np.multiply}[name]
    result = np.empty(x.shape, x.dtype)
    slices, results = np.moveaxis(x, axis, 0), np.moveaxis(result, axis, 0)
    results[0] = slices[0]
    for number in range(1, len(slices)):
        combine(results[number - 1], slices[number], out=results[number])
    return result


@_running.kernel_for("xla")
def _xla_running(xp: Xp, name: str, x: Array, axis: int) -> Array:
    return xp.cumsum(x, axis=axis) if name == "add" else xp.cumprod(x, axis=axis)


@op(
    "Cumsum", _SIGNATURE, T=NUMBER, Tidx=INDEX, shape=same_shape, constant_inputs=_CONSTANT, batching=along("axis", "x")
)
def cumsum_op(xp: Xp, x: Array, axis: Array, *, exclusive: bool = False, reverse: bool = False) -> Array:
    """Computes cumulative sums along an axis; the op behind `tf.cumsum`.

    >>> tf.raw_ops.Cumsum(x=[2, 4, 6], axis=0, exclusive=True).numpy()
    array([0, 2, 6], dtype=int32)
    """
    running = functools.partial(_running, xp, "add")
    return in_single(xp, lambda v: _scan(xp, running, v, axis, exclusive, reverse, 0), x)


@cumsum_op.gradient
def cumsum_gradient(dout: Tensor, axis: Tensor, exclusive: bool, reverse: bool) -> tuple[Tensor, None]:
    return raw.Cumsum(x=dout, axis=axis, exclusive=exclusive, reverse=not reverse), None


@op(
    "Cumprod",
    _SIGNATURE,
    T=NUMBER,
    Tidx=INDEX,
    shape=same_shape,
    constant_inputs=_CONSTANT,
    batching=along("axis", "x"),
)
def cumprod_op(xp: Xp, x: Array, axis: Array, *, exclusive: bool = False, reverse: bool = False) -> Array:
    """Computes cumulative products along an axis; the op behind `tf.math.cumprod`.

    >>> tf.raw_ops.Cumprod(x=[2, 4, 6], axis=0, exclusive=True).numpy()
    array([1, 2, 8], dtype=int32)
    """
    running = functools.partial(_running, xp, "multiply")
    return in_single(xp, lambda v: _scan(xp, running, v, axis, exclusive, reverse, 1), x)


@cumprod_op.gradient
def cumprod_gradient(
    dout: Tensor, x: Tensor, axis: Tensor, out: Tensor, exclusive: bool, reverse: bool
) -> tuple[Tensor, None]:
    # The derivative by x[i] of a product with the factor x[i] is the product divided by x[i]. As in TensorFlow, 0 where
    # x[i] is 0.
    total = raw.Cumsum(x=dout * conj(out), axis=axis, exclusive=exclusive, reverse=not reverse)
    return raw.DivNoNan(x=total, y=conj(x)), None


@op(
    "CumulativeLogsumexp",
    _SIGNATURE,
    T=FLOAT,
    Tidx=INDEX,
    shape=same_shape,
    constant_inputs=_CONSTANT,
    batching=along("axis", "x"),
)
def cumulative_logsumexp_op(xp: Xp, x: Array, axis: Array, *, exclusive: bool = False, reverse: bool = False) -> Array:
    """Computes cumulative log-sum-exp along an axis; the op behind `tf.math.cumulative_logsumexp`.

    >>> tf.raw_ops.CumulativeLogsumexp(x=[0.0, 0.0], axis=0).numpy()
    array([0.       , 0.6931...], dtype=float32)
    """

    def scan(values: Array, position: int) -> Array:
        return xp.logaddexp.accumulate(values, axis=position)

    return in_single(xp, lambda v: _scan(xp, scan, v, axis, exclusive, reverse, -np.inf), x)


@cumulative_logsumexp_op.gradient
def cumulative_logsumexp_gradient(
    dout: Tensor, x: Tensor, axis: Tensor, out: Tensor, exclusive: bool, reverse: bool
) -> tuple[Tensor, None]:
    # dx[j] = sum over i >= j of dout[i] * exp(x[j] - out[i]), in logarithms, for each sign of dout.
    def part(amount: Tensor) -> Any:
        is_positive = amount > 0
        ones, lowest = raw.OnesLike(x=amount), raw.OnesLike(x=amount) * float(x.dtype.min)
        positive_amount = raw.SelectV2(condition=is_positive, t=amount, e=ones)
        logs = raw.SelectV2(condition=is_positive, t=raw.Log(x=positive_amount), e=lowest)
        total = raw.CumulativeLogsumexp(x=logs - out, axis=axis, exclusive=exclusive, reverse=not reverse)
        return raw.Exp(x=total + x)

    return part(dout) - part(-dout), None


@export("math.cumsum", "cumsum")
def cumsum(
    x: TensorLike, axis: TensorLike = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None
) -> Tensor:
    """Computes cumulative sums of `x` along an axis.

    >>> tf.cumsum([2, 4, 6, 8]).numpy()
    array([ 2,  6, 12, 20], dtype=int32)
    >>> tf.cumsum([2, 4, 6, 8], exclusive=True, reverse=True).numpy()
    array([18, 14,  8,  0], dtype=int32)

    Args:
      x: A `Tensor` of numbers.
      axis: The axis to scan along; negative ones count from the end.
      exclusive: Whether each element is left out of its own sum.
      reverse: Whether to scan from the end.
      name: A name for the operation (optional).

    Returns: A `Tensor` of the shape and dtype of `x`.
    Raises: InvalidArgumentError: if the axis is out of range.
    """
    with name_scope(name, "Cumsum") as scope:
        x = convert_to_tensor(x, name="x")
        return cumsum_op(x, axis, exclusive=exclusive, reverse=reverse, name=scope)


@export("math.cumprod", v1=["cumprod", "math.cumprod"])
def cumprod(
    x: TensorLike, axis: TensorLike = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None
) -> Tensor:
    """Computes cumulative products of `x` along an axis.

    >>> tf.math.cumprod([2, 3, 4]).numpy()
    array([ 2,  6, 24], dtype=int32)

    Args:
      x: A `Tensor` of numbers.
      axis: The axis to scan along; negative ones count from the end.
      exclusive: Whether each element is left out of its own product.
      reverse: Whether to scan from the end.
      name: A name for the operation (optional).

    Returns: A `Tensor` of the shape and dtype of `x`.
    Raises: InvalidArgumentError: if the axis is out of range.
    """
    with name_scope(name, "Cumprod") as scope:
        x = convert_to_tensor(x, name="x")
        return cumprod_op(x, axis, exclusive=exclusive, reverse=reverse, name=scope)


@export("math.cumulative_logsumexp")
def cumulative_logsumexp(
    x: TensorLike, axis: TensorLike = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None
) -> Tensor:
    """Computes `log(cumsum(exp(x)))` along an axis without overflow or underflow.

    >>> tf.math.cumulative_logsumexp([1000.0, 1000.0]).numpy()
    array([1000.    , 1000.693...], dtype=float32)

    Args:
      x: A `Tensor` of floating point.
      axis: The axis to scan along; negative ones count from the end.
      exclusive: Whether each element is left out of its own total, so that the first is -inf.
      reverse: Whether to scan from the end.
      name: A name for the operation (optional).

    Returns: A `Tensor` of the shape and dtype of `x`.
    Raises: InvalidArgumentError: if the axis is out of range.
    """
    with name_scope(name, "CumulativeLogsumexp") as scope:
        x = convert_to_tensor(x, name="x")
        return cumulative_logsumexp_op(x, axis, exclusive=exclusive, reverse=reverse, name=scope)
