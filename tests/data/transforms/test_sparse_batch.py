"""`Dataset.sparse_batch`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.data.transforms.sparse_batch import coordinates_of
from tests.data.composites import contents
from tests.data.transforms.test_composite_batch import fills, of

Dataset = tf.data.Dataset


def test_rows_of_different_lengths_become_sparse() -> None:
    batches = fills().sparse_batch(2, [4])
    assert batches.element_spec == tf.SparseTensorSpec([None, 4], tf.int64) and batches.cardinality().numpy() == 2
    assert contents(batches) == [[[0] * 4, [1, 0, 0, 0]], [[2, 2, 0, 0]]]
    (batch,) = fills().apply(tf.data.experimental.dense_to_sparse_batch(3, [4]))
    assert batch.indices.numpy().tolist() == [[1, 0], [2, 0], [2, 1]]


def test_zeros_are_elements() -> None:
    (batch,) = of([None], [[0, 1], [0]]).sparse_batch(2, [2])
    assert batch.values.numpy().tolist() == [0, 1, 0]


@pytest.mark.parametrize("row_shape", [[None], tf.TensorShape([None])], ids=repr)
def test_the_largest_element_decides_an_unknown_size(row_shape: Any) -> None:
    batches = fills().sparse_batch(2, row_shape)
    assert batches.element_spec == tf.SparseTensorSpec([None, None], tf.int64)
    assert [batch.dense_shape.numpy().tolist() for batch in batches] == [[2, 1], [1, 2]]


def test_elements_may_have_any_rank() -> None:
    assert contents(Dataset.range(3).sparse_batch(2, [])) == [[0, 1], [2]]
    matrices = of([None, None], [[[1, 2]], [[3], [4]]]).sparse_batch(2, tf.constant([2, 3], tf.int64))
    assert contents(matrices) == [[[[1, 2, 0], [0, 0, 0]], [[3, 0, 0], [4, 0, 0]]]]
    assert matrices.element_spec == tf.SparseTensorSpec([None, 2, 3], tf.int32)


def test_indices_run_through_each_row() -> None:
    coordinates = coordinates_of(np.array([[1, 2], [0, 3], [2, 1]]))
    assert coordinates.tolist() == [[0, 0, 0], [0, 0, 1], [2, 0, 0], [2, 1, 0]]


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(TypeError, match="requires an input dataset whose elements have a single component"):
        Dataset.zip(fills(), fills()).sparse_batch(2, [3])
    with pytest.raises(tf.errors.InvalidArgumentError, match="Batch size must be greater than zero"):
        fills().sparse_batch(0, [4])
    with pytest.raises(
        tf.errors.DataLossError, match=r"had shape \(\[2\]\) that is larger than the row shape \(\[1\]\)"
    ):
        contents(fills().sparse_batch(2, [1]))
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"incompatible with the row shape \(\[4,4\]\)"):
        contents(fills().sparse_batch(2, [4, 4]))
