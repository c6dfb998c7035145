"""Simple hooks; their other answers are compared in the oracle topic `v1_monitored`."""

from __future__ import annotations

import logging
from typing import Any

import pytest

import millrace.compat.v1 as tf


def test_a_worker_begins_when_the_others_have_come_far_enough() -> None:
    steps, waits = iter([1, 2, 5]), []

    class Session:
        def run(self, fetch: Any) -> int:
            return next(steps)

    with tf.Graph().as_default():
        tf.train.get_or_create_global_step()
        hook = tf.train.GlobalStepWaiterHook(4)
        hook._sleep = waits.append
        hook.begin()
        context = tf.train.SessionRunContext(tf.train.SessionRunArgs(None), Session())
        hook.before_run(context)
        hook.before_run(context)
    assert waits == [0.5, 0.5]


def test_values_are_logged_in_the_order_of_their_tags(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO), tf.Graph().as_default():
        a, b = tf.constant(1.5, name="a"), tf.constant([1.0, 2.0], name="b")
        hook = tf.train.LoggingTensorHook({"second": b, "first": a}, every_n_iter=2)
        with tf.train.MonitoredSession(hooks=[hook]) as session:
            session.run(a)
    assert "second = [1. 2.], first = 1.5" in [record.getMessage() for record in caplog.records]


def test_an_operation_of_several_outputs_is_not_logged_by_name() -> None:
    with tf.Graph().as_default():
        tf.split(tf.constant([1, 2]), 2, name="parts")
        with pytest.raises(ValueError, match="has 2 outputs"):
            tf.train.LoggingTensorHook(["parts"], every_n_iter=1).begin()


def test_the_end_of_data_in_final_operations_is_an_error() -> None:
    with tf.Graph().as_default():
        x = tf.data.make_one_shot_iterator(tf.data.Dataset.range(1)).get_next()
        session = tf.train.MonitoredSession(hooks=[tf.train.FinalOpsHook(x)])
        session.run(x)
        with pytest.raises(tf.errors.OutOfRangeError):
            session.close()
