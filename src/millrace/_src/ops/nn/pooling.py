"""`tf.nn.max_pool`, `avg_pool` and their forms for one, two and three dimensions; `pool`; `max_pool_with_argmax`.

The ops of `max_pool_ops`, `max_pool_argmax_ops` and `avg_pool_ops` do the work. A pool in one dimension is a pool over
images of height 1; `pool` moves dilations into the batch.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from millrace._src.core import dtypes as d
from millrace._src.core.argument_types import TensorLike
from millrace._src.core.context import name_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import as_dtype
from millrace._src.core.tensor import Tensor
from millrace._src.ops.array.reshaping import expand_dims, squeeze
from millrace._src.ops.nn.arguments import for_all_dimensions, is_channels_first, padding_attributes
from millrace._src.ops.nn.avg_pool_ops import avg_pool_3d_op, avg_pool_op
from millrace._src.ops.nn.dilated_batches import through_batch
from millrace._src.ops.nn.max_pool_argmax_ops import max_pool_with_argmax_op
from millrace._src.ops.nn.max_pool_ops import max_pool_3d_op, max_pool_op
from millrace._src.util.export import export


def _image_pool(
    op: Any,
    input: object,
    ksize: object,
    strides: object,
    padding: object,
    data_format: str | None,
    name: object,
    explicit: object = None,
) -> Tensor:
    data_format = data_format or "NHWC"
    channel_axis = 1 if is_channels_first(data_format) else 3
    options = {} if explicit is None else {"explicit_paddings": explicit}
    result: Tensor = op(
        input,
        ksize=for_all_dimensions(ksize, 2, channel_axis, "ksize"),
        strides=for_all_dimensions(strides, 2, channel_axis, "strides"),
        padding=padding,
        data_format=data_format,
        name=name,
        **options,
    )
    return result


def _volume_pool(
    op: Any, input: object, ksize: object, strides: object, padding: str, data_format: str | None, name: object
) -> Tensor:
    data_format = data_format or "NDHWC"
    channel_axis = 1 if is_channels_first(data_format) else 4
    result: Tensor = op(
        input,
        ksize=for_all_dimensions(ksize, 3, channel_axis, "ksize"),
        strides=for_all_dimensions(strides, 3, channel_axis, "strides"),
        padding=padding,
        data_format=data_format,
        name=name,
    )
    return result


def _line_pool(
    op: Any,
    input: Any,
    ksize: object,
    strides: object,
    padding: object,
    data_format: str | None,
    scope: str,
    explicit: object = None,
) -> Tensor:
    """Pools over the width, as over images of height 1."""
    data_format = data_format or "NWC"
    first = is_channels_first(data_format)
    channel_axis, axis = (1, 2) if first else (2, 1)
    options = {} if explicit is None else {"explicit_paddings": explicit}
    sizes = [1, *for_all_dimensions(ksize, 1, channel_axis, "ksize")]
    moves = [1, *for_all_dimensions(strides, 1, channel_axis, "strides")]
    result = op(
        expand_dims(input, axis),
        ksize=sizes,
        strides=moves,
        padding=padding,
        data_format="NCHW" if first else "NHWC",
        name=scope,
        **options,
    )
    return squeeze(result, [axis])


class MaxPoolWithArgmax(NamedTuple):
    """The pair that `tf.nn.max_pool_with_argmax` returns."""

    output: Any
    argmax: Any


@export("nn.max_pool2d")
def max_pool2d(
    input: TensorLike,
    ksize: TensorLike,
    strides: TensorLike,
    padding: object,
    data_format: str = "NHWC",
    name: str | None = None,
) -> Tensor:
    """Computes the largest element of each window of images.

    >>> tf.nn.max_pool2d(tf.reshape(tf.range(16.), [1, 4, 4, 1]), 2, 2, "VALID").numpy().reshape(2, 2)
    array([[ 5.,  7.],
           [13., 15.]], dtype=float32)

    Args:
      input: A real Tensor `[batch, height, width, channels]`.
      ksize: the window: an int, `[height, width]`, or one a dimension.
      strides: how far windows are apart, like `ksize`.
      padding: "SAME", "VALID", or a list of pairs for all four dimensions.
      data_format: "NHWC" or "NCHW".
      name: A name for the operation (optional).

    Returns: A Tensor of the dtype of `input`.
    Raises: tf.errors.InvalidArgumentError: if shapes do not fit (ValueError while tracing).
    """
    with name_scope(name, "MaxPool2d") as scope:
        mode, explicit = padding_attributes(padding)
        return _image_pool(max_pool_op, input, ksize, strides, mode, data_format, scope, explicit)


@export("nn.avg_pool2d", v1=[])
def avg_pool2d(
    input: TensorLike,
    ksize: TensorLike,
    strides: TensorLike,
    padding: str,
    data_format: str = "NHWC",
    name: str | None = None,
) -> Tensor:
    """Computes the mean of each window of images; padding does not count.

    >>> tf.nn.avg_pool2d(tf.reshape(tf.range(16.), [1, 4, 4, 1]), 2, 2, "VALID").numpy().reshape(2, 2)
    array([[ 2.5,  4.5],
           [10.5, 12.5]], dtype=float32)

    Args:
      input: A floating point Tensor `[batch, height, width, channels]`.
      ksize: the window: an int, `[height, width]`, or one a dimension.
      strides: how far windows are apart, like `ksize`.
      padding: "SAME" or "VALID".
      data_format: "NHWC" or "NCHW".
      name: A name for the operation (optional).

    Returns: A Tensor of the dtype of `input`.
    Raises: tf.errors.InvalidArgumentError: if shapes do not fit (ValueError while tracing).
    """
    with name_scope(name, "AvgPool2D") as scope:
        return _image_pool(avg_pool_op, input, ksize, strides, padding, data_format, scope)


@export("nn.max_pool1d")
def max_pool1d(
    input: TensorLike,
    ksize: TensorLike,
    strides: TensorLike,
    padding: object,
    data_format: str = "NWC",
    name: str | None = None,
) -> Tensor:
    """Computes the largest element of each window of sequences.

    >>> tf.nn.max_pool1d(tf.reshape(tf.range(4.), [1, 4, 1]), 2, 2, "VALID").numpy().ravel()
    array([1., 3.], dtype=float32)

    Args:
      input: A real Tensor `[batch, width, channels]`.
      ksize: the window, an int or a list of one or three ints.
      strides: how far windows are apart, like `ksize`.
      padding: "SAME", "VALID", or a list of pairs for all three dimensions.
      data_format: "NWC" or "NCW".
      name: A name for the operation (optional).

    Returns: A Tensor of the dtype of `input`.
    Raises: tf.errors.InvalidArgumentError: if shapes do not fit (ValueError while tracing).
    """
    with name_scope(name, "MaxPool1d") as scope:
        mode, explicit = padding_attributes(padding, 3)
        if mode == "EXPLICIT":
            at = 4 if is_channels_first(data_format) else 2
            explicit = [*explicit[:at], 0, 0, *explicit[at:]]
        return _line_pool(max_pool_op, input, ksize, strides, mode, data_format, scope, explicit)


@export("nn.avg_pool1d")
def avg_pool1d(
    input: TensorLike,
    ksize: TensorLike,
    strides: TensorLike,
    padding: str,
    data_format: str = "NWC",
    name: str | None = None,
) -> Tensor:
    """Computes the mean of each window of sequences; padding does not count.

    >>> tf.nn.avg_pool1d(tf.reshape(tf.range(4.), [1, 4, 1]), 2, 2, "VALID").numpy().ravel()
    array([0.5, 2.5], dtype=float32)

    Args:
      input: A floating point Tensor `[batch, width, channels]`.
      ksize: the window, an int or a list of one or three ints.
      strides: how far windows are apart, like `ksize`.
      padding: "SAME" or "VALID".
      data_format: "NWC" or "NCW".
      name: A name for the operation (optional).

    Returns: A Tensor of the dtype of `input`.
    Raises: tf.errors.InvalidArgumentError: if shapes do not fit (ValueError while tracing).
    """
    with name_scope(name, "AvgPool1D") as scope:
        return _line_pool(avg_pool_op, input, ksize, strides, padding, data_format, scope)


@export("nn.max_pool3d")
def max_pool3d(
    input: TensorLike,
    ksize: TensorLike,
    strides: TensorLike,
    padding: str,
    data_format: str = "NDHWC",
    name: str | None = None,
) -> Tensor:
    """Computes the largest element of each window of volumes.

    >>> tf.nn.max_pool3d(tf.reshape(tf.range(8.), [1, 2, 2, 2, 1]), 2, 2, "VALID").numpy().ravel()
    array([7.], dtype=float32)

    Args:
      input: A float16, bfloat16 or float32 Tensor `[batch, depth, height, width, channels]`.
      ksize: the window: an int, one a spatial dimension, or one a dimension.
      strides: how far windows are apart, like `ksize`.
      padding: "SAME" or "VALID".
      data_format: "NDHWC" or "NCDHW".
      name: A name for the operation (optional).

    Returns: A Tensor of the dtype of `input`.
    Raises: tf.errors.InvalidArgumentError: if shapes do not fit (ValueError while tracing).
    """
    with name_scope(name, "MaxPool3D") as scope:
        return _volume_pool(max_pool_3d_op, input, ksize, strides, padding, data_format, scope)


@export("nn.avg_pool3d")
def avg_pool3d(
    input: TensorLike,
    ksize: TensorLike,
    strides: TensorLike,
    padding: str,
    data_format: str = "NDHWC",
    name: str | None = None,
) -> Tensor:
    """Computes the mean of each window of volumes; padding does not count.

    >>> tf.nn.avg_pool3d(tf.reshape(tf.range(8.), [1, 2, 2, 2, 1]), 2, 2, "VALID").numpy().ravel()
    array([3.5], dtype=float32)

    Args:
      input: A floating point Tensor `[batch, depth, height, width, channels]`.
      ksize: the window: an int, one a spatial dimension, or one a dimension.
      strides: how far windows are apart, like `ksize`.
      padding: "SAME" or "VALID".
      data_format: "NDHWC" or "NCDHW".
      name: A name for the operation (optional).

    Returns: A Tensor of the dtype of `input`.
    Raises: tf.errors.InvalidArgumentError: if shapes do not fit (ValueError while tracing).
    """
    with name_scope(name, "AvgPool3D") as scope:
        return _volume_pool(avg_pool_3d_op, input, ksize, strides, padding, data_format, scope)


def _spatial_rank(input: Any, data_format: str | None) -> int:
    """Returns the number of spatial dimensions: of the input or, if its rank is unknown, of the data format."""
    rank = input.shape.rank
    if rank is None:
        rank = len(data_format) if data_format is not None else None
    if rank is None:
        raise ValueError("`input.shape.rank` must be known, or `data_format` given.")
    if rank not in (3, 4, 5):
        raise ValueError(
            f"`input.shape.rank` must be 3, 4 or 5. Received: input.shape={input.shape} of rank {input.shape.rank}."
        )
    return rank - 2


@export("nn.max_pool", v1=["nn.max_pool_v2"])
def max_pool(
    input: TensorLike,
    ksize: TensorLike,
    strides: TensorLike,
    padding: object,
    data_format: str | None = None,
    name: str | None = None,
) -> Tensor:
    """Computes the largest element of each window, in one, two or three spatial dimensions, as many as `input` has.

    >>> tf.nn.max_pool(tf.reshape(tf.range(4.), [1, 4, 1]), ksize=2, strides=2, padding="VALID").numpy().ravel()
    array([1., 3.], dtype=float32)

    Args:
      input: A real Tensor `[batch, *spatial, channels]`.
      ksize: the window: an int, one a spatial dimension, or one a dimension.
      strides: how far windows are apart, like `ksize`.
      padding: "SAME", "VALID", or (in one or two dimensions) a list of pairs for all dimensions.
      data_format: starts with "NC" for channels first.
      name: A name for the operation (optional).

    Returns: A Tensor of the dtype of `input`.
    Raises: ValueError: if `input` is not of rank 3, 4 or 5.
    """
    input = convert_to_tensor(input, name="input")
    spatial = _spatial_rank(input, data_format)
    functions: dict[int, Any] = {1: max_pool1d, 2: max_pool2d, 3: max_pool3d}
    result: Tensor = functions[spatial](input, ksize, strides, padding, data_format, name)
    return result


@export("nn.avg_pool", v1=["nn.avg_pool_v2"])
def avg_pool(
    input: TensorLike,
    ksize: TensorLike,
    strides: TensorLike,
    padding: str,
    data_format: str | None = None,
    name: str | None = None,
) -> Tensor:
    """Computes the mean of each window, in one, two or three spatial dimensions, as many as `input` has.

    >>> tf.nn.avg_pool(tf.reshape(tf.range(4.), [1, 4, 1]), ksize=2, strides=2, padding="VALID").numpy().ravel()
    array([0.5, 2.5], dtype=float32)

    Args:
      input: A floating point Tensor `[batch, *spatial, channels]`.
      ksize: the window: an int, one a spatial dimension, or one a dimension.
      strides: how far windows are apart, like `ksize`.
      padding: "SAME" or "VALID".
      data_format: starts with "NC" for channels first.
      name: A name for the operation (optional).

    Returns: A Tensor of the dtype of `input`.
    Raises: ValueError: if `input` is not of rank 3, 4 or 5.
    """
    input = convert_to_tensor(input, name="input")
    spatial = _spatial_rank(input, data_format)
    if spatial == 2:
        return _image_pool(avg_pool_op, input, ksize, strides, padding, data_format, name)
    functions: dict[int, Any] = {1: avg_pool1d, 3: avg_pool3d}
    result: Tensor = functions[spatial](input, ksize, strides, padding, data_format, name)
    return result


@export("nn.max_pool_with_argmax", v1=[])
def max_pool_with_argmax(
    input: TensorLike,
    ksize: TensorLike,
    strides: TensorLike,
    padding: str,
    data_format: str = "NHWC",
    output_dtype: object = d.int64,
    include_batch_in_index: bool = False,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """Computes the largest element of each window of images and the element's position.

    >>> y, index = tf.nn.max_pool_with_argmax(tf.reshape(tf.range(16.), [1, 4, 4, 1]), 2, 2, "VALID")
    >>> index.numpy().ravel()
    array([ 5,  7, 13, 15])

    Args:
      input: A real Tensor `[batch, height, width, channels]`.
      ksize: the window: an int, `[height, width]`, or one a dimension.
      strides: how far windows are apart, like `ksize`.
      padding: "SAME" or "VALID".
      data_format: "NHWC".
      output_dtype: int32 or int64, the dtype of the positions.
      include_batch_in_index: whether positions count from the first image rather than from each image.
      name: A name for the operation (optional).

    Returns: The largest elements, and their positions in the flattened image.
    Raises: ValueError: for another data format.
    """
    if data_format != "NHWC":
        raise ValueError(
            f"`data_format` values other  than 'NHWC' are not supported. Received: data_format={data_format}"
        )
    output, argmax = max_pool_with_argmax_op(
        input,
        ksize=for_all_dimensions(ksize, 2, 3, "ksize"),
        strides=for_all_dimensions(strides, 2, 3, "strides"),
        padding=padding,
        Targmax=as_dtype(output_dtype),
        include_batch_in_index=include_batch_in_index,
        name=name,
    )
    return MaxPoolWithArgmax(output, argmax)


@export("nn.pool", v1=[])
def pool(
    input: Any,
    window_shape: Any,
    pooling_type: str,
    strides: Any = None,
    padding: Any = "VALID",
    data_format: str | None = None,
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """Computes a max or average pool in one to three spatial dimensions, with dilation.

    >>> tf.nn.pool(tf.reshape(tf.range(16.), [1, 4, 4, 1]), [2, 2], "MAX", dilations=[2, 2]).numpy().reshape(2, 2)
    array([[10., 11.],
           [14., 15.]], dtype=float32)

    Args:
      input: A Tensor `[batch, *spatial, channels]`, or with channels first as `data_format` says.
      window_shape: the window, one int a spatial dimension.
      pooling_type: "MAX" or "AVG".
      strides: how far windows are apart, one int a spatial dimension. Default 1.
      padding: "SAME", "VALID", or a list of pairs for all dimensions.
      data_format: starts with "NC" for channels first.
      dilations: how far a window's elements are apart, one int a spatial dimension. Default 1.
      name: A name for the operation (optional).

    Returns: A Tensor of the dtype of `input`.
    Raises: ValueError: if ranks differ, the type is unknown, or strides and dilations do not go together.
    """
    count = len(window_shape)
    with name_scope(name, f"{pooling_type.lower()}_pool") as scope:
        input = convert_to_tensor(input, name="input")
        input.shape.with_rank(count + 2)
        moves = list(strides) if strides is not None else [1] * count
        rates = list(dilations) if dilations is not None else [1] * count
        _check_pool(padding, moves, rates)
        functions: dict[tuple[str, int], Any] = {
            **{("MAX", n): f for n, f in ((1, max_pool1d), (2, max_pool2d), (3, max_pool3d))},
            **{("AVG", n): f for n, f in ((1, avg_pool1d), (2, avg_pool2d), (3, avg_pool3d))},
        }
        function = functions.get((pooling_type, count))
        if function is None:
            raise ValueError(f"{count}-D {pooling_type} pooling is not supported.")

        def dense(x: Tensor, left: Any) -> Tensor:
            first = is_channels_first(data_format)
            sizes = [1, 1, *window_shape] if first else [1, *window_shape, 1]
            steps = [1, 1, *moves] if first else [1, *moves, 1]
            result: Tensor = function(x, sizes, steps, left, data_format, name=scope)
            return result

        return through_batch(input, rates, padding, dense, None, data_format)


def _check_pool(padding: object, strides: list[int], rates: list[int]) -> None:
    if max(rates) <= 1:
        return
    rates_text = f"[{' '.join(map(str, rates))}]"
    if max(strides) > 1:
        raise ValueError(
            "`strides > 1` not supported in conjunction with `dilation_rate > 1`. "
            f"Received: strides=[{' '.join(map(str, strides))}] and dilation_rate={rates_text}"
        )
    if padding == "SAME":
        raise ValueError(
            "pooling with 'SAME' padding is not implemented for `dilation_rate` > 1. "
            f"Received: padding={padding} and dilation_rate={rates_text}"
        )
