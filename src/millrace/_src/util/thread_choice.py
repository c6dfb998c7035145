"""How many threads pay for work that a library divides among threads of its own.

Problem: the threads of a library wait for each other in busy loops. Where other programs use the cores, a thread that
loses its core holds up all others: a product of 0.1 ms took 48 ms with four threads on a machine with four busy cores.
On a quiet machine the same threads are worth having.

Idea: work of some shape runs a few times on one thread, to be timed, and then on more threads. What threads gain is
their credit, up to a limit: a thread that loses its core for a moment, some milliseconds, costs less than what a second
without threads would. Threads that have lost their credit are halved, and tried again after a pause that doubles each
time.

Tests: tests/util/test_blas_threads.py
"""

from __future__ import annotations

import time
from collections.abc import Callable

from millrace._src.util.cores import at_most_free_cores

_PATIENCE, _MAX_CREDIT = 0.002, 0.03
"""The seconds that threads may lose at first, and the most that they may have gained before and lose again."""
_FIRST_PAUSE, _MAX_PAUSE = 0.25, 60.0
"""The seconds after which threads are tried again."""


class ThreadChoice:
    """Chooses the number of threads for the next piece of work, and learns from the time that the piece takes.

    Args:
      most: the most threads.
      clock: returns the time in seconds.

    Attributes:
      most: the most threads.
      count: the number of threads for work that is worth sharing.
    """

    def __init__(self, most: int, clock: Callable[[], float] = time.perf_counter) -> None:
        self.most = self.count = most
        self.clock = clock
        self._lost = 0.0
        """The seconds that sharing has cost more than it has gained; below 0, it has gained more."""
        self._pause = _FIRST_PAUSE
        self._next_try = 0.0

    def count_at(self, now: float) -> int:
        """Returns the number of threads for work that begins now."""
        if self.count < self.most and now >= self._next_try:
            self.count = min(2 * self.count, self.most)
            self._next_try = now + self._pause
        return at_most_free_cores(self.count)

    def judge(self, seconds: float, alone: float, start: float) -> None:
        """Learns from work that was shared.

        Args:
          seconds: what the work has taken.
          alone: what such work takes on one thread.
          start: when it began.
        """
        self._lost = max(self._lost + seconds - alone, -_MAX_CREDIT)
        if seconds <= alone and self.count == self.most:
            self._pause = _FIRST_PAUSE
        if self._lost > max(_PATIENCE, alone):
            self._lost = 0.0
            self.count = max(self.count // 2, 1)
            self._next_try = start + self._pause
            self._pause = min(2 * self._pause, _MAX_PAUSE)
