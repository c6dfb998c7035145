"""Triangular systems given by bands, and eigenvalues of tridiagonal matrices."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import Sample
from tests.ops.linalg.matrices import FLOATS, matrix


def bands(dtype: str, count: int, *shape: int) -> Any:
    """Bands of a lower or upper triangular matrix, both diagonals of which are heavy."""
    x = matrix(dtype, *shape[:-1], count, shape[-1], seed=2)
    x[..., 0, :] += 2
    if count > 1:
        x[..., -1, :] += 2
    return x


def whole(x: Any, lower: bool) -> Any:
    count, size = x.shape[-2:]
    result = np.zeros((*x.shape[:-2], size, size), x.dtype)
    for k in range(count):
        for i in range(size):
            j = i - k if lower else i + k
            if 0 <= j < size:
                result[..., i, j] = x[..., k if lower else count - 1 - k, i]
    return result


SAMPLES = [
    *(
        Sample("BandedTriangularSolve", (bands(dtype, 2, 4), matrix(dtype, 4, 3)), {"lower": lower, "adjoint": adjoint})
        for dtype in FLOATS
        for lower in (False, True)
        for adjoint in (False, True)
    ),
    Sample("BandedTriangularSolve", (bands("float16", 1, 2), matrix("float16", 2, 1)), rtol=2e-2),
    Sample("BandedTriangularSolve", (bands("float32", 2, 3), matrix("float32", 3, 0))),
    *(
        Sample(
            "BandedTriangularSolve",
            (bands("complex128", *a), matrix("complex128", *b)),
            {"lower": lower, "adjoint": adjoint},
            grad=True,
        )
        for a, b in (((3, 4), (4, 2)), ((2, 2, 3), (3, 1)), ((2, 3), (2, 3, 1)))
        for lower in (False, True)
        for adjoint in (False, True)
    ),
]


@pytest.mark.parametrize("lower", [False, True])
def test_the_solution_is_that_of_the_whole_matrix(lower: bool) -> None:
    x, rhs = bands("complex128", 3, 2, 5), matrix("complex128", 2, 5, 2)
    dense = whole(x, lower)
    np.testing.assert_allclose(tf.linalg.banded_triangular_solve(x, rhs, lower=lower), np.linalg.solve(dense, rhs))
    result = tf.linalg.banded_triangular_solve(x, rhs, lower=lower, adjoint=True)
    np.testing.assert_allclose(result, np.linalg.solve(np.conj(np.swapaxes(dense, -1, -2)), rhs))


def test_what_tensorflow_answers() -> None:
    x, rhs = tf.constant([[2.0, 3.0, 4.0], [9.0, 1.0, 5.0]]), tf.constant([[2.0], [5.0], [14.0]])
    solve = tf.linalg.banded_triangular_solve
    np.testing.assert_allclose(solve(x, rhs), [[1.0], [4 / 3], [11 / 6]], rtol=1e-6)
    np.testing.assert_allclose(solve(x, rhs, lower=False), [[0.9777777], [-3.4], [2.8]], rtol=1e-6)
    np.testing.assert_allclose(solve(x, rhs, adjoint=True), [[3.0833333], [-4.1666665], [3.5]], rtol=1e-6)


@pytest.mark.parametrize(
    ("shape", "rhs_shape", "message"),
    [
        ([2, 3], [2, 1], r"In\[0\] mismatch In\[1\] shape: 3 vs. 2: \[2,3\] \[2,1\] 1 0"),
        ([2, 3], [3], r"In\[1\] ndims must be >= 2: 1"),
        ([3], [3, 1], r"In\[0\] ndims must be >= 2: 1"),
        ([0, 3], [3, 1], r"In\[0\] must not be an empty tensor"),
        ([4, 3], [3, 1], r"Number of bands 4 cannot exceed the size of the matrix 3"),
        ([2, 2, 3], [3, 3, 1], r"must have compatible batch dimensions: \[2,2,3\] vs. \[3,3,1\]"),
    ],
)
def test_bands_that_do_not_fit_raise(shape: list[int], rhs_shape: list[int], message: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        tf.linalg.banded_triangular_solve(tf.ones(shape), tf.ones(rhs_shape))


def test_a_zero_on_the_diagonal_raises() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="Input matrix is not invertible"):
        tf.linalg.banded_triangular_solve(tf.zeros([1, 3]), tf.ones([3, 1]))


ALPHA, BETA = [1.0, 2.0, 3.0], [0.5, 0.25]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, [0.7886824, 2.1451888, 3.0661283]),
        ({"select": "v", "select_range": (0.0, 2.0)}, [0.7886824]),
        ({"select": "v", "select_range": (50.0, 60.0)}, []),
        ({"select": "i", "select_range": (0, 1)}, [0.7886824, 2.1451888]),
    ],
)
def test_eigenvalues_of_tridiagonal_matrices_are_tensorflows(options: dict[str, Any], expected: list[float]) -> None:
    np.testing.assert_allclose(tf.linalg.eigh_tridiagonal(ALPHA, BETA, **options), expected, rtol=1e-6)
    values, vectors = tf.linalg.eigh_tridiagonal(ALPHA, BETA, eigvals_only=False, **options)
    np.testing.assert_allclose(values, expected, rtol=1e-6)
    dense = np.diag(ALPHA) + np.diag(BETA, 1) + np.diag(BETA, -1)
    np.testing.assert_allclose(dense @ vectors.numpy(), vectors.numpy() * values.numpy(), atol=1e-6)


def test_eigenvalues_of_complex_tridiagonal_matrices_are_real() -> None:
    alpha, beta = tf.constant([1 + 0j, 2, 3]), tf.constant([0.5 + 0.5j, 0.25j])
    values, vectors = tf.linalg.eigh_tridiagonal(alpha, beta, eigvals_only=False)
    assert (values.dtype, vectors.dtype) == (tf.float64, tf.complex128)
    np.testing.assert_allclose(values, [0.6283381, 2.296719, 3.0749426], rtol=1e-6)
    dense = np.diag(alpha) + np.diag(beta, 1) + np.diag(np.conj(beta), -1)
    np.testing.assert_allclose(dense @ vectors.numpy(), vectors.numpy() * values.numpy(), atol=1e-12)


def test_bad_arguments_of_eigh_tridiagonal_raise() -> None:
    with pytest.raises(ValueError, match="'select must have a value in"):
        tf.linalg.eigh_tridiagonal(ALPHA, BETA, select="x")
    with pytest.raises(ValueError, match="'alpha' and 'beta' must have the same type"):
        tf.linalg.eigh_tridiagonal(tf.ones([3]), tf.ones([2], tf.float64))
    with pytest.raises(tf.errors.InvalidArgumentError, match="Got empty index range in select_range"):
        tf.linalg.eigh_tridiagonal(ALPHA, BETA, select="i", select_range=(1, 0))
    with pytest.raises(tf.errors.InvalidArgumentError, match="Got empty interval in select_range"):
        tf.linalg.eigh_tridiagonal(ALPHA, BETA, select="v", select_range=(2.0, 0.0))
