"""Ctrl-C that waits for the end of a change.

Problem: Python may raise KeyboardInterrupt between any two instructions of the main thread. A change of two halves
would be left in the middle.

Idea: in the `with` block of `interrupts_later` a function of ours takes the signal and notes it; at the end of the
block the thread that would have taken the signal gets it. That costs some microseconds, for system calls.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any


class interrupts_later:
    """Keeps Ctrl-C (SIGINT) from a `with` block, and lets it come at the end.

    >>> from millrace._src.util.interrupts import interrupts_later
    >>> with interrupts_later():
    ...     pass

    Python runs handlers of signals on the main thread: elsewhere the block runs as it is, and so it does where the
    signal does not come to Python at all.
    """

    __slots__ = ("_handler", "_noted")

    def __enter__(self) -> None:
        self._noted: list[tuple[int, FrameType | None]] = []
        self._handler: Callable[[int, FrameType | None], Any] | None = None
        if threading.current_thread() is threading.main_thread():
            handler = signal.getsignal(signal.SIGINT)
            if callable(handler):
                self._handler = handler
                signal.signal(signal.SIGINT, self._note)

    def _note(self, number: int, frame: FrameType | None) -> None:
        self._noted.append((number, frame))

    def __exit__(self, *error: object) -> None:
        handler = self._handler
        if handler is None:
            return
        signal.signal(signal.SIGINT, handler)
        if self._noted:
            handler(*self._noted[-1])
