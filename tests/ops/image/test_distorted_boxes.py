"""Random crops that show enough of an object: the drawing."""

from __future__ import annotations

import numpy as np
import pytest

import millrace as tf
from millrace._src.engines.numpy.namespace import xp
from millrace._src.ops.image.distorted_boxes import Box, Limits, sample_box
from millrace._src.ops.random.philox import stream_from_seeds

_IMAGE = Box(0, 0, 120, 90)


@pytest.mark.parametrize("seed", range(30))
def test_a_crop_is_within_its_limits(seed: int) -> None:
    limits = Limits(0.3, (0.8, 1.2), (0.2, 0.6), 100)
    part = np.array([0.2, 0.3, 0.7, 0.9], np.float32)
    crop = sample_box(xp, stream_from_seeds(seed, 0), _IMAGE, [part], limits)
    rows = min(crop.row + crop.height, 84) - max(crop.row, 24)
    columns = min(crop.column + crop.width, 81) - max(crop.column, 27)
    assert rows * columns >= 0.3 * 60 * 54
    assert 0.2 * 120 * 90 <= crop.height * crop.width <= 0.6 * 120 * 90
    assert 0.75 < crop.width / crop.height < 1.25
    assert crop.row >= 0 <= crop.column
    assert crop.row + crop.height <= 120
    assert crop.column + crop.width <= 90


def test_the_whole_picture_stands_for_failure() -> None:
    nowhere = np.array([0.5, 0.5, 0.5, 0.9], np.float32)
    assert sample_box(xp, stream_from_seeds(1, 0), _IMAGE, [nowhere], Limits(0.1, (1, 1), (0.1, 0.2), 20)) == _IMAGE


@pytest.mark.parametrize(
    ("limits", "words"),
    [
        (Limits(0.1, (1,), (0.1, 0.2), 1), "Aspect ratio range field must specify 2 dimensions"),
        (Limits(0.1, (0.0, 1), (0.1, 0.2), 1), r"Aspect ratio range must be non-negative: \[0, 1\]"),
        (Limits(0.1, (1, 1), (0.1, 2.0), 1), r"Area range must be less then or equal to 1.0: \[0.1, 2\]"),
        (Limits(0.1, (1, 1), (0.1, 0.2), 0), "Max attempts must be non-negative: 0"),
        (Limits(-1, (1, 1), (0.1, 0.2), 1), "Min object covered must be non-negative: -1"),
    ],
)
def test_limits_without_a_crop_are_refused(limits: Limits, words: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        limits.check()
