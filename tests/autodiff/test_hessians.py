"""`tf.hessians` in functions."""

from __future__ import annotations

import pytest

import millrace as tf


def test_in_eager_mode_hessians_are_refused() -> None:
    x = tf.constant(1.0)
    with pytest.raises(RuntimeError, match=r"tf.gradients is not supported when eager execution is enabled"):
        tf.hessians(x, x)


def test_hessians() -> None:
    def f(x):
        return tf.hessians(x[0] * x[0] * x[1], x)[0]

    assert tf.function(f)(tf.constant([2.0, 3.0])).numpy().tolist() == [[6.0, 4.0], [4.0, 0.0]]


def test_hessians_of_unknown_shapes_have_the_size_of_the_argument() -> None:
    f = tf.function(lambda x: tf.hessians(tf.reduce_sum(x**3), x)[0], input_signature=[tf.TensorSpec(None)])
    assert f(tf.constant([1.0, 2.0])).numpy().tolist() == [[6.0, 0.0], [0.0, 12.0]]
    assert f(tf.constant(3.0)).numpy().tolist() == 18.0


def test_the_hessian_of_a_linear_function_is_zero() -> None:
    f = tf.function(lambda x: tf.hessians(tf.reduce_sum(x * 3.0), x)[0])
    assert f(tf.constant([1.0, 2.0])).numpy().tolist() == [[0.0, 0.0], [0.0, 0.0]]


def test_hessians_of_a_matrix_have_four_axes() -> None:
    found = tf.function(lambda x: tf.hessians(tf.reduce_sum(x**3.0), x)[0], autograph=False)(tf.ones([2, 2]))
    assert found.shape == [2, 2, 2, 2]
    assert tf.linalg.diag_part(tf.reshape(found, [4, 4])).numpy().tolist() == [6.0] * 4
