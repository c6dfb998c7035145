"""`tf.nn.conv1d`, `conv2d`, `conv3d`, `convolution` and `atrous_conv2d`.

The ops Conv2D and Conv3D do the work. A 1-D convolution is a 2-D one of height 1; several batch dimensions become one;
`convolution` moves dilations into the batch, as TensorFlow's graphs show.
"""

from __future__ import annotations

import functools
from typing import Any

from millrace._src.core.argument_types import TensorLike
from millrace._src.core.context import name_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.tensor import Tensor
from millrace._src.ops.array.reshaping import expand_dims, squeeze
from millrace._src.ops.array.shape_ops import shape as shape_of
from millrace._src.ops.nn.arguments import (
    for_all_dimensions,
    is_channels_first,
    merge_batch_dimensions,
    padding_attributes,
)
from millrace._src.ops.nn.convolution_ops import conv2d_op, conv3d_op
from millrace._src.ops.nn.dilated_batches import through_batch
from millrace._src.util.export import export


@export("nn.conv2d", v1=[])
def conv2d(
    input: Any,
    filters: TensorLike,
    strides: TensorLike,
    padding: object,
    data_format: str = "NHWC",
    dilations: TensorLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Computes a 2-D convolution (without turning the filters: a cross-correlation) of images.

    `output[b, i, j, k] = sum over y, x, q of input[b, strides[1] * i + y, strides[2] * j + x, q] * filters[y, x, q, k]`

    >>> image = tf.reshape(tf.range(16.), [1, 4, 4, 1])
    >>> edges = tf.constant([[1., -1.]])[:, :, None, None]
    >>> tf.nn.conv2d(image, edges, strides=1, padding="VALID").shape
    TensorShape([1, 4, 3, 1])

    Args:
      input: A floating point (or int32) Tensor `[batch..., height, width, channels]`; one or more batch dimensions.
      filters: A Tensor of the same dtype, `[height, width, channels / groups, features]`.
      strides: how far windows are apart: an int, `[height, width]`, or one a dimension.
      padding: "SAME", "VALID", or a list of pairs `[before, after]` for all four dimensions.
      data_format: "NHWC", or "NCHW" with channels before height and width.
      dilations: how far a window's elements are apart, like `strides`. Default 1.
      name: A name for the operation (optional).

    Returns: A Tensor of the dtype and format of `input`.
    Raises:
      ValueError: if `strides`, `dilations` or `padding` has a wrong length (while tracing, if shapes do not fit).
      tf.errors.InvalidArgumentError: if shapes do not fit, or `padding` or `data_format` is unknown.
    """
    padding, explicit = padding_attributes(padding)
    channel_axis = 1 if is_channels_first(data_format) else 3
    call = functools.partial(
        conv2d_op,
        strides=for_all_dimensions(strides, 2, channel_axis, "strides"),
        padding=padding,
        explicit_paddings=explicit,
        data_format=data_format or "NHWC",
        dilations=for_all_dimensions(dilations, 2, channel_axis, "dilations"),
    )
    input = convert_to_tensor(input, name="input")
    if input.shape.rank is None or input.shape.rank <= 4:
        return call(input, filters, name=name)
    return merge_batch_dimensions(input, lambda x: call(x, filters), 3, name)


@export("nn.conv3d", v1=[])
def conv3d(
    input: Any,
    filters: TensorLike,
    strides: TensorLike,
    padding: str,
    data_format: str = "NDHWC",
    dilations: TensorLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Computes a 3-D convolution (without turning the filters: a cross-correlation) of volumes.

    >>> volume, filters = tf.ones([1, 4, 4, 4, 1]), tf.ones([2, 2, 2, 1, 3])
    >>> tf.nn.conv3d(volume, filters, strides=[1, 2, 2, 2, 1], padding="VALID").shape
    TensorShape([1, 2, 2, 2, 3])

    Args:
      input: A floating point Tensor `[batch..., depth, height, width, channels]`.
      filters: A Tensor of the same dtype, `[depth, height, width, channels / groups, features]`.
      strides: five ints; the first and the one of the channels are 1.
      padding: "SAME" or "VALID".
      data_format: "NDHWC", or "NCDHW" with channels before the spatial dimensions.
      dilations: how far a window's elements are apart, five ints. Default 1.
      name: A name for the operation (optional).

    Returns: A Tensor of the dtype and format of `input`.
    Raises: tf.errors.InvalidArgumentError: if shapes do not fit (ValueError while tracing).
    """
    if not isinstance(strides, (list, tuple)):
        raise TypeError(f"Expected list for 'strides' argument to 'conv3d' Op, not {strides!r}.")
    call = functools.partial(
        conv3d_op, strides=strides, padding=padding, data_format=data_format, dilations=dilations or [1] * 5
    )
    input = convert_to_tensor(input, name="input")
    if input.shape.rank is None or input.shape.rank <= 5:
        return call(input, filters, name=name)
    return merge_batch_dimensions(input, lambda x: call(x, filters), 4, name)


@export("nn.conv1d", v1=[])
def conv1d(
    input: Any,
    filters: TensorLike,
    stride: TensorLike,
    padding: str,
    data_format: str = "NWC",
    dilations: TensorLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Computes a 1-D convolution (without turning the filters: a cross-correlation), as a 2-D one of height 1.

    >>> tf.nn.conv1d(tf.reshape(tf.range(5.), [1, 5, 1]), tf.ones([2, 1, 1]), stride=2, padding="VALID").numpy().ravel()
    array([1., 5.], dtype=float32)

    Args:
      input: A floating point Tensor `[batch..., width, channels]`.
      filters: A Tensor of the same dtype, `[width, channels / groups, features]`.
      stride: how far windows are apart: an int, or a list of one or three ints.
      padding: "SAME" or "VALID".
      data_format: "NWC", or "NCW" with channels before the width.
      dilations: how far a window's elements are apart, like `stride`. Default 1.
      name: A name for the operation (optional).

    Returns: A Tensor of the dtype and format of `input`.
    Raises: ValueError: if `data_format` is unknown or a length is wrong.
    """
    with name_scope(name, "conv1d") as scope:
        if data_format not in (None, "NWC", "NCW", "NHWC", "NCHW"):
            raise ValueError(f"`data_format` must be 'NWC' or 'NCW'. Received: data_format={data_format}")
        first = is_channels_first(data_format)
        image_format, channel_axis = ("NCHW", 1) if first else ("NHWC", 2)
        strides = [1, *for_all_dimensions(stride, 1, channel_axis, "stride")]
        rates = [1, *for_all_dimensions(dilations, 1, channel_axis, "dilations")]
        axis = -2 if first else -3
        input = expand_dims(input, axis)
        filters = expand_dims(filters, 0)
        call = functools.partial(conv2d_op, strides=strides, padding=padding, data_format=image_format, dilations=rates)
        if input.shape.rank is None or input.shape.rank <= 4:
            result = call(input, filters, name=scope)
        else:
            result = merge_batch_dimensions(input, lambda x: call(x, filters), 3, scope)
        return squeeze(result, [axis])


@export("nn.convolution", v1=[])
def convolution(
    input: Any,
    filters: Any,
    strides: TensorLike | None = None,
    padding: Any = "VALID",
    data_format: str | None = None,
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """Computes a convolution of one, two or three spatial dimensions, as many as `filters` has.

    >>> tf.nn.convolution(tf.ones([1, 5, 5, 1]), tf.ones([3, 3, 1, 2]), dilations=2, padding="SAME").shape
    TensorShape([1, 5, 5, 2])

    Args:
      input: A Tensor `[batch..., *spatial, channels]`, or with channels first as `data_format` says.
      filters: A Tensor of the same dtype, `[*spatial, channels / groups, features]`.
      strides: how far windows are apart: an int, or one a spatial dimension. Default 1.
      padding: "SAME", "VALID", or (in two dimensions) a list of pairs for all dimensions.
      data_format: starts with "NC" for channels first; the names are those of `conv1d`, `conv2d`, `conv3d`.
      dilations: how far a window's elements are apart, like `strides`; not both may be more than 1.
      name: A name for the operation (optional).

    Returns: A Tensor of the dtype and format of `input`.
    Raises: ValueError: if the rank of `filters` is not 3, 4 or 5, or strides and dilations do not go together.
    """
    filters = convert_to_tensor(filters, name="filters")
    input = convert_to_tensor(input, name="input")
    spatial = _spatial_rank(input, filters)
    channel_axis = 1 if is_channels_first(data_format) else spatial + 1
    moves = for_all_dimensions(strides, spatial, channel_axis, "strides")
    rates = for_all_dimensions(dilations, spatial, channel_axis, "dilations")
    call = {1: conv1d, 2: conv2d, 3: conv3d}[spatial]
    options = {} if data_format is None else {"data_format": data_format}
    with name_scope(name, "convolution") as scope:
        if all(r == 1 for r in rates):
            return call(input, filters, moves, padding, dilations=rates, name=scope, **options)
        inside = slice(2, None) if channel_axis == 1 else slice(1, -1)
        return _dilate(
            input, filters, (moves, rates), inside, padding, data_format, functools.partial(call, name=scope, **options)
        )


def _dilate(
    input: Tensor, filters: Tensor, moves: tuple[Any, Any], inside: slice, padding: Any, data_format: Any, call: Any
) -> Tensor:
    strides, rates = moves[0][inside], moves[1][inside]
    if max(strides) > 1:
        raise ValueError(
            "`strides > 1` not supported in conjunction with `dilation_rate > 1`. "
            f"Received: strides={_row(strides)} and dilation_rate={_row(rates)}"
        )

    def dense(x: Tensor, left: Any) -> Tensor:
        result: Tensor = call(x, filters, moves[0], left)
        return result

    def filter_shape() -> Tensor:
        dims = filters.shape
        if dims.is_fully_defined():
            return convert_to_tensor(dims.as_list(), name="filter_shape")
        shape: Tensor = shape_of(filters)
        return shape

    return through_batch(input, rates, padding, dense, filter_shape, data_format)


def _row(values: Any) -> str:
    return f"[{' '.join(map(str, values))}]"


def _spatial_rank(input: Tensor, filters: Tensor) -> int:
    rank = filters.shape.rank if filters.shape.rank is not None else input.shape.rank
    if rank is None:
        raise ValueError("rank of input or filter must be known.")
    if not 1 <= rank - 2 <= 3:
        raise ValueError(f"`num_spatial_dims` must be 1, 2, or 3. Received: num_spatial_dims={rank - 2}.")
    return rank - 2


@export("nn.atrous_conv2d")
def atrous_conv2d(value: TensorLike, filters: TensorLike, rate: int, padding: str, name: str | None = None) -> Tensor:
    """Computes a 2-D convolution with filters whose elements are `rate` apart (dilated, "with holes").

    >>> tf.nn.atrous_conv2d(tf.ones([1, 5, 5, 1]), tf.ones([2, 2, 1, 1]), rate=2, padding="VALID").shape
    TensorShape([1, 3, 3, 1])

    Args:
      value: A floating point Tensor `[batch, height, width, channels]`.
      filters: A Tensor of the same dtype, `[height, width, channels, features]`.
      rate: the distance of a filter's elements, at least 1.
      padding: "SAME" or "VALID".
      name: A name for the operation (optional).

    Returns: A Tensor of the dtype of `value`.
    Raises: ValueError: if `rate` is not positive.
    """
    return convolution(value, filters, padding=padding, dilations=[rate, rate], name=name)
