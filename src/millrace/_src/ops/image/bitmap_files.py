"""BMP and WebP files: bytes to pixels.

A BMP file is read as TensorFlow reads it: plain numbers, from the bottom line upwards, blue before red; a palette is
passed over. Pillow decodes WebP.
"""

from __future__ import annotations

import io
import struct
from typing import Any

import numpy as np

from millrace._src.core.array_namespace import Array
from millrace._src.core.errors import invalid
from millrace._src.util.lazy_import import import_optional

BMP_MAGIC = b"BM"
_MIN = 32


def is_webp(data: bytes) -> bool:
    """Returns whether the data begins as a WebP file does."""
    return data[:4] == b"RIFF" and data[8:12] == b"WEBP"


def decode_bmp(data: bytes, channels: int) -> Array:
    """Decodes a BMP file to pixels `[height, width, channels]`, uint8.

    Raises: InvalidArgumentError: if the file is broken, or has a depth that TensorFlow does not read.
    """
    if len(data) < _MIN:
        raise invalid(
            f"Incomplete bmp content, requires at least {_MIN} bytes to find the header size, width, height, and "
            f"bpp, got {len(data)} bytes"
        )
    (start,) = struct.unpack_from("<i", data, 10)
    width, signed_height = struct.unpack_from("<ii", data, 18)
    (depth,) = struct.unpack_from("<H", data, 28)
    own, height = depth // 8, abs(signed_height)
    if own not in (1, 3, 4):
        raise invalid(f"Number of channels inherent in the image must be 1, 3 or 4, was {own}")
    if width <= 0:
        raise invalid("Width must be positive")
    if not height:
        raise invalid("Height must be non-zero")
    line = -(-width * own // 4) * 4
    if start < 0 or len(data) - start < line * height:
        raise invalid(
            "Input size should match (header_size + row_size * abs_height) but they differ by "
            f"{len(data) - start - line * height}"
        )
    lines = np.frombuffer(data, np.uint8, line * height, start).reshape(height, line)
    pixels = lines[:, : width * own].reshape(height, width, own)
    return _with_channels(pixels if signed_height < 0 else pixels[::-1], channels or own)


def _with_channels(pixels: Array, channels: int) -> Array:
    """Brings colors into their order and adds or drops channels; the alpha that a file lacks is 255."""
    own = pixels.shape[2]
    if own == 1:
        colors = pixels if channels == 1 else np.repeat(pixels, 3, axis=2)
    else:
        colors = pixels[..., 2::-1]
    if channels < 4:
        return np.ascontiguousarray(colors)
    alpha = pixels[..., 3:] if own == 4 else np.full_like(pixels[..., :1], 255)
    return np.concatenate([colors, alpha], axis=2)


def decode_webp(data: bytes, channels: int) -> Array:
    """Decodes a WebP file to frames `[frames, height, width, channels]`, uint8.

    Raises: InvalidArgumentError: if the file is broken, or has other channels.
    """
    module = import_optional("PIL.Image", "tf.io.decode_webp", "image")
    if channels not in (0, 3, 4):
        raise invalid("WebP only supports 3 or 4 channels")
    try:
        image: Any = module.open(io.BytesIO(data), formats=["WEBP"])
        is_film = image.n_frames > 1  # Pillow gives every frame of a film an alpha
        if channels not in (0, len(image.getbands())) and not is_film:
            raise invalid("Number of channels requested does not match input")
        frames = []
        for number in range(image.n_frames):
            image.seek(number)
            frames.append(np.array(image.convert("RGB") if is_film and channels == 3 else image))
    except (OSError, SyntaxError, ValueError, EOFError, module.DecompressionBombError):
        raise invalid(f"Invalid WebP data, size {len(data)}") from None
    return np.stack(frames)
