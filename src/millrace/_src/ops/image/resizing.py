"""`tf.image.resize` and TensorFlow 1's forms of it.

One image is resized as a batch of one. The methods differ in the op that runs them (`_METHODS`): with
antialiasing, and for the wider kernels, it is ScaleAndTranslate, which is told the scale and no translation.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from millrace._src.core import dtypes as d
from millrace._src.core.argument_types import TensorLike
from millrace._src.core.context import name_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.shape_context import static_value
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.image.image_shapes import as_batch, like_before, sizes_of
from millrace._src.ops.image.resizing_ops import (
    resize_area_op,
    resize_bicubic_op,
    resize_bilinear_op,
    resize_nearest_neighbor_op,
)
from millrace._src.util.export import export

_RANKS = "'images' must have either 3 or 4 dimensions."


@export("image.ResizeMethod", v1=[])
class ResizeMethod:
    """Names the methods of resizing images, for `tf.image.resize`.

    >>> tf.image.resize(tf.zeros([4, 4, 3]), [2, 2], method=tf.image.ResizeMethod.LANCZOS3).shape
    TensorShape([2, 2, 3])
    """

    BILINEAR = "bilinear"
    NEAREST_NEIGHBOR = "nearest"
    BICUBIC = "bicubic"
    AREA = "area"
    LANCZOS3 = "lanczos3"
    LANCZOS5 = "lanczos5"
    GAUSSIAN = "gaussian"
    MITCHELLCUBIC = "mitchellcubic"


def _scale(kernel_type: str, antialias: bool) -> Callable[[Tensor, Any], Tensor]:
    """Returns the function that resizes by a kernel of ScaleAndTranslate."""

    def resize(images: Tensor, size: object) -> Tensor:
        height, width = sizes_of(images)[1:3]
        old = convert_to_tensor([height, width], dtype=d.int32)
        scale = raw.Cast(x=size, DstT=d.float32) / raw.Cast(x=old, DstT=d.float32)
        return raw.ScaleAndTranslate(
            images=images,
            size=size,
            scale=scale,
            translation=[0.0, 0.0],
            kernel_type=kernel_type,
            antialias=antialias,
        )

    return resize


def _method(method: object, antialias: bool) -> Callable[[Tensor, Any], Tensor]:
    """Returns the function that resizes a batch to a size.

    Raises: ValueError: if there is no such method.
    """
    if method == ResizeMethod.BILINEAR:
        if antialias:
            return _scale("triangle", True)
        return lambda images, size: resize_bilinear_op(images, size, half_pixel_centers=True)
    if method == ResizeMethod.NEAREST_NEIGHBOR:
        return lambda images, size: resize_nearest_neighbor_op(images, size, half_pixel_centers=True)
    if method == ResizeMethod.BICUBIC:
        if antialias:
            return _scale("keyscubic", True)
        return lambda images, size: resize_bicubic_op(images, size, half_pixel_centers=True)
    if method == ResizeMethod.AREA:
        return resize_area_op
    if method in ("lanczos3", "lanczos5", "gaussian", "mitchellcubic"):
        return _scale(method, antialias)
    raise ValueError(f"Resize method is not implemented: {method}")


def _size_tensor(size: Any) -> Tensor:
    """Converts a size to an int32 vector of two elements.

    Raises: ValueError: if the size is something else.
    """
    if not isinstance(size, Tensor):
        try:
            size = convert_to_tensor(size, dtype=d.int32, name="size")
        except (TypeError, ValueError):
            raise ValueError("'size' must be a 1-D int32 Tensor") from None
    if not size.shape.is_compatible_with([2]):
        raise ValueError("'size' must be a 1-D Tensor of 2 elements: new_height, new_width")
    if size.dtype is not d.int32:
        raise ValueError("'size' must be a 1-D int32 Tensor")
    return size


def _within(images: Tensor, size: Tensor) -> Tensor:
    """Returns the largest size within `size` that has the proportions of the images."""
    height, width = sizes_of(images)[1:3]
    known = static_value(size)
    if known is not None and isinstance(height, int) and isinstance(width, int):
        old = np.array([height, width], np.float32)
        smallest = np.min(known.astype(np.float32) / old)
        return convert_to_tensor(np.rint(smallest * old).astype(np.int32), name="size")
    sides = raw.Cast(x=convert_to_tensor([height, width], dtype=d.int32), DstT=d.float32)
    ratios = raw.Cast(x=size, DstT=d.float32) / sides
    smallest = raw.Minimum(x=ratios[0], y=ratios[1])
    return raw.Cast(x=raw.Round(x=smallest * sides), DstT=d.int32)


def resize_by(
    images: Any,
    size: object,
    resize: Callable[[Tensor, Any], Tensor],
    preserve_aspect_ratio: bool,
    name: str | None,
    keeps_equal: bool = False,
) -> Tensor:
    """Resizes one image or a batch; `keeps_equal` leaves images alone that have the size."""
    with name_scope(name, "resize"):
        images = convert_to_tensor(images, name="images")
        if images.shape.rank is None:
            raise ValueError("'images' contains no shape.")
        batch, was_batch = as_batch(images, _RANKS)
        target = _size_tensor(size)
        if preserve_aspect_ratio:
            target = _within(batch, target)
        known = static_value(target)
        if keeps_equal and known is not None and batch.shape.as_list()[1:3] == known.tolist():
            return like_before(batch, was_batch)
        return like_before(resize(batch, target), was_batch)


@export("image.resize", v1=[])
def resize(
    images: TensorLike,
    size: TensorLike,
    method: str = ResizeMethod.BILINEAR,
    preserve_aspect_ratio: bool = False,
    antialias: bool = False,
    name: str | None = None,
) -> Tensor:
    """Resizes images to `size`.

    The middles of pixels are what is aligned. Without `antialias` a shrunk image is made of the neighbours of each new
    pixel alone, which "area" does not need.

    >>> tf.image.resize([[[0.0], [8.0]]], [1, 4]).numpy().ravel()
    array([0., 2., 6., 8.], dtype=float32)

    Args:
      images: a Tensor `[height, width, channels]` or `[batch, height, width, channels]` of real numbers.
      size: the new height and width, two int32.
      method: "bilinear", "nearest", "bicubic", "area", "lanczos3", "lanczos5", "gaussian" or "mitchellcubic".
      preserve_aspect_ratio: whether `size` is the largest size, and the proportions stay.
      antialias: whether the kernel is widened when the image shrinks; "nearest" and "area" pass over it.
      name: name of the operations in a graph.

    Returns: A float32 Tensor of the same rank; of the dtype of `images` for "nearest".
    Raises: ValueError: if `images` or `size` have another shape, or there is no such method.
    """
    return resize_by(images, size, _method(method, antialias), preserve_aspect_ratio, name)
