"""Pools, dilations and erosions with TensorFlow 1's arguments.

Tests: tests/oracle/programs/v1_nn.py
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from millrace._src.compat_v1.v1_wrappers import v1_arguments, v1_wrapper
from millrace._src.core import dtypes as d
from millrace._src.core.argument_types import TensorLike
from millrace._src.core.convert import convert_to_tensor
from millrace._src.ops.nn import morphology, pooling
from millrace._src.ops.nn.arguments import is_channels_first
from millrace._src.ops.nn.dilated_batches import through_batch
from millrace._src.ops.nn.fractional_pooling import (
    FractionalAvgPool,
    FractionalMaxPool,
    fractional_avg_pool_op,
    fractional_max_pool_op,
)
from millrace._src.ops.nn.max_pool_argmax_ops import max_pool_with_argmax_op
from millrace._src.util.export import export, export_constant

pool = v1_wrapper(
    "nn.pool",
    pooling.pool,
    "input, window_shape, pooling_type, padding, dilation_rate=None, strides=None, name=None, data_format=None, "
    "dilations=None",
    """
    >>> tf.compat.v1.nn.pool(tf.ones([1, 4, 4, 1]), [2, 2], "MAX", "VALID", dilation_rate=[2, 2]).shape
    TensorShape([1, 2, 2, 1])
    """,
    renamed={"dilation_rate": "dilations"},
)
export_constant(__name__, "pool", v1=["nn.pool"])

dilation2d = v1_wrapper(
    "nn.dilation2d",
    morphology.dilation2d,
    "input, filter=None, strides=None, rates=None, padding=None, name=None, filters=None, dilations=None",
    """
    >>> image = tf.ones([1, 4, 4, 1])
    >>> tf.compat.v1.nn.dilation2d(image, tf.zeros([2, 2, 1]), [1, 1, 1, 1], rates=[1, 1, 1, 1], padding="SAME").shape
    TensorShape([1, 4, 4, 1])
    """,
    renamed={"filter": "filters", "rates": "dilations"},
    fixed={"data_format": "NHWC"},
)
export_constant(__name__, "dilation2d", v1=["nn.dilation2d"])

erosion2d = v1_wrapper(
    "nn.erosion2d",
    morphology.erosion2d,
    "value, kernel, strides, rates, padding, name=None",
    """
    >>> image = tf.ones([1, 4, 4, 1])
    >>> tf.compat.v1.nn.erosion2d(image, tf.zeros([2, 2, 1]), [1, 1, 1, 1], rates=[1, 1, 1, 1], padding="SAME").shape
    TensorShape([1, 4, 4, 1])
    """,
    renamed={"kernel": "filters", "rates": "dilations"},
    fixed={"data_format": "NHWC"},
)
export_constant(__name__, "erosion2d", v1=["nn.erosion2d"])


@export(v1=["nn.max_pool_with_argmax"])
@v1_arguments(
    "input, ksize, strides, padding, data_format='NHWC', Targmax=None, name=None, output_dtype=None, "
    "include_batch_in_index=False",
    renamed={"Targmax": "output_dtype"},
)
def max_pool_with_argmax(
    input: TensorLike,
    ksize: TensorLike,
    strides: TensorLike,
    padding: str,
    data_format: str,
    output_dtype: object,
    name: str | None,
    include_batch_in_index: bool,
) -> Any:
    """Computes the largest element of each window of images and the element's position.

    >>> image = tf.reshape(tf.range(16.), [1, 4, 4, 1])
    >>> y, index = tf.compat.v1.nn.max_pool_with_argmax(image, [1, 2, 2, 1], [1, 2, 2, 1], "VALID", Targmax=tf.int32)
    >>> index.numpy().ravel()
    array([ 5,  7, 13, 15], dtype=int32)

    Args:
      input: A real Tensor `[batch, height, width, channels]`.
      ksize: the window, four ints.
      strides: how far windows are apart, four ints.
      padding: "SAME" or "VALID".
      data_format: "NHWC".
      output_dtype: int32 or int64, the dtype of the positions; int64 if it is not given.
      name: A name for the operation (optional).
      include_batch_in_index: whether positions count from the first image rather than from each image.

    Returns: The largest elements, and their positions in the flattened image.
    Raises: ValueError: for another data format, or if both dtypes are given.
    """
    if data_format != "NHWC":
        raise ValueError(
            f"`data_format` values other  than 'NHWC' are not supported. Received: data_format={data_format}"
        )
    output, argmax = max_pool_with_argmax_op(
        input,
        ksize=ksize,
        strides=strides,
        padding=padding,
        Targmax=d.int64 if output_dtype is None else d.as_dtype(output_dtype),
        include_batch_in_index=include_batch_in_index,
        name=name,
    )
    return pooling.MaxPoolWithArgmax(output, argmax)


def _fractional_pool(
    name: str, does: str, op_function: Callable[..., Any], result: Callable[..., Any]
) -> Callable[..., Any]:
    """Makes a pool over a random partition of images, from the op and the named tuple of its results."""

    def pool(value: object, pooling_ratio: object, **attrs: object) -> Any:
        return result(*op_function(value, pooling_ratio=pooling_ratio, **attrs))

    pool.__name__ = name
    pool.__doc__ = f"""Computes the {does} of each region of a random partition of images, with both seeds given.

    >>> image = tf.reshape(tf.range(49.), [1, 7, 7, 1])
    >>> output, rows, columns = tf.compat.v1.nn.{name}(image, [1., 1.4, 1.6, 1.])
    >>> output.shape
    TensorShape([1, 5, 4, 1])

    Args:
      value: A float32, float64, int32 or int64 Tensor `[batch, height, width, channels]`.
      pooling_ratio: by how much smaller the result is, at least 1: one number a dimension, 1 for the first and last.
      pseudo_random: whether regions are cut evenly from a random start, rather than with shuffled lengths.
      overlapping: whether regions share their borders.
      deterministic: whether every run of the node cuts the same regions.
      seed: the first seed; only a deterministic node may have seeds.
      seed2: the second seed.
      name: A name for the operation (optional).

    Returns: The result, and where its rows and columns begin (with the size as last element).
    """
    return v1_arguments(
        "value, pooling_ratio, pseudo_random=False, overlapping=False, deterministic=False, seed=0, seed2=0, name=None"
    )(pool)


fractional_max_pool = export(v1=["nn.fractional_max_pool"])(
    _fractional_pool("fractional_max_pool", "largest element", fractional_max_pool_op, FractionalMaxPool)
)
fractional_avg_pool = export(v1=["nn.fractional_avg_pool"])(
    _fractional_pool("fractional_avg_pool", "mean", fractional_avg_pool_op, FractionalAvgPool)
)


@export("nn.with_space_to_batch")
def with_space_to_batch(
    input: Any,
    dilation_rate: TensorLike,
    padding: str,
    op: Any,
    filter_shape: Any = None,
    spatial_dims: TensorLike | None = None,
    data_format: str | None = None,
) -> Any:
    """Computes an op over windows whose elements are apart, by moving the spaces between them into the batch.

    >>> image = tf.reshape(tf.range(16.), [1, 4, 4, 1])
    >>> def largest(x, dimensions, padding):
    ...     return tf.nn.max_pool2d(x, 2, 1, padding)
    >>> tf.nn.with_space_to_batch(image, [2, 2], "VALID", largest).numpy().ravel()
    array([10., 11., 14., 15.], dtype=float32)

    Args:
      input: A tensor `[batch, *spatial, channels]`, or with channels first as `data_format` says.
      dilation_rate: How far a window's elements are apart, one integer a spatial dimension.
      padding: "SAME" or "VALID".
      op: Called with a tensor, the number of spatial dimensions and the padding that is left to do.
      filter_shape: The sizes of the window; needed for "SAME".
      spatial_dims: The spatial dimensions, which follow each other; all dimensions but batch and channels if None.
      data_format: Starts with "NC" for channels first.

    Returns: The op's result, as a tensor of the format of `input`.
    Raises: ValueError: if arguments do not fit.
    """
    input = convert_to_tensor(input, name="input")
    rates = np.asarray(dilation_rate, np.int32)
    if rates.min(initial=1) < 1:
        raise ValueError(f"`dilation_rate` must be positive. Received: dilation_rate={rates}")
    if padding not in ("SAME", "VALID"):
        raise ValueError(f"`padding` must be one of 'SAME' or 'VALID'. Received: padding={padding}")
    if padding == "SAME" and filter_shape is None:
        raise ValueError(
            "`filter_shape` must be specified for `padding='SAME'`. "
            f"Received: filter_shape={filter_shape} and padding={padding}"
        )
    first = _first_spatial(spatial_dims, len(rates), data_format)
    count = len(rates) + first - (2 if is_channels_first(data_format) else 1)
    every_rate = [1] * (count - len(rates)) + rates.tolist()
    window = None if filter_shape is None else [1] * (count - len(rates)) + list(filter_shape)
    return through_batch(
        input,
        every_rate,
        padding,
        lambda x, left: op(x, len(rates), left),
        None if window is None else lambda: convert_to_tensor(window, dtype=d.int32),
        data_format,
    )


def _first_spatial(spatial_dims: Any, count: int, data_format: str | None) -> int:
    """Returns the first of the spatial dimensions."""
    start = 2 if is_channels_first(data_format) else 1
    if spatial_dims is None:
        return start
    axes = list(spatial_dims)
    if axes != sorted(set(axes)) or axes[0] < 1:
        raise ValueError(
            "`spatial_dims` must be a monotonically increasing sequence of positive integers. "
            f"Received: spatial_dims={axes}"
        )
    if len(axes) != count:
        raise ValueError(f"Shapes ({len(axes)},) and [{count}] are incompatible")
    if axes != list(range(axes[0], axes[0] + count)) or axes[0] < start:
        raise ValueError(f"`spatial_dims` must follow each other, from {start} on. Received: spatial_dims={axes}")
    return int(axes[0])
