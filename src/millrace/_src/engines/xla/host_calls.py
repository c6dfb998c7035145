"""Programs that call Python while they run, and the end of the process.

Problem: XLA runs programs in threads of its own, also after their caller has gone on. A program that calls Python needs
the interpreter; if the process ends meanwhile, the thread crashes or waits forever.

Idea: while such a program is traced, the code that puts a call into it notes that. Calls of the finished program are
counted, and one small result of each is kept until the result is there. When the process ends, the interpreter waits
for these results first, and lets no other thread begin.
"""

from __future__ import annotations

import atexit
import contextlib
import threading
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

import jax

Run = Callable[..., Any]


class _Trace(threading.local):
    may_call = False
    """Whether the program that this thread traces will be watched."""
    has_call = False
    """Whether the program contains calls of Python."""


_trace = _Trace()


class Watch:
    """Counts the programs that run, and ends with the process."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._starting = 0
        """How many threads are starting a program."""
        self._results: deque[Any] = deque()
        """One result of each program that may still run."""
        self._is_over = False

    def run(self, program: Run, *operands: Any) -> Any:
        """Runs a program; at the end of the process, only on the main thread, which waits for the results."""
        is_over = self._start()
        try:
            results = program(*operands)
            self._note(results)
        finally:
            with self._changed:
                self._starting -= 1
                self._changed.notify_all()
        return jax.block_until_ready(results) if is_over else results

    def _start(self) -> bool:
        with self._changed:
            if self._is_over and threading.current_thread() is not threading.main_thread():
                self._changed.wait_for(lambda: False)  # the process ends; this thread ends with it
            self._starting += 1
            return self._is_over

    def _note(self, results: object) -> None:
        while self._results and _is_done(self._results[0]):
            self._results.popleft()
        arrays = jax.tree.leaves(results)
        if arrays:
            self._results.append(min(arrays, key=lambda array: array.nbytes))

    def end(self) -> None:
        """Waits for all programs, and lets no other thread start one."""
        with self._changed:
            self._is_over = True
            self._changed.wait_for(lambda: not self._starting)
        while self._results:
            result = self._results.popleft()
            if not result.is_deleted():
                with contextlib.suppress(jax.errors.JaxRuntimeError):  # nothing is there to be told
                    result.block_until_ready()


def _is_done(result: Any) -> bool:
    """Returns whether a result is there; if it was given to another program, that program will tell."""
    return result.is_deleted() or result.is_ready()


watch = Watch()
atexit.register(watch.end)


@contextlib.contextmanager
def allow_calls() -> Iterator[Callable[[Run], Run]]:
    """Allows the program that is traced inside of a `with` to call Python.

    Yields: A function that takes the finished program, and returns what is to be called instead.
    """
    before = (_trace.may_call, _trace.has_call)
    _trace.may_call, _trace.has_call = True, False
    try:
        yield lambda program: Watched(program) if _trace.has_call else program
    finally:
        _trace.may_call, _trace.has_call = before


def may_call() -> bool:
    """Returns whether the program that this thread traces may call Python."""
    return _trace.may_call


def note_call() -> None:
    """Notes that the program that this thread traces calls Python."""
    _trace.has_call = True


class Watched:
    """A compiled program that calls Python.

    Args:
      program: what JAX compiled.
    """

    def __init__(self, program: Any) -> None:
        self._program = program

    def __call__(self, *operands: Any) -> Any:
        """Runs the program."""
        return watch.run(self._program, *operands)
