"""The op DepthwiseConv2dNative and its gradient ops: every channel has filters of its own.

There is no matrix product in a depthwise convolution, but a sum over the elements of the window: each term is a strided
slice of the input times one number a channel. The kernels say just that, for both engines: NumPy adds into one buffer,
some rows of it at a time where there are many, XLA fuses the sum into one loop.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.errors import invalid
from millrace._src.core.kernel_part import kernel_part
from millrace._src.core.op_def import op
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.gradient_rules import values_for
from millrace._src.ops.math.precision import is_half
from millrace._src.ops.nn import image_batches
from millrace._src.ops.nn import windows as win
from millrace._src.ops.nn.convolution_ops import FLOAT, assembled, check_rank, conv_counts, conv_windows, static_layout
from millrace._src.ops.nn.windows import Window

_ONES = (1, 1, 1, 1)


def _shape(c: ShapeContext) -> TensorShape:
    x, filters = check_rank(c.shape("input"), 4), check_rank(c.shape("filter"), 4)
    layout = static_layout(c, 4)
    depth, (size, multiplier) = x[layout.channels], filters[-2:]
    if depth is not None and size is not None and depth != size:
        raise ValueError(f"Dimensions must be equal, but are {depth} and {size}")
    channels = depth if size is None else size
    counts = conv_counts(c, layout, [x[a] for a in layout.spatial], filters[:2])
    features = None if channels is None or multiplier is None else channels * multiplier
    return assembled(layout, x[layout.batch], counts, features)


def _given_shape(c: ShapeContext) -> TensorShape:
    sizes = c.value_as_shape("input_sizes" if "Input" in c.op.name else "filter_sizes")
    return TensorShape([None] * 4) if sizes.rank is None else TensorShape.of(tuple(check_rank(sizes, 4)))


def _windows(x: Any, filters: Any, data_format: str, attrs: tuple[Any, ...]) -> tuple[Window, ...]:
    """Makes the windows of a depthwise convolution; the depths of input and filter must be equal."""
    strides, padding, explicit, dilations = attrs
    for noun, shape in (("input", x), ("filter", filters)):
        if len(shape) != 4:
            raise invalid(f"{noun} must be 4-dimensional[{','.join(map(str, shape))}]")
    win.require_choice("data_format", data_format, ("NHWC", "NCHW"))
    depth = x[win.layout_of(data_format).channels]
    if depth != filters[2]:
        raise invalid(f"input and filter must have the same depth: {depth} vs {filters[2]}")
    return conv_windows(x, filters, tuple(strides), padding, tuple(explicit), data_format, tuple(dilations))


def _check_gradient(gradient: Array, windows: Sequence[Window], batch: int, filters: Sequence[int]) -> None:
    expected = (batch, *(w.places for w in windows), filters[2] * filters[3])
    if gradient.shape != expected:
        shape_text = ",".join(map(str, gradient.shape))
        raise invalid(f"out_backprop must have shape [{','.join(map(str, expected))}] but has [{shape_text}]")


@op(
    "DepthwiseConv2dNative",
    "input: T, filter: T -> output: T",
    T=FLOAT,
    shape=_shape,
    batching=image_batches.depthwise,
    library_bound=True,
)
def depthwise_op(
    xp: Xp,
    input: Array,
    filter: Array,
    *,
    strides: Sequence[int],
    padding: str,
    explicit_paddings: Sequence[int] = (),
    data_format: str = "NHWC",
    dilations: Sequence[int] = _ONES,
) -> Array:
    """Correlates each channel with its own filters `[height, width, channels, multiplier]`.

    >>> image, filters = tf.ones([1, 3, 3, 2]), tf.ones([2, 2, 2, 1])
    >>> tf.raw_ops.DepthwiseConv2dNative(input=image, filter=filters, strides=[1, 1, 1, 1], padding="VALID").shape
    TensorShape([1, 2, 2, 2])
    """
    windows = _windows(input.shape, filter.shape, data_format, (strides, padding, explicit_paddings, dilations))
    x = win.to_channels_last(xp, input, data_format)
    return win.from_channels_last(xp, _wide(_forward, xp, x, filter, windows=windows), data_format)


def _wide(function: Any, xp: Xp, a: Array, b: Array, **options: Any) -> Array:
    """Calls `function` in float32 for 16-bit floats."""
    if not is_half(a):
        return function(xp, a, b, **options)
    return xp.astype(function(xp, xp.astype(a, np.float32), xp.astype(b, np.float32), **options), a.dtype)


_MANY = 2**15
"""The number of elements of an input from which on working by rows is worth its steps."""


@kernel_part
def _forward(xp: Xp, x: Array, filters: Array, windows: Sequence[Window]) -> Array:
    if filters.shape[-1] == 1 and windows[1].stride == 1 and x.size >= _MANY and filters.size:
        return _forward_by_rows(xp, x, filters[..., 0], windows)
    return _forward_at_once(xp, x, filters, windows)


@_forward.kernel_for("xla")
def _forward_at_once(xp: Xp, x: Array, filters: Array, windows: Sequence[Window]) -> Array:
    x = win.padded(xp, x, windows)
    counts = tuple(w.places for w in windows)
    channels, multiplier = filters.shape[2:]
    if multiplier == 1:
        filters = filters[..., 0]
    else:
        x = x[..., None]
    total: Any = 0
    for offset in win.offsets(windows):
        total += x[win.elements(offset, windows)] * filters[offset]
    return xp.reshape(total, (x.shape[0], *counts, channels * multiplier))


_BYTES_AT_ONCE = 2**16
"""The size of the rows that are summed up before the next: they stay in the processor's cache."""


def _forward_by_rows(xp: Xp, x: Array, filters: Array, windows: Sequence[Window]) -> Array:
    """Computes some rows at a time; all columns and channels of a row are one run of numbers."""
    x = win.padded(xp, x, windows)
    tall, wide = windows
    channels = x.shape[-1]
    pictures = x.reshape(*x.shape[:2], -1)
    result = xp.empty((len(x), tall.places, wide.places * channels), x.dtype)
    weights = {offset: np.tile(filters[offset], wide.places) for offset in win.offsets(windows)}
    count = max(1, _BYTES_AT_ONCE // max(1, result[0, :1].nbytes))
    for picture, sums in zip(pictures, result, strict=True):
        for start in range(0, tall.places, count):
            _add_windows(picture, weights, sums[start : start + count], start, windows)
    return result.reshape(len(x), tall.places, wide.places, channels)


def _add_windows(
    picture: Array, weights: dict[tuple[int, ...], Array], sums: Array, first: int, windows: Sequence[Window]
) -> None:
    """Sums up the windows of some rows, from the row `first` on, into `sums`."""
    tall, wide = windows
    row_length = sums.shape[1]
    channels = row_length // wide.places
    term = np.empty_like(sums)
    for number, ((row, column), weight) in enumerate(weights.items()):
        top, left = first * tall.stride + row * tall.dilation, column * wide.dilation * channels
        bottom = top + (len(sums) - 1) * tall.stride + 1
        elements = picture[top : bottom : tall.stride, left : left + row_length]
        np.multiply(elements, weight, out=term if number else sums)
        if number:
            sums += term


@depthwise_op.gradient
@values_for(input=("filter",), filter=("input",))
def depthwise_gradient(
    dy: Tensor,
    input: Tensor,
    filter: Tensor,
    strides: Any,
    padding: str,
    explicit_paddings: Any,
    data_format: str,
    dilations: Any,
) -> tuple[Tensor, Tensor]:
    attrs = _attrs(strides, padding, explicit_paddings, data_format, dilations)
    return (
        raw.DepthwiseConv2dNativeBackpropInput(
            input_sizes=raw.Shape(input=input), filter=filter, out_backprop=dy, **attrs
        ),
        raw.DepthwiseConv2dNativeBackpropFilter(
            input=input, filter_sizes=raw.Shape(input=filter), out_backprop=dy, **attrs
        ),
    )


def _attrs(strides: Any, padding: str, explicit_paddings: Any, data_format: str, dilations: Any) -> dict[str, Any]:
    return {
        "strides": strides,
        "padding": padding,
        "explicit_paddings": explicit_paddings,
        "data_format": data_format,
        "dilations": dilations,
    }


@op(
    "DepthwiseConv2dNativeBackpropInput",
    "input_sizes: int32, filter: T, out_backprop: T -> output: T",
    T=FLOAT,
    shape=_given_shape,
    constant_inputs=("input_sizes",),
    batching=image_batches.depthwise_input_gradient,
    library_bound=True,
)
def depthwise_input_gradient_op(
    xp: Xp,
    input_sizes: Array,
    filter: Array,
    out_backprop: Array,
    *,
    strides: Sequence[int],
    padding: str,
    explicit_paddings: Sequence[int] = (),
    data_format: str = "NHWC",
    dilations: Sequence[int] = _ONES,
) -> Array:
    """Computes the gradient of DepthwiseConv2dNative with respect to its input."""
    like = tuple(int(n) for n in input_sizes.reshape(-1))
    windows = _windows(like, filter.shape, data_format, (strides, padding, explicit_paddings, dilations))
    layout = win.layout_of(data_format)
    last = (like[0], *layout.pick(like), like[layout.channels])
    gradient = win.to_channels_last(xp, out_backprop, data_format)
    _check_gradient(gradient, windows, like[0], filter.shape)
    result = _wide(_to_input, xp, gradient, filter, windows=windows, like=last)
    return win.from_channels_last(xp, result, data_format)


def _to_input(xp: Xp, gradient: Array, filters: Array, windows: Sequence[Window], like: Sequence[int]) -> Array:
    channels, multiplier = filters.shape[2:]
    gradient = xp.reshape(gradient, (*gradient.shape[:-1], channels, multiplier))

    def part(offset: tuple[int, ...]) -> Array:
        if multiplier == 1:
            return gradient[..., 0] * filters[offset][..., 0]
        return xp.einsum("bijcm,cm->bijc", gradient, filters[offset])

    parts = ((o, part(o)) for o in win.offsets(windows))
    return win.overlay(xp, parts, windows, like, gradient.dtype)


@depthwise_input_gradient_op.gradient
def depthwise_input_gradient_gradient(
    dy: Tensor,
    filter: Tensor,
    out_backprop: Tensor,
    strides: Any,
    padding: str,
    explicit_paddings: Any,
    data_format: str,
    dilations: Any,
) -> tuple[None, Tensor, Tensor]:
    attrs = _attrs(strides, padding, explicit_paddings, data_format, dilations)
    sizes = raw.Shape(input=filter)
    return (
        None,
        raw.DepthwiseConv2dNativeBackpropFilter(input=dy, filter_sizes=sizes, out_backprop=out_backprop, **attrs),
        raw.DepthwiseConv2dNative(input=dy, filter=filter, **attrs),
    )


@op(
    "DepthwiseConv2dNativeBackpropFilter",
    "input: T, filter_sizes: int32, out_backprop: T -> output: T",
    T=FLOAT,
    shape=_given_shape,
    constant_inputs=("filter_sizes",),
    batching=image_batches.depthwise_filter_gradient,
    library_bound=True,
)
def depthwise_filter_gradient_op(
    xp: Xp,
    input: Array,
    filter_sizes: Array,
    out_backprop: Array,
    *,
    strides: Sequence[int],
    padding: str,
    explicit_paddings: Sequence[int] = (),
    data_format: str = "NHWC",
    dilations: Sequence[int] = _ONES,
) -> Array:
    """Computes the gradient of DepthwiseConv2dNative with respect to its filters."""
    like = tuple(int(n) for n in filter_sizes.reshape(-1))
    windows = _windows(input.shape, like, data_format, (strides, padding, explicit_paddings, dilations))
    gradient = win.to_channels_last(xp, out_backprop, data_format)
    _check_gradient(gradient, windows, input.shape[0], like)
    x = win.to_channels_last(xp, input, data_format)
    return _wide(_to_filters, xp, x, gradient, windows=windows, like=like)


def _to_filters(xp: Xp, x: Array, gradient: Array, windows: Sequence[Window], like: Sequence[int]) -> Array:
    x = win.padded(xp, x, windows)
    gradient = xp.reshape(gradient, (*gradient.shape[:-1], *like[2:]))
    parts = [xp.einsum("bijc,bijcm->cm", x[win.elements(offset, windows)], gradient) for offset in win.offsets(windows)]
    return xp.reshape(xp.stack(parts), tuple(like))


@depthwise_filter_gradient_op.gradient
def depthwise_filter_gradient_gradient(
    dy: Tensor,
    input: Tensor,
    out_backprop: Tensor,
    strides: Any,
    padding: str,
    explicit_paddings: Any,
    data_format: str,
    dilations: Any,
) -> tuple[Tensor, None, Tensor]:
    attrs = _attrs(strides, padding, explicit_paddings, data_format, dilations)
    sizes = raw.Shape(input=input)
    return (
        raw.DepthwiseConv2dNativeBackpropInput(input_sizes=sizes, filter=dy, out_backprop=out_backprop, **attrs),
        None,
        raw.DepthwiseConv2dNative(input=input, filter=dy, **attrs),
    )
