"""Calls of Python functions in a profile, by the profiling hook of the interpreter.

The hook of this thread and that of threads which start later are set; a hook that the user has set is put back
afterwards. Calls inside Millrace are left out: the profile shows ops instead.

Tests: tests/explain/test_profiler.py
"""

from __future__ import annotations

import sys
import threading
import time
from types import FrameType
from typing import Any

from millrace._src.core.source_trace import is_internal
from millrace._src.explain.events import PYTHON, Subject
from millrace._src.explain.recorder import Recorder

_SHORTEST = 1000
"""The nanoseconds of the shortest call that is noted."""


class PythonCalls:
    """Notes the calls of the user's functions.

    Args: recorder: what notes them.
    """

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._starts = threading.local()
        self._before: Any = None

    def start(self) -> None:
        """Begins to note calls."""
        self._before = sys.getprofile()
        threading.setprofile(self._note)
        sys.setprofile(self._note)

    def stop(self) -> None:
        """Ends the notes."""
        sys.setprofile(self._before)
        threading.setprofile(self._before)

    def _note(self, frame: FrameType, what: str, argument: object) -> None:
        if what == "call":
            self._open_calls().append((frame, time.perf_counter_ns()))
        elif what == "return":
            calls = self._open_calls()
            if not calls or calls[-1][0] is not frame:
                return  # a call that began before the profile
            start, end = calls.pop()[1], time.perf_counter_ns()
            code = frame.f_code
            name = code.co_qualname
            if end - start >= _SHORTEST and not is_internal(code.co_filename):
                self._recorder.note(start, end, Subject(PYTHON, name, name, (code, 0), "python"))

    def _open_calls(self) -> list[tuple[FrameType, int]]:
        calls: list[tuple[FrameType, int]] | None = getattr(self._starts, "calls", None)
        if calls is None:
            calls = self._starts.calls = []
        return calls
