"""The ops that decode image files: what they share, what they refuse, and shapes while tracing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import Sample
from tests.ops.array.answers import check_refusal
from tests.ops.image.files import image, saved, smooth_pixels

PNG = saved(image(4, 5), "PNG")
JPEG = saved(image(9, 7), "JPEG")
GIF = saved(image(4, 5).quantize(8), "GIF")
FILM = saved(image(4, 5).quantize(8), "GIF", save_all=True, append_images=[image(4, 5, 1)])
BMP = saved(image(4, 5), "BMP")
WEBP = saved(image(4, 5), "WEBP", lossless=True)


def _text(data: bytes) -> Any:
    return np.array(data, dtype=object)


SAMPLES = [
    *(Sample("DecodeJpeg", (_text(f),), attrs) for f in (JPEG, PNG, GIF) for attrs in ({}, {"channels": 3})),
    Sample("DecodeJpeg", (_text(JPEG),), {"ratio": 2, "fancy_upscaling": False, "dct_method": "INTEGER_ACCURATE"}),
    Sample("DecodeAndCropJpeg", (_text(JPEG), np.array([1, 2, 4, 3], np.int32)), {"channels": 1}),
    *(Sample("DecodePng", (_text(PNG),), {"dtype": t, "channels": c}) for t in ("uint8", "uint16") for c in (0, 1, 4)),
    *(Sample("DecodeBmp", (_text(BMP),), {"channels": c}) for c in (0, 3, 4)),
    *(Sample("DecodeGif", (_text(f),)) for f in (GIF, FILM, PNG, JPEG)),
    Sample("DecodeWebP", (_text(WEBP),)),
    *(Sample("DecodeJxl", (_text(f),)) for f in (PNG, JPEG)),
    *(Sample("DecodeImage", (_text(f),), {"dtype": t}) for f in (PNG, FILM, BMP) for t in ("uint8", "float32")),
    Sample("DecodeImage", (_text(FILM),), {"expand_animations": False, "channels": 3, "dtype": "uint16"}),
    *(Sample("ExtractJpegShape", (_text(JPEG),), {"output_type": t}) for t in ("int32", "int64")),
]


@pytest.mark.parametrize("name", ["DecodeJpeg", "DecodePng", "DecodeGif"])
def test_one_op_decodes_the_files_of_the_others(name: str) -> None:
    op = getattr(tf.raw_ops, name)
    expected = smooth_pixels(4, 5)
    found = op(contents=PNG).numpy()
    np.testing.assert_array_equal(found[0] if name == "DecodeGif" else found, expected)
    assert op(contents=JPEG).shape[-3:] == [9, 7, 3]
    assert op(contents=GIF).shape[-3:] == [4, 5, 3]


@pytest.mark.parametrize(
    ("name", "contents", "attrs", "words"),
    [
        ("DecodeJpeg", b"", {}, "Input is empty."),
        ("DecodeJpeg", b"text", {}, "Unknown image file format. One of JPEG, JPEG XL, PNG, GIF, BMP, WebP required."),
        ("DecodeJpeg", JPEG, {"channels": 2}, "`channels` must be 0, 1, 3 or 4 but got 2"),
        ("DecodeJpeg", JPEG, {"channels": 4}, "JPEG does not support 4 channels"),
        ("DecodeJpeg", JPEG, {"ratio": 3}, "ratio must be 1, 2, 4, or 8, got 3"),
        ("DecodeJpeg", JPEG, {"dct_method": "x"}, "dct_method must be one of {'', 'INTEGER_FAST', 'INTEGER_ACCURATE'}"),
        ("DecodeJpeg", [JPEG, JPEG], {}, "`contents` must be scalar but got shape[2]"),
        ("DecodeJpeg", JPEG[:-2], {}, "jpeg::Uncompress failed. Invalid JPEG data or crop window."),
        (
            "DecodePng",
            BMP,
            {},
            "Trying to decode BMP format using a wrong op. Use `decode_bmp` or `decode_image`",
        ),
        ("DecodePng", BMP, {"channels": 1}, "`channels` must be 0, 3 or 4 for BMP, but got 1"),
        ("DecodePng", FILM, {}, "Got 2 frames, but animated gifs can only be decoded by tf.io.decode_gif or"),
        ("DecodePng", GIF, {"channels": 1}, "channels must be 0 or 3 for GIF, got 1"),
        ("DecodeBmp", PNG, {}, "Trying to decode PNG format using DecodeBmp op. Use `decode_png` or `decode_image`"),
        ("DecodeBmp", GIF, {}, "Trying to decode GIF format using DecodeBmp op. Use `decode_gif` or `decode_image`"),
        ("DecodeImage", WEBP, {"dtype": "float32"}, "WebP only supports uint8 for dtype"),
        ("DecodeWebP", WEBP, {"channels": 4}, "Number of channels requested does not match input"),
        ("ExtractJpegShape", PNG, {}, f"Invalid JPEG data, size {len(PNG)}"),
        ("ExtractJpegShape", [JPEG], {}, "contents must be scalar, got shape [1]"),
    ],
)
def test_the_ops_refuse(name: str, contents: Any, attrs: dict[str, Any], words: str) -> None:
    op = getattr(tf.raw_ops, name)
    check_refusal(lambda: op(contents=contents, **attrs), tf.errors.InvalidArgumentError, words)


@pytest.mark.parametrize(
    ("contents", "window", "words"),
    [
        (JPEG, [0, 0, 10, 7], "jpeg::Uncompress failed. Invalid JPEG data or crop window."),
        (JPEG, [-1, 0, 3, 3], "jpeg::Uncompress failed. Invalid JPEG data or crop window."),
        (JPEG, [0, 0, 0, 3], "jpeg::Uncompress failed. Invalid JPEG data or crop window."),
        (JPEG, [1, 1, 3], "crop_size must have four elements [3]"),
        (JPEG, [[1, 1, 2, 2]], "crop_window must be 1-D, got shape [1,4]"),
        (PNG, [0, 0, 1, 1], "DecodeAndCropJpeg operation can run on JPEG only, but detected PNG."),
        (b"", [1, 1, 3], "Input is empty."),
    ],
)
def test_a_window_must_lie_in_the_image(contents: bytes, window: Any, words: str) -> None:
    op = tf.raw_ops.DecodeAndCropJpeg
    check_refusal(lambda: op(contents=contents, crop_window=window), tf.errors.InvalidArgumentError, words)


def test_a_window_is_cut_out_of_the_image() -> None:
    whole = tf.raw_ops.DecodeJpeg(contents=JPEG)
    np.testing.assert_array_equal(
        tf.raw_ops.DecodeAndCropJpeg(contents=JPEG, crop_window=[2, 1, 5, 4]), whole[2:7, 1:5]
    )


def _shape_of(function: Any, rank: int | None = 0) -> Any:
    spec = tf.TensorSpec(None if rank is None else [None] * rank, tf.string)
    return tf.function(function, input_signature=[spec]).get_concrete_function().output_shapes


def test_ranks_and_channels_are_known_while_tracing() -> None:
    io = tf.io
    assert _shape_of(io.decode_jpeg).as_list() == [None, None, None]
    assert _shape_of(lambda x: io.decode_png(x, 3), None).as_list() == [None, None, 3]
    assert _shape_of(io.decode_gif).as_list() == [None, None, None, 3]
    assert _shape_of(io.decode_webp).as_list() == [None, None, None, None]
    assert _shape_of(io.decode_image).rank is None
    assert _shape_of(lambda x: io.decode_image(x, 3, expand_animations=False)).as_list() == [None, None, 3]
    assert _shape_of(lambda x: io.decode_and_crop_jpeg(x, [1, 2, 3, 4])).as_list() == [3, 4, None]
    assert _shape_of(io.extract_jpeg_shape).as_list() == [3]


def test_a_vector_of_files_is_refused_while_tracing() -> None:
    check_refusal(lambda: _shape_of(tf.io.decode_jpeg, 1), ValueError, "Shape must be rank 0 but is rank 1")
    words = "channels must be non-negative, got -1"
    check_refusal(lambda: _shape_of(lambda x: tf.io.decode_jpeg(x, -1)), ValueError, words)
