"""Tridiagonal systems and products."""

from __future__ import annotations

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import Sample
from tests.ops.linalg.matrices import FLOATS, matrix


def diagonals(dtype: str, *shape: int) -> np.ndarray:
    """`[..., 3, M]` with a heavy middle row."""
    x = matrix(dtype, *shape[:-1], 3, shape[-1], seed=4)
    x[..., 1, :] += 3
    return x


def dense(x: np.ndarray) -> np.ndarray:
    size = x.shape[-1]
    whole = np.zeros((*x.shape[:-2], size, size), x.dtype)
    for i in range(size):
        whole[..., i, i] = x[..., 1, i]
        if i + 1 < size:
            whole[..., i, i + 1], whole[..., i + 1, i] = x[..., 0, i], x[..., 2, i + 1]
    return whole


def product(dtype: str, *shape: int, **options: bool) -> Sample:
    x = diagonals(dtype, *shape[:-1])
    return Sample("TridiagonalMatMul", (x[..., :1, :], x[..., 1:2, :], x[..., 2:, :], matrix(dtype, *shape)), **options)


EMPTY = ((0, 2), (3, 0), (1, 2))
SAMPLES = [
    *(product(dtype, 2, 4, 3) for dtype in FLOATS),
    *(product("float32", *shape) for shape in ((0, 2), (3, 0), (1, 2), (0, 3, 2))),
    *(product(dtype, 2, 4, 2, grad=True) for dtype in ("float64", "complex128")),
    *(
        Sample("TridiagonalSolve", (diagonals(dtype, 2, 4), matrix(dtype, 2, 4, 3)), {"partial_pivoting": pivoting})
        for dtype in FLOATS
        for pivoting in (False, True)
    ),
    *(Sample("TridiagonalSolve", (diagonals("float32", m), matrix("float32", m, k))) for m, k in EMPTY),
    *(
        Sample("TridiagonalSolve", (diagonals(dtype, 2, 4), matrix(dtype, 2, 4, 2)), grad=True)
        for dtype in ("float64", "complex128")
    ),
]

GRADIENT_SAMPLES = [
    *(
        Sample(
            "TridiagonalSolve", (diagonals("float64", *s), matrix("float64", *s, 2)), {"partial_pivoting": p}, grad=True
        )
        for s, p in (((4,), False), ((2, 3), False), ((1,), True), ((2,), True))
    ),
]


@pytest.mark.parametrize("dtype", FLOATS)
def test_products_and_solutions_are_those_of_the_whole_matrix(dtype: str) -> None:
    x, rhs = diagonals(dtype, 2, 5), matrix(dtype, 2, 5, 2)
    np.testing.assert_allclose(tf.linalg.tridiagonal_matmul(x, rhs), dense(x) @ rhs, rtol=1e-4, atol=1e-5)
    for pivoting in (False, True):
        result = tf.linalg.tridiagonal_solve(x, rhs, partial_pivoting=pivoting)
        np.testing.assert_allclose(result, np.linalg.solve(dense(x), rhs), rtol=1e-3, atol=1e-5)


def test_the_three_forms_of_diagonals_are_one() -> None:
    x, rhs = diagonals("float64", 4), matrix("float64", 4, 2)
    expected = np.linalg.solve(dense(x), rhs)
    long, short = tuple(x), (x[0, :-1], x[1], x[2, 1:])
    for given in (long, short):
        np.testing.assert_allclose(tf.linalg.tridiagonal_solve(given, rhs, "sequence"), expected)
    np.testing.assert_allclose(tf.linalg.tridiagonal_solve(dense(x), rhs, "matrix"), expected)
    np.testing.assert_allclose(tf.linalg.tridiagonal_matmul(dense(x), expected, "matrix"), rhs)


def test_right_hand_sides_may_be_vectors_transposed_or_conjugated() -> None:
    x, rhs = diagonals("complex128", 3), matrix("complex128", 2, 3)
    whole = dense(x)
    np.testing.assert_allclose(tf.linalg.tridiagonal_solve(x, rhs[0]), np.linalg.solve(whole, rhs[0]))
    result = tf.linalg.tridiagonal_solve(x, rhs, transpose_rhs=True, conjugate_rhs=True)
    np.testing.assert_allclose(result, np.linalg.solve(whole, np.conj(rhs.T)))


def test_a_singular_matrix_gives_nan() -> None:
    assert np.isnan(tf.linalg.tridiagonal_solve(tf.zeros([3, 2]), tf.ones([2]))).all()
    without_pivots = tf.constant([[1.0, 1.0], [0.0, 0.0], [1.0, 1.0]])
    assert np.isnan(tf.linalg.tridiagonal_solve(without_pivots, tf.ones([2]), partial_pivoting=False)).all()
    np.testing.assert_allclose(tf.linalg.tridiagonal_solve(without_pivots, tf.ones([2])), [1.0, 1.0])


@pytest.mark.parametrize(
    ("shape", "rhs_shape", "options", "message"),
    [
        ([2, 3], [2], {}, "Expected 3 diagonals got 2"),
        ([3, 3], [2], {}, "Expected number of left-hand sided and right-hand sides to be equal, got 3 and 2"),
        ([2, 3, 2], [2], {}, "Expected the rank of rhs to be 2 or 3, got 1"),
        ([3, 2], [2], {"diagonals_format": "foo"}, "Unrecognized diagonals_format: foo"),
    ],
)
def test_bad_shapes_raise(shape: list[int], rhs_shape: list[int], options: dict[str, str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        tf.linalg.tridiagonal_solve(tf.ones(shape), tf.ones(rhs_shape), **options)


def test_a_product_with_bad_shapes_raises() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="All input tensors must have the same rank"):
        tf.linalg.tridiagonal_matmul(tf.ones([3, 2]), tf.ones([2]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="Invalid superdiagonal shape"):
        tf.linalg.tridiagonal_matmul(tf.ones([3, 2]), tf.ones([3, 1]))
