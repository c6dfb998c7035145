"""Event files: when they are written, what a kill leaves, forks, names."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from io import FileIO
from pathlib import Path
from typing import Any

import pytest

import millrace as tf
from millrace._src.summary.event_encoding import SUMMARY, event
from millrace._src.summary.event_file import EventFile, host_name, numbered_name


class _Clock:
    """A clock that stands until it is set."""

    def __init__(self) -> None:
        self.now = 1000.5

    def __call__(self) -> float:
        return self.now


def _records(path: Path) -> list[bytes]:
    return list(tf.compat.v1.io.tf_record_iterator(str(path)))


def _file(folder: Path, clock: Any, max_queue: int = 2, flush_millis: int = 10_000) -> EventFile:
    file = EventFile(str(folder), lambda: "host", ".v2", max_queue, flush_millis, clock)
    file.open()
    return file


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.iterdir())


def test_events_wait_until_there_are_more_than_the_queue_holds(tmp_path: Path) -> None:
    file = _file(tmp_path, _Clock())
    empty = _size(tmp_path)
    for _ in range(2):
        file.add_event(1, SUMMARY, b"")
    assert _size(tmp_path) == empty
    file.add_event(1, SUMMARY, b"")
    assert _size(tmp_path) == empty + 3 * (16 + 13)


def test_events_wait_no_longer_than_the_next_event_after_their_time(tmp_path: Path) -> None:
    clock = _Clock()
    file = _file(tmp_path, clock, max_queue=100)
    empty = _size(tmp_path)
    clock.now += 10
    file.add_event(1, SUMMARY, b"")
    assert _size(tmp_path) == empty
    clock.now += 1
    file.add_event(1, SUMMARY, b"")
    assert _size(tmp_path) > empty


def test_the_name_has_the_seconds_and_no_file_is_written_over(tmp_path: Path) -> None:
    for _ in range(3):
        _file(tmp_path, _Clock()).close()
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == [f"events.out.tfevents.{second:010d}.host.v2" for second in (1000, 1001, 1002)]


@pytest.mark.parametrize(("folder", "expected"), [("", "."), (".", "."), ("a/", "a"), ("a/b//", "a/b")])
def test_folders_are_named_by_any_path(
    folder: str, expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    EventFile(folder, lambda: "host", ".v2", 2, 10_000, _Clock()).open()
    assert (tmp_path / expected / "events.out.tfevents.0000001000.host.v2").exists()


def test_names_are_of_the_process_or_the_computer() -> None:
    assert numbered_name().startswith(f"{host_name()}.{os.getpid()}.")
    assert numbered_name() != numbered_name()


def test_a_closed_file_begins_another_with_the_next_event(tmp_path: Path) -> None:
    file = _file(tmp_path, _Clock())
    file.close()
    file.close()
    file.add_event(1, SUMMARY, b"")
    file.close()
    assert [len(_records(path)) for path in sorted(tmp_path.iterdir())] == [1, 2]


def test_a_file_that_is_dropped_is_written(tmp_path: Path) -> None:
    file = _file(tmp_path, _Clock())
    file.add_event(1, SUMMARY, b"")
    del file
    assert len(_records(next(tmp_path.iterdir()))) == 2


def test_events_have_the_bytes_of_the_message() -> None:
    expected = tf.compat.v1.Event(wall_time=2.5, step=-3, summary=tf.compat.v1.Summary())
    assert event(2.5, -3, SUMMARY, b"") == expected.SerializeToString()


def _program(folder: Path, lines: str) -> list[str]:
    head = "import millrace as tf, os, signal\n"
    writer = f"writer = tf.summary.create_file_writer({str(folder)!r})\nwriter.set_as_default()\n"
    return [sys.executable, "-c", head + writer + lines]


def test_a_killed_process_leaves_a_readable_beginning(tmp_path: Path) -> None:
    lines = "for i in range(100):\n    tf.summary.scalar('a', i, step=i)\nos.kill(os.getpid(), signal.SIGKILL)\n"
    done = subprocess.run(_program(tmp_path, lines), timeout=60, check=False)
    assert done.returncode == -signal.SIGKILL
    assert len(_records(next(tmp_path.iterdir()))) == 1 + 99  # nine times eleven; the last one waited


def test_a_process_that_ends_writes_what_waits(tmp_path: Path) -> None:
    subprocess.run(_program(tmp_path, "tf.summary.scalar('a', 1.0, step=1)\n"), timeout=60, check=True)
    assert len(_records(next(tmp_path.iterdir()))) == 2


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks on Windows")
def test_a_forked_process_begins_a_file_of_its_own(tmp_path: Path) -> None:
    lines = (
        "tf.summary.scalar('before', 1.0, step=1)\n"
        "child = os.fork()\n"
        "tf.summary.scalar('child' if child == 0 else 'parent', 1.0, step=2)\n"
        "writer.flush()\n"
        "if child == 0: os._exit(0)\n"
        "os.waitpid(child, 0)\n"
    )
    subprocess.run(_program(tmp_path, lines), timeout=60, check=True)
    tags = [
        [value.tag for record in _records(path) for value in tf.compat.v1.Event.FromString(record).summary.value]
        for path in tmp_path.iterdir()
    ]
    assert sorted(tags) == [["before", "parent"], ["child"]]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="only Linux has a file that is always full")
def test_a_full_disk_is_an_error_of_the_write(tmp_path: Path) -> None:
    file = _file(tmp_path, _Clock(), max_queue=0)
    file._file.close()  # type: ignore[union-attr]  # it is open
    with FileIO("/dev/full", "w") as full:
        file._file = full
        with pytest.raises(tf.errors.ResourceExhaustedError):
            file.add_event(1, SUMMARY, b"")
        file._file = None
