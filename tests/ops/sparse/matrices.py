"""The sparse matrices of the tests, and conversions from arrays to sparse matrices and back."""

from __future__ import annotations

from typing import Any

import numpy as np

import millrace as tf

A = np.array([[1.0, 0, 2], [0, 0, 3], [4, 5, 0]], np.float32)
B = np.array([[0, 1.0], [2, 0], [3, 4]], np.float32)
SPD = np.array([[4.0, 0, 1, 0], [0, 5, 0, 2], [1, 0, 6, 0], [0, 2, 0, 7]], np.float32)
"""A symmetric positive definite matrix."""


def csr(array: Any) -> Any:
    """The sparse matrix of an array, of the elements that are not 0."""
    dense = np.asarray(array)
    indices = np.argwhere(dense != 0).astype(np.int64)
    return tf.raw_ops.SparseTensorToCSRSparseMatrix(
        indices=indices, values=dense[dense != 0], dense_shape=np.array(dense.shape, np.int64)
    )


def dense(matrix: Any, dtype: Any = tf.float32) -> Any:
    """The dense tensor of a sparse matrix."""
    return tf.raw_ops.CSRSparseMatrixToDense(sparse_input=matrix, type=dtype)


NAMES: dict[str, Any] = {
    "A": A,
    "B": B,
    "A3": np.stack([A, A.T * 2]),
    "B3": np.stack([B, B * 3]),
    "SPD": SPD,
    "csr": csr,
    "d": dense,
}
"""What the recorded programs call these."""
