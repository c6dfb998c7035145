"""Tests for the contexts of strategies that a thread has entered."""

from __future__ import annotations

import pytest

import millrace as tf
from tests.distribute.facts import facts


@pytest.fixture
def one() -> tf.distribute.Strategy:
    return tf.distribute.OneDeviceStrategy("/cpu:0")


def test_scope_is_a_cross_replica_context(one: tf.distribute.Strategy) -> None:
    with one.scope() as strategy:
        assert strategy is one
        assert facts() == (one, True, True, None)


def test_scope_of_the_same_strategy_nests(one: tf.distribute.Strategy) -> None:
    with one.scope():
        with one.scope():
            pass
        assert facts() == (one, True, True, None)


def test_scope_of_another_strategy_is_refused(one: tf.distribute.Strategy) -> None:
    with one.scope(), pytest.raises(RuntimeError, match="Mixing different"):
        with tf.distribute.OneDeviceStrategy("/cpu:0").scope():
            pass


def test_error_in_a_scope_leaves_it(one: tf.distribute.Strategy) -> None:
    with pytest.raises(ZeroDivisionError), one.scope():
        raise ZeroDivisionError
    with pytest.raises(ZeroDivisionError):
        one.run(lambda: 1 / 0)
    assert not tf.distribute.has_strategy()


def test_graph_of_its_own_sees_no_strategy_of_the_code_around(one: tf.distribute.Strategy) -> None:
    with one.scope(), tf.Graph().as_default():
        assert not tf.distribute.has_strategy()


def test_graph_keeps_the_strategy_entered_in_it(one: tf.distribute.Strategy) -> None:
    graph = tf.Graph()
    with graph.as_default(), one.scope():
        with tf.Graph().as_default():
            assert not tf.distribute.has_strategy()
        with tf.init_scope():
            assert tf.distribute.get_strategy() is one
        with graph.as_default():
            assert tf.distribute.get_strategy() is one


def test_functions_branches_and_init_scopes_see_the_strategy_around(one: tf.distribute.Strategy) -> None:
    seen = []

    @tf.function
    def function(x: tf.Tensor) -> tf.Tensor:
        with tf.init_scope():
            seen.append(facts())
        return tf.cond(x > 0, lambda: seen.append(facts()) or x, lambda: -x)

    with one.scope():
        function(tf.constant(1))
        tf.data.Dataset.range(2).map(lambda x: seen.append(facts()) or x)
    assert set(seen) == {(one, True, True, None)}


def test_function_is_traced_apart_while_no_replica_runs(one: tf.distribute.Strategy) -> None:
    seen = []

    @tf.function
    def function(x: tf.Tensor) -> tf.Tensor:
        seen.append(tf.distribute.in_cross_replica_context())
        return x + len(seen)

    x = tf.constant(0)
    results = []
    for _ in range(3):
        results.append(int(function(x)))
        results.append(int(one.run(function, args=(x,))))
        with one.scope():
            results.append(int(function(x)))
            results.append(int(one.run(function, args=(x,))))
    assert seen == [False, True]
    assert results == [1, 1, 2, 1] * 3


def test_functions_that_run_eagerly_do_so_in_a_scope(one: tf.distribute.Strategy) -> None:
    function = tf.function(lambda: tf.executing_eagerly())
    tf.config.run_functions_eagerly(True)
    try:
        with one.scope():
            assert function()
        assert function()
    finally:
        tf.config.run_functions_eagerly(False)
    with one.scope():
        assert not function()


def test_replica_context_is_entered_by_hand(one: tf.distribute.Strategy) -> None:
    context = tf.distribute.ReplicaContext(one, 0)
    with context as entered:
        assert entered is None
        assert facts() == (one, True, False, context)
    assert not tf.distribute.has_strategy()


def test_scope_may_be_entered_again(one: tf.distribute.Strategy) -> None:
    scope = one.scope()
    for _ in range(2):
        with scope, scope:
            assert facts() == (one, True, True, None)
        assert not tf.distribute.has_strategy()
    with pytest.raises(RuntimeError, match="left more often than entered"):
        scope.__exit__(None, None, None)
