"""Grayscale morphology: `tf.nn.dilation2d` and `erosion2d`, max-plus convolutions.

Dilation is a pool of the sums of image and filter. The gradients go where the largest sum came from: the first largest
in a window, row by row.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from millrace._src.core.argument_types import TensorLike
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.context import name_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.errors import invalid
from millrace._src.core.op_def import op
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import Tensor
from millrace._src.ops import flops, raw
from millrace._src.ops.array.reversing import reverse
from millrace._src.ops.batching_rules import folding
from millrace._src.ops.nn import sliding_windows as win
from millrace._src.ops.nn.pool_windows import REAL
from millrace._src.ops.nn.sliding_windows import Window
from millrace._src.util.export import export


def _shape(c: ShapeContext) -> TensorShape:
    win.check_choice(c.op.name, "padding", c.attr("padding"), win.PADDINGS)
    x, filters = (_rank(c.shape(name), rank) for name, rank in (("input", 4), ("filter", 3)))
    strides, rates = c.attr("strides"), c.attr("rates")
    for values, noun in ((strides, "stride"), (rates, "rates")):
        if len(values) != 4:
            raise ValueError(f"Dilation2D requires the {noun} attribute to contain 4 values, but got: {len(values)}")
    if None not in (x[3], filters[2]) and x[3] != filters[2]:
        raise ValueError(f"Dimensions must be equal, but are {x[3]} and {filters[2]}")
    parts = zip(x[1:3], filters[:2], strides[1:3], rates[1:3], strict=True)
    counts = [win.validate_count(*part, c.attr("padding")) for part in parts]
    return TensorShape.of((x[0], *counts, filters[2] if x[3] is None else x[3]))


def _rank(shape: TensorShape, rank: int) -> list[int | None]:
    if shape.rank is None:
        return [None] * rank
    if shape.rank != rank:
        raise ValueError(f"Shape must be rank {rank} but is rank {shape.rank}")
    return shape.as_list()


def _input_shape(c: ShapeContext) -> TensorShape:
    shape: TensorShape = c.shape("input")
    return shape


def _filter_shape(c: ShapeContext) -> TensorShape:
    shape: TensorShape = c.shape("filter")
    return shape


def _windows(x: Array, filters: Array, strides: Any, rates: Any, padding: str) -> tuple[Window, ...]:
    win.require_choice("padding", padding, win.PADDINGS)
    for name, array, rank in (("input", x, 4), ("filter", filters, 3)):
        if array.ndim != rank:
            raise invalid(f"{name} must be {rank}-dimensional[{','.join(map(str, array.shape))}]")
    for values, noun in ((strides, "strides"), (rates, "rates")):
        if len(values) != 4 or values[0] != 1 or values[3] != 1 or min(values) < 1:
            raise invalid(f"{noun} must be four positive values, 1 for the batch and the depth: {list(values)}")
    if x.shape[3] != filters.shape[2]:
        raise invalid(f"input and filter must have the same depth: {x.shape[3]} vs {filters.shape[2]}")
    numbers = (tuple(strides[1:3]), tuple(rates[1:3]))
    return win.make_windows(x.shape[1:3], filters.shape[:2], *numbers, padding, ((0, 0), (0, 0)))


_BFLOAT16_LEAST = -3.3895313892515355e38


def _least(xp: Xp, dtype: Any) -> Array:
    """Returns the smallest finite number, which windows without any element give."""
    if dtype.kind == "V":
        return xp.asarray(_BFLOAT16_LEAST).astype(dtype)
    return xp.asarray(np.finfo(dtype).min if dtype.kind == "f" else np.iinfo(dtype).min, dtype)


def _sums(xp: Xp, x: Array, filters: Array, windows: Sequence[Window]) -> Any:
    """Yields each offset in a window, the sums at the offset, and whether the elements there are in the image."""
    x = win.pad(xp, x, windows)
    for offset in win.offsets(windows):
        inside: Any = True
        for axis, (o, w) in enumerate(zip(offset, windows, strict=True)):
            at = np.arange(w.output_size) * w.stride - w.before + o * w.dilation
            inside = inside & ((at >= 0) & (at < w.size)).reshape([-1 if a == axis else 1 for a in range(2)])
        yield offset, x[win.elements(offset, windows)] + filters[offset], xp.asarray(inside)[..., None]


@op(
    "Dilation2D",
    "input: T, filter: T -> output: T",
    T=REAL,
    shape=_shape,
    batching=folding("input"),
    flops=flops.depthwise_convolution,
)
def dilation_2d_op(
    xp: Xp, input: Array, filter: Array, *, strides: Sequence[int], rates: Sequence[int], padding: str
) -> Array:
    """Computes the largest sum of a window's elements and the filter's elements, in each channel.

    >>> image = tf.reshape(tf.constant([1., 2., 3., 4.]), [1, 2, 2, 1])
    >>> filters = tf.zeros([2, 2, 1])
    >>> tf.raw_ops.Dilation2D(input=image, filter=filters, strides=[1, 1, 1, 1], rates=[1, 1, 1, 1],
    ...                       padding="VALID").numpy().ravel()
    array([4.], dtype=float32)
    """
    windows = _windows(input, filter, strides, rates, padding)
    shape = (input.shape[0], *(w.output_size for w in windows), input.shape[3])
    least = _least(xp, input.dtype)
    largest = xp.broadcast_to(least, shape)
    for _, sums, inside in _sums(xp, input, filter, windows):
        largest = xp.maximum(largest, xp.where(inside, sums, least))
    return largest


@dilation_2d_op.gradient
def dilation_2d_gradient(
    dy: Tensor, input: Tensor, filter: Tensor, strides: object, rates: object, padding: str
) -> tuple[Tensor, Tensor]:
    attrs = {"strides": strides, "rates": rates, "padding": padding}
    return (
        raw.Dilation2DBackpropInput(input=input, filter=filter, out_backprop=dy, **attrs),
        raw.Dilation2DBackpropFilter(input=input, filter=filter, out_backprop=dy, **attrs),
    )


def _firsts(xp: Xp, x: Array, filters: Array, windows: Sequence[Window]) -> Any:
    """Yields each offset in a window, and where the sum at the offset is the window's first largest sum."""
    least = _least(xp, x.dtype)
    largest: Any = least
    for _, sums, inside in _sums(xp, x, filters, windows):
        largest = xp.maximum(largest, xp.where(inside, sums, least))
    free: Any = True
    for offset, sums, inside in _sums(xp, x, filters, windows):
        first = (sums == largest) & inside & free
        yield offset, first
        free = ~first & free


def _patches(x: Tensor, filter: Tensor, attrs: dict[str, Any]) -> Any:
    """Returns the windows of images, `[batch, rows, columns, elements, channels]`, with zeros outside of the images."""
    height, width = filter.shape.as_list()[:2] if filter.shape.rank is not None else (None, None)
    if height is None or width is None:
        raise ValueError(f"The second derivative of Dilation2D needs the filter's size; its shape is {filter.shape}.")
    windows = raw.ExtractImagePatches(images=x, ksizes=[1, height, width, 1], **attrs)
    outer = raw.Shape(input=windows)[:3]
    inner = [height * width, raw.Shape(input=x)[3]]
    return raw.Reshape(tensor=windows, shape=raw.ConcatV2(values=[outer, raw.Pack(values=inner)], axis=0))


def _first_largest(input: Tensor, filter: Tensor, attrs: dict[str, Any]) -> Any:
    """Returns 1 where a window's sum is the window's first largest sum, and 0 elsewhere, in the shape of `_patches`."""
    inside = raw.Greater(x=_patches(raw.OnesLike(x=input), filter, attrs), y=raw.Cast(x=0.0, DstT=input.dtype))
    sums = _patches(input, filter, attrs) + _elements(filter)
    least = raw.Cast(x=np.float64(-np.inf), DstT=input.dtype)
    first = raw.ArgMax(input=raw.SelectV2(condition=inside, t=sums, e=least), dimension=3)
    one, zero = (raw.Cast(x=value, DstT=input.dtype) for value in (1.0, 0.0))
    return raw.OneHot(indices=first, depth=raw.Shape(input=sums)[3], on_value=one, off_value=zero, axis=3)


def _elements(filter: Tensor) -> Any:
    """Reshapes a filter to `[elements, channels]`."""
    channels = raw.Shape(input=filter)[2]
    return raw.Reshape(tensor=filter, shape=raw.Pack(values=[-1, channels]))


@op(
    "Dilation2DBackpropInput",
    "input: T, filter: T, out_backprop: T -> in_backprop: T",
    T=REAL,
    shape=_input_shape,
    batching=folding("input", "out_backprop"),
)
def dilation_2d_input_gradient_op(
    xp: Xp,
    input: Array,
    filter: Array,
    out_backprop: Array,
    *,
    strides: Sequence[int],
    rates: Sequence[int],
    padding: str,
) -> Array:
    """Computes the gradient of Dilation2D with respect to its input."""
    windows = _windows(input, filter, strides, rates, padding)
    zero = xp.zeros((), input.dtype)
    parts = ((o, xp.where(first, out_backprop, zero)) for o, first in _firsts(xp, input, filter, windows))
    return win.overlay(xp, parts, windows, input.shape, input.dtype)


@dilation_2d_input_gradient_op.gradient
def dilation_2d_input_second_gradient(
    dy: Tensor, input: Tensor, filter: Tensor, strides: object, rates: object, padding: str
) -> tuple[None, None, Any]:
    attrs = {"strides": strides, "rates": rates, "padding": padding}
    elements = _first_largest(input, filter, attrs) * _patches(dy, filter, attrs)
    return None, None, raw.Sum(input=elements, reduction_indices=3)


@op(
    "Dilation2DBackpropFilter",
    "input: T, filter: T, out_backprop: T -> filter_backprop: T",
    T=REAL,
    shape=_filter_shape,
    not_batched="the filter's gradient is a sum over the images of a row",
)
def dilation_2d_filter_gradient_op(
    xp: Xp,
    input: Array,
    filter: Array,
    out_backprop: Array,
    *,
    strides: Sequence[int],
    rates: Sequence[int],
    padding: str,
) -> Array:
    """Computes the gradient of Dilation2D with respect to its filter."""
    windows = _windows(input, filter, strides, rates, padding)
    zero = xp.zeros((), input.dtype)
    parts = [
        xp.sum(xp.where(first, out_backprop, zero), axis=(0, 1, 2)) for _, first in _firsts(xp, input, filter, windows)
    ]
    return xp.reshape(xp.stack(parts), filter.shape) if parts else xp.zeros(filter.shape, input.dtype)


@dilation_2d_filter_gradient_op.gradient
def dilation_2d_filter_second_gradient(
    dy: Tensor, input: Tensor, filter: Tensor, strides: object, rates: object, padding: str
) -> tuple[None, None, Any]:
    attrs = {"strides": strides, "rates": rates, "padding": padding}
    return None, None, raw.Sum(input=_first_largest(input, filter, attrs) * _elements(dy), reduction_indices=3)


def _require_format(data_format: str) -> None:
    if data_format != "NHWC":
        raise ValueError(
            f"`data_format` values other  than 'NHWC' are not supported. Received: data_format={data_format}"
        )


@export("nn.dilation2d", v1=[])
def dilation2d(
    input: TensorLike,
    filters: TensorLike,
    strides: TensorLike,
    padding: str,
    data_format: str,
    dilations: TensorLike,
    name: str | None = None,
) -> Tensor:
    """Computes a grayscale dilation.

    `output[b, y, x, c] = max over i, j of input[b, s y + r i, s x + r j, c] + filters[i, j, c]`

    >>> image = tf.reshape(tf.constant([1., 2., 3., 4.]), [1, 2, 2, 1])
    >>> tf.nn.dilation2d(image, tf.zeros([2, 2, 1]), [1, 1, 1, 1], "SAME", "NHWC", [1, 1, 1, 1]).numpy().ravel()
    array([4., 4., 4., 4.], dtype=float32)

    Args:
      input: A real Tensor `[batch, height, width, channels]`.
      filters: A Tensor of the same dtype, `[height, width, channels]`.
      strides: four ints, how far windows are apart.
      padding: "SAME" or "VALID".
      data_format: "NHWC".
      dilations: four ints, how far a window's elements are apart.
      name: A name for the operation (optional).

    Returns: A Tensor of the dtype of `input`.
    Raises: ValueError: for another data format.
    """
    _require_format(data_format)
    return dilation_2d_op(input, filters, strides=strides, rates=dilations, padding=padding, name=name)


@export("nn.erosion2d", v1=[])
def erosion2d(
    value: TensorLike,
    filters: TensorLike,
    strides: TensorLike,
    padding: str,
    data_format: str,
    dilations: TensorLike,
    name: str | None = None,
) -> Tensor:
    """Computes a grayscale erosion.

    `output[b, y, x, c] = min over i, j of value[b, s y - r i, s x - r j, c] - filters[i, j, c]`

    >>> image = tf.reshape(tf.constant([1., 2., 3., 4.]), [1, 2, 2, 1])
    >>> tf.nn.erosion2d(image, tf.zeros([2, 2, 1]), [1, 1, 1, 1], "VALID", "NHWC", [1, 1, 1, 1]).numpy().ravel()
    array([1.], dtype=float32)

    Args:
      value: A real Tensor `[batch, height, width, channels]`.
      filters: A Tensor of the same dtype, `[height, width, channels]`.
      strides: four ints, how far windows are apart.
      padding: "SAME" or "VALID".
      data_format: "NHWC".
      dilations: four ints, how far a window's elements are apart.
      name: A name for the operation (optional).

    Returns: A Tensor of the dtype of `value`.
    Raises: ValueError: for another data format.
    """
    _require_format(data_format)
    with name_scope(name, "erosion2d") as scope:
        negative = raw.Neg(x=convert_to_tensor(value, name="value"))
        mirror = reverse(filters, [0, 1])
        result = dilation_2d_op(negative, mirror, strides=strides, rates=dilations, padding=padding, name=scope)
        return raw.Neg(x=result)
