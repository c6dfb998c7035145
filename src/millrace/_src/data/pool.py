"""The threads that the parallel stages of all pipelines share.

Problem: a stage that waits for a call waits forever if all threads of a bounded pool wait likewise: pipelines stand
inside pipelines.

Idea: a call is a *task*, which whoever comes first carries out: a thread of the pool, or the thread that needs the
result. So a thread waits only for calls that are running, and no stage needs a thread of its own. After a fork, the
child process starts a pool of its own when it needs one.
"""

from __future__ import annotations

import os
import sys
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from millrace._src.core import errors

_MOST_THREADS = 64
FORKED = "A thread was working for this iterator when the process was forked. Make a new iterator."
LONGEST_WAIT = 0.1
"""The seconds after which a thread that waits for the first of several tasks carries out one of them."""


class Task:
    """A call that is carried out once.

    Args:
      call: takes no arguments.

    Attributes:
      is_done: whether there is a result.
    """

    __slots__ = ("is_done", "_call", "_error", "_process", "_running", "_value")

    def __init__(self, call: Callable[[], Any] | None) -> None:
        self.is_done = False
        self._call = call  # None when nobody is to make the call any more
        self._running = threading.Lock()  # held while the call runs
        self._process = os.getpid()
        self._value: Any = None
        self._error: BaseException | None = None

    @classmethod
    def done(cls, value: Any = None, error: Exception | None = None) -> Task:
        """Returns a task with a result, or one whose call failed."""
        task = cls(None)
        task._finish(value, error)
        return task

    def start(self) -> None:
        """Lets a thread of the pool carry out the call."""
        _start_in_pool(self.run)

    def cancel(self) -> bool:
        """Prevents the call if nobody has begun; returns False if the call is running."""
        if not self._running.acquire(blocking=False):
            return False
        self._call = None
        self._running.release()
        return True

    def result(self) -> Any:
        """Returns the value of the call; makes the call if nobody has begun, and waits if somebody else has.

        Raises:
          Exception: what the call raised.
          tf.errors.FailedPreconditionError: if the call runs in the process from which this one was forked.
        """
        self.wait()
        if self._error is not None:
            raise self._error
        return self._value

    def wait(self) -> None:
        """Makes the call if nobody has begun, and waits if somebody else has.

        Raises: tf.errors.FailedPreconditionError: if the call runs in the process from which this one was forked.
        """
        if not self.is_done:
            if self._running.locked() and self._process != os.getpid():
                raise errors.FailedPreconditionError(None, None, FORKED)
            with self._running:
                self._run_here()

    def run_if_idle(self) -> None:
        """Makes the call in this thread if nobody has begun."""
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

    def _finish(self, value: Any, error: BaseException | None) -> None:
        self._value, self._error, self._call = value, error, None
        self.is_done = True


class Lanes:
    """Some threads of the pool that carry out the tasks of one stage, each task after task.

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
        """Lets threads carry out tasks after those that were added before."""
        with self._lock:
            self._waiting.extend(tasks)
            threads = min(self._most - self._busy, len(tasks))
            self._busy += threads
        for _ in range(threads):
            _start_in_pool(self._run)

    def _run(self) -> None:
        while (task := self._next_task()) is not None:
            task.run()

    def _next_task(self) -> Task | None:
        with self._lock:
            if self._waiting:
                return self._waiting.popleft()
            self._busy -= 1
            return None

    def clear(self) -> None:
        """Drops the tasks that nobody has begun."""
        with self._lock:
            self._waiting.clear()


_executor: ThreadPoolExecutor | None = None
_executor_lock = threading.Lock()


def _pool() -> ThreadPoolExecutor:
    """Returns the pool of this process."""
    global _executor
    with _executor_lock:
        if _executor is None:
            _executor = ThreadPoolExecutor(_MOST_THREADS, thread_name_prefix="millrace-data")
        return _executor


def _start_in_pool(call: Callable[[], None]) -> None:
    """Lets a thread of the pool make a call."""
    try:
        _pool().submit(call)
    except RuntimeError:
        pass  # the interpreter ends and starts no threads; whoever needs a result makes the call


def _forget_threads() -> None:
    """Forgets the pool in a child process, which has none of its threads."""
    global _executor, _executor_lock
    _executor, _executor_lock = None, threading.Lock()


if sys.platform != "win32":
    os.register_at_fork(after_in_child=_forget_threads)
