"""Layers on quantized numbers: pools, convolutions and concatenations of TensorFlow 1, composed of ops on floats.

A quantized tensor holds integers that represent evenly spaced numbers between a minimum and a maximum. The layers
compute with the integers as floats, which hold them exactly, and round where TensorFlow rounds.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from millrace._src.core import dtypes as d
from millrace._src.core.argument_types import DTypeLike, TensorLike
from millrace._src.core.context import name_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.errors import NotFoundError
from millrace._src.ops import raw
from millrace._src.ops.array.concat import concat
from millrace._src.ops.array.quantizing import dequantize, quantize
from millrace._src.ops.math.casting import cast
from millrace._src.ops.math.reduce import reduce_max, reduce_min
from millrace._src.util.export import export

_STORED = {
    d.quint8: d.uint8,
    d.qint8: d.int8,
    d.quint16: d.uint16,
    d.qint16: d.int16,
    d.qint32: d.int32,
}
"""The integers that quantized numbers are stored as."""


class QuantizedMaxPool(NamedTuple):
    """What `quantized_max_pool` returns."""

    output: Any
    min_output: Any
    max_output: Any


class QuantizedAvgPool(NamedTuple):
    """What `quantized_avg_pool` returns."""

    output: Any
    min_output: Any
    max_output: Any


class QuantizedConv2D(NamedTuple):
    """What `quantized_conv2d` returns."""

    output: Any
    min_output: Any
    max_output: Any


class QuantizedConcat(NamedTuple):
    """What `quantized_concat` returns."""

    output: Any
    output_min: Any
    output_max: Any


def _integers(quantized: Any, dtype: object) -> Any:
    """Returns the integers of a quantized tensor in another dtype."""
    return cast(raw.Bitcast(input=quantized, type=_STORED[quantized.dtype]), dtype)


def _as_quantized(integers: Any, dtype: Any) -> Any:
    return raw.Bitcast(input=cast(integers, _STORED[dtype]), type=dtype)


def _bounds(low: TensorLike, high: TensorLike) -> tuple[Any, Any]:
    return convert_to_tensor(low, dtype=d.float32), convert_to_tensor(high, dtype=d.float32)


@export(v1=["nn.quantized_max_pool"])
def quantized_max_pool(
    input: Any,
    min_input: TensorLike,
    max_input: TensorLike,
    ksize: TensorLike,
    strides: TensorLike,
    padding: str,
    name: str | None = None,
) -> QuantizedMaxPool:
    """Computes the largest element of each window of quantized images.

    >>> images = tf.quantization.quantize(tf.reshape([0., 1., 2., 3.], [1, 2, 2, 1]), 0., 3., tf.quint8)
    >>> tf.compat.v1.nn.quantized_max_pool(*images, [1, 2, 2, 1], [1, 2, 2, 1], "VALID").output.numpy().ravel()
    array([255], dtype=uint8)

    Args:
      input: A quantized tensor `[batch, height, width, channels]`.
      min_input: The number that the least integer represents.
      max_input: The number that the greatest integer represents.
      ksize: The window, four integers.
      strides: How far windows are apart, four integers.
      padding: "SAME" or "VALID".
      name: A name for the operations.

    Returns: The pooled images and their bounds.
    """
    with name_scope(name, "QuantizedMaxPool"):
        numbers = _integers(input, d.float32)
        pooled = raw.MaxPool(input=numbers, ksize=ksize, strides=strides, padding=padding)
        return QuantizedMaxPool(_as_quantized(pooled, input.dtype), *_bounds(min_input, max_input))


@export(v1=["nn.quantized_avg_pool"])
def quantized_avg_pool(
    input: Any,
    min_input: TensorLike,
    max_input: TensorLike,
    ksize: TensorLike,
    strides: TensorLike,
    padding: str,
    name: str | None = None,
) -> QuantizedAvgPool:
    """Computes the mean of each window of quantized images, rounded to the nearest integer, halves to even.

    >>> images = tf.quantization.quantize(tf.reshape([0., 1., 2., 3.], [1, 2, 2, 1]), 0., 3., tf.quint8)
    >>> tf.compat.v1.nn.quantized_avg_pool(*images, [1, 2, 2, 1], [1, 2, 2, 1], "VALID").output.numpy().ravel()
    array([128], dtype=uint8)

    Args:
      input: A quantized tensor `[batch, height, width, channels]`.
      min_input: The number that the least integer represents.
      max_input: The number that the greatest integer represents.
      ksize: The window, four integers.
      strides: How far windows are apart, four integers.
      padding: "SAME" or "VALID".
      name: A name for the operations.

    Returns: The pooled images and their bounds.
    """
    with name_scope(name, "QuantizedAvgPool"):
        numbers = _integers(input, d.float32)
        pooled = raw.AvgPool(value=numbers, ksize=ksize, strides=strides, padding=padding)
        return QuantizedAvgPool(_as_quantized(raw.Round(x=pooled), input.dtype), *_bounds(min_input, max_input))


def _step(low: Any, high: Any, dtype: d.DType) -> Any:
    """Returns the distance of the numbers that two neighbouring integers represent."""
    return (high - low) / float(_STORED[dtype].max - _STORED[dtype].min)


def _from_zero(quantized: Any, low: Any, high: Any) -> Any:
    """Returns integers counted from the one that represents zero."""
    least = float(_STORED[quantized.dtype].min)
    zero = raw.Round(x=-low / _step(low, high, quantized.dtype)) + least
    return _integers(quantized, d.float64) - cast(zero, d.float64)


@export(v1=["nn.quantized_conv2d"])
def quantized_conv2d(
    input: Any,
    filter: Any,
    min_input: TensorLike,
    max_input: TensorLike,
    min_filter: TensorLike,
    max_filter: TensorLike,
    strides: TensorLike,
    padding: str,
    out_type: DTypeLike = d.qint32,
    dilations: Sequence[int] = [1, 1, 1, 1],
    name: str | None = None,
) -> QuantizedConv2D:
    """Computes a 2-D convolution of quantized images.

    >>> images = tf.quantization.quantize(tf.ones([1, 2, 2, 1]), 0., 1., tf.quint8)
    >>> filters = tf.quantization.quantize(tf.ones([1, 1, 1, 1]), 0., 1., tf.quint8)
    >>> y = tf.compat.v1.nn.quantized_conv2d(
    ...     images[0], filters[0], images[1], images[2], filters[1], filters[2], [1, 1, 1, 1], "VALID")
    >>> y.output.numpy().ravel()
    array([65025, 65025, 65025, 65025], dtype=int32)

    Args:
      input: A quantized tensor `[batch, height, width, channels]`.
      filter: A quantized tensor `[height, width, channels, features]`.
      min_input: The number that the least integer of `input` represents.
      max_input: The number that the greatest integer of `input` represents.
      min_filter: The number that the least integer of `filter` represents.
      max_filter: The number that the greatest integer of `filter` represents.
      strides: How far windows are apart, four integers.
      padding: "SAME" or "VALID".
      out_type: The dtype of the result, `tf.qint32`.
      dilations: How far a window's elements are apart, four integers.
      name: A name for the operations.

    Returns: The convolved images and their bounds.
    Raises: NotImplementedError: for another dtype of the result.
    """
    if d.as_dtype(out_type) is not d.qint32:
        raise NotImplementedError(f"quantized_conv2d gives qint32; received out_type={out_type!r}")
    with name_scope(name, "QuantizedConv2D"):
        bounds, filter_bounds = _bounds(min_input, max_input), _bounds(min_filter, max_filter)
        images, filters = _from_zero(input, *bounds), _from_zero(filter, *filter_bounds)
        found = raw.Conv2D(input=images, filter=filters, strides=strides, padding=padding, dilations=dilations)
        unit = _step(*bounds, input.dtype) * _step(*filter_bounds, filter.dtype)
        return QuantizedConv2D(_as_quantized(found, d.qint32), unit * float(d.int32.min), unit * float(d.int32.max))


@export(v1=["nn.quantized_relu_x"])
def quantized_relu_x(
    features: TensorLike,
    max_value: TensorLike,
    min_features: TensorLike,
    max_features: TensorLike,
    out_type: DTypeLike = d.quint8,
    name: str | None = None,
) -> Any:
    """Refuses: there is no such operation, in TensorFlow's releases either.

    Args:
      features: A quantized tensor.
      max_value: The bound.
      min_features: The number that the least integer represents.
      max_features: The number that the greatest integer represents.
      out_type: The dtype of the result.
      name: A name for the operation.

    Raises: tf.errors.NotFoundError: always.
    """
    raise NotFoundError(
        None,
        None,
        "Could not find device for node: QuantizedReluX has no kernel, neither here nor in TensorFlow. "
        "Clip the numbers before they are quantized.",
    )


@export("quantization.quantized_concat", v1=["quantization.quantized_concat", "quantized_concat"])
def quantized_concat(
    concat_dim: int, values: Any, input_mins: Any, input_maxes: Any, name: str | None = None
) -> QuantizedConcat:
    """Joins quantized tensors along an axis, with bounds that fit all of them.

    >>> a, b = (tf.quantization.quantize([1.0], 0.0, high, tf.quint8) for high in (1.0, 2.0))
    >>> tf.quantization.quantized_concat(0, [a[0], b[0]], [a[1], b[1]], [a[2], b[2]]).output.numpy()
    array([128, 128], dtype=uint8)

    Args:
      concat_dim: The axis.
      values: Quantized tensors of one dtype.
      input_mins: For each tensor the number that the least integer represents.
      input_maxes: For each tensor the number that the greatest integer represents.
      name: A name for the operations.

    Returns: The joined tensor and its bounds.
    """
    with name_scope(name, "QuantizedConcat"):
        lows = [convert_to_tensor(low, dtype=d.float32) for low in input_mins]
        highs = [convert_to_tensor(high, dtype=d.float32) for high in input_maxes]
        low, high = reduce_min(raw.Pack(values=lows)), reduce_max(raw.Pack(values=highs))
        dtype = values[0].dtype
        floats = [dequantize(value, *bounds) for value, bounds in zip(values, zip(lows, highs))]
        joined = concat([quantize(part, low, high, dtype)[0] for part in floats], concat_dim)
        return QuantizedConcat(joined, low, high)
