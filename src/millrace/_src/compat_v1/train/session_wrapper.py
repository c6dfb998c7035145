"""What wraps a session: the base class of sessions that make, watch and replace the session which they run.

Tests: tests/compat_v1/train/test_watched_session.py
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any


class SessionWrapper(ABC):
    """Runs a graph by another session."""

    @property
    @abstractmethod
    def graph(self) -> Any:
        """The graph that is run."""

    @abstractmethod
    def run(self, fetches: Any, feed_dict: Any = None, options: Any = None, run_metadata: Any = None) -> Any:
        """Does what `run` of a session does."""

    @abstractmethod
    def close(self) -> None:
        """Closes the session."""
