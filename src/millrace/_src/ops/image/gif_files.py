"""GIF files: bytes to frames.

Pillow unpacks the pixels of one frame; how frames lie upon each other is decided here, as TensorFlow does it: a frame
is drawn on the frame before, whatever the file says of disposal; pixels of the transparent color show what was there,
and black if nothing was. So each frame is handed to Pillow as a file of its own.
"""

from __future__ import annotations

import io
import struct
from typing import Any, NamedTuple

import numpy as np

from millrace._src.core.array_namespace import Array
from millrace._src.core.errors import InvalidArgumentError
from millrace._src.util.lazy_import import import_optional

MAGIC = b"GIF8"
_IMAGE, _EXTENSION, _GRAPHIC_CONTROL = 0x2C, 0x21, 0xF9
_HAS_COLORS, _HAS_TRANSPARENCY = 0x80, 1


class _Frame(NamedTuple):
    """A frame of the file: where it lies, its transparent color, and its descriptor, colors and packed pixels."""

    left: int
    top: int
    width: int
    height: int
    transparent: int | None
    content: bytes


def _invalid(data: bytes, why: str) -> InvalidArgumentError:
    return InvalidArgumentError(None, None, f"Invalid GIF data (size {len(data)}), {why}")


def _end_of_blocks(data: bytes, at: int) -> int:
    """Returns where a chain of blocks ends; beyond the file if the file ends before."""
    while at < len(data) and data[at]:
        at += data[at] + 1
    return at + 1


def _size_of_colors(flags: int) -> int:
    return 3 * 2 ** ((flags & 7) + 1) if flags & _HAS_COLORS else 0


def _frames(data: bytes) -> list[_Frame]:
    """Reads the frames that the file holds completely."""
    found: list[_Frame] = []
    at = 13 + _size_of_colors(data[10])
    transparent = None
    while at < len(data):
        if data[at] == _EXTENSION and at + 1 < len(data):
            if data[at + 1] == _GRAPHIC_CONTROL and at + 6 < len(data):
                transparent = data[at + 6] if data[at + 3] & _HAS_TRANSPARENCY else None
            at = _end_of_blocks(data, at + 2)
        elif data[at] == _IMAGE and at + 10 < len(data):
            end = _end_of_blocks(data, at + 11 + _size_of_colors(data[at + 9]))
            if end > len(data):
                break
            left, top, width, height = struct.unpack_from("<HHHH", data, at + 1)
            found.append(_Frame(left, top, width, height, transparent, data[at:end]))
            transparent, at = None, end
        else:
            break
    return found


def decode(data: bytes) -> Array:
    """Decodes the frames of a GIF file to pixels `[frames, height, width, 3]`, uint8.

    Raises: InvalidArgumentError: if the data is broken, or there is no frame.
    """
    if len(data) < 13 or len(data) < 13 + _size_of_colors(data[10]):
        raise _invalid(data, "failed to open gif file: No screen descriptor detected")
    frames = _frames(data)
    if not frames:
        raise _invalid(data, "gif file does not contain any image")
    width, height = struct.unpack_from("<HH", data, 6)
    if not width or not height:
        raise _invalid(data, "failed to open gif file: No screen descriptor detected")
    canvas = np.zeros((height, width, 3), np.uint8)
    result = np.empty((len(frames), height, width, 3), np.uint8)
    for number, frame in enumerate(frames):
        _draw(canvas, data, frame)
        result[number] = canvas
    return result


def _draw(canvas: Array, data: bytes, frame: _Frame) -> None:
    """Draws a frame on the frame before, as far as the frame lies on the canvas."""
    indices, colors = _unpack(data, frame)
    part = canvas[frame.top : frame.top + frame.height, frame.left : frame.left + frame.width]
    indices = indices[: part.shape[0], : part.shape[1]]
    pixels = colors[indices]
    part[:] = pixels if frame.transparent is None else np.where((indices == frame.transparent)[..., None], part, pixels)


def _unpack(data: bytes, frame: _Frame) -> tuple[Array, Array]:
    """Unpacks the indices of a frame's pixels and the frame's colors, by Pillow."""
    module = import_optional("PIL.Image", "tf.io.decode_gif", "image")
    start = b"GIF89a" + struct.pack("<HH", frame.width, frame.height) + data[10:13]
    descriptor = frame.content[:1] + struct.pack("<HH", 0, 0) + frame.content[5:]
    single = start + data[13 : 13 + _size_of_colors(data[10])] + descriptor + b";"
    try:
        image: Any = module.open(io.BytesIO(single), formats=["GIF"])
        image.load()
    except (OSError, SyntaxError, ValueError, EOFError, module.DecompressionBombError):
        raise _invalid(data, "failed to slurp gif file: Failed to read from given file") from None
    indices = np.asarray(image)
    colors = np.zeros((256, 3), np.uint8)
    palette = image.getpalette()
    known = np.arange(256)[:, None].repeat(3, axis=1) if palette is None else np.reshape(palette, (-1, 3))
    colors[: len(known)] = known
    return indices, colors
