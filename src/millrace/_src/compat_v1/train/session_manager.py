"""`tf.compat.v1.train.SessionManager`: sessions whose model is ready, from a checkpoint or from initializers.

A model is ready when an operation that lists what is missing lists nothing. The manager makes a session, restores a
checkpoint if there is one, initializes what is missing, and asks.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from millrace._src.checkpoint.state_file import get_checkpoint_state
from millrace._src.compat_v1.default_graph import get_default_graph
from millrace._src.compat_v1.session.session import Session
from millrace._src.core import errors
from millrace._src.util.class_homes import tensorflow_home
from millrace._src.util.export import export
from millrace._src.util.logger import get_logger

Readiness = tuple[bool, str | None]
"""Whether a model is ready, and what is missing."""


@export(v1=["train.SessionManager"])
@tensorflow_home("python.training.session_manager")
class SessionManager:
    """Makes sessions whose model is ready.

    >>> with tf.Graph().as_default():
    ...     v = tf.Variable(3.0)
    ...     manager = tf.compat.v1.train.SessionManager(
    ...         ready_op=tf.compat.v1.report_uninitialized_variables())
    ...     session = manager.prepare_session("", init_op=tf.compat.v1.global_variables_initializer())
    ...     session.run(v)
    np.float32(3.0)

    Args:
      local_init_op: an operation that is run in every session, for what is not in checkpoints.
      ready_op: a vector of the names of what is missing.
      ready_for_local_init_op: a vector of the names of what is missing for `local_init_op`.
      graph: the graph; the default graph if None.
      recovery_wait_secs: the seconds between two looks.
      local_init_run_options: `RunOptions` for `local_init_op`.
      local_init_feed_dict: what is fed to `local_init_op`.

    Raises: ValueError: if `ready_for_local_init_op` is given without `local_init_op`.
    """

    def __init__(
        self,
        local_init_op: object = None,
        ready_op: object = None,
        ready_for_local_init_op: Any = None,
        graph: object = None,
        recovery_wait_secs: float = 30,
        local_init_run_options: object = None,
        local_init_feed_dict: object = None,
    ) -> None:
        if ready_for_local_init_op is not None and local_init_op is None:
            raise ValueError(
                "If you pass a ready_for_local_init_op you must also pass a local_init_op , ready_for_local_init_op "
                f"[{ready_for_local_init_op}]"
            )
        self._local_init_op = local_init_op
        self._ready_op = ready_op
        self._ready_for_local_init_op = ready_for_local_init_op
        self._graph = get_default_graph() if graph is None else graph
        self._recovery_wait_secs = recovery_wait_secs
        self._local_init_run_options = local_init_run_options
        self._local_init_feed_dict = local_init_feed_dict
        self._clock: Callable[[], float] = time.monotonic
        self._sleep: Callable[[float], None] = time.sleep

    def prepare_session(
        self,
        master: str,
        init_op: object = None,
        saver: Any = None,
        checkpoint_dir: str | None = None,
        checkpoint_filename_with_path: str | None = None,
        wait_for_checkpoint: bool = False,
        max_wait_secs: float = 7200,
        config: Any = None,
        init_feed_dict: object = None,
        init_fn: Callable[[Any], None] | None = None,
    ) -> Any:
        """Makes a session whose model is ready: restored if there is a checkpoint, else initialized.

        Args:
          master: the session's target.
          init_op: the operation that initializes.
          saver: the `Saver` that restores.
          checkpoint_dir: the folder whose latest checkpoint is restored.
          checkpoint_filename_with_path: the checkpoint, instead of a folder.
          wait_for_checkpoint: whether to wait for a checkpoint.
          max_wait_secs: how long to wait.
          config: a `ConfigProto`.
          init_feed_dict: what is fed to `init_op`.
          init_fn: a function of the session that is called after `init_op`.

        Returns: The session.
        Raises:
          RuntimeError: if nothing initializes the model, or it is not ready then.
          ValueError: if a folder and a checkpoint are given.
        """
        sess, is_restored = self._restore_checkpoint(
            master, saver, checkpoint_dir, checkpoint_filename_with_path, wait_for_checkpoint, max_wait_secs, config
        )
        if not is_restored:
            if init_op is None and not init_fn and self._local_init_op is None:
                raise RuntimeError("Model is not initialized and no init_op or init_fn or local_init_op was given")
            if init_op is not None:
                sess.run(init_op, feed_dict=init_feed_dict)
            if init_fn:
                init_fn(sess)
        names = f"Init op: {_op_name(init_op)}, init fn: {init_fn}"
        is_ready, missing = self._try_run_local_init_op(sess)
        if not is_ready:
            raise RuntimeError(f"Init operations did not make model ready for local_init.  {names}, error: {missing}")
        is_ready, missing = self._model_ready(sess)
        if not is_ready:
            raise RuntimeError(
                f"Init operations did not make model ready.  {names}, local_init_op: {_op_name(self._local_init_op)}, "
                f"error: {missing}"
            )
        return sess

    def recover_session(
        self,
        master: str,
        saver: Any = None,
        checkpoint_dir: str | None = None,
        checkpoint_filename_with_path: str | None = None,
        wait_for_checkpoint: bool = False,
        max_wait_secs: float = 7200,
        config: Any = None,
    ) -> tuple[Any, bool]:
        """Makes a session and restores its model, if there is a checkpoint.

        Args:
          master: the session's target.
          saver: the `Saver` that restores.
          checkpoint_dir: the folder whose latest checkpoint is restored.
          checkpoint_filename_with_path: the checkpoint, instead of a folder.
          wait_for_checkpoint: whether to wait for a checkpoint.
          max_wait_secs: how long to wait.
          config: a `ConfigProto`.

        Returns: The session, and whether the model is ready.
        Raises: ValueError: if a folder and a checkpoint are given.
        """
        sess, is_restored = self._restore_checkpoint(
            master, saver, checkpoint_dir, checkpoint_filename_with_path, wait_for_checkpoint, max_wait_secs, config
        )
        is_ready, missing = self._try_run_local_init_op(sess)
        if not is_ready:
            get_logger().info("Restoring model did not make model ready for local init: %s", missing)
            return sess, False
        is_ready, missing = self._model_ready(sess)
        if not is_ready:
            get_logger().info("Restoring model did not make model ready: %s", missing)
            return sess, False
        return sess, is_restored

    def wait_for_session(self, master: str, config: Any = None, max_wait_secs: float = float("inf")) -> Any:
        """Makes sessions until the model of one is ready, which another program makes so.

        Args:
          master: the session's target.
          config: a `ConfigProto`.
          max_wait_secs: how long to wait.

        Returns: The session.
        Raises: tf.errors.DeadlineExceededError: if the model is not ready in time.
        """
        end = self._clock() + (float("inf") if max_wait_secs is None else max_wait_secs)
        while True:
            sess = Session(master, graph=self._graph, config=config)
            is_ready_for_local_init, missing_for_local_init = self._model_ready_for_local_init(sess)
            missing: str | None = missing_for_local_init
            if is_ready_for_local_init:
                is_ready, missing = self._try_run_local_init_op(sess)
                if is_ready:
                    is_ready, missing = self._model_ready(sess)
                    if is_ready:
                        return sess
            sess.close()
            get_logger().info("Waiting for model to be ready: %s", missing)
            if end - self._clock() - self._recovery_wait_secs < 0:
                raise errors.DeadlineExceededError(
                    None, None, f"Session was not ready after waiting {int(max_wait_secs)} secs."
                )
            self._sleep(self._recovery_wait_secs)

    # --- parts ---------------------------------------------------------------------------------------------------

    def _restore_checkpoint(
        self,
        master: str,
        saver: Any,
        checkpoint_dir: str | None,
        checkpoint_filename_with_path: str | None,
        wait_for_checkpoint: bool,
        max_wait_secs: float,
        config: object,
    ) -> tuple[Any, bool]:
        """Makes a session; restores a checkpoint, if there is one. Returns the session, and whether it did."""
        if checkpoint_dir and checkpoint_filename_with_path:
            raise ValueError("Can not provide both checkpoint_dir and checkpoint_filename_with_path.")
        sess = Session(master, graph=self._graph, config=config)
        if not saver or not (checkpoint_dir or checkpoint_filename_with_path):
            return sess, False
        if checkpoint_filename_with_path:
            saver.restore(sess, checkpoint_filename_with_path)
            return sess, True
        state = self._checkpoint_state(checkpoint_dir, wait_for_checkpoint, max_wait_secs)
        if state is None:
            return sess, False
        saver.restore(sess, state.model_checkpoint_path)
        saver.recover_last_checkpoints(state.all_model_checkpoint_paths)
        return sess, True

    def _checkpoint_state(self, folder: str | None, waits: bool, max_wait_secs: float) -> Any:
        """Returns what a folder says of its checkpoints; None if there are none in time."""
        end = self._clock() + max_wait_secs
        while True:
            state = get_checkpoint_state(folder)
            if state and state.model_checkpoint_path:
                return state
            if not waits or self._clock() >= end:
                return None
            get_logger().info("Waiting for checkpoint to be available.")
            self._sleep(self._recovery_wait_secs)

    def _try_run_local_init_op(self, sess: Any) -> Readiness:
        """Runs the local initializer, if the model is ready for it."""
        if self._local_init_op is None:
            return True, None
        is_ready, missing = self._model_ready_for_local_init(sess)
        if is_ready:
            get_logger().info("Running local_init_op.")
            sess.run(self._local_init_op, feed_dict=self._local_init_feed_dict, options=self._local_init_run_options)
            get_logger().info("Done running local_init_op.")
        return is_ready, missing

    def _model_ready(self, sess: object) -> Readiness:
        return _ready(self._ready_op, sess, "Model not ready")

    def _model_ready_for_local_init(self, sess: object) -> Readiness:
        return _ready(self._ready_for_local_init_op, sess, "Model not ready for local init")


def _ready(op: Any, sess: Any, complaint: str) -> Readiness:
    """Asks an operation what is missing."""
    if op is None:
        return True, None
    try:
        missing = sess.run(op)
    except errors.FailedPreconditionError as error:
        get_logger().info("%s : error [%s]", complaint, error)
        return False, str(error)
    if missing is None or np.size(missing) == 0:
        return True, None
    names = ", ".join(name.decode() for name in np.reshape(missing, -1))
    return False, f"Variables not initialized: {names}"


def _op_name(op: Any) -> str:
    if op is None or isinstance(op, str):
        return str(op)
    if isinstance(op, (list, tuple)):
        return f"[{', '.join(map(_op_name, op))}]"
    name: str = op.name
    return name
