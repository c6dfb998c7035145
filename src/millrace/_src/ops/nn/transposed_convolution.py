"""`tf.nn.conv1d_transpose`, `conv2d_transpose`, `conv3d_transpose`, `conv_transpose`, `atrous_conv2d_transpose`.

Such functions are also called deconvolutions. Each is the gradient of a convolution with respect to its input, and
runs the op that computes this gradient.
"""

from __future__ import annotations

from collections.abc import Sized
from typing import Any

from millrace._src.core.argument_types import ShapeLike, TensorLike
from millrace._src.core.context import name_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.shape_context import static_value
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import Tensor
from millrace._src.ops.array.concat import concat
from millrace._src.ops.array.reshaping import expand_dims, squeeze
from millrace._src.ops.array.shape_ops import shape as shape_of
from millrace._src.ops.array.space_to_batch import batch_to_space_nd, space_to_batch_nd
from millrace._src.ops.nn.arguments import for_all_dimensions, is_channels_first, padding_attributes
from millrace._src.ops.nn.convolution_ops import conv2d_input_gradient_op, conv3d_input_gradient_op
from millrace._src.util.export import export


def _sizes(output_shape: ShapeLike) -> Any:
    return output_shape.as_list() if isinstance(output_shape, TensorShape) else output_shape


@export("nn.conv2d_transpose", v1=[])
def conv2d_transpose(
    input: TensorLike,
    filters: TensorLike,
    output_shape: ShapeLike,
    strides: TensorLike,
    padding: object = "SAME",
    data_format: str = "NHWC",
    dilations: TensorLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Computes the transpose of `conv2d`: the gradient of a convolution with respect to its input.

    >>> tf.nn.conv2d_transpose(tf.ones([1, 2, 2, 1]), tf.ones([2, 2, 3, 1]), [1, 4, 4, 3], strides=2).shape
    TensorShape([1, 4, 4, 3])

    Args:
      input: A floating point Tensor `[batch, height, width, features]`.
      filters: A Tensor of the same dtype, `[height, width, channels, features]`.
      output_shape: the shape of the result, an integer vector.
      strides: an int, `[height, width]`, or one a dimension.
      padding: "SAME", "VALID", or a list of pairs for all four dimensions; that of the convolution.
      data_format: "NHWC" or "NCHW".
      dilations: like `strides`. Default 1.
      name: A name for the operation (optional).

    Returns: A Tensor of shape `output_shape`.
    Raises: tf.errors.InvalidArgumentError: if a convolution of `output_shape` does not give the shape of `input`.
    """
    with name_scope(name, "conv2d_transpose") as scope:
        data_format = data_format or "NHWC"
        channel_axis = 1 if is_channels_first(data_format) else 3
        moves = for_all_dimensions(strides, 2, channel_axis, "strides")
        rates = for_all_dimensions(dilations, 2, channel_axis, "dilations")
        padding, explicit = padding_attributes(padding)
        return conv2d_input_gradient_op(
            _sizes(output_shape),
            filters,
            input,
            strides=moves,
            padding=padding,
            explicit_paddings=explicit,
            data_format=data_format,
            dilations=rates,
            name=scope,
        )


@export("nn.conv1d_transpose", v1=["nn.conv1d_transpose"])
def conv1d_transpose(
    input: TensorLike,
    filters: TensorLike,
    output_shape: ShapeLike,
    strides: TensorLike,
    padding: str = "SAME",
    data_format: str = "NWC",
    dilations: TensorLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Computes the transpose of `conv1d`: the gradient of a convolution with respect to its input.

    >>> tf.nn.conv1d_transpose(tf.ones([1, 2, 1]), tf.ones([2, 3, 1]), [1, 4, 3], strides=2).shape
    TensorShape([1, 4, 3])

    Args:
      input: A floating point Tensor `[batch, width, features]`.
      filters: A Tensor of the same dtype, `[width, channels, features]`.
      output_shape: the shape of the result, an integer vector of three elements.
      strides: an int, or a list of one or three ints.
      padding: "SAME" or "VALID"; that of the convolution.
      data_format: "NWC" or "NCW".
      dilations: like `strides`. Default 1.
      name: A name for the operation (optional).

    Returns: A Tensor of shape `output_shape`.
    Raises: ValueError: if `data_format` is unknown.
    """
    with name_scope(name, "conv1d_transpose") as scope:
        if data_format not in (None, "NWC", "NCW"):
            raise ValueError(f"`data_format` must be 'NWC' or 'NCW'. Received: data_format={data_format}")
        first = data_format == "NCW"
        channel_axis, axis = (1, 2) if first else (2, 1)
        moves = [1, *for_all_dimensions(strides, 1, channel_axis, "stride")]
        rates = [1, *for_all_dimensions(dilations, 1, channel_axis, "dilations")]
        input, filters = expand_dims(input, axis), expand_dims(filters, 0)
        sizes = _sizes(output_shape)
        sizes = list(sizes) if isinstance(sizes, tuple) else sizes
        result = conv2d_input_gradient_op(
            concat([sizes[:axis], [1], sizes[axis:]], axis=0),
            filters,
            input,
            strides=moves,
            padding=padding,
            data_format="NCHW" if first else "NHWC",
            dilations=rates,
            name=scope,
        )
        return squeeze(result, [axis])


@export("nn.conv3d_transpose", v1=[])
def conv3d_transpose(
    input: TensorLike,
    filters: TensorLike,
    output_shape: ShapeLike,
    strides: TensorLike,
    padding: str = "SAME",
    data_format: str = "NDHWC",
    dilations: TensorLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Computes the transpose of `conv3d`: the gradient of a convolution with respect to its input.

    >>> tf.nn.conv3d_transpose(tf.ones([1, 2, 2, 2, 1]), tf.ones([2, 2, 2, 3, 1]), [1, 4, 4, 4, 3], strides=2).shape
    TensorShape([1, 4, 4, 4, 3])

    Args:
      input: A floating point Tensor `[batch, depth, height, width, features]`.
      filters: A Tensor of the same dtype, `[depth, height, width, channels, features]`.
      output_shape: the shape of the result, an integer vector.
      strides: an int, one a spatial dimension, or one a dimension.
      padding: "SAME" or "VALID"; that of the convolution.
      data_format: "NDHWC" or "NCDHW".
      dilations: like `strides`. Default 1.
      name: A name for the operation (optional).

    Returns: A Tensor of shape `output_shape`.
    Raises: tf.errors.InvalidArgumentError: if a convolution of `output_shape` does not give the shape of `input`.
    """
    with name_scope(name, "conv3d_transpose") as scope:
        data_format = data_format or "NDHWC"
        channel_axis = 1 if is_channels_first(data_format) else 4
        return conv3d_input_gradient_op(
            _sizes(output_shape),
            filters,
            input,
            strides=for_all_dimensions(strides, 3, channel_axis, "strides"),
            padding=padding,
            data_format=data_format,
            dilations=for_all_dimensions(dilations, 3, channel_axis, "dilations"),
            name=scope,
        )


@export("nn.conv_transpose")
def conv_transpose(
    input: TensorLike,
    filters: TensorLike,
    output_shape: ShapeLike,
    strides: TensorLike,
    padding: object = "SAME",
    data_format: str | None = None,
    dilations: TensorLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Computes the transpose of `convolution` in one, two or three spatial dimensions, as many as `output_shape` says.

    >>> tf.nn.conv_transpose(tf.ones([1, 2, 2, 1]), tf.ones([2, 2, 3, 1]), [1, 4, 4, 3], strides=2).shape
    TensorShape([1, 4, 4, 3])

    Args:
      input: A floating point Tensor `[batch, *spatial, features]`.
      filters: A Tensor of the same dtype, `[*spatial, channels, features]`.
      output_shape: the shape of the result, an integer vector of three to five elements.
      strides: an int, or one a spatial dimension.
      padding: "SAME" or "VALID"; that of the convolution.
      data_format: as of `conv1d_transpose`, `conv2d_transpose`, `conv3d_transpose`.
      dilations: like `strides`. Default 1.
      name: A name for the operation (optional).

    Returns: A Tensor of shape `output_shape`.
    Raises: ValueError: if `output_shape` has no static length, or not 3, 4 or 5 elements.
    """
    with name_scope(name, "conv_transpose") as scope:
        if isinstance(output_shape, Tensor):
            length = output_shape.shape.as_list()[0]
        elif isinstance(output_shape, Sized):
            length = len(output_shape)
        else:
            raise ValueError(
                f"`output_shape` must be a tensor or sized collection. Received: output_shape={output_shape}"
            )
        functions: dict[int, Any] = {3: conv1d_transpose, 4: conv2d_transpose, 5: conv3d_transpose}
        if length not in functions:
            raise ValueError(
                f"`output_shape` must be of length 3, 4 or 5. Received: output_shape={output_shape} of length {length}."
            )
        result: Tensor = functions[length](
            input, filters, output_shape, strides, padding, data_format, dilations, name=scope
        )
        return result


@export("nn.atrous_conv2d_transpose")
def atrous_conv2d_transpose(
    value: Any, filters: Any, output_shape: Any, rate: int, padding: str, name: str | None = None
) -> Tensor:
    """Computes the transpose of `atrous_conv2d`.

    >>> tf.nn.atrous_conv2d_transpose(tf.ones([1, 4, 4, 1]), tf.ones([3, 3, 2, 1]), [1, 4, 4, 2], 2, "SAME").shape
    TensorShape([1, 4, 4, 2])

    Args:
      value: A floating point Tensor `[batch, height, width, features]`.
      filters: A Tensor of the same dtype, `[height, width, channels, features]`.
      output_shape: the shape of the result, an integer vector of four elements.
      rate: the distance of a filter's elements, at least 1.
      padding: "SAME" or "VALID"; that of the convolution.
      name: A name for the operation (optional).

    Returns: A Tensor of shape `output_shape`.
    Raises: ValueError: if shapes, `rate` or `padding` are not valid.
    """
    with name_scope(name, "atrous_conv2d_transpose"):
        value = convert_to_tensor(value, name="value")
        filters = convert_to_tensor(filters, name="filters")
        if not value.shape[3:4].is_compatible_with(filters.shape[3:4]):
            raise ValueError(
                "`value` channel count must be compatible with `filters` input channel count. "
                f"Received: value.shape={value.shape} with channel count {value.shape[3]} and "
                f"filters.shape={filters.shape} with input channel count {filters.shape[3]}."
            )
        if rate < 1:
            raise ValueError(f"`rate` cannot be less than one. Received: rate={rate}")
        if rate == 1:
            return conv2d_transpose(value, filters, output_shape, strides=[1, 1, 1, 1], padding=padding)
        sizes = convert_to_tensor(_sizes(output_shape), name="output_shape")
        return _through_batch(value, filters, sizes, rate, padding)


def _through_batch(value: Tensor, filters: Tensor, sizes: Tensor, rate: int, padding: str) -> Tensor:
    if padding not in ("SAME", "VALID"):
        raise ValueError(f"`padding` must be either 'VALID' or 'SAME'. Received: padding={padding}")
    kernels: list[Any] = filters.shape.as_list()[:2]
    if None in kernels:
        kernels = [shape_of(filters)[i] for i in (0, 1)]
    static_sizes = static_value(sizes)
    parts = sizes if static_sizes is None else [int(n) for n in static_sizes]
    whole, gaps, crops = [], [], []
    for axis, kernel in enumerate(kernels, 1):
        spread = (kernel - 1) * (rate - 1) + kernel - 1 if padding == "SAME" else 0
        start = spread // 2
        full = parts[axis] + start + (spread - start)
        extra = (rate - full % rate) % rate
        whole.append((full + extra) // rate)
        gaps.append([0, extra])
        crops.append([start, spread - start + extra])
    parts_of_value = space_to_batch_nd(value, [rate, rate], gaps)
    inner = [rate * rate * parts[0], *whole, parts[3]]
    result = conv2d_input_gradient_op(
        inner, filters, parts_of_value, strides=[1, 1, 1, 1], padding="VALID", name="Conv2DBackpropInput"
    )
    return batch_to_space_nd(result, [rate, rate], crops)
