"""Encoding JPEG and PNG files."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import Sample
from tests.ops.array.answers import check_refusal
from tests.ops.image.files import smooth_pixels

_COLORS, _GRAY = smooth_pixels(5, 4), smooth_pixels(5, 4, 1)

SAMPLES = [
    *(Sample("EncodeJpeg", (x,)) for x in (_COLORS, _GRAY)),
    Sample("EncodeJpeg", (_COLORS,), {"format": "rgb", "quality": 30, "progressive": True, "xmp_metadata": "x"}),
    Sample("EncodeJpegVariableQuality", (_COLORS, np.array(40, np.int32))),
    *(Sample("EncodePng", (smooth_pixels(5, 4, c),), {"compression": c}) for c in (1, 2, 3, 4)),
    Sample("EncodePng", (np.stack([_COLORS, _COLORS]).astype(np.uint16),)),
    Sample("EncodePng", (np.zeros((0, 5, 4, 3), np.uint8),)),
]


@pytest.mark.parametrize("channels", [1, 2, 3, 4])
@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
def test_a_png_file_keeps_every_pixel(channels: int, dtype: Any) -> None:
    pixels = (smooth_pixels(7, 5, channels).astype(np.uint32) * 251 % (np.iinfo(dtype).max + 1)).astype(dtype)
    file = tf.io.encode_png(tf.constant(pixels))
    np.testing.assert_array_equal(tf.io.decode_png(file, dtype=tf.as_dtype(dtype)), pixels)


def test_a_jpeg_file_of_high_quality_is_near_the_image() -> None:
    file = tf.io.encode_jpeg(_COLORS, quality=100, chroma_downsampling=False)
    assert np.abs(tf.io.decode_jpeg(file).numpy().astype(int) - _COLORS).mean() < 4
    assert len(tf.io.encode_jpeg(_COLORS, quality=5).numpy()) < len(file.numpy())


def test_a_batch_becomes_a_file_for_each_image() -> None:
    files = tf.io.encode_png(np.zeros((2, 3, 4, 5, 1), np.uint8))
    assert files.shape == [2, 3]
    assert tf.io.decode_png(files[1, 2]).shape == [4, 5, 1]


def test_the_header_holds_density_and_metadata() -> None:
    file = tf.io.encode_jpeg(_COLORS, density_unit="cm", x_density=10, y_density=20, xmp_metadata="hello").numpy()
    assert file[13:18] == b"\x02\x00\x0a\x00\x14"
    assert file[20:].startswith(b"\xff\xe1\x00\x24http://ns.adobe.com/xap/1.0/\0hello")
    assert tf.io.decode_jpeg(file).shape == _COLORS.shape


@pytest.mark.parametrize(
    ("image", "attrs", "words"),
    [
        (_COLORS, {"quality": 101}, "quality must be in [0,100], got 101"),
        (_COLORS, {"format": "grayscale"}, "format grayscale expects 1 channels, got [5,4,3]"),
        (_GRAY, {"format": "rgb"}, "format rgb expects 3 channels, got [5,4,1]"),
        (_COLORS, {"format": "zz"}, 'Value for attr \'format\' of "zz" is not in the list of allowed values: "", "gr'),
        (_COLORS, {"density_unit": "x"}, "Value for attr 'density_unit' of \"x\" is not in the list of allowed values"),
        (_COLORS[..., :2], {}, "image must have 1 or 3 channels, got [5,4,2]"),
        (_COLORS[0], {}, "image must be 3-dimensional[4,3]"),
    ],
)
def test_encode_jpeg_refuses(image: Any, attrs: dict[str, Any], words: str) -> None:
    check_refusal(lambda: tf.io.encode_jpeg(image, **attrs), tf.errors.InvalidArgumentError, words)


@pytest.mark.parametrize(
    ("image", "compression", "words"),
    [
        (np.zeros((5, 4, 5), np.uint8), -1, "image must have 1, 2, 3, or 4 channels, got 5"),
        (np.zeros((5, 4), np.uint8), -1, "images must be at least rank 3[5,4]"),
        (_COLORS, 10, "compression should be in [-1,9], got 10"),
    ],
)
def test_encode_png_refuses(image: Any, compression: int, words: str) -> None:
    check_refusal(lambda: tf.io.encode_png(image, compression), tf.errors.InvalidArgumentError, words)


def test_images_without_pixels_are_not_encoded() -> None:
    nothing = np.zeros((0, 4, 3), np.uint8)
    check_refusal(lambda: tf.io.encode_jpeg(nothing), tf.errors.InternalError, "JPEG encoding failed")
    words = "PNG encoding failed at the following flattened batch indices: 0"
    check_refusal(lambda: tf.io.encode_png(nothing), tf.errors.InternalError, words)
    words = "JPEG encoding failed"
    check_refusal(lambda: tf.io.encode_jpeg(_COLORS, xmp_metadata="x" * 70000), tf.errors.InternalError, words)
