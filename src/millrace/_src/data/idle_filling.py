"""Buffers that are filled when their consumer pauses.

Problem: a buffer promises to hold some elements. For cheap elements, to hand each one over from thread to thread costs
more than to make it, so a quick consumer makes its elements itself. When that consumer pauses, the promise is due.

Idea: one thread of the pool looks at all such buffers now and then, ever less often while their consumers are busy. A
buffer whose consumer has not asked since the last look is filled, and is not looked at until its consumer asks again.
"""

from __future__ import annotations

import os
import sys
import threading
import weakref
from abc import ABC, abstractmethod

from millrace._src.data.pool import sleep_in_pool, start_in_pool

_MIN_PAUSE, _MAX_PAUSE = 0.001, 0.02
"""Seconds between two looks."""


class FilledWhenIdle(ABC):
    """A buffer that is filled when its consumer pauses."""

    __slots__ = ()

    @abstractmethod
    def fill_if_idle(self) -> bool:
        """Begins to fill the buffer if no caller has asked since the last look; returns whether looks are to end."""


class _Watch:
    """The thread that looks at buffers."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._buffers: list[weakref.ref[FilledWhenIdle]] = []
        self._is_running = False
        self._pause = _MIN_PAUSE

    def add(self, buffer: FilledWhenIdle) -> None:
        """Begins to look at a buffer."""
        with self._lock:
            self._buffers.append(weakref.ref(buffer))
            self._pause = _MIN_PAUSE
            if self._is_running:
                return
            self._is_running = True
        start_in_pool(self._run)

    def _run(self) -> None:
        while not sleep_in_pool(self._pause):
            with self._lock:
                buffers, self._buffers = self._buffers, []
                self._pause = min(2 * self._pause, _MAX_PAUSE)
            left = [reference for reference in buffers if not _is_finished(reference)]
            with self._lock:
                self._buffers += left
                if not self._buffers:
                    self._is_running = False
                    return


def _is_finished(reference: weakref.ref[FilledWhenIdle]) -> bool:
    buffer = reference()
    return buffer is None or buffer.fill_if_idle()


_watch = _Watch()


def fill_when_idle(buffer: FilledWhenIdle) -> None:
    """Lets a buffer be filled as soon as its consumer pauses."""
    _watch.add(buffer)


def _forget_watch() -> None:
    """Lets a child process, which has none of the threads, watch by itself; buffers ask again when they are used."""
    global _watch
    _watch = _Watch()


if sys.platform != "win32":
    os.register_at_fork(after_in_child=_forget_watch)
