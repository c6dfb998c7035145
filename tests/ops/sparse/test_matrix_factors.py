"""Cholesky factors of sparse matrices, and orders of rows."""

# ruff: noqa: E501  (recorded programs, one to a line)

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.ops.sparse.matrices import NAMES, SPD, csr, dense
from tests.ops.sparse.recorded import Record, check

# What TensorFlow 2.21 answers.
RECORDS: list[Record] = [
    (
        "d(R.SparseMatrixSparseCholesky(input=csr(SPD),permutation=[0,1,2,3],type=tf.float32))",
        "float32:[[2.0, 0.0, 0.0, 0.0], [0.0, 2.23607, 0.0, 0.0], [0.5, 0.0, 2.39792, 0.0], [0.0, 0.89443, 0.0, 2.48998]]",
        None,
    ),
    (
        "d(R.SparseMatrixSparseCholesky(input=csr(SPD),permutation=[3,1,2,0],type=tf.float32))",
        "float32:[[2.64575, 0.0, 0.0, 0.0], [0.75593, 2.10442, 0.0, 0.0], [0.0, 0.0, 2.44949, 0.0], [0.0, 0.0, 0.40825, 1.95789]]",
        None,
    ),
    (
        "d(R.SparseMatrixSparseCholesky(input=csr(np.stack([SPD,SPD*2])),permutation=[[3,1,2,0],[0,1,2,3]],type=tf.float32))",
        "float32:[[[2.64575, 0.0, 0.0, 0.0], [0.75593, 2.10442, 0.0, 0.0], [0.0, 0.0, 2.44949, 0.0], [0.0, 0.0, 0.40825, 1.95789]], [[2.82843, 0.0, 0.0, 0.0], [0.0, 3.16228, 0.0, 0.0], [0.70711, 0.0, 3.39117, 0.0], [0.0, 1.26491, 0.0, 3.52136]]]",
        None,
    ),
    (
        "d(R.SparseMatrixSparseCholesky(input=csr(-SPD),permutation=[0,1,2,3],type=tf.float32))",
        "InvalidArgumentError: Sparse Cholesky factorization failed for batch index 0. The input might not be valid.",
        None,
    ),
    (
        "d(R.SparseMatrixSparseCholesky(input=csr(A[:2]),permutation=[0,1,2,3],type=tf.float32))",
        "InvalidArgumentError: sparse matrix must be square; got: 2 != 3",
        "ValueError: Dimensions must be equal, but are 2 and 3",
    ),
]


@pytest.mark.parametrize("mode", ["eager", "function"])
@pytest.mark.parametrize("record", RECORDS, ids=lambda r: r[0])
def test_answers_are_those_of_tensorflow(record: Record, mode: str) -> None:
    check(record, mode, NAMES)


def _arrow(size: int) -> Any:
    """A matrix whose first row and column are full: without another order its factor is full."""
    matrix = np.eye(size, dtype=np.float64) * size
    matrix[0, :] = matrix[:, 0] = 1.0
    matrix[0, 0] = size
    return matrix


def test_an_order_by_minimum_degree_keeps_the_factor_sparse() -> None:
    matrices = np.stack([_arrow(20), _arrow(20)[::-1, ::-1]])
    order = tf.raw_ops.SparseMatrixOrderingAMD(input=csr(matrices))
    assert np.sort(order.numpy(), axis=1).tolist() == [list(range(20))] * 2
    factor = tf.raw_ops.SparseMatrixSparseCholesky(input=csr(matrices), permutation=order, type=tf.float64)
    counts = tf.raw_ops.SparseMatrixNNZ(sparse_matrix=factor).numpy().tolist()
    assert counts == [39, 39]
    for lower, matrix, permutation in zip(dense(factor, tf.float64).numpy(), matrices, order.numpy(), strict=True):
        np.testing.assert_allclose(lower @ lower.T, matrix[permutation][:, permutation], atol=1e-12)


def test_the_factor_of_a_hermitian_matrix_is_that_of_numpy() -> None:
    generator = np.random.default_rng(0)
    part = generator.standard_normal((6, 6)) + 1j * generator.standard_normal((6, 6))
    matrix = part @ part.conj().T + np.eye(6)
    factor = tf.raw_ops.SparseMatrixSparseCholesky(
        input=csr(matrix), permutation=np.arange(6, dtype=np.int32), type=tf.complex128
    )
    np.testing.assert_allclose(dense(factor, tf.complex128).numpy(), np.linalg.cholesky(matrix), atol=1e-12)


def test_the_second_matrix_of_a_batch_that_is_not_positive_is_named() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="failed for batch index 1"):
        tf.raw_ops.SparseMatrixSparseCholesky(
            input=csr(np.stack([SPD, -SPD])), permutation=np.int32([[0, 1, 2, 3]] * 2), type=tf.float32
        )


@pytest.mark.parametrize("permutation", [[0, 1, 2], [0, 1, 2, 2], [0, 1, 2, 9]])
def test_a_permutation_must_hold_each_row_once(permutation: list[int]) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"permutation|must be equal"):
        tf.raw_ops.SparseMatrixSparseCholesky(input=csr(SPD), permutation=permutation, type=tf.float32)
