"""Disks that are full, broken or read-only, and folders where nothing can be written: clear errors, nothing lost."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import millrace as tf
from tests.crashes.simulated_disk import Event, SimulatedDisk, State, failure, registered_disk
from tests.crashes.training import Training, found_step
from tests.interop.process import ROOT, environment

disk = pytest.fixture(registered_disk)

_PATH = "disk://folder/model"
_KINDS = {
    errno.ENOSPC: tf.errors.ResourceExhaustedError,
    errno.EROFS: tf.errors.PermissionDeniedError,
    errno.EIO: tf.errors.UnknownError,
}


def _refusing(disk: SimulatedDisk, code: int, first: int, last: int) -> Callable[[Event], None]:
    """Returns what refuses the events of these numbers; of a write that is refused, half has happened."""

    def refuse(event: Event) -> None:
        number = len(disk.events) + refuse.count  # type: ignore[attr-defined]  # the refusals, which are not events
        if event.kind != "remove" and first <= number < last:
            refuse.count += 1  # type: ignore[attr-defined]  # as above
            if event.kind == "write":
                half = event.data[: len(event.data) // 2]
                disk.state.apply(Event("write", event.path, event.file, position=event.position, data=half))
            raise failure(code, event.path)

    refuse.count = 0  # type: ignore[attr-defined]  # as above
    return refuse


def _each_refusal(disk: SimulatedDisk, save: Callable[[], Any], code: int, last: int | None) -> Iterator[State]:
    """Saves again and again, each time with one more thing that goes well; yields after each save that failed.

    Args:
      disk: the disk, which is as at first before each save.
      save: saves a checkpoint.
      code: the error of the disk.
      last: how many things go wrong; None for all that follow.
    """
    start = disk.state.copy()
    disk.events.clear()
    save()
    count = len(disk.events)
    assert count > 5
    for first in range(count):
        disk.restart(start)
        disk.refuse = _refusing(disk, code, first, count * 9 if last is None else first + last)
        refusal = _refusal_of(save)
        disk.refuse = lambda event: None
        if refusal is not None:
            assert isinstance(refusal, _KINDS[code]) and "disk://folder" in str(refusal), refusal
            yield disk.state


def _refusal_of(save: Callable[[], Any]) -> tf.errors.OpError | None:
    try:
        save()
    except tf.errors.OpError as error:
        return error
    return None


@pytest.mark.parametrize("code", _KINDS)
@pytest.mark.parametrize("last", [1, None], ids=["once", "from then on"])
def test_a_new_checkpoint_that_cannot_be_written_leaves_nothing(
    code: int, last: int | None, disk: SimulatedDisk
) -> None:
    disk.make_directory("folder")
    training = Training()
    training.go_to(1)
    failures = 0
    for state in _each_refusal(disk, lambda: training.checkpoint.write(_PATH), code, last):
        failures += 1
        assert not tf.compat.v1.train.checkpoint_exists(_PATH) or found_step(_PATH) == 1
        assert not [path for path in state.files() if ".part-" in path]
        training.checkpoint.write(_PATH)
        assert found_step(_PATH) == 1
        assert sorted(disk.list_directory("folder")) == ["model.data-00000-of-00001", "model.index"]
    assert failures > 4


@pytest.mark.parametrize("code", _KINDS)
@pytest.mark.parametrize("last", [1, None], ids=["once", "from then on"])
def test_a_checkpoint_that_cannot_be_overwritten_stays(code: int, last: int | None, disk: SimulatedDisk) -> None:
    disk.make_directory("folder")
    training = Training()
    training.go_to(1)
    training.checkpoint.write(_PATH)
    training.go_to(2)
    failures = 0
    for _ in _each_refusal(disk, lambda: training.checkpoint.write(_PATH), code, last):
        failures += 1
        assert found_step(_PATH) in (1, 2)
        training.checkpoint.write(_PATH)
        assert found_step(_PATH) == 2
        assert sorted(disk.list_directory("folder")) == ["model.data-00000-of-00001", "model.index"]
    assert failures > 6


@pytest.mark.parametrize("code", _KINDS)
def test_a_numbered_checkpoint_that_cannot_be_written_leaves_the_one_before(code: int, disk: SimulatedDisk) -> None:
    training = Training()
    training.go_to(1)
    training.checkpoint.save(_PATH)
    training.go_to(2)
    failures = 0
    for _ in _each_refusal(disk, lambda: training.checkpoint.save(_PATH), code, None):
        failures += 1
        assert found_step(tf.train.latest_checkpoint("disk://folder")) in (1, 2)
    assert failures > 6


# --- real folders ----------------------------------------------------------------------------------------------------


def test_a_file_where_the_folder_should_be_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for path in (f"{tmp_path}/file/model", f"{tmp_path}/file/deep/model"):
        with pytest.raises(tf.errors.FailedPreconditionError, match="file"):
            Training().checkpoint.write(path)
        with pytest.raises(tf.errors.FailedPreconditionError, match="file"):
            Training().checkpoint.save(path)
    assert os.listdir(tmp_path) == ["file"]


def test_a_folder_that_is_missing_is_made(tmp_path: Path) -> None:
    training = Training()
    training.go_to(3)
    assert found_step(training.checkpoint.save(f"{tmp_path}/new/newer/model")) == 3


def test_a_folder_where_the_index_should_be_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "model.index").mkdir()
    with pytest.raises(tf.errors.FailedPreconditionError, match=r"model\.index"):
        Training().checkpoint.write(f"{tmp_path}/model")
    assert os.listdir(tmp_path) == ["model.index"]


_SAVE = """
import os, sys
import millrace as tf
checkpoint = tf.train.Checkpoint(step=tf.Variable(1))
checkpoint.save("ram://model")  # loads all modules while they can be read
if os.geteuid() == 0:
    os.setuid(65534)  # root may write everywhere
try:
    checkpoint.save(sys.argv[1])
except tf.errors.OpError as error:
    print(type(error).__name__)
"""


@pytest.mark.skipif(os.name != "posix", reason="folders have POSIX's permissions")
def test_a_folder_without_permission_is_an_error(tmp_path: Path) -> None:
    folder = Path("/tmp") / f"millrace-{os.getpid()}-{tmp_path.name}"  # no one may enter the folders above tmp_path
    folder.mkdir(mode=0o555)
    try:
        command = [sys.executable, "-c", _SAVE, f"{folder}/model"]
        result = subprocess.run(command, capture_output=True, text=True, env=environment(), cwd=ROOT, check=False)
        assert result.stdout.strip() == "PermissionDeniedError", result.stderr
        assert os.listdir(folder) == []
    finally:
        folder.rmdir()


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Gives a folder on a disk of 128 KiB, where one may be made."""
    command = ["mount", "-t", "tmpfs", "-o", "size=128k", "millrace", str(tmp_path)]
    try:
        is_made = subprocess.run(command, capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        is_made = False
    if not is_made:
        pytest.skip("no disk can be made here")
    yield tmp_path
    subprocess.run(["umount", str(tmp_path)], check=True)


def test_a_full_disk_is_an_error_and_the_old_checkpoint_stays(small_disk: Path) -> None:
    value = tf.Variable(tf.ones([10_000]))
    checkpoint = tf.train.Checkpoint(value=value)
    path = checkpoint.write(str(small_disk / "model"))
    before = {entry.name: entry.read_bytes() for entry in small_disk.iterdir()}
    value.assign(tf.zeros([10_000]))
    (small_disk / "else").write_bytes(bytes(60_000))
    with pytest.raises(tf.errors.ResourceExhaustedError, match="No space left on device"):
        checkpoint.write(path)
    (small_disk / "else").unlink()
    assert {entry.name: entry.read_bytes() for entry in small_disk.iterdir()} == before
    checkpoint.write(path)
    value.assign(tf.ones([10_000]))
    checkpoint.read(path)
    assert tf.reduce_sum(value) == 0
