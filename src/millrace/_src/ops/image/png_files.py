"""PNG files: bytes to pixels and back.

Pillow decodes files of 8 bits a channel. It drops the lower half of 16 bits, so those files are read here: zlib unpacks
the lines, and the prediction of each line is undone. Left and upper neighbours are needed for that, so the lines are
undone along their diagonals, all pixels of a diagonal at once. What TensorFlow makes of channels that are missing, or
too many, is arithmetic on the pixels.

Encoding is done here, too: filters by libpng's rule of the smallest sum, for which NumPy needs no loop.
"""

from __future__ import annotations

import io
import struct
import zlib
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from millrace._src.core.array_namespace import Array
from millrace._src.core.errors import InvalidArgumentError
from millrace._src.util.lazy_import import import_optional

MAGIC = b"\x89PNG\r\n\x1a\n"
_CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
_COLOR_TYPES = {1: 0, 2: 4, 3: 2, 4: 6}
_GRAY = (9797, 19234, 3737)
"""The shares of red, green and blue in a gray pixel, of 2**15."""
_PASSES = ((0, 0, 8, 8), (0, 4, 8, 8), (4, 0, 8, 4), (0, 2, 4, 4), (2, 0, 4, 2), (0, 1, 2, 2), (1, 0, 2, 1))
"""The first row and column of each pass of an interlaced image, and how far its rows and columns are apart."""


class PngHeader(NamedTuple):
    """The first chunk of a PNG file."""

    width: int
    height: int
    depth: int
    color_type: int
    compression: int
    filter: int
    interlace: int


def _invalid(data: bytes) -> InvalidArgumentError:
    return InvalidArgumentError(None, None, f"Invalid PNG data, size {len(data)}")


def header(data: bytes) -> PngHeader:
    """Reads the header.

    Raises: InvalidArgumentError: if there is none.
    """
    if len(data) < 33 or data[12:16] != b"IHDR" or zlib.crc32(data[12:29]) != struct.unpack_from(">I", data, 29)[0]:
        raise InvalidArgumentError(None, None, "Invalid PNG. Failed to initialize decoder.")
    found = PngHeader(*struct.unpack_from(">IIBBBBB", data, 16))
    if found.color_type not in _CHANNELS or not found.width or not found.height:
        raise InvalidArgumentError(None, None, "Invalid PNG. Failed to initialize decoder.")
    return found


def _chunks(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yields the type and content of each chunk.

    Raises: InvalidArgumentError: if the file ends too early, or a checksum is wrong.
    """
    at = len(MAGIC)
    while at + 12 <= len(data):
        length, kind = struct.unpack_from(">I4s", data, at)
        end = at + 8 + length
        if end + 4 > len(data) or zlib.crc32(data[at + 4 : end]) != struct.unpack_from(">I", data, end)[0]:
            raise _invalid(data)
        yield kind, data[at + 8 : end]
        if kind == b"IEND":
            return
        at = end + 4
    raise _invalid(data)


def decode(data: bytes, channels: int, is_wide: bool) -> Array:
    """Decodes a PNG file to pixels `[height, width, channels]`, uint16 if `is_wide`, else uint8.

    Raises: InvalidArgumentError: if the data is broken.
    """
    found = header(data)
    chunks = dict(_chunks(data))
    pixels = _wide_pixels(data, found) if found.depth == 16 else _pixels(data, found)
    pixels = _with_channels(pixels, channels, lambda: _alpha(pixels, found, chunks.get(b"tRNS")))
    if is_wide and pixels.dtype == np.uint8:
        return pixels.astype(np.uint16) * np.uint16(257)
    return (pixels >> 8).astype(np.uint8) if pixels.dtype == np.uint16 and not is_wide else pixels


def _pixels(data: bytes, found: PngHeader) -> Array:
    """Decodes up to 8 bits a channel."""
    module = import_optional("PIL.Image", "tf.io.decode_png", "image")
    try:
        image: Any = module.open(io.BytesIO(data), formats=["PNG"])
        image.load()
    except (OSError, SyntaxError, ValueError, EOFError, module.DecompressionBombError):
        raise _invalid(data) from None
    if image.mode == "P":
        image = image.convert("RGBA" if "transparency" in image.info else "RGB")
    elif image.mode == "1":
        image = image.convert("L")
    pixels = np.array(image)
    return pixels if pixels.ndim == 3 else pixels[..., None]


def _alpha(pixels: Array, found: PngHeader, transparent: bytes | None) -> Array:
    """Makes the alpha of pixels without one: one color may be transparent.

    Without such a color the alpha is the largest number of the file's own depth, as libpng has it.
    """
    if transparent is None or found.color_type not in (0, 2):
        return np.full_like(pixels[..., :1], 2**found.depth - 1)
    color = np.frombuffer(transparent, ">u2").astype(np.uint32)
    largest = np.iinfo(pixels.dtype).max
    is_transparent = (pixels == color * np.uint32(largest // (2**found.depth - 1))).all(axis=2, keepdims=True)
    return np.where(is_transparent, 0, largest).astype(pixels.dtype)


def _with_channels(pixels: Array, channels: int, make_alpha: Callable[[], Array]) -> Array:
    """Adds or drops channels: gray is a weighted sum of colors, alpha is dropped, or made."""
    own = pixels.shape[2]
    if channels in (0, own):
        return pixels
    colors = pixels[..., : 1 if own < 3 else 3]
    if channels == 1:
        return colors if own < 3 else _gray(colors)
    colors = np.repeat(colors, 3, axis=2) if own < 3 else colors
    if channels == 3:
        return np.ascontiguousarray(colors)
    alpha = pixels[..., own - 1 :] if own in (2, 4) else make_alpha()
    return np.concatenate([colors, alpha], axis=2)


def _gray(colors: Array) -> Array:
    """Computes gray as libpng does: 8 bits are cut off, 16 bits rounded, and gray stays what it is."""
    red, green, blue = (colors[..., i].astype(np.uint32) for i in range(3))
    rounding = np.uint32(1 << 14 if colors.dtype == np.uint16 else 0)
    shares = [np.uint32(share) for share in _GRAY]
    total = (red * shares[0] + green * shares[1] + blue * shares[2] + rounding) >> np.uint32(15)
    gray = np.where((red == green) & (green == blue), red, total)
    return gray.astype(colors.dtype)[..., None]


# --- 16 bits a channel -----------------------------------------------------------------------------------------------


def _wide_pixels(data: bytes, found: PngHeader) -> Array:
    """Decodes 16 bits a channel."""
    packed = b"".join(content for kind, content in _chunks(data) if kind == b"IDAT")
    try:
        lines = np.frombuffer(zlib.decompress(packed), np.uint8)
    except zlib.error:
        raise _invalid(data) from None
    channels = _CHANNELS[found.color_type]
    pixels = np.zeros((found.height, found.width, channels), np.uint16)
    at = 0
    for row, column, down, right in _PASSES if found.interlace else ((0, 0, 1, 1),):
        part = pixels[row::down, column::right]
        if not part.size:
            continue
        length = part.shape[0] * (1 + part.shape[1] * channels * 2)
        if at + length > len(lines):
            raise _invalid(data)
        part[:] = _undo_prediction(lines[at : at + length].reshape(part.shape[0], -1), channels * 2).view(">u2")
        at += length
    return pixels


def _undo_prediction(lines: Array, step: int) -> Array:
    """Undoes the prediction of lines `[lines, 1 + bytes]`, of which the first byte names the filter.

    Returns: the bytes of the pixels, `[lines, pixels, step]`.
    """
    kinds, rest = lines[:, 0], lines[:, 1:].reshape(len(lines), -1, step)
    count, width = rest.shape[:2]
    known = np.zeros((count + 1, width + 1, step), np.int32)  # a border of zeros above and to the left
    rows = np.arange(count)
    for diagonal in range(count + width - 1):
        on = rows[max(0, diagonal - width + 1) : min(count, diagonal + 1)]
        columns = diagonal - on
        left, up, corner = known[on + 1, columns], known[on, columns + 1], known[on, columns]
        guess = _prediction(kinds[on, None], left, up, corner)
        known[on + 1, columns + 1] = (rest[on, columns] + guess) & 0xFF
    return known[1:, 1:].astype(np.uint8)


def _prediction(kinds: Array, left: Array, up: Array, corner: Array) -> Array:
    """Predicts bytes from their neighbours by each line's filter: none, left, up, mean, or Paeth's."""
    near_left, near_up, near_corner = np.abs(up - corner), np.abs(left - corner), np.abs(left + up - 2 * corner)
    paeth = np.where(
        (near_left <= near_up) & (near_left <= near_corner), left, np.where(near_up <= near_corner, up, corner)
    )
    return np.select([kinds == 1, kinds == 2, kinds == 3, kinds == 4], [left, up, (left + up) >> 1, paeth], 0)


# --- encoding --------------------------------------------------------------------------------------------------------


def encode(pixels: Array, compression: int) -> bytes:
    """Encodes pixels `[height, width, 1 to 4]`, uint8 or uint16, as a PNG file."""
    height, width, channels = pixels.shape
    depth = 8 * pixels.dtype.itemsize
    wide = np.ascontiguousarray(pixels.astype(">u2") if depth == 16 else pixels)
    lines = _predict(wide.view(np.uint8).reshape(height, width, -1))
    size = struct.pack(">IIBBBBB", width, height, depth, _COLOR_TYPES[channels], 0, 0, 0)
    is_predicted = height > 1 or width > 1
    packed = _pack(lines.tobytes(), compression, zlib.Z_FILTERED if is_predicted else zlib.Z_DEFAULT_STRATEGY)
    return MAGIC + _chunk(b"IHDR", size) + _chunk(b"IDAT", packed) + _chunk(b"IEND", b"")


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def _pack(content: bytes, compression: int, strategy: int) -> bytes:
    """Compresses, and names the smallest window that the content needs."""
    packer = zlib.compressobj(compression, zlib.DEFLATED, 15, 8, strategy)
    packed = packer.compress(content) + packer.flush()
    bits = max(8, min(15, (len(content) - 1).bit_length()))
    first, second = (bits - 8) << 4 | 8, packed[1] & 0xE0
    return bytes([first, second + 31 - ((first << 8) + second) % 31]) + packed[2:]


def _predict(rest: Array) -> Array:
    """Predicts every line by the filter whose differences have the smallest sum; returns the lines to be packed."""
    count, width, step = rest.shape
    known = np.zeros((count + 1, width + 1, step), np.int16)
    known[1:, 1:] = rest
    left, up, corner = known[1:, :-1], known[:-1, 1:], known[:-1, :-1]
    kinds = np.arange(5).reshape(5, 1, 1, 1)
    differences = (known[1:, 1:] - _prediction(kinds, left, up, corner)).astype(np.uint8)
    sums = np.minimum(differences, 256 - differences.astype(np.int16)).sum(axis=(2, 3), dtype=np.int64)
    allowed = [
        0,
        *([1] if width > 1 else []),
        *([2] if count > 1 else []),
        *([3, 4] if width > 1 and count > 1 else []),
    ]
    best = np.array(allowed)[sums[allowed].argmin(axis=0)]
    lines = differences[best, np.arange(count)].reshape(count, width * step)
    return np.concatenate([best.astype(np.uint8)[:, None], lines], axis=1)
