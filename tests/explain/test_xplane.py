"""The XSpace of a profile, and its trace for Perfetto."""

from __future__ import annotations

import gzip
import json
from typing import Any

from millrace._src.explain.chrome_trace import chrome_trace_bytes, chrome_trace_of
from millrace._src.explain.events import Allocation, Event, Profile, Subject
from millrace._src.explain.xplane import HOST_PLANE, start_of, xspace_of
from millrace._src.proto import xplane_pb2

EPOCH = 1_700_000_000_000_000_000


def profile(**fields: Any) -> Profile:
    """Returns a profile with a step, an op in it, and another op in another thread."""
    step = Event(100, 400, 1, Subject("annotation", "Trace", "train"), details={"step_num": 3})
    op = Event(150, 250, 1, Subject("op", "MatMul", "dense/MatMul"), size=64)
    other = Event(160, 170, 2, Subject("op", "Tanh", "Tanh", is_eager=True))
    events = [op, other, step]
    return Profile(100, 500, EPOCH, events, [Allocation(250, None, 64, op)], {1: "MainThread"}, **fields)


def named_stats(plane: Any, event: Any) -> dict[str, Any]:
    return {plane.stat_metadata[s.metadata_id].name: getattr(s, s.WhichOneof("value")) for s in event.stats}


def test_the_host_has_a_line_for_each_thread_and_one_for_memory() -> None:
    (plane,) = [p for p in xspace_of(profile()).planes if p.name == HOST_PLANE]
    assert [line.name for line in plane.lines] == ["MainThread", "thread 2", "memory of results"]


def test_ops_are_named_as_tensorflow_names_them() -> None:
    (plane,) = [p for p in xspace_of(profile()).planes if p.name == HOST_PLANE]
    events = [(plane.event_metadata[e.metadata_id].name, e.offset_ps, e.duration_ps) for e in plane.lines[0].events]
    assert events == [("train", 0, 300_000), ("dense/MatMul:MatMul", 50_000, 100_000)]


def test_a_step_has_its_number_and_is_a_root() -> None:
    (plane,) = [p for p in xspace_of(profile()).planes if p.name == HOST_PLANE]
    assert named_stats(plane, plane.lines[0].events[0]) == {"step_num": 3, "_r": 1}


def test_the_space_says_when_it_begins_and_what_is_missing() -> None:
    space = xspace_of(profile(dropped=5))
    assert start_of(space) == EPOCH
    assert list(space.warnings) == ["5 events did not fit into the profile."]
    assert start_of(xplane_pb2.XSpace()) is None


def test_lines_join_the_plane_that_xla_has_written() -> None:
    theirs = xplane_pb2.XSpace()
    plane = theirs.planes.add(name=HOST_PLANE)
    plane.event_metadata[7].id, plane.event_metadata[7].name = 7, "dot.1"
    plane.lines.add(id=9, name="XLA").events.add(metadata_id=7, duration_ps=5)
    times = theirs.planes.add(name="Task Environment")
    times.stat_metadata[1].id, times.stat_metadata[1].name = 1, "profile_start_time"
    times.stats.add(metadata_id=1, uint64_value=EPOCH - 1000)
    space = xspace_of(profile(xla_space=theirs.SerializeToString()))
    (plane,) = [p for p in space.planes if p.name == HOST_PLANE]
    assert [line.name for line in plane.lines] == ["XLA", "MainThread", "thread 2", "memory of results"]
    assert [plane.event_metadata[e.metadata_id].name for e in plane.lines[0].events] == ["dot.1"]
    assert plane.lines[1].timestamp_ns == 1000
    assert [p.name for p in space.planes].count("Task Environment") == 1


def test_perfetto_gets_complete_events_and_a_counter_of_memory() -> None:
    trace = chrome_trace_of(profile())
    complete = {e["name"]: e for e in trace["traceEvents"] if e["ph"] == "X"}
    assert complete["dense/MatMul:MatMul"]["ts"] == 0.05
    assert complete["dense/MatMul:MatMul"]["dur"] == 0.1
    assert complete["train"]["args"] == {"step_num": 3, "_r": 1}
    assert [e["args"] for e in trace["traceEvents"] if e["ph"] == "C"] == [{"MB": 64 / 1e6}]
    assert json.loads(gzip.decompress(chrome_trace_bytes(profile()))) == json.loads(json.dumps(trace))


def test_what_xla_runs_is_a_process_of_its_own() -> None:
    device = Event(100, 200, 5, Subject("device", "MatMul", "dot.1", engine="xla"))
    trace = chrome_trace_of(Profile(100, 500, EPOCH, [device]))
    names = {e["args"]["name"] for e in trace["traceEvents"] if e["name"] == "process_name"}
    assert "XLA" in names
