"""Tests for the older interface that feeds a strategy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf

ONE = tf.distribute.OneDeviceStrategy("/cpu:0")
EVERY = pytest.mark.parametrize("strategy", [tf.distribute.get_strategy(), ONE], ids=["default", "one device"])


@EVERY
def test_iterator_feeds_runs_and_starts_again(strategy: Any) -> None:
    iterator = strategy.make_dataset_iterator(tf.data.Dataset.range(2))
    assert [int(strategy.experimental_run(lambda x: x + 1, iterator)) for _ in range(2)] == [1, 2]
    with pytest.raises(tf.errors.OutOfRangeError):
        iterator.get_next()
    assert not iterator.get_next_as_optional().has_value()
    iterator.initialize()
    assert int(iterator.get_next()) == 0
    assert iterator.element_spec == tf.TensorSpec([], tf.int64)


@EVERY
def test_dataset_of_an_iterator_may_come_from_a_function(strategy: Any) -> None:
    iterator = strategy.make_input_fn_iterator(lambda context: tf.data.Dataset.range(context.num_input_pipelines))
    assert int(iterator.get_next()) == 0
    with pytest.raises(ValueError, match="Input replication mode not supported"):
        strategy.make_input_fn_iterator(lambda context: None, tf.distribute.InputReplicationMode.PER_REPLICA)


@EVERY
def test_datasets_of_arrays(strategy: Any) -> None:
    rows = strategy.extended.experimental_make_numpy_dataset(np.eye(2))
    assert [row.numpy().tolist() for row in rows] == [[1.0, 0.0], [0.0, 1.0]]


def test_strategies_of_tensorflow_1_reduce_without_an_axis() -> None:
    strategy = tf.compat.v1.distribute.OneDeviceStrategy("/cpu:0")
    assert isinstance(strategy, tf.compat.v1.distribute.Strategy)
    assert strategy.reduce("SUM", 3) == 3
    assert len(list(strategy.experimental_make_numpy_dataset(np.eye(2)))) == 2
