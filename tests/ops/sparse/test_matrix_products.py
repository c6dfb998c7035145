"""Products of sparse matrices."""

# ruff: noqa: E501  (recorded programs, one to a line)

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import GradientProgram
from tests.ops.sparse.matrices import NAMES, csr, dense
from tests.ops.sparse.recorded import Record, check

INDICES = np.int64([[0, 0], [0, 2], [1, 1]])
BATCH_INDICES = np.int64([[0, 0, 1], [0, 1, 1], [1, 1, 0]])
VALUES = {"real": np.float64([1, -2, 3]), "complex": np.complex128([1 + 1j, 2 - 1j, 3j])}


def _matrix(values: Any, indices: Any = INDICES, shape: tuple[int, ...] = (2, 3)) -> Any:
    return tf.raw_ops.SparseTensorToCSRSparseMatrix(indices=indices, values=values, dense_shape=np.int64(shape))


def _product(**flags: bool) -> Any:
    def multiply(values: Any, array: Any) -> Any:
        return tf.raw_ops.SparseMatrixMatMul(a=_matrix(values), b=array, **flags) ** 2

    return multiply


def _batch_product(values: Any, array: Any) -> Any:
    return tf.raw_ops.SparseMatrixMatMul(a=_matrix(values, BATCH_INDICES, (2, 2, 3)), b=array) ** 2


def _sparse_product(**flags: bool) -> Any:
    def multiply(values: Any, other_values: Any) -> Any:
        turns = any(flags.values())
        second = _matrix(other_values, INDICES[:, ::-1] if not turns else INDICES, (2, 3) if turns else (3, 2))
        product = tf.raw_ops.SparseMatrixSparseMatMul(a=_matrix(values), b=second, type=values.dtype, **flags)
        return dense(product, values.dtype) ** 2

    return multiply


def _transposed(conjugate: bool) -> Any:
    def turn(values: Any) -> Any:
        matrix = tf.raw_ops.SparseMatrixTranspose(input=_matrix(values), conjugate=conjugate, type=values.dtype)
        return dense(matrix, values.dtype) ** 2

    return turn


def _array(kind: str, *shape: int) -> Any:
    numbers = np.arange(1.0, np.prod(shape) + 1).reshape(shape)
    return numbers + 1j * numbers[::-1] if kind == "complex" else numbers


GRADIENT_PROGRAMS = [
    *(
        GradientProgram("SparseMatrixMatMul", _product(**flags), [VALUES[kind], _array(kind, *shape)], xla=False)
        for kind in VALUES
        for shape, flags in (
            ((3, 2), {}),
            ((2, 2), {"transpose_a": True}),
            ((2, 2), {"adjoint_a": True, "conjugate_output": True}),
            ((2, 3), {"transpose_b": True, "transpose_output": True}),
            ((2, 3), {"adjoint_b": True}),
            ((2, 2), {"transpose_a": True, "adjoint_b": True, "conjugate_output": True}),
        )
    ),
    GradientProgram("SparseMatrixMatMul", _batch_product, [VALUES["real"], _array("real", 2, 3, 2)], xla=False),
    *(
        GradientProgram("SparseMatrixSparseMatMul", _sparse_product(**flags), [VALUES[kind], VALUES[kind]], xla=False)
        for kind in VALUES
        for flags in ({}, {"transpose_a": True}, {"adjoint_a": True}, {"transpose_b": True}, {"adjoint_b": True})
    ),
    *(
        GradientProgram("SparseMatrixTranspose", _transposed(conjugate), [VALUES[kind]], xla=False)
        for kind in VALUES
        for conjugate in (False, True)
    ),
]

# What TensorFlow 2.21 answers.
RECORDS: list[Record] = [
    ("R.SparseMatrixMatMul(a=csr(A),b=B)", "float32:[[6.0, 9.0], [9.0, 12.0], [10.0, 4.0]]", None),
    (
        "R.SparseMatrixMatMul(a=csr(A3),b=B3)",
        "float32:[[[6.0, 9.0], [9.0, 12.0], [10.0, 4.0]], [[72.0, 102.0], [90.0, 120.0], [36.0, 12.0]]]",
        None,
    ),
    (
        "R.SparseMatrixMatMul(a=csr(A3),b=B)",
        "InvalidArgumentError: Ranks of a and b must match, saw: 3 vs. 2.",
        "ValueError: Shapes must be equal rank, but are 1 and 0",
    ),
    (
        "R.SparseMatrixMatMul(a=csr(A),b=B3)",
        "InvalidArgumentError: Ranks of a and b must match, saw: 2 vs. 3.",
        "ValueError: Shapes must be equal rank, but are 0 and 1",
    ),
    ("R.SparseMatrixMatMul(a=csr(A),b=B,transpose_a=True)", "float32:[[12.0, 17.0], [15.0, 20.0], [6.0, 2.0]]", None),
    ("R.SparseMatrixMatMul(a=csr(A),b=B.T,transpose_b=True)", "float32:[[6.0, 9.0], [9.0, 12.0], [10.0, 4.0]]", None),
    ("R.SparseMatrixMatMul(a=csr(A),b=B,transpose_output=True)", "float32:[[6.0, 9.0, 10.0], [9.0, 12.0, 4.0]]", None),
    ("R.SparseMatrixMatMul(a=csr(A),b=B,adjoint_a=True)", "float32:[[12.0, 17.0], [15.0, 20.0], [6.0, 2.0]]", None),
    (
        "R.SparseMatrixMatMul(a=csr(A),b=B.T)",
        "InvalidArgumentError: Inner product dimensions of A and B do not agree. Shapes are: [3,3] vs. [2,3]",
        "ValueError: Dimensions must be equal, but are 3 and 2",
    ),
    (
        "R.SparseMatrixMatMul(a=csr(A),b=np.float64(B))",
        "InvalidArgumentError: Input types don't match.  a.dtype == float vs. b.dtype == double",
        None,
    ),
    (
        "R.SparseMatrixMatMul(a=csr(A*(1+1j)).__class__ and csr((A*(1+1j)).astype(np.complex64)),b=(B*1j).astype(np.complex64),conjugate_output=True)",
        "complex64:[[(-6-6j), (-9-9j)], [(-9-9j), (-12-12j)], [(-10-10j), (-4-4j)]]",
        None,
    ),
    (
        "R.SparseMatrixMatMul(a=csr((A*(1+1j)).astype(np.complex64)),b=(B*1j).astype(np.complex64),adjoint_a=True)",
        "complex64:[[(12+12j), (17+17j)], [(15+15j), (20+20j)], [(6+6j), (2+2j)]]",
        None,
    ),
    (
        "R.SparseMatrixMatMul(a=csr((A*(1+1j)).astype(np.complex64)),b=(B.T*1j).astype(np.complex64),adjoint_b=True,transpose_output=True)",
        "complex64:[[(6-6j), (9-9j), (10-10j)], [(9-9j), (12-12j), (4-4j)]]",
        None,
    ),
    (
        "R.SparseMatrixMatMul(a=csr(A),b=B[:,0])",
        "InvalidArgumentError: Ranks of a and b must match, saw: 2 vs. 1.",
        "ValueError: Shape must be at least rank 2 but is rank 1",
    ),
    (
        "d(R.SparseMatrixSparseMatMul(a=csr(A),b=csr(B),type=tf.float32))",
        "float32:[[6.0, 9.0], [9.0, 12.0], [10.0, 4.0]]",
        None,
    ),
    (
        "d(R.SparseMatrixSparseMatMul(a=csr(A3),b=csr(B3),type=tf.float32))",
        "float32:[[[6.0, 9.0], [9.0, 12.0], [10.0, 4.0]], [[72.0, 102.0], [90.0, 120.0], [36.0, 12.0]]]",
        None,
    ),
    (
        "d(R.SparseMatrixSparseMatMul(a=csr(A),b=csr(B),type=tf.float32,transpose_a=True))",
        "float32:[[12.0, 17.0], [15.0, 20.0], [6.0, 2.0]]",
        None,
    ),
    (
        "d(R.SparseMatrixSparseMatMul(a=csr(A),b=csr(B.T),type=tf.float32,transpose_b=True))",
        "float32:[[6.0, 9.0], [9.0, 12.0], [10.0, 4.0]]",
        None,
    ),
    (
        "d(R.SparseMatrixSparseMatMul(a=csr(A),b=csr(B.T),type=tf.float32,adjoint_b=True))",
        "float32:[[6.0, 9.0], [9.0, 12.0], [10.0, 4.0]]",
        None,
    ),
    (
        "d(R.SparseMatrixSparseMatMul(a=csr(A),b=csr(B.T),type=tf.float32))",
        "InvalidArgumentError: Inner product dimensions of A and B do not agree.  Shapes are: [3,3] vs. [2,3]",
        "ValueError: Dimensions must be equal, but are 3 and 2",
    ),
    (
        "d(R.SparseMatrixSparseMatMul(a=csr(A),b=csr(B),type=tf.float64))",
        "InvalidArgumentError: dtype of a is not equal to 'type': float vs. double",
        None,
    ),
    (
        "d(R.SparseMatrixTranspose(input=csr(A),type=tf.float32))",
        "float32:[[1.0, 0.0, 4.0], [0.0, 0.0, 5.0], [2.0, 3.0, 0.0]]",
        None,
    ),
    (
        "d(R.SparseMatrixTranspose(input=csr(A3),type=tf.float32))",
        "float32:[[[1.0, 0.0, 4.0], [0.0, 0.0, 5.0], [2.0, 3.0, 0.0]], [[2.0, 0.0, 4.0], [0.0, 0.0, 6.0], [8.0, 10.0, 0.0]]]",
        None,
    ),
    (
        "d(R.SparseMatrixTranspose(input=csr((A*(1+1j)).astype(np.complex64)),type=tf.complex64,conjugate=True),tf.complex64)",
        "complex64:[[(1-1j), 0j, (4-4j)], [0j, 0j, (5-5j)], [(2-2j), (3-3j), 0j]]",
        None,
    ),
    (
        "grads(lambda v,b: R.SparseMatrixMatMul(a=R.SparseTensorToCSRSparseMatrix(indices=L([0,0],[1,1]),values=v,dense_shape=L(2,2)),b=b),[1.,2.],[[1.,2.],[3.,4]])",
        "[float32:[3.0, 7.0], float32:[[1.0, 1.0], [2.0, 2.0]]]",
        None,
    ),
    (
        "grads(lambda v,b: R.SparseMatrixMatMul(a=R.SparseTensorToCSRSparseMatrix(indices=L([0,0],[1,0]),values=v,dense_shape=L(2,2)),b=b,transpose_a=True,transpose_b=True),[1.,2.],[[1.,2.],[3.,4]])",
        "[float32:[4.0, 6.0], float32:[[1.0, 2.0], [1.0, 2.0]]]",
        None,
    ),
    (
        "grads(lambda v,b: R.SparseMatrixMatMul(a=R.SparseTensorToCSRSparseMatrix(indices=L([0,0],[1,0]),values=v,dense_shape=L(2,2)),b=b,transpose_output=True),[1.,2.],[[1.,2.],[3.,4]])",
        "[float32:[3.0, 3.0], float32:[[3.0, 3.0], [0.0, 0.0]]]",
        None,
    ),
    (
        "grads(lambda v: d(R.SparseMatrixTranspose(input=R.SparseTensorToCSRSparseMatrix(indices=L([0,0],[0,1]),values=v,dense_shape=L(2,2)),type=tf.float32))*c([[1.,2],[3,4]]),[1.,2.])",
        "[float32:[1.0, 3.0]]",
        None,
    ),
]


@pytest.mark.parametrize("mode", ["eager", "function"])
@pytest.mark.parametrize("record", RECORDS, ids=lambda r: r[0])
def test_answers_are_those_of_tensorflow(record: Record, mode: str) -> None:
    check(record, mode, NAMES)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex64, np.complex128])
def test_products_of_batches_are_those_of_numpy(dtype: type) -> None:
    generator = np.random.default_rng(0)
    first = ((generator.random((4, 5, 6)) < 0.3) * generator.standard_normal((4, 5, 6))).astype(dtype)
    second = ((generator.random((4, 6, 3)) < 0.3) * generator.standard_normal((4, 6, 3))).astype(dtype)
    with_dense = tf.raw_ops.SparseMatrixMatMul(a=csr(first), b=second).numpy()
    with_sparse = tf.raw_ops.SparseMatrixSparseMatMul(a=csr(first), b=csr(second), type=dtype)
    np.testing.assert_allclose(with_dense, first @ second, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(dense(with_sparse, dtype).numpy(), first @ second, rtol=1e-4, atol=1e-5)
