"""Jacobians of tensors of a graph, in a session."""

from __future__ import annotations

import numpy as np
import pytest

import millrace as tf

v1 = tf.compat.v1


def test_both_jacobians_agree() -> None:
    with tf.Graph().as_default(), v1.Session():
        x = v1.placeholder(tf.float64, [2, 2])
        start = np.array([[1.0, 2.0], [3.0, 4.0]])
        pair = v1.test.compute_gradient(x, [2, 2], tf.reduce_sum(x * x, 1), [2], start)
        expected = np.array([[2.0, 0.0], [4.0, 0.0], [0.0, 6.0], [0.0, 8.0]])
        for jacobian in pair:
            np.testing.assert_allclose(jacobian, expected, atol=1e-6)


def test_a_wrong_gradient_shows_as_an_error() -> None:
    @tf.custom_gradient
    def wrong(x):  # type: ignore[no-untyped-def]
        return x * x, lambda dy: dy

    with tf.Graph().as_default(), v1.Session():
        x = v1.placeholder(tf.float64, [1])
        assert v1.test.compute_gradient_error(x, [1], wrong(x), [1], np.array([3.0])) == pytest.approx(5.0)


def test_a_tensor_that_does_not_depend_has_zeros() -> None:
    with tf.Graph().as_default(), v1.Session():
        x = v1.placeholder(tf.float64, [2])
        by_gradients, _ = v1.test.compute_gradient(x, [2], tf.ones([3], tf.float64), [3])
        assert not by_gradients.any() and by_gradients.shape == (2, 3)


def test_a_session_is_needed() -> None:
    with tf.Graph().as_default():
        x = v1.placeholder(tf.float64, [1])
        with pytest.raises(ValueError, match="No default session is registered"):
            v1.test.compute_gradient(x, [1], x, [1])
