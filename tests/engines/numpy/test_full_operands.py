"""A program reads arrays instead of numbers where NumPy is slow with numbers, and computes the same bits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf

_SPECIAL = np.array([0.0, -0.0, np.nan, -np.nan, np.inf, -np.inf, 1.0, -1.0])
_BITS = {"float32": "u4", "float64": "u8"}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("number", [0.0, -0.0, 1.0, np.nan, np.inf, -np.inf])
def test_bounds_by_numbers_give_the_same_bits(dtype: str, number: float) -> None:
    values = np.resize(_SPECIAL, (41, 57)).astype(dtype)
    bound = np.array(number, dtype)

    @tf.function(jit_compile=False)
    def bounded(x: Any) -> Any:
        return tf.minimum(x, bound), tf.maximum(bound, x), tf.maximum(tf.minimum(x, bound), -bound)

    expected = np.minimum(values, bound), np.maximum(bound, values), np.maximum(np.minimum(values, bound), -bound)
    for found, one in zip(bounded(tf.constant(values)), expected, strict=True):
        assert (found.numpy().view(_BITS[dtype]) == one.view(_BITS[dtype])).all()


@pytest.mark.parametrize("shape", [(3,), (2048,), (96, 96, 3), (70_000,)])
@pytest.mark.parametrize("dtype", ["int32", "uint8", "float16", "bfloat16"])
def test_every_shape_and_dtype_is_bounded(shape: tuple[int, ...], dtype: str) -> None:
    values = tf.cast(tf.reshape(tf.range(int(np.prod(shape))) % 9, shape), dtype)
    bounded = tf.function(lambda x: tf.minimum(tf.maximum(x, tf.cast(2, dtype)), tf.cast(5, dtype)), jit_compile=False)
    assert bounded(values).numpy().tolist() == np.clip(np.arange(np.prod(shape)) % 9, 2, 5).reshape(shape).tolist()


def test_a_number_that_widens_nothing_and_a_number_that_is_computed_stay_numbers() -> None:
    column = tf.zeros([64, 1])
    bounded = tf.function(lambda x, y: tf.minimum(x, y) + tf.minimum(tf.maximum(y, 1.0), 2.0), jit_compile=False)
    assert bounded(column, tf.zeros([64])).shape == [64, 64]
    chosen = tf.function(lambda x, y: tf.minimum(x, y), jit_compile=False)
    assert chosen(tf.ones([64, 64]), tf.constant(0.5)).numpy().max() == 0.5
