"""`tf.image.sample_distorted_bounding_box` and its ops."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import Sample

_FULL = np.array([[[0, 0, 1, 1]]], np.float32)
_SIZE = np.array([20, 30, 3], np.int32)
_COVERED = np.float32(0.2)

SAMPLES = [
    Sample("SampleDistortedBoundingBox", (_SIZE, _FULL), random=True, xla=False),  # xla: it draws until a crop fits
    Sample("SampleDistortedBoundingBoxV2", (_SIZE, _FULL, _COVERED), random=True, xla=False),
    *(
        Sample(
            "StatelessSampleDistortedBoundingBox", (_SIZE.astype(t), _FULL, _COVERED, np.array([1, 2], s)), xla=False
        )
        for t in ("uint8", "int8", "int16", "int32", "int64")
        for s in ("int32", "int64")
    ),
]


def test_a_crop_can_be_cut_out() -> None:
    image = tf.reshape(tf.range(20 * 30 * 3), [20, 30, 3])
    begin, size, box = tf.image.stateless_sample_distorted_bounding_box(tf.shape(image), _FULL, (1, 2))
    piece = tf.slice(image, begin, size)
    assert piece.shape.as_list() == [*size.numpy()[:2], 3]
    row, column = begin.numpy()[:2]
    np.testing.assert_allclose(box.numpy()[0, 0, :2], [row / 20, column / 30], rtol=1e-6)


@pytest.mark.parametrize(
    "function", [tf.image.sample_distorted_bounding_box, tf.compat.v1.image.sample_distorted_bounding_box]
)
def test_without_a_seed_crops_differ(function: Any) -> None:
    crops = {tuple(function([200, 300, 3], _FULL)[1].numpy()) for _ in range(10)}
    assert len(crops) > 1


def test_the_global_seed_starts_the_stream_over() -> None:
    found = []
    for _ in range(2):
        tf.random.set_seed(3)
        found.append(
            [tf.image.sample_distorted_bounding_box([99, 99, 3], _FULL, seed=2)[0].numpy().tolist() for _ in "ab"]
        )
    assert found[0] == found[1]
    assert found[0][0] != found[0][1]


def test_shapes_are_refused_while_tracing() -> None:
    for size, boxes, words in [
        ([2], [1, 1, 4], "Dimension must be 3 but is 2"),
        ([3, 1], [1, 1, 4], "Shape must be rank 1 but is rank 2"),
        ([3], [1, 4], "Shape must be rank 3 but is rank 2"),
        ([3], [1, 1, 5], "Dimension must be 4 but is 5"),
    ]:
        with tf.Graph().as_default(), pytest.raises(ValueError, match=words):
            placeholders = [tf.compat.v1.placeholder(tf.int32, size), tf.compat.v1.placeholder(tf.float32, boxes)]
            tf.image.sample_distorted_bounding_box(*placeholders)
