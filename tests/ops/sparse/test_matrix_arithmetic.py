"""Sums, multiples and softmax of sparse matrices."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import GradientProgram
from tests.ops.sparse.matrices import NAMES, A, B, csr, dense

INDICES = np.int64([[0, 0], [0, 2], [1, 1]])
OTHERS = np.int64([[0, 0], [1, 1], [1, 2]])
BATCH_INDICES = np.int64([[0, 0, 1], [0, 1, 1], [1, 1, 0]])


def _matrix(values: Any, indices: Any = INDICES, shape: tuple[int, ...] = (2, 3)) -> Any:
    return tf.raw_ops.SparseTensorToCSRSparseMatrix(indices=indices, values=values, dense_shape=np.int64(shape))


def _sum(first: Any, second: Any, alpha: Any, beta: Any) -> Any:
    total = tf.raw_ops.SparseMatrixAdd(a=_matrix(first), b=_matrix(second, OTHERS), alpha=alpha, beta=beta)
    return dense(total, first.dtype) ** 2


def _multiple(values: Any, factor: Any) -> Any:
    return dense(tf.raw_ops.SparseMatrixMul(a=_matrix(values), b=factor), values.dtype) ** 2


def _multiples(values: Any, factors: Any) -> Any:
    matrices = _matrix(values, BATCH_INDICES, (2, 2, 3))
    return dense(tf.raw_ops.SparseMatrixMul(a=matrices, b=factors), values.dtype) ** 2


def _softmax(values: Any) -> Any:
    return dense(tf.raw_ops.SparseMatrixSoftmax(logits=_matrix(values), type=values.dtype), values.dtype) ** 2


NUMBERS = np.float64([1, -2, 3])
GRADIENT_PROGRAMS = [
    GradientProgram("SparseMatrixAdd", _sum, [NUMBERS, NUMBERS * 2, np.float64(2), np.float64(-3)], xla=False),
    GradientProgram(
        "SparseMatrixAdd", _sum, [NUMBERS * 1j, NUMBERS * (1 + 1j), np.complex128(2j), np.complex128(-3)], xla=False
    ),
    GradientProgram("SparseMatrixMul", _multiple, [NUMBERS, np.float64(2)], xla=False),
    GradientProgram("SparseMatrixMul", _multiples, [NUMBERS, np.float64([[[2]], [[3]]])], xla=False),
    GradientProgram("SparseMatrixSoftmax", _softmax, [NUMBERS], xla=False, second=False),  # TensorFlow has no second
]


def test_multiples_sums_and_softmax_are_those_of_numpy() -> None:
    batch = NAMES["A3"]
    add, multiply = tf.raw_ops.SparseMatrixAdd, tf.raw_ops.SparseMatrixMul
    assert dense(multiply(a=csr(A), b=3.0)).numpy().tolist() == (A * 3).tolist()
    assert (
        dense(multiply(a=csr(batch), b=[[[2.0]], [[3.0]]])).numpy().tolist()
        == np.stack([batch[0] * 2, batch[1] * 3]).tolist()
    )
    assert (
        dense(add(a=csr(batch), b=csr(batch[::-1]), alpha=2.0, beta=3.0)).numpy().tolist()
        == (2 * batch + 3 * batch[::-1]).tolist()
    )
    powers = np.where(A == 0, 0, np.exp(A))
    softmax = tf.raw_ops.SparseMatrixSoftmax(logits=csr(A), type=tf.float32)
    np.testing.assert_allclose(dense(softmax).numpy(), powers / powers.sum(1, keepdims=True), rtol=1e-6)


def test_zeros_have_no_values() -> None:
    zeros = tf.raw_ops.SparseMatrixZeros(dense_shape=[2, 2, 3], type=tf.float32)
    assert tf.raw_ops.SparseMatrixNNZ(sparse_matrix=zeros).numpy().tolist() == [0, 0]
    assert dense(zeros).numpy().tolist() == np.zeros((2, 2, 3)).tolist()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: tf.raw_ops.SparseMatrixAdd(a=csr(A), b=csr(B), alpha=1.0, beta=1.0), "Shapes of a and b must match"),
        (lambda: tf.raw_ops.SparseMatrixAdd(a=csr(A), b=csr(A), alpha=[1.0], beta=1.0), "Shape must be rank 0"),
        (lambda: tf.raw_ops.SparseMatrixMul(a=csr(A), b=np.float64(1)), "Input types don't match"),
        (lambda: tf.raw_ops.SparseMatrixSoftmax(logits=csr(A), type=tf.float64), "dtype of logits is not equal"),
        (lambda: tf.raw_ops.SparseMatrixZeros(dense_shape=[3], type=tf.float32), "Invalid rank: 1"),
        (lambda: tf.raw_ops.SparseMatrixZeros(dense_shape=[3, -1], type=tf.float32), "must not be negative"),
    ],
)
def test_operands_that_do_not_fit_are_refused(call: Any, message: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        call()


def test_a_factor_for_rows_is_refused() -> None:
    with pytest.raises(tf.errors.UnimplementedError, match=r"b must be a scalar or shaped \[batch_size, 1, 1\]"):
        tf.raw_ops.SparseMatrixMul(a=csr(A), b=[[1.0], [2.0], [3.0]])
