"""Differences between neighbouring pixels: gradients, Sobel's edges, total variation."""

from __future__ import annotations

from typing import Any

import numpy as np

from millrace._src.core.context import name_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.array.shape_ops import shape as shape_of
from millrace._src.ops.math.reduce import reduce_sum
from millrace._src.util.export import export

_SOBEL = np.array([[-1, -2, -1], [0, 0, 0], [1, 2, 1]])
"""Sobel's filter of vertical change; its transpose is the filter of horizontal change."""


@export("image.image_gradients")
def image_gradients(image: Any) -> tuple[Any, Any]:
    """Computes the differences to the pixel below and to the pixel at the right.

    >>> dy, dx = tf.image.image_gradients(tf.reshape([[1.0, 2.0], [4.0, 8.0]], [1, 2, 2, 1]))
    >>> dy.numpy().ravel(), dx.numpy().ravel()
    (array([3., 6., 0., 0.], dtype=float32), array([1., 0., 4., 0.], dtype=float32))

    Args: image: A `Tensor` of numbers (batch, height, width, channels).
    Returns: Two Tensors `(dy, dx)` of the shape of `image`; the last row of `dy` and the last column of `dx` are 0.
    Raises: ValueError: if `image` has not four dimensions.
    """
    image = convert_to_tensor(image, name="image")
    if image.shape.rank != 4:
        raise ValueError(f"image_gradients expects a 4D tensor [batch_size, h, w, d], not {image.shape}.")
    shape = shape_of(image)
    batch, height, width, depth = raw.Unpack(value=shape, num=4, axis=0)
    dy = image[:, 1:, :, :] - image[:, :-1, :, :]
    dx = image[:, :, 1:, :] - image[:, :, :-1, :]
    return (
        _with_zeros(dy, [batch, 1, width, depth], 1, shape),
        _with_zeros(dx, [batch, height, 1, depth], 2, shape),
    )


def _with_zeros(differences: Tensor, dims: list[Any], axis: int, shape: Tensor) -> Any:
    """Appends a row or column of zeros."""
    zero = np.zeros((), differences.dtype.np_dtype)
    zeros = raw.Fill(dims=convert_to_tensor(dims), value=zero, name="zeros")
    return raw.Reshape(tensor=raw.ConcatV2(values=[differences, zeros], axis=axis), shape=shape)


@export("image.sobel_edges")
def sobel_edges(image: Any) -> Any:
    """Computes the vertical and the horizontal change around each pixel, by Sobel's filters.

    >>> ramp = tf.reshape(tf.range(9.0), [1, 3, 3, 1])
    >>> tf.image.sobel_edges(ramp)[0, 1, 1, 0].numpy()
    array([24.,  8.], dtype=float32)

    Args: image: A `Tensor` of floating point (batch, height, width, channels), of at least 2 by 2 pixels.
    Returns: A `Tensor` (batch, height, width, channels, 2): the change downwards, then the change to the right. The
      picture is reflected at its border.
    Raises: InvalidArgumentError: if `image` has not four dimensions (ValueError while tracing).
    """
    image = convert_to_tensor(image, name="image")
    depth = shape_of(image)[-1]
    padded = raw.MirrorPad(input=image, paddings=[[0, 0], [1, 1], [1, 1], [0, 0]], mode="REFLECT")

    def change(weights: Any) -> Any:
        weights = convert_to_tensor(weights[:, :, None, None], dtype=image.dtype)
        weights = raw.Tile(input=weights, multiples=[1, 1, depth, 1], name="sobel_filters")
        return raw.DepthwiseConv2dNative(input=padded, filter=weights, strides=[1, 1, 1, 1], padding="VALID")

    edges = raw.Pack(values=[change(_SOBEL), change(_SOBEL.T)], axis=-1)
    edges.set_shape(image.shape.concatenate([2]))
    return edges


@export("image.total_variation")
def total_variation(images: Any, name: str | None = None) -> Tensor:
    """Sums the absolute differences between neighbouring pixels: a measure of noise.

    >>> tf.image.total_variation([[[1.0], [2.0]], [[4.0], [8.0]]]).numpy()
    np.float32(14.0)

    Args:
      images: A `Tensor` of signed numbers (height, width, channels) or (batch, height, width, channels).
      name: A name for the operation (optional).

    Returns: A scalar for one picture, a vector for a batch.
    Raises: ValueError: if `images` has not three or four dimensions.
    """
    with name_scope(name, "total_variation"):
        images = convert_to_tensor(images, name="images")
        rank = images.shape.rank
        if rank not in (3, 4):
            raise ValueError("'images' must be either 3 or 4-dimensional.")
        down = images[..., 1:, :, :] - images[..., :-1, :, :]
        right = images[..., :, 1:, :] - images[..., :, :-1, :]
        inner_axes = list(range(rank - 3, rank))
        down_sum: Tensor = reduce_sum(raw.Abs(x=down), axis=inner_axes)
        return down_sum + reduce_sum(raw.Abs(x=right), axis=inner_axes)
