"""From a profile to an `XSpace`, the message that the profile plugin of TensorBoard reads.

A plane is the host or a device, a line in it a thread, and an event names its kind by a number. The events of ops are
named `name:op`, as TensorFlow names them, and steps carry the facts by which the plugin finds steps. Where XLA ran, its
own profiler has written a space already: the lines of this profile are added to the plane of the host there.
"""

from __future__ import annotations

import linecache
import os
import platform
import socket
from typing import Any

from millrace._src.core.source_trace import SourceFrame
from millrace._src.explain.events import ANNOTATION, COMPILER, DEVICE, FUNCTION, OP, Event, Profile
from millrace._src.proto import xplane_pb2
from millrace._src.util.version import __version__

HOST_PLANE = "/host:CPU"
_TASK_PLANE = "Task Environment"


def host_name() -> str:
    """Returns the name of this machine, as it stands in the names of files."""
    return socket.gethostname() or platform.node() or "localhost"


def xspace_of(profile: Profile) -> Any:
    """Returns the `XSpace` message of a profile."""
    space = xplane_pb2.XSpace()
    if profile.xla_space is not None:
        space.ParseFromString(profile.xla_space)
    if not space.hostnames:
        space.hostnames.append(host_name())
    if profile.dropped:
        space.warnings.append(f"{profile.dropped} events did not fit into the profile.")
    begin = start_of(space)
    shift = 0 if begin is None else profile.epoch - begin
    plane = _Plane(_find_plane(space, HOST_PLANE))
    threads = {event.thread for event in profile.events if event.subject.category != DEVICE}
    for thread in sorted(threads):
        plane.add_line(thread, profile.thread_names.get(thread, f"thread {thread}"), profile, shift)
    plane.add_memory(profile, shift)
    if profile.xla_space is None:
        _add_times(space, profile)
    return space


def start_of(space: Any) -> int | None:
    """Returns when a space begins, in nanoseconds since 1970, if the space says so."""
    for plane in space.planes:
        if plane.name == _TASK_PLANE:
            names = {key: value.name for key, value in plane.stat_metadata.items()}
            for stat in plane.stats:
                if names[stat.metadata_id] == "profile_start_time":
                    return int(stat.uint64_value)
    return None


def _find_plane(space: Any, name: str) -> Any:
    for plane in space.planes:
        if plane.name == name:
            return plane
    return space.planes.add(name=name)


def _add_times(space: Any, profile: Profile) -> None:
    """Adds the plane that says when the profile began and ended."""
    plane = _Plane(space.planes.add(name=_TASK_PLANE))
    times = {"profile_start_time": profile.epoch, "profile_stop_time": profile.epoch + profile.duration}
    for name, time in times.items():
        plane.message.stats.add(metadata_id=plane.stat(name), uint64_value=time)
    plane.message.stats.add(metadata_id=plane.stat("millrace_version"), str_value=__version__)


class _Plane:
    """A plane that is being filled, with the numbers of the names in it."""

    def __init__(self, message: Any) -> None:
        self.message = message
        self._kinds: dict[tuple[str, str], int] = {}
        self._last_kind = max(message.event_metadata, default=0)
        self._stats = {value.name: key for key, value in message.stat_metadata.items()}

    def kind(self, name: str, display_name: str = "") -> int:
        """Returns the number of a kind of events."""
        number = self._kinds.get((name, display_name))
        if number is None:
            self._last_kind += 1
            number = self._kinds[name, display_name] = self._last_kind
            metadata = self.message.event_metadata[number]
            metadata.id, metadata.name, metadata.display_name = number, name, display_name
        return number

    def stat(self, name: str) -> int:
        """Returns the number of a kind of facts."""
        number = self._stats.get(name)
        if number is None:
            table = self.message.stat_metadata
            number = self._stats[name] = max(table, default=0) + 1
            table[number].id, table[number].name = number, name
        return number

    def add_line(self, thread: int, name: str, profile: Profile, shift: int) -> None:
        """Adds the events of one thread."""
        line = self.message.lines.add(id=thread, name=name, display_name=name, timestamp_ns=max(shift, 0))
        for event in sorted((e for e in profile.events if e.thread == thread), key=lambda e: (e.start, -e.end)):
            if event.subject.category != DEVICE:
                self._add_event(line, event, profile.start)

    def _add_event(self, line: Any, event: Event, start: int) -> None:
        number = self.kind(event_name(event), event.subject.op if event.subject.category == OP else "")
        offset = max(event.start - start, 0)
        message = line.events.add(metadata_id=number, offset_ps=offset * 1000, duration_ps=event.duration * 1000)
        for name, value in event_details(event).items():
            self._add_stat(message, name, value)

    def add_memory(self, profile: Profile, shift: int) -> None:
        """Adds what the results took in memory, as events without length that the plugin draws as a curve."""
        steps = profile.memory()
        if not steps:
            return
        line = self.message.lines.add(id=-1, name="memory of results", timestamp_ns=max(shift, 0))
        number, peak = self.kind("MemoryAllocation"), 0
        for time, total in steps:
            peak = max(peak, total)
            message = line.events.add(metadata_id=number, offset_ps=max(time - profile.start, 0) * 1000)
            facts = {"allocator_name": "cpu", "bytes_allocated": total, "bytes_reserved": 0, "peak_bytes_in_use": peak}
            for name, value in facts.items():
                self._add_stat(message, name, value)

    def _add_stat(self, message: Any, name: str, value: object) -> None:
        stat = message.stats.add(metadata_id=self.stat(name))
        if isinstance(value, (bool, int)):
            stat.int64_value = int(value)
        elif isinstance(value, float):
            stat.double_value = value
        else:
            stat.str_value = str(value)


def event_name(event: Event) -> str:
    """Returns the name of an event as TensorFlow's tools read it: `name:op` for an op."""
    subject = event.subject
    if subject.category == OP:
        return f"{subject.name}:{subject.op}"
    if subject.category == COMPILER:
        return f"{subject.op} {subject.name}"
    return subject.name


def event_details(event: Event) -> dict[str, object]:
    """Returns the facts of an event by name."""
    subject = event.subject
    facts: dict[str, object] = dict(event.details or {})
    if subject.category in (OP, FUNCTION) and not facts:
        facts["engine"] = subject.engine
    if subject.category == ANNOTATION and "step_num" in facts:
        facts.setdefault("_r", 1)
    if event.size:
        facts["bytes"] = event.size
    frame = event.source
    if frame is not None:
        facts["source"] = line_text(frame)
    return facts


def line_text(frame: SourceFrame) -> str:
    """Returns the position of a line as `train.py:12`, with the text of the line where the file can be read."""
    position = f"{os.path.basename(frame.filename)}:{frame.line}"
    code = linecache.getline(frame.filename, frame.line).strip()
    return f"{position}: {code}" if code else position
