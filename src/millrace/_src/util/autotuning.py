"""An autotuner: of several kernels for one kind of work, each shape of the work gets the fastest.

Problem: a convolution can be a product of copied windows or a call of a library, and which is faster depends on shapes
and machine. Kernels that compile something take milliseconds before their first result.

Idea: a shape begins with the first kernel, which needs no preparation. Once the shape has taken as long as preparing
another kernel would, the kernels take turns (`util.trials`), and the fastest is kept. A committed shape costs one look
into a dictionary. Results differ by rounding, so that a program that asks for determinism gets a fixed choice: the
first kernel, in order of preference, that can do the work at all.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Hashable, Iterator, Mapping
from typing import Any
from weakref import WeakSet

from millrace._src.util.trials import Trial

Work = Callable[..., Any]
"""Does the work on arrays."""
_PREPARATION = 0.003
"""Seconds: what preparing a kernel takes, about."""
_MAX_SHAPES = 1024


class _AutotunerSetting:
    is_fixed = False
    """Whether choices are made without measuring."""
    tries = 0
    """How often work was done to measure a kernel."""
    timed_thread = 0
    """The thread whose time in kernels is measured; 0 for none."""
    seconds = 0.0
    """The time that this thread has spent in kernels."""


class Autotuner:
    """Chooses the kernel for each shape of one kind of work.

    Args:
      makers: by name, in the order of preference: a function that makes, for a shape, the function that does the work;
        None where the kernel cannot do the work.
      first: the name of the kernel that can always do the work at once.
      clock: returns the time in seconds.
    """

    def __init__(
        self,
        makers: Mapping[str, Callable[[Any], Work | None]],
        first: str,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self.makers = dict(makers)
        self.first = first
        self.clock = clock
        self._pinned: str | None = None
        self._works: dict[Hashable, Work] = {}
        self._names: dict[Hashable, str] = {}
        _autotuners.add(self)

    def __call__(self, shape: object, *arguments: object) -> Any:
        """Does the work.

        Args:
          shape: everything on which it depends which kernel is the fastest; hashable.
          *arguments: what the work is done on.
        """
        try:
            work = self._works[shape]
        except KeyError:
            work = self._begin(shape)
        if _AutotunerSetting.timed_thread:
            return _run_timed(work, arguments)
        return work(*arguments)

    def winner(self, shape: object) -> str | None:
        """Returns the name of the kernel that a shape has got; None while that is open."""
        return self._names.get(shape)

    def commit(self, shape: object, name: str, work: Work) -> Work:
        """Gives a shape a kernel for good."""
        self._names[shape] = name
        return self._note(shape, work)

    def forget(self) -> None:
        """Takes back all choices."""
        self._works.clear()
        self._names.clear()

    @contextlib.contextmanager
    def pin(self, name: str) -> Iterator[None]:
        """Lets one kernel do all work, inside of a `with`; what this kernel cannot do is done by the first kernel."""
        self._pinned = name
        self.forget()
        try:
            yield
        finally:
            self._pinned = None
            self.forget()

    def _begin(self, shape: object) -> Work:
        if self._pinned is not None:
            return self._first_possible(shape, (self._pinned, self.first))
        if _AutotunerSetting.is_fixed:
            return self._first_possible(shape, tuple(self.makers))
        return self._note(shape, _Search(self, shape))

    def _first_possible(self, shape: object, names: tuple[str, ...]) -> Work:
        possible = ((name, work) for name in names if (work := self.makers[name](shape)) is not None)
        return self.commit(shape, *next(possible))

    def _note(self, shape: object, work: Work) -> Work:
        if len(self._works) >= _MAX_SHAPES:
            self.forget()
        self._works[shape] = work
        return work


_autotuners: WeakSet[Autotuner] = WeakSet()


class _Search:
    """Does the work of one shape that is not committed to a kernel.

    Args:
      autotuner: whom to tell the fastest kernel.
      shape: the shape.
    """

    def __init__(self, autotuner: Autotuner, shape: Any) -> None:
        self._autotuner, self._shape = autotuner, shape
        self._works = {autotuner.first: _make(autotuner, autotuner.first, shape)}
        self._seconds = 0.0
        """The time that the shape has taken before its trial."""
        self._trial: Trial | None = None
        self._lock = threading.Lock()

    def __call__(self, *arguments: object) -> Any:
        if self._trial is None:
            return self._run_first(*arguments)
        _AutotunerSetting.tries += 1
        result = self._trial.run(self._works, *arguments)
        self._commit_if_over(self._trial)
        return result

    def _run_first(self, *arguments: object) -> Any:
        clock = self._autotuner.clock
        start = clock()
        result = self._works[self._autotuner.first](*arguments)
        self._seconds += clock() - start
        if self._seconds >= _PREPARATION:
            self._begin_trial()
        return result

    def _begin_trial(self) -> None:
        with self._lock:
            if self._trial is not None:
                return
            autotuner = self._autotuner
            others = {name: maker(self._shape) for name, maker in autotuner.makers.items() if name != autotuner.first}
            self._works |= {name: work for name, work in others.items() if work is not None}
            self._trial = Trial(list(self._works), clock=autotuner.clock)
            self._commit_if_over(self._trial)

    def _commit_if_over(self, trial: Trial) -> None:
        if trial.winner is not None:
            name = str(trial.winner)
            self._autotuner.commit(self._shape, name, self._works[name])


def _make(autotuner: Autotuner, name: str, shape: object) -> Work:
    work = autotuner.makers[name](shape)
    assert work is not None, f"{name} has to be possible always"
    return work


def _run_timed(work: Work, arguments: tuple[object, ...]) -> Any:
    """Does work, and adds its time to what `seconds_in_kernels` measures; kernels inside of kernels count once."""
    thread = _AutotunerSetting.timed_thread
    if thread != threading.get_ident():
        return work(*arguments)
    _AutotunerSetting.timed_thread = 0
    start = time.perf_counter()
    try:
        return work(*arguments)
    finally:
        _AutotunerSetting.seconds += time.perf_counter() - start
        _AutotunerSetting.timed_thread = thread


class seconds_in_kernels:
    """Measures how long this thread is inside of kernels that libraries compute, in a `with` block.

    Where two threads measure at once, the later one measures alone.

    Attributes:
      seconds: the time, once the block has ended.
    """

    seconds = 0.0

    def __enter__(self) -> seconds_in_kernels:
        self._before = _AutotunerSetting.seconds
        _AutotunerSetting.timed_thread = threading.get_ident()
        return self

    def __exit__(self, *error: object) -> None:
        _AutotunerSetting.timed_thread = 0
        self.seconds = _AutotunerSetting.seconds - self._before


def fix_choices(is_fixed: bool) -> None:
    """Says whether all choices are made without measuring, so that equal programs give equal results."""
    if is_fixed != _AutotunerSetting.is_fixed:
        _AutotunerSetting.is_fixed = is_fixed
        for autotuner in _autotuners:
            autotuner.forget()


def count_measured_calls() -> int:
    """Returns how often work was done to measure a kernel: this stops growing once a program has made its choices."""
    return _AutotunerSetting.tries


def are_choices_fixed() -> bool:
    """Returns whether all choices are made without measuring."""
    return _AutotunerSetting.is_fixed
