"""Whether a calculation of a library in C has met an invalid operation: one that makes a NaN, or compares with one.

Problem: vector instructions for the larger of two numbers drop a NaN. A calculation that uses them would have to look
through its operands for a NaN first, which takes as long as the calculation.

Idea: the processor notes such an operation in a flag of the thread, which C can clear and read. On x86 the flag is set
where the larger or smaller of two numbers is asked for and one is a NaN; other processors are not asked.
"""

from __future__ import annotations

import ctypes
import functools
import platform
from typing import Any

_INVALID = 1
"""C's `FE_INVALID` on x86."""
_MACHINES = ("x86_64", "AMD64")
_LIBRARIES = (None, "libm.so.6")
"""Where C's functions are: in the program itself, or in the library of mathematics."""


class InvalidFlag:
    """The flag of the calling thread.

    Args:
      functions: a library with C's functions.
    """

    def __init__(self, functions: Any) -> None:
        self._clear, self._read = functions.feclearexcept, functions.fetestexcept

    def clear(self) -> None:
        """Takes the flag back."""
        self._clear(_INVALID)

    def is_set(self) -> bool:
        """Returns whether there was an invalid operation since `clear`; maybe one whose result was not used."""
        return bool(self._read(_INVALID))


@functools.cache
def invalid_flag() -> InvalidFlag | None:
    """Returns the flag; None where this machine has none that can be relied on."""
    if platform.machine() not in _MACHINES:
        return None
    for name in _LIBRARIES:
        try:
            flag = InvalidFlag(ctypes.PyDLL(name))
        except (OSError, AttributeError, TypeError):
            continue
        if _works(flag):
            return flag
    return None


def _works(flag: InvalidFlag) -> bool:
    """Returns whether a difference of infinities sets the flag."""
    infinity = float("inf")
    flag.clear()
    before = flag.is_set()
    difference = infinity - infinity
    is_noted = flag.is_set()
    flag.clear()
    return difference != difference and is_noted and not before
