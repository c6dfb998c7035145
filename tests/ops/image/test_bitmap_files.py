"""BMP and WebP files."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.ops.image import bitmap_files
from tests.ops.image.files import image, saved, smooth_pixels


@pytest.mark.parametrize("channels", [3, 4])
def test_colors_of_a_bmp_file(channels: int) -> None:
    data = saved(image(5, 3, channels), "BMP")
    np.testing.assert_array_equal(bitmap_files.decode_bmp(data, 0), smooth_pixels(5, 3, channels))
    assert bitmap_files.decode_bmp(data, 7 - channels).shape == (5, 3, 7 - channels)


def test_a_negative_height_means_from_top_to_bottom() -> None:
    data = bytearray(saved(image(5, 3), "BMP"))
    struct.pack_into("<i", data, 22, -5)
    np.testing.assert_array_equal(bitmap_files.decode_bmp(bytes(data), 0), smooth_pixels(5, 3)[::-1])


def test_a_palette_is_passed_over() -> None:
    picture = image(5, 3).quantize(8)
    indices = bitmap_files.decode_bmp(saved(picture, "BMP"), 0)
    np.testing.assert_array_equal(indices[..., 0], np.asarray(picture))
    assert bitmap_files.decode_bmp(saved(picture, "BMP"), 4).shape == (5, 3, 4)


def _changed(position: int, form: str, value: int) -> bytes:
    data = bytearray(saved(image(5, 3), "BMP"))
    struct.pack_into(form, data, position, value)
    return bytes(data)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (
            b"BM" + bytes(8),
            "Incomplete bmp content, requires at least 32 bytes to find the header size, width, height, an",
        ),
        (
            saved(image(5, 3), "BMP")[:60],
            "Input size should match (header_size + row_size * abs_height) but they differ by",
        ),
        (_changed(28, "<H", 1), "Number of channels inherent in the image must be 1, 3 or 4, was 0"),
        (_changed(18, "<i", -3), "Width must be positive"),
        (_changed(22, "<i", 0), "Height must be non-zero"),
    ],
)
def test_broken_bmp_files_are_refused(data: bytes, words: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        bitmap_files.decode_bmp(data, 0)
    assert str(caught.value).startswith(words)


def test_frames_of_a_webp_file() -> None:
    frames: list[Any] = [image(5, 3), image(5, 3).rotate(180)]
    data = saved(frames[0], "WEBP", save_all=True, append_images=frames[1:], lossless=True)
    assert bitmap_files.is_webp(data)
    np.testing.assert_array_equal(bitmap_files.decode_webp(data, 3), np.stack([np.asarray(f) for f in frames]))


def test_broken_webp_files_are_refused() -> None:
    data = saved(image(5, 3), "WEBP")[:30]
    with pytest.raises(tf.errors.InvalidArgumentError, match="Invalid WebP data, size 30"):
        bitmap_files.decode_webp(data, 0)
    with pytest.raises(tf.errors.InvalidArgumentError, match="WebP only supports 3 or 4 channels"):
        bitmap_files.decode_webp(saved(image(5, 3), "WEBP"), 1)
