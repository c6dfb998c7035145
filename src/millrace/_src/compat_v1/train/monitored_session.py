"""`tf.compat.v1.train.MonitoredTrainingSession` and its kin: sessions that begin, watch, save and end a training."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from millrace._src.compat_v1.default_graph import get_default_graph
from millrace._src.compat_v1.train.checkpoint_hook import CheckpointSaverHook
from millrace._src.compat_v1.train.scaffold import Scaffold
from millrace._src.compat_v1.train.session_creators import ChiefSessionCreator, SessionCreator, WorkerSessionCreator
from millrace._src.compat_v1.train.session_run_hook import SessionRunHook
from millrace._src.compat_v1.train.session_wrapper import SessionWrapper
from millrace._src.compat_v1.train.summary_hooks import StepCounterHook, SummarySaverHook
from millrace._src.compat_v1.train.watched_session import HookedSession, RecoverableSession
from millrace._src.core.errors import OutOfRangeError
from millrace._src.util.class_homes import tensorflow_home
from millrace._src.util.export import export

_DEFAULT: Any = object()
_END_OF_LOOP = (OutOfRangeError, StopIteration)


class _StepContext:
    """What a step function gets: the session, and a method that runs with hooks.

    Args:
      session: the session.
      run_with_hooks_fn: runs with hooks.
    """

    def __init__(self, session: Any, run_with_hooks_fn: Callable[..., Any]) -> None:
        self._session = session
        self._run_with_hooks_fn = run_with_hooks_fn

    @property
    def session(self) -> Any:
        """The session, whose runs no hook sees."""
        return self._session

    def run_with_hooks(self, *args: object, **kwargs: object) -> Any:
        """Does what `run` of the monitored session does."""
        return self._run_with_hooks_fn(*args, **kwargs)

    def request_stop(self) -> None:
        """Ends the loop.

        Raises: StopIteration: always; the scope of the monitored session takes it as its end.
        """
        raise StopIteration("step_fn has requested the iterations to stop.")


class BaseMonitoredSession(SessionWrapper):
    """What monitored sessions share.

    Args:
      session_creator: makes the session.
      hooks: the hooks.
      recovers: whether a session that fails is replaced.
      stop_grace_period_secs: how long to wait for threads in the end.
    """

    StepContext = _StepContext

    def __init__(
        self,
        session_creator: SessionCreator,
        hooks: Sequence[SessionRunHook] | None,
        recovers: bool,
        stop_grace_period_secs: float,
    ) -> None:
        self._graph = get_default_graph()
        self._was_finished = self._graph.finalized
        self._hooks = list(hooks or ())
        for hook in self._hooks:
            hook.begin()
        self._sess: RecoverableSession | None = None
        self._sess = RecoverableSession(session_creator, self._hooks, stop_grace_period_secs, recovers)

    @property
    def graph(self) -> Any:
        """The graph of the session; None after the end."""
        return None if self._sess is None else self._sess.graph

    def _open(self) -> RecoverableSession:
        if self._sess is None:
            raise RuntimeError("Session is already closed.")
        return self._sess

    def run(self, fetches: Any, feed_dict: Any = None, options: Any = None, run_metadata: Any = None) -> Any:
        """Does what `run` of a session does, with hooks; see `tf.compat.v1.Session.run`.

        Args:
          fetches: what is computed.
          feed_dict: values by tensors.
          options: a `RunOptions` message.
          run_metadata: a `RunMetadata` message, which the run fills.

        Raises: RuntimeError: after the end.
        """
        return self._open().run(fetches, feed_dict, options, run_metadata)

    def run_step_fn(self, step_fn: Callable[..., Any]) -> Any:
        """Calls a function that runs the session itself, with or without hooks.

        Args: step_fn: a function of one argument `step_context`, which has `session`, `run_with_hooks` and
          `request_stop`.
        Returns: What the function returns.
        Raises:
          ValueError: if the function takes other arguments.
          RuntimeError: after the end.
        """
        names = tuple(inspect.signature(step_fn).parameters)
        if names not in (("step_context",), ("self", "step_context")):
            raise ValueError(
                "`step_fn` may either have one `step_context` argument, or `self` and `step_context` arguments if it's "
                f"an instance method. Got {names} instead."
            )

        def step(session: HookedSession) -> Any:
            return step_fn(_StepContext(session.session, session.run))

        return self._open().run_step(step)

    def should_stop(self) -> bool:
        """Returns whether a hook or a thread asked for the end of the loop, or the session is closed."""
        return self._sess is None or self._sess.should_stop()

    def close(self) -> None:
        """Calls the hooks' `end`, stops the threads and closes the session.

        Raises: RuntimeError: if the session is closed.
        """
        self._close(has_failed=False)

    def _close(self, has_failed: bool) -> None:
        session = self._open()
        try:
            if not has_failed:
                for hook in self._hooks:
                    hook.end(session.hooked.session)
        finally:
            self._sess = None
            try:
                session.close()
            finally:
                if not self._was_finished:
                    self._graph._finalized = False

    def __enter__(self) -> Any:
        return self

    def __exit__(self, kind: Any, value: object, traceback: object) -> bool:
        has_failed = kind is not None and not issubclass(kind, _END_OF_LOOP)
        self._close(has_failed)
        return not has_failed


@export(v1=["train.MonitoredSession"])
@tensorflow_home("python.training.monitored_session")
class MonitoredSession(BaseMonitoredSession):
    """A session that initializes, restores, calls hooks, runs queues, and is replaced when it fails.

    >>> with tf.Graph().as_default():
    ...     v = tf.Variable(3.0)
    ...     with tf.compat.v1.train.MonitoredSession() as session:
    ...         session.run(v)
    np.float32(3.0)

    The end of data (`tf.errors.OutOfRangeError`) and `StopIteration` end the `with` scope without an error.

    Args:
      session_creator: makes the session; None for a `ChiefSessionCreator`.
      hooks: the hooks.
      stop_grace_period_secs: how long to wait for threads in the end.
    """

    def __init__(
        self,
        session_creator: SessionCreator | None = None,
        hooks: Sequence[SessionRunHook] | None = None,
        stop_grace_period_secs: float = 120,
    ) -> None:
        super().__init__(session_creator or ChiefSessionCreator(), hooks, True, stop_grace_period_secs)


@export(v1=["train.SingularMonitoredSession"])
@tensorflow_home("python.training.monitored_session")
class SingularMonitoredSession(BaseMonitoredSession):
    """A session that initializes, restores, calls hooks and runs queues, and is not replaced when it fails.

    >>> with tf.Graph().as_default():
    ...     v = tf.Variable(3.0)
    ...     with tf.compat.v1.train.SingularMonitoredSession() as session:
    ...         session.raw_session().run(v)
    np.float32(3.0)

    Args:
      hooks: the hooks.
      scaffold: a `Scaffold`.
      master: the session's target.
      config: a `ConfigProto`.
      checkpoint_dir: the folder whose latest checkpoint is restored.
      stop_grace_period_secs: how long to wait for threads in the end.
      checkpoint_filename_with_path: the checkpoint, instead of a folder.
    """

    def __init__(
        self,
        hooks: Sequence[SessionRunHook] | None = None,
        scaffold: Scaffold | None = None,
        master: str = "",
        config: object = None,
        checkpoint_dir: str | None = None,
        stop_grace_period_secs: float = 120,
        checkpoint_filename_with_path: str | None = None,
    ) -> None:
        creator = ChiefSessionCreator(scaffold, master, config, checkpoint_dir, checkpoint_filename_with_path)
        super().__init__(creator, hooks, False, stop_grace_period_secs)

    def raw_session(self) -> Any:
        """Returns the session, whose runs no hook sees."""
        return self._open().hooked.session


@export(v1=["train.MonitoredTrainingSession"])
def MonitoredTrainingSession(
    master: str = "",
    is_chief: bool = True,
    checkpoint_dir: str | None = None,
    scaffold: Scaffold | None = None,
    hooks: Sequence[SessionRunHook] | None = None,
    chief_only_hooks: Sequence[SessionRunHook] | None = None,
    save_checkpoint_secs: Any = _DEFAULT,
    save_summaries_steps: Any = _DEFAULT,
    save_summaries_secs: Any = _DEFAULT,
    config: Any = None,
    stop_grace_period_secs: float = 120,
    log_step_count_steps: int | None = 100,
    max_wait_secs: float = 7200,
    save_checkpoint_steps: Any = _DEFAULT,
    summary_dir: str | None = None,
    save_graph_def: bool = True,
) -> MonitoredSession:
    """Makes a `MonitoredSession` for a training: with checkpoints, summaries, and the steps per second.

    >>> import tempfile
    >>> with tf.Graph().as_default():
    ...     train = tf.compat.v1.train.get_or_create_global_step().assign_add(1)
    ...     hooks = [tf.compat.v1.train.StopAtStepHook(last_step=2)]
    ...     folder = tempfile.mkdtemp()
    ...     with tf.compat.v1.train.MonitoredTrainingSession(checkpoint_dir=folder, hooks=hooks) as session:
    ...         while not session.should_stop():
    ...             print(session.run(train))
    1
    2

    Args:
      master: the session's target.
      is_chief: whether the program initializes; else it waits for the chief.
      checkpoint_dir: the folder of checkpoints, from which the latest is restored; None for none.
      scaffold: a `Scaffold`.
      hooks: the hooks.
      chief_only_hooks: more hooks, of the chief.
      save_checkpoint_secs: the seconds between two checkpoints; 600 if neither these nor steps are given.
      save_summaries_steps: the steps between two summaries; 100 if neither these nor seconds are given.
      save_summaries_secs: the seconds between two summaries.
      config: a `ConfigProto`.
      stop_grace_period_secs: how long to wait for threads in the end.
      log_step_count_steps: the steps between two lines of the steps per second; None or 0 for none.
      max_wait_secs: how long a worker waits for the chief.
      save_checkpoint_steps: the steps between two checkpoints.
      summary_dir: the folder of summaries; `checkpoint_dir` if None.
      save_graph_def: whether the graph is written, too.

    Returns: The session.
    """
    scaffold = scaffold or Scaffold()
    all_hooks = list(hooks or ())
    if not is_chief:
        worker = WorkerSessionCreator(scaffold, master, config, max_wait_secs)
        return MonitoredSession(worker, all_hooks, stop_grace_period_secs)
    all_hooks += chief_only_hooks or ()
    summary_dir = summary_dir or checkpoint_dir
    if summary_dir:
        if log_step_count_steps and log_step_count_steps > 0:
            all_hooks.append(StepCounterHook(log_step_count_steps, output_dir=summary_dir))
        steps, secs = _frequency(save_summaries_steps, save_summaries_secs, (100, None))
        if steps or secs:
            all_hooks.append(SummarySaverHook(steps, secs, summary_dir, scaffold=scaffold))
    if checkpoint_dir:
        steps, secs = _frequency(save_checkpoint_steps, save_checkpoint_secs, (None, 600))
        if steps or secs:
            saver_hook = CheckpointSaverHook(
                checkpoint_dir, secs, steps, scaffold=scaffold, save_graph_def=save_graph_def
            )
            all_hooks.append(saver_hook)
    creator = ChiefSessionCreator(scaffold, master, config, checkpoint_dir)
    return MonitoredSession(creator, all_hooks, stop_grace_period_secs)


def _frequency(steps: object, secs: object, default: tuple[Any, Any]) -> tuple[Any, Any]:
    """Returns the steps and the seconds between two times; the default if the caller gave neither."""
    if steps is _DEFAULT and secs is _DEFAULT:
        return default
    return (None if steps is _DEFAULT else steps), (None if secs is _DEFAULT else secs)
