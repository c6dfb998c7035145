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


def test_an_empty_tensor_may_have_a_huge_dimension() -> None:
    assert tf.zeros([2**31, 0]).shape == (2**31, 0)
    assert tf.function(lambda: tf.zeros([2**31, 0]), autograph=False)().shape == (2**31, 0)


@pytest.mark.parametrize("draw", [tf.random.normal, tf.random.uniform, tf.random.truncated_normal])
def test_random_numbers_that_fit_no_memory_are_refused_at_once(draw: Any) -> None:
    with pytest.raises(tf.errors.ResourceExhaustedError, match="larger than any array"):
        draw([2**31 - 1, 2**31 - 1])
