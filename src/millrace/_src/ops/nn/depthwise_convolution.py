"""`tf.nn.depthwise_conv2d`, its gradients as functions, and `tf.nn.separable_conv2d`.

The ops of `depthwise_ops` do the work. Dilations are moved into the batch, as TensorFlow's graphs show.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from millrace._src.core.argument_types import TensorLike
from millrace._src.core.context import name_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.tensor import Tensor
from millrace._src.ops.array.shape_ops import shape as shape_of
from millrace._src.ops.nn.arguments import is_channels_first, padding_attributes
from millrace._src.ops.nn.convolution_ops import conv2d_op
from millrace._src.ops.nn.depthwise_ops import depthwise_filter_gradient_op, depthwise_input_gradient_op, depthwise_op
from millrace._src.ops.nn.dilated_batches import through_batch
from millrace._src.util.export import export


@export("nn.depthwise_conv2d", v1=[])
def depthwise_conv2d(
    input: Any,
    filter: Any,
    strides: Any,
    padding: Any,
    data_format: str | None = None,
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """Computes a 2-D convolution of each channel with filters of its own.

    `output[b, i, j, k * multiplier + q] = sum over di, dj of
    input[b, strides[1] * i + di, strides[2] * j + dj, k] * filter[di, dj, k, q]`

    >>> tf.nn.depthwise_conv2d(tf.ones([1, 4, 4, 3]), tf.ones([2, 2, 3, 2]), [1, 1, 1, 1], "SAME").shape
    TensorShape([1, 4, 4, 6])

    Args:
      input: A floating point Tensor `[batch, height, width, channels]`.
      filter: A Tensor of the same dtype, `[height, width, channels, multiplier]`.
      strides: four ints; the first and the one of the channels are 1.
      padding: "SAME", "VALID", or a list of pairs for all four dimensions.
      data_format: "NHWC" (default), or "NCHW".
      dilations: how far a window's elements are apart, two ints. Default 1; above 1, strides must be 1.
      name: A name for the operation (optional).

    Returns: A Tensor with `channels * multiplier` channels.
    Raises: tf.errors.InvalidArgumentError: if shapes do not fit (ValueError while tracing).
    """
    with name_scope(name, "depthwise") as scope:
        input = convert_to_tensor(input, name="tensor_in")
        filter = convert_to_tensor(filter, name="filter_in")
        rates = [1, 1] if dilations is None else list(dilations)
        return _depthwise(input, filter, strides, padding, data_format, rates, scope)


def _depthwise(
    input: Tensor, filter: Tensor, strides: object, padding: Any, data_format: Any, rates: Any, scope: str
) -> Tensor:
    filter_shape = shape_of(filter)

    def dense(x: Tensor, left: object) -> Tensor:
        mode, explicit = padding_attributes(left)
        result: Tensor = depthwise_op(
            x,
            filter,
            strides=strides,
            padding=mode,
            explicit_paddings=explicit,
            data_format=data_format or "NHWC",
            name=scope,
        )
        return result

    return through_batch(input, rates, padding, dense, lambda: filter_shape, data_format)


@export(
    "nn.depthwise_conv2d_backprop_input",
    v1=["nn.depthwise_conv2d_backprop_input", "nn.depthwise_conv2d_native_backprop_input"],
)
def depthwise_conv2d_backprop_input(
    input_sizes: TensorLike,
    filter: TensorLike,
    out_backprop: TensorLike,
    strides: TensorLike,
    padding: object,
    data_format: str = "NHWC",
    dilations: Sequence[int] = [1, 1, 1, 1],
    name: str | None = None,
) -> Tensor:
    """Computes the gradient of a depthwise convolution with respect to its input.

    >>> dy, filters = tf.ones([1, 3, 3, 2]), tf.ones([2, 2, 2, 1])
    >>> tf.nn.depthwise_conv2d_backprop_input([1, 4, 4, 2], filters, dy, [1, 1, 1, 1], "VALID").shape
    TensorShape([1, 4, 4, 2])

    Args:
      input_sizes: the shape of the input, an int32 vector.
      filter: A Tensor `[height, width, channels, multiplier]`.
      out_backprop: the gradient with respect to the output.
      strides: four ints.
      padding: "SAME", "VALID", or a list of pairs for all four dimensions.
      data_format: "NHWC" or "NCHW".
      dilations: four ints.
      name: A name for the operation (optional).

    Returns: A Tensor of shape `input_sizes`.
    """
    padding, explicit = padding_attributes(padding)
    return depthwise_input_gradient_op(
        input_sizes,
        filter,
        out_backprop,
        strides=strides,
        padding=padding,
        explicit_paddings=explicit,
        data_format=data_format,
        dilations=dilations,
        name=name,
    )


@export(
    "nn.depthwise_conv2d_backprop_filter",
    v1=["nn.depthwise_conv2d_backprop_filter", "nn.depthwise_conv2d_native_backprop_filter"],
)
def depthwise_conv2d_backprop_filter(
    input: TensorLike,
    filter_sizes: TensorLike,
    out_backprop: TensorLike,
    strides: TensorLike,
    padding: object,
    data_format: str = "NHWC",
    dilations: Sequence[int] = [1, 1, 1, 1],
    name: str | None = None,
) -> Tensor:
    """Computes the gradient of a depthwise convolution with respect to its filters.

    >>> x, dy = tf.ones([1, 4, 4, 2]), tf.ones([1, 3, 3, 2])
    >>> tf.nn.depthwise_conv2d_backprop_filter(x, [2, 2, 2, 1], dy, [1, 1, 1, 1], "VALID")[0, 0, :, 0].numpy()
    array([9., 9.], dtype=float32)

    Args:
      input: A Tensor `[batch, height, width, channels]`.
      filter_sizes: the shape of the filters, an int32 vector.
      out_backprop: the gradient with respect to the output.
      strides: four ints.
      padding: "SAME", "VALID", or a list of pairs for all four dimensions.
      data_format: "NHWC" or "NCHW".
      dilations: four ints.
      name: A name for the operation (optional).

    Returns: A Tensor of shape `filter_sizes`.
    """
    padding, explicit = padding_attributes(padding)
    return depthwise_filter_gradient_op(
        input,
        filter_sizes,
        out_backprop,
        strides=strides,
        padding=padding,
        explicit_paddings=explicit,
        data_format=data_format,
        dilations=dilations,
        name=name,
    )


@export("nn.separable_conv2d", v1=[])
def separable_conv2d(
    input: Any,
    depthwise_filter: Any,
    pointwise_filter: Any,
    strides: Any,
    padding: Any,
    data_format: str | None = None,
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """Computes a depthwise convolution, then a 1x1 convolution that mixes the channels.

    >>> image = tf.ones([1, 4, 4, 3])
    >>> tf.nn.separable_conv2d(image, tf.ones([2, 2, 3, 2]), tf.ones([1, 1, 6, 5]), [1, 1, 1, 1], "SAME").shape
    TensorShape([1, 4, 4, 5])

    Args:
      input: A floating point Tensor `[batch, height, width, channels]`.
      depthwise_filter: A Tensor `[height, width, channels, multiplier]`.
      pointwise_filter: A Tensor `[1, 1, channels * multiplier, features]`.
      strides: four ints, for the depthwise convolution.
      padding: "SAME", "VALID", or a list of pairs for all four dimensions.
      data_format: "NHWC" (default), or "NCHW".
      dilations: how far a window's elements are apart, two ints. Default 1.
      name: A name for the operation (optional).

    Returns: A Tensor `[batch, height, width, features]`.
    Raises: ValueError: if the filters are not of rank 4, or the pointwise one is not 1x1.
    """
    with name_scope(name, "separable_conv2d") as scope:
        input = convert_to_tensor(input, name="tensor_in")
        depthwise_filter = convert_to_tensor(depthwise_filter, name="depthwise_filter")
        pointwise_filter = convert_to_tensor(pointwise_filter, name="pointwise_filter")
        _check_one(pointwise_filter.shape.with_rank(4))
        rates = [1, 1] if dilations is None else list(dilations)
        deep = _depthwise(input, depthwise_filter, strides, padding, data_format, rates, "depthwise")
        return conv2d_op(
            deep,
            pointwise_filter,
            strides=[1, 1, 1, 1],
            padding="VALID",
            data_format="NCHW" if is_channels_first(data_format) else "NHWC",
            name=scope,
        )


def _check_one(shape: Any) -> None:
    for size in shape.as_list()[:2]:
        if size not in (None, 1):
            raise ValueError(f"Dimensions {size} and 1 are not compatible")
