"""`tf.compat.v1.data.Dataset.from_sparse_tensor_slices`."""

from __future__ import annotations

import numpy as np
import pytest

import millrace as tf
from tests.data.composites import contents, ragged, sparse

DatasetV1 = tf.compat.v1.data.Dataset


def test_each_row_is_an_element_of_three_tensors() -> None:
    dataset = DatasetV1.from_sparse_tensor_slices(sparse())
    assert isinstance(dataset, DatasetV1)
    assert dataset.element_spec == (
        tf.TensorSpec([None, 1], tf.int64),
        tf.TensorSpec([None], tf.int32),
        tf.TensorSpec([1], tf.int64),
    )
    assert contents(dataset) == [([[1]], [5], [2]), ([], [], [2]), ([[0]], [7], [2])]
    assert contents(dataset.skip(2)) == [([[0]], [7], [2])] and dataset.cardinality().numpy() == 3


def test_what_is_no_ordered_sparse_tensor_is_refused() -> None:
    with pytest.raises(TypeError, match=r"must be a `tf\.sparse\.SparseTensor`\. Got <class .*RaggedTensor'>"):
        DatasetV1.from_sparse_tensor_slices(ragged())
    with pytest.raises(tf.errors.InvalidArgumentError, match="out of order"):
        DatasetV1.from_sparse_tensor_slices(tf.SparseTensor([[1, 0], [0, 0]], [1, 2], [2, 1]))
    empty = tf.SparseTensor(np.zeros([0, 2], np.int64), np.zeros(0, np.float32), [2, 3])
    assert contents(DatasetV1.from_sparse_tensor_slices(empty)) == [([], [], [3])] * 2
