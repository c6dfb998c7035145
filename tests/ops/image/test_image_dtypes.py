"""Pictures in other dtypes."""

from __future__ import annotations

import numpy as np
import pytest

import millrace as tf

_INTEGERS = ("uint8", "int8", "uint16", "int16", "int32", "uint32", "int64", "uint64")


@pytest.mark.parametrize("name", _INTEGERS)
def test_white_is_one_in_floating_point(name: str) -> None:
    white = tf.constant([getattr(tf, name).max], name)
    assert tf.image.convert_image_dtype(white, tf.float64).numpy() == pytest.approx([1.0])


@pytest.mark.parametrize("target", _INTEGERS)
@pytest.mark.parametrize("source", _INTEGERS)
def test_integers_come_back_from_a_larger_dtype(source: str, target: str) -> None:
    image = tf.constant([0, 1, 100, 127], source)
    there = tf.image.convert_image_dtype(image, target)
    if getattr(tf, target).max >= getattr(tf, source).max:
        assert tf.image.convert_image_dtype(there, source).numpy().tolist() == [0, 1, 100, 127]


@pytest.mark.parametrize("name", ["uint8", "int8", "uint16"])
def test_all_integers_come_back_from_float32(name: str) -> None:
    dtype = getattr(tf, name)
    image = tf.cast(tf.range(int(dtype.min), int(dtype.max) + 1), dtype)[int(dtype.min != 0) and 1 - int(dtype.min) :]
    there = tf.image.convert_image_dtype(image, tf.float32)
    assert bool(tf.reduce_all(tf.equal(tf.image.convert_image_dtype(there, dtype), image)))


def test_saturation_clips_before_the_cast() -> None:
    image = tf.constant([-1.0, 0.5, 2.0])
    assert tf.image.convert_image_dtype(image, tf.uint8, saturate=True).numpy().tolist() == [0, 127, 255]
    assert tf.image.convert_image_dtype(tf.constant([300], tf.int16), tf.uint8, saturate=True).numpy().tolist() == [2]


def test_the_same_dtype_gives_the_same_values() -> None:
    assert tf.image.convert_image_dtype([3.0], tf.float32).numpy().tolist() == [3.0]


@pytest.mark.parametrize(
    ("image", "dtype", "words"),
    [([1.0], tf.string, "dtype must be either"), (["a"], tf.uint8, "image dtype must be either")],
)
def test_dtypes_of_no_pictures_are_refused(image: object, dtype: object, words: str) -> None:
    with pytest.raises(AttributeError, match=words):
        tf.image.convert_image_dtype(image, dtype)


def test_gradients_are_scaled() -> None:
    x = tf.constant([0.5], tf.float64)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.image.convert_image_dtype(x, tf.float32) * 3
    assert tape.gradient(y, x).numpy().tolist() == [3.0]


def test_rows_of_a_vectorized_map_are_converted_at_once() -> None:
    images = np.arange(12, dtype=np.uint8).reshape(3, 4)
    floats = tf.vectorized_map(lambda x: tf.image.convert_image_dtype(x, tf.float32), tf.constant(images))
    np.testing.assert_allclose(floats.numpy(), images / np.float32(255), rtol=1e-6)
