"""Files that appear whole, or not at all."""

from __future__ import annotations

import errno
import os
import threading
import time
from collections.abc import Iterator
from io import RawIOBase
from pathlib import Path

import pytest

import millrace as tf
from millrace._src.ops.io.file_systems import register_file_system
from millrace._src.ops.io.ram_files import RamFileSystem
from millrace._src.ops.io.whole_writes import PartFile, alone, atomic_write, is_part, remove_abandoned_parts
from tests.interop.process import python


def test_a_file_appears_when_the_block_ends(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_text("old")
    with atomic_write(str(path)) as file:
        file.write(b"new")
        file.write(memoryview(b"er"))
        assert path.read_text() == "old" and file.size == 5
    assert path.read_text() == "newer" and os.listdir(tmp_path) == ["a"]


def test_a_block_that_raises_leaves_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_text("old")
    with pytest.raises(KeyboardInterrupt), atomic_write(str(path)) as file:
        file.write(b"new")
        raise KeyboardInterrupt
    assert path.read_text() == "old" and os.listdir(tmp_path) == ["a"]


@pytest.mark.parametrize(
    ("make", "kind"),
    [
        (lambda path: None, tf.errors.NotFoundError),
        (lambda path: path.parent.touch(), tf.errors.FailedPreconditionError),
        (lambda path: path.mkdir(parents=True), tf.errors.FailedPreconditionError),
    ],
    ids=["the folder is missing", "the folder is a file", "the file is a folder"],
)
def test_a_path_that_cannot_be_written_is_refused(make: object, kind: type[Exception], tmp_path: Path) -> None:
    path = tmp_path / "folder" / "a"
    make(path)  # type: ignore[operator]  # one of the functions above
    with pytest.raises(kind, match=f"^{path}; "), atomic_write(str(path)) as file:
        file.write(b"x")
    assert not any(is_part(entry) for _, _, files in os.walk(tmp_path) for entry in files)


class _FullFileSystem(RamFileSystem):
    """A disk on which there are twelve bytes left."""

    def open(self, path: str, mode: str) -> RawIOBase:
        file = super().open(path, mode)
        write, left = file.write, [12]

        def limited(data: bytes) -> int:
            if not left[0]:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            count = write(data[: left[0]])
            left[0] -= count
            return count

        file.write = limited  # type: ignore[method-assign]  # for this file
        return file


@pytest.fixture
def full_disk() -> Iterator[RamFileSystem]:
    disk = _FullFileSystem()
    register_file_system("full", disk)
    yield disk
    register_file_system("full", None)


def test_a_full_disk_is_an_error_and_keeps_what_was_there(full_disk: RamFileSystem) -> None:
    with atomic_write("full://a") as file:
        file.write(b"twelve bytes")
    with pytest.raises(tf.errors.ResourceExhaustedError, match=r"^full://a; No space left"):
        with atomic_write("full://a") as file:
            file.write(b"thirteen bytes")
    assert full_disk.content("a") == b"twelve bytes" and full_disk.list_directory("") == ["a"]


def test_several_files_are_complete_before_the_first_appears(tmp_path: Path) -> None:
    parts = [PartFile(str(tmp_path / entry)) for entry in "abc"]
    for part in parts:
        part.write(part.name.encode())
        part.sync()
    assert all(is_part(entry) for entry in os.listdir(tmp_path))
    parts[0].commit()
    parts[1].commit(str(tmp_path / "d"))
    parts[2].discard()
    parts[2].discard()  # once more does nothing
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {
        "a": str(tmp_path / "a"),
        "d": str(tmp_path / "b"),
    }


def test_parts_of_living_writers_and_other_files_stay(tmp_path: Path) -> None:
    other_names = {
        "a.part-1",
        "a.part-0123456789ABCDEF",
        ".part-0123456789abcdef",
        "a.part-0123456789abcdef.index",
        "a",
    }
    for name in other_names:
        (tmp_path / name).touch()
    part = PartFile(str(tmp_path / "b"))
    remove_abandoned_parts(str(tmp_path / "c"))
    assert len(os.listdir(tmp_path)) == len(other_names) + 1
    part.commit()
    assert set(os.listdir(tmp_path)) == {*other_names, "b"}


@pytest.mark.skipif(os.name != "posix", reason="files are locked on POSIX")
def test_what_a_killed_writer_left_is_removed_by_the_next(tmp_path: Path) -> None:
    program = (
        "import os, sys; from millrace._src.ops.io.whole_writes import PartFile;"
        "PartFile(sys.argv[1]).write(b'half'); os.kill(os.getpid(), 9)"
    )
    assert python("-c", program, str(tmp_path / "a")).returncode == -9
    (left_entry,) = os.listdir(tmp_path)
    assert is_part(left_entry)
    with atomic_write(str(tmp_path / "b")) as file:
        file.write(b"whole")
    assert os.listdir(tmp_path) == ["b"]


def test_writers_of_one_name_do_not_mix(tmp_path: Path) -> None:
    texts = [bytes([letter]) * 100_000 for letter in b"abcdefgh"]

    def write(text: bytes) -> None:
        for _ in range(20):
            with atomic_write(str(tmp_path / "x")) as file:
                file.write(text[:50_000])
                file.write(text[50_000:])

    threads = [threading.Thread(target=write, args=[text]) for text in texts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (tmp_path / "x").read_bytes() in texts and os.listdir(tmp_path) == ["x"]


@pytest.mark.parametrize("scheme", ["", "ram://"])
def test_one_at_a_time_is_alone_with_a_file(scheme: str, tmp_path: Path) -> None:
    name = f"{scheme}{tmp_path}/a"
    tf.io.gfile.makedirs(os.path.dirname(name))
    inside, most_inside = [0], [0]

    def enter() -> None:
        for _ in range(30):
            with alone(name):
                inside[0] += 1
                most_inside[0] = max(inside + most_inside)
                time.sleep(1e-5)
                inside[0] -= 1

    threads = [threading.Thread(target=enter) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most_inside == [1] and tf.io.gfile.listdir(os.path.dirname(name)) == []


def test_a_name_in_the_current_folder_needs_no_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with atomic_write("a") as file:
        file.write(b"x")
    assert os.listdir(tmp_path) == ["a"]
