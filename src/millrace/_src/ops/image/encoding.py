"""Encoding images as JPEG and PNG files: `tf.io.encode_jpeg` and `encode_png`."""

from __future__ import annotations

from typing import Any

import numpy as np

from millrace._src.core import dtypes as d
from millrace._src.core.argument_types import TensorLike
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.errors import InternalError, invalid
from millrace._src.core.op_def import op
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import Tensor
from millrace._src.ops.image import jpeg_files, png_files
from millrace._src.ops.shape_rules import SCALAR, UNKNOWN
from millrace._src.ops.strings.text_bytes import check_choice
from millrace._src.ops.type_sets import TypeSet
from millrace._src.util.export import export
from millrace._src.util.text import shape_brackets

_FILE = "a file has no gradient"
_ONE_BY_ONE = "images are encoded one by one"
_FORMATS = {"": None, "grayscale": 1, "rgb": 3}


def _one_image(c: ShapeContext) -> TensorShape:
    rank = c.inputs[0].shape.rank
    if rank not in (None, 3):
        raise ValueError(f"Shape must be rank 3 but is rank {rank}")
    return SCALAR


def _check_jpeg(pixels: Array, quality: int) -> None:
    if not 0 <= quality <= 100:
        raise invalid(f"quality must be in [0,100], got {quality}")
    if pixels.ndim != 3:
        raise invalid(f"image must be 3-dimensional{shape_brackets(pixels.shape)}")
    if pixels.shape[2] not in (1, 3):
        raise invalid(f"image must have 1 or 3 channels, got {shape_brackets(pixels.shape)}")


@op(
    "EncodeJpeg",
    "image: uint8 -> contents: string",
    shape=_one_image,
    host_only=True,
    not_differentiable=_FILE,
    not_batched=_ONE_BY_ONE,
)
def encode_jpeg_op(
    xp: Xp,
    image: Array,
    *,
    format: str = "",
    quality: int = 95,
    progressive: bool = False,
    optimize_size: bool = False,
    chroma_downsampling: bool = True,
    density_unit: str = "in",
    x_density: int = 300,
    y_density: int = 300,
    xmp_metadata: str = "",
) -> bytes:
    """Encodes an image as a JPEG file."""
    check_choice("format", format, tuple(_FORMATS))
    check_choice("density_unit", density_unit, ("in", "cm"))
    expected = _FORMATS[format]
    if image.ndim == 3 and expected not in (None, image.shape[2]):
        raise invalid(f"format {format} expects {expected} channels, got {shape_brackets(image.shape)}")
    _check_jpeg(image, quality)
    metadata = xmp_metadata.encode() if isinstance(xmp_metadata, str) else xmp_metadata
    return jpeg_files.encode(
        image,
        jpeg_files.JpegOptions(
            quality, progressive, optimize_size, chroma_downsampling, density_unit, x_density, y_density, metadata
        ),
    )


@op(
    "EncodeJpegVariableQuality",
    "images: uint8, quality: int32 -> contents: string",
    shape=_one_image,
    host_only=True,
    not_differentiable=_FILE,
    not_batched=_ONE_BY_ONE,
)
def encode_jpeg_variable_quality_op(xp: Xp, images: Array, quality: Array) -> bytes:
    """Encodes an image as a JPEG file of a quality that is a tensor."""
    if quality.ndim:
        raise invalid(f"quality must be scalar: {shape_brackets(quality.shape)}")
    _check_jpeg(images, int(quality))
    return jpeg_files.encode(images, jpeg_files.JpegOptions(quality=int(quality)))


def _batch_shape(c: ShapeContext) -> TensorShape:
    shape = c.shape("image")
    if shape.rank is None:
        return UNKNOWN
    if shape.rank < 3:
        raise ValueError(f"Shape must be at least rank 3 but is rank {shape.rank}")
    return TensorShape(shape.as_list()[:-3])


@op(
    "EncodePng",
    "image: T -> contents: string",
    T=TypeSet((d.uint8, d.uint16), default=d.uint8),
    shape=_batch_shape,
    host_only=True,
    not_differentiable=_FILE,
    not_batched=_ONE_BY_ONE,
)
def encode_png_op(xp: Xp, image: Array, *, compression: int = -1) -> Any:
    """Encodes each image of a batch as a PNG file."""
    if image.ndim < 3:
        raise invalid(f"images must be at least rank 3{shape_brackets(image.shape)}")
    if not -1 <= compression <= 9:
        raise invalid(f"compression should be in [-1,9], got {compression}")
    if image.shape[-1] not in (1, 2, 3, 4):
        raise invalid(f"image must have 1, 2, 3, or 4 channels, got {image.shape[-1]}")
    files = np.empty(image.shape[:-3], object)
    if files.size and not image.size:
        numbers = ",".join(map(str, range(files.size)))
        raise InternalError(None, None, f"PNG encoding failed at the following flattened batch indices: {numbers}")
    for index in np.ndindex(files.shape):
        files[index] = png_files.encode(image[index], compression)
    return files


@export("io.encode_jpeg", "image.encode_jpeg")
def encode_jpeg(
    image: TensorLike,
    format: str = "",
    quality: int = 95,
    progressive: bool = False,
    optimize_size: bool = False,
    chroma_downsampling: bool = True,
    density_unit: str = "in",
    x_density: int = 300,
    y_density: int = 300,
    xmp_metadata: str = "",
    name: str | None = None,
) -> Tensor:
    """Encodes an image as a JPEG file.

    >>> tf.io.encode_jpeg(tf.zeros([8, 8, 3], tf.uint8)).numpy()[:3]
    b'\\xff\\xd8\\xff'

    Args:
      image: a uint8 Tensor `[height, width, channels]`, with one channel or three.
      format: "" for any, "grayscale" or "rgb" to insist on the channels.
      quality: from 0 (small) to 100 (like the image).
      progressive: whether a coarse image comes first in the file.
      optimize_size: whether more time is spent on a smaller file.
      chroma_downsampling: whether four pixels share a color.
      density_unit: the unit of the densities: "in" or "cm".
      x_density: pixels a unit, from left to right.
      y_density: pixels a unit, from top to bottom.
      xmp_metadata: XMP metadata to write into the file.
      name: name of the operation in a graph.

    Returns: A scalar string Tensor, the bytes of the file.
    Raises:
      tf.errors.InvalidArgumentError: if the image has another shape, or an argument is none of these.
      tf.errors.InternalError: if the image has no pixels.
      ModuleNotFoundError: if the extra `image` is not installed.
    """
    return encode_jpeg_op(
        image,
        format=format,
        quality=quality,
        progressive=progressive,
        optimize_size=optimize_size,
        chroma_downsampling=chroma_downsampling,
        density_unit=density_unit,
        x_density=x_density,
        y_density=y_density,
        xmp_metadata=xmp_metadata,
        name=name,
    )


@export("io.encode_png", "image.encode_png")
def encode_png(image: TensorLike, compression: int = -1, name: str | None = None) -> Tensor:
    """Encodes images as PNG files.

    >>> tf.io.encode_png(tf.zeros([2, 8, 8, 3], tf.uint8)).shape
    TensorShape([2])

    Args:
      image: a uint8 or uint16 Tensor `[..., height, width, channels]`, with one to four channels.
      compression: from 0 (fast) to 9 (small); -1 for a good middle.
      name: name of the operation in a graph.

    Returns: A string Tensor with the dimensions before the height: the bytes of a file for each image.
    Raises:
      tf.errors.InvalidArgumentError: if the images have another shape, or the compression is none of these.
      tf.errors.InternalError: if an image has no pixels.
    """
    return encode_png_op(image, compression=compression, name=name)
