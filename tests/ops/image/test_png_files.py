"""PNG files: depths, colors, filters, broken files."""

from __future__ import annotations

import io
import struct
import zlib
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

import millrace as tf
from millrace._src.ops.image import png_files
from tests.ops.image.files import image, saved, smooth_pixels


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def _file(lines: bytes, width: int, height: int, depth: int, color_type: int, interlace: int = 0) -> bytes:
    size = struct.pack(">IIBBBBB", width, height, depth, color_type, 0, 0, interlace)
    return png_files.MAGIC + _chunk(b"IHDR", size) + _chunk(b"IDAT", zlib.compress(lines)) + _chunk(b"IEND", b"")


@given(st.integers(0, 100), st.integers(1, 9), st.integers(1, 9), st.integers(1, 4), st.sampled_from(["u1", "u2"]))
def test_what_is_encoded_is_decoded(seed: int, height: int, width: int, channels: int, dtype: str) -> None:
    pixels = np.random.default_rng(seed).integers(0, 256, (height, width, channels)).astype(dtype) * 3
    data = png_files.encode(pixels, -1)
    np.testing.assert_array_equal(png_files.decode(data, 0, dtype == "u2"), pixels)
    if dtype == "u1":
        np.testing.assert_array_equal(np.asarray(Image.open(io.BytesIO(data))).reshape(pixels.shape), pixels)


@pytest.mark.parametrize("interlace", [0, 1])
def test_wide_lines_are_read_through_every_filter(interlace: int) -> None:
    """A file of 16-bit gray, which Pillow can decode too."""
    height, width = 11, 9
    rng = np.random.default_rng(5)
    passes = png_files._PASSES if interlace else ((0, 0, 1, 1),)
    lines = b""
    for row, column, down, right in passes:
        for number in range(len(range(row, height, down))):
            lines += bytes([number % 5]) + rng.bytes(2 * len(range(column, width, right)))
    data = _file(lines, width, height, 16, 0, interlace)
    expected = np.asarray(Image.open(io.BytesIO(data)))
    np.testing.assert_array_equal(png_files.decode(data, 0, True)[..., 0], expected)
    np.testing.assert_array_equal(png_files.decode(data, 0, False)[..., 0], expected >> 8)


def test_channels_are_added_and_dropped() -> None:
    pixels = smooth_pixels(4, 5)
    data = saved(image(4, 5), "PNG")
    with_alpha = png_files.decode(data, 4, False)
    np.testing.assert_array_equal(with_alpha[..., :3], pixels)
    assert (with_alpha[..., 3] == 255).all()
    gray = png_files.decode(data, 1, False)[..., 0]
    np.testing.assert_allclose(gray, pixels @ [0.299, 0.587, 0.114], atol=1)
    np.testing.assert_array_equal(png_files.decode(data, 0, True), pixels.astype(np.uint16) * 257)


def test_one_color_may_be_transparent() -> None:
    pixels = smooth_pixels(4, 5)
    data = saved(image(4, 5), "PNG", transparency=tuple(int(v) for v in pixels[1, 2]))
    alpha = png_files.decode(data, 4, False)[..., 3]
    np.testing.assert_array_equal(alpha == 0, (pixels == pixels[1, 2]).all(axis=2))


def test_a_palette_is_looked_up() -> None:
    picture = image(6, 5).quantize(8)
    expected = np.asarray(picture.convert("RGB"))
    np.testing.assert_array_equal(png_files.decode(saved(picture, "PNG"), 0, False), expected)


def test_the_alpha_of_few_bits_is_their_largest_number() -> None:
    """As TensorFlow has it: libpng fills in before it widens."""
    data = saved(image(6, 5).quantize(4), "PNG", bits=2)
    assert (png_files.decode(data, 4, False)[..., 3] == 3).all()


def _broken(data: bytes) -> list[tuple[bytes, str]]:
    changed = bytearray(data)
    changed[-20] ^= 0xFF
    return [
        (data[: len(data) * 2 // 3], f"Invalid PNG data, size {len(data) * 2 // 3}"),
        (bytes(changed), f"Invalid PNG data, size {len(data)}"),
        (data[:20], "Invalid PNG. Failed to initialize decoder."),
    ]


@pytest.mark.parametrize("wide", [False, True])
def test_broken_files_are_refused(wide: bool) -> None:
    pixels: Any = smooth_pixels(9, 8).astype(np.uint16 if wide else np.uint8)
    for data, words in _broken(png_files.encode(pixels, -1)):
        with pytest.raises(tf.errors.InvalidArgumentError) as caught:
            png_files.decode(data, 0, wide)
        assert str(caught.value) == words
