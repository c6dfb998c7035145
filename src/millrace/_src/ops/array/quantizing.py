"""Quantization: floats as small integers with a range, and back.

`quantize` and `dequantize` convert between float32 and the quantized dtypes in three modes, whose formulas are those
of TensorFlow's documentation. `quantize_and_dequantize` makes the round trip at once and stays in floats; its gradient
lets values in range pass. With an axis, each slice along it has a range of its own.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from ml_dtypes import finfo

from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import DType, as_dtype, bfloat16, float32, quint8
from millrace._src.core.op_def import op
from millrace._src.core.op_signature import TypeSet
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.array.shape_checks import SCALAR, dims_text, invalid, merge_dim, require_scalar, with_rank
from millrace._src.ops.type_sets import FLOAT, QUANTIZED
from millrace._src.util.export import export

_F32 = np.float32
_FLOATS = TypeSet((*FLOAT,))
_MODES = ("MIN_COMBINED", "MIN_FIRST", "SCALED")


class QuantizeResult(NamedTuple):
    """The result of `tf.quantization.quantize`."""

    output: Any
    output_min: Any
    output_max: Any


# --- checks ------------------------------------------------------------------------------------------------------


def _check_mode(mode: str) -> None:
    if mode not in _MODES:
        raise invalid(f"Value for attr 'mode' of \"{mode}\" is not in the list of allowed values: {', '.join(_MODES)}")


def _check_ranges(x: Array, low: Array, high: Array, axis: int, names: tuple[str, str]) -> None:
    if axis < -1:
        raise invalid(f"Axis must be at least -1. Found {axis}")
    if axis >= x.ndim:
        raise invalid(f"Shape must be at least rank {axis + 1} but is rank {x.ndim}")
    for name, value in zip(names, (low, high), strict=True):
        if axis == -1 and value.ndim:
            raise invalid(f"`{name}` must be rank 0 but is rank {value.ndim}")
        if axis >= 0 and (value.ndim != 1 or value.shape[0] != x.shape[axis]):
            size = x.shape[axis]
            raise invalid(
                f"{name} must be a vector of {size} elements for axis {axis}, but has shape {dims_text(value.shape)}"
            )


def _along(x: Array, value: Array, axis: int) -> Array:
    """Range limits shaped to broadcast along `axis`."""
    return value.reshape([-1 if i == axis else 1 for i in range(x.ndim)]) if axis >= 0 else value


def _check_axis(c: ShapeContext, x: str, low: str, high: str) -> None:
    axis = c.attr("axis")
    if axis < -1:
        raise ValueError("axis should be at least -1, got " + str(axis))
    for name in (low, high):
        if axis == -1:
            require_scalar(c.shape(name))
        else:
            (size,) = with_rank(c.shape(name), 1)
            dims = c.shape(x)._dims
            if dims is not None and axis < len(dims):
                merge_dim(dims[axis], size)


# --- quantize ----------------------------------------------------------------------------------------------------


def _limits(dtype: DType) -> tuple[int, int]:
    """The least and largest value of a quantized dtype."""
    info = np.iinfo(dtype.np_dtype)
    return int(info.min), int(info.max)


def _quantize_shape(c: ShapeContext) -> list[TensorShape]:
    _check_axis(c, "input", "min_range", "max_range")
    axis = c.attr("axis")
    limits = SCALAR if axis == -1 else TensorShape.of(((c.shape("input")._dims or (None,) * (axis + 1))[axis],))
    return [c.shape("input"), limits, limits]


@op(
    "QuantizeV2",
    "input: float, min_range: float, max_range: float -> output: T, output_min: float, output_max: float",
    T=QUANTIZED,
    shape=_quantize_shape,
    not_differentiable="the result is an integer",
)
def quantize_op(
    xp: Xp,
    input: Array,
    min_range: Array,
    max_range: Array,
    *,
    T: DType,
    mode: str = "MIN_COMBINED",
    round_mode: str = "HALF_AWAY_FROM_ZERO",
    narrow_range: bool = False,
    axis: int = -1,
    ensure_minimum_range: float = 0.01,
) -> tuple[Array, Array, Array]:
    """`input` as quantized values, and the range that they stand for."""
    _check_mode(mode)
    if round_mode == "HALF_TO_EVEN" and mode != "SCALED":
        raise invalid(f"Round mode 'HALF_TO_EVEN' only supported for mode 'SCALED', but mode is '{mode}'.")
    _check_ranges(input, min_range, max_range, axis, ("min_range", "max_range"))
    low, high = _widened(xp, min_range, max_range, ensure_minimum_range)
    a, b = _along(input, low, axis), _along(input, high, axis)
    if mode == "SCALED":
        return _quantize_scaled(xp, input, low, high, T, round_mode, narrow_range, axis)
    places = _combined(xp, input, a, b, T) if mode == "MIN_COMBINED" else _from_first(xp, input, a, b, T)
    return xp.astype(places, T.np_dtype), low, high


def _widened(xp: Xp, low: Array, high: Array, minimum: float) -> tuple[Array, Array]:
    """The range, with zero in it and no narrower than a fraction of its size."""
    if not xp.is_xla and (low > high).any():
        raise invalid("min_range must be less than or equal to max_range")
    bottom = xp.minimum(low, _F32(0))
    least = xp.maximum(_F32(1), xp.maximum(xp.abs(low), xp.abs(high))) * _F32(minimum)
    return bottom, xp.maximum(xp.maximum(high, bottom + least), _F32(0))


def _away_from_zero(xp: Xp, x: Array) -> Array:
    """Rounds halves away from zero."""
    whole = xp.trunc(x)
    return whole + xp.where(xp.abs(x - whole) >= _F32(0.5), xp.sign(x), _F32(0))


def _combined(xp: Xp, x: Array, low: Array, high: Array, dtype: DType) -> Array:
    least, largest = _limits(dtype)
    scale = _F32(largest - least) / (high - low)
    clamped = xp.minimum(xp.maximum(x, low), high)
    offset = (clamped - low) * scale
    if least < 0:
        offset = offset - _F32((largest - least + 1) / 2)
    return _away_from_zero(xp, offset)


def _from_first(xp: Xp, x: Array, low: Array, high: Array, dtype: DType) -> Array:
    least, largest = _limits(dtype)
    count = float(largest - least + 1)
    scale = xp.astype(count / (xp.astype(high - low, np.float64) * (count / (count - 1))), _F32)
    wide, start = x * scale, low * scale
    if dtype is quint8:  # which TensorFlow rounds once, halves to even
        places = xp.round(wide - start)
    else:
        places = _away_from_zero(xp, wide) - _away_from_zero(xp, start) + _F32(least)
    top = _F32(largest)
    return xp.clip(places, _F32(least), top if int(top) <= largest else np.nextafter(top, _F32(0)))


def _quantize_scaled(
    xp: Xp, x: Array, low: Array, high: Array, dtype: DType, round_mode: str, narrow_range: bool, axis: int
) -> tuple[Array, Array, Array]:
    least, largest = _limits(dtype)
    least += 1 if narrow_range else 0
    huge = np.finfo(_F32).max
    low_side = xp.where(least * low > 0, _F32(least) / low, huge) if least else xp.full(low.shape, huge, _F32)
    high_side = xp.where(largest * high > 0, _F32(largest) / high, huge)
    scale = xp.minimum(low_side, high_side)
    bottom, top = _F32(least) / scale, _F32(largest) / scale
    clamped = xp.minimum(xp.maximum(x, _along(x, bottom, axis)), _along(x, top, axis))
    scaled = clamped * _along(x, scale, axis)
    rounded = xp.round(scaled) if round_mode == "HALF_TO_EVEN" else _away_from_zero(xp, scaled)
    return xp.astype(rounded, dtype.np_dtype), xp.astype(bottom, _F32), xp.astype(top, _F32)


@export(
    "quantization.quantize",
    v1=["quantization.quantize", "quantize"],
)
def quantize(
    input: Any,
    min_range: Any,
    max_range: Any,
    T: Any,
    mode: str = "MIN_COMBINED",
    round_mode: str = "HALF_AWAY_FROM_ZERO",
    name: str | None = None,
    narrow_range: bool = False,
    axis: int | None = None,
    ensure_minimum_range: float = 0.01,
) -> QuantizeResult:
    """Quantizes a float32 tensor.

    >>> output, low, high = tf.quantization.quantize([0.0, 0.5, 1.0], 0.0, 1.0, tf.quint8)
    >>> tf.cast(output, tf.int32).numpy(), float(high)
    (array([  0, 128, 255], dtype=int32), 1.0)

    Args:
      input: A float32 Tensor.
      min_range: a float32 scalar, or with `axis` a vector: the least value to represent.
      max_range: the largest value to represent.
      T: the quantized dtype: qint8, quint8, qint16, quint16 or qint32.
      mode: "MIN_COMBINED", "MIN_FIRST" or "SCALED".
      round_mode: "HALF_AWAY_FROM_ZERO", or with "SCALED" also "HALF_TO_EVEN".
      name: name of the operation.
      narrow_range: with "SCALED", whether the least value of a signed dtype is left out.
      axis: the dimension whose slices have ranges of their own; None: one range.
      ensure_minimum_range: the least width of the range, as a share of its size.

    Returns: A named tuple of `output` and the range it stands for, `output_min` and `output_max`.
    Raises: tf.errors.InvalidArgumentError: if the range is reversed or a mode unknown.
    """
    result = quantize_op(
        input,
        min_range,
        max_range,
        T=T,
        mode=mode,
        round_mode=round_mode,
        narrow_range=narrow_range,
        axis=-1 if axis is None else axis,
        ensure_minimum_range=ensure_minimum_range,
        name=name,
    )
    return QuantizeResult(*result)


@export(v1=["quantize_v2"])
def quantize_v2(
    input: Any,
    min_range: Any,
    max_range: Any,
    T: Any,
    mode: str = "MIN_COMBINED",
    name: str | None = None,
    round_mode: str = "HALF_AWAY_FROM_ZERO",
    narrow_range: bool = False,
    axis: int | None = None,
    ensure_minimum_range: float = 0.01,
) -> QuantizeResult:
    """`tf.quantization.quantize` with the argument order of TensorFlow 1.

    >>> tf.compat.v1.quantize_v2([1.0], 0.0, 1.0, tf.quint8).output.dtype
    tf.quint8

    Args:
      input: A float32 Tensor.
      min_range: the least value to represent.
      max_range: the largest value to represent.
      T: the quantized dtype.
      mode: "MIN_COMBINED", "MIN_FIRST" or "SCALED".
      name: name of the operation.
      round_mode: "HALF_AWAY_FROM_ZERO", or with "SCALED" also "HALF_TO_EVEN".
      narrow_range: with "SCALED", whether the least value is left out.
      axis: the dimension whose slices have ranges of their own.
      ensure_minimum_range: the least width of the range.

    Returns: A named tuple of `output`, `output_min` and `output_max`.
    """
    return quantize(input, min_range, max_range, T, mode, round_mode, name, narrow_range, axis, ensure_minimum_range)


# --- dequantize --------------------------------------------------------------------------------------------------


def _dequantize_shape(c: ShapeContext) -> TensorShape:
    _check_axis(c, "input", "min_range", "max_range")
    return c.shape("input")


@op(
    "Dequantize",
    "input: T, min_range: float, max_range: float -> output: dtype",
    T=QUANTIZED,
    dtype=TypeSet((bfloat16, float32), default=float32),
    shape=_dequantize_shape,
    not_differentiable="the input is an integer",
)
def dequantize_op(
    xp: Xp,
    input: Array,
    min_range: Array,
    max_range: Array,
    *,
    T: DType,
    dtype: DType,
    mode: str = "MIN_COMBINED",
    narrow_range: bool = False,
    axis: int = -1,
) -> Array:
    """The floats that quantized values stand for."""
    _check_mode(mode)
    _check_ranges(input, min_range, max_range, axis, ("min_range", "max_range"))
    low, high = _along(input, min_range, axis), _along(input, max_range, axis)
    least, largest = _limits(T)
    values = xp.astype(input, _F32)
    if mode == "MIN_COMBINED":
        half = _F32((largest - least + 1) / 2 if least < 0 else 0)
        result = (values + half) * ((high - low) / _F32(largest - least)) + low
    elif mode == "MIN_FIRST":
        result = _dequantize_first(xp, input, low, high, least, largest)
    else:
        result = values * _scale(xp, low, high, least + (1 if narrow_range else 0), largest)
    return xp.astype(result, dtype.np_dtype)


def _dequantize_first(xp: Xp, x: Array, low: Array, high: Array, least: int, largest: int) -> Array:
    count = float(largest - least + 1)
    step = xp.astype(xp.astype(high - low, np.float64) * (count / (count - 1)) / count, _F32)
    start = _away_from_zero(xp, low / step) * step
    return start + (xp.astype(x, np.float64) - least) * step


def _scale(xp: Xp, low: Array, high: Array, least: int, largest: int) -> Array:
    """The step of the SCALED mode: as wide as the wider side of the range needs."""
    above = high / _F32(largest)
    return xp.maximum(low / _F32(least), above) if least else above


@export("quantization.dequantize", v1=["quantization.dequantize", "dequantize"])
def dequantize(
    input: Any,
    min_range: Any,
    max_range: Any,
    mode: str = "MIN_COMBINED",
    name: str | None = None,
    axis: int | None = None,
    narrow_range: bool = False,
    dtype: Any = float32,
) -> Any:
    """Turns quantized values back into floats.

    >>> quantized = tf.quantization.quantize([0.0, 1.0], 0.0, 1.0, tf.quint8).output
    >>> tf.quantization.dequantize(quantized, 0.0, 1.0).numpy()
    array([0., 1.], dtype=float32)

    Args:
      input: A Tensor of a quantized dtype.
      min_range: a float32 scalar, or with `axis` a vector: what the least value stands for.
      max_range: what the largest value stands for.
      mode: "MIN_COMBINED", "MIN_FIRST" or "SCALED"; that of the quantization.
      name: name of the operation.
      axis: the dimension whose slices have ranges of their own; None: one range.
      narrow_range: with "SCALED", whether the least value was left out.
      dtype: float32 or bfloat16.

    Returns: A Tensor of `dtype`.
    Raises: tf.errors.InvalidArgumentError: if the mode is unknown.
    """
    at = -1 if axis is None else axis
    wanted = as_dtype(dtype)
    if (at >= 0 or narrow_range) and mode != "SCALED":
        raise invalid(f"tf.quantization.dequantize: axis and narrow_range need mode 'SCALED'; received mode='{mode}'.")
    return dequantize_op(
        input, min_range, max_range, mode=mode, narrow_range=narrow_range, axis=at, dtype=wanted, name=name
    )


# --- the round trip ----------------------------------------------------------------------------------------------


def _round_trip_shape(c: ShapeContext) -> TensorShape:
    if c.attr("range_given"):
        _check_axis(c, "input", "input_min", "input_max")
    return c.shape("input")


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
    """Each value as the nearest that `num_bits` bits can hold in the range; the input's own range if none is given."""
    if not 0 < num_bits < (62 if signed else 63):
        raise invalid(f"num_bits is out of range: {num_bits} with signed_input {signed}")
    if not x.size:
        return x
    if limits is None:
        axes = tuple(i for i in range(x.ndim) if i != axis) if axis >= 0 else None
        low, high = xp.min(x, axis=axes), xp.max(x, axis=axes)
    else:
        low, high = limits
        if not xp.is_xla and (low > high).any():
            raise invalid(f"Invalid range: input_min {low} > input_max {high}")
    least = (1 - (1 << num_bits - 1) if narrow_range else -(1 << num_bits - 1)) if signed else 0
    largest = (1 << num_bits - 1) - 1 if signed else (1 << num_bits) - 1
    scale, step, bottom, top = (
        _along(x, xp.astype(v, x.dtype), axis) for v in _round_trip_scale(xp, low, high, least, largest, x.dtype.type)
    )
    scaled = (xp.minimum(xp.maximum(x, bottom), top) if limits is not None else x) * scale
    rounded = xp.floor(scaled + x.dtype.type(0.5)) if round_mode == "HALF_UP" else xp.round(scaled)
    return xp.astype(rounded * step, x.dtype)


def _round_trip_scale(xp: Xp, low: Array, high: Array, least: int, largest: int, kind: Any) -> tuple[Array, ...]:
    """Steps per unit, the step, and the range that the steps cover."""
    huge = finfo(kind).max
    low_side = xp.where(kind(least) * low > 0, kind(least) / low, huge) if least else xp.full(low.shape, huge)
    high_side = xp.where(kind(largest) * high > 0, kind(largest) / high, huge)
    is_low = low_side < high_side
    step = xp.where(is_low, low / kind(least or 1), high / kind(largest))
    top, bottom = xp.where(is_low, kind(largest) * step, high), xp.where(is_low, low, kind(least) * step)
    return xp.minimum(low_side, high_side), step, bottom, top


@op("QuantizeAndDequantize", "input: T -> output: T", T=_FLOATS, shape=lambda c: c.shape("input"))
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
    """The round trip with a range that is fixed in the graph."""
    low, high = (xp.astype(xp.array(v), input.dtype) for v in (input_min, input_max))
    limits = (low, high) if range_given else None
    return _round_trip(xp, input, limits, num_bits, signed_input, "HALF_TO_EVEN", False, -1)


@quantize_and_dequantize_v1_op.gradient
def quantize_and_dequantize_v1_gradient(dy: Tensor) -> Tensor:
    """The gradient passes."""
    return dy


@op(
    "QuantizeAndDequantizeV2",
    "input: T, input_min: T, input_max: T -> output: T",
    T=_FLOATS,
    shape=_round_trip_shape,
)
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
    """The round trip, whose gradient passes unchanged."""
    if range_given:
        _check_ranges(input, input_min, input_max, axis, ("input_min", "input_max"))
    limits = (input_min, input_max) if range_given else None
    return _round_trip(xp, input, limits, num_bits, signed_input, round_mode, narrow_range, axis)


@quantize_and_dequantize_v2_op.gradient
def quantize_and_dequantize_v2_gradient(dy: Tensor) -> tuple[Tensor, None, None]:
    """The gradient passes."""
    return dy, None, None


@op(
    "QuantizeAndDequantizeV3",
    "input: T, input_min: T, input_max: T, num_bits: int32 -> output: T",
    T=_FLOATS,
    shape=_round_trip_shape,
    constant_inputs=("num_bits",),
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
    """The round trip with a number of bits that is an input."""
    if range_given:
        _check_ranges(input, input_min, input_max, axis, ("input_min", "input_max"))
    limits = (input_min, input_max) if range_given else None
    return _round_trip(xp, input, limits, int(num_bits), signed_input, "HALF_TO_EVEN", narrow_range, axis)


@quantize_and_dequantize_v3_op.gradient
def quantize_and_dequantize_v3_gradient(dy: Tensor) -> tuple[Tensor, None, None, None]:
    """The gradient passes."""
    return dy, None, None, None


@op(
    "QuantizeAndDequantizeV4",
    "input: T, input_min: T, input_max: T -> output: T",
    T=_FLOATS,
    shape=_round_trip_shape,
)
def quantize_and_dequantize_v4_op(
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
    """The round trip, whose gradient passes where the input was in range."""
    if range_given:
        _check_ranges(input, input_min, input_max, axis, ("input_min", "input_max"))
    limits = (input_min, input_max) if range_given else None
    return _round_trip(xp, input, limits, num_bits, signed_input, round_mode, narrow_range, axis)


@quantize_and_dequantize_v4_op.gradient
def quantize_and_dequantize_v4_gradient(
    dy: Tensor, input: Tensor, input_min: Tensor, input_max: Tensor, axis: int
) -> Any:
    """The gradient passes where the input was in range."""
    return raw.QuantizeAndDequantizeV4Grad(
        gradients=dy, input=input, input_min=input_min, input_max=input_max, axis=axis
    )


@op(
    "QuantizeAndDequantizeV4Grad",
    "gradients: T, input: T, input_min: T, input_max: T -> "
    "input_backprop: T, input_min_backprop: T, input_max_backprop: T",
    T=_FLOATS,
    shape=lambda c: [c.shape("input"), c.shape("input_min"), c.shape("input_max")],
)
def quantize_and_dequantize_v4_grad(
    xp: Xp, gradients: Array, input: Array, input_min: Array, input_max: Array, *, axis: int = -1
) -> tuple[Array, Array, Array]:
    """Gradients where the input was in range; none for the range."""
    if gradients.shape != input.shape:
        raise invalid(
            f"gradient and input must be the same size, got {dims_text(gradients.shape)} and {dims_text(input.shape)}"
        )
    low, high = _along(input, input_min, axis), _along(input, input_max, axis)
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
    """It is linear in the gradients."""
    back = raw.QuantizeAndDequantizeV4Grad(
        gradients=dx, input=input, input_min=input_min, input_max=input_max, axis=axis
    )
    return back[0], None, None, None


@export("quantization.quantize_and_dequantize_v2")
def quantize_and_dequantize_v2(
    input: Any,
    input_min: Any,
    input_max: Any,
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
    tensor = convert_to_tensor(input)
    return quantize_and_dequantize_v4_op(
        tensor,
        input_min,
        input_max,
        signed_input=signed_input,
        num_bits=num_bits,
        range_given=range_given,
        round_mode=round_mode,
        narrow_range=narrow_range,
        axis=-1 if axis is None else axis if axis >= 0 else axis + (tensor.shape.rank or 0),
        name=name,
    )


@export("quantization.quantize_and_dequantize")
def quantize_and_dequantize(
    input: Any,
    input_min: Any,
    input_max: Any,
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
    tensor = convert_to_tensor(input)
    return quantize_and_dequantize_v2_op(
        tensor,
        input_min,
        input_max,
        signed_input=signed_input,
        num_bits=num_bits,
        range_given=range_given,
        round_mode=round_mode,
        narrow_range=narrow_range,
        axis=-1 if axis is None else axis if axis >= 0 else axis + (tensor.shape.rank or 0),
        name=name,
    )
