"""Fake quantization: floats rounded as if stored in a few bits, with a gradient to train by.

The range is first nudged so that zero is one of the representable values. Then values are clamped to the range and
rounded to its steps. All arithmetic is in float32, in the order of TensorFlow's kernels, so that the results are the
same bits.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.errors import invalid
from millrace._src.core.op_def import op
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.array.shape_checks import (
    SCALAR,
    dims_text,
    merge,
    merge_dim,
    require_scalar,
    with_rank,
    with_rank_at_least,
)
from millrace._src.ops.batching_rules import alike, as_it_is, leading
from millrace._src.util.export import export

_F32 = np.float32
_WHY = "it is itself a gradient"


def _nudge(xp: Xp, low: Array, high: Array, num_bits: int, narrow_range: bool) -> tuple[Array, Array, Array]:
    """Moves the range so that zero is representable; returns the new ends and the step."""
    first, last = _F32(1 if narrow_range else 0), _F32((1 << num_bits) - 1)
    step = (high - low) / (last - first)
    zero = first - low / step
    zero = xp.where(zero < first, first, xp.where(zero > last, last, xp.floor(zero + _F32(0.5))))
    return (first - zero) * step, (last - zero) * step, step


def _quantize(xp: Xp, x: Array, low: Array, high: Array, num_bits: int, narrow_range: bool) -> Array:
    _check_bits(num_bits)
    bottom, top, step = _nudge(xp, low, high, num_bits, narrow_range)
    clamped_x = xp.minimum(xp.maximum(x, bottom), top)
    per_step = _F32(1) / step
    level = xp.floor((clamped_x - bottom) * per_step + _F32(0.5))
    zero_level = xp.floor(-bottom * per_step + _F32(0.5))
    rounded_x = (level - zero_level) * step
    return xp.where((low == 0) & (high == 0), _F32(0), rounded_x)


def _check_bits(num_bits: int) -> None:
    if not 2 <= num_bits <= 16:
        raise invalid("num_bits must be between 2 and 16, inclusive")


def _check_range(low: float, high: float) -> None:
    if not low < high:
        raise invalid(f"min has to be smaller than max, was: {low:g} >= {high:g}")


def _inside(xp: Xp, x: Array, low: Array, high: Array, num_bits: int, narrow_range: bool) -> tuple[Array, Array]:
    """Tells which elements are below and which are above the nudged range."""
    bottom, top, _ = _nudge(xp, low, high, num_bits, narrow_range)
    is_off = (low == 0) & (high == 0)
    return (x < bottom) & ~is_off, (x > top) & ~is_off


# --- a fixed range -----------------------------------------------------------------------------------------------


@export(
    "quantization.fake_quant_with_min_max_args",
    v1=["quantization.fake_quant_with_min_max_args", "fake_quant_with_min_max_args"],
)
@op(
    "FakeQuantWithMinMaxArgs",
    "inputs: float32 -> outputs: float32",
    shape=lambda c: c.shape("inputs"),
    batching=as_it_is,
)
def fake_quant_with_min_max_args(
    xp: Xp, inputs: Array, *, min: float = -6.0, max: float = 6.0, num_bits: int = 8, narrow_range: bool = False
) -> Array:
    """Rounds a tensor to the values that `num_bits` bits can hold in a fixed range.

    >>> tf.quantization.fake_quant_with_min_max_args([-7.0, 0.3], min=-1, max=1, num_bits=2).numpy()
    array([-1.3333334,  0.       ], dtype=float32)

    Args:
      inputs: A float32 Tensor.
      min: the lower end of the range, before the range is nudged to hold zero.
      max: the upper end.
      num_bits: 2 to 16.
      narrow_range: whether the lowest of the `2 ** num_bits` values is left out.

    Returns: A float32 Tensor of the same shape.
    Raises: tf.errors.InvalidArgumentError: if the range is empty or `num_bits` out of range.
    """
    _check_range(min, max)
    return _quantize(xp, inputs, _F32(min), _F32(max), num_bits, narrow_range)


@fake_quant_with_min_max_args.gradient
def fake_quant_with_min_max_args_backward(
    dy: Tensor, inputs: Tensor, min: float, max: float, num_bits: int, narrow_range: bool
) -> Tensor:
    """Passes the gradient on where the value was in range."""
    return raw.FakeQuantWithMinMaxArgsGradient(
        gradients=dy, inputs=inputs, min=min, max=max, num_bits=num_bits, narrow_range=narrow_range
    )


@export(
    "quantization.fake_quant_with_min_max_args_gradient",
    v1=["quantization.fake_quant_with_min_max_args_gradient", "fake_quant_with_min_max_args_gradient"],
)
@op(
    "FakeQuantWithMinMaxArgsGradient",
    "gradients: float32, inputs: float32 -> backprops: float32",
    shape=lambda c: merge(c.shape("gradients"), c.shape("inputs")),
    not_differentiable=_WHY,
    batching=alike,
)
def fake_quant_with_min_max_args_gradient(
    xp: Xp,
    gradients: Array,
    inputs: Array,
    *,
    min: float = -6.0,
    max: float = 6.0,
    num_bits: int = 8,
    narrow_range: bool = False,
) -> Array:
    """Passes gradients on where the value was in range.

    >>> tf.quantization.fake_quant_with_min_max_args_gradient([1.0, 1.0], [0.5, 9.0]).numpy()
    array([1., 0.], dtype=float32)

    Args:
      gradients: A float32 Tensor, the gradient of the result.
      inputs: A float32 Tensor of the same shape, what was quantized.
      min: the lower end of the range.
      max: the upper end.
      num_bits: 2 to 16.
      narrow_range: whether the lowest value was left out.

    Returns: A float32 Tensor of the same shape.
    """
    _check_range(min, max)
    _check_bits(num_bits)
    below, above = _inside(xp, inputs, _F32(min), _F32(max), num_bits, narrow_range)
    return xp.where(below | above, _F32(0), gradients)


# --- a trained range ---------------------------------------------------------------------------------------------


def _vars_shape(c: ShapeContext) -> TensorShape:
    require_scalar(c.shape("min"))
    require_scalar(c.shape("max"))
    return c.shape("inputs")


def _check_scalars(low: Array, high: Array) -> None:
    for name, value in (("min", low), ("max", high)):
        if value.ndim:
            raise invalid(f"`{name}` must be rank 0 but is rank {value.ndim}")


@export(
    "quantization.fake_quant_with_min_max_vars",
    v1=["quantization.fake_quant_with_min_max_vars", "fake_quant_with_min_max_vars"],
)
@op(
    "FakeQuantWithMinMaxVars",
    "inputs: float32, min: float32, max: float32 -> outputs: float32",
    shape=_vars_shape,
    batching=leading("inputs"),
)
def fake_quant_with_min_max_vars(
    xp: Xp, inputs: Array, min: Array, max: Array, *, num_bits: int = 8, narrow_range: bool = False
) -> Array:
    """Rounds a tensor to the values that `num_bits` bits can hold in a range that is trained.

    >>> tf.quantization.fake_quant_with_min_max_vars([-7.0, 0.3], -1.0, 1.0, num_bits=2).numpy()
    array([-1.3333334,  0.       ], dtype=float32)

    Args:
      inputs: A float32 Tensor.
      min: A float32 scalar, the lower end of the range, before the range is nudged to hold zero.
      max: A float32 scalar, the upper end.
      num_bits: 2 to 16.
      narrow_range: whether the lowest of the `2 ** num_bits` values is left out.

    Returns: A float32 Tensor of the same shape.
    Raises: tf.errors.InvalidArgumentError: if `num_bits` is out of range.
    """
    _check_scalars(min, max)
    return _quantize(xp, inputs, min, max, num_bits, narrow_range)


@fake_quant_with_min_max_vars.gradient
def fake_quant_with_min_max_vars_backward(
    dy: Tensor, inputs: Tensor, min: Tensor, max: Tensor, num_bits: int, narrow_range: bool
) -> Any:
    """Gives the gradient to the input where the input was in range, else to the nearer end of the range."""
    return raw.FakeQuantWithMinMaxVarsGradient(
        gradients=dy, inputs=inputs, min=min, max=max, num_bits=num_bits, narrow_range=narrow_range
    )


@export(
    "quantization.fake_quant_with_min_max_vars_gradient",
    v1=["quantization.fake_quant_with_min_max_vars_gradient", "fake_quant_with_min_max_vars_gradient"],
)
@op(
    "FakeQuantWithMinMaxVarsGradient",
    "gradients: float32, inputs: float32, min: float32, max: float32 -> "
    "backprops_wrt_input: float32, backprop_wrt_min: float32, backprop_wrt_max: float32",
    shape=lambda c: [merge(c.shape("gradients"), c.shape("inputs")), SCALAR, SCALAR],
    not_differentiable=_WHY,
    not_batched="a quantized range is that of a whole row",
)
def fake_quant_with_min_max_vars_gradient(
    xp: Xp,
    gradients: Array,
    inputs: Array,
    min: Array,
    max: Array,
    *,
    num_bits: int = 8,
    narrow_range: bool = False,
) -> tuple[Array, Array, Array]:
    """Passes gradients on to the input where the input was in range, else to the nearer end of the range.

    >>> [g.numpy().tolist() for g in tf.quantization.fake_quant_with_min_max_vars_gradient([1., 2.], [.5, 9.], 0., 1.)]
    [[1.0, 0.0], 0.0, 2.0]

    Args:
      gradients: A float32 Tensor, the gradient of the result.
      inputs: A float32 Tensor of the same shape, what was quantized.
      min: A float32 scalar.
      max: A float32 scalar.
      num_bits: 2 to 16.
      narrow_range: whether the lowest value was left out.

    Returns: A list of the gradients of `inputs`, `min` and `max`.
    """
    _check_scalars(min, max)
    _check_bits(num_bits)
    below, above = _inside(xp, inputs, min, max, num_bits, narrow_range)
    zero = _F32(0)
    return (
        xp.where(below | above, zero, gradients),
        xp.sum(xp.where(below, gradients, zero)),
        xp.sum(xp.where(above, gradients, zero)),
    )


# --- a trained range per channel ---------------------------------------------------------------------------------


def _channel_shape(c: ShapeContext) -> TensorShape:
    dims = with_rank_at_least(c.shape("inputs"), 1)
    size = merge_dim(with_rank(c.shape("min"), 1)[0], with_rank(c.shape("max"), 1)[0])
    return c.shape("inputs") if dims is None else TensorShape.of((*dims[:-1], merge_dim(dims[-1], size)))


def _check_channels(inputs: Array, low: Array, high: Array) -> None:
    for name, value in (("min", low), ("max", high)):
        if value.ndim != 1:
            raise invalid(f"`{name}` must be rank 1 but is rank {value.ndim}")
        if not inputs.ndim or value.shape[0] != inputs.shape[-1]:
            raise invalid(f"{name} has incorrect size, expected {dims_text(inputs.shape[-1:])} was {value.shape[0]}")


@export(
    "quantization.fake_quant_with_min_max_vars_per_channel",
    v1=["quantization.fake_quant_with_min_max_vars_per_channel", "fake_quant_with_min_max_vars_per_channel"],
)
@op(
    "FakeQuantWithMinMaxVarsPerChannel",
    "inputs: float32, min: float32, max: float32 -> outputs: float32",
    shape=_channel_shape,
    batching=leading("inputs"),
)
def fake_quant_with_min_max_vars_per_channel(
    xp: Xp, inputs: Array, min: Array, max: Array, *, num_bits: int = 8, narrow_range: bool = False
) -> Array:
    """Rounds a tensor to the values that `num_bits` bits can hold, with a range for each channel.

    >>> tf.quantization.fake_quant_with_min_max_vars_per_channel([[0.3, 0.3]], [0., 0.], [3., 0.75], num_bits=2).numpy()
    array([[0.  , 0.25]], dtype=float32)

    Args:
      inputs: A float32 Tensor of at least one dimension, whose last is the channel.
      min: A float32 vector of the lower ends.
      max: A float32 vector of the upper ends.
      num_bits: 2 to 16.
      narrow_range: whether the lowest of the `2 ** num_bits` values is left out.

    Returns: A float32 Tensor of the same shape.
    Raises: tf.errors.InvalidArgumentError: if the sizes differ or `num_bits` is out of range.
    """
    _check_channels(inputs, min, max)
    return _quantize(xp, inputs, min, max, num_bits, narrow_range)


@fake_quant_with_min_max_vars_per_channel.gradient
def fake_quant_with_min_max_vars_per_channel_backward(
    dy: Tensor, inputs: Tensor, min: Tensor, max: Tensor, num_bits: int, narrow_range: bool
) -> Any:
    """Gives the gradient to the input where the input was in range, else to the nearer end of the channel's range."""
    return raw.FakeQuantWithMinMaxVarsPerChannelGradient(
        gradients=dy, inputs=inputs, min=min, max=max, num_bits=num_bits, narrow_range=narrow_range
    )


def _channel_gradient_shape(c: ShapeContext) -> list[TensorShape]:
    size = merge_dim(with_rank(c.shape("min"), 1)[0], with_rank(c.shape("max"), 1)[0])
    return [merge(c.shape("gradients"), c.shape("inputs")), TensorShape.of((size,)), TensorShape.of((size,))]


@export(
    "quantization.fake_quant_with_min_max_vars_per_channel_gradient",
    v1=[
        "quantization.fake_quant_with_min_max_vars_per_channel_gradient",
        "fake_quant_with_min_max_vars_per_channel_gradient",
    ],
)
@op(
    "FakeQuantWithMinMaxVarsPerChannelGradient",
    "gradients: float32, inputs: float32, min: float32, max: float32 -> "
    "backprops_wrt_input: float32, backprop_wrt_min: float32, backprop_wrt_max: float32",
    shape=_channel_gradient_shape,
    not_differentiable=_WHY,
    not_batched="a quantized range is that of a whole row",
)
def fake_quant_with_min_max_vars_per_channel_gradient(
    xp: Xp,
    gradients: Array,
    inputs: Array,
    min: Array,
    max: Array,
    *,
    num_bits: int = 8,
    narrow_range: bool = False,
) -> tuple[Array, Array, Array]:
    """Passes gradients on to the input where the input was in range, else to the nearer end of the channel's range.

    >>> gradient = tf.quantization.fake_quant_with_min_max_vars_per_channel_gradient
    >>> [g.numpy().tolist() for g in gradient([[1.0, 2.0]], [[0.5, 9.0]], [0.0, 0.0], [1.0, 1.0])]
    [[[1.0, 0.0]], [0.0, 0.0], [0.0, 2.0]]

    Args:
      gradients: A float32 Tensor, the gradient of the result.
      inputs: A float32 Tensor of the same shape, what was quantized.
      min: A float32 vector.
      max: A float32 vector.
      num_bits: 2 to 16.
      narrow_range: whether the lowest value was left out.

    Returns: A list of the gradients of `inputs`, `min` and `max`.
    """
    _check_channels(inputs, min, max)
    _check_bits(num_bits)
    below, above = _inside(xp, inputs, min, max, num_bits, narrow_range)
    zero, axes = _F32(0), tuple(range(inputs.ndim - 1))
    return (
        xp.where(below | above, zero, gradients),
        xp.sum(xp.where(below, gradients, zero), axis=axes),
        xp.sum(xp.where(above, gradients, zero), axis=axes),
    )
