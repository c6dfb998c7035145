"""Splitting ragged and sparse elements into rows, and putting rows into other batches."""

from __future__ import annotations

import pytest

import millrace as tf
from tests.data.composites import contents, ragged, sparse

Dataset = tf.data.Dataset


def test_rows_of_ragged_and_sparse_elements_are_elements() -> None:
    rows = Dataset.from_tensors((ragged(), [1, 2, 3])).unbatch()
    assert contents(rows) == [([1, 2], 1), ([], 2), ([3], 3)]
    assert rows.element_spec[0] == tf.RaggedTensorSpec([None], tf.int32, 0) and rows.cardinality().numpy() == 3
    assert contents(Dataset.from_tensors({"a": sparse(), "b": None}).unbatch()) == [
        {"a": [0, 5], "b": None},
        {"a": [0, 0], "b": None},
        {"a": [7, 0], "b": None},
    ]


def test_deeper_ragged_elements_are_split_level_by_level() -> None:
    deep = tf.RaggedTensor.from_row_lengths(ragged(), [2, 1])
    once = Dataset.from_tensors(deep).unbatch()
    assert contents(once) == [[[1, 2], []], [[3]]] and contents(once.unbatch()) == [[1, 2], [], [3]]
    assert contents(once.unbatch().unbatch()) == [1, 2, 3]


def test_rows_are_batched_anew() -> None:
    batches = Dataset.from_tensor_slices(ragged()).batch(2)
    assert contents(batches.rebatch(3)) == [[[1, 2], [], [3]]]
    assert contents(batches.rebatch([1, 2], drop_remainder=True)) == [[[1, 2]], [[], [3]]]
    assert contents(Dataset.from_tensor_slices(sparse()).batch(2).rebatch(1)) == [[[0, 5]], [[0, 0]], [[7, 0]]]


def test_components_must_have_as_many_rows() -> None:
    with pytest.raises((ValueError, tf.errors.InvalidArgumentError), match=r"batch size|leading dimension"):
        contents(Dataset.from_tensors((ragged(), [1, 2])).unbatch())
    with pytest.raises(tf.errors.InvalidArgumentError, match="Rank of input SparseTensor should be > 1"):
        contents(Dataset.from_tensors(tf.sparse.from_dense([1, 0])).unbatch())
