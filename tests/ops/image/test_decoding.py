"""`tf.io.decode_image` and its kin."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.ops.image.files import image, saved, smooth_pixels

_PNG = saved(image(4, 5), "PNG")
_JPEG = saved(image(9, 7), "JPEG")


@pytest.mark.parametrize("dtype", [tf.uint8, tf.uint16, tf.int32, tf.float16, tf.float32, tf.float64])
def test_decode_image_scales_to_the_dtype(dtype: Any) -> None:
    pixels = smooth_pixels(4, 5)
    found = tf.io.decode_image(_PNG, dtype=dtype)
    expected = tf.image.convert_image_dtype(tf.constant(pixels), tf.float64)
    assert found.dtype is dtype
    in_floats = tf.image.convert_image_dtype(found, tf.float64)
    np.testing.assert_allclose(in_floats, expected, atol=1e-3)


def test_jpeg_files_are_recognized_by_their_first_bytes() -> None:
    assert tf.io.is_jpeg([_JPEG, _PNG, b""]).numpy().tolist() == [True, False, False]


def test_names_of_image_and_io_are_the_same_functions() -> None:
    names = ("decode_jpeg", "decode_png", "decode_bmp", "decode_gif", "decode_image", "decode_webp", "is_jpeg")
    for name in (*names, "decode_and_crop_jpeg", "extract_jpeg_shape", "encode_jpeg", "encode_png"):
        assert getattr(tf.io, name) is getattr(tf.image, name) is getattr(tf.compat.v1.io, name)


def test_files_are_decoded_in_a_function() -> None:
    @tf.function(input_signature=[tf.TensorSpec([], tf.string)])
    def load(data: Any) -> Any:
        return tf.image.resize(tf.io.decode_jpeg(data, channels=3), [6, 6]) / 255.0

    assert load.get_concrete_function().output_shapes == [6, 6, 3]
    np.testing.assert_allclose(load(_JPEG), tf.image.resize(tf.io.decode_jpeg(_JPEG), [6, 6]) / 255.0, rtol=1e-5)


_WITHOUT = """
import sys
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name in ("PIL", "simplejpeg"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Missing())
import millrace as tf
for call in (lambda: tf.io.decode_jpeg(JPEG), lambda: tf.io.decode_png(PNG), lambda: tf.io.encode_jpeg([[[1]]])):
    try:
        call()
    except ModuleNotFoundError as error:
        assert "pip install 'millrace[image]'" in str(error), error
    else:
        raise AssertionError("no error")
"""


def test_without_the_extra_the_error_says_what_to_install() -> None:
    program = f"JPEG, PNG = {_JPEG!r}, {_PNG!r}\n{_WITHOUT}"
    subprocess.run([sys.executable, "-c", program], check=True, timeout=120)
