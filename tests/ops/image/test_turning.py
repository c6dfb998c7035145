"""Mirrored and turned images."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.ops.array.answers import check_refusal

_BATCH = np.arange(2 * 4 * 5 * 3).reshape(2, 4, 5, 3)
_FLIPS = {
    "flip_left_right": lambda x: np.flip(x, -2),
    "flip_up_down": lambda x: np.flip(x, -3),
    "transpose": lambda x: np.swapaxes(x, -3, -2),
    "rot90": lambda x: np.rot90(x, axes=(-3, -2)),
}


@pytest.mark.parametrize("name", _FLIPS)
@pytest.mark.parametrize("dtype", [np.uint8, np.float16, np.int64, np.float64, np.bool_])
def test_one_image_and_a_batch_are_turned_alike(name: str, dtype: Any) -> None:
    images = (_BATCH % 2 if dtype == np.bool_ else _BATCH).astype(dtype)
    for x in (images, images[0]):
        found = getattr(tf.image, name)(x)
        assert found.dtype == tf.as_dtype(dtype)
        np.testing.assert_array_equal(found, _FLIPS[name](x))


@pytest.mark.parametrize("quarters", range(-2, 6))
def test_quarters_count_against_the_clock(quarters: int) -> None:
    for x in (_BATCH, _BATCH[0]):
        expected = np.rot90(x, quarters, axes=(-3, -2))
        np.testing.assert_array_equal(tf.image.rot90(x, quarters), expected)
        np.testing.assert_array_equal(tf.image.rot90(x, tf.constant(quarters)), expected)


@pytest.mark.parametrize("shape", [None, [None] * 4, [None] * 3])
@pytest.mark.parametrize("name", _FLIPS)
def test_shapes_need_not_be_known_while_tracing(name: str, shape: Any) -> None:
    x = _BATCH[0] if shape is not None and len(shape) == 3 else _BATCH
    function = tf.function(getattr(tf.image, name), input_signature=[tf.TensorSpec(shape, tf.int64)])
    np.testing.assert_array_equal(function(x), _FLIPS[name](x))


@pytest.mark.parametrize("shape", [None, [None] * 4, [2, 4, 5, 3], [None] * 3])
def test_quarters_need_not_be_known_while_tracing(shape: Any) -> None:
    specs = [tf.TensorSpec(shape, tf.int64), tf.TensorSpec([], tf.int32)]
    turn = tf.function(tf.image.rot90, input_signature=specs)
    x = _BATCH[0] if shape is not None and len(shape) == 3 else _BATCH
    for quarters in range(-1, 5):
        np.testing.assert_array_equal(turn(x, quarters), np.rot90(x, quarters, axes=(-3, -2)))


def test_known_quarters_give_a_known_shape() -> None:
    function = tf.function(tf.image.rot90, input_signature=[tf.TensorSpec([4, None, 3])])
    assert function.get_concrete_function().output_shapes.as_list() == [None, 4, 3]


@pytest.mark.parametrize("name", _FLIPS)
def test_other_ranks_and_images_without_pixels_are_refused(name: str) -> None:
    call = getattr(tf.image, name)
    check_refusal(lambda: call(_BATCH[0, 0]), ValueError, "'image' (shape (5, 3)) must be at least three-dimensional.")
    check_refusal(lambda: call(_BATCH[:, :0]), ValueError, "inner 3 dims of 'image.shape' must be > 0: (2, 0, 5, 3)")
    gap = "" if name.startswith("flip") else " "
    words = f"'image' (shape (1, 2, 4, 5, 3)){gap}must have either 3 or 4 dimensions."
    check_refusal(lambda: call(_BATCH[None]), ValueError, words)


def test_an_image_without_pixels_is_refused_when_the_graph_runs() -> None:
    turn = tf.function(tf.image.rot90, input_signature=[tf.TensorSpec([None, None, 3], tf.int64)])
    with pytest.raises(tf.errors.InvalidArgumentError, match="inner 3 dims of"):
        turn(_BATCH[0, :0])


def test_quarters_are_one_number() -> None:
    check_refusal(lambda: tf.image.rot90(_BATCH, [1]), ValueError, "Shape (1,) must have rank 0")


@pytest.mark.parametrize("name", _FLIPS)
def test_images_of_a_vectorized_map_are_turned_together(name: str) -> None:
    found = tf.vectorized_map(getattr(tf.image, name), _BATCH, fallback_to_while_loop=False)
    np.testing.assert_array_equal(found, _FLIPS[name](_BATCH))


def test_a_gradient_is_turned_back() -> None:
    x, weights = tf.Variable(_BATCH[0].astype(np.float32)), np.random.default_rng(0).normal(size=(5, 4, 3))
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.image.rot90(x) * weights.astype(np.float32))
    np.testing.assert_allclose(tape.gradient(y, x), np.rot90(weights, -1), rtol=1e-6)


def test_the_name_of_tensorflow_1_is_the_same_function() -> None:
    assert tf.compat.v1.image.transpose_image is tf.image.transpose
