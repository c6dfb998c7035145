"""Hooks that watch values, feed, and stop: the simple ones of `tf.compat.v1.train`."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from millrace._src.compat_v1.default_graph import get_default_graph
from millrace._src.compat_v1.train.global_step import get_global_step, get_or_create_global_step_read
from millrace._src.compat_v1.train.hook_timers import HookTimer, NeverTimer, SecondOrStepTimer
from millrace._src.compat_v1.train.session_run_hook import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
)
from millrace._src.core.errors import OutOfRangeError
from millrace._src.util.class_homes import tensorflow_home
from millrace._src.util.export import export
from millrace._src.util.logger import get_logger


def step_tensor(hook: str) -> Any:
    """Returns the tensor of the global step's value that hooks fetch.

    Args: hook: the class of the hook, for the message.
    Raises: RuntimeError: if the graph has no global step.
    """
    if get_global_step() is None:
        raise RuntimeError(f"Global step should be created to use {hook}.")
    return get_or_create_global_step_read()


@export(v1=["train.LoggingTensorHook"])
@tensorflow_home("python.training.basic_session_run_hooks")
class LoggingTensorHook(SessionRunHook):
    """Logs values every so many runs or seconds, and at the end.

    >>> with tf.Graph().as_default():
    ...     x = tf.constant(1.0, name="x")
    ...     hook = tf.compat.v1.train.LoggingTensorHook(["x"], every_n_iter=10)
    ...     with tf.compat.v1.train.MonitoredSession(hooks=[hook]) as session:
    ...         print(session.run(x))
    1.0

    The lines have the level INFO, which `tf.compat.v1.logging.set_verbosity` lets through.

    Args:
      tensors: tensors, or names of tensors, by what the line calls them; or a list of them.
      every_n_iter: the runs between two lines.
      every_n_secs: the seconds between two lines.
      at_end: whether there is a line at the end.
      formatter: makes the line of a dict of values; None for "tag = value, ...".

    Raises: ValueError: if it is not said when to log.
    """

    def __init__(
        self,
        tensors: Any,
        every_n_iter: int | None = None,
        every_n_secs: float | None = None,
        at_end: bool = False,
        formatter: Callable[[dict[Any, Any]], str] | None = None,
    ) -> None:
        has_no_time = every_n_iter is None and every_n_secs is None
        if (has_no_time and not at_end) or (every_n_iter is not None and every_n_secs is not None):
            raise ValueError("either at_end and/or exactly one of every_n_iter and every_n_secs must be provided.")
        if every_n_iter is not None and every_n_iter <= 0:
            raise ValueError(f"invalid every_n_iter={every_n_iter}.")
        self._tensors = dict(tensors) if isinstance(tensors, Mapping) else {item: item for item in tensors}
        self._formatter = formatter
        self._at_end = at_end
        self._timer: HookTimer = NeverTimer() if has_no_time else SecondOrStepTimer(every_n_secs, every_n_iter)

    def begin(self) -> None:
        """Finds the tensors."""
        self._timer.reset()
        self._iter_count = 0
        self._current_tensors = {tag: _as_graph_element(tensor) for tag, tensor in self._tensors.items()}

    def before_run(self, run_context: SessionRunContext) -> Any:
        """Asks for the values, when it is time."""
        self._should_trigger = self._timer.should_trigger_for_step(self._iter_count)
        return SessionRunArgs(self._current_tensors) if self._should_trigger else None

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Logs the values, when it is time."""
        if self._should_trigger:
            self._log_tensors(run_values.results)
        self._iter_count += 1

    def end(self, session: Any) -> None:
        """Logs the values at the end, if asked to."""
        if self._at_end:
            self._log_tensors(session.run(self._current_tensors))

    def _log_tensors(self, values: Mapping[Any, Any]) -> None:
        elapsed_secs, _ = self._timer.update_last_triggered_step(self._iter_count)
        if self._formatter is not None:
            get_logger().info(self._formatter(dict(values)))
            return
        with np.printoptions(suppress=True):
            line = ", ".join(f"{tag} = {values[tag]}" for tag in self._tensors)
        get_logger().info(line if elapsed_secs is None else f"{line} ({elapsed_secs:.3f} sec)")


def _as_graph_element(thing: Any) -> Any:
    """Returns the tensor that a name, of a tensor or of its operation, or an object means."""
    graph = get_default_graph()
    if isinstance(thing, str) and ":" not in thing:
        outputs = graph.get_operation_by_name(thing).outputs
        if len(outputs) != 1:
            raise ValueError(f"Operation {thing} has {len(outputs)} outputs, so its name does not tell a tensor.")
        return outputs[0]
    return graph.as_graph_element(thing)


@export(v1=["train.StopAtStepHook"])
@tensorflow_home("python.training.basic_session_run_hooks")
class StopAtStepHook(SessionRunHook):
    """Asks for a stop at a step.

    >>> with tf.Graph().as_default():
    ...     step = tf.compat.v1.train.get_or_create_global_step()
    ...     train = step.assign_add(1)
    ...     hook = tf.compat.v1.train.StopAtStepHook(num_steps=3)
    ...     with tf.compat.v1.train.MonitoredSession(hooks=[hook]) as session:
    ...         while not session.should_stop():
    ...             print(session.run(train))
    1
    2
    3

    Args:
      num_steps: how many steps after the first one.
      last_step: the step.

    Raises: ValueError: unless exactly one of both is given.
    """

    def __init__(self, num_steps: int | None = None, last_step: int | None = None) -> None:
        if num_steps is None and last_step is None:
            raise ValueError("One of num_steps or last_step must be specified.")
        if num_steps is not None and last_step is not None:
            raise ValueError("Only one of num_steps or last_step can be specified.")
        self._num_steps = num_steps
        self._last_step = last_step

    def begin(self) -> None:
        """Finds the global step."""
        self._global_step = step_tensor("StopAtStepHook")

    def after_create_session(self, session: Any, coord: object) -> None:
        """Counts from the step at which the first session begins."""
        if self._last_step is None:
            self._last_step = session.run(self._global_step) + self._num_steps

    def before_run(self, run_context: SessionRunContext) -> Any:
        """Asks for the global step."""
        return SessionRunArgs(self._global_step)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Asks for the stop; the step that was fetched may be the one before the run, so it is read again."""
        if run_values.results + 1 >= self._last_step and (
            run_context.session.run(self._global_step) >= self._last_step
        ):
            run_context.request_stop()


@export(v1=["train.NanLossDuringTrainingError"])
@tensorflow_home("python.training.basic_session_run_hooks")
class NanLossDuringTrainingError(RuntimeError):
    """The loss is not a number any more."""

    def __str__(self) -> str:
        return "NaN loss during training."


@export(v1=["train.NanTensorHook"])
@tensorflow_home("python.training.basic_session_run_hooks")
class NanTensorHook(SessionRunHook):
    """Fails, or asks for a stop, when a loss is not a number.

    Args:
      loss_tensor: the loss, a scalar.
      fail_on_nan_loss: whether to raise; else the loop is asked to stop.
    """

    def __init__(self, loss_tensor: object, fail_on_nan_loss: bool = True) -> None:
        self._loss_tensor = loss_tensor
        self._fail_on_nan_loss = fail_on_nan_loss

    def before_run(self, run_context: SessionRunContext) -> Any:
        """Asks for the loss."""
        return SessionRunArgs(self._loss_tensor)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Checks the loss.

        Raises: NanLossDuringTrainingError: if it is not a number, and that is to fail.
        """
        if not np.isnan(run_values.results):
            return
        if self._fail_on_nan_loss:
            get_logger().error("Model diverged with loss = NaN.")
            raise NanLossDuringTrainingError
        get_logger().warning("Model diverged with loss = NaN.")
        run_context.request_stop()


@export(v1=["train.GlobalStepWaiterHook"])
@tensorflow_home("python.training.basic_session_run_hooks")
class GlobalStepWaiterHook(SessionRunHook):
    """Lets a worker begin late: when the global step, which other workers advance, has come to a number.

    Args: wait_until_step: the number.
    """

    def __init__(self, wait_until_step: int) -> None:
        self._wait_until_step = wait_until_step
        self._sleep: Callable[[float], None] = time.sleep

    def begin(self) -> None:
        """Finds the global step."""
        self._worker_is_started = False
        self._global_step = step_tensor("_GlobalStepWaiterHook")

    def before_run(self, run_context: SessionRunContext) -> Any:
        """Waits, before the first run."""
        if self._worker_is_started:
            return None
        self._worker_is_started = True
        if self._wait_until_step > 0:
            get_logger().info("Waiting for global step %d before starting training.", self._wait_until_step)
            while run_context.session.run(self._global_step) < self._wait_until_step:
                self._sleep(0.5)
        return None


@export(v1=["train.FinalOpsHook"])
@tensorflow_home("python.training.basic_session_run_hooks")
class FinalOpsHook(SessionRunHook):
    """Computes something at the end.

    Args:
      final_ops: what is computed.
      final_ops_feed_dict: what is fed.
    """

    def __init__(self, final_ops: object, final_ops_feed_dict: object = None) -> None:
        self._final_ops = final_ops
        self._final_ops_feed_dict = final_ops_feed_dict
        self._final_ops_values: Any = None

    @property
    def final_ops_values(self) -> Any:
        """The values, after the end."""
        return self._final_ops_values

    def end(self, session: Any) -> None:
        """Computes the values."""
        if self._final_ops is None:
            return
        try:
            self._final_ops_values = session.run(self._final_ops, feed_dict=self._final_ops_feed_dict)
        except (OutOfRangeError, StopIteration) as error:
            get_logger().error(
                "The operations of a FinalOpsHook came to the end of some input: %s. They should read variables only, "
                "such as the values of metrics, not another batch.",
                error,
            )
            raise


@export(v1=["train.FeedFnHook"])
@tensorflow_home("python.training.basic_session_run_hooks")
class FeedFnHook(SessionRunHook):
    """Feeds what a function returns, in each run.

    Args: feed_fn: returns the values by tensors.
    """

    def __init__(self, feed_fn: Callable[[], Any]) -> None:
        self.feed_fn = feed_fn

    def before_run(self, run_context: SessionRunContext) -> Any:
        """Feeds the values."""
        return SessionRunArgs(fetches=None, feed_dict=self.feed_fn())
