"""The two clocks: processor time on one core, and wall time on all cores.

Processor time of one pinned core with one thread is what can be compared on a busy machine: it counts work, also work
that is done in the background. Wall time with all threads is what users wait for; it needs a quiet machine.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

_ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


@dataclass(frozen=True)
class Mode:
    """A clock.

    Args:
      name: the name on the command line and in the results.
      title: what the table is called.
      clock: the function of `time` that measures.
      core: the core to which processes are pinned; None for all.
    """

    name: str
    title: str
    clock: str
    core: int | None

    @property
    def environment(self) -> dict[str, str]:
        """The variables that the measured processes get."""
        return {} if self.core is None else _ONE_THREAD

    @property
    def prelude(self) -> str:
        """The first lines of a program that runs in a process of its own; its clock is called `clock`."""
        pin = "" if self.core is None else _PIN.format(core=self.core)
        return f"{pin}from time import {self.clock} as clock\n"


_PIN = "import os; hasattr(os, 'sched_setaffinity') and os.sched_setaffinity(0, {{{core}}})\n"


def usable_cores() -> list[int]:
    """Returns the numbers of the cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))


def modes(names: list[str], core: int | None) -> list[Mode]:
    """Returns the modes of these names; raises ValueError for an unknown name.

    Args:
      names: "pinned", "free".
      core: the core of the pinned processes; None for the last.
    """
    known = {
        "pinned": Mode(
            "pinned", "One core, processor time", "process_time", usable_cores()[-1] if core is None else core
        ),
        "free": Mode("free", "All cores, wall time", "perf_counter", None),
    }
    unknown = set(names) - set(known)
    if unknown:
        raise ValueError(f"unknown mode {sorted(unknown)}; known are {', '.join(known)}")
    return [known[name] for name in names]
