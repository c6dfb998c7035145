"""`Dataset.as_numpy_iterator`: what its elements are; saving is tested with the states of iterators."""

from __future__ import annotations

import numpy as np
import pytest

import millrace as tf
from tests.data.composites import ragged, sparse

Dataset = tf.data.Dataset


def test_scalars_are_numpy_scalars_and_arrays_are_read_only() -> None:
    number, vector = next(Dataset.from_tensors((1, [1.0, 2.0])).as_numpy_iterator())
    assert type(number) is np.int32
    assert not vector.flags.writeable


def test_none_stays_none_and_strings_are_bytes() -> None:
    assert next(Dataset.from_tensors((None, "a")).as_numpy_iterator()) == (None, b"a")


def test_a_dataset_of_datasets_is_refused() -> None:
    with pytest.raises(TypeError, match="not supported for datasets that produce values of type"):
        Dataset.range(4).window(2).as_numpy_iterator()


def test_it_ends() -> None:
    iterator = Dataset.range(1).as_numpy_iterator()
    assert iterator.next() == 0
    with pytest.raises(StopIteration):
        iterator.next()
    assert list(iterator) == []


def test_a_graph_is_refused() -> None:
    with tf.Graph().as_default(), pytest.raises(RuntimeError, match="only supported in eager mode"):
        Dataset.range(1).as_numpy_iterator()


def test_sparse_components_become_dense_and_ragged_ones_arrays_of_rows() -> None:
    (dense,) = Dataset.from_tensors(sparse()).as_numpy_iterator()
    assert dense.tolist() == [[0, 5], [0, 0], [7, 0]]
    ((rows, number),) = Dataset.from_tensors((ragged(), 1)).as_numpy_iterator()
    assert [row.tolist() for row in rows] == [[1, 2], [], [3]] and number == 1
