"""Tests for the part of strategies for authors of libraries."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf

ONE = tf.distribute.OneDeviceStrategy("/cpu:0")
EVERY = pytest.mark.parametrize("strategy", [tf.distribute.get_strategy(), ONE], ids=["default", "one device"])


@EVERY
def test_reductions_with_destinations(strategy: Any) -> None:
    extended = strategy.extended
    assert extended.reduce_to("SUM", 3, "/cpu:0") == 3
    assert extended.batch_reduce_to(tf.distribute.ReduceOp.MEAN, [(1, "/cpu:0"), (2, "/cpu:0")]) == [1, 2]
    with pytest.raises(ValueError, match="'MAX' is not a valid ReduceOp"):
        extended.batch_reduce_to("max", [])


@EVERY
def test_replica_may_not_reduce_update_or_run_for_all(strategy: Any) -> None:
    extended = strategy.extended
    for call in (
        lambda: extended.reduce_to("SUM", 1, 1),
        lambda: extended.batch_reduce_to("SUM", []),
        lambda: extended.call_for_each_replica(lambda: 1),
        lambda: extended.update_non_slot(None, lambda: 1),
    ):
        with pytest.raises(RuntimeError, match="requires being in cross-replica context"):
            strategy.run(call)


@EVERY
def test_update_changes_the_variable(strategy: Any) -> None:
    v = tf.Variable(1.0)
    strategy.extended.update(v, lambda u, a, b: u.assign_add(a * b), args=(2.0,), kwargs={"b": 3.0})
    assert float(v) == 7.0


@EVERY
def test_replica_is_left_after_an_error(strategy: Any) -> None:
    with pytest.raises(ZeroDivisionError):
        strategy.extended.call_for_each_replica(lambda: 1 / 0)
    with tf.Graph().as_default(), pytest.raises(ZeroDivisionError):
        strategy.extended.call_for_each_replica(lambda: 1 / 0)
    assert strategy.extended.call_for_each_replica(lambda: 1) == 1


@EVERY
def test_values_are_read_as_tensors(strategy: Any) -> None:
    v = tf.Variable(1.0)
    value = strategy.extended.read_var(v)
    v.assign(2.0)
    assert float(value) == 1.0
