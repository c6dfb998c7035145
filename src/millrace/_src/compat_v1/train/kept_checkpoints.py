"""Which checkpoints of a `Saver` are kept: the newest few, and now and then one for good."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any


class KeptCheckpoints:
    """The checkpoints that a saver has written and not yet removed, oldest first.

    Args:
      max_to_keep: How many are kept; 0 for all, which then are not listed.
      hours: After how many hours one that would be removed is kept for good.
      remove: Removes the files of a checkpoint.
      clock: Returns the time in seconds.
    """

    def __init__(
        self, max_to_keep: int, hours: float, remove: Callable[[str, str], Any], clock: Callable[[], float] = time.time
    ) -> None:
        self._max_to_keep = max_to_keep
        self._seconds = hours * 3600
        self._remove = remove
        self._clock = clock
        self._written: list[tuple[str, float]] = []
        self._surplus: list[tuple[str, float]] = []
        self._next_kept_time = clock() + self._seconds

    @property
    def paths(self) -> list[str]:
        """The paths of the checkpoints, oldest first."""
        return [path for path, _ in self._written]

    def set(self, written: list[tuple[str, float]]) -> None:
        """Replaces the checkpoints, each with the time when it was written."""
        self._written = list(written)

    def note(self, path: str) -> None:
        """Notes that a checkpoint was written."""
        if not self._max_to_keep:
            return
        self._written = [entry for entry in self._written if entry[0] != path]
        self._written.append((path, self._clock()))
        if len(self._written) > self._max_to_keep:
            self._surplus.append(self._written.pop(0))

    def remove_surplus(self, meta_graph_suffix: str) -> None:
        """Removes the checkpoint that is one too many, unless the time has come to keep one for good."""
        if not self._surplus:
            return
        path, written_at = self._surplus.pop(0)
        if written_at > self._next_kept_time:
            self._next_kept_time += self._seconds
            return
        self._remove(path, meta_graph_suffix)
