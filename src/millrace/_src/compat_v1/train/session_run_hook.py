"""Hooks: what happens before and after each run of a `MonitoredSession`.

Tests: tests/compat_v1/train/test_basic_hooks.py, tests/oracle/programs/v1_monitored.py
"""

from __future__ import annotations

from typing import Any, NamedTuple

from millrace._src.util.class_homes import tensorflow_home
from millrace._src.util.export import export


@export(v1=["train.SessionRunArgs"])
class SessionRunArgs(NamedTuple):
    """What is run: the arguments of a session's `run`.

    >>> tf.compat.v1.train.SessionRunArgs("x:0")
    SessionRunArgs(fetches='x:0', feed_dict=None, options=None)

    Attributes:
      fetches: what is computed.
      feed_dict: values by tensors.
      options: a `RunOptions` message.
    """

    fetches: Any
    feed_dict: Any = None
    options: Any = None


@export(v1=["train.SessionRunValues"])
class SessionRunValues(NamedTuple):
    """What a run gave a hook.

    Attributes:
      results: the values of the fetches that the hook asked for; None if it asked for none.
      options: the `RunOptions` message of the run.
      run_metadata: the `RunMetadata` message of the run.
    """

    results: Any
    options: Any
    run_metadata: Any


@export(v1=["train.SessionRunContext"])
@tensorflow_home("python.training.session_run_hook")
class SessionRunContext:
    """The run that a hook is called for.

    >>> context = tf.compat.v1.train.SessionRunContext(tf.compat.v1.train.SessionRunArgs("x:0"), session=None)
    >>> context.request_stop()
    >>> context.stop_requested
    True

    Args:
      original_args: the `SessionRunArgs` that the program gave.
      session: the session.
    """

    def __init__(self, original_args: SessionRunArgs, session: object) -> None:
        self._original_args = original_args
        self._session = session
        self._stop_requested = False

    @property
    def original_args(self) -> SessionRunArgs:
        """What the program runs."""
        return self._original_args

    @property
    def session(self) -> Any:
        """The session that runs."""
        return self._session

    @property
    def stop_requested(self) -> bool:
        """Whether a hook asked for the end of the loop."""
        return self._stop_requested

    def request_stop(self) -> None:
        """Asks for the end of the loop: `should_stop()` of the monitored session is true from then on."""
        self._stop_requested = True


@export(v1=["train.SessionRunHook"])
@tensorflow_home("python.training.session_run_hook")
class SessionRunHook:
    """The base class of hooks; its methods do nothing.

    >>> class Counter(tf.compat.v1.train.SessionRunHook):
    ...     count = 0
    ...     def after_run(self, run_context, run_values):
    ...         self.count += 1
    >>> counter = Counter()
    >>> with tf.Graph().as_default():
    ...     x = tf.constant(1)
    ...     with tf.compat.v1.train.MonitoredSession(hooks=[counter]) as session:
    ...         _ = session.run(x), session.run(x)
    >>> counter.count
    2
    """

    def begin(self) -> None:
        """Prepares the hook, once, before the graph is finished: the hook may add to the graph."""

    def after_create_session(self, session: object, coord: object) -> None:
        """Runs with a new session, also with one that replaces a session that failed.

        Args:
          session: the session.
          coord: the `tf.train.Coordinator` of its threads.
        """

    def before_run(self, run_context: SessionRunContext) -> Any:
        """Says before each run what is to be run besides.

        Args: run_context: the run.
        Returns: `SessionRunArgs` of what is run besides, or None.
        """
        return None

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Runs after each run that succeeded.

        Args:
          run_context: the run.
          run_values: the values of what the hook asked for.
        """

    def end(self, session: object) -> None:
        """Runs at the end of the loop, unless the loop ends by an error.

        Args: session: the session, which is open still.
        """
