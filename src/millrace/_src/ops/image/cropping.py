"""Images cut and padded to a size: `tf.image.crop_to_bounding_box`, `pad_to_bounding_box` and what is made of the two.

Offsets and sizes may be integers or tensors. What is known is checked at once, the rest when the graph runs.
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
from millrace._src.ops.image.image_checks import after, assertions, image_or_batch
from millrace._src.ops.image.image_shapes import (
    as_batch,
    as_vector,
    is_known,
    known_sizes,
    largest,
    like_before,
    sizes_of,
    smallest,
    with_shape,
)
from millrace._src.ops.image.resizing import ResizeMethod, resize
from millrace._src.util.export import export


def _validate_batch(image: Any) -> tuple[Tensor, bool]:
    """Converts to a batch of images that have pixels; returns whether there was a batch before."""
    image = convert_to_tensor(image, name="image")
    words = f"'image' (shape {image.shape}) must have either 3 or 4 dimensions."
    batch, was_batch = as_batch(image, words, unknown_is_single=True)
    return image_or_batch(batch), was_batch


def _with_sizes(batch: Tensor, height: object, width: object, like: Tensor) -> Tensor:
    """Notes the dimensions that are known of a batch made from the batch `like`."""
    dims = like.shape.as_list()
    return with_shape(batch, [dims[0], *known_sizes([height, width]), dims[3]])


def _crop(batch: Tensor, top: Any, left: Any, height: Any, width: Any) -> Tensor:
    old_height, old_width = sizes_of(batch)[1:3]
    claims = (
        (left >= 0, "offset_width must be >= 0."),
        (top >= 0, "offset_height must be >= 0."),
        (width > 0, "target_width must be > 0."),
        (height > 0, "target_height must be > 0."),
        (old_width >= width + left, "width must be >= target + offset."),
        (old_height >= height + top, "height must be >= target + offset."),
    )
    checked_batch = after(assertions(*claims), batch)
    window = raw.Slice(input=checked_batch, begin=as_vector([0, top, left, 0]), size=as_vector([-1, height, width, -1]))
    return _with_sizes(window, height, width, batch)


def _pad(batch: Tensor, top: Any, left: Any, height: Any, width: Any) -> Tensor:
    old_height, old_width = sizes_of(batch)[1:3]
    right, bottom = width - left - old_width, height - top - old_height
    claims = (
        (top >= 0, "offset_height must be >= 0"),
        (left >= 0, "offset_width must be >= 0"),
        (right >= 0, "width must be <= target - offset"),
        (bottom >= 0, "height must be <= target - offset"),
    )
    checked_batch = after(assertions(*claims), batch)
    amounts = as_vector([0, 0, top, bottom, left, right, 0, 0])
    padded = raw.Pad(input=checked_batch, paddings=raw.Reshape(tensor=amounts, shape=[4, 2]))
    return _with_sizes(padded, height, width, batch)


@export("image.crop_to_bounding_box")
def crop_to_bounding_box(
    image: TensorLike,
    offset_height: TensorLike,
    offset_width: TensorLike,
    target_height: TensorLike,
    target_width: TensorLike,
) -> Tensor:
    """Cuts a window out of images.

    >>> tf.image.crop_to_bounding_box(tf.reshape(tf.range(12), [3, 4, 1]), 1, 2, 2, 1).numpy().ravel()
    array([ 6, 10], dtype=int32)

    Args:
      image: a Tensor `[height, width, channels]` or `[batch, height, width, channels]`.
      offset_height: the first row: an int, or a scalar int32 Tensor like all sizes here.
      offset_width: the first column.
      target_height: the height of the window.
      target_width: the width of the window.

    Returns: A Tensor of the same rank and dtype.
    Raises:
      ValueError: if the window does not lie in the image, or the image has another rank or no pixels.
      tf.errors.InvalidArgumentError: the same, if it depends on a tensor.
    """
    with name_scope(None, "crop_to_bounding_box"):
        batch, was_batch = _validate_batch(image)
        return like_before(_crop(batch, offset_height, offset_width, target_height, target_width), was_batch)


@export("image.pad_to_bounding_box")
def pad_to_bounding_box(
    image: TensorLike,
    offset_height: TensorLike,
    offset_width: TensorLike,
    target_height: TensorLike,
    target_width: TensorLike,
) -> Tensor:
    """Puts images into larger images of zeros.

    >>> tf.image.pad_to_bounding_box([[[5]]], 0, 1, 2, 2).numpy()[..., 0]
    array([[0, 5],
           [0, 0]], dtype=int32)

    Args:
      image: a Tensor `[height, width, channels]` or `[batch, height, width, channels]`.
      offset_height: how many rows are above the image: an int, or a scalar int32 Tensor like all sizes here.
      offset_width: how many columns are to the left.
      target_height: the height of the larger image.
      target_width: the width of the larger image.

    Returns: A Tensor of the same rank and dtype.
    Raises:
      ValueError: if the image does not fit, or has another rank or no pixels.
      tf.errors.InvalidArgumentError: the same, if it depends on a tensor.
    """
    with name_scope(None, "pad_to_bounding_box"):
        batch, was_batch = _validate_batch(image)
        return like_before(_pad(batch, offset_height, offset_width, target_height, target_width), was_batch)


@export("image.resize_with_crop_or_pad", v1=["image.resize_with_crop_or_pad", "image.resize_image_with_crop_or_pad"])
def resize_with_crop_or_pad(image: TensorLike, target_height: TensorLike, target_width: TensorLike) -> Tensor:
    """Brings images to a size by cutting their borders, or by adding borders of zeros.

    >>> tf.image.resize_with_crop_or_pad([[[1], [2], [3]]], 2, 1).numpy().ravel()
    array([2, 0], dtype=int32)

    Args:
      image: a Tensor `[height, width, channels]` or `[batch, height, width, channels]`.
      target_height: the new height: an int or a scalar int32 Tensor.
      target_width: the new width.

    Returns: A Tensor of the same rank and dtype.
    Raises:
      ValueError: if a target is not positive, or the image has another rank or no pixels.
      tf.errors.InvalidArgumentError: the same, if it depends on a tensor.
    """
    with name_scope(None, "resize_image_with_crop_or_pad"):
        batch, was_batch = _validate_batch(image)
        batch = after(_positive(target_height, target_width), batch)
        height, width = sizes_of(batch)[1:3]
        top, above = _halves(height, target_height)
        left, before = _halves(width, target_width)
        window = _crop(batch, top, left, smallest(target_height, height), smallest(target_width, width))
        return like_before(_pad(window, above, before, target_height, target_width), was_batch)


def _positive(height: Any, width: Any) -> list[Any]:
    return assertions((width > 0, "target_width must be > 0."), (height > 0, "target_height must be > 0."))


def _halves(size: Any, target: Any) -> tuple[Any, Any]:
    """Returns how much is cut before the window, and how much is added before it."""
    return largest((size - target) // 2, 0), largest((target - size) // 2, 0)


# --- with the proportions --------------------------------------------------------------------------------------------


def resize_with_pad_by(
    image: object, height: object, width: object, resize_to: Callable[[Tensor, Any], Tensor]
) -> Tensor:
    """Resizes to the largest size that has the proportions, and pads."""
    with name_scope(None, "resize_image_with_pad"):
        batch, was_batch = _validate_batch(image)
        batch = after(_positive(height, width), batch)
        sizes, above, before = _fit(sizes_of(batch)[1:3], [height, width])
        resized = resize_to(batch, sizes)
        return like_before(_pad(resized, above, before, height, width), was_batch)


def _fit(old: list[Any], target: list[Any]) -> tuple[Any, Any, Any]:
    """Returns the largest size within `target` with the proportions of `old`, and the margins above and before."""
    if is_known(*old, *target):
        sides, frame = np.array(old, np.float32), np.array(target, np.float32)
        exact = sides / np.max(sides / frame)
        margins = np.maximum(np.floor((frame - exact) / np.float32(2)).astype(np.int32), 0)
        return np.floor(exact).astype(np.int32), int(margins[0]), int(margins[1])
    sides, frame = (
        raw.Cast(x=convert_to_tensor(as_vector(sizes), dtype=d.int32), DstT=d.float32) for sizes in (old, target)
    )
    ratios = sides / frame
    exact = sides / raw.Maximum(x=ratios[1], y=ratios[0])
    margins = raw.Maximum(x=raw.Cast(x=raw.Floor(x=(frame - exact) / 2.0), DstT=d.int32), y=0)
    return raw.Cast(x=raw.Floor(x=exact), DstT=d.int32), margins[0], margins[1]


@export("image.resize_with_pad", v1=[])
def resize_with_pad(
    image: TensorLike,
    target_height: TensorLike,
    target_width: TensorLike,
    method: str = ResizeMethod.BILINEAR,
    antialias: bool = False,
) -> Tensor:
    """Resizes images without changing the proportions, and adds borders of zeros for what is missing.

    >>> tf.image.resize_with_pad(tf.ones([2, 4, 1]), 4, 4).numpy()[:, 0, 0]
    array([0., 1., 1., 0.], dtype=float32)

    Args:
      image: a Tensor `[height, width, channels]` or `[batch, height, width, channels]`.
      target_height: the new height: an int or a scalar int32 Tensor.
      target_width: the new width.
      method: how to resize; see `tf.image.resize`.
      antialias: whether the kernel is widened when the image shrinks.

    Returns: A Tensor of the same rank, of the dtype that `tf.image.resize` gives.
    Raises:
      ValueError: if a target is not positive, or the image has another rank or no pixels.
      tf.errors.InvalidArgumentError: the same, if it depends on a tensor.
    """
    return resize_with_pad_by(
        image, target_height, target_width, lambda batch, size: resize(batch, size, method, antialias=antialias)
    )


# --- the middle ------------------------------------------------------------------------------------------------------


@export("image.central_crop")
def central_crop(image: Any, central_fraction: TensorLike) -> Tensor:
    """Cuts the middle out of images.

    >>> tf.image.central_crop(tf.reshape(tf.range(16), [4, 4, 1]), 0.5).numpy().ravel()
    array([ 5,  6,  9, 10], dtype=int32)

    Args:
      image: a Tensor `[height, width, channels]` or `[batch, height, width, channels]`.
      central_fraction: the part of height and width that is kept, in (0, 1]: a float or a scalar Tensor.

    Returns: A Tensor of the same rank and dtype.
    Raises:
      ValueError: if the fraction is out of range, or the image has another rank or no pixels.
      tf.errors.InvalidArgumentError: the same, if it depends on a tensor.
    """
    with name_scope(None, "central_crop"):
        image = convert_to_tensor(image, name="image")
        fraction = _known_fraction(central_fraction)
        is_inside = fraction > 0.0 and fraction <= 1.0 if _is_number(fraction) else _lies_inside(fraction)
        checks = assertions((is_inside, "central_fraction must be within (0, 1]"))
        if _is_number(fraction) and fraction == 1.0:
            return image
        image = image_or_batch(after(checks, image))
        if image.shape.rank not in (3, 4):
            raise ValueError(
                f"`image` should either be a Tensor with rank = 3 or rank = 4. Had rank = {image.shape.rank}."
            )
        sizes = sizes_of(image)
        starts = [_start(n, fraction) for n in sizes[-3:-1]]
        kept = [n - 2 * start for n, start in zip(sizes[-3:-1], starts)]
        batch = [0] * (len(sizes) - 3)
        window = raw.Slice(
            input=image, begin=as_vector([*batch, *starts, 0]), size=as_vector([*(-1 for _ in batch), *kept, -1])
        )
        return with_shape(window, [*image.shape.as_list()[:-3], *known_sizes(kept), image.shape.as_list()[-1]])


def _is_number(fraction: object) -> bool:
    return not isinstance(fraction, Tensor)


def _known_fraction(fraction: object) -> Any:
    known = static_value(fraction) if isinstance(fraction, Tensor) else None
    return fraction if known is None else float(known)


def _lies_inside(fraction: Tensor) -> Tensor:
    zero, one = (convert_to_tensor(n, dtype=fraction.dtype) for n in (0.0, 1.0))
    return raw.LogicalAnd(x=raw.Greater(x=fraction, y=zero), y=raw.LessEqual(x=fraction, y=one))


def _start(size: Any, fraction: Any) -> Any:
    """Returns where the middle begins: computed in float64, as TensorFlow does."""
    if is_known(size) and _is_number(fraction):
        return int((size - size * fraction) / 2)
    whole = raw.Cast(x=convert_to_tensor(size, dtype=d.int32), DstT=d.float64)
    share = raw.Cast(x=convert_to_tensor(fraction, name="fraction"), DstT=d.float64)
    return raw.Cast(x=(whole - whole * share) / 2.0, DstT=d.int32)
