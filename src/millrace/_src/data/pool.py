"""The threads that the parallel stages of all pipelines share.

Problem: a stage that waits for a call waits forever if all threads of a bounded pool wait likewise: pipelines stand
inside pipelines.

Idea: a call is a *task*, which the first thread to come runs: one of the pool, or the one that needs the
result. So a thread waits only for calls that are running, and no stage needs a thread of its own. After a fork, the
child process starts a pool of its own when it needs one. A user's function may wait forever for something that never
comes, so threads are daemons: when the program ends, no call begins any more, and those that run have a second to end.
"""

from __future__ import annotations

import atexit
import itertools
import os
import sys
import threading
import time
from collections import deque
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any

from millrace._src.core import errors

_MAX_THREADS = 64
_LAST_SECONDS = 1.0
"""How long the end of the program waits for calls that run."""
FORKED = "A thread was working for this iterator when the process was forked. Make a new iterator."
MAX_WAIT = 0.1
"""The seconds after which a thread that waits for the first of several tasks runs one of them."""


class Task:
    """A call that is run once.

    Args:
      call: takes no arguments.

    Attributes:
      is_done: whether there is a result.
    """

    __slots__ = ("is_done", "_call", "_error", "_process", "_running", "_value")

    def __init__(self, call: Callable[[], Any] | None) -> None:
        self.is_done = False
        self._call = call  # None when the call is not to be made any more
        self._running = threading.Lock()  # held while the call runs
        self._process = os.getpid()
        self._value: Any = None
        self._error: BaseException | None = None

    @classmethod
    def done(cls, value: object = None, error: Exception | None = None) -> Task:
        """Returns a task with a result, or one whose call failed."""
        task = cls(None)
        task._finish(value, error)
        return task

    def start(self) -> None:
        """Lets a thread of the pool run the call."""
        start_in_pool(self.run)

    def cancel(self) -> bool:
        """Prevents the call if it has not begun; returns False if the call is running."""
        if not self._running.acquire(blocking=False):
            return False
        self._call = None
        self._running.release()
        return True

    def result(self) -> Any:
        """Returns the value of the call; makes the call if it has not begun, and waits if another thread has begun it.

        Raises:
          Exception: what the call raised.
          tf.errors.FailedPreconditionError: if the call runs in the process from which this one was forked.
        """
        self.wait()
        if self._error is not None:
            raise self._error
        return self._value

    def wait(self) -> None:
        """Makes the call if it has not begun, and waits if another thread has begun it.

        Raises: tf.errors.FailedPreconditionError: if the call runs in the process from which this one was forked.
        """
        if not self.is_done:
            if self._running.locked() and self._process != os.getpid():
                raise errors.FailedPreconditionError(None, None, FORKED)
            with self._running:
                self._run_here()

    def run_if_idle(self) -> None:
        """Makes the call in this thread if it has not begun."""
        if not self.is_done and self._running.acquire(blocking=False):
            try:
                self._run_here()
            finally:
                self._running.release()

    def _run_here(self) -> None:
        """Makes the call; Ctrl-C leaves the call to be made again."""
        if self._call is not None:
            try:
                self._finish(self._call(), None)
            except Exception as error:
                self._finish(None, error)

    def run(self) -> None:
        """Makes the call in a thread of the pool, unless somebody has begun."""
        with self._running:
            if self._call is not None:
                try:
                    self._finish(self._call(), None)
                except BaseException as error:  # raised again in the thread that wants the result
                    self._finish(None, error)

    def _finish(self, value: object, error: BaseException | None) -> None:
        self._value, self._error, self._call = value, error, None
        self.is_done = True


class TaskLanes:
    """Some threads of the pool that run the tasks of one stage, each task after task.

    A thread that goes on with the next task by itself needs no word from the thread that wants the results: with
    Python's lock, to wake one another costs more than many a call.

    Args:
      most: how many threads there are at most.
    """

    __slots__ = ("_busy", "_lock", "_most", "_waiting")

    def __init__(self, most: int) -> None:
        self._most = most
        self._busy = 0
        self._waiting: deque[Task] = deque()
        self._lock = threading.Lock()

    def add(self, *tasks: Task) -> None:
        """Lets threads run tasks after those that were added before."""
        with self._lock:
            self._waiting.extend(tasks)
            threads = min(self._most - self._busy, len(tasks))
            self._busy += threads
        for _ in range(threads):
            start_in_pool(self._run)

    def _run(self) -> None:
        while (task := self._next_task()) is not None:
            task.run()

    def _next_task(self) -> Task | None:
        with self._lock:
            if self._waiting and not _is_ending():
                return self._waiting.popleft()
            self._busy -= 1
            return None

    def clear(self) -> None:
        """Drops the tasks that have not begun."""
        with self._lock:
            self._waiting.clear()


class _DatasetPool:
    """Daemon threads that make calls: as many as there are calls at a time, up to `_MAX_THREADS`."""

    def __init__(self) -> None:
        self._calls: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self._lock = threading.Lock()
        self._serial = itertools.count()
        self._size = 0
        self._idle = 0
        """The number of threads that wait for a call, less the calls that wait for a thread."""
        self.has_ended = threading.Event()
        """Set when the program ends."""

    def submit(self, call: Callable[[], None]) -> None:
        """Lets a thread make a call; drops the call where threads cannot be started any more.

        A thread that needs the result of a dropped call makes the call.
        """
        with self._lock:
            if self._idle <= 0 and self._size < _MAX_THREADS and not self._grow() or self.has_ended.is_set():
                return
            self._idle -= 1
        self._calls.put(call)

    def _grow(self) -> bool:
        """Starts a thread; returns False if the interpreter refuses. The caller holds the lock."""
        name = f"millrace-data_{next(self._serial)}"
        try:
            threading.Thread(target=self._serve, name=name, daemon=True).start()
        except RuntimeError:  # the interpreter ends
            return False
        self._size += 1
        self._idle += 1
        return True

    def _serve(self) -> None:
        while True:
            call = self._calls.get()
            if not self.has_ended.is_set():
                call()
            del call  # a thread that waits holds no dataset
            with self._lock:
                self._idle += 1

    def end(self) -> None:
        """Lets no further call begin, and waits a moment for those that run."""
        self.has_ended.set()
        deadline = time.monotonic() + _LAST_SECONDS
        while self._idle < self._size and time.monotonic() < deadline:
            time.sleep(0.001)


_the_pool: _DatasetPool | None = None
_pool_lock = threading.Lock()


def _pool() -> _DatasetPool:
    """Returns the pool of this process."""
    global _the_pool
    with _pool_lock:
        if _the_pool is None:
            _the_pool = _DatasetPool()
            atexit.register(_the_pool.end)
        return _the_pool


def start_in_pool(call: Callable[[], None]) -> None:
    """Lets a thread of the pool make a call, unless the program ends."""
    _pool().submit(call)


def sleep_in_pool(seconds: float) -> bool:
    """Lets a thread of the pool sleep; returns whether the program ends."""
    return _pool().has_ended.wait(seconds)


def _is_ending() -> bool:
    return _the_pool is not None and _the_pool.has_ended.is_set()


def _forget_threads() -> None:
    """Forgets the pool in a child process, which has none of its threads."""
    global _the_pool, _pool_lock
    if _the_pool is not None:
        atexit.unregister(_the_pool.end)
    _the_pool, _pool_lock = None, threading.Lock()


if sys.platform != "win32":
    os.register_at_fork(after_in_child=_forget_threads)
