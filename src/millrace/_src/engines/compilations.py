"""How many executables engines have compiled: what a test asks to know that a compiler really ran.

An engine compiles at a call, once for each set of input shapes, and that is not visible from outside. So the engine
notes each executable here, whatever called the function: the user, or a program of another engine.
"""

from __future__ import annotations

import threading


class _Compilations:
    """A count that several threads may raise."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.count = 0


_compilations = _Compilations()


def note_compilation() -> None:
    """Notes that an engine compiles one executable."""
    with _compilations.lock:
        _compilations.count += 1


def compilation_count() -> int:
    """Returns how many executables engines have compiled in this process."""
    return _compilations.count
