"""The threads that share the work of one large operation: blocks, rows, images, matrices of a batch.

Problem: NumPy computes on one core. The threads of a BLAS library wait for each other in busy loops, and know nothing
of any work but products.

Idea: there is one pool for all. `run_in_parallel` counts up to the number of parts; the threads of the pool and the
calling thread each take the next number until there is none. A thread that finds no core at once delays nothing,
because the others take its parts; a thread without work sleeps. Threads start at the first call that needs them. A
process that may use one core gets none, and a call from inside of a part runs where it is.
"""

from __future__ import annotations

import contextvars
import functools
import itertools
import os
import sys
import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any

from millrace._src.util.cores import at_most_free_cores, usable_cores

_WORTH_SHARING = 500_000
"""The nanoseconds from which on threads share work."""


class _ThreadSetting:
    threads = 0
    """The number of threads that the user has chosen; 0 for as many as there are usable cores."""


class _WorkerState(threading.local):
    is_inside = False
    """Whether the current thread is running a part."""


_worker_state = _WorkerState()


def set_thread_count(count: int) -> None:
    """Sets how many threads share the work of an operation, the calling thread among them; 0 for one a usable core."""
    _ThreadSetting.threads = count


def thread_count() -> int:
    """Returns how many threads would share the work of a call from here: 1 from inside of a part."""
    if _worker_state.is_inside:
        return 1
    return at_most_free_cores(_ThreadSetting.threads or usable_cores())


def is_inside() -> bool:
    """Returns whether the current thread is running a part of work that is shared among threads."""
    return _worker_state.is_inside


def run_in_parallel(count: int, work: Callable[[int], Any]) -> None:
    """Calls `work` with each number below `count`, on several threads where that is possible; waits for all calls.

    The calls see the context variables of the caller, NumPy's `errstate` among them. Worth its cost, tens of
    microseconds, where all calls together take half a millisecond or more.

    Args:
      count: the number of parts. A few times the number of threads is best: threads do not all run equally fast.
      work: runs the part of a number; may be called on any thread, for several parts at once.

    Raises: BaseException: what the call with the lowest number raised, of those that raised. Calls with higher numbers
      may not have been made.
    """
    helpers = min(thread_count(), count) - 1
    if helpers < 1:
        for index in range(count):
            work(index)
        return
    job = _Job(count, work)
    try:
        _pool().help_with(job, helpers)
        job.begin()
    finally:
        job.end()


def run_in_blocks(size: int, most: int, work: Callable[[int, int], Any], *, nanoseconds: float) -> None:
    """Calls `work(start, stop)` for consecutive blocks of `size` things, on several threads where that pays.

    Args:
      size: the number of things.
      most: the most things of a block.
      work: runs a block.
      nanoseconds: what one thing takes, roughly.
    """
    is_shared = size * nanoseconds >= _WORTH_SHARING
    bounds = block_bounds(size, most, thread_count() if is_shared else 1)
    if is_shared:
        run_in_parallel(len(bounds) - 1, lambda index: work(bounds[index], bounds[index + 1]))
    else:
        for start, stop in itertools.pairwise(bounds):
            work(start, stop)


def block_bounds(size: int, most: int, threads: int = 1) -> list[int]:
    """Returns where the blocks of `size` things begin, and last `size` itself.

    Args:
      size: the number of things.
      most: the most things of a block.
      threads: the number of threads that share the blocks: there are at least so many blocks, if things are enough.
    """
    count = max(-(-size // most), min(threads, size), 1)
    return [size * index // count for index in range(count + 1)]


class _Job:
    """Work in parts.

    Args:
      count: the number of parts.
      work: runs the part of a number.
    """

    def __init__(self, count: int, work: Callable[[int], Any]) -> None:
        self._work = work
        self._numbers = iter(range(count))  # threads share it: the interpreter hands each number out once
        self._lock = threading.Lock()
        self._helping = 0
        """How many threads of the pool take part."""
        self._is_over = False
        """Whether no thread needs to begin to take part any more."""
        self._finished = threading.Event()
        """Set once the job is over and no thread of the pool takes part."""
        self._errors: list[tuple[int, BaseException]] = []

    def begin(self) -> None:
        """Runs parts on the thread of the caller."""
        _worker_state.is_inside = True
        try:
            self._run_parts()
        finally:
            _worker_state.is_inside = False

    def help(self) -> None:
        """Runs parts on a thread of the pool."""
        with self._lock:
            if self._is_over:
                return
            self._helping += 1
        _worker_state.is_inside = True
        self._run_parts()
        _worker_state.is_inside = False
        with self._lock:
            self._is_over = True
            self._helping -= 1
            if not self._helping:
                self._finished.set()

    def _run_parts(self) -> None:
        work = self._work
        for number in self._numbers:
            try:
                work(number)
            except BaseException as error:
                self._errors.append((number, error))
            if self._errors:
                return

    def end(self) -> None:
        """Waits until no thread takes part; raises the error of the part with the lowest number.

        Ctrl-C is raised again when no thread takes part: the parts may write into memory of the caller. Only the thread
        of the caller gets Ctrl-C, at any moment; so nothing waits for what that thread has counted.
        """
        interruption: BaseException | None = None
        while True:
            try:
                with self._lock:
                    self._is_over = True
                    is_alone = not self._helping
                if not is_alone:
                    self._finished.wait()
                break
            except KeyboardInterrupt as error:
                interruption = error
        errors = self._errors
        del self._work, self._errors  # a thread that has not come yet holds the job, but not the caller's arrays
        if errors:
            raise min(errors, key=lambda numbered: numbered[0])[1]
        if interruption is not None:
            raise interruption


class _Pool:
    """Threads that wait for jobs."""

    def __init__(self) -> None:
        self._jobs: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self._lock = threading.Lock()
        self._serial = itertools.count(1)
        self._size = 0

    def help_with(self, job: _Job, helpers: int) -> None:
        """Lets some threads take part in a job, as soon as they are free."""
        if self._size < helpers:
            self._grow(helpers)
        for _ in range(helpers):
            # A context can be entered by one thread at a time.
            self._jobs.put(functools.partial(contextvars.copy_context().run, job.help))

    def _grow(self, size: int) -> None:
        with self._lock:
            while self._size < size:
                name = f"millrace-{next(self._serial)}"
                try:
                    threading.Thread(target=self._serve, name=name, daemon=True).start()
                except RuntimeError:  # the process ends, or has too many threads: the callers do the work
                    return
                self._size += 1

    def _serve(self) -> None:
        """Takes part in one job after the other; a daemon thread ends with the process."""
        while True:
            self._jobs.get()()


@functools.cache
def _pool() -> _Pool:
    return _Pool()


def _forget_threads() -> None:
    """Lets a forked process, to which only one thread has come along, make a pool of its own."""
    _pool.cache_clear()
    _worker_state.is_inside = False


if sys.platform != "win32":
    os.register_at_fork(after_in_child=_forget_threads)
