"""Tests for the classes that programs ask with `isinstance`."""

from __future__ import annotations

import pytest

import millrace as tf


def test_values_of_one_replica_are_plain_values() -> None:
    value = tf.distribute.OneDeviceStrategy("/cpu:0").run(lambda: tf.constant(1))
    assert not isinstance(value, tf.distribute.DistributedValues)
    kinds = tf.types.experimental.distributed
    assert issubclass(kinds.PerReplica, tf.distribute.DistributedValues)
    assert issubclass(kinds.Mirrored, tf.distribute.DistributedValues)


def test_datasets_of_ones_own_must_implement_everything() -> None:
    dataset, iterator = tf.distribute.DistributedDataset(), tf.distribute.DistributedIterator()
    assert iter(iterator) is iterator
    for call in (
        lambda: dataset.element_spec,
        lambda: iter(dataset),
        lambda: dataset.reduce(0, max),
        lambda: iterator.element_spec,
        lambda: next(iterator),
        lambda: iterator.get_next(),
        lambda: iterator.get_next_as_optional(),
    ):
        with pytest.raises(NotImplementedError, match="must be implemented in descendants"):
            call()
