"""Convolutions with TensorFlow 1's arguments: `filter` beside `filters`, `rate` beside `dilations`, other orders.

Tests: tests/oracle/programs/v1_nn.py
"""

from __future__ import annotations

from collections.abc import Sequence

from millrace._src.compat_v1.v1_wrappers import v1_arguments, v1_wrapper
from millrace._src.core.argument_types import TensorLike
from millrace._src.core.tensor import Tensor
from millrace._src.ops.nn import convolution as convolutions
from millrace._src.ops.nn import depthwise_convolution as depthwise
from millrace._src.ops.nn import transposed_convolution as transposed
from millrace._src.ops.nn.arguments import padding_attributes
from millrace._src.ops.nn.convolution_ops import (
    conv2d_filter_gradient_op,
    conv2d_input_gradient_op,
    conv3d_filter_gradient_op,
)
from millrace._src.ops.nn.depthwise_ops import depthwise_op
from millrace._src.util.export import export, export_constant

conv1d = v1_wrapper(
    "nn.conv1d",
    convolutions.conv1d,
    "value=None, filters=None, stride=None, padding=None, use_cudnn_on_gpu=None, data_format=None, name=None, "
    "input=None, dilations=None",
    """
    >>> tf.compat.v1.nn.conv1d(value=tf.ones([1, 4, 1]), filters=tf.ones([2, 1, 3]), stride=2, padding="VALID").shape
    TensorShape([1, 2, 3])
    """,
    renamed={"value": "input"},
    ignored=["use_cudnn_on_gpu"],
)
export_constant(__name__, "conv1d", v1=["nn.conv1d"])

conv3d = v1_wrapper(
    "nn.conv3d",
    convolutions.conv3d,
    "input, filter=None, strides=None, padding=None, data_format='NDHWC', dilations=[1, 1, 1, 1, 1], name=None, "
    "filters=None",
    """
    >>> volume = tf.ones([1, 4, 4, 4, 1])
    >>> tf.compat.v1.nn.conv3d(volume, filter=tf.ones([2, 2, 2, 1, 3]), strides=[1] * 5, padding="VALID").shape
    TensorShape([1, 3, 3, 3, 3])
    """,
    renamed={"filter": "filters"},
)
export_constant(__name__, "conv3d", v1=["nn.conv3d"])

convolution = v1_wrapper(
    "nn.convolution",
    convolutions.convolution,
    "input, filter, padding, strides=None, dilation_rate=None, name=None, data_format=None, filters=None, "
    "dilations=None",
    """
    >>> tf.compat.v1.nn.convolution(tf.ones([1, 5, 5, 1]), tf.ones([3, 3, 1, 2]), "SAME", dilation_rate=[2, 2]).shape
    TensorShape([1, 5, 5, 2])
    """,
    renamed={"filter": "filters", "dilation_rate": "dilations"},
)
export_constant(__name__, "convolution", v1=["nn.convolution"])

conv2d_transpose = v1_wrapper(
    "nn.conv2d_transpose",
    transposed.conv2d_transpose,
    "value=None, filter=None, output_shape=None, strides=None, padding='SAME', data_format='NHWC', name=None, "
    "input=None, filters=None, dilations=None",
    """
    >>> image, filters = tf.ones([1, 2, 2, 1]), tf.ones([2, 2, 3, 1])
    >>> tf.compat.v1.nn.conv2d_transpose(image, filters, [1, 4, 4, 3], strides=[1, 2, 2, 1]).shape
    TensorShape([1, 4, 4, 3])
    """,
    renamed={"value": "input", "filter": "filters"},
)
export_constant(__name__, "conv2d_transpose", v1=["nn.conv2d_transpose"])

conv3d_transpose = v1_wrapper(
    "nn.conv3d_transpose",
    transposed.conv3d_transpose,
    "value, filter=None, output_shape=None, strides=None, padding='SAME', data_format='NDHWC', name=None, "
    "input=None, filters=None, dilations=None",
    """
    >>> volume, filters = tf.ones([1, 2, 2, 2, 1]), tf.ones([2, 2, 2, 3, 1])
    >>> tf.compat.v1.nn.conv3d_transpose(volume, filters, [1, 4, 4, 4, 3], strides=[1, 2, 2, 2, 1]).shape
    TensorShape([1, 4, 4, 4, 3])
    """,
    renamed={"value": "input", "filter": "filters"},
)
export_constant(__name__, "conv3d_transpose", v1=["nn.conv3d_transpose"])

depthwise_conv2d = v1_wrapper(
    "nn.depthwise_conv2d",
    depthwise.depthwise_conv2d,
    "input, filter, strides, padding, rate=None, name=None, data_format=None, dilations=None",
    """
    >>> image, filters = tf.ones([1, 5, 5, 2]), tf.ones([2, 2, 2, 3])
    >>> tf.compat.v1.nn.depthwise_conv2d(image, filters, [1, 1, 1, 1], "SAME", rate=[2, 2]).shape
    TensorShape([1, 5, 5, 6])
    """,
    renamed={"rate": "dilations"},
)
export_constant(__name__, "depthwise_conv2d", v1=["nn.depthwise_conv2d"])

separable_conv2d = v1_wrapper(
    "nn.separable_conv2d",
    depthwise.separable_conv2d,
    "input, depthwise_filter, pointwise_filter, strides, padding, rate=None, name=None, data_format=None, "
    "dilations=None",
    """
    >>> image, deep, mixed = tf.ones([1, 5, 5, 2]), tf.ones([2, 2, 2, 3]), tf.ones([1, 1, 6, 4])
    >>> tf.compat.v1.nn.separable_conv2d(image, deep, mixed, [1, 1, 1, 1], "SAME", rate=[2, 2]).shape
    TensorShape([1, 5, 5, 4])
    """,
    renamed={"rate": "dilations"},
)
export_constant(__name__, "separable_conv2d", v1=["nn.separable_conv2d"])


@export(v1=["nn.conv2d_backprop_filter"])
def conv2d_backprop_filter(
    input: TensorLike,
    filter_sizes: TensorLike,
    out_backprop: TensorLike,
    strides: TensorLike,
    padding: object,
    use_cudnn_on_gpu: bool = True,
    data_format: str = "NHWC",
    dilations: Sequence[int] = [1, 1, 1, 1],
    name: str | None = None,
) -> Tensor:
    """Computes the gradient of a 2-D convolution with respect to its filters.

    >>> x, dy = tf.ones([1, 4, 4, 1]), tf.ones([1, 3, 3, 1])
    >>> tf.compat.v1.nn.conv2d_backprop_filter(x, [2, 2, 1, 1], dy, [1, 1, 1, 1], "VALID").numpy().ravel()
    array([9., 9., 9., 9.], dtype=float32)

    Args:
      input: A Tensor `[batch, height, width, channels]`.
      filter_sizes: the shape of the filters, an int32 vector.
      out_backprop: the gradient with respect to the output.
      strides: four ints.
      padding: "SAME", "VALID", or a list of pairs for all four dimensions.
      use_cudnn_on_gpu: kept in graphs; no effect here.
      data_format: "NHWC" or "NCHW".
      dilations: four ints.
      name: A name for the operation (optional).

    Returns: A Tensor of shape `filter_sizes`.
    """
    mode, explicit = padding_attributes(padding)
    return conv2d_filter_gradient_op(
        input,
        filter_sizes,
        out_backprop,
        strides=strides,
        padding=mode,
        use_cudnn_on_gpu=use_cudnn_on_gpu,
        explicit_paddings=explicit,
        data_format=data_format,
        dilations=dilations,
        name=name,
    )


@export(v1=["nn.conv2d_backprop_input"])
@v1_arguments(
    "input_sizes, filter=None, out_backprop=None, strides=None, padding=None, use_cudnn_on_gpu=True, "
    "data_format='NHWC', dilations=[1, 1, 1, 1], name=None, filters=None",
    renamed={"filter": "filters"},
)
def conv2d_backprop_input(
    input_sizes: TensorLike,
    filters: TensorLike,
    out_backprop: TensorLike,
    strides: TensorLike,
    padding: object,
    use_cudnn_on_gpu: bool,
    data_format: str,
    dilations: Sequence[int],
    name: str | None,
) -> Tensor:
    """Computes the gradient of a 2-D convolution with respect to its input.

    >>> filters, dy = tf.ones([2, 2, 1, 1]), tf.ones([1, 2, 2, 1])
    >>> dx = tf.compat.v1.nn.conv2d_backprop_input([1, 3, 3, 1], filters, dy, [1, 1, 1, 1], "VALID")
    >>> dx.numpy().reshape(3, 3)
    array([[1., 2., 1.],
           [2., 4., 2.],
           [1., 2., 1.]], dtype=float32)

    Args:
      input_sizes: the shape of the input, an int32 vector.
      filters: A Tensor `[height, width, channels, features]`.
      out_backprop: the gradient with respect to the output.
      strides: four ints.
      padding: "SAME", "VALID", or a list of pairs for all four dimensions.
      use_cudnn_on_gpu: kept in graphs; no effect here.
      data_format: "NHWC" or "NCHW".
      dilations: four ints.
      name: A name for the operation (optional).

    Returns: A Tensor of shape `input_sizes`.
    Raises: ValueError: if both `filter` and `filters` are given.
    """
    mode, explicit = padding_attributes(padding)
    return conv2d_input_gradient_op(
        input_sizes,
        filters,
        out_backprop,
        strides=strides,
        padding=mode,
        use_cudnn_on_gpu=use_cudnn_on_gpu,
        explicit_paddings=explicit,
        data_format=data_format,
        dilations=dilations,
        name=name,
    )


@export(v1=["nn.conv3d_backprop_filter", "nn.conv3d_backprop_filter_v2"])
def conv3d_backprop_filter(
    input: TensorLike,
    filter_sizes: TensorLike,
    out_backprop: TensorLike,
    strides: TensorLike,
    padding: str,
    data_format: str = "NDHWC",
    dilations: Sequence[int] = [1, 1, 1, 1, 1],
    name: str | None = None,
) -> Tensor:
    """Computes the gradient of a 3-D convolution with respect to its filters.

    >>> x, dy = tf.ones([1, 3, 3, 3, 1]), tf.ones([1, 2, 2, 2, 1])
    >>> dw = tf.compat.v1.nn.conv3d_backprop_filter(x, [2, 2, 2, 1, 1], dy, [1, 1, 1, 1, 1], "VALID")
    >>> dw[0, 0].numpy().ravel()
    array([8., 8.], dtype=float32)

    Args:
      input: A Tensor `[batch, depth, height, width, channels]`.
      filter_sizes: the shape of the filters, an int32 vector.
      out_backprop: the gradient with respect to the output.
      strides: five ints.
      padding: "SAME" or "VALID".
      data_format: "NDHWC" or "NCDHW".
      dilations: five ints.
      name: A name for the operation (optional).

    Returns: A Tensor of shape `filter_sizes`.
    """
    return conv3d_filter_gradient_op(
        input,
        filter_sizes,
        out_backprop,
        strides=strides,
        padding=padding,
        data_format=data_format,
        dilations=dilations,
        name=name,
    )


@export(v1=["nn.depthwise_conv2d_native"])
def depthwise_conv2d_native(
    input: TensorLike,
    filter: TensorLike,
    strides: TensorLike,
    padding: object,
    data_format: str = "NHWC",
    dilations: Sequence[int] = [1, 1, 1, 1],
    name: str | None = None,
) -> Tensor:
    """Computes a 2-D convolution of each channel with filters of its own, as one operation.

    >>> tf.compat.v1.nn.depthwise_conv2d_native(
    ...     tf.ones([1, 4, 4, 3]), tf.ones([2, 2, 3, 2]), [1, 1, 1, 1], "SAME").shape
    TensorShape([1, 4, 4, 6])

    Args:
      input: A Tensor `[batch, height, width, channels]`.
      filter: A Tensor `[height, width, channels, multiplier]`.
      strides: four ints.
      padding: "SAME", "VALID", or a list of pairs for all four dimensions.
      data_format: "NHWC" or "NCHW".
      dilations: four ints.
      name: A name for the operation (optional).

    Returns: A Tensor with `channels * multiplier` channels.
    """
    mode, explicit = padding_attributes(padding)
    return depthwise_op(
        input,
        filter,
        strides=strides,
        padding=mode,
        explicit_paddings=explicit,
        data_format=data_format,
        dilations=dilations,
        name=name,
    )
