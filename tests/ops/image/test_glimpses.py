"""Windows at offsets, which may reach beyond the image."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import Sample
from tests.ops.array.answers import check_refusal

_IMAGES = np.arange(40, dtype=np.float32).reshape(2, 4, 5, 1)
_SIZE = np.array([3, 2], np.int32)
_OFFSETS = np.array([[0.2, -0.3], [1, -1]], np.float32)

SAMPLES = [
    *(
        Sample(name, (_IMAGES, _SIZE, _OFFSETS), {"noise": noise, "uniform_noise": False}, random=noise != "zero")
        for name in ("ExtractGlimpse", "ExtractGlimpseV2")
        for noise in ("zero", "uniform", "gaussian")
    ),
]


@pytest.mark.parametrize(
    ("name", "centered", "normalized", "expected"),
    [  # recorded from TensorFlow
        ("ExtractGlimpse", True, True, [[0, 1, 5, 6, 10, 11], [0, 30, 0, 35, 0, 0]]),
        ("ExtractGlimpseV2", True, True, [[0, 1, 5, 6, 10, 11], [0, 30, 0, 35, 0, 0]]),
        ("ExtractGlimpse", True, False, [[1, 2, 6, 7, 11, 12], [26, 27, 31, 32, 36, 37]]),
        ("ExtractGlimpseV2", True, False, [[12, 13, 17, 18, 0, 0], [36, 37, 0, 0, 0, 0]]),
        ("ExtractGlimpse", False, True, [[0] * 6, [0] * 6]),
        ("ExtractGlimpseV2", False, True, [[0, 0, 0, 5, 0, 10], [0] * 6]),
        ("ExtractGlimpse", False, False, [[0, 0, 0, 0, 0, 5], [0] * 6]),
        ("ExtractGlimpseV2", False, False, [[0, 1, 5, 6, 10, 11], [0, 25, 0, 30, 0, 35]]),
    ],
)
def test_offsets_mean_what_they_mean_to_tensorflow(name: str, centered: bool, normalized: bool, expected: Any) -> None:
    found = getattr(tf.raw_ops, name)(
        input=_IMAGES,
        size=_SIZE,
        offsets=_OFFSETS,
        centered=centered,
        normalized=normalized,
        noise="zero",
        uniform_noise=False,
    )
    assert found.numpy().reshape(2, 6).tolist() == expected


@pytest.mark.parametrize("noise", ["uniform", "gaussian"])
def test_noise_lies_within_the_image_and_is_drawn_anew(noise: str) -> None:
    def draw() -> Any:
        return tf.image.extract_glimpse(_IMAGES + 5, [9, 9], [[3.0, 3.0]] * 2, noise=noise).numpy()

    first = draw()
    assert (first != draw()).any()
    assert first[0].min() >= 5
    assert first[0].max() <= 24


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"noise": "x"}, "The noise could only be uniform, gaussian, or zero, gotx"),
        ({"uniform_noise": True}, "The uniform_noise and noise could not be specified at the same time"),
        ({"size": [3]}, "input must be a vector of size 2 (height, width)[1]"),
        ({"offsets": [[0.0, 0.0]]}, "first dimension should be batch[1,2]"),
        ({"input": _IMAGES[0]}, "input must be 4-dimensional"),
    ],
)
def test_glimpses_are_refused(changes: dict[str, Any], words: str) -> None:
    arguments = {"input": _IMAGES, "size": _SIZE, "offsets": _OFFSETS, "noise": "zero", "uniform_noise": False}
    call = lambda: tf.raw_ops.ExtractGlimpseV2(**{**arguments, **changes})  # noqa: E731  (a call to be made in several modes)
    check_refusal(call, tf.errors.InvalidArgumentError, words)


def test_tensorflow_1_takes_offsets_for_the_middle_of_the_window() -> None:
    found = tf.compat.v1.image.extract_glimpse(_IMAGES, [1, 1], [[2.0, 2.0]] * 2, normalized=False, centered=False)
    assert found.numpy().ravel().tolist() == [6, 26]
