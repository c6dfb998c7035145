"""Tests for what one replica knows of the others."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf

ONE = tf.distribute.OneDeviceStrategy("/cpu:0")
EVERY = pytest.mark.parametrize("strategy", [tf.distribute.get_strategy(), ONE], ids=["default", "one device"])


def _context() -> Any:
    return tf.distribute.get_replica_context()


@EVERY
def test_merge_call_is_between_replicas(strategy: Any) -> None:
    def merge(given: Any, a: int, b: int) -> Any:
        return given is strategy, a, b, tf.distribute.in_cross_replica_context(), _context()

    assert strategy.run(lambda: _context().merge_call(merge, args=(1,), kwargs={"b": 2})) == (True, 1, 2, True, None)


@EVERY
def test_replicas_run_in_merge_calls(strategy: Any) -> None:
    assert strategy.run(lambda: _context().merge_call(lambda given: given.run(lambda: _context() is not None)))


def test_context_of_a_replica_that_does_not_run_is_refused() -> None:
    stale, outside = ONE.run(_context), _context()
    with pytest.raises(RuntimeError, match="Mismatching tf"):
        stale.merge_call(lambda strategy: 1)
    with pytest.raises(RuntimeError, match="Mismatching ReplicaContext"):
        tf.distribute.get_strategy().run(lambda: outside.merge_call(lambda strategy: 1))
    with pytest.raises(RuntimeError, match="Need to be inside `call_for_each_replica"):
        ONE.run(lambda: _context().merge_call(lambda strategy: stale.all_reduce("SUM", 1.0)))


@EVERY
def test_all_reduce_makes_tensors(strategy: Any) -> None:
    variable = tf.Variable(1.5)
    total = strategy.run(lambda: _context().all_reduce("SUM", [variable, 2]))
    variable.assign(7.0)
    assert [float(value) for value in total] == [1.5, 2.0]


@EVERY
@pytest.mark.parametrize("reduce_op", [None, 3])
def test_all_reduce_refuses_what_is_no_reduction(strategy: Any, reduce_op: Any) -> None:
    with pytest.raises(AssertionError, match=f"must be a tf.distribute.ReduceOp; received {reduce_op}"):
        strategy.run(lambda: _context().all_reduce(reduce_op, 1.0))


@EVERY
def test_all_reduce_leaves_indexed_slices(strategy: Any) -> None:
    slices = tf.IndexedSlices(tf.ones([1, 2]), tf.constant([3]))
    assert strategy.run(lambda: _context().all_reduce("SUM", slices)) is slices


@EVERY
def test_gathers_refuse_indexed_slices(strategy: Any) -> None:
    slices = tf.IndexedSlices(tf.ones([1, 2]), tf.constant([3]))
    with pytest.raises(NotImplementedError, match="all_gather does not support IndexedSlices"):
        strategy.run(lambda: _context().all_gather([slices], axis=0))
    with pytest.raises(NotImplementedError, match="gather does not support IndexedSlices"):
        strategy.gather(slices, axis=0)


@EVERY
def test_gradients_pass_through_combinations(strategy: Any) -> None:
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = strategy.run(lambda: _context().all_reduce("MEAN", x * x) + _context().all_gather(x, 0))
    assert tape.gradient(y, x).numpy().tolist() == [3.0, 5.0]


@pytest.mark.parametrize("number", [1.5, "a"])
def test_number_of_a_replica_is_an_integer(number: Any) -> None:
    with pytest.raises(ValueError, match="replica_id_in_sync_group can only be an integer, a Tensor or None"):
        tf.distribute.ReplicaContext(ONE, number)


def test_number_of_a_replica_is_a_tensor_of_the_graph_around() -> None:
    function = tf.function(lambda: _context().replica_id_in_sync_group + 1)
    assert int(ONE.run(function)) == 1
