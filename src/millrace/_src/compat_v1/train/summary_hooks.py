"""Hooks that write summaries of a training: those of the program, and the steps per second.

Tests: tests/oracle/programs/v1_monitored.py
"""

from __future__ import annotations

from typing import Any

from millrace._src.compat_v1.summary.file_writer import FileWriterCache
from millrace._src.compat_v1.train.basic_hooks import step_tensor
from millrace._src.compat_v1.train.global_step import get_global_step
from millrace._src.compat_v1.train.hook_timers import SecondOrStepTimer
from millrace._src.compat_v1.train.session_run_hook import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
)
from millrace._src.proto import event_pb2, summary_pb2
from millrace._src.util.class_homes import tensorflow_home
from millrace._src.util.export import export
from millrace._src.util.logger import get_logger


@export(v1=["train.StepCounterHook"])
@tensorflow_home("python.training.basic_session_run_hooks")
class StepCounterHook(SessionRunHook):
    """Writes the steps per second as a summary, and logs them.

    Args:
      every_n_steps: the steps between two summaries.
      every_n_secs: the seconds between two summaries.
      output_dir: the folder of the summaries.
      summary_writer: a writer, instead of the folder.

    Raises: ValueError: unless exactly one of steps and seconds is given.
    """

    def __init__(
        self,
        every_n_steps: int | None = 100,
        every_n_secs: float | None = None,
        output_dir: str | None = None,
        summary_writer: Any = None,
    ) -> None:
        if (every_n_steps is None) == (every_n_secs is None):
            raise ValueError("exactly one of every_n_steps and every_n_secs should be provided.")
        self._timer = SecondOrStepTimer(every_steps=every_n_steps, every_secs=every_n_secs)
        self._summary_writer = summary_writer
        self._output_dir = output_dir
        self._last_global_step: int | None = None
        self._steps_per_run = 1

    def begin(self) -> None:
        """Finds the global step and the writer."""
        if self._summary_writer is None and self._output_dir:
            self._summary_writer = FileWriterCache.get(self._output_dir)
        self._global_step = step_tensor("StepCounterHook")
        self._summary_tag = f"{get_global_step().op.name}/sec"

    def before_run(self, run_context: SessionRunContext) -> Any:
        """Asks for the global step."""
        return SessionRunArgs(self._global_step)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Writes the steps per second, when it is time; warns if the global step does not move."""
        stale_step = run_values.results
        if self._timer.should_trigger_for_step(stale_step + self._steps_per_run):
            step = run_context.session.run(self._global_step)
            if self._timer.should_trigger_for_step(step):
                self._write(*self._timer.update_last_triggered_step(step), step)
        if stale_step == self._last_global_step:
            get_logger().warning(
                "It seems that global step (tf.train.get_global_step) has not been increased. Current value (could be "
                "stable): %s vs previous value: %s. You could increase the global step by passing "
                "tf.train.get_global_step() to Optimizer.apply_gradients or Optimizer.minimize.",
                stale_step,
                self._last_global_step,
            )
        self._last_global_step = stale_step

    def _write(self, seconds: float | None, steps: int | None, step: int) -> None:
        if seconds is None or steps is None:
            return
        rate = float(steps) / seconds if seconds else float("inf")
        if self._summary_writer is not None:
            value = summary_pb2.Summary.Value(tag=self._summary_tag, simple_value=rate)
            self._summary_writer.add_summary(summary_pb2.Summary(value=[value]), step)
        get_logger().info("%s: %g", self._summary_tag, rate)


@export(v1=["train.SummarySaverHook"])
@tensorflow_home("python.training.basic_session_run_hooks")
class SummarySaverHook(SessionRunHook):
    """Writes the summaries of the program every so many steps or seconds.

    Args:
      save_steps: the steps between two summaries.
      save_secs: the seconds between two summaries.
      output_dir: the folder of the summaries.
      summary_writer: a writer, instead of the folder.
      scaffold: a `Scaffold` that has the summary operation.
      summary_op: the summary operation, or a list of them.

    Raises: ValueError: unless exactly one of `scaffold` and `summary_op` is given, and one of steps and seconds.
    """

    def __init__(
        self,
        save_steps: int | None = None,
        save_secs: float | None = None,
        output_dir: str | None = None,
        summary_writer: Any = None,
        scaffold: Any = None,
        summary_op: Any = None,
    ) -> None:
        if (scaffold is None) == (summary_op is None):
            raise ValueError("Exactly one of scaffold or summary_op must be provided.")
        self._summary_op = summary_op
        self._summary_writer = summary_writer
        self._output_dir = output_dir
        self._scaffold = scaffold
        self._timer = SecondOrStepTimer(every_secs=save_secs, every_steps=save_steps)

    def begin(self) -> None:
        """Finds the global step and the writer."""
        if self._summary_writer is None and self._output_dir:
            self._summary_writer = FileWriterCache.get(self._output_dir)
        self._next_step: int | None = None
        self._global_step = step_tensor("SummarySaverHook")

    def before_run(self, run_context: SessionRunContext) -> Any:
        """Asks for the global step, and for the summaries when it is time."""
        self._is_requested = self._next_step is None or self._timer.should_trigger_for_step(self._next_step)
        fetches = {"global_step": self._global_step}
        summary_op = self._get_summary_op() if self._is_requested else None
        if summary_op is not None:
            fetches["summary"] = summary_op
        return SessionRunArgs(fetches)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Writes the summaries, when it is time."""
        if self._summary_writer is None:
            return
        step = run_values.results["global_step"] + 1
        if self._next_step is None or self._is_requested:
            step = run_context.session.run(self._global_step)
        if self._next_step is None:
            self._summary_writer.add_session_log(event_pb2.SessionLog(status=event_pb2.SessionLog.START), step)
        if self._is_requested:
            self._timer.update_last_triggered_step(step)
            for summary in run_values.results.get("summary", ()):
                self._summary_writer.add_summary(summary, step)
        self._next_step = step + 1

    def end(self, session: Any = None) -> None:
        """Writes what waits in memory."""
        if self._summary_writer is not None:
            self._summary_writer.flush()

    def _get_summary_op(self) -> Any:
        """Returns the list of the summary operations; None if there is none."""
        op = self._summary_op if self._summary_op is not None else self._scaffold.summary_op
        return op if op is None or isinstance(op, list) else [op]
