"""Many small matrices as planes: against LAPACK and BLAS, one matrix at a time."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.ops.linalg import small_matrices
from millrace._src.ops.linalg.small_matrices import cholesky_factors, triangular_solutions

DTYPES = [np.float32, np.float64, np.complex64, np.complex128]


def matrices(dtype: Any, *shape: int) -> Any:
    rng = np.random.default_rng(sum(shape))
    values = rng.standard_normal(shape)
    return (values + 1j * rng.standard_normal(shape) if np.dtype(dtype).kind == "c" else values).astype(dtype)


def tolerance(dtype: Any) -> float:
    return 500 * float(np.finfo(dtype).eps)


@pytest.mark.parametrize("adjoint", [False, True])
@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize(("size", "columns"), [(1, 1), (3, 2), (4, 5), (16, 1)])
@pytest.mark.parametrize("dtype", DTYPES)
def test_triangular_systems_are_solved(dtype: Any, size: int, columns: int, lower: bool, adjoint: bool) -> None:
    a = matrices(dtype, 3, 50, size, size) + 2 * size * np.eye(size, dtype=dtype)
    b = matrices(dtype, 3, 50, size, columns)
    triangles = np.tril(a) if lower else np.triu(a)
    factors = triangles.swapaxes(-1, -2).conj() if adjoint else triangles
    solutions = triangular_solutions(a, b, lower, adjoint)
    assert (solutions.dtype, solutions.shape) == (b.dtype, b.shape)
    np.testing.assert_allclose(factors @ solutions, b, atol=tolerance(dtype))


@pytest.mark.parametrize("size", [1, 2, 4, 7])
@pytest.mark.parametrize("dtype", DTYPES)
def test_factors_are_those_of_lapack(dtype: Any, size: int) -> None:
    x = matrices(dtype, 2, 70, size, size)
    x = x @ x.swapaxes(-1, -2).conj() + size * np.eye(size, dtype=dtype)
    upper_noise = np.triu(np.ones((size, size), dtype), 1)
    factors = cholesky_factors(x + upper_noise)  # only the lower triangle is read
    assert factors.dtype == x.dtype
    np.testing.assert_allclose(factors, np.linalg.cholesky(x), atol=tolerance(dtype) * size)
    assert not np.triu(factors, 1).any()


def test_a_matrix_that_is_not_positive_definite_has_nan_below_and_its_neighbours_have_none() -> None:
    x = np.tile(np.eye(3, dtype=np.float32), (300, 1, 1))
    x[5, 1, 1], x[7, 2, 2], x[9, 0, 0] = -1, 0, np.nan
    factors = tf.linalg.cholesky(x).numpy()
    bad = np.isnan(factors).any((1, 2))
    assert np.flatnonzero(bad).tolist() == [5, 7, 9]
    np.testing.assert_array_equal(np.isnan(factors[bad]), np.broadcast_to(np.tri(3, dtype=bool), (3, 3, 3)))
    np.testing.assert_array_equal(factors[~bad], x[~bad])
    np.testing.assert_array_equal(np.isnan(tf.linalg.cholesky(x[5]).numpy()), np.tri(3, dtype=bool))


def test_a_zero_on_the_diagonal_gives_infinity_where_there_are_many_systems() -> None:
    a = np.tile(np.eye(2, dtype=np.float32), (100, 1, 1))
    a[3, 1, 1] = 0
    solutions = tf.linalg.triangular_solve(a, np.ones((100, 2, 1), np.float32)).numpy()
    assert solutions[3].ravel().tolist() == [1, np.inf]
    assert np.isfinite(np.delete(solutions, 3, 0)).all()


@pytest.mark.parametrize("count", [10, 1000])
def test_batches_of_matrices_and_sides_broadcast(count: int) -> None:
    a = np.tril(matrices(np.float32, count, 1, 3, 3)) + 5 * np.eye(3, dtype=np.float32)
    b = matrices(np.float32, 2, 3, 2)
    solutions = tf.linalg.triangular_solve(a, b).numpy()
    assert solutions.shape == (count, 2, 3, 2)
    np.testing.assert_allclose(a @ solutions, np.broadcast_to(b, solutions.shape), atol=1e-5)


def test_half_precision_is_computed_in_single_precision() -> None:
    x = np.tile(np.float16([[4, 2], [2, 5]]), (100, 1, 1))
    assert tf.linalg.cholesky(x).dtype == tf.float16
    np.testing.assert_array_equal(tf.linalg.cholesky(x)[99], [[2, 0], [1, 2]])


def test_few_matrices_are_left_to_the_library() -> None:
    assert not small_matrices.is_factored_in_planes(np.zeros((5, 4, 4)))
    assert small_matrices.is_factored_in_planes(np.zeros((500, 4, 4)))
    assert not small_matrices.is_factored_in_planes(np.zeros((500, 40, 40)))
    assert not small_matrices.is_substituted_in_planes(np.zeros((5, 4, 4)), np.zeros((5, 4, 1)))
    assert small_matrices.is_substituted_in_planes(np.zeros((50, 4, 4)), np.zeros((50, 4, 1)))
