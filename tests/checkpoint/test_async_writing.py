"""Checkpoints that a thread writes while the program goes on."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

import millrace as tf
from millrace._src.checkpoint import checkpoint as checkpoint_module
from millrace._src.checkpoint.async_writing import AsyncWriter

ASYNC = tf.train.CheckpointOptions(experimental_enable_async_checkpoint=True)


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """Writing waits until the event is set."""
    event = threading.Event()
    write = checkpoint_module.write_shards

    def write_later(*arguments: Any) -> None:
        event.wait(30.0)
        write(*arguments)

    monkeypatch.setattr(checkpoint_module, "write_shards", write_later)
    return event


def value_in(path: str) -> Any:
    v = tf.Variable(0.0)
    tf.train.Checkpoint(v=v).read(path)
    return v.numpy()


def test_the_values_are_those_of_the_moment_of_the_call(tmp_path: Path, gate: threading.Event) -> None:
    v = tf.Variable(1.0)
    checkpoint = tf.train.Checkpoint(v=v)
    path = checkpoint.write(str(tmp_path / "c"), ASYNC)
    v.assign(2.0)
    assert not os.listdir(tmp_path)
    gate.set()
    checkpoint.sync()
    assert value_in(path) == 1.0


def test_a_python_state_is_that_of_the_moment_of_the_call(tmp_path: Path, gate: threading.Event) -> None:
    state = State(b"early")
    checkpoint = tf.train.Checkpoint(state=state)
    path = checkpoint.write(str(tmp_path / "c"), ASYNC)
    state.value = b"late"
    gate.set()
    checkpoint.sync()
    fresh = State(b"")
    tf.train.Checkpoint(state=fresh).read(path)
    assert fresh.value == b"early"


class State(tf.train.experimental.PythonState):
    def __init__(self, value: bytes) -> None:
        self.value = value

    def serialize(self) -> bytes:
        return self.value

    def deserialize(self, string_value: bytes) -> None:
        self.value = string_value


def test_saving_goes_on_in_order(tmp_path: Path) -> None:
    v = tf.Variable(0.0)
    checkpoint = tf.train.Checkpoint(v=v)
    paths = []
    for value in range(5):
        v.assign(float(value))
        paths.append(checkpoint.save(str(tmp_path / "c"), ASYNC))
    checkpoint.sync()
    assert [value_in(path) for path in paths] == [0.0, 1.0, 2.0, 3.0, 4.0]
    assert tf.train.latest_checkpoint(tmp_path) == paths[-1]


def test_the_state_of_the_folder_waits_for_the_files(tmp_path: Path, gate: threading.Event) -> None:
    checkpoint = tf.train.Checkpoint(v=tf.Variable(0.0))
    path = checkpoint.save(str(tmp_path / "c"), ASYNC)
    assert tf.train.latest_checkpoint(tmp_path) is None
    gate.set()
    checkpoint.sync()
    assert tf.train.latest_checkpoint(tmp_path) == path


def test_restoring_waits_for_the_files(tmp_path: Path, gate: threading.Event) -> None:
    v = tf.Variable(1.0)
    checkpoint = tf.train.Checkpoint(v=v)
    path = checkpoint.write(str(tmp_path / "c"), ASYNC)
    v.assign(2.0)
    threading.Timer(0.05, gate.set).start()
    checkpoint.read(path)
    assert v.numpy() == 1.0


@pytest.mark.parametrize("act", ["sync", "save", "write", "restore"])
def test_what_went_wrong_is_raised_by_the_next_call(tmp_path: Path, act: str) -> None:
    checkpoint = tf.train.Checkpoint(v=tf.Variable(1.0))
    good = checkpoint.write(str(tmp_path / "good"))
    (tmp_path / "file").write_text("")
    checkpoint.write(str(tmp_path / "file" / "c"), ASYNC)
    arguments = {"sync": [], "save": [str(tmp_path / "d")], "write": [str(tmp_path / "d")], "restore": [good]}[act]
    with pytest.raises(tf.errors.OpError):
        getattr(checkpoint, act)(*arguments)
    checkpoint.sync()  # told once


def test_callbacks_are_called_when_the_files_are_there(tmp_path: Path) -> None:
    seen: list[Any] = []
    options = tf.train.CheckpointOptions(
        enable_async=True, experimental_write_callbacks=[lambda path: seen.append(os.path.exists(path + ".index"))]
    )
    checkpoint = tf.train.Checkpoint(v=tf.Variable(1.0))
    checkpoint.write(str(tmp_path / "c"), options)
    checkpoint.sync()
    assert seen == [True]


PROGRAM = """
import sys, time
import millrace as tf
from millrace._src.checkpoint import checkpoint as module
write = module.write_shards
module.write_shards = lambda *arguments: (time.sleep(0.3), write(*arguments))
options = tf.train.CheckpointOptions(enable_async=True)
tf.train.Checkpoint(v=tf.Variable(3.0)).write(sys.argv[1], options)
"""


def test_the_end_of_the_program_waits(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-c", PROGRAM, str(tmp_path / "c")], check=True, timeout=120)
    assert value_in(str(tmp_path / "c")) == 3.0


def test_an_error_at_the_end_of_the_program_is_printed(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(tmp_path / "file" / "c")], capture_output=True, text=True, timeout=120
    )
    assert "FailedPreconditionError" in done.stderr


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*fork.*")  # of Python and, where another test has used XLA, of JAX
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_forked_process_does_not_wait_for_a_thread_it_does_not_have(tmp_path: Path, gate: threading.Event) -> None:
    checkpoint = tf.train.Checkpoint(v=tf.Variable(1.0))
    checkpoint.write(str(tmp_path / "parent"), ASYNC)
    child = os.fork()
    if child == 0:
        gate.set()
        checkpoint.write(str(tmp_path / "child"), ASYNC)
        checkpoint.sync()
        os._exit(0)
    gate.set()
    assert os.waitpid(child, 0)[1] == 0
    checkpoint.sync()
    assert value_in(str(tmp_path / "parent")) == value_in(str(tmp_path / "child")) == 1.0


def test_checkpoints_that_are_dropped_leave_no_threads(tmp_path: Path) -> None:
    def write(index: int) -> None:
        tf.train.Checkpoint(v=tf.Variable(1.0)).write(str(tmp_path / f"c{index}"), ASYNC)

    before = set(threading.enumerate())
    for index in range(5):
        write(index)
    deadline = time.monotonic() + 30.0
    while set(threading.enumerate()) - before and time.monotonic() < deadline:
        gc.collect()
        time.sleep(0.01)
    assert not set(threading.enumerate()) - before
    assert all(value_in(str(tmp_path / f"c{index}")) == 1.0 for index in range(5))


def test_the_error_of_a_checkpoint_that_is_dropped_is_told_at_the_end(tmp_path: Path) -> None:
    program = f"""
import millrace as tf
options = tf.train.CheckpointOptions(enable_async=True)
tf.train.Checkpoint(v=tf.Variable(1.0)).write({str(tmp_path / "file" / "c")!r}, options)
"""
    (tmp_path / "file").write_text("no folder")
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=False)
    assert "FailedPreconditionError" in ended.stderr or "NotFoundError" in ended.stderr


def test_no_error_is_lost_where_threads_start_writes_at_once() -> None:
    writer, raised = AsyncWriter(), []
    barrier = threading.Barrier(4)

    def start() -> None:
        barrier.wait()
        try:
            writer.start(lambda: 1 / 0)
        except ZeroDivisionError as error:
            raised.append(error)

    for _ in range(20):
        threads = [threading.Thread(target=start) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        writer.wait()
    # of four starts in a row each second one starts a write, and the other one gets its error
    assert len(raised) == 40
