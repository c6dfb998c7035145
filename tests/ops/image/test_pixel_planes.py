"""Functions of a pixel's channels, block by block."""

from __future__ import annotations

import numpy as np

from millrace._src.engines.numpy.namespace import xp
from millrace._src.ops.image import pixel_planes
from millrace._src.ops.image.pixel_planes import clip, hue_fraction, hue_weights, on_planes


def test_blocks_make_up_the_picture() -> None:
    x = np.arange(3 * (2 * pixel_planes._BLOCK + 5), dtype=np.float32).reshape(-1, 1, 3)
    turned = on_planes(xp, lambda r, g, b: (b, r + 1, g), x)
    assert np.array_equal(turned, np.stack([x[..., 2], x[..., 0] + 1, x[..., 1]], -1))


def test_a_picture_without_pixels_has_no_blocks() -> None:
    assert on_planes(xp, lambda r, g, b: (r, g, b), np.zeros((0, 2, 3), np.float32)).shape == (0, 2, 3)


def test_the_hue_of_ties_is_the_first_channels() -> None:
    planes = tuple(np.array(channel, np.float32) for channel in ([1, 1, 0, 5], [1, 0, 1, 5], [0, 1, 1, 5]))
    numerator, offset = hue_fraction(xp, planes, np.array([1, 1, 1, 5], np.float32), (2, 4))
    assert numerator.tolist() == [1, -1, 1, 0]
    assert offset.tolist() == [0, 0, 2, 0]


def test_weights_go_around_the_circle() -> None:
    weights = np.stack(hue_weights(xp, np.array([0, 1, 2, 3, 4, 5, 5.5], np.float32)), -1)
    expected = [[1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 1, 1], [0, 0, 1], [1, 0, 1], [1, 0, 0.5]]
    assert weights.tolist() == expected


def test_numbers_are_clipped_to_one() -> None:
    assert clip(xp, np.array([-1, 0.5, 2], np.float32)).tolist() == [0, 0.5, 1]
