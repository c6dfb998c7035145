"""`tf.compat.v1.train.ProfilerHook`: timelines of single runs of a training."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from millrace._src.compat_v1.summary.file_writer import FileWriterCache
from millrace._src.compat_v1.train.basic_hooks import step_tensor
from millrace._src.compat_v1.train.hook_timers import SecondOrStepTimer
from millrace._src.compat_v1.train.session_run_hook import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
)
from millrace._src.explain.timeline import chrome_timeline
from millrace._src.proto import config_pb2
from millrace._src.util.class_homes import tensorflow_home
from millrace._src.util.export import export
from millrace._src.util.logger import get_logger


@export(v1=["train.ProfilerHook"])
@tensorflow_home("python.training.basic_session_run_hooks")
class ProfilerHook(SessionRunHook):
    """Writes a timeline of a run every so many steps or seconds, which Chrome's and Perfetto's viewers show.

    Args:
      save_steps: the steps between two timelines.
      save_secs: the seconds between two timelines.
      output_dir: the folder of the files, "timeline-<step>.json", and of the runs' metadata in an event file.
      show_dataflow: accepted for compatibility: the timeline has no arrows between operations.
      show_memory: accepted for compatibility: the timeline has no rows of memory.
    """

    def __init__(
        self,
        save_steps: int | None = None,
        save_secs: float | None = None,
        output_dir: str = "",
        show_dataflow: bool = True,
        show_memory: bool = False,
    ) -> None:
        self._output_dir = output_dir
        self._output_file = os.path.join(output_dir, "timeline-{}.json")
        self._timer = SecondOrStepTimer(every_secs=save_secs, every_steps=save_steps)

    def begin(self) -> None:
        """Finds the global step and the writer."""
        self._next_step: int | None = None
        self._global_step = step_tensor("ProfilerHook")
        self._file_writer = FileWriterCache.get(self._output_dir)

    def before_run(self, run_context: SessionRunContext) -> Any:
        """Asks for a trace, when it is time; never of the first run, which prepares much."""
        self._is_requested = self._next_step is not None and self._timer.should_trigger_for_step(self._next_step)
        options = None
        if self._is_requested:
            options = config_pb2.RunOptions(trace_level=config_pb2.RunOptions.FULL_TRACE)
        return SessionRunArgs({"global_step": self._global_step}, options=options)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Writes the timeline, when it is time."""
        stale_step = run_values.results["global_step"]
        if self._next_step is None:
            self._timer.update_last_triggered_step(stale_step)
        step = stale_step + 1
        if self._is_requested:
            step = run_context.session.run(self._global_step)
            self._timer.update_last_triggered_step(step)
            path = Path(self._output_file.format(step))
            get_logger().info("Saving timeline for %d into '%s'.", step, path)
            path.write_text(chrome_timeline(run_values.run_metadata.step_stats))
            self._file_writer.add_run_metadata(run_values.run_metadata, f"step_{step}")
        self._next_step = step + 1
