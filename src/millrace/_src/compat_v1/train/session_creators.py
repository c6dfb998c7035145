"""Makers of the sessions that monitored sessions run: that of the chief, and that of the workers.

Tests: tests/compat_v1/train/test_monitored_session.py
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from millrace._src.compat_v1.train.scaffold import Scaffold
from millrace._src.compat_v1.train.session_manager import SessionManager
from millrace._src.util.class_homes import tensorflow_home
from millrace._src.util.export import export


@export(v1=["train.SessionCreator"])
@tensorflow_home("python.training.monitored_session")
class SessionCreator(ABC):
    """Makes a session, whenever a monitored session needs one."""

    @abstractmethod
    def create_session(self) -> Any:
        """Returns a new session."""


@export(v1=["train.ChiefSessionCreator"])
@tensorflow_home("python.training.monitored_session")
class ChiefSessionCreator(SessionCreator):
    """Makes sessions whose model is restored from the latest checkpoint, or initialized.

    Args:
      scaffold: a `Scaffold`; None for one of the graph's collections and defaults.
      master: the session's target.
      config: a `ConfigProto`.
      checkpoint_dir: the folder whose latest checkpoint is restored.
      checkpoint_filename_with_path: the checkpoint, instead of a folder.
    """

    def __init__(
        self,
        scaffold: Scaffold | None = None,
        master: str = "",
        config: object = None,
        checkpoint_dir: str | None = None,
        checkpoint_filename_with_path: str | None = None,
    ) -> None:
        self._checkpoint_dir = checkpoint_dir
        self._checkpoint_filename_with_path = checkpoint_filename_with_path
        self._scaffold = scaffold or Scaffold()
        self._session_manager: SessionManager | None = None
        self._master = master
        self._config = config

    def create_session(self) -> Any:
        """Returns a new session whose model is ready."""
        self._scaffold.finalize()
        if self._session_manager is None:
            self._session_manager = _manager_of(self._scaffold)
        return self._session_manager.prepare_session(
            self._master,
            saver=self._scaffold.saver,
            checkpoint_dir=self._checkpoint_dir,
            checkpoint_filename_with_path=self._checkpoint_filename_with_path,
            config=self._config,
            init_op=self._scaffold.init_op,
            init_feed_dict=self._scaffold.init_feed_dict,
            init_fn=self._scaffold.init_fn,
        )


@export(v1=["train.WorkerSessionCreator"])
@tensorflow_home("python.training.monitored_session")
class WorkerSessionCreator(SessionCreator):
    """Makes sessions whose model another program, the chief, makes ready.

    Args:
      scaffold: a `Scaffold`; None for one of the graph's collections and defaults.
      master: the session's target.
      config: a `ConfigProto`.
      max_wait_secs: how long to wait for the chief.
    """

    def __init__(
        self, scaffold: Scaffold | None = None, master: str = "", config: object = None, max_wait_secs: float = 30 * 60
    ) -> None:
        self._scaffold = scaffold or Scaffold()
        self._session_manager: SessionManager | None = None
        self._master = master
        self._config = config
        self._max_wait_secs = max_wait_secs

    def create_session(self) -> Any:
        """Returns a new session whose model is ready."""
        self._scaffold.finalize()
        if self._session_manager is None:
            self._session_manager = _manager_of(self._scaffold)
        return self._session_manager.wait_for_session(
            self._master, config=self._config, max_wait_secs=self._max_wait_secs
        )


def _manager_of(scaffold: Scaffold) -> SessionManager:
    return SessionManager(
        local_init_op=scaffold.local_init_op,
        local_init_feed_dict=scaffold.local_init_feed_dict,
        ready_op=scaffold.ready_op,
        ready_for_local_init_op=scaffold.ready_for_local_init_op,
    )
