"""Initializers: TensorFlow's values, configurations, parts of variables, and refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf


def test_values_are_those_of_tensorflow() -> None:
    normal, uniform = tf.random_normal_initializer, tf.random_uniform_initializer
    np.testing.assert_allclose(normal(seed=3)([3]).numpy(), [-0.03357924, 0.08380252, -0.04721227], rtol=1e-6)
    np.testing.assert_allclose(normal(1.0, 2.0, seed=3)([2], tf.float64).numpy(), [3.12670152, 0.89029979])
    np.testing.assert_allclose(uniform(seed=3)([3]).numpy(), [-0.03040872, 0.04393453, 0.00322752], rtol=1e-6)
    assert uniform(0, 10, seed=3)([3], dtype=tf.int32).numpy().tolist() == [8, 7, 2]
    assert tf.zeros_initializer()([2], dtype=tf.bool).numpy().tolist() == [False, False]
    assert tf.ones_initializer()([1], dtype=tf.complex64).numpy().tolist() == [1]
    assert tf.constant_initializer([1, 2, 3, 4])([2, 2]).numpy().tolist() == [[1, 2], [3, 4]]
    assert tf.constant_initializer(3)([2], dtype=tf.float16).dtype is tf.float16


def test_a_seed_makes_equal_values_and_no_seed_fresh_ones() -> None:
    seeded, free = tf.random_normal_initializer(seed=1), tf.random_normal_initializer()
    assert (seeded([4]).numpy() == seeded([4]).numpy()).all()
    assert (free([4]).numpy() != free([4]).numpy()).any()


@pytest.mark.parametrize(
    "initializer",
    [
        tf.zeros_initializer(),
        tf.ones_initializer(),
        tf.constant_initializer(7),
        tf.random_uniform_initializer(1.0, 2.0, 3),
        tf.random_normal_initializer(1.0, 2.0, 3),
    ],
    ids=lambda i: type(i).__name__,
)
def test_a_configuration_makes_an_equal_initializer(initializer: Any) -> None:
    again = type(initializer).from_config(initializer.get_config())
    assert again.get_config() == initializer.get_config()
    assert (again([3]).numpy() == initializer([3]).numpy()).all()


def test_a_part_of_a_variable_is_made_alone() -> None:
    part = {"partition_shape": (2,), "partition_offset": (0,)}
    assert tf.zeros_initializer()([4], **part).shape == [2]
    assert tf.constant_initializer(1, support_partition=True)([4], **part).shape == [2]
    with pytest.raises(ValueError, match="Constant initializer doesn't support partition-related arguments"):
        tf.constant_initializer(1)([4], **part)
    with pytest.raises(TypeError, match=r"Keyword argument should be one of .* Received: foo"):
        tf.zeros_initializer()([2], foo=1)


def test_dtypes_and_values_that_do_not_fit_raise() -> None:
    with pytest.raises(ValueError, match="Argument `dtype` is expected to be floating point"):
        tf.random_normal_initializer()([2], dtype=tf.int32)
    with pytest.raises(ValueError, match="Argument `dtype` expected to be numeric or boolean"):
        tf.random_uniform_initializer()([2], dtype=tf.bool)
    with pytest.raises(ValueError, match="Argument `dtype` expected to be numeric or boolean"):
        tf.zeros_initializer()([2], dtype=tf.string)
    with pytest.raises(TypeError, match="Invalid type for initial value: dict"):
        tf.constant_initializer({1: 2})
