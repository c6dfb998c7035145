"""Logarithms and square roots of matrices."""

from __future__ import annotations

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import Sample
from tests.ops.linalg.matrices import FLOATS, hermitian, matrix

SAMPLES = [
    *(Sample("MatrixLogarithm", (matrix(dtype, 2, 3, 3),)) for dtype in ("complex64", "complex128")),
    *(Sample("MatrixLogarithm", (matrix("complex64", *shape),)) for shape in ((0, 0), (0, 2, 2))),
    Sample("MatrixLogarithm", (matrix("complex128", 3, 3),), grad=True),
    *(Sample("MatrixSquareRoot", (hermitian(dtype, 2, 3, 3),)) for dtype in FLOATS),
    Sample("MatrixSquareRoot", (hermitian("float16", 2, 2),)),
    *(Sample("MatrixSquareRoot", (matrix("float32", *shape),)) for shape in ((0, 0), (0, 2, 2))),
    *(Sample("MatrixSquareRoot", (matrix(t, 3, 3),), grad=True) for t in ("float64", "complex128")),
]


def test_logarithm_and_exponential_undo_each_other() -> None:
    x = matrix("complex128", 2, 3, 3)
    np.testing.assert_allclose(tf.linalg.expm(tf.linalg.logm(x)), x, atol=1e-10)
    assert np.isnan(tf.linalg.logm(tf.zeros([2, 2], tf.complex64))).all()


def test_the_root_times_itself_is_the_matrix() -> None:
    x = matrix("float64", 2, 3, 3)
    np.testing.assert_allclose(tf.linalg.sqrtm(x) @ tf.linalg.sqrtm(x), x, atol=1e-10)
    turn = tf.linalg.sqrtm(tf.constant([[0.0, -1.0], [1.0, 0.0]]))
    np.testing.assert_allclose(turn, np.sqrt(0.5) * np.array([[1.0, -1.0], [1.0, 1.0]]), rtol=1e-6)


def test_a_real_matrix_without_a_real_root_gives_nan() -> None:
    assert np.isnan(tf.linalg.sqrtm([[-1.0]])).all()


@pytest.mark.parametrize("function", [tf.linalg.expm, tf.linalg.sqrtm, tf.linalg.logm])
def test_what_is_not_a_square_matrix_raises(function: object) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="Input matrix must be square"):
        function(tf.ones([2, 3], tf.complex64))  # type: ignore[operator]
    with pytest.raises(tf.errors.InvalidArgumentError, match="must have rank >= 2"):
        function(tf.ones([2], tf.complex64))  # type: ignore[operator]
