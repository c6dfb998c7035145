"""Patches of images and volumes."""

from __future__ import annotations

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import Sample
from tests.ops.array.answers import sample_array as x

SAMPLES = [
    Sample(
        "ExtractImagePatches",
        [x([2, 4, 3, 2])],
        {"ksizes": [1, 2, 2, 1], "strides": [1, 2, 1, 1], "rates": [1, 1, 2, 1], "padding": "SAME"},
        grad=True,
    ),
    Sample(
        "ExtractImagePatches",
        [x([1, 2, 2, 1], np.uint8)],
        {"ksizes": [1, 3, 3, 1], "strides": [1, 1, 1, 1], "rates": [1, 1, 1, 1], "padding": "VALID"},
    ),
    Sample(
        "ExtractVolumePatches",
        [x([1, 3, 2, 2, 1])],
        {"ksizes": [1, 2, 2, 1, 1], "strides": [1, 1, 1, 1, 1], "padding": "VALID"},
        grad=True,
    ),
]

GRADIENT_SAMPLES = [
    Sample(
        "ExtractImagePatches",
        [x([2, 4, 3, 2])],
        {"ksizes": [1, 2, 1, 1], "strides": [1, 1, 1, 1], "rates": [1, 2, 1, 1], "padding": "VALID"},
        grad=True,
    ),
    Sample(
        "ExtractVolumePatches",
        [x([1, 3, 2, 2, 2])],
        {"ksizes": [1, 2, 2, 1, 1], "strides": [1, 2, 1, 1, 1], "padding": "SAME"},
        grad=True,
    ),
]


@pytest.mark.parametrize("padding", ["SAME", "VALID"])
@pytest.mark.parametrize("rate", [1, 2])
def test_patches_are_the_windows_of_the_padded_image(padding: str, rate: int) -> None:
    image = np.arange(1, 31).reshape(1, 5, 6, 1)
    patches = tf.image.extract_patches(image, [1, 2, 3, 1], [1, 2, 1, 1], [1, rate, rate, 1], padding).numpy()
    reach = (1 + rate, 1 + 2 * rate)
    missing = [
        max(0, (n - 1) * s + r - d) for n, s, r, d in zip(patches.shape[1:3], (2, 1), reach, (5, 6), strict=True)
    ]
    padded = np.pad(image[0, :, :, 0], [(m // 2, m - m // 2) for m in missing])
    for i, j in np.ndindex(patches.shape[1:3]):
        window = padded[2 * i : 2 * i + reach[0] : rate, j : j + reach[1] : rate]
        assert patches[0, i, j].tolist() == window.ravel().tolist()


def test_a_window_larger_than_the_image_fits_nowhere() -> None:
    ones = [1, 1, 1, 1]
    assert tf.image.extract_patches(tf.zeros([1, 2, 2, 1]), [1, 3, 3, 1], ones, ones, "VALID").shape == (1, 0, 0, 9)


def test_malformed_windows_are_refused() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="4 values, but got: 2"):
        tf.image.extract_patches(tf.zeros([1, 2, 2, 1]), [2, 2], [1, 1, 1, 1], [1, 1, 1, 1], "VALID")
