"""`SessionManager`: waiting, with a clock of the test's; other answers are in the oracle topic `v1_monitored`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import millrace.compat.v1 as tf


def _with_clock(manager: Any, at_second_look: Any) -> list[float]:
    """Gives a manager a clock that only waiting moves; the first wait calls a function."""
    waits: list[float] = []

    def sleep(seconds: float) -> None:
        if not waits:
            at_second_look()
        waits.append(seconds)

    manager._clock, manager._sleep = (lambda: sum(waits)), sleep
    return waits


def test_a_checkpoint_is_waited_for(tmp_path: Path) -> None:
    with tf.Graph().as_default():
        v = tf.get_variable("v", initializer=2.0)
        saver, initializer = tf.train.Saver(), tf.global_variables_initializer()
        manager = tf.train.SessionManager(ready_op=tf.report_uninitialized_variables(), recovery_wait_secs=30)

        def save() -> None:
            with tf.Session() as session:
                session.run(initializer)
                saver.save(session, str(tmp_path / "model"))

        waits = _with_clock(manager, save)
        session, is_ready = manager.recover_session(
            "", saver=saver, checkpoint_dir=str(tmp_path), wait_for_checkpoint=True, max_wait_secs=100
        )
        assert (is_ready, session.run(v), waits) == (True, 2.0, [30])


def test_a_checkpoint_that_never_comes(tmp_path: Path) -> None:
    with tf.Graph().as_default():
        tf.get_variable("v", initializer=2.0)
        manager = tf.train.SessionManager(ready_op=tf.report_uninitialized_variables(), recovery_wait_secs=30)
        waits = _with_clock(manager, lambda: None)
        _, is_ready = manager.recover_session(
            "", saver=tf.train.Saver(), checkpoint_dir=str(tmp_path), wait_for_checkpoint=True, max_wait_secs=60
        )
        assert (is_ready, waits) == (False, [30, 30])
