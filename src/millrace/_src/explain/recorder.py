"""`Recorder`: the watcher that notes what runs, when and for how long, and which memory the results take.

A watched kernel notes one tuple. The user's line of an eager op is the innermost frame outside Millrace; a node of a
graph knows its line. An array is followed from the op that made it until it is given back, by a weak reference to the
array that owns the memory, so that the most memory in use can be told afterwards. Small arrays are not followed: their
references would cost more than their memory.
"""

from __future__ import annotations

import sys
import threading
import time
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from millrace._src.core.source_trace import CodeLocation, user_location
from millrace._src.core.watching import Kernel, Watcher, add_watcher, remove_watcher
from millrace._src.explain.events import COMPILER, FUNCTION, OP, Allocation, Event, Profile, Subject

MAX_EVENTS = 2_000_000
"""How many events a profile holds: some hundred megabytes. Later events are counted, no more."""
_MIN_FOLLOWED = 1024
"""The bytes of the smallest array that is followed."""

_now = time.perf_counter_ns
_this_thread = threading.get_ident


class Recorder(Watcher):
    """Notes events until it is stopped.

    Args:
      only_thread: the number of the only thread whose events are noted; None for all threads.
      with_ops: whether ops are noted, and not functions alone.
      with_lines: whether the user's line of each eager op is looked up, which takes about a microsecond.
      with_memory: whether arrays are followed.
      delay_ms: the milliseconds after the start from which on events are noted.
      most_events: how many events are kept.
      clock: returns the nanoseconds since 1970.
    """

    def __init__(
        self,
        *,
        only_thread: int | None = None,
        with_ops: bool = True,
        with_lines: bool = True,
        with_memory: bool = True,
        delay_ms: float = 0,
        most_events: int = MAX_EVENTS,
        clock: Callable[[], int] = time.time_ns,
    ) -> None:
        self._only_thread = only_thread
        self._with_ops = with_ops
        self._with_lines = with_lines
        self._with_memory = with_memory
        self._delay = int(delay_ms * 1_000_000)
        self._most_events = most_events
        self._clock = clock
        self._events: list[Event] = []
        self._dropped = 0
        self._followed: dict[int, weakref.ref[Any]] = {}
        self._allocations: list[list[Any]] = []
        self._start = self._epoch = 0
        self._is_running = False

    def start(self, *, watches: bool = True) -> None:
        """Begins to note events.

        Args: watches: whether to note what runs; False: only what others `note`.
        """
        self._epoch, self._start = self._clock() + self._delay, _now() + self._delay
        self._is_running = True
        if watches:
            add_watcher(self)

    def stop(self) -> Profile:
        """Ends the notes, and returns them."""
        end = max(_now(), self._start)
        self._is_running = False
        remove_watcher(self)
        self._followed.clear()
        return Profile(
            self._start,
            end,
            self._epoch,
            self._events,
            [Allocation(*allocation) for allocation in self._allocations],
            {thread.ident: thread.name for thread in threading.enumerate() if thread.ident is not None},
            self._dropped,
            _resident_peak(),
        )

    def note(
        self,
        start: int,
        end: int,
        subject: Subject,
        location: CodeLocation | None = None,
        size: int = 0,
        details: dict[str, object] | None = None,
    ) -> Event | None:
        """Notes one event of this thread, if there is room and the thread is looked at; returns the event."""
        thread = _this_thread()
        if not self._is_running or start < self._start or self._only_thread not in (None, thread):
            return None
        if len(self._events) >= self._most_events:
            self._dropped += 1
            return None
        event = Event(start, end, thread, subject, location, size, details)
        self._events.append(event)
        return event

    # --- what the watcher puts in location of kernels ---------------------------------------------------------------

    def watch_call(self, call: Any, kernel: Kernel) -> Kernel:
        """Returns the kernel of an eager op with notes around it."""
        if not self._with_ops:
            return kernel
        subject = Subject(OP, call.op.name, call.op.name, is_eager=True)
        return self._noting(subject, kernel, user_location if self._with_lines else None)

    def watch_nodes(self, nodes: Sequence[Any], kernel: Kernel) -> Kernel:
        """Returns the kernel of a node, or of a chain of nodes, with notes around it."""
        if not self._with_ops:
            return kernel
        ops = "+".join(dict.fromkeys(node.type for node in nodes))
        return self._noting(Subject(OP, ops, nodes[-1].name, nodes[-1].source), kernel)

    def watch_function(self, name: str, run: Kernel) -> Kernel:
        """Returns a program with notes around it."""
        subject = Subject(FUNCTION, "function", name)

        def run_and_note(*arguments: object) -> Any:
            start = _now()
            try:
                return run(*arguments)
            finally:
                self.note(start, _now(), subject)

        return run_and_note

    def note_span(self, kind: str, name: str, start: float, end: float) -> None:
        """Notes work of the compiler."""
        self.note(int(start * 1e9), int(end * 1e9), Subject(COMPILER, kind, name))

    def _noting(self, subject: Subject, kernel: Kernel, find_location: Callable[[int], Any] | None = None) -> Kernel:
        note, follow = self.note, self._follow if self._with_memory else None

        def run_and_note(*arrays: object, **options: object) -> Any:
            start = _now()
            result = kernel(*arrays, **options)
            end = _now()
            if self._is_running:
                event = note(start, end, subject, None if find_location is None else find_location(2), _size_of(result))
                if event is not None and follow is not None and event.size >= _MIN_FOLLOWED:
                    follow(result, event)
            return result

        return run_and_note

    # --- memory --------------------------------------------------------------------------------------------------

    def _follow(self, result: object, event: Event) -> None:
        """Follows the arrays of a result until they are given back."""
        for array in result if isinstance(result, (tuple, list)) else (result,):
            if not isinstance(array, np.ndarray) or array.nbytes < _MIN_FOLLOWED:
                continue
            owner = _owner_of(array)
            if id(owner) in self._followed:
                continue
            allocation = [event.end, None, owner.nbytes, event]
            self._allocations.append(allocation)
            self._followed[id(owner)] = weakref.ref(owner, _Farewell(allocation, self._followed, id(owner)))


class _Farewell:
    """Notes when an array is given back."""

    __slots__ = ("_allocation", "_followed", "_key")

    def __init__(self, allocation: list[Any], followed: dict[int, Any], key: int) -> None:
        self._allocation, self._followed, self._key = allocation, followed, key

    def __call__(self, reference: object) -> None:
        self._allocation[1] = _now()
        self._followed.pop(self._key, None)


def _owner_of(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Returns the array that owns the memory of a view."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def _size_of(result: object) -> int:
    """Returns the bytes of a kernel's results."""
    if isinstance(result, (tuple, list)):
        return sum([_size_of(part) for part in result])
    return int(getattr(result, "nbytes", 0))


def _resident_peak() -> int | None:
    """Returns the most bytes that the process has had in memory; None on a system that does not tell."""
    try:
        import resource  # Windows has none
    except ImportError:
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
