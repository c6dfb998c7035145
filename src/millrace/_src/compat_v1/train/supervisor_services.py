"""The threads of a `Supervisor`: summaries, steps per second, checkpoints, each every so many seconds.

Tests: tests/compat_v1/train/test_supervisor.py
"""

from __future__ import annotations

import time
from typing import Any

from millrace._src.compat_v1.train.global_step import global_step
from millrace._src.compat_v1.train.looper_thread import LooperThread
from millrace._src.proto import event_pb2, summary_pb2
from millrace._src.util.logger import get_logger


class ServiceThread(LooperThread):
    """A service of a supervisor, in a thread of its own.

    Args:
      supervisor: the supervisor.
      session: the session, whose graph is the thread's default graph.
      interval: the seconds between two rounds.
    """

    def __init__(self, supervisor: Any, session: Any, interval: float) -> None:
        super().__init__(supervisor.coord, interval)
        self._supervisor = supervisor
        self._session = session

    def run(self) -> None:
        """Does the rounds."""
        with self._session.graph.as_default():  # which a new thread does not inherit
            super().run()


class SummaryThread(ServiceThread):
    """Writes the merged summaries.

    Args:
      supervisor: the supervisor.
      session: the session.
    """

    def __init__(self, supervisor: Any, session: Any) -> None:
        super().__init__(supervisor, session, supervisor.save_summaries_secs)

    def run_loop(self) -> None:
        """Writes the summaries once."""
        supervisor = self._supervisor
        if supervisor.global_step is not None:
            summary, step = self._session.run([supervisor.summary_op, supervisor.global_step])
        else:
            summary, step = self._session.run(supervisor.summary_op), None
        if supervisor.summary_writer:
            get_logger().info("Recording summary at step %s.", step)
            supervisor.summary_writer.add_summary(summary, step)


class StepCounterThread(ServiceThread):
    """Writes the steps per second as a summary.

    Args:
      supervisor: the supervisor.
      session: the session.
    """

    def __init__(self, supervisor: Any, session: Any) -> None:
        super().__init__(supervisor, session, supervisor.save_summaries_secs)
        self._last_time = 0.0
        self._last_step = 0
        self._summary_tag = f"{supervisor.global_step.op.name}/sec"

    def start_loop(self) -> None:
        """Notes where the counting begins."""
        self._last_time = time.monotonic()
        self._last_step = global_step(self._session, self._supervisor.global_step)

    def run_loop(self) -> None:
        """Writes the steps per second since the last time."""
        now, step = time.monotonic(), global_step(self._session, self._supervisor.global_step)
        seconds, steps = now - self._last_time, step - self._last_step
        self._last_time, self._last_step = now, step
        rate = steps / seconds if seconds > 0 else float("inf")
        value = summary_pb2.Summary.Value(tag=self._summary_tag, simple_value=rate)
        if self._supervisor.summary_writer:
            self._supervisor.summary_writer.add_summary(summary_pb2.Summary(value=[value]), step)
        get_logger().info("%s: %g", self._summary_tag, rate)


class CheckpointThread(ServiceThread):
    """Writes checkpoints.

    Args:
      supervisor: the supervisor.
      session: the session.
    """

    def __init__(self, supervisor: Any, session: Any) -> None:
        super().__init__(supervisor, session, supervisor.save_model_secs)

    def run_loop(self) -> None:
        """Writes a checkpoint."""
        supervisor = self._supervisor
        get_logger().info("Saving checkpoint to path %s", supervisor.save_path)
        supervisor.saver.save(self._session, supervisor.save_path, global_step=supervisor.global_step)
        if supervisor.summary_writer and supervisor.global_step is not None:
            log = event_pb2.SessionLog(status=event_pb2.SessionLog.CHECKPOINT, checkpoint_path=supervisor.save_path)
            step = global_step(self._session, supervisor.global_step)
            supervisor.summary_writer.add_session_log(log, step)
