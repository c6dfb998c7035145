"""The op DepthwiseConv2dNative and its gradient ops: every channel has filters of its own.

What they compute, `depthwise_correlation` says.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.errors import invalid
from millrace._src.core.op_def import op
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import Tensor
from millrace._src.ops import flops, raw
from millrace._src.ops.gradient_rules import values_for
from millrace._src.ops.nn import image_batches
from millrace._src.ops.nn import sliding_windows as win
from millrace._src.ops.nn.convolution_ops import FLOAT, assemble, check_rank, conv_counts, conv_windows, static_layout
from millrace._src.ops.nn.depthwise_correlation import (
    correlate_depthwise,
    depthwise_filter_gradient,
    depthwise_input_gradient,
)
from millrace._src.ops.nn.sliding_windows import Window

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
    return assemble(layout, x[layout.batch], counts, features)


def _given_shape(c: ShapeContext) -> TensorShape:
    sizes = c.value_as_shape("input_sizes" if "Input" in c.op.name else "filter_sizes")
    return TensorShape([None] * 4) if sizes.rank is None else TensorShape.of(tuple(check_rank(sizes, 4)))


def depthwise_windows(x: Any, filters: Any, data_format: str, attrs: tuple[Any, ...]) -> tuple[Window, ...]:
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
    expected = (batch, *(w.output_size for w in windows), filters[2] * filters[3])
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
    flops=flops.depthwise_convolution,
    epilogue_op="DepthwiseConv2dNativeWithEpilogue",
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
    windows = depthwise_windows(
        input.shape, filter.shape, data_format, (strides, padding, explicit_paddings, dilations)
    )
    x = win.to_channels_last(xp, input, data_format)
    return win.from_channels_last(xp, correlate_depthwise(xp, x, filter, windows), data_format)


@depthwise_op.gradient
@values_for(input=("filter",), filter=("input",))
def depthwise_gradient(
    dy: Tensor,
    input: Tensor,
    filter: Tensor,
    strides: object,
    padding: str,
    explicit_paddings: object,
    data_format: str,
    dilations: object,
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


def _attrs(
    strides: object, padding: str, explicit_paddings: object, data_format: str, dilations: object
) -> dict[str, Any]:
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
    windows = depthwise_windows(like, filter.shape, data_format, (strides, padding, explicit_paddings, dilations))
    layout = win.layout_of(data_format)
    last = (like[0], *layout.pick(like), like[layout.channels])
    gradient = win.to_channels_last(xp, out_backprop, data_format)
    _check_gradient(gradient, windows, like[0], filter.shape)
    result = depthwise_input_gradient(xp, gradient, filter, windows, last)
    return win.from_channels_last(xp, result, data_format)


@depthwise_input_gradient_op.gradient
def depthwise_input_gradient_gradient(
    dy: Tensor,
    filter: Tensor,
    out_backprop: Tensor,
    strides: object,
    padding: str,
    explicit_paddings: object,
    data_format: str,
    dilations: object,
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
    windows = depthwise_windows(input.shape, like, data_format, (strides, padding, explicit_paddings, dilations))
    gradient = win.to_channels_last(xp, out_backprop, data_format)
    _check_gradient(gradient, windows, input.shape[0], like)
    x = win.to_channels_last(xp, input, data_format)
    return depthwise_filter_gradient(xp, x, gradient, windows, like)


@depthwise_filter_gradient_op.gradient
def depthwise_filter_gradient_gradient(
    dy: Tensor,
    input: Tensor,
    out_backprop: Tensor,
    strides: object,
    padding: str,
    explicit_paddings: object,
    data_format: str,
    dilations: object,
) -> tuple[Tensor, None, Tensor]:
    attrs = _attrs(strides, padding, explicit_paddings, data_format, dilations)
    sizes = raw.Shape(input=input)
    return (
        raw.DepthwiseConv2dNativeBackpropInput(input_sizes=sizes, filter=dy, out_backprop=out_backprop, **attrs),
        None,
        raw.DepthwiseConv2dNative(input=input, filter=dy, **attrs),
    )
