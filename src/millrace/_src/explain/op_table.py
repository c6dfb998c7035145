"""A profile as tables for people: what took the time, on which lines, and what took the memory.

A row is what belongs together: an op on one line of the user's. The time of a row is its own: that of a function is
what its ops leave over.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from millrace._src.core.source_trace import SourceFrame
from millrace._src.explain.events import ANNOTATION, COMPILER, DEVICE, FUNCTION, OP, Event, Profile, self_times
from millrace._src.explain.xplane import line_text
from millrace._src.util.text_table import size_text, table

_MAX_ROWS = 30
_MAX_LINE_LENGTH = 60


@dataclass
class OpTableRow:
    """What the events of one kind on one line have taken.

    Attributes:
      op: the op, or what else it is.
      where: the user's line, or the name of the function.
      category: the category of the events.
      engine: the engine.
      calls: the number of events.
      own: the nanoseconds of the events without those inside of them.
      size: the bytes of the results.
    """

    op: str
    where: str
    category: str
    engine: str
    calls: int = 0
    own: int = 0
    size: int = 0


def rows_of(profile: Profile, key: Callable[[Event], Hashable] | None = None) -> list[OpTableRow]:
    """Returns the rows of a profile, the longest first.

    Args:
      profile: the profile.
      key: what events of one row have in common; by default category, op, line and engine.
    """
    rows: dict[Hashable, OpTableRow] = {}
    for event, own in self_times(profile.events):
        if event.subject.category == ANNOTATION:
            continue
        identity = _identity(event) if key is None else key(event)
        row = rows.get(identity)
        if row is None:
            subject = event.subject
            row = rows[identity] = OpTableRow(_title(event), _where(event), subject.category, subject.engine)
        row.calls, row.own, row.size = row.calls + 1, row.own + own, row.size + event.size
    return sorted(rows.values(), key=lambda row: -row.own)


def _identity(event: Event) -> Hashable:
    subject = event.subject
    location = event.location or subject.location
    line = None if location is None else (location[0], SourceFrame(*location).line)
    return subject.category, subject.op, line or subject.name, subject.engine


def _title(event: Event) -> str:
    return event.subject.op


def _where(event: Event) -> str:
    frame = event.source
    return event.subject.name if frame is None else line_text(frame)


def profile_text(profile: Profile, most_rows: int = _MAX_ROWS) -> str:
    """Returns a profile as text: where the time went, the ops, and the memory."""
    rows = rows_of(profile)
    paragraphs = [_summary(profile, rows), _op_table(profile, rows, most_rows), _memory_text(profile)]
    return "\n\n".join(part for part in paragraphs if part) + "\n"


def time_split(profile: Profile, rows: Sequence[OpTableRow]) -> dict[str, int]:
    """Returns how the time of a profile divides, in nanoseconds, by what did the work.

    The rest is Python: the program itself, and finding out what to run. XLA runs beside Python, in threads of its own,
    so its time is not part of the whole.
    """
    by_category = {name: sum(r.own for r in rows if r.category == name) for name in (OP, FUNCTION, COMPILER, DEVICE)}
    busy = by_category[OP] + by_category[FUNCTION] + by_category[COMPILER]
    return {
        "kernels": by_category[OP],
        "programs around kernels": by_category[FUNCTION],
        "tracing and compiling": by_category[COMPILER],
        "Python and dispatch": max(profile.duration - busy, 0),
        "XLA (beside Python)": by_category[DEVICE],
    }


def _summary(profile: Profile, rows: Sequence[OpTableRow]) -> str:
    total = max(profile.duration, 1)
    lines = [f"{duration_text(profile.duration)} in all, {len(profile.events)} events"]
    if profile.dropped:
        lines[0] += f" ({profile.dropped} more did not fit)"
    for name, nanoseconds in time_split(profile, rows).items():
        if nanoseconds:
            lines.append(f"  {duration_text(nanoseconds):>9}  {nanoseconds / total:6.1%}  {name}")
    return "\n".join(lines)


def _op_table(profile: Profile, rows: Sequence[OpTableRow], most_rows: int) -> str:
    if not rows:
        return "No op ran."
    total = max(profile.duration, 1)
    shown = [
        (
            row.op,
            row.engine,
            row.calls,
            duration_text(row.own),
            f"{row.own / total:.1%}",
            duration_text(row.own // row.calls),
            size_text(row.size) if row.size else "",
            shorten(row.where, _MAX_LINE_LENGTH),
        )
        for row in rows[:most_rows]
    ]
    columns = ("op", "engine", "calls", "own time", "%", "each", "results", "line")
    text = table(columns, shown, right=("calls", "own time", "%", "each", "results"))
    left = len(rows) - len(shown)
    return f"{text}\n... and {left} more" if left > 0 else text


def _memory_text(profile: Profile, most_rows: int = 5) -> str:
    time, peak = profile.memory_peak()
    lines = []
    if peak:
        after = duration_text(time - profile.start)
        lines.append(f"Most memory of results at once: {size_text(peak)}, after {after}; the largest of them:")
        for allocation in profile.alive_at(time)[:most_rows]:
            event = allocation.event
            lines.append(f"  {size_text(allocation.size):>10}  {_title(event)}  {_where(event)}")
    if profile.resident_peak is not None:
        lines.append(f"Most memory of the process since its start: {size_text(profile.resident_peak)}")
    return "\n".join(lines)


def duration_text(nanoseconds: int) -> str:
    """Returns a duration in a unit of its size: `1.25 ms`."""
    for unit, size in (("s", 1_000_000_000), ("ms", 1_000_000), ("us", 1000)):
        if nanoseconds >= size:
            number = nanoseconds / size
            return f"{number:.3g} {unit}" if number < 1000 else f"{number:.0f} {unit}"
    return f"{nanoseconds} ns"


def shorten(text: str, most: int) -> str:
    """Returns a text of at most so many characters, with dots for what is left out at its end."""
    return text if len(text) <= most else f"{text[: most - 3]}..."


def rows_as_data(rows: Iterable[OpTableRow]) -> list[dict[str, Any]]:
    """Returns rows as data for machines."""
    return [
        {
            "op": row.op,
            "line": row.where,
            "category": row.category,
            "engine": row.engine,
            "calls": row.calls,
            "own_ns": row.own,
            "result_bytes": row.size,
        }
        for row in rows
    ]
