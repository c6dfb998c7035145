"""Conversions between sparse matrices and tensors."""

# ruff: noqa: E501  (recorded programs, one to a line)

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import GradientProgram
from tests.ops.sparse.matrices import NAMES, A, B, csr, dense
from tests.ops.sparse.recorded import Record, check

INDICES = np.int64([[0, 0], [0, 2], [2, 1]])
BATCH_INDICES = np.int64([[0, 0, 1], [0, 2, 1], [1, 1, 0]])


def _matrix(values: Any, indices: Any = INDICES, shape: tuple[int, ...] = (3, 3)) -> Any:
    return tf.raw_ops.SparseTensorToCSRSparseMatrix(indices=indices, values=values, dense_shape=np.int64(shape))


def _there_and_back(values: Any) -> Any:
    matrix = _matrix(values)
    parts = tf.raw_ops.CSRSparseMatrixToSparseTensor(sparse_matrix=matrix, type=values.dtype)
    return dense(matrix, values.dtype) ** 2, parts.values**3


def _of_dense(array: Any) -> Any:
    return dense(tf.raw_ops.DenseToCSRSparseMatrix(dense_input=array, indices=INDICES), array.dtype) ** 2


GRADIENT_PROGRAMS = [
    GradientProgram("SparseTensorToCSRSparseMatrix", _there_and_back, [np.float64([1, 2, 3])], xla=False),
    GradientProgram("CSRSparseMatrixToSparseTensor", _there_and_back, [np.complex128([1, 2j, 3 + 1j])], xla=False),
    GradientProgram("CSRSparseMatrixToDense", _there_and_back, [np.float64([1, -2, 3])], xla=False),
    GradientProgram("DenseToCSRSparseMatrix", _of_dense, [np.arange(9.0).reshape(3, 3)], xla=False),
]

# What TensorFlow 2.21 answers.
RECORDS: list[Record] = [
    ("csr(A)", "variant()", None),
    ("d(csr(A))", "float32:[[1.0, 0.0, 2.0], [0.0, 0.0, 3.0], [4.0, 5.0, 0.0]]", None),
    (
        "R.CSRSparseMatrixToSparseTensor(sparse_matrix=csr(A),type=tf.float32)",
        "[int64:[[0, 0], [0, 2], [1, 2], [2, 0], [2, 1]], float32:[1.0, 2.0, 3.0, 4.0, 5.0], int64:[3, 3]]",
        None,
    ),
    (
        "R.CSRSparseMatrixToSparseTensor(sparse_matrix=csr(A3),type=tf.float32)",
        "[int64:[[0, 0, 0], [0, 0, 2], [0, 1, 2], [0, 2, 0], [0, 2, 1], [1, 0, 0], [1, 0, 2], [1, 1, 2], [1, 2, 0], [1, 2, 1]], float32:[1.0, 2.0, 3.0, 4.0, 5.0, 2.0, 8.0, 10.0, 4.0, 6.0], int64:[2, 3, 3]]",
        None,
    ),
    (
        "R.CSRSparseMatrixComponents(csr_sparse_matrix=csr(A),index=0,type=tf.float32)",
        "[int32:[0, 2, 3, 5], int32:[0, 2, 2, 0, 1], float32:[1.0, 2.0, 3.0, 4.0, 5.0]]",
        None,
    ),
    (
        "R.CSRSparseMatrixComponents(csr_sparse_matrix=csr(A3),index=1,type=tf.float32)",
        "[int32:[0, 2, 3, 5], int32:[0, 2, 2, 0, 1], float32:[2.0, 8.0, 10.0, 4.0, 6.0]]",
        None,
    ),
    (
        "R.CSRSparseMatrixComponents(csr_sparse_matrix=csr(A3),index=2,type=tf.float32)",
        "InvalidArgumentError: index (2) not in [0, 2)",
        None,
    ),
    (
        "R.CSRSparseMatrixComponents(csr_sparse_matrix=csr(A),index=-1,type=tf.float32)",
        "InvalidArgumentError: index (-1) not in [0, 1)",
        None,
    ),
    (
        "R.CSRSparseMatrixComponents(csr_sparse_matrix=csr(A),index=0,type=tf.float64)",
        "InvalidArgumentError: dtype of input is not equal to 'type': float vs. double",
        None,
    ),
    ("R.SparseMatrixNNZ(sparse_matrix=csr(A))", "int32:5", None),
    ("R.SparseMatrixNNZ(sparse_matrix=csr(A3))", "int32:[5, 5]", None),
    (
        "d(R.DenseToCSRSparseMatrix(dense_input=A,indices=L([0,0],[2,1])))",
        "float32:[[1.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 5.0, 0.0]]",
        None,
    ),
    (
        "d(R.DenseToCSRSparseMatrix(dense_input=A3,indices=L([0,0,0],[0,2,1],[1,1,1])))",
        "float32:[[[1.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 5.0, 0.0]], [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]]",
        None,
    ),
    (
        "d(R.DenseToCSRSparseMatrix(dense_input=A,indices=L([0,0],[2,7])))",
        "InvalidArgumentError: indices[1] = [2, 7] does not index into param shape [3,3], node name: DenseToCSRSparseMatrix",
        None,
    ),
    (
        "d(R.DenseToCSRSparseMatrix(dense_input=A,indices=L([0,0,0])))",
        "InvalidArgumentError: indices.shape[1] must be equal to the rank of params, but saw: 3 vs. 2",
        "ValueError: indices.shape[1] must match rank of dense; saw: 3 vs. 2",
    ),
    (
        "d(R.DenseToCSRSparseMatrix(dense_input=A[0],indices=L([0])))",
        "InvalidArgumentError: params must have rank == 2 or 3; but saw shape: [3]",
        "ValueError: Invalid rank of dense: 1.  Expected a known rank of either 2 or 3.",
    ),
    (
        "R.SparseTensorToCSRSparseMatrix(indices=L([0,0],[5,1]),values=[1.,2.],dense_shape=L(2,2))",
        "InvalidArgumentError: Sparse index tuple indices[1, :] = [5, 1] is out of bounds",
        None,
    ),
    (
        "R.SparseTensorToCSRSparseMatrix(indices=L([0,0]),values=[1.,2.],dense_shape=L(2,2))",
        "InvalidArgumentError: Number of elements in indices (1) and values (2) do not match",
        "ValueError: Number of elements in index (1) and values (2) do not match.",
    ),
    (
        "R.SparseTensorToCSRSparseMatrix(indices=L([0]),values=[1.],dense_shape=L(2))",
        "InvalidArgumentError: SparseTensor must have rank 2 or 3; but indices has rank: 1",
        "ValueError: Invalid rank: 1.  Expected a known rank of either 2 or 3.",
    ),
    (
        "R.SparseTensorToCSRSparseMatrix(indices=L([0,0,0,0]),values=[1.],dense_shape=L(2,2,2,2))",
        "InvalidArgumentError: SparseTensor must have rank 2 or 3; but indices has rank: 4",
        "ValueError: Invalid rank: 4.  Expected a known rank of either 2 or 3.",
    ),
    (
        "R.SparseTensorToCSRSparseMatrix(indices=L([0,0]),values=[1],dense_shape=L(2,2))",
        "InvalidArgumentError: Value for attr 'T' of int32 is not in the list of allowed values: float, double, complex64, complex128",
        "TypeError: Value passed to parameter 'values' has DataType int32 not in list of allowed values: float32, float64, complex64, complex128",
    ),
    (
        "R.CSRSparseMatrixToSparseTensor(sparse_matrix=R.SparseTensorToCSRSparseMatrix(indices=L([0,1],[0,0]),values=[1.,2.],dense_shape=L(2,2)),type=tf.float32)",
        "[int64:[[0, 1], [0, 0]], float32:[1.0, 2.0], int64:[2, 2]]",
        None,
    ),
    (
        "R.CSRSparseMatrixToSparseTensor(sparse_matrix=R.SparseTensorToCSRSparseMatrix(indices=L([0,1],[0,1]),values=[1.,2.],dense_shape=L(2,2)),type=tf.float32)",
        "[int64:[[0, 1], [0, 1]], float32:[1.0, 2.0], int64:[2, 2]]",
        None,
    ),
    (
        "d(csr(A),tf.float64)",
        "InvalidArgumentError: Asked for a CSRSparseMatrix of type double but saw dtype: float",
        None,
    ),
    (
        "d(R.EmptyTensorList(element_shape=[1],max_num_elements=1,element_dtype=tf.float32))",
        "InvalidArgumentError: Could not retrieve Variant input 0",
        None,
    ),
    (
        "grads(lambda v: d(R.SparseTensorToCSRSparseMatrix(indices=L([0,0],[1,1]),values=v,dense_shape=L(2,2)))*c([[1.,2],[3,4]]),[1.,2.])",
        "[float32:[1.0, 4.0]]",
        None,
    ),
    (
        "grads(lambda x: d(R.DenseToCSRSparseMatrix(dense_input=x,indices=L([0,0],[1,1])))*c([[1.,2],[3,4]]),[[1.,2.],[3.,4]])",
        "[float32:[[1.0, 0.0], [0.0, 4.0]]]",
        None,
    ),
    (
        "grads(lambda v: R.CSRSparseMatrixToSparseTensor(sparse_matrix=R.SparseTensorToCSRSparseMatrix(indices=L([0,0],[0,1]),values=v,dense_shape=L(2,2)),type=tf.float32).values*c([1.,2]),[1.,2.])",
        "[float32:[1.0, 2.0]]",
        None,
    ),
]


@pytest.mark.parametrize("mode", ["eager", "function"])
@pytest.mark.parametrize("record", RECORDS, ids=lambda r: r[0])
def test_answers_are_those_of_tensorflow(record: Record, mode: str) -> None:
    check(record, mode, NAMES)


def test_values_of_one_row_keep_their_order() -> None:
    matrix = tf.raw_ops.SparseTensorToCSRSparseMatrix(
        indices=np.int64([[1, 0], [0, 1], [0, 0]]), values=[1.0, 2.0, 3.0], dense_shape=[2, 2]
    )
    assert tf.raw_ops.CSRSparseMatrixToSparseTensor(sparse_matrix=matrix, type=tf.float32).values.numpy().tolist() == [
        2,
        3,
        1,
    ]


def test_a_matrix_that_a_function_captures_tells_its_shape_while_tracing() -> None:
    matrix = csr(B.T)

    @tf.function
    def f() -> Any:
        assert dense(matrix).shape == (2, 3)
        return dense(matrix)

    assert f().numpy().tolist() == B.T.tolist()


def test_sums_of_matrices_are_matrices() -> None:
    assert dense(tf.add_n([csr(A), csr(A.T)])).numpy().tolist() == (A + A.T).tolist()


def test_a_matrix_without_rows_has_no_values() -> None:
    matrix = csr(np.zeros((2, 0, 3), np.float32))
    assert tf.raw_ops.SparseMatrixNNZ(sparse_matrix=matrix).numpy().tolist() == [0, 0]
    assert dense(matrix).shape == (2, 0, 3)
