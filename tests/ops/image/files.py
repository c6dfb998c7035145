"""Small image files for tests, made by Pillow."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
from PIL import Image


def smooth_pixels(height: int, width: int, channels: int = 3) -> np.ndarray[Any, Any]:
    """Pixels that change slowly from each to the next, and the same every time."""
    noise = np.random.default_rng(height * width).integers(0, 256, (4, 5, channels), np.uint8)
    parts = [np.asarray(Image.fromarray(noise[..., c]).resize((width, height), 3)) for c in range(channels)]
    return np.stack(parts, axis=2)


def image(height: int, width: int, channels: int = 3) -> Any:
    """Such pixels as Pillow's image."""
    pixels = smooth_pixels(height, width, channels)
    return Image.fromarray(pixels[..., 0] if channels == 1 else pixels)


def saved(picture: Any, kind: str, **options: Any) -> bytes:
    """The file that Pillow writes."""
    file = io.BytesIO()
    picture.save(file, kind, **options)
    return file.getvalue()
