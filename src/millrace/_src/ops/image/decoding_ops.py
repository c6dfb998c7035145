"""The ops that decode image files.

As in TensorFlow the ops share one kernel, which looks at the first bytes: DecodePng decodes a JPEG file, too. The ops
differ in what they refuse, and in the rank: one image, or the frames of a GIF. A file of 8 bits becomes uint16 or
float32 by scaling.
"""

from __future__ import annotations

import enum
import functools
from typing import NamedTuple

import numpy as np

from millrace._src.core import dtypes as d
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.dtypes import DType
from millrace._src.core.errors import invalid
from millrace._src.core.op_def import op
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.ops.image import bitmap_files, gif_files, jpeg_files, jxl_files, png_files
from millrace._src.ops.shape_rules import UNKNOWN
from millrace._src.ops.type_sets import INDEX, TypeSet
from millrace._src.util.text import shape_brackets

_FILE = "a file has no gradient"
_ONE_BY_ONE = "files are decoded one by one"
_DCT_METHODS = ("", "INTEGER_FAST", "INTEGER_ACCURATE")


class _Frames(enum.Enum):
    """What an op returns of the frames of an animation."""

    ALL = "all"
    """A batch of frames, of one frame where the file is a picture."""
    ALL_OF_ANIMATIONS = "all of animations"
    """A batch of frames, but no batch where the file is a picture."""
    FIRST = "first"
    ONLY = "only"
    """The only frame; several are refused."""


class _Bmp(enum.Enum):
    """Whether an op reads BMP files."""

    REFUSED = "refused"
    ACCEPTED = "accepted"
    REQUIRED = "required"


class _Request(NamedTuple):
    """What an op wants of a file; `op` is its name in messages."""

    op: str
    channels: int = 0
    dtype: DType = d.uint8
    frames: _Frames = _Frames.ONLY
    bmp: _Bmp = _Bmp.REFUSED
    jpeg: jpeg_files.JpegSettings = jpeg_files.JpegSettings()


def _format_of(data: bytes) -> str:
    """Returns the format by the first bytes.

    Raises: InvalidArgumentError: if it is none that TensorFlow reads.
    """
    if data.startswith(jpeg_files.MAGIC):
        return "JPEG"
    if data.startswith(png_files.MAGIC):
        return "PNG"
    if data.startswith(gif_files.MAGIC):
        return "GIF"
    if data.startswith(bitmap_files.BMP_MAGIC):
        return "BMP"
    if bitmap_files.is_webp(data):
        return "WebP"
    if jxl_files.is_jxl(data):
        return "JXL"
    if not data:
        raise invalid("Input is empty.")
    raise invalid("Unknown image file format. One of JPEG, JPEG XL, PNG, GIF, BMP, WebP required.")


def _contents(contents: Array) -> bytes:
    if contents.ndim:
        raise invalid(f"`contents` must be scalar but got shape{shape_brackets(contents.shape)}")
    data: bytes = contents.item()
    return data


def _decode(contents: Array, request: _Request) -> Array:
    """Decodes a file of any format."""
    data = _contents(contents)
    if request.channels not in (0, 1, 3, 4):
        raise invalid(f"`channels` must be 0, 1, 3 or 4 but got {request.channels}")
    kind = _format_of(data)
    _check(kind, request)
    if kind == "PNG":
        return _from_png(data, request)
    if kind == "JPEG":
        settings = request.jpeg
        if settings.channels != request.channels:
            settings = settings._replace(channels=request.channels)
        return _shape(_scale(jpeg_files.decode(data, settings), request.dtype), request)
    if kind == "BMP":
        return _scale(bitmap_files.decode_bmp(data, request.channels), request.dtype)
    if kind == "GIF":
        return _frames(_scale(gif_files.decode(data), request.dtype), request)
    if request.dtype is not d.uint8:
        raise invalid(f"{kind} only supports uint8 for dtype")
    if kind == "JXL":
        return jxl_files.decode(data, request.channels)
    return _frames(bitmap_files.decode_webp(data, request.channels), request)


def _check(kind: str, request: _Request) -> None:
    """Refuses what a format does not have, and formats that the op leaves to another."""
    channels = request.channels
    if kind == "JPEG" and channels == 4:
        raise invalid("JPEG does not support 4 channels")
    if kind == "GIF" and channels in (1, 4):
        raise invalid(f"channels must be 0 or 3 for GIF, got {channels}")
    if kind == "BMP" and channels == 1:
        raise invalid(f"`channels` must be 0, 3 or 4 for BMP, but got {channels}")
    if kind == "BMP" and request.bmp is _Bmp.REFUSED:
        raise invalid(
            "Trying to decode BMP format using a wrong op. Use `decode_bmp` or `decode_image` instead. "
            f"Op used: {request.op}"
        )
    if kind not in ("BMP", "JXL") and request.bmp is _Bmp.REQUIRED:
        raise invalid(
            f"Trying to decode {kind} format using DecodeBmp op. Use `decode_{kind.lower()}` or `decode_image` instead."
        )


def _from_png(data: bytes, request: _Request) -> Array:
    pixels = png_files.decode(data, request.channels, request.dtype is not d.uint8)
    if request.dtype is d.float32:
        pixels = pixels.astype(np.float32) * np.float32(1 / 65535)
    return _shape(pixels, request)


def _scale(pixels: Array, dtype: DType) -> Array:
    """Converts 8 bits to a wider dtype."""
    if dtype is d.uint16:
        return pixels.astype(np.uint16) * np.uint16(256)
    return pixels.astype(np.float32) * np.float32(1 / 255) if dtype is d.float32 else pixels


def _shape(pixels: Array, request: _Request) -> Array:
    """Makes a batch of one image where the op returns frames."""
    return pixels[None] if request.frames is _Frames.ALL else pixels


def _frames(frames: Array, request: _Request) -> Array:
    """Returns the frames as the op wants these: all frames, the first, or the only one."""
    if request.frames in (_Frames.ALL, _Frames.ALL_OF_ANIMATIONS):
        return frames
    if request.frames is _Frames.ONLY and len(frames) > 1:
        raise invalid(
            f"Got {len(frames)} frames, but animated gifs can only be decoded by tf.io.decode_gif or tf.io.decode_image"
        )
    return frames[0]


# --- shapes ----------------------------------------------------------------------------------------------------------


def _channels(c: ShapeContext) -> int | None:
    """Checks the file and the channels; returns the number of channels, None if the file says it."""
    rank = c.shape("contents").rank
    if rank not in (None, 0):
        raise ValueError(f"Shape must be rank 0 but is rank {rank}")
    channels: int = c.attrs.get("channels", 0)
    if channels < 0:
        raise ValueError(f"channels must be non-negative, got {channels}")
    return channels or None


def _image_shape(c: ShapeContext) -> TensorShape:
    return TensorShape([None, None, _channels(c)])


def _gif_shape(c: ShapeContext) -> TensorShape:
    _channels(c)
    return TensorShape([None, None, None, 3])


def _webp_shape(c: ShapeContext) -> TensorShape:
    return TensorShape([None, None, None, _channels(c)])


def _any_shape(c: ShapeContext) -> TensorShape:
    channels = _channels(c)
    return UNKNOWN if c.attr("expand_animations") else TensorShape([None, None, channels])


def _crop_shape(c: ShapeContext) -> TensorShape:
    channels, window = _channels(c), c.shape("crop_window")
    if window.rank not in (None, 1):
        raise ValueError(f"Shape must be rank 1 but is rank {window.rank}")
    if window.rank == 1 and window.as_list()[0] not in (None, 4):
        raise ValueError(f"Dimension must be 4 but is {window.as_list()[0]}")
    sizes = c.partial("crop_window") or [None] * 4
    return TensorShape([*sizes[2:], channels])


# --- ops -------------------------------------------------------------------------------------------------------------


@functools.lru_cache(maxsize=16)
def _jpeg_request(
    op: str,
    channels: int,
    ratio: int,
    fancy_upscaling: bool,
    try_recover_truncated: bool,
    acceptable_fraction: float,
    dct_method: str,
) -> _Request:
    if ratio not in (1, 2, 4, 8):
        raise invalid(f"ratio must be 1, 2, 4, or 8, got {ratio}")
    if dct_method not in _DCT_METHODS:
        raise invalid("dct_method must be one of {'', 'INTEGER_FAST', 'INTEGER_ACCURATE'}")
    options = ratio, fancy_upscaling, try_recover_truncated, acceptable_fraction, dct_method
    return _Request(op, channels, jpeg=jpeg_files.JpegSettings(channels, *options))


@op(
    "DecodeJpeg",
    "contents: string -> image: uint8",
    shape=_image_shape,
    host_only=True,
    not_differentiable=_FILE,
    not_batched=_ONE_BY_ONE,
)
def decode_jpeg_op(
    xp: Xp,
    contents: Array,
    *,
    channels: int = 0,
    ratio: int = 1,
    fancy_upscaling: bool = True,
    try_recover_truncated: bool = False,
    acceptable_fraction: float = 1.0,
    dct_method: str = "",
) -> Array:
    """Decodes a JPEG file to pixels."""
    options = channels, ratio, fancy_upscaling, try_recover_truncated, acceptable_fraction, dct_method
    return _decode(contents, _jpeg_request("DecodeJpeg", *options))


@op(
    "DecodeAndCropJpeg",
    "contents: string, crop_window: int32 -> image: uint8",
    shape=_crop_shape,
    host_only=True,
    not_differentiable=_FILE,
    not_batched=_ONE_BY_ONE,
)
def decode_and_crop_jpeg_op(
    xp: Xp,
    contents: Array,
    crop_window: Array,
    *,
    channels: int = 0,
    ratio: int = 1,
    fancy_upscaling: bool = True,
    try_recover_truncated: bool = False,
    acceptable_fraction: float = 1.0,
    dct_method: str = "",
) -> Array:
    """Decodes a window of a JPEG file: the first row and column, the height and the width."""
    options = channels, ratio, fancy_upscaling, try_recover_truncated, acceptable_fraction, dct_method
    request = _jpeg_request("DecodeAndCropJpeg", *options)
    kind = _format_of(_contents(contents))
    if kind != "JPEG":
        raise invalid(f"DecodeAndCropJpeg operation can run on JPEG only, but detected {kind}.")
    if crop_window.ndim != 1:
        raise invalid(f"crop_window must be 1-D, got shape {shape_brackets(crop_window.shape)}")
    if len(crop_window) != 4:
        raise invalid(f"crop_size must have four elements {shape_brackets(crop_window.shape)}")
    pixels = _decode(contents, request)
    top, left, height, width = (int(n) for n in crop_window)
    bottom, right = top + height, left + width
    if min(top, left) < 0 or min(height, width) <= 0 or bottom > pixels.shape[0] or right > pixels.shape[1]:
        raise jpeg_files.failure()
    return np.ascontiguousarray(pixels[top:bottom, left:right])


@op(
    "DecodePng",
    "contents: string -> image: dtype",
    dtype=TypeSet((d.uint8, d.uint16)),
    shape=_image_shape,
    host_only=True,
    not_differentiable=_FILE,
    not_batched=_ONE_BY_ONE,
)
def decode_png_op(xp: Xp, contents: Array, *, channels: int = 0, dtype: DType = d.uint8) -> Array:
    """Decodes a PNG file to pixels."""
    return _decode(contents, _Request("DecodePng", channels, dtype))


@op(
    "DecodeBmp",
    "contents: string -> image: uint8",
    shape=_image_shape,
    host_only=True,
    not_differentiable=_FILE,
    not_batched=_ONE_BY_ONE,
)
def decode_bmp_op(xp: Xp, contents: Array, *, channels: int = 0) -> Array:
    """Decodes a BMP file to pixels."""
    return _decode(contents, _Request("DecodeBmp", channels, bmp=_Bmp.REQUIRED))


@op(
    "DecodeGif",
    "contents: string -> image: uint8",
    shape=_gif_shape,
    host_only=True,
    not_differentiable=_FILE,
    not_batched=_ONE_BY_ONE,
)
def decode_gif_op(xp: Xp, contents: Array) -> Array:
    """Decodes the frames of a GIF file."""
    return _decode(contents, _Request("DecodeGif", 3, frames=_Frames.ALL))


@op(
    "DecodeWebP",
    "contents: string -> image: dtype",
    dtype=TypeSet((d.uint8,)),
    shape=_webp_shape,
    host_only=True,
    not_differentiable=_FILE,
    not_batched=_ONE_BY_ONE,
)
def decode_webp_op(xp: Xp, contents: Array, *, channels: int = 0, dtype: DType = d.uint8) -> Array:
    """Decodes the frames of a WebP file."""
    return _decode(contents, _Request("DecodeWebP", channels, frames=_Frames.ALL))


@op(
    "DecodeJxl",
    "contents: string -> image: dtype",
    dtype=TypeSet((d.uint8,)),
    shape=_image_shape,
    host_only=True,
    not_differentiable=_FILE,
    not_batched=_ONE_BY_ONE,
)
def decode_jxl_op(xp: Xp, contents: Array, *, channels: int = 0, dtype: DType = d.uint8) -> Array:
    """Decodes a JPEG XL file to pixels."""
    return _decode(contents, _Request("DecodeJxl", channels, dtype))


@op(
    "DecodeImage",
    "contents: string -> image: dtype",
    dtype=TypeSet((d.uint8, d.uint16, d.float32)),
    shape=_any_shape,
    host_only=True,
    not_differentiable=_FILE,
    not_batched=_ONE_BY_ONE,
)
def decode_image_op(
    xp: Xp, contents: Array, *, channels: int = 0, dtype: DType = d.uint8, expand_animations: bool = True
) -> Array:
    """Decodes an image file of any format."""
    frames = _Frames.ALL_OF_ANIMATIONS if expand_animations else _Frames.FIRST
    return _decode(contents, _Request("DecodeImage", channels, dtype, frames, _Bmp.ACCEPTED))


def _three(c: ShapeContext) -> TensorShape:
    _channels(c)
    return TensorShape([3])


@op(
    "ExtractJpegShape",
    "contents: string -> image_shape: output_type",
    output_type=INDEX,
    shape=_three,
    host_only=True,
    not_differentiable=_FILE,
    not_batched=_ONE_BY_ONE,
)
def extract_jpeg_shape_op(xp: Xp, contents: Array, *, output_type: DType = d.int32) -> Array:
    """Reads height, width and channels from the header of a JPEG file."""
    if contents.ndim:
        raise invalid(f"contents must be scalar, got shape {shape_brackets(contents.shape)}")
    data: bytes = contents.item()
    found = jpeg_files.header(data) if data.startswith(jpeg_files.MAGIC) else None
    if found is None:
        raise invalid(f"Invalid JPEG data, size {len(data)}")
    return np.array(found[:3], output_type.np_dtype)
