"""A program of a function with `jit_compile=True`, whose calls do not wait for the compiler.

The user asked for a compiler, so there is nothing to choose: calls run on the NumPy tier until an executable for their
shapes has been compiled, in the background. What the compiler refuses, it refuses before the first call.

A compiled program drops checks and assertions, as XLA does in TensorFlow, and no call may fail only because it came
early. So a call that fails on the NumPy tier, in a graph that holds such nodes, is taken back and run by the compiled
program: variables get their old values again, and the call waits for the compiler.
"""

from __future__ import annotations

import functools
import threading
import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from millrace._src.core.context import state, streams_scope
from millrace._src.core.engine import Holder, Program, Run
from millrace._src.core.errors import OpError
from millrace._src.engines.background_compiler import BackgroundCompiler, Job
from millrace._src.engines.engine_table import JIT_ENGINE, jit_title
from millrace._src.engines.function_tiers import NUMPY, either_program, reading_run
from millrace._src.engines.ready_run import ReadyRun
from millrace._src.engines.rollback import run_or_take_back


class CompilingProgram:
    """Runs calls on the NumPy tier until the compiled program is ready.

    Args:
      make_numpy: makes the program of the NumPy engine.
      make_compiled: makes the program of the compiling engine.
      compiler: the background thread, which makes the compiled program; None if calls wait for the compiler.
      compiled: the compiled program, where another caller has had that made already.
      resources: the positions of the arguments that are resources, where the compiled program drops checks; None where
        it drops none.
    """

    def __init__(
        self,
        make_numpy: Callable[[], Program],
        make_compiled: Callable[[], Program],
        compiler: BackgroundCompiler | None,
        resources: Sequence[int] | None = None,
        compiled: Program | None = None,
    ) -> None:
        self._make_numpy = _binding_as_now(make_numpy)
        self._make_compiled = _binding_as_now(make_compiled)
        self._compiler = compiler
        self._resources = resources
        self._lock = threading.Lock()
        self._job: Job | None = None
        self._compiled: Program | None = None
        self._ready_run: Run | None = None
        self._holders: weakref.WeakSet[Holder] = weakref.WeakSet()
        self._retired_because = ""
        if compiler is None:
            self._compiled = compiled or make_compiled()
            self._ready_run = self._compiled.run
        elif compiled is not None:
            self._take(compiled, compiler)
        compiling_programs.add(self)

    def program(self) -> Program:
        """Returns the program to call."""
        program = either_program(self._run)
        program.tiering = self
        return program

    def hold(self, holder: Holder, arguments: Sequence[Any] | None = None) -> Program:
        """Returns the program for the calls of a holder, who is told by `use` when to take another one."""
        self._holders.add(holder)
        if self._retired_because:
            return self._numpy
        return either_program(self._ready_run or self._run)

    @functools.cached_property
    def _numpy(self) -> Program:
        return self._make_numpy()

    @functools.cached_property
    def _reading_run(self) -> Run:
        return reading_run(self._numpy)

    def _run(self, *arguments: object) -> Sequence[Any]:
        if self._retired_because:
            return self._reading_run(*arguments)
        run = self._ready_run
        if run is not None:
            return run(*arguments)
        job = self._job or self._start()
        if not job.is_done:
            return self._on_numpy(*arguments)
        if job.error is not None:
            raise job.error.with_traceback(None)
        assert self._ready_run is not None  # the job has made it
        return self._ready_run(*arguments)

    def _start(self) -> Job:
        with self._lock:
            if self._job is None:
                assert self._compiler is not None  # or else the program is made already
                self._job = self._compiler.submit(self._steps)
            return self._job

    def _steps(self) -> Iterator[None]:
        assert self._compiler is not None  # it runs these steps
        self._take(self._make_compiled(), self._compiler)
        yield

    def _take(self, compiled: Program, compiler: BackgroundCompiler) -> None:
        """Runs the compiled program from now on, for each set of shapes as soon as there is an executable."""
        self._compiled = compiled
        self._ready_run = ReadyRun(compiled, self._on_numpy, compiler.submit, compiled.run).run
        for holder in list(self._holders):
            holder.use(either_program(self._ready_run))

    def _on_numpy(self, *arguments: object) -> Sequence[Any]:
        """Runs a call on the NumPy tier; a call that fails only there runs on the compiled program."""
        if self._resources is None:
            return self._reading_run(*arguments)

        def on_compiled(error: Exception) -> Sequence[Any]:
            if not isinstance(error, OpError):
                raise error
            return self._wait_for_compiled_run()(*arguments)

        return run_or_take_back(self._reading_run, arguments, self._resources, on_compiled)

    def _wait_for_compiled_run(self) -> Run:
        """Returns the run of the compiled program, for which it waits."""
        job = self._start()
        assert self._compiler is not None  # it runs the job
        self._compiler.wait_for(job)
        if job.error is not None or self._compiled is None:
            raise job.error or RuntimeError("a job has ended without its result")
        return self._compiled.run

    def retire(self, reason: str) -> None:
        """Stays on the NumPy tier for good."""
        self._lock = threading.Lock()  # in a fork: another thread of the parent may have held it
        self._retired_because = reason
        for holder in list(self._holders):
            holder.use(self._numpy)

    def state(self) -> tuple[str, str]:
        """Returns the name of the tier in use, and one sentence about why."""
        if self._retired_because:
            return NUMPY, f"jit_compile is True, but {self._retired_because}"
        if self._compiled is None:
            return (
                NUMPY,
                f"jit_compile is True; until {jit_title()} has compiled the function, calls run on the NumPy tier",
            )
        if self._compiled.left_because is not None:
            return (
                NUMPY,
                f"jit_compile is True, but {jit_title()} leaves the function to NumPy: {self._compiled.left_because}",
            )
        return JIT_ENGINE, "jit_compile is True."


def _binding_as_now(make: Callable[[], Program]) -> Callable[[], Program]:
    """Returns a function that makes a program with the random streams that are in force now, in whatever thread."""
    streams = state.streams

    def make_with_streams() -> Program:
        with streams_scope(streams):
            return make()

    return make_with_streams


compiling_programs: weakref.WeakSet[CompilingProgram] = weakref.WeakSet()
"""The programs of this process: a fork has to stop waiting for their jobs."""
