"""Sessions within monitored sessions: merged options, errors of threads, sessions that are replaced."""

from __future__ import annotations

from typing import Any

import pytest

import millrace.compat.v1 as tf


class _Asking(tf.train.SessionRunHook):
    """A hook that asks for options, and keeps what the run had."""

    def __init__(self, options: Any) -> None:
        self._options = options

    def before_run(self, run_context: Any) -> Any:
        return tf.train.SessionRunArgs(None, options=self._options)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        self.values = run_values


def test_the_options_of_hooks_and_program_are_merged() -> None:
    traced = _Asking(tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE))
    timed = _Asking(tf.RunOptions(timeout_in_ms=60_000))
    with tf.Graph().as_default():
        x = tf.constant([1.0]) * 2.0
        with tf.train.MonitoredSession(hooks=[traced, timed]) as session:
            session.run(x, options=tf.RunOptions(output_partition_graphs=True))
    options = traced.values.options
    assert (options.trace_level, options.timeout_in_ms, options.output_partition_graphs) == (3, 60_000, True)
    assert traced.values.run_metadata is timed.values.run_metadata
    assert traced.values.run_metadata.partition_graphs


def test_the_error_of_a_thread_ends_the_loop() -> None:
    class Breaking(tf.train.SessionRunHook):
        def after_create_session(self, session: Any, coord: Any) -> None:
            coord.request_stop(ValueError("of a thread"))

    with tf.Graph().as_default():
        x = tf.constant(1)
        with pytest.raises(ValueError, match="of a thread"), tf.train.MonitoredSession(hooks=[Breaking()]) as session:
            while not session.should_stop():
                session.run(x)


def test_a_session_that_is_replaced_begins_with_the_checkpoint() -> None:
    sessions = []

    class Failing(tf.train.SessionRunHook):
        def after_create_session(self, session: Any, coord: Any) -> None:
            sessions.append(session)

        def after_run(self, run_context: Any, run_values: Any) -> None:
            if len(sessions) == 1:
                raise tf.errors.AbortedError(None, None, "gone")

    with tf.Graph().as_default():
        v = tf.get_variable("v", initializer=1.0)
        add = v.assign_add(1.0)
        with tf.train.MonitoredSession(hooks=[Failing()]) as session:
            assert session.run(add) == 2.0  # in the second session, which began anew
    assert len(sessions) == 2
    with pytest.raises(RuntimeError, match="closed Session"):
        sessions[0].run(v)
