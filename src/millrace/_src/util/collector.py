"""Python's garbage collector, stopped while many objects are made that will all stay.

Making a graph of ten thousand operations makes a hundred thousand objects. The collector goes through all objects again
and again meanwhile, and finds no garbage: two fifths of the time.
"""

from __future__ import annotations

import contextlib
import gc
import threading
from collections.abc import Iterator

_lock = threading.Lock()
_stopped = 0


@contextlib.contextmanager
def without_collector() -> Iterator[None]:
    """Stops the collector within the scope, which is short; it goes on after the last scope that is open.

    A collector that the program has stopped stays as it is.
    """
    global _stopped
    with _lock:
        was_enabled = gc.isenabled() or _stopped > 0
        if was_enabled:
            _stopped += 1
            gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            with _lock:
                _stopped -= 1
                if not _stopped:
                    gc.enable()
