"""Timers of hooks, with a clock of the test's."""

from __future__ import annotations

import millrace.compat.v1 as tf


def test_seconds_decide() -> None:
    timer, now = tf.train.SecondOrStepTimer(every_secs=10.0), [100.0]
    timer._clock = lambda: now[0]
    timer.reset()
    assert timer.should_trigger_for_step(1)
    assert timer.update_last_triggered_step(1) == (None, None)
    now[0] = 109.0
    assert not timer.should_trigger_for_step(2)
    now[0] = 110.0
    assert timer.should_trigger_for_step(2)
    assert not timer.should_trigger_for_step(1)
    assert timer.update_last_triggered_step(5) == (10.0, 4)
