"""On how many threads a calculation of oneDNN runs.

Problem: oneDNN compiles a calculation for a number of threads. How many pay depends on the calculation, on what else
the program does at that moment, and on other programs.

Idea: a calculation has a variant for each number of threads. Its first calls take the variant of one thread and are
timed; a calculation that takes long enough is shared from then on, among as many threads as pay
(`util.thread_choice`). A call from inside of work that threads share stays on its thread.
"""

from __future__ import annotations

import functools
import os
import sys
import time
from collections.abc import Callable

from millrace._src.util.autotuning import are_choices_fixed
from millrace._src.util.cores import usable_cores
from millrace._src.util.onednn.library import Library, load
from millrace._src.util.thread_choice import ThreadChoice
from millrace._src.util.thread_pool import thread_count

OnAddresses = Callable[..., None]
"""Computes: the addresses of the inputs, then of the outputs."""
_WORTH_SHARING = 50e-6
"""The seconds from which more threads may pay; threads that sleep take as long to wake up."""
_TIMED_CALLS = 2
"""The calls on one thread whose least time counts: the first one finds cold caches."""
_USER_VARIABLE = "OMP_NUM_THREADS"
_LIMIT_VARIABLE = "OMP_THREAD_LIMIT"
"""By which a user limits the threads of all teams together."""


class _ForkSetting:
    is_child = False
    """Whether this process was forked: OpenMP's threads have stayed in the parent."""


class SharedCalculation:
    """A calculation that runs on as many threads as pay.

    Args:
      alone: the variant of one thread.
      make: makes the variant of a number of threads; None where the library refuses.
    """

    def __init__(self, alone: OnAddresses, make: Callable[[int], OnAddresses | None]) -> None:
        self._alone = alone
        self._make = make
        self._variants: dict[int, OnAddresses] = {1: alone}
        self._timed_calls = 0
        self._seconds_alone = float("inf")

    def __call__(self, *addresses: int) -> None:
        """Computes: the addresses of the inputs, then of the outputs."""
        is_fixed = are_choices_fixed()
        if self._seconds_alone < _WORTH_SHARING and not is_fixed:
            self._alone(*addresses)
            return
        most = 1 if _ForkSetting.is_child else thread_count()
        if most == 1:
            self._alone(*addresses)
        elif is_fixed:
            self._variant(min(most, _choice().most))(*addresses)
        elif self._timed_calls < _TIMED_CALLS:
            self._time_alone(addresses)
        else:
            self._run_shared(most, addresses)

    def _time_alone(self, addresses: tuple[int, ...]) -> None:
        start = time.perf_counter()
        self._alone(*addresses)
        self._seconds_alone = min(self._seconds_alone, time.perf_counter() - start)
        self._timed_calls += 1

    def _run_shared(self, most: int, addresses: tuple[int, ...]) -> None:
        choice = _choice()
        start = time.perf_counter()
        count = min(choice.count_at(start), most)
        self._variant(count)(*addresses)
        if count > 1:
            choice.judge(time.perf_counter() - start, self._seconds_alone, start)

    def _variant(self, threads: int) -> OnAddresses:
        variant = self._variants.get(threads)
        if variant is None:
            variant = self._variants[threads] = self._make(threads) or self._alone
        return variant


def has_threads() -> bool:
    """Returns whether the library is there and has threads of its own; looks for it at first."""
    return _gives_threads(load()) and not _ForkSetting.is_child


def _gives_threads(library: Library | None) -> bool:
    """Returns whether OpenMP gives a calculation as many threads as the calculation asks for.

    Where OpenMP may give fewer (`OMP_THREAD_LIMIT`, `OMP_DYNAMIC`), the threads of a calculation that was compiled for
    more wait forever for those that do not come.
    """
    if library is None or not library.has_threads or _LIMIT_VARIABLE in os.environ:
        return False
    return not library.quick("omp_get_dynamic")()


@functools.cache
def _choice() -> ThreadChoice:
    """Returns what chooses for all calculations: whether threads find cores does not depend on the calculation."""
    library = load()
    if library is None or not _gives_threads(library):
        return ThreadChoice(1)
    most = library.quick("omp_get_max_threads")() if _USER_VARIABLE in os.environ else usable_cores()
    return ThreadChoice(min(most, usable_cores()))


def _forget_threads() -> None:
    _ForkSetting.is_child = True


if sys.platform != "win32":
    os.register_at_fork(after_in_child=_forget_threads)
