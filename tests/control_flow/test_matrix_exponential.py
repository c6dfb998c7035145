"""The matrix exponential in a graph: TensorFlow's nodes."""

from __future__ import annotations

import numpy as np
import pytest

import millrace as tf
from tests.ops.linalg.matrices import matrix

DTYPES = ["float32", "float64", "complex64", "complex128"]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("scale", [0.01, 0.3, 1.0, 3.0])
@pytest.mark.parametrize("shape", [None, [2, 4, 4], [None, None, 4]])
def test_the_steps_in_a_graph_agree_with_the_op(dtype: str, scale: float, shape: list[int | None] | None) -> None:
    x = (scale * matrix(dtype, 2, 4, 4)).astype(dtype)
    traced = tf.function(lambda x: tf.linalg.expm(x), input_signature=[tf.TensorSpec(shape, dtype)])
    expected = tf.linalg.expm(x).numpy()
    tolerance = 1e-4 if dtype in ("float32", "complex64") else 1e-8  # the steps halve once less, as TensorFlow's do
    np.testing.assert_allclose(traced(x), expected, rtol=tolerance, atol=tolerance * np.abs(expected).max())


def test_a_graph_holds_only_ops_that_tensorflow_can_run() -> None:
    graph = tf.function(lambda x: tf.linalg.expm(x)).get_concrete_function(tf.TensorSpec([2, 2])).graph
    types = {operation.type for operation in graph.get_operations()}
    assert "MatrixExponential" not in types
    assert {"StatelessIf", "StatelessWhile", "SelectV2"} < types


def test_a_graph_gives_nan_for_nan_and_keeps_empty_shapes() -> None:
    traced = tf.function(lambda x: tf.linalg.expm(x))
    assert np.isnan(traced(tf.constant([[np.nan, 1.0], [0.0, 1.0]]))).all()
    assert traced(tf.zeros([0, 2, 2])).shape == [0, 2, 2]
    assert traced(tf.zeros([0, 0])).shape == [0, 0]


def test_gradients_through_the_steps_and_around_them_agree() -> None:
    x = tf.constant(matrix("float64", 3, 3))

    @tf.function
    def through(x: tf.Tensor) -> tf.Tensor:
        return tf.gradients(tf.reduce_sum(tf.linalg.expm(x) ** 2), x)[0]

    @tf.function
    def around(x: tf.Tensor) -> tf.Tensor:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(tf.linalg.expm(x) ** 2)
        return tape.gradient(y, x)

    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(tf.linalg.expm(x) ** 2)
    expected = tape.gradient(y, x)
    np.testing.assert_allclose(through(x), expected, rtol=1e-10)
    np.testing.assert_allclose(around(x), expected, rtol=1e-10)
