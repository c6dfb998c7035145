"""What JPEG at a low quality does to pictures: a picture is encoded and decoded again."""

from __future__ import annotations

from typing import Any

from millrace._src.core.argument_types import TensorLike
from millrace._src.core.context import name_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import int32, uint8
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.image.image_dtypes import convert_image_dtype
from millrace._src.ops.random.stateful import uniform
from millrace._src.ops.random.stateless import stateless_uniform
from millrace._src.util.export import export


@export("image.adjust_jpeg_quality")
def adjust_jpeg_quality(image: Any, jpeg_quality: TensorLike, dct_method: str = "", name: str | None = None) -> Any:
    """Encodes a picture as JPEG of a given quality, and decodes the JPEG.

    >>> tf.image.adjust_jpeg_quality(tf.fill([2, 2, 3], 0.5), 75).shape
    TensorShape([2, 2, 3])

    Args:
      image: A `Tensor` (height, width, 1 or 3) of floating point, with values in [0, 1], or of integers.
      jpeg_quality: A number from 0 to 100, or a `Tensor` of one.
      dct_method: How the decoder computes: "", "INTEGER_FAST" or "INTEGER_ACCURATE".
      name: A name for the operation (optional).

    Returns: A `Tensor` of the same shape and dtype.
    Raises:
      InvalidArgumentError: if `image` has not three dimensions, or another number of channels, or the quality is out
        of its range.
      ValueError: if the rank is not known while tracing.
    """
    with name_scope(name, "adjust_jpeg_quality"):
        image = convert_to_tensor(image, name="image")
        channels = image.shape.as_list()[-1]
        pixels = convert_image_dtype(image, uint8, saturate=True)
        if not isinstance(jpeg_quality, Tensor):
            jpeg_quality = convert_to_tensor(jpeg_quality, dtype=int32)
        contents = raw.EncodeJpegVariableQuality(images=pixels, quality=jpeg_quality)
        decoded = raw.DecodeJpeg(contents=contents, channels=channels or 0, dct_method=dct_method)
        return convert_image_dtype(decoded, image.dtype, saturate=True)


def _require_qualities(min_jpeg_quality: Any, max_jpeg_quality: Any) -> None:
    if not (0 <= min_jpeg_quality <= 100 and 0 <= max_jpeg_quality <= 100):
        raise ValueError("jpeg encoding range must be between 0 and 100.")
    if min_jpeg_quality >= max_jpeg_quality:
        raise ValueError("`min_jpeg_quality` must be less than `max_jpeg_quality`.")


@export("image.random_jpeg_quality")
def random_jpeg_quality(
    image: TensorLike, min_jpeg_quality: TensorLike, max_jpeg_quality: TensorLike, seed: int | None = None
) -> Any:
    """Encodes a picture as JPEG of a random quality, and decodes the JPEG.

    >>> tf.image.random_jpeg_quality(tf.fill([2, 2, 3], 0.5), 75, 95).shape
    TensorShape([2, 2, 3])

    Args:
      image: A `Tensor` (height, width, 1 or 3) of floating point, with values in [0, 1], or of integers.
      min_jpeg_quality: The lowest quality, from 0 to 100.
      max_jpeg_quality: The quality below which all are, from 0 to 100.
      seed: The op's own seed; see `tf.random.set_seed`.

    Returns: A `Tensor` of the same shape and dtype.
    Raises: ValueError: if the qualities are out of their range, or the first is not less than the second.
    """
    _require_qualities(min_jpeg_quality, max_jpeg_quality)
    quality = uniform([], min_jpeg_quality, max_jpeg_quality, seed=seed, dtype=int32)
    return adjust_jpeg_quality(image, quality)


@export("image.stateless_random_jpeg_quality", v1=[])
def stateless_random_jpeg_quality(
    image: TensorLike, min_jpeg_quality: TensorLike, max_jpeg_quality: TensorLike, seed: TensorLike
) -> Any:
    """Encodes a picture as JPEG of a quality that is a function of `seed`, and decodes the JPEG.

    >>> tf.image.stateless_random_jpeg_quality(tf.fill([2, 2, 3], 0.5), 75, 95, seed=[1, 2]).shape
    TensorShape([2, 2, 3])

    Args:
      image: A `Tensor` (height, width, 1 or 3) of floating point, with values in [0, 1], or of integers.
      min_jpeg_quality: The lowest quality, from 0 to 100.
      max_jpeg_quality: The quality below which all are, from 0 to 100.
      seed: Two integers, int32 or int64.

    Returns: A `Tensor` of the same shape and dtype.
    Raises: ValueError: if the qualities are out of their range, or the first is not less than the second.
    """
    _require_qualities(min_jpeg_quality, max_jpeg_quality)
    quality = stateless_uniform([], seed, min_jpeg_quality, max_jpeg_quality, dtype=int32)
    return adjust_jpeg_quality(image, quality)
