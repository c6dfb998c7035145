"""Boxes drawn on images."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import Sample
from tests.ops.array.answers import check_refusal, sample_array

_IMAGES = sample_array((2, 6, 7, 3), np.float32)
_BOXES = np.array([[[0.1, 0.2, 0.7, 0.8], [-0.5, 0.3, 0.4, 1.5], [0.9, 0.9, 0.1, 0.1], [2, 2, 3, 3]]] * 2, np.float32)
_COLORS = np.array([[1, 2, 3], [4, 5, 6]], np.float32)

SAMPLES = [
    *(Sample("DrawBoundingBoxes", (x, _BOXES)) for x in (_IMAGES, _IMAGES[..., :1], _IMAGES.astype(np.float16))),
    *(Sample("DrawBoundingBoxesV2", (x, _BOXES, _COLORS)) for x in (_IMAGES, _IMAGES[..., :1])),
    Sample("DrawBoundingBoxesV2", (_IMAGES, _BOXES[:, :0], _COLORS)),
]


def test_sides_outside_of_the_image_are_not_drawn() -> None:
    found = tf.image.draw_bounding_boxes(np.zeros((1, 6, 7, 3), np.float32), _BOXES[:1], _COLORS).numpy()[0, :, :, 0]
    expected = np.zeros((6, 7))
    expected[0:4, [1, 4]] = expected[[0, 3], 1:5] = 1
    expected[0:3, 1] = expected[2, 1:] = 4
    np.testing.assert_array_equal(found, expected)


def test_ten_colors_take_turns() -> None:
    for number, color in enumerate([(1, 1, 0), (0, 0, 1), (1, 0, 0), (0, 1, 0), (0.5, 0, 0.5), (0.5, 0.5, 0)]):
        boxes = np.full((1, number + 1, 4), 2, np.float32)
        boxes[0, number] = [0, 0, 1, 1]
        found = tf.image.draw_bounding_boxes(np.zeros((1, 2, 2, 3), np.float32), boxes, None)
        assert found.numpy()[0, 0, 0].tolist() == list(color)


@pytest.mark.parametrize(
    ("images", "boxes", "colors", "words"),
    [
        (_IMAGES[0], _BOXES, _COLORS, "The rank of the images should be 4"),
        (_IMAGES[..., :2], _BOXES, _COLORS, "Channel depth should be either 1 (GRY), 3 (RGB), or 4 (RGBA)"),
        (_IMAGES, _BOXES[..., :3], _COLORS, "The size of the third dimension of the box must be 4. Received: 3"),
        (_IMAGES, _BOXES[:1], _COLORS, "The batch sizes should be the same"),
        (_IMAGES, _BOXES, _COLORS[:, :2], "colors must have equal or more channels than the image provided: [2,2]"),
    ],
)
def test_boxes_are_refused(images: Any, boxes: Any, colors: Any, words: str) -> None:
    call = lambda: tf.image.draw_bounding_boxes(images, boxes, colors)  # noqa: E731  (a call to be made in several modes)
    check_refusal(call, tf.errors.InvalidArgumentError, words)


def test_tensorflow_1_may_leave_the_colors_out() -> None:
    found = tf.compat.v1.image.draw_bounding_boxes(_IMAGES, _BOXES)
    np.testing.assert_array_equal(found, tf.image.draw_bounding_boxes(_IMAGES, _BOXES, None))
