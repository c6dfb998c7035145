"""Calls of a compiled program that never wait for the compiler.

A program compiles an executable for each set of shapes, dtypes and placements of its arguments, and sometimes for their
values. A call for which there is an executable runs on it. Any other call runs on the NumPy tier, while the executable
is compiled in the background.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from millrace._src.core.engine import Program, Run
from millrace._src.engines.background_compiler import Job, Steps

_MAX_JOBS = 256
"""The sets of shapes whose jobs are remembered; what is forgotten is compiled again, at worst."""
_MAX_MISSES = 8
"""How often a call may find no executable although one was compiled for its shapes: sizes depend on values then."""


class ReadyRun:
    """Runs calls with a compiled program where that is ready, or else on the NumPy tier.

    Args:
      program: the compiled program.
      on_numpy: runs a call on the NumPy tier.
      submit: gives a job to the background thread.
      unready_run: runs the calls of a program that does not compile, or compiles again and again; by default
        `on_numpy`.

    Attributes:
      run: runs one call.
    """

    def __init__(
        self, program: Program, on_numpy: Run, submit: Callable[[Steps], Job], unready_run: Run | None = None
    ) -> None:
        self.program = program
        self.run = self._run_of(program.attempting_run())
        self._on_numpy = on_numpy
        self._submit = submit
        self._unready_run = unready_run or on_numpy
        self._lock = threading.Lock()
        self._jobs: dict[Any, Job] = {}
        self._misses = 0

    def _run_of(self, attempt: Callable[..., Sequence[Any] | None]) -> Run:
        """Returns `run`: a function of its own, because all calls of a hot function pass here."""
        missed = self._handle_miss

        def run(*arguments: Any) -> Sequence[Any]:
            results = attempt(*arguments)
            return missed(arguments) if results is None else results

        return run

    def _handle_miss(self, arguments: Sequence[Any]) -> Sequence[Any]:
        """Runs a call for which there is no executable, and has one compiled."""
        if self._misses >= _MAX_MISSES or self.program.prepare is None:
            return self._unready_run(*arguments)
        shapes = tuple([argument.shape for argument in arguments])
        job = self._jobs.get(shapes)
        if job is not None and job.error is not None:
            return self._unready_run(*arguments)
        if job is None or job.is_done:
            job = self._compile_once(shapes, arguments, job)
        if job is not None and job.is_done:  # calls wait for the compiler
            return self.program.run(*arguments)
        return self._on_numpy(*arguments)

    def _compile_once(self, shapes: object, arguments: Sequence[Any], ended: Job | None) -> Job | None:
        """Submits the compiling of an executable, unless another thread has; counts a miss if that was in vain."""
        with self._lock:
            if self._jobs.get(shapes) is not ended:
                return None
            if ended is not None:
                self._misses += 1
            if len(self._jobs) >= _MAX_JOBS:
                self._jobs.clear()
            assert self.program.prepare is not None  # or else nothing would have asked
            compile_program = self.program.prepare(arguments)

            def steps() -> Iterator[None]:
                compile_program()
                yield

            job = self._jobs[shapes] = self._submit(steps)
        return job
