"""`tf.profiler.experimental`: starting, stopping, and the files."""

from __future__ import annotations

import gzip
import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import millrace as tf
from millrace._src.explain import profiler
from millrace._src.proto import xplane_pb2

experimental = tf.profiler.experimental


@pytest.fixture(autouse=True)
def no_profile_is_left() -> Iterator[None]:
    yield
    if profiler.is_running():
        experimental.stop(save=False)


def spaces(folder: Path) -> list[Any]:
    """Returns the spaces that were written below a folder."""
    files = sorted(folder.glob("plugins/profile/*/*.xplane.pb"))
    return [xplane_pb2.XSpace.FromString(file.read_bytes()) for file in files]


def names(space: Any) -> set[str]:
    return {metadata.name for plane in space.planes for metadata in plane.event_metadata.values()}


def test_a_profile_is_written_where_tensorboard_looks(tmp_path: Path) -> None:
    x = tf.ones([])
    experimental.start(str(tmp_path))
    tf.tanh(x)
    experimental.stop()
    (space,) = spaces(tmp_path)
    assert "Tanh:Tanh" in names(space)
    (trace,) = tmp_path.glob("plugins/profile/*/perfetto_trace.json.gz")
    assert json.loads(gzip.decompress(trace.read_bytes()))["traceEvents"]


def test_a_profile_may_be_given_up(tmp_path: Path) -> None:
    experimental.start(tmp_path)
    experimental.stop(save=False)
    assert list(tmp_path.iterdir()) == []


def test_only_one_profile_runs_at_a_time(tmp_path: Path) -> None:
    experimental.start(str(tmp_path))
    with pytest.raises(tf.errors.AlreadyExistsError, match=r"Another profiler is running\."):
        experimental.start(str(tmp_path))


def test_a_profile_that_was_not_started_cannot_be_stopped() -> None:
    with pytest.raises(tf.errors.UnavailableError, match=r"Cannot export profiling results\. No profiler is running\."):
        experimental.stop()


def test_a_folder_that_cannot_be_made_is_an_error_of_stop(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    experimental.start(str(tmp_path / "file"))
    with pytest.raises(tf.errors.OpError):
        experimental.stop()
    assert not profiler.is_running()


def test_the_folder_must_be_a_path() -> None:
    with pytest.raises(TypeError, match="logdir must be a path, but is a int"):
        experimental.start(3)
    assert not profiler.is_running()


def test_options_must_be_options(tmp_path: Path) -> None:
    with pytest.raises(AttributeError, match="_asdict"):
        experimental.start(str(tmp_path), options=3)
    assert not profiler.is_running()


def test_a_with_block_is_profiled_also_when_it_raises(tmp_path: Path) -> None:
    with pytest.raises(KeyError), experimental.Profile(str(tmp_path)):
        tf.tanh(1.0)
        raise KeyError
    assert len(spaces(tmp_path)) == 1


def test_a_trace_is_a_step_with_facts(tmp_path: Path) -> None:
    with experimental.Profile(str(tmp_path)):
        with experimental.Trace("train", step_num=2, _r=1) as trace:
            tf.tanh(1.0)
            trace.set_metadata(loss=0.5, kind="warm")
    (space,) = spaces(tmp_path)
    plane = next(p for p in space.planes if p.name == "/host:CPU")
    (event,) = [e for line in plane.lines for e in line.events if plane.event_metadata[e.metadata_id].name == "train"]
    facts = {plane.stat_metadata[s.metadata_id].name: getattr(s, s.WhichOneof("value")) for s in event.stats}
    assert facts == {"step_num": 2, "_r": 1, "loss": 0.5, "kind": "warm"}


def test_a_trace_without_a_profile_does_nothing() -> None:
    with experimental.Trace("train", step_num=2) as trace:
        trace.set_metadata(a=1)


def test_levels_decide_what_is_looked_at(tmp_path: Path) -> None:
    f = tf.function(lambda x: tf.tanh(x), jit_compile=False)
    x = tf.ones([])
    f(x)

    def seen(**levels: Any) -> set[str]:
        experimental.start(str(tmp_path), experimental.ProfilerOptions(**levels))
        f(x)
        with experimental.Trace("mark"):
            pass
        profile, _ = profiler.end_profile()
        return {event.subject.category for event in profile.events}

    assert seen(host_tracer_level=0) == {"annotation"}
    assert seen(host_tracer_level=1) == {"function", "annotation"}
    assert seen(host_tracer_level=2) == {"op", "function", "annotation"}
    assert seen(delay_ms=100_000) == set()


def helper() -> float:
    return sum(i * 0.5 for i in range(2000))


def test_python_calls_are_noted_when_asked_for(tmp_path: Path) -> None:
    experimental.start(str(tmp_path), experimental.ProfilerOptions(python_tracer_level=1))
    helper()
    thread = threading.Thread(target=helper)
    thread.start()
    thread.join()
    profile, _ = profiler.end_profile()
    calls = [event for event in profile.events if event.subject.name == "helper"]
    assert len({event.thread for event in calls}) == 2
    assert calls[0].source is not None
    assert calls[0].source.filename == __file__
