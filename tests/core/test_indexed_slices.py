"""Texts and specs of IndexedSlices; the answers are TensorFlow's."""

from __future__ import annotations

import millrace as tf


def test_the_text_shows_the_parts() -> None:
    slices = tf.IndexedSlices(tf.constant([[1.0]]), tf.constant([0]), tf.constant([2, 1]))
    assert str(slices) == (
        "IndexedSlices(indices=tf.Tensor([0], shape=(1,), dtype=int32), "
        "values=tf.Tensor([[1.]], shape=(1, 1), dtype=float32), "
        "dense_shape=tf.Tensor([2 1], shape=(2,), dtype=int32))"
    )


def test_without_a_dense_shape_the_spec_has_the_dimensions_of_the_values() -> None:
    slices = tf.IndexedSlices(tf.ones([1, 3]), tf.constant([0]))
    assert slices.shape.rank is None
    expected = tf.IndexedSlicesSpec([None, 3], tf.float32, tf.int32, None, [1])
    assert tf.type_spec_from_value(slices) == expected
    assert repr(expected) == "IndexedSlicesSpec(TensorShape([None, 3]), tf.float32, tf.int32, None, TensorShape([1]))"


def test_with_a_dense_shape_the_spec_has_it() -> None:
    slices = tf.IndexedSlices(tf.ones([2, 3]), tf.constant([0, 1]), tf.constant([5, 3]))
    assert tf.type_spec_from_value(slices) == tf.IndexedSlicesSpec([5, 3], tf.float32, tf.int32, tf.int32, [2])
