"""The matrix exponential: the op, and TensorFlow's nodes in a graph."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg

import millrace as tf
from tests.contracts.sample import Sample
from tests.ops.linalg.matrices import matrix

SAMPLES = [
    *(Sample("MatrixExponential", (matrix(dtype, 2, 3, 3),), rtol=1e-4) for dtype in ("float32", "complex64")),
    *(Sample("MatrixExponential", (matrix(dtype, 3, 3),), rtol=1e-9) for dtype in ("float64", "complex128")),
    Sample("MatrixExponential", (matrix("float16", 2, 2),), rtol=2e-2),
    *(Sample("MatrixExponential", (matrix("float32", *shape),)) for shape in ((0, 0), (0, 2, 2))),
    *(Sample("MatrixExponential", (0.5 * matrix(t, 2, 2, 2),), grad=True) for t in ("float64", "complex128")),
]


@pytest.mark.parametrize("scale", [0.0, 0.01, 1.0, 30.0])
def test_the_exponential_is_that_of_scipy(scale: float) -> None:
    x = scale * matrix("float64", 2, 4, 4)
    np.testing.assert_allclose(tf.linalg.expm(x), scipy.linalg.expm(x), rtol=1e-9)


def test_matrices_of_different_size_are_scaled_each_on_its_own() -> None:
    x = np.stack([np.eye(2) * 1e-3, np.eye(2) * 40.0])
    np.testing.assert_allclose(tf.linalg.expm(x), np.exp([1e-3, 40.0])[:, None, None] * np.eye(2), rtol=1e-12)


def test_the_exponential_of_nan_is_nan_and_of_integers_raises() -> None:
    assert np.isnan(tf.linalg.expm(tf.fill([2, 2], np.nan))).all()
    with pytest.raises(ValueError, match=r"tf\.linalg\.expm does not support matrices of type"):
        tf.linalg.expm([[1, 2], [3, 4]])


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
