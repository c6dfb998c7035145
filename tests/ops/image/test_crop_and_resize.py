"""Boxes of images, each resized to one size."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import Sample
from tests.ops.array.answers import check_refusal, sample_array

_ONCE = "TensorFlow declares no second derivative of crops"
_IMAGES = sample_array((2, 4, 5, 3), np.float32) / 40
_BOXES = np.array([[0, 0, 1, 1], [0.1, 0.2, 0.7, 0.9], [-0.2, 0.3, 1.2, 0.4], [0.8, 0.9, 0.1, 0.2]], np.float32)
_NUMBERS = np.array([0, 1, 0, 1], np.int32)
_SIZE = np.array([3, 2], np.int32)
_GRADS = sample_array((4, 3, 2, 3), np.float32)
_METHODS = ("bilinear", "nearest")

SAMPLES = [
    *(
        Sample("CropAndResize", (images, _BOXES, _NUMBERS, size), {"method": m, "extrapolation_value": -1.0})
        for images in (_IMAGES, sample_array((2, 4, 5, 3), np.uint8), _IMAGES.astype(np.float16))
        for size in (_SIZE, np.array([1, 1], np.int32))
        for m in _METHODS
    ),
    Sample("CropAndResize", (_IMAGES, _BOXES[:0], _NUMBERS[:0], _SIZE)),
    *(
        Sample(
            "CropAndResizeGradImage",
            (_GRADS, _BOXES, _NUMBERS, np.array([2, 4, 5, 3], np.int32)),
            {"T": t, "method": m},
            rtol=1e-5 if t == "float64" else None,  # sums are float32, whatever comes out
        )
        for t in ("float32", "float16", "float64")
        for m in _METHODS
    ),
    *(
        Sample("CropAndResizeGradBoxes", (_GRADS, images, _BOXES, _NUMBERS))
        for images in (_IMAGES, sample_array((2, 4, 5, 3), np.uint8))
    ),
]
_SMOOTH = np.array([[0.15, 0.35, 0.85, 0.85], [0.2, 0.15, 0.85, 0.6]], np.float32)
GRADIENT_SAMPLES = [
    Sample("CropAndResize", (_IMAGES, _SMOOTH, _NUMBERS[:2], size), grad=True, no_second=_ONCE, rtol=2e-2)
    for size in (_SIZE, np.array([1, 1], np.int32))
]


def test_the_whole_image_in_its_size_stays_as_it_is() -> None:
    boxes = np.array([[0, 0, 1, 1]], np.float32)
    for method in _METHODS:
        found = tf.image.crop_and_resize(_IMAGES, boxes, [1], [4, 5], method)
        np.testing.assert_allclose(found[0], _IMAGES[1], rtol=1e-5)


def test_corners_in_reverse_order_mirror_the_box() -> None:
    there = tf.image.crop_and_resize(_IMAGES, [[0, 0, 1, 1.0]], [0], [4, 5])
    back = tf.image.crop_and_resize(_IMAGES, [[1, 1, 0, 0.0]], [0], [4, 5])
    np.testing.assert_allclose(there[0, ::-1, ::-1], back[0], rtol=1e-5, atol=1e-5)


def test_positions_outside_of_the_image_have_the_extrapolation_value() -> None:
    found = tf.image.crop_and_resize(_IMAGES, [[2, 2, 3, 3.0]], [0], [2, 2], extrapolation_value=7.0)
    assert (found.numpy() == 7).all()


@pytest.mark.parametrize(
    ("changes", "error", "words"),
    [
        ({"image": _IMAGES[0]}, tf.errors.InvalidArgumentError, "input image must be 4-D[4,5,3]"),
        ({"image": _IMAGES[:, :0]}, tf.errors.InvalidArgumentError, "image dimensions must be positive"),
        ({"boxes": _BOXES[0]}, tf.errors.InvalidArgumentError, "boxes must be 2-D, got: [4]"),
        ({"boxes": _BOXES[:, :3]}, tf.errors.InvalidArgumentError, "boxes must have 4 columns"),
        (
            {"boxes": _BOXES * np.nan},
            tf.errors.InvalidArgumentError,
            "Boxes contains at least one element that is not finite",
        ),
        ({"box_ind": _NUMBERS[:3]}, tf.errors.InvalidArgumentError, "box_index has incompatible shape"),
        ({"box_ind": _NUMBERS[None]}, tf.errors.InvalidArgumentError, "box_indices must be rank 1 but is shape [1,4]"),
        ({"box_ind": _NUMBERS + 1}, tf.errors.OutOfRangeError, "box_index has values outside [0, batch_size)"),
        ({"box_ind": _NUMBERS - 1}, tf.errors.OutOfRangeError, "box_index has values outside [0, batch_size)"),
        ({"crop_size": [2]}, tf.errors.InvalidArgumentError, "crop_size must have two elements[1]"),
        ({"crop_size": 2}, tf.errors.InvalidArgumentError, "crop_size must be 1-D[]"),
        ({"crop_size": [0, 2]}, tf.errors.InvalidArgumentError, "crop dimensions must be positive"),
        (
            {"method": "x"},
            tf.errors.InvalidArgumentError,
            'Value for attr \'method\' of "x" is not in the list of allowed values: "bilinear", "nearest"',
        ),
    ],
)
def test_crops_are_refused(changes: dict[str, Any], error: type[Exception], words: str) -> None:
    arguments = {"image": _IMAGES, "boxes": _BOXES, "box_ind": _NUMBERS, "crop_size": _SIZE, **changes}
    check_refusal(lambda: tf.raw_ops.CropAndResize(**arguments), error, words)


def test_sizes_are_known_while_tracing() -> None:
    specs = [tf.TensorSpec([None, None, None, 3]), tf.TensorSpec([None, 4]), tf.TensorSpec([None], tf.int32)]
    function = tf.function(lambda *given: tf.image.crop_and_resize(*given, [3, 2]), input_signature=specs)
    assert function.get_concrete_function().output_shapes.as_list() == [None, 3, 2, 3]
    np.testing.assert_allclose(
        function(_IMAGES, _BOXES, _NUMBERS), tf.image.crop_and_resize(_IMAGES, _BOXES, _NUMBERS, _SIZE), rtol=1e-6
    )


def test_tensorflow_1_has_two_names_for_the_numbers_of_images() -> None:
    v1 = tf.compat.v1.image.crop_and_resize
    expected = tf.image.crop_and_resize(_IMAGES, _BOXES, _NUMBERS, _SIZE)
    np.testing.assert_array_equal(v1(_IMAGES, _BOXES, _NUMBERS, _SIZE), expected)
    np.testing.assert_array_equal(v1(_IMAGES, _BOXES, crop_size=_SIZE, box_indices=_NUMBERS), expected)
