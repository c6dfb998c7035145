"""JPEG XL files."""

from __future__ import annotations

import base64
import sys
from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.ops.image import jxl_files
from tests.ops.image.files import image, saved

_FILES = {
    1: "/woIQBAUNwIIAAEAJABLGIsVwpjyBAs=",
    3: "/woIQBAJCAABAHQASxiLFUIRdjPXBcIAiFwul8vXfdaGAOwdAE7VrAI=",
    4: "/woIQLASCAAQAJAASxiLFQESXhg22Ayx1tldQAyAPOgfT+/caDSfZHCRUyKlBqgA",
}
"""Files without loss, whose values count up: by 1, or by 10 where there are colors. TensorFlow reads these."""


def _file(channels: int) -> bytes:
    return base64.b64decode(_FILES[channels])


def _pixels(channels: int) -> Any:
    return (np.arange(6 * channels) * (1 if channels == 1 else 10)).astype(np.uint8).reshape(2, 3, channels)


def test_without_the_package_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pillow_jxl", None)
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'millrace\[image\]'"):
        jxl_files.decode(_file(1), 0)


class TestWithThePackage:
    """What pillow-jxl-plugin brings."""

    @pytest.fixture(autouse=True)
    def _package(self) -> None:
        pytest.importorskip("pillow_jxl")

    @pytest.mark.parametrize("channels", _FILES)
    def test_pixels_are_those_of_the_file(self, channels: int) -> None:
        for wanted_channels in (0, channels):
            decoded = tf.io.decode_jxl(_file(channels), wanted_channels)
            np.testing.assert_array_equal(decoded.numpy(), _pixels(channels))

    def test_other_channels_are_refused(self) -> None:
        with pytest.raises(tf.errors.InvalidArgumentError, match="Number of channels requested does not match input"):
            tf.io.decode_jxl(_file(1), 3)

    @pytest.mark.parametrize("data", [_file(3)[:20], b"\xff\x0a", b"\x00\x00\x00\x0cJXL \x0d\x0a\x87\x0ajunk"])
    def test_broken_files_are_refused(self, data: bytes) -> None:
        with pytest.raises(tf.errors.InvalidArgumentError, match="Failed to decode JXL"):
            tf.io.decode_jxl(data)

    @pytest.mark.parametrize("name", ["image", "png", "gif", "bmp", "webp", "jpeg"])
    def test_other_ops_decode_it_too(self, name: str) -> None:
        assert getattr(tf.io, f"decode_{name}")(_file(3)).shape == (2, 3, 3)

    def test_other_files_are_decoded_too(self) -> None:
        assert tf.io.decode_jxl(saved(image(4, 5), "PNG")).shape == (4, 5, 3)

    def test_values_are_not_scaled(self) -> None:
        with pytest.raises(tf.errors.InvalidArgumentError, match="JXL only supports uint8 for dtype"):
            tf.io.decode_image(_file(3), dtype=tf.float32)
