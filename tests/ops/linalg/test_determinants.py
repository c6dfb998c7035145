"""Determinants: values against NumPy's, TensorFlow's answers for singular, empty and bad input, gradients."""

from __future__ import annotations

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import Sample
from tests.ops.linalg.matrices import FLOATS, hermitian, matrix

SAMPLES = [
    sample
    for op in ("MatrixDeterminant", "LogMatrixDeterminant")
    for sample in (
        *(Sample(op, (matrix(dtype, 3, 3),)) for dtype in FLOATS),
        Sample(op, (matrix("float16", 2, 2, 2),), rtol=2e-2),
        Sample(op, (matrix("float32", 0, 2, 2),)),
        Sample(op, (matrix("float64", 0, 0),)),
        Sample(op, (matrix("float64", 2, 3, 3),), grad=True),
        Sample(op, (matrix("complex128", 3, 3),), grad=True),
    )
]


def test_the_determinant_of_a_singular_matrix_is_zero() -> None:
    assert tf.linalg.det([[1.0, 2.0], [2.0, 4.0]]).numpy() == 0
    sign, logarithm = tf.linalg.slogdet([[1.0, 2.0], [2.0, 4.0]])
    assert (sign.numpy(), logarithm.numpy()) == (0, -np.inf)


def test_slogdet_returns_a_named_tuple() -> None:
    result = tf.linalg.slogdet(matrix("float64", 3, 3))
    assert type(result).__name__ == "LogMatrixDeterminant"
    np.testing.assert_allclose(result.sign * tf.exp(result.log_abs_determinant), tf.linalg.det(matrix("float64", 3, 3)))


def test_the_determinant_of_what_is_not_a_square_matrix_raises() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="Input matrix must be square"):
        tf.linalg.det(tf.ones([2, 3]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="Input tensor 0 must have rank >= 2, got 1"):
        tf.linalg.slogdet(tf.ones([2]))
    with tf.Graph().as_default():
        with pytest.raises(ValueError, match="Dimensions must be equal, but are 3 and 2"):
            tf.linalg.det(tf.ones([2, 3]))
        with pytest.raises(ValueError, match="Shape must be at least rank 2 but is rank 1"):
            tf.linalg.det(tf.ones([2]))


def test_logdet_is_the_logarithm_of_the_determinant_and_real() -> None:
    for dtype in ("float64", "complex128"):
        x = hermitian(dtype, 2, 3, 3)
        result = tf.linalg.logdet(x)
        assert result.dtype == tf.float64
        np.testing.assert_allclose(result, np.log(np.real(np.linalg.det(x))))
    assert np.isnan(tf.linalg.logdet([[-1.0]]))
    assert tf.linalg.logdet(tf.zeros([0, 0])).numpy() == 0


def test_logdet_names_its_nodes_as_tensorflow_does() -> None:
    with tf.Graph().as_default() as graph:
        tf.linalg.logdet(tf.eye(2))
    names = [op.name for op in graph.get_operations() if op.name.startswith("logdet") and op.type != "Const"]
    assert names == ["logdet/Cholesky", "logdet/diag_part", "logdet/Log", "logdet/Sum", "logdet/mul"]


def test_the_gradient_of_a_determinant_can_be_differentiated_again() -> None:
    x = tf.constant([[2.0, 1.0], [1.0, 3.0]], tf.float64)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = tf.linalg.det(x)
        gradient = inner.gradient(y, x)
        corner = gradient[0, 0]
    np.testing.assert_allclose(gradient, [[3.0, -1.0], [-1.0, 2.0]])
    np.testing.assert_allclose(outer.gradient(corner, x), [[0.0, 0.0], [0.0, 1.0]], atol=1e-12)
