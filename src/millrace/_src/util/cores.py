"""The number of cores that the program uses: one setting, read here by everything that depends on it.

`MILLRACE_CORES` sets the number. The threads that share a large op, the cap on the threads of a BLAS library and the
degrees of parallelism that datasets choose are then those of a machine with that number of cores. Without the variable,
it is the number of cores on which the calling thread may run. The order of a dataset's elements never depends on it.
XLA sizes its thread pools by the machine.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping

VARIABLE = "MILLRACE_CORES"
"""The environment variable that sets the number of cores."""


class _CoresSetting:
    cores = 0
    """The number that the environment or a test has set; 0 for the cores of the machine."""
    reserved = 0
    """The number of cores that background work has at present."""


def usable_cores() -> int:
    """Returns the number of cores that the program uses: as set, else those on which this thread may run."""
    return _CoresSetting.cores or machine_cores()


def at_most_free_cores(threads: int) -> int:
    """Returns how many of some threads may run at once while background work has cores of its own; one at least."""
    reserved = _CoresSetting.reserved
    return min(threads, max(usable_cores() - reserved, 1)) if reserved else threads


class reserved_core:
    """Leaves a core to background work in the `with` block: threads that wait for each other want their own cores."""

    def __enter__(self) -> None:
        _CoresSetting.reserved += 1

    def __exit__(self, *error: object) -> None:
        _CoresSetting.reserved = max(_CoresSetting.reserved - 1, 0)  # all cores may have been given back meanwhile


def forget_reserved_cores() -> None:
    """Gives all cores back, in a forked child: the background work is the parent's."""
    _CoresSetting.reserved = 0


def machine_cores() -> int:
    """Returns the number of cores on which this thread may run."""
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1


def set_usable_cores(count: int) -> int:
    """Sets the number of cores that the program uses, 0 for the cores of the machine; returns the setting before."""
    before, _CoresSetting.cores = _CoresSetting.cores, count
    return before


def read_cores(environment: Mapping[str, str]) -> int:
    """Returns the number of cores that an environment sets; 0 if it sets none.

    Raises: ValueError: if the variable is not a positive number.
    """
    text = environment.get(VARIABLE, "")
    if not text:
        return 0
    if not text.isdecimal() or not int(text):
        raise ValueError(f"{VARIABLE} is a number of cores, 1 or more; received {text!r}.")
    return int(text)


set_usable_cores(read_cores(os.environ))
