"""The thread that compiles while the program goes on.

Problem: importing the compiler, tracing a graph and compiling takes a tenth of a second to many seconds, which no call
should wait for.

Idea: jobs stand in a queue, and one thread runs them, in order. The thread exists only while there are jobs. It
is not a daemon: the interpreter waits for it at exit, since a compiler that loses its interpreter in the middle
crashes; but a job is a generator, and between two of its steps the thread sees that the program has ended, and drops
the rest. A forked child has no such thread: the child forgets all jobs.
"""

from __future__ import annotations

import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator

from millrace._src.core.context import state
from millrace._src.util.cores import forget_reserved_cores, reserved_core

SWITCH_INTERVAL = 0.0005
"""Seconds after which the thread lets others run Python while it runs Python itself; a tenth of Python's own setting.

A step of the program that lets go of the interpreter's lock (each large kernel does) gets the lock back so much later.
"""

Steps = Callable[[], Iterator[None]]
"""Makes the steps of a job: a generator, which stops where another job, or the end of the program, may come between."""


class Job:
    """Work for the background thread.

    Attributes:
      ended: set when the job has ended: was run, has failed, or was dropped.
      is_done: the same as a boolean, which is quicker to ask.
      error: the exception with which the job failed; None for a job that has not failed.
    """

    __slots__ = ("_steps", "_streams", "ended", "error", "is_done")

    def __init__(self, steps: Steps) -> None:
        self._steps = steps
        self._streams = state.streams
        self.ended = threading.Event()
        self.is_done = False
        self.error: Exception | None = None

    def run(self, run_step: Callable[[Iterator[None]], bool]) -> None:
        """Runs the steps, until one fails or `run_step` says that there are no more."""
        state.streams = self._streams  # of the thread that asked for the job: kernels that draw are bound with them
        try:
            steps = self._steps()
            while run_step(steps):
                if _program_has_ended():
                    raise CompilerStoppedError("The program has ended.")
        except BaseException as error:  # the thread goes on with the next job, whatever this job has raised
            self.error = error if isinstance(error, Exception) else CompilerStoppedError(repr(error))
        finally:
            self.end()

    def end(self) -> None:
        """Notes that nothing more will be done."""
        self.is_done = True
        self.ended.set()


_NO_STEP = object()


class CompilerStoppedError(Exception):
    """A job was dropped: the program ends, or this process is a fork of the one that asked for the job."""


class BackgroundCompiler:
    """A queue of jobs and the thread that runs the jobs."""

    def __init__(self) -> None:
        self._start_over()

    def _start_over(self) -> None:
        self._lock = threading.Lock()
        self._stepping = threading.RLock()  # held during each step of a job
        self._may_step = threading.Event()  # a lock alone goes back to the thread that has just released it
        self._may_step.set()
        self._stopped_by: set[int] = set()
        self._jobs: deque[Job] = deque()
        self._thread: threading.Thread | None = None
        self._current: Job | None = None

    @property
    def is_running(self) -> bool:
        """Whether the thread exists."""
        return self._thread is not None

    def submit(self, steps: Steps) -> Job:
        """Queues a job, and returns it."""
        job = Job(steps)
        with self._lock:
            self._jobs.append(job)
            if self._thread is None:
                thread = threading.Thread(target=self._work, name="millrace-compiler", daemon=False)
                try:
                    thread.start()
                except RuntimeError as error:  # the interpreter is ending, or the system has no more threads
                    self._jobs.pop()
                    job.error = CompilerStoppedError(str(error))
                    job.end()
                else:
                    self._thread = thread
        return job

    def wait_for(self, job: Job) -> None:
        """Waits until a job has ended; the thread that runs the jobs does not wait for itself."""
        if threading.current_thread() is not self._thread:
            job.ended.wait()

    def wait(self) -> None:
        """Waits until all jobs have ended."""
        while True:
            with self._lock:
                job = self._jobs[-1] if self._jobs else self._current
            if job is None:
                return
            self.wait_for(job)

    def _work(self) -> None:
        with _switching_often():
            while True:
                with self._lock:
                    self._current = job = self._jobs.popleft() if self._jobs else None
                    if job is None:
                        self._thread = None
                        return
                job.run(self._run_step)
                with self._lock:
                    self._current = None

    def _run_step(self, steps: Iterator[None]) -> bool:
        """Runs one step, when no fork is about to happen; returns whether there was one."""
        self._may_step.wait()
        with self._stepping, reserved_core():
            return next(steps, _NO_STEP) is not _NO_STEP

    def stop(self, seconds: float) -> None:
        """Stops the thread between two steps, until `go_on`; waits no longer than some seconds for that."""
        self._may_step.clear()
        if self._stepping.acquire(timeout=seconds):
            self._stopped_by.add(threading.get_ident())

    def go_on(self) -> None:
        """Lets the thread go on."""
        if threading.get_ident() in self._stopped_by:
            self._stopped_by.remove(threading.get_ident())
            self._stepping.release()
        if not self._stopped_by:
            self._may_step.set()

    def forget(self) -> None:
        """Drops all jobs, in a forked child: the thread that would run the jobs is the parent's."""
        forget_reserved_cores()
        jobs = [*self._jobs, *([self._current] if self._current is not None else [])]
        self._start_over()
        for job in jobs:
            job.error = CompilerStoppedError("This process is a fork of the one that asked for the job.")
            job.ended = threading.Event()  # the parent's thread may have held its lock
            job.end()


class _switching_often:
    """Lets other threads run Python more often in the `with` block; leaves a setting of the user's alone."""

    def __enter__(self) -> None:
        self._before = sys.getswitchinterval()
        if self._before > SWITCH_INTERVAL:
            sys.setswitchinterval(SWITCH_INTERVAL)

    def __exit__(self, *error: object) -> None:
        if self._before > SWITCH_INTERVAL and abs(sys.getswitchinterval() - SWITCH_INTERVAL) < 1e-6:
            sys.setswitchinterval(self._before)


def _program_has_ended() -> bool:
    """Returns whether the main thread is done, and the interpreter waits for other threads."""
    return not threading.main_thread().is_alive()


compiler = BackgroundCompiler()
"""The compiler of this process."""
