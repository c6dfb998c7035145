"""Monitored sessions; their answers are compared in the oracle topic `v1_monitored`."""

from __future__ import annotations

from typing import Any

import pytest

import millrace.compat.v1 as tf


def test_the_graph_may_grow_after_the_end() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.constant(1)
        with tf.train.MonitoredSession() as session:
            assert graph.finalized
            session.run(x)
        assert (graph.finalized, session.graph, session.should_stop()) == (False, None, True)
        with pytest.raises(RuntimeError, match="already closed"):
            session.run(x)


def test_a_finished_graph_stays_finished() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.constant(1)
        tf.train.Scaffold().finalize()
        with tf.train.MonitoredSession() as session:
            session.run(x)
        assert graph.finalized


def test_only_the_chief_has_hooks_of_the_chief() -> None:
    class Counting(tf.train.SessionRunHook):
        count = 0

        def begin(self) -> None:
            type(self).count += 1

    with tf.Graph().as_default():
        tf.constant(1)
        tf.train.MonitoredTrainingSession(chief_only_hooks=[Counting()]).close()
        tf.train.MonitoredTrainingSession(is_chief=False, chief_only_hooks=[Counting()]).close()
    assert Counting.count == 1


def test_a_method_may_be_a_step_function() -> None:
    class Trainer:
        def step(self, step_context: Any) -> Any:
            return step_context.session.run("x:0")

    with tf.Graph().as_default():
        tf.constant(3, name="x")
        with tf.train.MonitoredSession() as session:
            assert session.run_step_fn(Trainer().step) == 3
