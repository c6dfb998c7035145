"""JPEG files: headers, files that end too early, colors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import millrace as tf
from millrace._src.ops.image import jpeg_files
from millrace._src.ops.image.jpeg_files import JpegSettings
from tests.ops.image.files import image, saved

_LONG = saved(image(96, 48), "JPEG", quality=95)


@pytest.mark.parametrize(("mode", "channels"), [("L", 1), ("RGB", 3), ("CMYK", 4)])
@pytest.mark.parametrize("progressive", [False, True])
def test_a_header_holds_the_shape(mode: str, channels: int, progressive: bool) -> None:
    data = saved(image(9, 7).convert(mode), "JPEG", progressive=progressive)
    found = jpeg_files.header(data)
    assert found is not None
    assert found[:3] == (9, 7, channels)
    assert jpeg_files.header(data[: found.scan - 4]) is None


def test_black_is_taken_into_the_colors() -> None:
    data = saved(image(9, 7).convert("CMYK"), "JPEG", quality=95)
    found = jpeg_files.decode(data, JpegSettings())
    np.testing.assert_allclose(found.astype(int), np.asarray(image(9, 7)), atol=25)


@pytest.mark.parametrize("share", [0.7, 0.85, 0.97])
def test_the_lines_that_are_left_are_those_of_the_whole_file(share: float) -> None:
    cut = _LONG[: int(len(_LONG) * share)]
    whole = jpeg_files.decode(_LONG, JpegSettings())
    found = jpeg_files.decode(cut, JpegSettings(acceptable_fraction=0.0))
    lines = int(np.flatnonzero(found.any(axis=(1, 2)))[-1]) + 1
    np.testing.assert_array_equal(found[:lines], whole[:lines])
    assert not found[lines:].any()
    with pytest.raises(tf.errors.InvalidArgumentError):
        jpeg_files.decode(cut, JpegSettings(acceptable_fraction=(lines + 1) / 96))
    jpeg_files.decode(cut, JpegSettings(acceptable_fraction=lines / 96))
    assert jpeg_files.decode(cut, JpegSettings(try_recover_truncated=True)).shape == whole.shape


@pytest.mark.parametrize("ratio", [2, 4, 8])
def test_a_ratio_makes_the_image_smaller(ratio: int) -> None:
    assert jpeg_files.decode(_LONG, JpegSettings(ratio=ratio)).shape == (96 // ratio, 48 // ratio, 3)


@given(st.integers(0, len(_LONG) - 1), st.integers(0, 255))
def test_a_broken_file_is_decoded_or_refused(position: int, byte: int) -> None:
    data = bytearray(_LONG)
    data[position] = byte
    try:
        found: Any = jpeg_files.decode(bytes(data), JpegSettings())
    except tf.errors.InvalidArgumentError:
        return
    assert found.dtype == np.uint8
