"""JPEG XL files: bytes to pixels.

Pillow decodes them with the help of a package of its own, `pillow-jxl-plugin`. Pixels of files without loss are
TensorFlow's; others, and those of 16 bits, may differ by one level, as they do between versions of the decoder.
"""

from __future__ import annotations

import io
from typing import Any

import numpy as np

from millrace._src.core.array_namespace import Array
from millrace._src.core.errors import invalid
from millrace._src.util.lazy_import import import_optional

_MAGIC = (b"\xff\x0a", b"\x00\x00\x00\x0cJXL \x0d\x0a\x87\x0a")
"""How a bare stream of pixels begins, and how a file of boxes does."""


def is_jxl(data: bytes) -> bool:
    """Returns whether the data begins as a JPEG XL file does."""
    return data.startswith(_MAGIC)


def decode(data: bytes, channels: int) -> Array:
    """Decodes a JPEG XL file to pixels `[height, width, channels]`, uint8.

    Raises: InvalidArgumentError: if the file is broken, or has other channels.
    """
    import_optional("pillow_jxl", "tf.io.decode_jxl", "image")  # Pillow reads JPEG XL from then on
    module = import_optional("PIL.Image", "tf.io.decode_jxl", "image")
    try:
        image: Any = module.open(io.BytesIO(data), formats=["JXL"])
        pixels = np.asarray(image)
    except (OSError, SyntaxError, ValueError, EOFError, RuntimeError):
        raise invalid("Failed to decode JXL image") from None
    if pixels.dtype == np.uint16:
        pixels = ((pixels.astype(np.uint32) * 255 + 32767) // 65535).astype(np.uint8)
    pixels = pixels.reshape(*pixels.shape[:2], -1)
    if channels not in (0, pixels.shape[2]):
        raise invalid("Number of channels requested does not match input")
    return pixels
