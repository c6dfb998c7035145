"""Says how much other programs disturbed a run: numbers of a busy machine are too high, and not by the same factor."""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.measured import Measured

_MIN_SHARE = 0.9
_LARGEST_SPREAD = 0.15
_MAX_OTHERS = 0.25


class Bystanders:
    """Measures, from when it is made, how many cores the programs that are not part of the run use."""

    def __init__(self) -> None:
        self._start = time.monotonic()
        self._busy = _busy_seconds()

    def cores(self, workers: Sequence[int]) -> float | None:
        """Returns the cores that others used on average; None where the system does not say.

        Args:
          workers: the numbers of the processes that belong to the run and still live.
        """
        busy = _busy_seconds()
        if busy is None or self._busy is None:
            return None
        own = sum(os.times()[:4]) + sum(_process_seconds(pid) for pid in workers)
        return max(0.0, (busy - self._busy - own) / max(time.monotonic() - self._start, 1e-9))


def core_share(results: Sequence[Measured]) -> float | None:
    """Returns the share of its core that a pinned process had, by the median of all repetitions."""
    shares = [share for m in results if m.mode.core is not None for share in m.shares]
    return statistics.median(shares) if shares else None


def typical_spread(results: Sequence[Measured]) -> float | None:
    """Returns how far the quartiles of a cell are apart, as a part of its median; the median of all cells."""
    spreads = [m.spread(series) for m in results for series in m.values]
    return statistics.median(spreads) if spreads else None


def warnings(results: Sequence[Measured], others: float | None, cores: int) -> list[str]:
    """Returns what a reader has to know before trusting the numbers, a sentence each.

    Args:
      results: the rows of the run.
      others: the cores that other programs used on average.
      cores: how many cores there are.
    """
    found = []
    share = core_share(results)
    if share is not None and share < _MIN_SHARE:
        found.append(f"The pinned core was shared: the measured process had {share:.0%} of it.")
    if others is not None and others > _MAX_OTHERS * cores:
        found.append(
            f"The machine was busy: other programs used {others:.1f} of {cores} cores; wall times are too high."
        )
    spread = typical_spread(results)
    if spread is not None and spread > _LARGEST_SPREAD:
        found.append(f"The numbers are noisy: the quartiles of a typical cell are {spread:.0%} of it apart.")
    return found


def _busy_seconds() -> float | None:
    """Returns the seconds that all cores together have worked since the start of the system (Linux)."""
    try:
        user, nice, system, _, _, irq, softirq, steal = Path("/proc/stat").read_text(encoding="ascii").split()[1:9]
    except (OSError, ValueError):
        return None
    return sum(map(int, (user, nice, system, irq, softirq, steal))) / os.sysconf("SC_CLK_TCK")


def _process_seconds(pid: int) -> float:
    """Returns the processor time of a process."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    except OSError:
        return 0.0
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
