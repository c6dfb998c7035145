"""JPEG files: bytes to pixels and back.

TensorFlow decodes by libjpeg-turbo's fast transform with smooth upsampling of colors; Pillow cannot ask for the two
together. simplejpeg can, and gives TensorFlow's pixels. Pillow encodes: it has the options, and gives TensorFlow's
bytes but for the header, which is written here.

A file that ends too early is recognized by its markers. How many lines of the image it still holds is found by decoding
it with two different endings: the lines that differ were not in the file.
"""

from __future__ import annotations

import io
import struct
from typing import NamedTuple

import numpy as np

from millrace._src.core.array_namespace import Array
from millrace._src.core.errors import InternalError, InvalidArgumentError
from millrace._src.util.lazy_import import import_optional

MAGIC = b"\xff\xd8\xff"
_END = b"\xff\xd9"
_FRAMES = frozenset({0xC0, 0xC1, 0xC2, 0xC3, 0xC5, 0xC6, 0xC7, 0xC9, 0xCA, 0xCB, 0xCD, 0xCE, 0xCF})
_SCAN = 0xDA
_WITHOUT_CONTENT = frozenset({0x00, 0x01, *range(0xD0, 0xD9)})
_OTHER_ENDING = bytes(range(7, 200)) * 20 + _END
_XMP = b"http://ns.adobe.com/xap/1.0/\0"
_LARGEST_SEGMENT = 0xFFFF - 2


class JpegHeader(NamedTuple):
    """What a JPEG file says of its image."""

    height: int
    width: int
    channels: int
    rows_of_blocks: int
    """The height of a row of blocks in pixels: as many lines become known at once."""
    scan: int
    """Where the first scan begins in the file."""


class JpegSettings(NamedTuple):
    """How to decode."""

    channels: int = 0
    ratio: int = 1
    fancy_upscaling: bool = True
    try_recover_truncated: bool = False
    acceptable_fraction: float = 1.0
    dct_method: str = ""


def failure() -> InvalidArgumentError:
    """Makes the error for data that cannot be decoded."""
    return InvalidArgumentError(None, None, "jpeg::Uncompress failed. Invalid JPEG data or crop window.")


def header(data: bytes) -> JpegHeader | None:
    """Reads the header of a JPEG file, or returns None if the file ends before its pixels."""
    frame, at, size = None, 2, len(data)
    while at + 4 <= size:
        marker = data[at + 1]
        if data[at] != 0xFF or marker == 0xFF:
            at += 1
        elif marker in _WITHOUT_CONTENT:
            at += 2
        elif marker == _SCAN:
            return None if frame is None else JpegHeader(*frame, at + 4)
        else:
            if marker in _FRAMES and at + 10 <= size:
                frame = _frame(data, at + 4)
                if frame is None:
                    return None
            at += 2 + (data[at + 2] << 8) + data[at + 3]
    return None


def _frame(data: bytes, at: int) -> tuple[int, int, int, int] | None:
    """Reads height, width, channels and rows of blocks of a frame header; None if the file ends within."""
    _, height, width, channels = struct.unpack_from(">BHHB", data, at)
    if at + 6 + 3 * channels > len(data):
        return None
    factors = [factor & 15 for factor in data[at + 7 : at + 6 + 3 * channels : 3]]
    return height, width, channels, 8 * max(factors, default=1)


def decode(data: bytes, settings: JpegSettings) -> Array:
    """Decodes a JPEG file to pixels `[height, width, channels]`.

    Raises: InvalidArgumentError: if the data is broken, or too little of the image is left.
    """
    found = header(data)
    if found is None or (settings.channels == 1 and found.channels == 4):
        raise failure()
    is_cut_off = data.rfind(_END, found.scan) < 0
    if not is_cut_off or settings.try_recover_truncated:
        return _decode(data, found, settings)
    if settings.acceptable_fraction >= 1:
        raise failure()
    return _decode_rest(data, found, settings)


def _decode(data: bytes, found: JpegHeader, settings: JpegSettings) -> Array:
    simplejpeg = import_optional("simplejpeg", "tf.io.decode_jpeg", "image")
    channels = settings.channels or (1 if found.channels == 1 else 3)
    colors = "CMYK" if found.channels == 4 else "GRAY" if channels == 1 else "RGB"
    smaller = {}
    if settings.ratio > 1:
        height, width = (-(-n // settings.ratio) for n in (found.height, found.width))
        smaller = {"min_height": height, "min_width": width, "min_factor": settings.ratio}
    try:
        pixels = simplejpeg.decode_jpeg(
            data,
            colors,
            fastdct=settings.dct_method != "INTEGER_ACCURATE",
            fastupsample=not settings.fancy_upscaling,
            strict=False,
            **smaller,
        )
    except ValueError:
        raise failure() from None
    return _without_black(pixels) if colors == "CMYK" else pixels


def _without_black(pixels: Array) -> Array:
    """Converts inverted cyan, magenta, yellow and black to red, green and blue."""
    products = pixels[..., :3].astype(np.uint16) * pixels[..., 3:]
    return (products // 255).astype(np.uint8)


def _decode_rest(data: bytes, found: JpegHeader, settings: JpegSettings) -> Array:
    """Decodes the lines that a file still holds; the other lines are black.

    Raises: InvalidArgumentError: if these are too few.
    """
    pixels = np.array(_decode(data + _END, found, settings))
    other = _decode(data + _OTHER_ENDING, found, settings)
    differing = np.flatnonzero((pixels != other).any(axis=(1, 2)))
    block = max(1, found.rows_of_blocks // settings.ratio)
    lines = len(pixels) if not len(differing) else (int(differing[0]) + 1) // block * block
    if lines < len(pixels) and block > 8 and settings.fancy_upscaling:
        lines = max(0, lines - 2)  # smooth colors look at the lines below
    if lines < settings.acceptable_fraction * len(pixels):
        raise failure()
    pixels[lines:] = 0
    return pixels


# --- encoding --------------------------------------------------------------------------------------------------------


class JpegOptions(NamedTuple):
    """How to encode."""

    quality: int = 95
    progressive: bool = False
    optimize_size: bool = False
    chroma_downsampling: bool = True
    density_unit: str = "in"
    x_density: int = 300
    y_density: int = 300
    xmp_metadata: bytes = b""


def encode(pixels: Array, options: JpegOptions) -> bytes:
    """Encodes pixels `[height, width, 1 or 3]` as a JPEG file.

    Raises: InternalError: if there are no pixels, or the metadata is too long.
    """
    image = import_optional("PIL.Image", "tf.io.encode_jpeg", "image")
    if not pixels.size or len(options.xmp_metadata) + len(_XMP) > _LARGEST_SEGMENT:
        raise InternalError(None, None, "JPEG encoding failed")
    is_gray = pixels.shape[2] == 1
    file = io.BytesIO()
    image.fromarray(np.ascontiguousarray(pixels[..., 0] if is_gray else pixels)).save(
        file,
        "JPEG",
        quality=options.quality,
        progressive=options.progressive,
        optimize=options.optimize_size,
        subsampling=2 if options.chroma_downsampling and not is_gray else 0,
        dpi=(300, 300),
    )
    return _with_metadata(file.getvalue(), options)


def _with_metadata(data: bytes, options: JpegOptions) -> bytes:
    """Writes the density into the JFIF header, and XMP metadata behind the header."""
    unit = {"in": 1, "cm": 2}[options.density_unit]
    density = struct.pack(">BHH", unit, options.x_density & 0xFFFF, options.y_density & 0xFFFF)
    segment = b""
    if options.xmp_metadata:
        content = _XMP + options.xmp_metadata
        segment = b"\xff\xe1" + struct.pack(">H", len(content) + 2) + content
    return data[:13] + density + data[18:20] + segment + data[20:]
