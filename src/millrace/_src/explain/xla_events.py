"""What XLA does while a profile runs: the recording of XLA's own profiler, and the events in it.

The XLA engine, if it is loaded or gets loaded meanwhile, records what its threads do and returns a serialized `XSpace`.
Events in there that say which instruction of which module they run become events of the profile; the engine knows
the nodes behind an instruction.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from millrace._src.core.engine import EngineRecording
from millrace._src.engines.engine_table import when_loaded
from millrace._src.explain.events import DEVICE, Event, Profile, Subject
from millrace._src.explain.recorder import Recorder
from millrace._src.explain.xplane import start_of
from millrace._src.proto import xplane_pb2


class XlaEvents:
    """The part of a profile that XLA's own profiler makes.

    Args: recorder: notes the rest of the profile.
    """

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._recording: EngineRecording | None = None
        self._forget = _nothing

    def start(self) -> None:
        """Begins to record as soon as the engine is loaded."""
        self._forget = when_loaded(self._record)

    def _record(self, engine: Any) -> None:
        self._recording = engine.record()

    def stop(self, profile: Profile, *, reads: bool = True) -> None:
        """Ends the recording, and adds it to a profile.

        Args: reads: whether the recording is read; False for a profile that is given up.
        """
        self._forget()
        recording, self._recording = self._recording, None
        if recording is None:
            return
        profile.xla_space = recording.stop()
        if reads and profile.xla_space is not None:
            space = xplane_pb2.XSpace.FromString(profile.xla_space)
            profile.events += _events(space, recording, profile)


def _nothing() -> None:
    """Does nothing."""


def _events(space: Any, recording: EngineRecording, profile: Profile) -> Iterator[Event]:
    """Yields the events of instructions, by the clock of the profile."""
    begin = start_of(space)
    shift = 0 if begin is None else begin - profile.epoch
    for plane in space.planes:
        stats = {key: value.name for key, value in plane.stat_metadata.items()}
        for line in plane.lines:
            for event in line.events:
                facts = {stats[stat.metadata_id]: _value(stat, stats) for stat in event.stats}
                if "hlo_op" not in facts or not event.duration_ps:
                    continue
                instruction, module = str(facts["hlo_op"]), str(facts.get("hlo_module", ""))
                name, location = recording.origin_of(module, instruction)
                start = profile.start + shift + line.timestamp_ns + event.offset_ps // 1000
                subject = Subject(DEVICE, name or instruction.split(".")[0], instruction, location, "xla")
                details: dict[str, object] = {"hlo_op": instruction, "hlo_module": module}
                yield Event(start, start + event.duration_ps // 1000, line.id, subject, None, 0, details)
                profile.thread_names.setdefault(line.id, line.display_name or line.name)


def _value(stat: Any, names: dict[int, str]) -> Any:
    kind = stat.WhichOneof("value")
    return names.get(stat.ref_value, "") if kind == "ref_value" else getattr(stat, kind) if kind else None
