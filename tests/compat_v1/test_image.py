"""`tf.compat.v1.image`: methods by number, older names of arguments, and where pixels are aligned."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.ops.array.answers import check_refusal, sample_array

image = tf.compat.v1.image
RAMP = np.arange(4.0, dtype=np.float32).reshape(1, 1, 4, 1)
_IMAGES = sample_array((2, 4, 5, 3), np.float32) / 40
_BOXES = np.array([[0, 0, 1, 1], [0.1, 0.2, 0.7, 0.9], [-0.2, 0.3, 1.2, 0.4], [0.8, 0.9, 0.1, 0.2]], np.float32)
_NUMBERS = np.array([0, 1, 0, 1], np.int32)
_SIZE = np.array([3, 2], np.int32)
_BATCH = np.arange(1, 2 * 5 * 7 * 3 + 1).reshape(2, 5, 7, 3).astype(np.int32)
_IMAGE = np.arange(4 * 6 * 3).reshape(4, 6, 3).astype(np.uint8)


@pytest.mark.parametrize(
    ("method", "expected"),
    [
        ("BILINEAR", [0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.0]),
        ("NEAREST_NEIGHBOR", [0, 0, 1, 1, 2, 2, 3, 3]),
        ("AREA", [0, 0, 1, 1, 2, 2, 3, 3]),
    ],
)
def test_corners_of_pixels_are_aligned_and_a_number_means_a_method(method: str, expected: list[float]) -> None:
    resized_image = image.resize(RAMP, [1, 8], getattr(image.ResizeMethod, method))
    assert resized_image.numpy().ravel().tolist() == expected
    assert (
        image.resize_images(RAMP, [1, 8], getattr(tf.image.ResizeMethod, method)).numpy().ravel().tolist() == expected
    )


def test_the_functions_of_one_method_are_the_method() -> None:
    for name, method in (("bilinear", 0), ("nearest_neighbor", 1), ("bicubic", 2), ("area", 3)):
        for align_corners in (False, True):
            single = getattr(image, f"resize_{name}")(RAMP, [2, 6], align_corners=align_corners)
            by_number = image.resize(RAMP, [2, 6], method, align_corners=align_corners)
            np.testing.assert_array_equal(single, by_number)


def test_a_method_without_a_number_is_refused() -> None:
    with pytest.raises(ValueError, match="Resize method is not implemented: 4"):
        image.resize(RAMP, [1, 8], 4)


def test_proportions_stay_on_request_and_an_equal_size_keeps_the_dtype() -> None:
    assert image.resize(tf.ones([2, 4, 3]), [8, 8], preserve_aspect_ratio=True).shape == [4, 8, 3]
    assert image.resize(tf.ones([2, 4, 3], tf.uint8), [2, 4]).dtype == tf.uint8
    assert image.resize(tf.ones([2, 4, 3], tf.uint8), [2, 5]).dtype == tf.float32


def test_padding_is_as_wide_on_both_sides() -> None:
    padded_image = image.resize_image_with_pad(tf.ones([2, 2, 1]), 2, 6, image.ResizeMethod.NEAREST_NEIGHBOR)
    assert padded_image.numpy()[0, :, 0].tolist() == [0, 0, 1, 1, 0, 0]


def test_the_older_name_of_box_indices_chooses_the_image() -> None:
    images = tf.stack([tf.zeros([2, 2, 1]), tf.ones([2, 2, 1])])
    for name in ("box_ind", "box_indices"):
        crop = image.crop_and_resize(images, [[0.0, 0.0, 1.0, 1.0]], crop_size=[1, 1], **{name: [1]})
        assert crop.numpy().ravel().tolist() == [1.0]


def test_a_distorted_box_is_a_function_of_both_seeds() -> None:
    def box(seed: int, seed2: int) -> list[float]:
        boxes = [[[0.0, 0.0, 1.0, 1.0]]]
        drawn = image.sample_distorted_bounding_box([90, 90, 3], boxes, seed=seed, seed2=seed2)
        return [float(side) for side in np.ravel(drawn[2])]

    tf.random.set_seed(1)
    assert box(1, 2) != box(1, 3) and box(1, 2) != box(2, 2)


def test_a_glimpse_around_the_middle_is_the_middle() -> None:
    pixels = tf.reshape(tf.range(25.0), [1, 5, 5, 1])
    assert image.extract_glimpse(pixels, [1, 3], [[0, 0]]).numpy().ravel().tolist() == [11.0, 12.0, 13.0]


def _framed(x: Any, top: int, left: int, height: int, width: int) -> Any:
    frame = np.zeros((*x.shape[:-3], height, width, x.shape[-1]), x.dtype)
    frame[..., top : top + x.shape[-3], left : left + x.shape[-2], :] = x
    return frame


def test_tensorflow_1_has_two_names_for_the_numbers_of_images() -> None:
    v1 = tf.compat.v1.image.crop_and_resize
    expected = tf.image.crop_and_resize(_IMAGES, _BOXES, _NUMBERS, _SIZE)
    np.testing.assert_array_equal(v1(_IMAGES, _BOXES, _NUMBERS, _SIZE), expected)
    np.testing.assert_array_equal(v1(_IMAGES, _BOXES, crop_size=_SIZE, box_indices=_NUMBERS), expected)


def test_tensorflow_1_aligns_corners_when_padding() -> None:
    v1 = tf.compat.v1.image
    found = v1.resize_image_with_pad(_BATCH, 5, 10, 1, align_corners=True)
    np.testing.assert_array_equal(found, _framed(_BATCH, 0, 1, 5, 10))
    assert v1.resize_image_with_crop_or_pad is tf.image.resize_with_crop_or_pad


def test_tensorflow_1_may_leave_the_colors_out() -> None:
    found = tf.compat.v1.image.draw_bounding_boxes(_IMAGES, [_BOXES] * 2)
    np.testing.assert_array_equal(found, tf.image.draw_bounding_boxes(_IMAGES, [_BOXES] * 2, None))


def test_tensorflow_1_takes_offsets_for_the_middle_of_the_window() -> None:
    images = np.arange(40, dtype=np.float32).reshape(2, 4, 5, 1)
    found = tf.compat.v1.image.extract_glimpse(images, [1, 1], [[2.0, 2.0]] * 2, normalized=False, centered=False)
    assert found.numpy().ravel().tolist() == [6, 26]


@pytest.mark.parametrize("method", [0, "nearest", 2, "area"])
def test_tensorflow_1_leaves_images_of_the_size_alone(method: Any) -> None:
    v1 = tf.compat.v1.image
    same = v1.resize(_IMAGE, [4, 6], method)
    assert same.dtype is tf.uint8
    np.testing.assert_array_equal(same, _IMAGE)
    assert v1.resize(_IMAGE, [2, 3], method, align_corners=True).shape == [2, 3, 3]


def test_tensorflow_1_has_four_methods() -> None:
    words = "Resize method is not implemented: lanczos3"
    check_refusal(lambda: tf.compat.v1.image.resize(_IMAGE, [3, 3], "lanczos3"), ValueError, words)


def test_the_ops_have_functions_in_tensorflow_1() -> None:
    v1, batch = tf.compat.v1.image, _IMAGE[None]
    for name in ("bilinear", "nearest_neighbor", "bicubic", "area"):
        found = getattr(v1, f"resize_{name}")(batch, [3, 3], align_corners=True)
        expected = v1.resize(batch, [3, 3], name.partition("_")[0], align_corners=True)
        np.testing.assert_array_equal(found, expected)
