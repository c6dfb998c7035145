"""Images of different sizes, resized to one size."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf


def _images() -> Any:
    return tf.ragged.constant([[[[1.0], [2]], [[3], [4]]], [[[5.0], [6], [7]]]], ragged_rank=2)


_BILINEAR = [[[[1.0], [2.0]], [[3.0], [4.0]]], [[[5.25], [6.75]], [[5.25], [6.75]]]]
_NEAREST = [[[[1.0], [2.0]], [[3.0], [4.0]]], [[[5.0], [7.0]], [[5.0], [7.0]]]]
_BILINEAR_OF_VERSION_1 = [[[[1.0], [2.0]], [[3.0], [4.0]]], [[[5.0], [6.5]], [[5.0], [6.5]]]]


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (lambda images: tf.image.resize(images, [2, 2]), _BILINEAR),
        (lambda images: tf.image.resize(images, [2, 2], method="nearest"), _NEAREST),
        (lambda images: tf.compat.v1.image.resize(images, [2, 2]), _BILINEAR_OF_VERSION_1),
        (lambda images: tf.compat.v1.image.resize_images(images, [2, 2]), _BILINEAR_OF_VERSION_1),
    ],
)
def test_a_ragged_batch_becomes_a_dense_one(call: Any, expected: Any) -> None:
    assert call(_images()).numpy().tolist() == expected
    assert tf.function(call, autograph=False)(_images()).numpy().tolist() == expected


def test_images_of_integers_stay_integers_where_pixels_are_picked() -> None:
    images = tf.cast(_images(), tf.uint8)
    assert tf.image.resize(images, [1, 1], method="nearest").dtype is tf.uint8
    assert tf.image.resize(images, [1, 1]).dtype is tf.float32


def test_what_is_no_batch_of_images_is_refused() -> None:
    with pytest.raises(ValueError, match="must be 4 if images is ragged"):
        tf.image.resize(tf.ragged.constant([[1.0]]), [2, 2])


def test_the_gradient_reaches_each_image() -> None:
    images = _images()
    with tf.GradientTape() as tape:
        tape.watch(images.flat_values)
        total = tf.reduce_sum(tf.image.resize(images, [2, 2], method="nearest"))
    assert tape.gradient(total, images.flat_values).numpy().reshape(-1).tolist() == [1, 1, 1, 1, 2, 0, 2]
