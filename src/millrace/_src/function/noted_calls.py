"""Which functions are called while a trace is on: `tf.summary.trace_on` draws their graphs.

No call asks whether calls are noted: while they are, `state.needs_slow_path` sends all calls along the slow path, past
`note`.
"""

from __future__ import annotations

import threading
from typing import Any

from millrace._src.core.context import change_calls

_lock = threading.Lock()
_called: dict[int, Any] = {}
"""The traces that were called, by identity, in the order of their first calls."""


def start() -> None:
    """Notes calls from now on, in all threads."""
    with _lock:
        _called.clear()
    change_calls(are_noted=True)


def stop() -> list[Any]:
    """Notes calls no longer; returns the `ConcreteFunction`s that were called, each once."""
    change_calls(are_noted=False)
    with _lock:
        called = list(_called.values())
        _called.clear()
    return called


def note(concrete: object) -> None:
    """Notes that a trace is called."""
    with _lock:
        _called.setdefault(id(concrete), concrete)
