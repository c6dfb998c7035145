"""Tests for what optimizers ask of a strategy."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf

ONE = tf.distribute.OneDeviceStrategy("/cpu:0")
internal = tf.__internal__.distribute


def _facts(strategy: Any, a: int, b: int = 1) -> tuple[Any, int, int, bool]:
    return strategy, a, b, tf.distribute.in_cross_replica_context()


def test_default_strategy_needs_no_merge_call() -> None:
    default = tf.distribute.get_strategy()
    assert internal.strategy_supports_no_merge_call()
    assert internal.interim.maybe_merge_call(_facts, default, 1, b=2) == (default, 1, 2, False)


def test_other_strategies_merge() -> None:
    assert not ONE.run(internal.strategy_supports_no_merge_call)
    assert ONE.run(lambda: internal.interim.maybe_merge_call(_facts, ONE, 1, b=2)) == (ONE, 1, 2, True)


def test_merge_call_between_replicas_is_refused() -> None:
    with ONE.scope(), pytest.raises(RuntimeError, match="must be called in a replica context"):
        internal.interim.maybe_merge_call(_facts, ONE, 1)


def test_reading_a_variable_of_one_copy_is_reading() -> None:
    v = tf.Variable(1.0)
    with internal.variable_sync_on_read_context():
        assert float(v.read_value()) == 1.0
