"""Tests for the functions that converted code hands to a strategy."""

from __future__ import annotations

import functools
from typing import Any

import pytest

import millrace as tf

ONE = tf.distribute.OneDeviceStrategy("/cpu:0")
EVERY = pytest.mark.parametrize("strategy", [tf.distribute.get_strategy(), ONE], ids=["default", "one device"])


def _step(v: Any) -> Any:
    if v > 0:
        return v * 2
    return -v


class _Step:
    def method(self, v: Any) -> Any:
        if v > 0:
            return v * 2
        return -v

    __call__ = method


@EVERY
@pytest.mark.parametrize("step", [_step, _Step(), _Step().method, functools.partial(_step)])
def test_step_is_converted(strategy: Any, step: Any) -> None:
    function = tf.function(lambda v: (strategy.run(step, args=(v,)), strategy.run(fn=step, args=[v])))
    assert [int(value) for x in (3, -3) for value in function(tf.constant(x))] == [6, 6, 3, 3]


@EVERY
def test_functions_of_updates_and_merges_are_converted(strategy: Any) -> None:
    @tf.function
    def function(v: Any) -> Any:
        merged = tf.distribute.get_replica_context().merge_call(lambda _, v: _step(v), args=(v,))
        made = strategy.experimental_distribute_values_from_function(lambda _: _step(v))
        updated = strategy.extended.update(v, _step)
        return merged, made, updated, strategy.extended.update_non_slot([v], _step, args=(v,))

    assert [int(value) for x in (3, -3) for value in function(tf.constant(x))] == [6] * 4 + [3] * 4


@EVERY
def test_step_of_an_unconverted_function_is_left_alone(strategy: Any) -> None:
    function = tf.function(lambda v: strategy.run(_step, args=(v,)), autograph=False)
    with pytest.raises(tf.errors.OperatorNotAllowedInGraphError):
        function(tf.constant(1))
