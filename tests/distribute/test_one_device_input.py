"""Tests for datasets in the form of distributed ones."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf

ONE = tf.distribute.OneDeviceStrategy("/cpu:0")


@pytest.fixture
def dataset() -> Any:
    return ONE.experimental_distribute_dataset(tf.data.Dataset.range(5).batch(2))


def test_classes(dataset: Any) -> None:
    assert isinstance(dataset, tf.distribute.DistributedDataset)
    assert not isinstance(dataset, tf.data.Dataset)
    assert isinstance(iter(dataset), tf.distribute.DistributedIterator)
    assert isinstance(iter(dataset), tf.data.Iterator)


def test_elements_spec_and_length(dataset: Any) -> None:
    assert [batch.numpy().tolist() for batch in dataset] == [[0, 1], [2, 3], [4]]
    assert dataset.element_spec == tf.TensorSpec([None], tf.int64)
    assert dataset.cardinality == 3


def test_there_are_no_transformations(dataset: Any) -> None:
    with pytest.raises(AttributeError, match="no attribute 'map'"):
        dataset.map
    with pytest.raises(TypeError, match="has no len"):
        len(dataset)


def test_only_datasets_are_distributed(dataset: Any) -> None:
    for wrong in ([1, 2], dataset):
        with pytest.raises(TypeError, match=r"A tf.data.Dataset is needed"):
            ONE.experimental_distribute_dataset(wrong)


def test_reduce(dataset: Any) -> None:
    assert int(dataset.reduce(tf.constant(0, tf.int64), lambda total, batch: total + tf.reduce_sum(batch))) == 10


def test_loops_in_functions_over_datasets_and_iterators(dataset: Any) -> None:
    traces = []

    @tf.function
    def total(batches: Any) -> Any:
        traces.append(type(batches))
        seen = tf.constant(0, tf.int64)
        for batch in batches:
            if tf.reduce_sum(batch) > 4:
                continue
            seen += ONE.run(tf.reduce_sum, args=(batch,))
        return seen

    for batches in (dataset, iter(dataset), dataset, iter(dataset)):
        assert int(total(batches)) == 5
    assert [issubclass(kind, tf.distribute.DistributedDataset) for kind in traces] == [True, False]
    assert issubclass(traces[1], tf.distribute.DistributedIterator)


def test_captured_datasets_are_looped_over(dataset: Any) -> None:
    @tf.function
    def total() -> Any:
        seen = tf.constant(0, tf.int64)
        for batch in dataset:
            seen += tf.reduce_sum(batch)
        return seen

    assert int(total()) == 10


def test_options_that_one_device_cannot_run() -> None:
    dataset = tf.data.Dataset.range(2)
    per_replica = tf.distribute.InputOptions(
        experimental_replication_mode=tf.distribute.InputReplicationMode.PER_REPLICA
    )
    with pytest.raises(NotImplementedError, match="PER_REPLICA is only supported in"):
        ONE.experimental_distribute_dataset(dataset, per_replica)
    with pytest.raises(NotImplementedError, match="PER_REPLICA is only supported in"):
        ONE.distribute_datasets_from_function(lambda context: dataset, per_replica)
    placed = tf.distribute.InputOptions(experimental_place_dataset_on_device=True)
    with pytest.raises(ValueError, match="you must also specify `PER_REPLICA`"):
        ONE.distribute_datasets_from_function(lambda context: dataset, placed)
