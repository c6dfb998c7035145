"""GIF files: frames upon frames."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from PIL import Image

import millrace as tf
from millrace._src.ops.image import gif_files
from tests.ops.image.files import image, saved


def _film(disposal: int) -> bytes:
    """Three frames, each with another square on a transparent ground."""
    frames: list[Any] = []
    for number in range(3):
        frame = Image.new("RGBA", (12, 10), (0, 0, 0, 0))
        frame.paste((200, 30 * number, 50, 255), (number, number, number + 5, number + 4))
        frames.append(frame)
    return saved(frames[0], "GIF", save_all=True, append_images=frames[1:], disposal=disposal, duration=50)


@pytest.mark.parametrize("disposal", [1, 2, 3])
def test_frames_are_drawn_upon_each_other_whatever_their_disposal(disposal: int) -> None:
    frames = gif_files.decode(_film(disposal))
    expected = np.zeros((10, 12, 3), np.uint8)
    for number, frame in enumerate(frames):
        expected[number : number + 4, number : number + 5] = (200, 30 * number, 50)
        np.testing.assert_allclose(frame.astype(int), expected, atol=4)


@pytest.mark.parametrize("interlace", [0, 1])
def test_a_single_frame_has_the_colors_of_its_palette(interlace: int) -> None:
    picture = image(13, 11).quantize(32)
    found = gif_files.decode(saved(picture, "GIF", interlace=interlace))
    np.testing.assert_array_equal(found[0], np.asarray(picture.convert("RGB")))


def test_transparent_pixels_of_the_first_frame_are_black() -> None:
    picture = image(13, 11).quantize(32)
    found = gif_files.decode(saved(picture, "GIF", transparency=3))
    assert not found[0][np.asarray(picture) == 3].any()


def test_frames_that_are_cut_off_are_left_out() -> None:
    data = _film(1)
    assert len(gif_files.decode(data)) == 3
    assert len(gif_files.decode(data[:-20])) == 2


@pytest.mark.parametrize("length", [6, 12, 100])
def test_a_file_without_a_frame_is_refused(length: int) -> None:
    data = saved(image(13, 11).quantize(32), "GIF")[:length]
    with pytest.raises(tf.errors.InvalidArgumentError, match=f"Invalid GIF data \\(size {length}\\)"):
        gif_files.decode(data)
