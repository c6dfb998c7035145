"""`tf.compat.v1.image`: methods by number, older names of arguments, and where pixels are aligned."""

from __future__ import annotations

import numpy as np
import pytest

import millrace as tf

image = tf.compat.v1.image
RAMP = np.arange(4.0, dtype=np.float32).reshape(1, 1, 4, 1)


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
