"""Tests for the default strategy and for the questions about the strategy in force."""

from __future__ import annotations

import copy
import threading

import pytest

import millrace as tf
from tests.distribute.facts import facts

DEFAULT = tf.distribute.get_strategy()
OUTSIDE = (DEFAULT, False, False, tf.distribute.get_replica_context())


def test_outside_all_strategies_the_default_replica_runs() -> None:
    assert facts() == OUTSIDE


def test_default_replica_is_number_zero_of_one() -> None:
    context = tf.distribute.get_replica_context()
    assert (context.replica_id_in_sync_group, context.num_replicas_in_sync, context.devices) == (0, 1, ("",))


def test_scope_of_default_strategy_changes_nothing() -> None:
    with DEFAULT.scope() as strategy:
        assert strategy is DEFAULT
        assert facts() == OUTSIDE


def test_scope_of_default_strategy_in_another_scope_is_refused() -> None:
    strategy = tf.distribute.OneDeviceStrategy("/cpu:0")
    with strategy.scope(), pytest.raises(RuntimeError, match="Must not nest"):
        DEFAULT.scope()


def test_run_of_default_strategy_is_a_replica_without_strategy() -> None:
    strategy, has_strategy, is_cross_replica, context = DEFAULT.run(facts)
    assert (strategy, has_strategy, is_cross_replica) == (DEFAULT, False, False)
    assert context is not None and context.strategy is DEFAULT


def test_devices_of_default_strategy_are_refused() -> None:
    for name in ("worker_devices", "parameter_devices"):
        with pytest.raises(RuntimeError, match=f"{name}\\(\\) method unsupported by default"):
            getattr(DEFAULT.extended, name)


def test_default_strategy_gives_datasets_back() -> None:
    dataset = tf.data.Dataset.range(3)
    assert DEFAULT.experimental_distribute_dataset(dataset) is dataset
    assert DEFAULT.distribute_datasets_from_function(lambda context: dataset) is dataset


def test_default_strategy_is_not_copied() -> None:
    with pytest.raises(RuntimeError, match="Should only create a single instance"):
        copy.deepcopy(DEFAULT)
    with pytest.raises(RuntimeError, match="Must only deepcopy"):
        copy.copy(DEFAULT)


def test_another_thread_sees_no_strategy() -> None:
    seen = []
    with tf.distribute.OneDeviceStrategy("/cpu:0").scope():
        thread = threading.Thread(target=lambda: seen.append(facts()))
        thread.start()
        thread.join()
    assert seen == [OUTSIDE]


def test_strategy_that_a_thread_chooses_stays_until_another() -> None:
    first, second = tf.distribute.OneDeviceStrategy("/cpu:0"), tf.distribute.OneDeviceStrategy("/cpu:0")
    choose = tf.distribute.experimental_set_strategy
    try:
        for strategy in (first, first, second):
            choose(strategy)
            assert facts() == (strategy, True, True, None)
        assert second.extended.variable_created_in_scope(tf.Variable(1.0))
    finally:
        choose(None)
    assert facts() == OUTSIDE
    assert DEFAULT.extended.variable_created_in_scope(tf.Variable(1.0))


def test_strategy_is_not_chosen_in_a_scope_or_replica() -> None:
    strategy = tf.distribute.OneDeviceStrategy("/cpu:0")
    with strategy.scope(), pytest.raises(RuntimeError, match="Must not be called inside a"):
        tf.distribute.experimental_set_strategy(None)
    with pytest.raises(RuntimeError, match="Must not be called inside a"):
        strategy.run(lambda: tf.distribute.experimental_set_strategy(strategy))
