"""The traces of one function: found by subtyping, bounded in number and bytes.

Problem: a call should reuse the most specific trace whose types its arguments have, quickly; and a function called with
a thousand shapes must not keep a thousand graphs for ever.

Idea: an exact dictionary first; on a miss, the traces of the same layout are compared by `is_subtype_of` and the answer
is remembered. Each trace carries the tick of its last use; adding one beyond a limit drops those used longest ago. A
dropped trace lives on for whoever holds it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Iterator
from typing import Any, NamedTuple

from millrace._src.function.signature import Layout
from millrace._src.function.trace_structures import Structure
from millrace._src.function.trace_types import Weakref

DEFAULT_MAX_TRACES = 1024
DEFAULT_MAX_BYTES = 1 << 29


class TraceKey(NamedTuple):
    """The facts that decide which trace serves a call: where the trace is made, the layout of the arguments, and their
    types.
    """

    context: Hashable
    layout: Layout
    types: tuple[Any, ...]

    def is_served_by(self, other: TraceKey) -> bool:
        """Tells whether a trace made for `other` serves this call."""
        return (
            self.context == other.context
            and self.layout == other.layout
            and len(self.types) == len(other.types)
            and all(mine.is_subtype_of(theirs) for mine, theirs in zip(self.types, other.types))
        )


class CacheInfo(NamedTuple):
    """Numbers of a trace cache, in the manner of `functools.lru_cache`."""

    hits: int
    misses: int
    evictions: int
    currsize: int
    maxsize: int
    bytes: int
    max_bytes: int


class Entry:
    """A trace in the cache."""

    __slots__ = ("key", "trace", "size", "tick")

    def __init__(self, key: TraceKey, trace: Any, size: int, tick: int) -> None:
        self.key = key
        self.trace = trace
        self.size = size
        self.tick = tick


class TraceCache:
    """The traces of one function by the types of their arguments.

    Args:
        on_evict: Called with each entry that leaves the cache.
    """

    def __init__(self, on_evict: Callable[[Entry], None] | None = None) -> None:
        self._entries: dict[TraceKey, Entry] = {}
        self._dispatched: dict[TraceKey, Entry] = {}
        self._lock = threading.RLock()
        self._on_evict = on_evict
        self.max_traces = DEFAULT_MAX_TRACES
        self.max_bytes = DEFAULT_MAX_BYTES
        self.misses = 0
        self.evictions = 0
        self.bytes = 0

    def __len__(self) -> int:
        return len(self._entries)

    def __iter__(self) -> Iterator[Entry]:
        return iter(list(self._entries.values()))

    def lookup(self, key: TraceKey) -> Entry | None:
        """Returns the most specific trace that serves a call, or None."""
        entry = self._entries.get(key) or self._dispatched.get(key)
        if entry is None:
            entry = self._dispatch(key)
        return entry

    def _dispatch(self, key: TraceKey) -> Entry | None:
        """Finds the entry with the narrowest types among those that serve `key`; the earliest if none is narrower."""
        best: Entry | None = None
        for entry in list(self._entries.values()):
            if key.is_served_by(entry.key) and (best is None or entry.key.is_served_by(best.key)):
                best = entry
        if best is not None:
            with self._lock:
                if len(self._dispatched) >= 4 * self.max_traces:
                    self._dispatched.clear()
                if best.key in self._entries:
                    self._dispatched[key] = best
        return best

    def add(self, key: TraceKey, trace: Any, size: int, tick: int) -> Entry:
        """Adds a trace and drops the least recently used traces beyond the limits."""
        with self._lock:
            entry = Entry(key, trace, size, tick)
            replaced_entry = self._entries.pop(key, None)
            self.bytes += size - (replaced_entry.size if replaced_entry is not None else 0)
            self._entries[key] = entry
            self._dispatched.clear()
            self._drop_dead()
            self._drop_surplus(entry)
            return entry

    def _drop_dead(self) -> None:
        for entry in list(self._entries.values()):
            if any(_is_dead(kind) for kind in entry.key.types):
                self._drop(entry)

    def _drop_surplus(self, newest: Entry) -> None:
        if len(self._entries) <= self.max_traces and self.bytes <= self.max_bytes:
            return
        for entry in sorted(self._entries.values(), key=lambda e: e.tick):
            if len(self._entries) <= self.max_traces and self.bytes <= self.max_bytes:
                return
            if entry is not newest:
                self._drop(entry)

    def _drop(self, entry: Entry) -> None:
        del self._entries[entry.key]
        self.bytes -= entry.size
        self.evictions += 1
        if self._on_evict is not None:
            self._on_evict(entry)

    def set_limits(self, max_traces: int | None = None, max_bytes: int | None = None) -> None:
        """Sets the limits; None leaves a limit unchanged.

        Raises: ValueError: if a limit is below 1.
        """
        for name, value in (("max_traces", max_traces), ("max_bytes", max_bytes)):
            if value is not None and value < 1:
                raise ValueError(f"{name} must be at least 1, got {value}.")
        with self._lock:
            self.max_traces = self.max_traces if max_traces is None else max_traces
            self.max_bytes = self.max_bytes if max_bytes is None else max_bytes
            newest = max(self._entries.values(), key=lambda e: e.tick, default=None)
            self._dispatched.clear()
            if newest is not None:
                self._drop_surplus(newest)

    def clear(self) -> None:
        """Drops all traces; not counted as evictions."""
        with self._lock:
            entries = list(self._entries.values())
            self._entries.clear()
            self._dispatched.clear()
            self.bytes = 0
            if self._on_evict is not None:
                for entry in entries:
                    self._on_evict(entry)

    def info(self, calls: int) -> CacheInfo:
        """Returns the cache's numbers, given how many calls were made in all."""
        return CacheInfo(
            max(calls - self.misses, 0),
            self.misses,
            self.evictions,
            len(self._entries),
            self.max_traces,
            self.bytes,
            self.max_bytes,
        )


def _is_dead(kind: Any) -> bool:
    """Tells whether a type holds a weak reference to an object that is gone."""
    if isinstance(kind, Weakref):
        return kind.is_dead
    return isinstance(kind, Structure) and any(_is_dead(part) for part in kind.components)
