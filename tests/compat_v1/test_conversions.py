"""Conversions to tensors with TensorFlow 1's arguments."""

from __future__ import annotations

import pytest

import millrace as tf

v1 = tf.compat.v1


def test_a_preferred_dtype_is_a_hint() -> None:
    assert v1.convert_to_tensor(1, preferred_dtype=tf.float64).dtype is tf.float64
    assert v1.convert_to_tensor("a", preferred_dtype=tf.float64).dtype is tf.string
    with pytest.raises(ValueError, match="Cannot specify both 'preferred_dtype' and 'dtype_hint'"):
        v1.convert_to_tensor(1, preferred_dtype=tf.float64, dtype_hint=tf.float64)


def test_indexed_slices_stay_and_must_have_the_dtype() -> None:
    slices = tf.IndexedSlices(tf.constant([1.0]), tf.constant([0]))
    assert v1.convert_to_tensor_or_indexed_slices(slices, tf.float32) is slices
    with pytest.raises(ValueError, match="Incompatible tensor conversion requested"):
        v1.convert_to_tensor_or_indexed_slices(slices, tf.int32)
