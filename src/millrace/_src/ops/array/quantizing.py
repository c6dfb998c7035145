"""Quantization: floats as small integers with a range, and back.

`quantize` and `dequantize` convert between float32 and the quantized dtypes in three modes, whose formulas are those of
TensorFlow's documentation. With an axis, each slice along the axis has a range of its own.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from millrace._src.core.argument_types import DTypeLike, TensorLike
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.dtypes import DType, as_dtype, bfloat16, float32, quint8
from millrace._src.core.errors import invalid
from millrace._src.core.op_def import op
from millrace._src.core.op_signature import TypeSet
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.ops.array.shape_checks import SCALAR, dims_text, merge_dim, require_scalar, with_rank
from millrace._src.ops.type_sets import QUANTIZED
from millrace._src.util.export import export

_F32 = np.float32
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


def check_ranges(x: Array, low: Array, high: Array, axis: int, names: tuple[str, str]) -> None:
    """Raises InvalidArgumentError unless there is one range, or one for each slice along the axis."""
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


def along(x: Array, value: Array, axis: int) -> Array:
    """Reshapes range limits to broadcast along `axis`."""
    return value.reshape([-1 if i == axis else 1 for i in range(x.ndim)]) if axis >= 0 else value


def check_axis(c: ShapeContext, x: str, low: str, high: str) -> None:
    """Raises ValueError unless the static shapes hold one range, or one for each slice along the axis."""
    axis = c.attr("axis")
    if axis < -1:
        raise ValueError("axis should be at least -1, got " + str(axis))
    for name in (low, high):
        if axis == -1:
            require_scalar(c.shape(name))
        else:
            (size,) = with_rank(c.shape(name), 1)
            dims = c.shape(x).dim_sizes
            if dims is not None and axis < len(dims):
                merge_dim(dims[axis], size)


# --- quantize ----------------------------------------------------------------------------------------------------


def _limits(dtype: DType) -> tuple[int, int]:
    """Returns the least and the largest value of a quantized dtype."""
    info = np.iinfo(dtype.np_dtype)
    return int(info.min), int(info.max)


def _quantize_shape(c: ShapeContext) -> list[TensorShape]:
    check_axis(c, "input", "min_range", "max_range")
    axis = c.attr("axis")
    limits = SCALAR if axis == -1 else TensorShape.of(((c.shape("input").dim_sizes or (None,) * (axis + 1))[axis],))
    return [c.shape("input"), limits, limits]


def _refuse_reversed_range(
    input: Array, min_range: Array, max_range: Array, *, mode: str, round_mode: str, axis: int
) -> None:
    _check_quantizing(input, min_range, max_range, mode, round_mode, axis)
    if (min_range > max_range).any():
        raise invalid("min_range must be less than or equal to max_range")


def _check_quantizing(x: Array, low: Array, high: Array, mode: str, round_mode: str, axis: int) -> None:
    _check_mode(mode)
    if round_mode == "HALF_TO_EVEN" and mode != "SCALED":
        raise invalid(f"Round mode 'HALF_TO_EVEN' only supported for mode 'SCALED', but mode is '{mode}'.")
    check_ranges(x, low, high, axis, ("min_range", "max_range"))


@op(
    "QuantizeV2",
    "input: float, min_range: float, max_range: float -> output: T, output_min: float, output_max: float",
    T=QUANTIZED,
    checks=_refuse_reversed_range,
    shape=_quantize_shape,
    no_gradient="the result is an integer",
    not_batched="a quantized range is that of a whole row",
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
    """Quantizes `input`; returns the values and the range that the values represent."""
    _check_quantizing(input, min_range, max_range, mode, round_mode, axis)
    low, high = _widen(xp, min_range, max_range, ensure_minimum_range)
    a, b = along(input, low, axis), along(input, high, axis)
    if mode == "SCALED":
        return _quantize_scaled(xp, input, low, high, T, round_mode, narrow_range, axis)
    levels = _combine(xp, input, a, b, T) if mode == "MIN_COMBINED" else _from_first(xp, input, a, b, T)
    return xp.astype(levels, T.np_dtype), low, high


def _widen(xp: Xp, low: Array, high: Array, minimum: float) -> tuple[Array, Array]:
    """Widens the range so that it holds zero and is not a narrower than a fraction of its size."""
    bottom = xp.minimum(low, _F32(0))
    least = xp.maximum(_F32(1), xp.maximum(xp.abs(low), xp.abs(high))) * _F32(minimum)
    return bottom, xp.maximum(xp.maximum(high, bottom + least), _F32(0))


def _away_from_zero(xp: Xp, x: Array) -> Array:
    """Rounds halves away from zero."""
    whole_part = xp.trunc(x)
    return whole_part + xp.where(xp.abs(x - whole_part) >= _F32(0.5), xp.sign(x), _F32(0))


def _combine(xp: Xp, x: Array, low: Array, high: Array, dtype: DType) -> Array:
    least, largest = _limits(dtype)
    scale = _F32(largest - least) / (high - low)
    clamped_x = xp.minimum(xp.maximum(x, low), high)
    offset = (clamped_x - low) * scale
    if least < 0:
        offset = offset - _F32((largest - least + 1) / 2)
    return _away_from_zero(xp, offset)


def _from_first(xp: Xp, x: Array, low: Array, high: Array, dtype: DType) -> Array:
    least, largest = _limits(dtype)
    count = float(largest - least + 1)
    scale = xp.astype(count / (xp.astype(high - low, np.float64) * (count / (count - 1))), _F32)
    wide, start = x * scale, low * scale
    if dtype is quint8:  # TensorFlow rounds quint8 once, halves to even
        levels = xp.round(wide - start)
    else:
        levels = _away_from_zero(xp, wide) - _away_from_zero(xp, start) + _F32(least)
    top = _F32(largest)
    return xp.clip(levels, _F32(least), top if int(top) <= largest else np.nextafter(top, _F32(0)))


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
    clamped_x = xp.minimum(xp.maximum(x, along(x, bottom, axis)), along(x, top, axis))
    scaled_x = clamped_x * along(x, scale, axis)
    rounded_x = xp.round(scaled_x) if round_mode == "HALF_TO_EVEN" else _away_from_zero(xp, scaled_x)
    return xp.astype(rounded_x, dtype.np_dtype), xp.astype(bottom, _F32), xp.astype(top, _F32)


@export(
    "quantization.quantize",
    v1=["quantization.quantize", "quantize"],
)
def quantize(
    input: TensorLike,
    min_range: TensorLike,
    max_range: TensorLike,
    T: object,
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
      ensure_minimum_range: the least width of the range, as a share of the range's size.

    Returns: A named tuple of `output` and the range that `output` represents, `output_min` and `output_max`.
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


# --- dequantize --------------------------------------------------------------------------------------------------


def _dequantize_shape(c: ShapeContext) -> TensorShape:
    check_axis(c, "input", "min_range", "max_range")
    return c.shape("input")


@op(
    "Dequantize",
    "input: T, min_range: float, max_range: float -> output: dtype",
    T=QUANTIZED,
    dtype=TypeSet((bfloat16, float32), default=float32),
    shape=_dequantize_shape,
    not_differentiable="the input is an integer",
    not_batched="a quantized range is that of a whole row",
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
    """Computes the floats that quantized values represent."""
    _check_mode(mode)
    check_ranges(input, min_range, max_range, axis, ("min_range", "max_range"))
    low, high = along(input, min_range, axis), along(input, max_range, axis)
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
    """Returns the step of the SCALED mode: as wide as the wider side of the range needs."""
    above = high / _F32(largest)
    return xp.maximum(low / _F32(least), above) if least else above


@export("quantization.dequantize", v1=["quantization.dequantize", "dequantize"])
def dequantize(
    input: TensorLike,
    min_range: TensorLike,
    max_range: TensorLike,
    mode: str = "MIN_COMBINED",
    name: str | None = None,
    axis: int | None = None,
    narrow_range: bool = False,
    dtype: DTypeLike = float32,
) -> Any:
    """Turns quantized values back into floats.

    >>> quantized = tf.quantization.quantize([0.0, 1.0], 0.0, 1.0, tf.quint8).output
    >>> tf.quantization.dequantize(quantized, 0.0, 1.0).numpy()
    array([0., 1.], dtype=float32)

    Args:
      input: A Tensor of a quantized dtype.
      min_range: a float32 scalar, or with `axis` a vector: what the least value represents.
      max_range: what the largest value represents.
      mode: "MIN_COMBINED", "MIN_FIRST" or "SCALED"; that of the quantization.
      name: name of the operation.
      axis: the dimension whose slices have ranges of their own; None: one range.
      narrow_range: with "SCALED", whether the least value was left out.
      dtype: float32 or bfloat16.

    Returns: A Tensor of `dtype`.
    Raises: tf.errors.InvalidArgumentError: if the mode is unknown.
    """
    at = -1 if axis is None else axis
    wanted_dtype = as_dtype(dtype)
    if (at >= 0 or narrow_range) and mode != "SCALED":
        raise invalid(f"tf.quantization.dequantize: axis and narrow_range need mode 'SCALED'; received mode='{mode}'.")
    return dequantize_op(
        input, min_range, max_range, mode=mode, narrow_range=narrow_range, axis=at, dtype=wanted_dtype, name=name
    )
