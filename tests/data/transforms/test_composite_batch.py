"""`Dataset.ragged_batch` and `sparse_batch`, as long as there are no ragged and sparse tensors."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf
from tests.data.pipelines import elements

Dataset = tf.data.Dataset


def fills() -> Any:
    return Dataset.range(3).map(lambda n: tf.fill([n], n))


def test_elements_of_known_shapes_are_batched() -> None:
    assert elements(Dataset.range(5).ragged_batch(2, drop_remainder=True)) == [[0, 1], [2, 3]]
    assert elements(Dataset.range(3).apply(tf.data.experimental.dense_to_ragged_batch(2))) == [[0, 1], [2]]


def test_ragged_batches_wait_for_ragged_tensors() -> None:
    message = "returns a RaggedTensor for TensorSpec.*, which Millrace does not have yet"
    with pytest.raises(tf.errors.UnimplementedError, match=message):
        fills().ragged_batch(2)
    with pytest.raises(tf.errors.UnimplementedError, match=message):
        fills().apply(tf.data.experimental.dense_to_ragged_batch(2))


def test_sparse_batches_wait_for_sparse_tensors() -> None:
    message = "returns a SparseTensor, which Millrace does not have yet"
    with pytest.raises(tf.errors.UnimplementedError, match=message):
        fills().sparse_batch(2, [3])
    with pytest.raises(tf.errors.UnimplementedError, match=message):
        fills().apply(tf.data.experimental.dense_to_sparse_batch(2, [3]))


def test_sparse_batches_of_several_components_are_refused() -> None:
    with pytest.raises(TypeError, match="requires an input dataset whose elements have a single component"):
        Dataset.zip(fills(), fills()).sparse_batch(2, [3])
