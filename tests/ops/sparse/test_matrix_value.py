"""Sparse matrices in compressed rows."""

from __future__ import annotations

import numpy as np
import pytest

import millrace as tf
from millrace._src.core.handle_types import MatrixHandle
from millrace._src.ops.sparse.matrix_value import box, from_blocks, from_coordinates, matrix_in, without_values

BATCH = np.array([[[1.0, 0, 2], [0, 0, 3]], [[0, 4, 0], [0, 0, 0]]])


def test_a_batch_is_one_block_diagonal_matrix_and_comes_back() -> None:
    value = from_coordinates(np.argwhere(BATCH), BATCH[BATCH != 0], BATCH.shape)
    blocks = value.blocks.toarray()
    assert blocks.shape == (4, 6)
    assert blocks[:2, :3].tolist() == BATCH[0].tolist()
    assert blocks[2:, 3:].tolist() == BATCH[1].tolist()
    assert not blocks[:2, 3:].any() and not blocks[2:, :3].any()
    assert from_blocks(value.blocks, BATCH.shape).dense().tolist() == BATCH.tolist()
    assert value.indices().tolist() == np.argwhere(BATCH).tolist()


def test_rows_in_disorder_are_brought_in_order() -> None:
    value = from_coordinates(np.int64([[1, 0], [0, 2], [0, 1]]), np.float32([1, 2, 3]), (2, 3))
    assert value.pointers.tolist() == [0, 2, 3]
    assert value.columns.tolist() == [2, 1, 0]
    assert value.dense().tolist() == [[0, 3, 2], [1, 0, 0]]


def test_sums_and_zeros() -> None:
    value = from_coordinates(np.argwhere(BATCH), BATCH[BATCH != 0], BATCH.shape)
    assert (value + value).dense().tolist() == (BATCH * 2).tolist()
    assert value.zeros_like().dense().tolist() == np.zeros_like(BATCH).tolist()
    assert without_values((0, 3), np.float32).dense().shape == (0, 3)


def test_the_type_and_the_text() -> None:
    value = without_values((2, 3), np.float32)
    assert value.handle_type == MatrixHandle(tf.float32, tf.TensorShape([2, 3]))
    assert repr(value) == "CSRSparseMatrix<float, [2, 3]>"
    joined = value.handle_type.join(MatrixHandle(tf.float32, tf.TensorShape([2, 5])))
    assert joined == MatrixHandle(tf.float32, tf.TensorShape([2, None]))
    assert value.handle_type.join(MatrixHandle(tf.float64, tf.TensorShape([2, 3]))) is None


def test_another_referent_is_refused() -> None:
    assert matrix_in(box(without_values((1, 1), np.float32))).shape == (1, 1)
    other = np.empty((), object)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Could not retrieve Variant input 1"):
        matrix_in(other, 1)
