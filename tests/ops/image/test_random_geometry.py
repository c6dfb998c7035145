"""Random crops and flips."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.ops.image.test_color_spaces import _pixels

_FLIPS = {"left_right": -2, "up_down": -3}


@pytest.mark.parametrize(("name", "axis"), _FLIPS.items())
def test_each_picture_of_a_batch_is_mirrored_or_not(name: str, axis: int) -> None:
    x = _pixels(40, 2, 3, 1)
    y = getattr(tf.image, f"stateless_random_flip_{name}")(x, (1, 2)).numpy()
    mirrored = [np.array_equal(a, np.flip(b, axis)) for a, b in zip(y, x, strict=True)]
    unchanged = [np.array_equal(a, b) for a, b in zip(y, x, strict=True)]
    assert all(m != u for m, u in zip(mirrored, unchanged, strict=True))
    assert 8 < sum(mirrored) < 32


@pytest.mark.parametrize("name", _FLIPS)
def test_the_rank_may_be_unknown(name: str) -> None:
    function = getattr(tf.image, f"stateless_random_flip_{name}")
    unknown = tf.function(function, input_signature=[tf.TensorSpec(None), tf.TensorSpec([2], tf.int32)])
    for seed in range(6):
        for x in (_pixels(2, 3, 1), _pixels(4, 2, 3, 1)):
            assert np.array_equal(unknown(x, [seed, 1]), function(x, [seed, 1]))


@pytest.mark.parametrize("name", _FLIPS)
def test_static_shapes_are_kept(name: str) -> None:
    function = getattr(tf.image, f"random_flip_{name}")
    f = tf.function(lambda x: function(x), input_signature=[tf.TensorSpec([None, 2, 3, 1])], autograph=False)
    assert f.get_concrete_function().output_shapes.as_list() == [None, 2, 3, 1]


@pytest.mark.parametrize("name", _FLIPS)
def test_flips_let_gradients_through(name: str) -> None:
    x = tf.constant(_pixels(3, 2, 3, 1))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = getattr(tf.image, f"stateless_random_flip_{name}")(x, (1, 2)) * x
    assert tape.gradient(y, x).shape == x.shape


def test_a_crop_is_a_piece_of_the_picture() -> None:
    x = np.arange(60).reshape(4, 5, 3)
    positions = set()
    for seed in range(40):
        piece = tf.image.stateless_random_crop(x, [2, 3, 3], (seed, 7)).numpy()
        row, column = divmod(int(piece[0, 0, 0]) // 3, 5)
        assert np.array_equal(piece, x[row : row + 2, column : column + 3])
        positions.add((row, column))
    assert len(positions) == 9


def test_a_crop_has_a_static_shape() -> None:
    f = tf.function(lambda x: tf.image.random_crop(x, [2, 2, 3]), input_signature=[tf.TensorSpec([None, None, 3])])
    assert f.get_concrete_function().output_shapes.as_list() == [2, 2, 3]


@pytest.mark.parametrize("stateless", [False, True])
def test_a_crop_larger_than_the_picture_is_refused(stateless: bool) -> None:
    def crop(x: Any) -> Any:
        return tf.image.stateless_random_crop(x, [3, 1], (1, 2)) if stateless else tf.image.random_crop(x, [3, 1])

    with pytest.raises(tf.errors.InvalidArgumentError, match="Need value"):
        crop(tf.zeros([2, 2]))
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Need value.shape >= size, got \] \[2 2\] \[3 1\]"):
        tf.function(crop, input_signature=[tf.TensorSpec(None)])(tf.zeros([2, 2]))


def test_random_crop_is_a_name_of_version_1_too() -> None:
    assert tf.compat.v1.random_crop is tf.image.random_crop
