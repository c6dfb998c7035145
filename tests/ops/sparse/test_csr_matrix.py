"""`CSRSparseMatrix` and products of such objects."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.ops.sparse.csr_matrix import CSRSparseMatrix, SparseMatrix, dense_shape_and_type, matmul
from tests.ops.sparse.matrices import A, B


def test_a_matrix_knows_shape_dtype_and_number_of_values() -> None:
    matrix = CSRSparseMatrix(B)
    assert (matrix.shape, matrix.dtype) == (tf.TensorShape([3, 2]), tf.float32)
    assert matrix.nnz().numpy() == matrix.nonzero().numpy() == 4
    assert matrix.sorted_indices().numpy().tolist() == np.argwhere(B).tolist()
    assert CSRSparseMatrix(np.stack([B, B])).nnz().numpy().tolist() == [4, 4]


def test_a_matrix_is_made_of_sparse_and_dense_values() -> None:
    assert CSRSparseMatrix(tf.sparse.from_dense(A)).to_dense().numpy().tolist() == A.tolist()
    assert CSRSparseMatrix(A, indices=[[0, 0]]).to_dense().numpy().tolist() == [[1, 0, 0], [0, 0, 0], [0, 0, 0]]
    assert tf.sparse.to_dense(CSRSparseMatrix(A).to_sparse_tensor()).numpy().tolist() == A.tolist()
    with pytest.raises(ValueError, match=r"indices must be None if value is a SparseTensor\."):
        CSRSparseMatrix(tf.sparse.from_dense(A), indices=[[0, 0]])
    with pytest.raises(tf.errors.InvalidArgumentError, match="params must have rank == 2 or 3"):
        CSRSparseMatrix([1.0])


def test_transposes_and_conjugates() -> None:
    array = (B * (1 + 2j)).astype(np.complex64)
    matrix = CSRSparseMatrix(array)
    assert matrix.transpose().to_dense().numpy().tolist() == array.T.tolist()
    assert matrix.hermitian_transpose().to_dense().numpy().tolist() == array.conj().T.tolist()
    assert matrix.conj().to_dense().numpy().tolist() == array.conj().tolist()
    real = CSRSparseMatrix(B)
    assert real.conj() is real


def _operand(array: Any, turn: str) -> Any:
    """The array that gives `array` when it is turned."""
    return {"": array, "transpose": array.T, "adjoint": array.conj().T}[turn]


@pytest.mark.parametrize("kinds", list(itertools.product([True, False], repeat=2)))
@pytest.mark.parametrize("turns", list(itertools.product(["", "transpose", "adjoint"], repeat=2)))
def test_products_of_sparse_and_dense_operands_are_those_of_numpy(kinds: Any, turns: Any) -> None:
    first, second = (A * (1 + 1j)).astype(np.complex64), (B * (2 - 1j)).astype(np.complex64)
    flags = {f"{turn}_{name}": True for turn, name in zip(turns, "ab", strict=True) if turn}
    operands = [_operand(array, turn) for array, turn in zip((first, second), turns, strict=True)]
    product = matmul(*(CSRSparseMatrix(o) if k else o for o, k in zip(operands, kinds, strict=True)), **flags)
    assert isinstance(product, CSRSparseMatrix) == all(kinds)
    result = product.to_dense() if isinstance(product, CSRSparseMatrix) else product
    np.testing.assert_allclose(result.numpy(), first @ second, rtol=1e-5)


def test_the_type_behind_a_tensor_is_told() -> None:
    assert dense_shape_and_type(CSRSparseMatrix(B)._matrix) == (tf.TensorShape([3, 2]), tf.float32)
    with pytest.raises(TypeError, match=r"expected matrix to be type tf\.variant, but saw: <dtype: 'int32'>"):
        dense_shape_and_type(tf.constant(1))
    with pytest.raises(TypeError, match="matrix should be a tensor"):
        dense_shape_and_type(1)
    other = tf.raw_ops.EmptyTensorList(element_shape=[1], max_num_elements=1, element_dtype=tf.float32)
    with pytest.raises(ValueError, match="matrix has missing handle data"):
        dense_shape_and_type(other)


def test_the_base_class_is_abstract() -> None:
    with pytest.raises(TypeError, match="abstract"):
        SparseMatrix()  # type: ignore[abstract]  # that is the test
