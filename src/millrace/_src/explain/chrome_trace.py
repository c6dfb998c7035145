"""From a profile to the JSON that Perfetto and chrome://tracing show.

Each event is an object with its beginning and length in microseconds; threads and processes get names by events of
their own, and the memory of results is a counter.

Tests: tests/explain/test_xplane.py
"""

from __future__ import annotations

import gzip
import json
import os
from typing import Any

from millrace._src.explain.events import DEVICE, Event, Profile
from millrace._src.explain.xplane import event_details, event_name

_HOST, _XLA = 1, 2
"""The numbers of the processes that are shown: the host with its threads, and XLA."""


def chrome_trace_of(profile: Profile) -> dict[str, Any]:
    """Returns the trace as a JSON object."""
    events = [_name_event(_HOST, "process_name", f"host (process {os.getpid()})")]
    threads = {(_process(event), event.thread) for event in profile.events}
    if any(process == _XLA for process, _ in threads):
        events.append(_name_event(_XLA, "process_name", "XLA"))
    for process, thread in sorted(threads):
        name = profile.thread_names.get(thread, f"thread {thread}")
        events.append({**_name_event(process, "thread_name", name), "tid": thread})
    events += [_complete_event(event, profile.start) for event in profile.events]
    events += [_memory_event(time - profile.start, total) for time, total in profile.memory()]
    return {"displayTimeUnit": "ns", "traceEvents": events}


def chrome_trace_bytes(profile: Profile) -> bytes:
    """Returns the trace as a compressed file."""
    return gzip.compress(json.dumps(chrome_trace_of(profile)).encode(), mtime=0)


def _process(event: Event) -> int:
    return _XLA if event.subject.category == DEVICE else _HOST


def _name_event(process: int, kind: str, name: str) -> dict[str, Any]:
    return {"ph": "M", "pid": process, "name": kind, "args": {"name": name}}


def _memory_event(after: int, total: int) -> dict[str, Any]:
    args = {"MB": total / 1e6}
    return {"ph": "C", "pid": _HOST, "name": "memory of results", "ts": _micros(after), "args": args}


def _complete_event(event: Event, start: int) -> dict[str, Any]:
    return {
        "ph": "X",
        "pid": _process(event),
        "tid": event.thread,
        "name": event_name(event),
        "cat": event.subject.category,
        "ts": _micros(event.start - start),
        "dur": _micros(event.duration),
        "args": {name: _plain(value) for name, value in event_details(event).items()},
    }


def _micros(nanoseconds: int) -> float:
    return nanoseconds / 1000


def _plain(value: object) -> object:
    return value if isinstance(value, (bool, int, float, str)) else str(value)
