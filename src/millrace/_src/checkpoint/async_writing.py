"""Checkpoints that a thread writes while the program goes on.

Problem: writing takes long, and a program that trains need not wait. Yet an error in writing must not be lost, nor a
checkpoint when the program ends.

Idea: a writer has one thread, which writes one checkpoint at a time. What fails there is raised by the next call that
waits: the next save, `sync`, or a restore. Python's executor waits for its thread when the interpreter ends; what
fails then is printed. A process that was forked has no such thread: it begins anew.
"""

from __future__ import annotations

import atexit
import os
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any


class AsyncWriter:
    """Runs one write at a time in a thread."""

    def __init__(self) -> None:
        self._begin()

    def _begin(self) -> None:
        """Starts without a thread and with nothing to write."""
        self._executor: ThreadPoolExecutor | None = None
        self._running: Future[Any] | None = None
        self._starting = threading.Lock()
        self._process = os.getpid()

    def __deepcopy__(self, memo: dict[int, Any]) -> AsyncWriter:
        """Returns a writer with nothing to write: the copy of a checkpoint writes files of its own."""
        return AsyncWriter()

    def _begin_after_fork(self) -> None:
        """Begins anew in a process that was forked: the thread did not come along."""
        if self._process != os.getpid():
            self._begin()

    def start(self, write: Callable[[], Any]) -> None:
        """Lets the thread run a function; waits for the one before it.

        Raises: what the function before it raised.
        """
        self._begin_after_fork()
        with self._starting:  # of several threads that save, each waits for the write before its own
            self.wait()
            if self._executor is None:
                self._executor = ThreadPoolExecutor(1, thread_name_prefix="millrace-checkpoint")
            _busy.add(self)
            self._running = self._executor.submit(self._run, write)

    def _run(self, write: Callable[[], Any]) -> None:
        """Runs a function in the thread; a writer without references may go then, and its thread ends."""
        write()
        _busy.discard(self)

    def wait(self) -> None:
        """Waits until the thread has nothing to do.

        Raises: what the function in the thread raised.
        """
        self._begin_after_fork()
        running, self._running = self._running, None
        _busy.discard(self)
        if running is not None:
            running.result()


_busy: set[AsyncWriter] = set()
"""The writers that are writing, or have failed and have not been waited for since."""


@atexit.register
def _finish() -> None:
    """Waits for all writers at the end of the program; Python prints an error that is raised here."""
    for writer in list(_busy):
        writer.wait()
