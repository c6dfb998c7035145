"""`tf.compat.v1.train.CheckpointSaverHook`: checkpoints of a training, every so many steps or seconds.

Tests: tests/oracle/programs/v1_monitored.py
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from millrace._src.compat_v1.default_graph import get_default_graph
from millrace._src.compat_v1.summary.file_writer import FileWriterCache
from millrace._src.compat_v1.train.basic_hooks import step_tensor
from millrace._src.compat_v1.train.hook_timers import SecondOrStepTimer
from millrace._src.compat_v1.train.session_run_hook import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
)
from millrace._src.compat_v1.variables.graph_keys import GraphKeys
from millrace._src.graph.graph_def import write_graph
from millrace._src.proto import event_pb2, meta_graph_pb2
from millrace._src.util.class_homes import tensorflow_home
from millrace._src.util.export import export
from millrace._src.util.logger import get_logger


@export(v1=["train.CheckpointSaverListener"])
@tensorflow_home("python.training.basic_session_run_hooks")
class CheckpointSaverListener:
    """Runs before and after a `CheckpointSaverHook` writes a checkpoint; the methods do nothing.

    >>> class Printer(tf.compat.v1.train.CheckpointSaverListener):
    ...     def after_save(self, session, global_step_value):
    ...         print("saved at", global_step_value)
    >>> Printer().after_save(None, 3)
    saved at 3
    """

    def begin(self) -> None:
        """Prepares the listener, before the graph is finished."""

    def before_save(self, session: object, global_step_value: int) -> None:
        """Runs before a checkpoint is written.

        Args:
          session: the session.
          global_step_value: the step.
        """

    def after_save(self, session: object, global_step_value: int) -> Any:
        """Runs after a checkpoint was written.

        Args:
          session: the session.
          global_step_value: the step.

        Returns: True to ask for the end of the loop; else None or False.
        """

    def end(self, session: object, global_step_value: int) -> None:
        """Runs at the end of the loop.

        Args:
          session: the session.
          global_step_value: the step.
        """


@export(v1=["train.CheckpointSaverHook"])
@tensorflow_home("python.training.basic_session_run_hooks")
class CheckpointSaverHook(SessionRunHook):
    """Writes checkpoints at the beginning, every so many steps or seconds, and at the end.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> with tf.Graph().as_default():
    ...     train = tf.compat.v1.train.get_or_create_global_step().assign_add(1)
    ...     saver = tf.compat.v1.train.Saver()
    ...     hook = tf.compat.v1.train.CheckpointSaverHook(folder, save_steps=2, saver=saver)
    ...     with tf.compat.v1.train.MonitoredSession(hooks=[hook]) as session:
    ...         _ = session.run(train)
    >>> tf.train.latest_checkpoint(folder).rpartition("/")[2]
    'model.ckpt-1'

    Args:
      checkpoint_dir: the folder.
      save_secs: the seconds between two checkpoints.
      save_steps: the steps between two checkpoints.
      saver: a `Saver`.
      checkpoint_basename: what the names of the files begin with.
      scaffold: a `Scaffold` that has the saver; without both the saver of the graph is taken.
      listeners: `CheckpointSaverListener`s.
      save_graph_def: whether the graph is written, too.

    Raises: ValueError: if a saver and a scaffold are given, or not one of seconds and steps.
    """

    def __init__(
        self,
        checkpoint_dir: str,
        save_secs: float | None = None,
        save_steps: int | None = None,
        saver: Any = None,
        checkpoint_basename: str = "model.ckpt",
        scaffold: Any = None,
        listeners: Sequence[CheckpointSaverListener] | None = None,
        save_graph_def: bool = True,
    ) -> None:
        get_logger().info("Create CheckpointSaverHook.")
        if saver is not None and scaffold is not None:
            raise ValueError("You cannot provide both saver and scaffold.")
        self._saver = saver
        self._scaffold = scaffold
        self._checkpoint_dir = checkpoint_dir
        self._save_path = os.path.join(checkpoint_dir, checkpoint_basename)
        self._timer = SecondOrStepTimer(every_secs=save_secs, every_steps=save_steps)
        self._listeners = listeners or []
        self._save_graph_def = save_graph_def

    def begin(self) -> None:
        """Finds the global step and the writer of summaries."""
        self._summary_writer = FileWriterCache.get(self._checkpoint_dir)
        self._global_step = step_tensor("CheckpointSaverHook")
        for listener in self._listeners:
            listener.begin()

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Writes the graph, and the checkpoint of the step at which the session begins."""
        step = session.run(self._global_step)
        graph = get_default_graph()
        if self._save_graph_def:
            write_graph(graph.as_graph_def(add_shapes=True), self._checkpoint_dir, "graph.pbtxt")
        self._summary_writer.add_graph(graph)
        graph_def = graph.as_graph_def(add_shapes=True)
        self._summary_writer.add_meta_graph(
            meta_graph_pb2.MetaGraphDef(graph_def=graph_def, saver_def=self._get_saver().saver_def)
        )
        self._save(session, step)
        self._timer.update_last_triggered_step(step)

    def before_run(self, run_context: SessionRunContext) -> Any:
        """Asks for the global step."""
        return SessionRunArgs(self._global_step)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Writes a checkpoint, when it is time; the fetched step may be that before the run, so it is read again."""
        if not self._timer.should_trigger_for_step(run_values.results + 1):
            return
        step = run_context.session.run(self._global_step)
        if self._timer.should_trigger_for_step(step):
            self._timer.update_last_triggered_step(step)
            if self._save(run_context.session, step):
                run_context.request_stop()

    def end(self, session: Any) -> None:
        """Writes the last checkpoint."""
        last_step = session.run(self._global_step)
        if last_step != self._timer.last_triggered_step():
            self._save(session, last_step)
        for listener in self._listeners:
            listener.end(session, last_step)

    def _save(self, session: Any, step: int) -> bool:
        """Writes a checkpoint; returns whether a listener asks for the end of the loop."""
        get_logger().info("Saving checkpoints for %d into %s.", step, self._save_path)
        for listener in self._listeners:
            listener.before_save(session, step)
        self._get_saver().save(session, self._save_path, global_step=step, write_meta_graph=self._save_graph_def)
        log = event_pb2.SessionLog(status=event_pb2.SessionLog.CHECKPOINT, checkpoint_path=self._save_path)
        self._summary_writer.add_session_log(log, step)
        answers = [listener.after_save(session, step) for listener in self._listeners]
        return any(answers)

    def _get_saver(self) -> Any:
        if self._saver is not None:
            return self._saver
        if self._scaffold is not None:
            return self._scaffold.saver
        savers = get_default_graph().get_collection(GraphKeys.SAVERS)
        if not savers:
            raise RuntimeError(
                f"No items in collection {GraphKeys.SAVERS}. Please add a saver to the collection or "
                "provide a saver or scaffold."
            )
        if len(savers) > 1:
            raise RuntimeError(
                f"More than one item in collection {GraphKeys.SAVERS}. Please indicate which one to use by passing it "
                "to the constructor."
            )
        self._saver = savers[0]
        return self._saver
