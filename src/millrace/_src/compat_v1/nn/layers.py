"""Functions of `tf.compat.v1.nn` whose arguments differ from those of today: old names, other orders, `keep_prob`.

Each function translates its arguments and calls the op or the function of today.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from millrace._src.compat_v1.v1_wrappers import v1_arguments, v1_wrapper
from millrace._src.core.argument_types import TensorLike
from millrace._src.core.context import name_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.nn.arguments import (
    for_all_dimensions,
    is_channels_first,
    merge_batch_dimensions,
    padding_attributes,
)
from millrace._src.ops.nn.avg_pool_ops import avg_pool_op
from millrace._src.ops.nn.bias import bias_add_op
from millrace._src.ops.nn.convolution_ops import conv2d_op
from millrace._src.ops.nn.cross_entropy import softmax_cross_entropy_with_logits
from millrace._src.ops.nn.dropout import dropout
from millrace._src.ops.nn.max_pool_ops import max_pool_op
from millrace._src.ops.nn.moments import moments
from millrace._src.util.export import export
from millrace._src.util.old_arguments import one_of, require


@export(v1=["nn.conv2d"])
@v1_arguments(
    "input, filter=None, strides=None, padding=None, use_cudnn_on_gpu=True, data_format='NHWC', "
    "dilations=[1, 1, 1, 1], name=None, filters=None",
    renamed={"filter": "filters"},
)
def conv2d_v1(
    input: Any,
    filters: TensorLike,
    strides: TensorLike,
    padding: object,
    use_cudnn_on_gpu: bool,
    data_format: str,
    dilations: Sequence[int],
    name: str | None,
) -> Tensor:
    """Computes `tf.nn.conv2d` with TensorFlow 1's arguments.

    >>> tf.compat.v1.nn.conv2d(tf.ones([1, 4, 4, 1]), tf.ones([2, 2, 1, 3]), [1, 2, 2, 1], "SAME").shape
    TensorShape([1, 2, 2, 3])

    Args:
      input: A Tensor `[batch, height, width, channels]`.
      filters: A Tensor `[height, width, channels / groups, features]`.
      strides: how far windows are apart.
      padding: "SAME", "VALID", or a list of pairs for all four dimensions.
      use_cudnn_on_gpu: kept in graphs; no effect here.
      data_format: "NHWC" or "NCHW".
      dilations: how far a window's elements are apart.
      name: A name for the operation (optional).

    Returns: A Tensor of the dtype and format of `input`.
    """
    mode, explicit = padding_attributes(padding)
    channel_axis = 1 if is_channels_first(data_format) else 3
    call = functools.partial(
        conv2d_op,
        strides=for_all_dimensions(strides, 2, channel_axis, "strides"),
        use_cudnn_on_gpu=use_cudnn_on_gpu,
        padding=mode,
        explicit_paddings=explicit,
        data_format=data_format or "NHWC",
        dilations=for_all_dimensions(dilations, 2, channel_axis, "dilations"),
    )
    input = convert_to_tensor(input, name="input")
    if input.shape.rank is None or input.shape.rank <= 4:
        return call(input, filters, name=name)
    return merge_batch_dimensions(input, lambda x: call(x, filters), 3, name)


_POOL_ARGUMENTS = v1_arguments(
    "value, ksize, strides, padding, data_format='NHWC', name=None, input=None", renamed={"value": "input"}
)


@export(v1=["nn.max_pool"])
@_POOL_ARGUMENTS
def max_pool_v1(
    input: TensorLike, ksize: TensorLike, strides: TensorLike, padding: object, data_format: str, name: str | None
) -> Tensor:
    """Computes `tf.nn.max_pool2d` with TensorFlow 1's arguments.

    >>> tf.compat.v1.nn.max_pool(tf.ones([1, 4, 4, 1]), [1, 2, 2, 1], [1, 2, 2, 1], "VALID").shape
    TensorShape([1, 2, 2, 1])

    Args:
      input: A Tensor `[batch, height, width, channels]`.
      ksize: the window.
      strides: how far windows are apart.
      padding: "SAME", "VALID", or a list of pairs for all four dimensions.
      data_format: "NHWC" or "NCHW".
      name: A name for the operation (optional).

    Returns: A Tensor of the dtype of `input`.
    """
    with name_scope(name, "MaxPool") as scope:
        mode, explicit = padding_attributes(padding)
        channel_axis = 1 if is_channels_first(data_format) else 3
        return max_pool_op(
            input,
            ksize=for_all_dimensions(ksize, 2, channel_axis, "ksize"),
            strides=for_all_dimensions(strides, 2, channel_axis, "strides"),
            padding=mode,
            explicit_paddings=explicit,
            data_format=data_format or "NHWC",
            name=scope,
        )


@export(v1=["nn.avg_pool", "nn.avg_pool2d"])
@_POOL_ARGUMENTS
def avg_pool_v1(
    input: TensorLike, ksize: TensorLike, strides: TensorLike, padding: str, data_format: str, name: str | None
) -> Tensor:
    """Computes `tf.nn.avg_pool2d` with TensorFlow 1's arguments.

    >>> tf.compat.v1.nn.avg_pool(tf.ones([1, 4, 4, 1]), [1, 2, 2, 1], [1, 2, 2, 1], "VALID").shape
    TensorShape([1, 2, 2, 1])

    Args:
      input: A Tensor `[batch, height, width, channels]`.
      ksize: the window.
      strides: how far windows are apart.
      padding: "SAME" or "VALID".
      data_format: "NHWC" or "NCHW".
      name: A name for the operation (optional).

    Returns: A Tensor of the dtype of `input`.
    """
    with name_scope(name, "AvgPool") as scope:
        channel_axis = 1 if is_channels_first(data_format) else 3
        return avg_pool_op(
            input,
            ksize=for_all_dimensions(ksize, 2, channel_axis, "ksize"),
            strides=for_all_dimensions(strides, 2, channel_axis, "strides"),
            padding=padding,
            data_format=data_format or "NHWC",
            name=scope,
        )


@export(v1=["nn.dropout"])
def dropout_v1(
    x: TensorLike,
    keep_prob: Any = None,
    noise_shape: TensorLike | None = None,
    seed: int | None = None,
    name: str | None = None,
    rate: TensorLike | None = None,
) -> Tensor:
    """Drops elements as `tf.nn.dropout` does, given the probability to *keep* an element.

    >>> tf.compat.v1.nn.dropout(tf.ones([4]), keep_prob=1.0).numpy()
    array([1., 1., 1., 1.], dtype=float32)

    Args:
      x: A floating point Tensor.
      keep_prob: the probability that an element is kept.
      noise_shape: the shape of what is drawn.
      seed: the op's own seed.
      name: A name for the operation (optional).
      rate: the probability that an element is dropped, instead of `keep_prob`.

    Returns: A Tensor with the shape and dtype of `x`.
    Raises: ValueError: if neither or both probabilities are given.
    """
    rate = one_of("keep_prob", None if keep_prob is None else 1.0 - keep_prob, "rate", rate)
    return dropout(x, require(rate, "`rate` must be provided."), noise_shape=noise_shape, seed=seed, name=name)


moments_v1 = export(v1=["nn.moments"])(
    v1_wrapper(
        "nn.moments",
        moments,
        "x, axes, shift=None, name=None, keep_dims=None, keepdims=None",
        """
    >>> mean, variance = tf.compat.v1.nn.moments(tf.constant([[1., 3.]]), [1], keep_dims=True)
    >>> mean.numpy(), variance.numpy()
    (array([[2.]], dtype=float32), array([[1.]], dtype=float32))
    """,
        renamed={"keep_dims": "keepdims"},
    )
)


@export(v1=["nn.softmax_cross_entropy_with_logits"])
def softmax_cross_entropy_with_logits_v1(
    labels: TensorLike | None = None,
    logits: TensorLike | None = None,
    dim: int = -1,
    name: str | None = None,
    axis: int | None = None,
) -> Any:
    """Computes `tf.nn.softmax_cross_entropy_with_logits`, without a gradient with respect to the labels.

    >>> tf.compat.v1.nn.softmax_cross_entropy_with_logits(labels=[[0., 1.]], logits=[[1., 1.]]).numpy()
    array([0.6931472], dtype=float32)

    Args:
      labels: along `axis`, a probability distribution.
      logits: unnormalized log-probabilities.
      dim: an old name of `axis`.
      name: A name for the operation (optional).
      axis: the class axis. Default the last.

    Returns: The loss.
    Raises: ValueError: if labels or logits are missing.
    """
    if labels is None or logits is None:
        raise ValueError("Both `labels` and `logits` must be provided.")
    with name_scope(name, "softmax_cross_entropy_with_logits_sg") as scope:
        labels = raw.StopGradient(input=labels, name="labels_stop_gradient")
    return softmax_cross_entropy_with_logits(labels, logits, dim if axis is None else axis, name=scope)


@export(v1=["nn.xw_plus_b"])
def xw_plus_b(x: TensorLike, weights: TensorLike, biases: TensorLike, name: str | None = None) -> Tensor:
    """Computes `matmul(x, weights) + biases`.

    >>> tf.compat.v1.nn.xw_plus_b([[1., 2.]], [[1.], [1.]], [10.]).numpy()
    array([[13.]], dtype=float32)

    Args:
      x: A Tensor `[batch, inputs]`.
      weights: A Tensor `[inputs, outputs]`.
      biases: A Tensor `[outputs]`.
      name: A name for the operation (optional).

    Returns: A Tensor `[batch, outputs]`.
    """
    with name_scope(name, "xw_plus_b") as scope:
        tensors = [convert_to_tensor(t, name=n) for t, n in ((x, "x"), (weights, "weights"), (biases, "biases"))]
        return bias_add_op(raw.MatMul(a=tensors[0], b=tensors[1]), tensors[2], name=scope)


@export(v1=["nn.relu_layer"])
def relu_layer(x: TensorLike, weights: TensorLike, biases: TensorLike, name: str | None = None) -> Tensor:
    """Computes `relu(matmul(x, weights) + biases)`.

    >>> tf.compat.v1.nn.relu_layer([[1., 2.]], [[1.], [1.]], [-10.]).numpy()
    array([[0.]], dtype=float32)

    Args:
      x: A Tensor `[batch, inputs]`.
      weights: A Tensor `[inputs, outputs]`.
      biases: A Tensor `[outputs]`.
      name: A name for the operation (optional).

    Returns: A Tensor `[batch, outputs]`.
    """
    with name_scope(name, "relu_layer") as scope:
        tensors = [convert_to_tensor(t, name=n) for t, n in ((x, "x"), (weights, "weights"), (biases, "biases"))]
        summed = bias_add_op(raw.MatMul(a=tensors[0], b=tensors[1]), tensors[2])
        return raw.Relu(features=summed, name=scope)
