"""Adjustments of brightness, contrast, hue, saturation and gamma.

The three ops take pictures in floating point and a number. The functions convert pictures of other dtypes to floating
point and back. Contrast is the distance from the mean of a channel. Hue and saturation are changed in HSV, where a
pixel is its largest and smallest channel and an angle; the angle is in sixths of a turn here, so that its whole part
says which channel is the largest.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from millrace._src.core.argument_types import TensorLike
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.context import name_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import DType, float16, float32
from millrace._src.core.errors import invalid
from millrace._src.core.kernel_part import kernel_part
from millrace._src.core.op_def import op
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.array.shape_checks import dims_text, require_scalar, with_rank_at_least
from millrace._src.ops.array.shape_ops import shape as shape_of
from millrace._src.ops.batching_rules import leading
from millrace._src.ops.debug.assertion import assert_in_context
from millrace._src.ops.image.image_checks import after, image_or_batch
from millrace._src.ops.image.image_dtypes import adjust_image
from millrace._src.ops.image.pixel_planes import (
    Planes,
    clip,
    extremes,
    hue_fraction,
    hue_weights,
    on_planes,
    or_one,
)
from millrace._src.ops.math.casting import cast
from millrace._src.ops.math.precision import in_single, is_half
from millrace._src.ops.math.reduce import reduce_mean, reduce_prod, reduce_std
from millrace._src.ops.type_sets import TypeSet
from millrace._src.util.export import export

_ADJUSTABLE = TypeSet((float16, float32), default=float32)
_NO_GRADIENT = "TensorFlow declares none"


def _images_shape(c: ShapeContext) -> TensorShape:
    with_rank_at_least(c.shape("images"), 3)
    shape: TensorShape = c.shape("images")
    return shape


def _contrast_shape(c: ShapeContext) -> TensorShape:
    require_scalar(c.shape("contrast_factor"))
    return _images_shape(c)


def _require_images(images: Array, name: str, number: Array, *, colored: bool = True) -> None:
    if images.ndim < 3:
        raise invalid(f"input must be at least 3-D, got shape{dims_text(images.shape)}")
    if number.ndim:
        raise invalid(f"{name} must be scalar: {dims_text(number.shape)}")
    if colored and images.shape[-1] != 3:
        raise invalid(f"input must have 3 channels but instead has {images.shape[-1]} channels.")


# --- contrast --------------------------------------------------------------------------------------------------------

_SMALL_PICTURE, _FEW_ROWS = 1 << 16, 1 << 8
"""How many numbers, and how many rows, a picture has at most for one product to add its rows up exactly enough."""


@op(
    "AdjustContrastv2",
    "images: T, contrast_factor: float32 -> output: T",
    T=_ADJUSTABLE,
    shape=_contrast_shape,
    batching=leading("images"),
    exact_on_rows=True,
    no_gradient=_NO_GRADIENT,
)
def adjust_contrast_op(xp: Xp, images: Array, contrast_factor: Array) -> Array:
    """Computes `(x - mean) * contrast_factor + mean`, with the mean of each channel of each picture."""
    _require_images(images, "contrast_factor", contrast_factor, colored=False)

    def compute(x: Array) -> Array:
        mean = _channel_means(xp, x)
        return (x - mean) * contrast_factor + mean

    return in_single(xp, compute, images)


@kernel_part
def _channel_means(xp: Xp, x: Array) -> Array:
    """Computes the mean of each channel of each picture; rows and columns of a small picture are products with ones."""
    height, width, depth = x.shape[-3:]
    if height * width * depth > _SMALL_PICTURE or max(height, width) > _FEW_ROWS or x.dtype.kind != "f":
        return _means_of_sums(xp, x)
    rows = np.matmul(np.ones(height, x.dtype), x.reshape(*x.shape[:-2], width * depth))
    sums = np.matmul(np.ones(width, x.dtype), rows.reshape(*x.shape[:-3], width, depth))
    return sums[..., None, None, :] / np.float32(max(height * width, 1))


@_channel_means.kernel_for("xla")
def _means_of_sums(xp: Xp, x: Array) -> Array:
    # rows first: a sum over few numbers at a time loses few digits
    height, width = x.shape[-3:-1]
    return xp.sum(xp.sum(x, axis=-3), axis=-2)[..., None, None, :] / np.float32(max(height * width, 1))


_NUMBERS_AT_ONCE = 1 << 17
"""How many numbers are adjusted at once: those of 512 kB, which the cache holds."""
_LONG_ROW = 1 << 12
"""How many numbers a row has at least, for the start of a row not to matter."""


@adjust_contrast_op.specialize
def _contrast_by_rows(xp: Xp, dtypes: tuple[DType, ...], attrs: dict[str, Any]) -> Any:
    """Computes some rows at a time in the memory of the result, so that the rows stay in the cache."""

    def adjust(images: Array, contrast_factor: Array) -> Array:
        if is_half(images) or images.ndim < 3 or not images.size:
            return adjust_contrast_op.op_def.kernel(xp, images, contrast_factor)
        _require_images(images, "contrast_factor", contrast_factor, colored=False)
        result = xp.empty(images.shape, images.dtype)
        height, width, depth = images.shape[-3:]
        together = _rows_together(height, width * depth)
        rows_of_all = (-1, height // together, together * width * depth)
        at_once = max(_NUMBERS_AT_ONCE // rows_of_all[2], 1)
        means = np.empty((together, width * depth), images.dtype)
        for picture, adjusted_picture in zip(images.reshape(rows_of_all), result.reshape(rows_of_all), strict=True):
            means[0].reshape(width, depth)[...] = _channel_means(xp, picture.reshape(height, width, depth))[0]
            means[1:] = means[0]
            for start in range(0, len(picture), at_once):
                rows = adjusted_picture[start : start + at_once]
                np.subtract(picture[start : start + at_once], means.reshape(-1), out=rows)
                rows *= contrast_factor
                rows += means.reshape(-1)
        return result

    return adjust


@functools.lru_cache(maxsize=256)
def _rows_together(height: int, length: int) -> int:
    """Returns how many rows are adjusted as one long row: the fewest that are long enough, of equal parts of all."""
    return next((rows for rows in range(1, height) if height % rows == 0 and rows * length >= _LONG_ROW), height)


@export("image.adjust_contrast")
def adjust_contrast(images: TensorLike, contrast_factor: TensorLike) -> Any:
    """Makes the distance of each value from the mean of its channel `contrast_factor` times as large.

    >>> tf.image.adjust_contrast([[[1.0], [3.0]]], 2.0).numpy().ravel()
    array([0., 4.], dtype=float32)

    Args:
      images: A `Tensor` of floating point or integers, (..., height, width, channels).
      contrast_factor: A scalar.

    Returns: A `Tensor` of the same shape and dtype. Integers that would be out of range are clipped.
    Raises: InvalidArgumentError: if `images` has fewer than three dimensions, or the factor is not a scalar (ValueError
      while tracing).
    """
    with name_scope(None, "adjust_contrast") as scope:
        images = convert_to_tensor(images, name="images")

        def adjust(pictures: object) -> Any:
            return adjust_contrast_op(pictures, contrast_factor, name=scope)

        return adjust_image(images, adjust, saturate=True)


# --- hue and saturation ----------------------------------------------------------------------------------------------


def _hue_in_sixths(xp: Xp, planes: Planes, high: Array, spread: Array) -> Array:
    """Computes the angle of pixels in sixths of a turn, between -1 and 5; 0 for gray."""
    number = spread.dtype.type
    numerator, offset = hue_fraction(xp, planes, high, (number(2), number(4)))
    return numerator / or_one(xp, spread) + offset


@op(
    "AdjustHue",
    "images: T, delta: float32 -> output: T",
    T=_ADJUSTABLE,
    shape=_images_shape,
    batching=leading("images"),
    exact_on_rows=True,
    no_gradient=_NO_GRADIENT,
)
def adjust_hue_op(xp: Xp, images: Array, delta: Array) -> Array:
    """Turns the hue by `delta`, which is in turns."""
    _require_images(images, "delta", delta)

    six = np.float32(6)

    def compute(red: Array, green: Array, blue: Array) -> Planes:
        high, low = extremes(xp, red, green, blue)
        spread = high - low
        turned = _hue_in_sixths(xp, (red, green, blue), high, spread) + delta * six
        weights = hue_weights(xp, turned - six * xp.floor(turned / six))
        red, green, blue = (low + spread * weight for weight in weights)
        return red, green, blue

    return in_single(xp, lambda x: on_planes(xp, compute, x), images)


@export("image.adjust_hue")
def adjust_hue(image: TensorLike, delta: Any, name: str | None = None) -> Any:
    """Turns the hue of pictures by `delta` turns.

    >>> tf.image.adjust_hue([[[1.0, 0.0, 0.0]]], 0.5).numpy()
    array([[[0., 1., 1.]]], dtype=float32)

    Args:
      image: A `Tensor` of floating point or integers, (..., height, width, 3).
      delta: A scalar in [-1, 1].
      name: A name for the operation (optional).

    Returns: A `Tensor` of the same shape and dtype.
    Raises:
      ValueError: if `delta` is known and out of its range.
      InvalidArgumentError: if `image` has fewer than three dimensions or not three channels, or `delta` is not a
        scalar.
    """
    with name_scope(name, "adjust_hue"):
        if not isinstance(delta, Tensor) and (delta < -1 or delta > 1):
            raise ValueError("delta must be in the interval [-1, 1]")
        image = convert_to_tensor(image, name="image")
        return adjust_image(image, lambda picture: adjust_hue_op(picture, delta))


@op(
    "AdjustSaturation",
    "images: T, scale: float32 -> output: T",
    T=_ADJUSTABLE,
    shape=_images_shape,
    batching=leading("images"),
    exact_on_rows=True,
    no_gradient=_NO_GRADIENT,
)
def adjust_saturation_op(xp: Xp, images: Array, scale: Array) -> Array:
    """Multiplies the saturation, which then is clipped to [0, 1], by `scale`."""
    _require_images(images, "scale", scale)

    six = np.float32(6)

    def compute(red: Array, green: Array, blue: Array) -> Planes:
        high, low = extremes(xp, red, green, blue)
        spread = high - low
        saturation = spread / xp.where(high > 0, high, np.float32(np.inf))
        chroma = clip(xp, saturation * scale) * high
        turns = _hue_in_sixths(xp, (red, green, blue), high, spread) / six
        weights = hue_weights(xp, (turns + xp.astype(turns < 0, turns.dtype)) * six)
        rest = high - chroma
        red, green, blue = (chroma * weight + rest for weight in weights)
        return red, green, blue

    return in_single(xp, lambda x: on_planes(xp, compute, x), images)


@export("image.adjust_saturation")
def adjust_saturation(image: TensorLike, saturation_factor: TensorLike, name: str | None = None) -> Any:
    """Multiplies the saturation of pictures: 0 makes them gray, a large factor gaudy.

    >>> tf.image.adjust_saturation([[[1.0, 0.5, 0.5]]], 2.0).numpy()
    array([[[1., 0., 0.]]], dtype=float32)

    Args:
      image: A `Tensor` of floating point or integers, (..., height, width, 3).
      saturation_factor: A scalar.
      name: A name for the operation (optional).

    Returns: A `Tensor` of the same shape and dtype.
    Raises: InvalidArgumentError: if `image` has fewer than three dimensions or not three channels, or the factor is
      no scalar.
    """
    with name_scope(name, "adjust_saturation"):
        image = convert_to_tensor(image, name="image")
        return adjust_image(image, lambda picture: adjust_saturation_op(picture, saturation_factor))


# --- arithmetic ------------------------------------------------------------------------------------------------------


@export("image.adjust_brightness", elementwise="unary")
def adjust_brightness(image: TensorLike, delta: TensorLike) -> Any:
    """Adds `delta` to all values, where 1 is white.

    >>> tf.image.adjust_brightness(tf.constant([0, 100, 250], tf.uint8), 0.1).numpy()
    array([ 25, 125, 255], dtype=uint8)

    Args:
      image: A `Tensor` of floating point or integers, of any shape.
      delta: A scalar, or a `Tensor` that broadcasts against `image`.

    Returns: A `Tensor` of the same dtype. Integers that would be out of range are clipped.
    """
    with name_scope(None, "adjust_brightness") as scope:
        image = convert_to_tensor(image, name="image")

        def adjust(picture: Any) -> Any:
            return raw.AddV2(x=picture, y=cast(delta, picture.dtype), name=scope)

        return adjust_image(image, adjust, saturate=True)


@export("image.adjust_gamma", elementwise="unary")
def adjust_gamma(image: TensorLike, gamma: TensorLike = 1, gain: TensorLike = 1) -> Any:
    """Computes `gain * image ** gamma`, where 1 is white.

    >>> tf.image.adjust_gamma([0.0, 0.5, 1.0], gamma=2).numpy()
    array([0.  , 0.25, 1.  ], dtype=float32)

    Args:
      image: A `Tensor` of floating point or integers, of any shape.
      gamma: A number that is not negative, or a `Tensor` of one.
      gain: A number, or a `Tensor` of one.

    Returns: A `Tensor` of the same dtype. Integers that would be out of range are clipped.
    Raises: ValueError: if `gamma` is negative (InvalidArgumentError for a `Tensor`).
    """
    with name_scope(None, "adjust_gamma"):
        image = convert_to_tensor(image, name="image")

        def adjust(picture: object) -> Any:
            return gain * picture ** _exponent(gamma)

        return adjust_image(image, adjust, saturate=True)


def _exponent(gamma: Any) -> Any:
    message = "Gamma should be a non-negative real number."
    if isinstance(gamma, Tensor):
        return after(assert_in_context(gamma >= 0, [message]), gamma)
    if gamma < 0:
        raise ValueError(message)
    return gamma


@export("image.per_image_standardization")
def per_image_standardization(image: TensorLike) -> Any:
    """Scales each picture to mean 0 and standard deviation 1.

    The deviation counts as at least `1 / sqrt(number of values)`, so that a picture of one color becomes zeros.

    >>> tf.image.per_image_standardization([[[1.0], [3.0]]]).numpy().ravel()
    array([-1.,  1.], dtype=float32)

    Args: image: A `Tensor` of at least three dimensions, (..., height, width, channels).
    Returns: A float32 `Tensor` of the same shape.
    Raises: ValueError: if there are fewer than three dimensions, or one of the inner three is 0
      (InvalidArgumentError where a graph knows only when the graph runs).
    """
    with name_scope(None, "per_image_standardization") as scope:
        image = cast(image_or_batch(convert_to_tensor(image, name="image")), float32)
        count = reduce_prod(shape_of(image)[-3:])
        mean = reduce_mean(image, axis=[-1, -2, -3], keepdims=True)
        deviation = reduce_std(image, axis=[-1, -2, -3], keepdims=True)
        least = raw.Rsqrt(x=cast(count, float32))
        return raw.RealDiv(x=image - mean, y=raw.Maximum(x=deviation, y=least), name=scope)
