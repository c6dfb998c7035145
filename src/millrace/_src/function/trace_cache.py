"""The traces of one function: found by subtyping, bounded in number and bytes.

Problem: a call should quickly find the most specific trace that its arguments fit, and a function called with a
thousand shapes must not keep a thousand graphs for ever.

Idea: an exact dictionary first; on a miss, the few traces that an index finds are compared by `is_subtype_of` and the
answer is remembered. Each trace carries the tick of its last use; adding a trace beyond a limit drops the traces used
longest ago. A dropped trace lives on for its other holders.
"""

from __future__ import annotations

import heapq
import itertools
import threading
from collections.abc import Callable, Hashable, Iterator
from typing import Any, NamedTuple

from millrace._src.function.signature import ArgumentLayout
from millrace._src.function.trace_index import TraceIndex
from millrace._src.function.trace_structures import NestedType
from millrace._src.function.trace_types import Weakref

DEFAULT_MAX_TRACES = 1024
DEFAULT_MAX_BYTES = 1 << 29


class TraceKey(NamedTuple):
    """The facts that decide which trace serves a call: where the trace is made, the layout of the arguments, and their
    types.
    """

    context: Hashable
    layout: ArgumentLayout
    types: tuple[Any, ...]

    def is_served_by(self, other: TraceKey) -> bool:
        """Returns whether a trace made for `other` serves this call."""
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


class CachedTrace:
    """A trace in the cache."""

    __slots__ = ("number", "key", "trace", "size", "tick", "plan_keys")

    def __init__(self, number: int, key: TraceKey, trace: Any, size: int, tick: int) -> None:
        self.number = number
        """The order in which traces were made."""
        self.key = key
        self.trace = trace
        self.size = size
        self.tick = tick
        self.plan_keys: set[Any] = set()
        """The keys of the prepared calls of the trace; see `fast_calls`."""


class TraceCache:
    """The traces of one function by the types of their arguments.

    Args:
        on_evict: Called with each entry that leaves the cache.
    """

    def __init__(self, on_evict: Callable[[CachedTrace], None] | None = None) -> None:
        self._entries: dict[TraceKey, CachedTrace] = {}
        self._dispatched: dict[TraceKey, CachedTrace] = {}
        self._index = TraceIndex()
        self._mortal: dict[TraceKey, CachedTrace] = {}
        """The entries whose types hold weak references."""
        self._numbered: dict[int, CachedTrace] = {}
        self._by_use: list[tuple[int, int]] = []
        """A heap of (tick, number) of entries; a tick in the heap may be out of date, so that a use costs nothing."""
        self._added = 0
        self._lock = threading.RLock()
        self._on_evict = on_evict
        self.max_traces = DEFAULT_MAX_TRACES
        self.max_bytes = DEFAULT_MAX_BYTES
        self.misses = 0
        self.evictions = 0
        self.bytes = 0

    def __len__(self) -> int:
        return len(self._entries)

    def __iter__(self) -> Iterator[CachedTrace]:
        return iter(list(self._entries.values()))

    def lookup(self, key: TraceKey) -> CachedTrace | None:
        """Returns the most specific trace that serves a call, or None."""
        entry = self._entries.get(key) or self._dispatched.get(key)
        if entry is None:
            entry = self._dispatch(key)
        return entry

    def _dispatch(self, key: TraceKey) -> CachedTrace | None:
        """Finds the entry with the narrowest types among those that serve `key`; the earliest if none is narrower."""
        with self._lock:
            candidates = self._index.candidates(key)
            if candidates is None:
                candidates = list(self._entries.values())
        best: CachedTrace | None = None
        for entry in sorted(candidates, key=lambda e: e.number):
            if key.is_served_by(entry.key) and (best is None or entry.key.is_served_by(best.key)):
                best = entry
        if best is not None:
            with self._lock:
                if len(self._dispatched) >= 4 * self.max_traces:
                    self._dispatched.clear()
                if best.key in self._entries:
                    self._dispatched[key] = best
        return best

    def alike(self, key: TraceKey) -> list[CachedTrace]:
        """Returns the traces, newest first, whose types may have a supertype in common with those of `key`."""
        with self._lock:
            entries = self._index.alike(key)
            return sorted(self if entries is None else entries, key=lambda entry: -entry.number)

    def newest(self, count: int) -> list[CachedTrace]:
        """Returns the traces that were added last, in the order of their addition."""
        with self._lock:
            return list(itertools.islice(reversed(self._entries.values()), count))[::-1]

    def add(self, key: TraceKey, trace: object, size: int, tick: int) -> CachedTrace:
        """Adds a trace and drops the least recently used traces beyond the limits."""
        with self._lock:
            entry = CachedTrace(self._added, key, trace, size, tick)
            self._added += 1
            earlier_entry = self._entries.get(key)
            if earlier_entry is not None:
                self._take_out(earlier_entry)
            self.bytes += size
            self._entries[key] = self._numbered[entry.number] = entry
            self._index.add(entry)
            self._note_use(entry)
            if any(map(_holds_reference, key.types)):
                self._mortal[key] = entry
            self._dispatched.clear()
            self._drop_dead()
            self._drop_surplus(entry)
            return entry

    def _drop_dead(self) -> None:
        for entry in list(self._mortal.values()):
            if any(map(_is_dead, entry.key.types)):
                self._drop(entry)

    def _drop_surplus(self, newest: CachedTrace) -> None:
        """Drops the entries used longest ago until the others fit; the newest stays in any case."""
        while len(self._entries) > 1 and (len(self._entries) > self.max_traces or self.bytes > self.max_bytes):
            self._drop(self._least_recently_used(newest))

    def _least_recently_used(self, newest: CachedTrace) -> CachedTrace:
        """Returns the entry with the smallest tick, but not the newest: no tick in the heap is above the true one."""
        while True:
            tick, number = self._by_use[0]
            entry = self._numbered.get(number)
            if entry is None:  # the entry was dropped
                heapq.heappop(self._by_use)
            elif entry.tick > tick:
                heapq.heapreplace(self._by_use, (entry.tick, number))
            elif entry is newest:  # only where a tick is out of order
                return min((e for e in self._numbered.values() if e is not newest), key=lambda e: e.tick)
            else:
                return entry

    def _note_use(self, entry: CachedTrace) -> None:
        """Adds an entry to the heap, which is rebuilt when most of its items represent dropped entries."""
        heapq.heappush(self._by_use, (entry.tick, entry.number))
        if len(self._by_use) > 2 * len(self._numbered) + 16:
            self._by_use = sorted((entry.tick, entry.number) for entry in self._numbered.values())

    def _take_out(self, entry: CachedTrace) -> None:
        del self._entries[entry.key]
        del self._numbered[entry.number]
        self._mortal.pop(entry.key, None)
        self._index.remove(entry)
        self.bytes -= entry.size

    def _drop(self, entry: CachedTrace) -> None:
        self._take_out(entry)
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
            self._mortal.clear()
            self._numbered.clear()
            self._by_use.clear()
            self._index = TraceIndex()
            self._dispatched.clear()
            self.bytes = 0
            if self._on_evict is not None:
                for entry in entries:
                    self._on_evict(entry)

    def info(self, calls: int) -> CacheInfo:
        """Returns the cache's numbers; the caller gives the number of all calls."""
        return CacheInfo(
            max(calls - self.misses, 0),
            self.misses,
            self.evictions,
            len(self._entries),
            self.max_traces,
            self.bytes,
            self.max_bytes,
        )


def _holds_reference(kind: object) -> bool:
    """Returns whether a type holds a weak reference, which may die."""
    return isinstance(kind, Weakref) or isinstance(kind, NestedType) and any(map(_holds_reference, kind.components))


def _is_dead(kind: object) -> bool:
    """Returns whether a type holds a weak reference to an object that is gone."""
    if isinstance(kind, Weakref):
        return kind.is_dead
    return isinstance(kind, NestedType) and any(_is_dead(part) for part in kind.components)
