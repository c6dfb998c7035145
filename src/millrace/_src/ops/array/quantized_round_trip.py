"""Quantization there and back at once: floats rounded to what a few bits can hold, staying floats.

The ops differ in the source of the range and of the number of bits, and in the gradient. The gradient of V4 passes
where the input was in range, the gradients of the older ops pass everywhere. With an axis, each slice along the axis
has a range of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from ml_dtypes import finfo

from millrace._src.core.argument_types import TensorLike
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.errors import invalid
from millrace._src.core.op_def import op
from millrace._src.core.op_signature import TypeSet
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.array.quantizing import along, check_axis, check_ranges
from millrace._src.ops.array.shape_checks import dims_text
from millrace._src.ops.type_sets import FLOAT
from millrace._src.util.export import export

_FLOATS = TypeSet((*FLOAT,))


def _round_trip_shape(c: ShapeContext) -> TensorShape:
    if c.attr("range_given"):
        check_axis(c, "input", "input_min", "input_max")
    return c.shape("input")


def _check_bits(num_bits: int, signed: bool) -> None:
    if not 0 < num_bits < (62 if signed else 63):
        raise invalid(f"num_bits is out of range: {num_bits} with signed_input {signed}")


def _round_trip(
    xp: Xp,
    x: Array,
    limits: tuple[Array, Array] | None,
    num_bits: int,
    signed: bool,
    round_mode: str,
    narrow_range: bool,
    axis: int,
) -> Array:
    """Rounds each value to the nearest that `num_bits` bits can hold in the range (by default the input's range)."""
    _check_bits(num_bits, signed)
    if not x.size:
        return x
    if limits is None:
        axes = tuple(i for i in range(x.ndim) if i != axis) if axis >= 0 else None
        low, high = xp.min(x, axis=axes), xp.max(x, axis=axes)
    else:
        low, high = limits
    least = (1 - (1 << num_bits - 1) if narrow_range else -(1 << num_bits - 1)) if signed else 0
    largest = (1 << num_bits - 1) - 1 if signed else (1 << num_bits) - 1
    scale, step, bottom, top = (
        along(x, xp.astype(v, x.dtype), axis) for v in _round_trip_scale(xp, low, high, least, largest, x.dtype.type)
    )
    scaled_x = (xp.minimum(xp.maximum(x, bottom), top) if limits is not None else x) * scale
    rounded_x = xp.floor(scaled_x + x.dtype.type(0.5)) if round_mode == "HALF_UP" else xp.round(scaled_x)
    return xp.astype(rounded_x * step, x.dtype)


def _round_trip_scale(xp: Xp, low: Array, high: Array, least: int, largest: int, kind: Any) -> tuple[Array, ...]:
    """Returns the number of steps in 1, the size of a step, and the range that the steps cover."""
    huge = finfo(kind).max
    low_side = xp.where(kind(least) * low > 0, kind(least) / low, huge) if least else xp.full(low.shape, huge)
    high_side = xp.where(kind(largest) * high > 0, kind(largest) / high, huge)
    is_low = low_side < high_side
    step = xp.where(is_low, low / kind(least or 1), high / kind(largest))
    top, bottom = xp.where(is_low, kind(largest) * step, high), xp.where(is_low, low, kind(least) * step)
    return xp.minimum(low_side, high_side), step, bottom, top


def _refuse_reversed(input: Array, low: Array, high: Array) -> None:
    if input.size and low.shape == high.shape and (low > high).any():
        raise invalid(f"Invalid range: input_min {low} > input_max {high}")


def _refuse_reversed_constants(
    input: Array, *, signed_input: bool, num_bits: int, range_given: bool, input_min: float, input_max: float
) -> None:
    if range_given:
        _check_bits(num_bits, signed_input)
        _refuse_reversed(input, np.asarray(input_min, input.dtype), np.asarray(input_max, input.dtype))


def _refuse_reversed_range(
    input: Array,
    input_min: Array,
    input_max: Array,
    *,
    signed_input: bool,
    num_bits: int,
    range_given: bool,
    axis: int,
) -> None:
    if range_given:
        check_ranges(input, input_min, input_max, axis, ("input_min", "input_max"))
        _check_bits(num_bits, signed_input)
        _refuse_reversed(input, input_min, input_max)


def _refuse_reversed_range_v3(
    input: Array,
    input_min: Array,
    input_max: Array,
    num_bits: Array,
    *,
    signed_input: bool,
    range_given: bool,
    axis: int,
) -> None:
    bits = int(num_bits)
    _refuse_reversed_range(
        input, input_min, input_max, signed_input=signed_input, num_bits=bits, range_given=range_given, axis=axis
    )


@op(
    "QuantizeAndDequantize",
    "input: T -> output: T",
    T=_FLOATS,
    checks=_refuse_reversed_constants,
    shape=lambda c: c.shape("input"),
    not_batched="a quantized range is that of a whole row",
)
def quantize_and_dequantize_v1_op(
    xp: Xp,
    input: Array,
    *,
    signed_input: bool = True,
    num_bits: int = 8,
    range_given: bool = False,
    input_min: float = 0.0,
    input_max: float = 0.0,
) -> Array:
    """Rounds to a few bits and back, with a range that is fixed in the graph."""
    low, high = (xp.astype(xp.array(v), input.dtype) for v in (input_min, input_max))
    limits = (low, high) if range_given else None
    return _round_trip(xp, input, limits, num_bits, signed_input, "HALF_TO_EVEN", False, -1)


@quantize_and_dequantize_v1_op.gradient(accepts_slices=True)
def quantize_and_dequantize_v1_gradient(dy: Tensor) -> Tensor:
    """Passes the gradient on unchanged."""
    return dy


_ROUND_TRIP = "input: T, input_min: T, input_max: T -> output: T"
_ROUND_TRIP_FACTS: dict[str, Any] = {
    "T": _FLOATS,
    "checks": _refuse_reversed_range,
    "shape": _round_trip_shape,
    "not_batched": "a quantized range is that of a whole row",
}


@op("QuantizeAndDequantizeV2", _ROUND_TRIP, **_ROUND_TRIP_FACTS)
def quantize_and_dequantize_v2_op(
    xp: Xp,
    input: Array,
    input_min: Array,
    input_max: Array,
    *,
    signed_input: bool = True,
    num_bits: int = 8,
    range_given: bool = False,
    round_mode: str = "HALF_TO_EVEN",
    narrow_range: bool = False,
    axis: int = -1,
) -> Array:
    """Rounds to a few bits and back, in the given range or in that of the input."""
    if range_given:
        check_ranges(input, input_min, input_max, axis, ("input_min", "input_max"))
    limits = (input_min, input_max) if range_given else None
    return _round_trip(xp, input, limits, num_bits, signed_input, round_mode, narrow_range, axis)


@quantize_and_dequantize_v2_op.gradient(accepts_slices=True)
def quantize_and_dequantize_v2_gradient(dy: Tensor) -> tuple[Tensor, None, None]:
    """Passes the gradient on unchanged."""
    return dy, None, None


@op(
    "QuantizeAndDequantizeV3",
    "input: T, input_min: T, input_max: T, num_bits: int32 -> output: T",
    T=_FLOATS,
    checks=_refuse_reversed_range_v3,
    shape=_round_trip_shape,
    constant_inputs=("num_bits",),
    not_batched="a quantized range is that of a whole row",
)
def quantize_and_dequantize_v3_op(
    xp: Xp,
    input: Array,
    input_min: Array,
    input_max: Array,
    num_bits: Array,
    *,
    signed_input: bool = True,
    range_given: bool = True,
    narrow_range: bool = False,
    axis: int = -1,
) -> Array:
    """Rounds to a few bits and back, with a number of bits that is an input."""
    if range_given:
        check_ranges(input, input_min, input_max, axis, ("input_min", "input_max"))
    limits = (input_min, input_max) if range_given else None
    return _round_trip(xp, input, limits, int(num_bits), signed_input, "HALF_TO_EVEN", narrow_range, axis)


@quantize_and_dequantize_v3_op.gradient(accepts_slices=True)
def quantize_and_dequantize_v3_gradient(dy: Tensor) -> tuple[Tensor, None, None, None]:
    """Passes the gradient on unchanged."""
    return dy, None, None, None


quantize_and_dequantize_v4_op = op("QuantizeAndDequantizeV4", _ROUND_TRIP, **_ROUND_TRIP_FACTS)(
    quantize_and_dequantize_v2_op.op_def.kernel
)


@quantize_and_dequantize_v4_op.gradient
def quantize_and_dequantize_v4_gradient(
    dy: Tensor, input: Tensor, input_min: Tensor, input_max: Tensor, axis: int
) -> Any:
    """Passes the gradient on where the input was in range."""
    return raw.QuantizeAndDequantizeV4Grad(
        gradients=dy, input=input, input_min=input_min, input_max=input_max, axis=axis
    )


@op(
    "QuantizeAndDequantizeV4Grad",
    "gradients: T, input: T, input_min: T, input_max: T -> "
    "input_backprop: T, input_min_backprop: T, input_max_backprop: T",
    T=_FLOATS,
    shape=lambda c: [c.shape("input"), c.shape("input_min"), c.shape("input_max")],
    not_batched="a quantized range is that of a whole row",
)
def quantize_and_dequantize_v4_grad(
    xp: Xp, gradients: Array, input: Array, input_min: Array, input_max: Array, *, axis: int = -1
) -> tuple[Array, Array, Array]:
    """Passes gradients on where the input was in range; the range gets none."""
    if gradients.shape != input.shape:
        raise invalid(
            f"gradient and input must be the same size, got {dims_text(gradients.shape)} and {dims_text(input.shape)}"
        )
    low, high = along(input, input_min, axis), along(input, input_max, axis)
    inside = (input >= low) & (input <= high)
    zero = xp.zeros((), input.dtype)
    return (
        xp.where(inside, gradients, zero),
        xp.zeros(input_min.shape, input.dtype),
        xp.zeros(input_max.shape, input.dtype),
    )


@quantize_and_dequantize_v4_grad.gradient
def quantize_and_dequantize_v4_grad_gradient(
    dx: Tensor, d_min: Tensor, d_max: Tensor, input: Tensor, input_min: Tensor, input_max: Tensor, axis: int
) -> tuple[Tensor, None, None, None]:
    """Differentiates by the gradients, in which the op is linear."""
    back = raw.QuantizeAndDequantizeV4Grad(
        gradients=dx, input=input, input_min=input_min, input_max=input_max, axis=axis
    )
    return back[0], None, None, None


def _rounded_along(op_function: Callable[..., Any], input: TensorLike, axis: int | None, **arguments: object) -> Any:
    """Calls an op with an axis that may be negative, or None for one range."""
    tensor = convert_to_tensor(input)
    counted = -1 if axis is None else axis if axis >= 0 else axis + (tensor.shape.rank or 0)
    return op_function(tensor, axis=counted, **arguments)


@export("quantization.quantize_and_dequantize_v2")
def quantize_and_dequantize_v2(
    input: TensorLike,
    input_min: TensorLike,
    input_max: TensorLike,
    signed_input: bool = True,
    num_bits: int = 8,
    range_given: bool = False,
    round_mode: str = "HALF_TO_EVEN",
    name: str | None = None,
    narrow_range: bool = False,
    axis: int | None = None,
) -> Any:
    """Quantizes a tensor and turns it back into floats; the gradient passes where a value was in range.

    >>> tf.quantization.quantize_and_dequantize_v2([0.1, 0.9, 3.0], -1.0, 1.0, num_bits=3, range_given=True).numpy()
    array([0., 1., 1.], dtype=float32)

    Args:
      input: A floating point Tensor.
      input_min: a scalar, or with `axis` a vector: the least value, if `range_given`.
      input_max: the largest value, if `range_given`.
      signed_input: whether values may be negative.
      num_bits: the number of bits.
      range_given: whether the range is given; else that of the input is taken.
      round_mode: "HALF_TO_EVEN" or "HALF_UP".
      name: name of the operation.
      narrow_range: whether the least of signed values is left out.
      axis: the dimension whose slices have ranges of their own; None: one range.

    Returns: A Tensor of the shape and dtype of `input`.
    """
    bits = {"signed_input": signed_input, "num_bits": num_bits, "round_mode": round_mode, "narrow_range": narrow_range}
    limits = {"input_min": input_min, "input_max": input_max, "range_given": range_given}
    return _rounded_along(quantize_and_dequantize_v4_op, input, axis, **limits, **bits, name=name)


@export("quantization.quantize_and_dequantize")
def quantize_and_dequantize(
    input: TensorLike,
    input_min: TensorLike,
    input_max: TensorLike,
    signed_input: bool = True,
    num_bits: int = 8,
    range_given: bool = False,
    round_mode: str = "HALF_TO_EVEN",
    name: str | None = None,
    narrow_range: bool = False,
    axis: int | None = None,
) -> Any:
    """Quantizes a tensor and turns it back into floats; the gradient passes unchanged.

    >>> tf.quantization.quantize_and_dequantize([0.1, 0.9, 3.0], -1.0, 1.0, num_bits=3, range_given=True).numpy()
    array([0., 1., 1.], dtype=float32)

    Args:
      input: A floating point Tensor.
      input_min: a scalar, or with `axis` a vector: the least value, if `range_given`.
      input_max: the largest value, if `range_given`.
      signed_input: whether values may be negative.
      num_bits: the number of bits.
      range_given: whether the range is given; else that of the input is taken.
      round_mode: "HALF_TO_EVEN" or "HALF_UP".
      name: name of the operation.
      narrow_range: whether the least of signed values is left out.
      axis: the dimension whose slices have ranges of their own; None: one range.

    Returns: A Tensor of the shape and dtype of `input`.
    """
    bits = {"signed_input": signed_input, "num_bits": num_bits, "round_mode": round_mode, "narrow_range": narrow_range}
    limits = {"input_min": input_min, "input_max": input_max, "range_given": range_given}
    return _rounded_along(quantize_and_dequantize_v2_op, input, axis, **limits, **bits, name=name)
