"""Shapes that fit no memory are refused at once, in TensorFlow's words, and no NumPy message reaches the user."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf


@pytest.mark.parametrize("make", [tf.zeros, tf.ones])
def test_a_filled_tensor_that_fits_no_memory_is_refused(make: Any) -> None:
    with pytest.raises(tf.errors.ResourceExhaustedError, match=r"shape\[2147483648,2147483648\]"):
        make([2**31, 2**31])
    with pytest.raises(ValueError, match="out-of-range integer"):
        make([2**63])


@pytest.mark.parametrize(
    "make",
    [
        lambda: tf.eye(2**20),
        lambda: tf.eye(2**20, batch_shape=[2]),
        lambda: tf.ones([2**20, 1]) * tf.ones([1, 2**20]),
        tf.function(lambda: tf.ones([2**20, 1]) * tf.ones([1, 2**20]), autograph=False),
        tf.function(lambda: tf.eye(2**20), autograph=False),
    ],
)
def test_a_computed_tensor_that_fits_no_memory_is_refused(make: Any) -> None:
    with pytest.raises(
        tf.errors.ResourceExhaustedError, match=r"OOM when allocating tensor with shape\[1048576,1048576\]"
    ):
        make()


def test_an_empty_tensor_may_have_a_huge_dimension() -> None:
    assert tf.zeros([2**31, 0]).shape == (2**31, 0)
    assert tf.function(lambda: tf.zeros([2**31, 0]), autograph=False)().shape == (2**31, 0)


@pytest.mark.parametrize("draw", [tf.random.normal, tf.random.uniform, tf.random.truncated_normal])
def test_random_numbers_that_fit_no_memory_are_refused_at_once(draw: Any) -> None:
    with pytest.raises(tf.errors.ResourceExhaustedError, match="larger than any array"):
        draw([2**31 - 1, 2**31 - 1])
