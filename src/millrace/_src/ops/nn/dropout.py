"""`tf.nn.dropout` and its forms with a random stream of one's own.

A uniform number is drawn for each element, and the element is kept where the number is at least `rate`. The structure
is TensorFlow's, so that one seed drops the same elements.
"""

from __future__ import annotations

import functools
import numbers
from collections.abc import Callable
from typing import Any

from millrace._src.core.argument_types import TensorLike
from millrace._src.core.context import executing_eagerly, name_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.shapes import TensorShape, as_shape
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.array.constant import constant
from millrace._src.ops.array.selecting import where
from millrace._src.ops.array.shape_ops import shape as shape_of
from millrace._src.ops.math.casting import cast
from millrace._src.ops.random.seeds import op_seeds
from millrace._src.ops.random.stateful import uniform
from millrace._src.ops.random.stateless import stateless_uniform
from millrace._src.util.export import export


@export("nn.dropout", v1=[])
def dropout(
    x: TensorLike,
    rate: TensorLike,
    noise_shape: TensorLike | None = None,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Sets elements to 0 with probability `rate`, and scales the others by `1 / (1 - rate)`: the expected sum stays.

    Srivastava et al., "Dropout: A Simple Way to Prevent Neural Networks from Overfitting", 2014.

    >>> tf.random.set_seed(1)
    >>> tf.nn.dropout(tf.range(1., 9.), rate=0.5).numpy()
    array([ 0.,  4.,  6.,  0.,  0., 12., 14.,  0.], dtype=float32)

    Args:
      x: A floating point Tensor.
      rate: the probability that an element is dropped, in [0, 1): a number, or a scalar Tensor of the dtype of `x`.
      noise_shape: the shape of the drawn numbers; elements along a dimension of 1 are dropped together. A dimension of
        None is as in `x`.
      seed: the op's own seed; see `tf.random.set_seed`.
      name: A name for the operation (optional).

    Returns: A Tensor with the shape and dtype of `x`.
    Raises: ValueError: if `rate` is not in [0, 1), or `x` is not floating point.
    """
    sampler = functools.partial(uniform, seed=seed)
    return _dropout(x, rate, noise_shape, sampler, lambda: op_seeds(seed), name, "dropout")


@export("nn.experimental.stateless_dropout")
def stateless_dropout(
    x: TensorLike,
    rate: TensorLike,
    seed: TensorLike,
    rng_alg: TensorLike | None = None,
    noise_shape: TensorLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Drops elements as `tf.nn.dropout` does, by a choice that is a function of `seed` alone.

    >>> tf.nn.experimental.stateless_dropout(tf.range(1., 9.), rate=0.5, seed=[1, 2]).numpy()
    array([ 2.,  0.,  6.,  0.,  0., 12.,  0.,  0.], dtype=float32)

    Args:
      x: A floating point Tensor.
      rate: the probability that an element is dropped, in [0, 1): a number, or a scalar Tensor of the dtype of `x`.
      seed: two integers.
      rng_alg: "philox", "threefry" or "auto_select" (default).
      noise_shape: the shape of what is drawn; see `dropout`.
      name: A name for the operation (optional).

    Returns: A Tensor with the shape and dtype of `x`.
    Raises: ValueError: if `rate` is not in [0, 1), or `x` is not floating point.
    """
    sampler = functools.partial(stateless_uniform, seed=seed, alg=rng_alg or "auto_select")
    return _dropout(x, rate, noise_shape, sampler, lambda: None, name, "stateless_dropout")


@export("nn.experimental.general_dropout")
def general_dropout(
    x: TensorLike,
    rate: TensorLike,
    uniform_sampler: Callable[..., Any],
    noise_shape: TensorLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Drops elements as `tf.nn.dropout` does, with the random numbers of `uniform_sampler`.

    >>> sampler = lambda shape, dtype: tf.constant([0.1, 0.9], dtype)
    >>> tf.nn.experimental.general_dropout([1., 1.], rate=0.5, uniform_sampler=sampler).numpy()
    array([0., 2.], dtype=float32)

    Args:
      x: A floating point Tensor.
      rate: the probability that an element is dropped, in [0, 1): a number, or a scalar Tensor of the dtype of `x`.
      uniform_sampler: a function `(shape, dtype)` that draws from [0, 1).
      noise_shape: the shape of what is drawn; see `dropout`.
      name: A name for the operation (optional).

    Returns: A Tensor with the shape and dtype of `x`.
    Raises: ValueError: if `rate` is not in [0, 1), or `x` is not floating point.
    """
    return _dropout(x, rate, noise_shape, uniform_sampler, lambda: None, name, "general_dropout")


def _dropout(
    x: Any, rate: Any, noise_shape: Any, sampler: Any, skip: Callable[[], Any], name: str | None, default: str
) -> Tensor:
    with name_scope(name, default):
        is_number = isinstance(rate, numbers.Real)
        if is_number and not 0 <= rate < 1:
            raise ValueError(f"`rate` must be a scalar tensor or a float in the range [0, 1). Received: rate={rate}")
        x = convert_to_tensor(x, name="x")
        if not x.dtype.is_floating:
            raise ValueError(
                f"`x.dtype` must be a floating point tensor as `x` will be scaled. Received: x_dtype={x.dtype}"
            )
        if is_number and rate == 0:
            skip()  # later random ops draw the same as if this op had drawn
            return x
        scaled, threshold = _scale(x, rate, is_number)
        noise = sampler(shape=_noise_shape(x, noise_shape), dtype=x.dtype)
        result = where(noise >= threshold, scaled, constant(0, dtype=x.dtype))
        if not executing_eagerly():
            result.set_shape(x.shape)
        return result


def _scale(x: Tensor, rate: Any, is_number: bool) -> tuple[Any, Any]:
    """Returns `x / (1 - rate)`, and the rate in the dtype of `x`."""
    if is_number:
        return raw.Mul(x=x, y=constant(1 / (1 - rate), dtype=x.dtype)), rate
    if not isinstance(rate, Tensor):
        raise ValueError(f"`rate` must be a scalar or scalar tensor. Received: rate={rate}")
    rate.shape.assert_has_rank(0)
    if rate.dtype is not x.dtype:
        if not rate.dtype.is_compatible_with(x.dtype):
            raise ValueError(
                "`x.dtype` must be compatible with `rate.dtype`. "
                f"Received: x.dtype={x.dtype} and rate.dtype={rate.dtype}"
            )
        rate = cast(rate, x.dtype)
    return raw.RealDiv(x=x, y=raw.Sub(x=constant(1, dtype=x.dtype), y=rate)), rate


def _noise_shape(x: Tensor, noise_shape: object) -> Any:
    if noise_shape is None:
        return shape_of(x)
    try:
        shape = as_shape(noise_shape)
    except (TypeError, ValueError):
        return noise_shape
    if x.shape.rank is not None and shape.rank == x.shape.rank:
        pairs = zip(x.shape.as_list(), shape.as_list(), strict=True)
        return TensorShape([own if n is None and own is not None else n for own, n in pairs])
    return shape
