"""What a profile consists of: events, and the memory that results took.

An event is a plain tuple while the profiled program runs, since thousands a second are noted. The words that many
events share, as the op and its name, are one `Subject`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from millrace._src.core.source_trace import CodeLocation, SourceFrame

OP, FUNCTION, ANNOTATION = "op", "function", "annotation"
COMPILER, DEVICE, PYTHON = "compiler", "device", "python"
"""The categories of events: an op, a program, a `Trace` of the user's; work of the compiler, what XLA runs, a
call of a function of Python."""


class Subject(NamedTuple):
    """What events are about.

    Attributes:
      category: one of the categories above.
      op: the name of the op, or of several ops with "+" between; for other categories the kind of work.
      name: the name of the node, of the function or of the annotation; the op's for an eager call.
      location: the user's line that made the node; None for an eager call, whose events know the line themselves.
      engine: the name of the engine that runs the op.
      is_eager: whether the op is called eagerly.
    """

    category: str
    op: str
    name: str
    location: CodeLocation | None = None
    engine: str = "numpy"
    is_eager: bool = False


class Event(NamedTuple):
    """One stretch of time.

    Attributes:
      start: nanoseconds of `time.perf_counter_ns`.
      end: nanoseconds of the same clock.
      thread: the number of the thread, as `threading.get_ident` gives it.
      subject: what the event is about.
      location: the user's line; None if it is the subject's, or unknown.
      size: the bytes of the results.
      details: further facts by name.
    """

    start: int
    end: int
    thread: int
    subject: Subject
    location: CodeLocation | None = None
    size: int = 0
    details: dict[str, object] | None = None

    @property
    def duration(self) -> int:
        """The nanoseconds between start and end."""
        return self.end - self.start

    @property
    def source(self) -> SourceFrame | None:
        """The user's line behind the event, if it is known."""
        location = self.location or self.subject.location
        return None if location is None else SourceFrame(*location)


class Allocation(NamedTuple):
    """An array that an op has made.

    Attributes:
      start: when the array was made, in nanoseconds.
      end: when the array was given back; None for an array that outlived the profile.
      size: the bytes of the array.
      event: the event of the op that made the array.
    """

    start: int
    end: int | None
    size: int
    event: Event


@dataclass
class Profile:
    """What a recorder saw from start to end.

    Attributes:
      start: the beginning, in nanoseconds of `time.perf_counter_ns`.
      end: the end by the same clock.
      epoch: the beginning, in nanoseconds since 1970.
      events: the events, in the order of their ends.
      allocations: the arrays that ops made.
      thread_names: the names of threads by number.
      dropped: how many events did not fit.
      resident_peak: the most bytes that the process has had in memory since it began; None where the system does not
        tell.
      xla_space: the serialized `XSpace` that XLA's own profiler wrote; None if XLA did not run.
    """

    start: int
    end: int
    epoch: int
    events: list[Event]
    allocations: list[Allocation] = field(default_factory=list)
    thread_names: dict[int, str] = field(default_factory=dict)
    dropped: int = 0
    resident_peak: int | None = None
    xla_space: bytes | None = None

    @property
    def duration(self) -> int:
        """The nanoseconds from start to end."""
        return self.end - self.start

    def memory(self) -> list[tuple[int, int]]:
        """Returns the bytes of live results after each change, as pairs of time and bytes."""
        changes = [(a.start, a.size) for a in self.allocations]
        changes += [(a.end, -a.size) for a in self.allocations if a.end is not None]
        total = 0
        steps = []
        for time, change in sorted(changes):
            total += change
            steps.append((time, total))
        return steps

    def memory_peak(self) -> tuple[int, int]:
        """Returns when the results took most memory, and how many bytes."""
        return max(self.memory(), key=lambda step: step[1], default=(self.start, 0))

    def alive_at(self, time: int) -> list[Allocation]:
        """Returns the arrays that were in memory at a time, the largest first."""
        alive = [a for a in self.allocations if a.start <= time and (a.end is None or a.end > time)]
        return sorted(alive, key=lambda a: -a.size)


def self_times(events: Sequence[Event]) -> Iterator[tuple[Event, int]]:
    """Yields each event with its own time: its duration without that of the events inside of it on its thread."""
    by_thread: dict[int, list[Event]] = {}
    for event in events:
        by_thread.setdefault(event.thread, []).append(event)
    for same_thread in by_thread.values():
        same_thread.sort(key=lambda e: (e.start, -e.end))
        open_events: list[list[int]] = []  # of each event around: its number, and the time of the events inside
        own_times = [event.duration for event in same_thread]
        for number, event in enumerate(same_thread):
            while open_events and same_thread[open_events[-1][0]].end <= event.start:
                open_events.pop()
            if open_events:
                own_times[open_events[-1][0]] -= event.duration
            open_events.append([number])
        yield from zip(same_thread, own_times, strict=True)
