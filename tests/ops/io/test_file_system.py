"""What every file system must do: that of this machine, that in memory, and one of `fsspec`."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from millrace._src.ops.io.file_system import FileStatistics, FileSystem, write_all
from millrace._src.ops.io.file_systems import file_system_of
from tests.ops.io.unbuffered_files import SlowFile


@pytest.fixture(params=["local", "ram", "memory"])
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """Gives the name of a new folder in each file system."""
    if request.param == "memory":
        pytest.importorskip("fsspec")
    name = str(tmp_path) if request.param == "local" else f"{request.param}://{secrets.token_hex(4)}/x"
    file_system, path = file_system_of(name)
    file_system.make_directories(path)
    yield name
    file_system.remove_tree(path)


def _at(folder: str, *entries: str) -> tuple[FileSystem, list[str]]:
    file_system, _ = file_system_of(folder)
    return file_system, [file_system_of(f"{folder}/{entry}")[1] for entry in entries]


def _write(file_system: FileSystem, path: str, data: bytes, mode: str = "w") -> None:
    with file_system.open(path, mode) as file:
        write_all(file, data)


def test_what_is_written_is_read(folder: str) -> None:
    files, (a,) = _at(folder, "a")
    _write(files, a, b"text")
    assert files.content(a) == b"text"
    with files.open(a, "r") as file:
        assert file.read(1) == b"t" and file.tell() == 1
        assert file.seek(2) == 2 and file.read(9) == b"xt" and file.read(9) == b""
        assert file.seek(-1, 2) == 3 and file.read() == b"t"
        assert file.seek(-2, 1) == 2 and file.read() == b"xt"


def test_writing_anew_forgets_what_was_there(folder: str) -> None:
    files, (a,) = _at(folder, "a")
    _write(files, a, b"a long text")
    _write(files, a, b"short")
    assert files.content(a) == b"short"


def test_arrays_are_filled_and_written(folder: str) -> None:
    files, (a,) = _at(folder, "a")
    with files.open(a, "w") as file:
        assert file.write(np.arange(3, dtype=np.int32)) == 12
    array = np.zeros([2, 2], np.int32)
    with files.open(a, "r") as file:
        assert file.readinto(array) == 12  # type: ignore[arg-type]  # a buffer
    assert array.tolist() == [[0, 1], [2, 0]]


def test_appending_keeps_what_was_there(folder: str) -> None:
    files, (a,) = _at(folder, "a")
    _write(files, a, b"one", "a")
    _write(files, a, b"two", "a")
    assert files.content(a) == b"onetwo"


def test_a_file_that_must_be_new_is_refused_where_there_is_one(folder: str) -> None:
    files, (a,) = _at(folder, "a")
    _write(files, a, b"one", "x")
    with pytest.raises(FileExistsError):
        _write(files, a, b"two", "x")
    assert files.content(a) == b"one"


def test_two_readers_of_a_file_do_not_disturb_each_other(folder: str) -> None:
    files, (a,) = _at(folder, "a")
    _write(files, a, b"0123456789")
    with files.open(a, "r") as file, files.open(a, "r") as other_file:
        assert [file.read(2), other_file.read(3), file.read(2), other_file.read(3)] == [b"01", b"012", b"23", b"345"]


def test_files_and_folders_are_told_apart(folder: str) -> None:
    files, (a, b, c) = _at(folder, "a", "b", "c")
    _write(files, a, b"text")
    files.make_directory(b)
    assert [files.exists(path) for path in (a, b, c)] == [True, True, False]
    assert [files.is_taken(path) for path in (a, b, c)] == [True, True, False]
    assert [files.is_directory(path) for path in (a, b, c)] == [False, True, False]
    assert files.size(a) == 4 and not files.status(a).is_directory
    assert files.status(b).is_directory
    assert files.is_same_file(a, a) and not files.is_same_file(a, b)


def test_the_time_of_a_change_is_now(folder: str) -> None:
    files, (a, b) = _at(folder, "a", "b")
    _write(files, a, b"text")
    _write(files, b, b"text")
    assert 1.7e9 < files.modified_time(a) <= files.modified_time(b)


def test_what_is_missing_is_said_to_be_missing(folder: str) -> None:
    files, (a, b) = _at(folder, "a", "a/b")
    for use in (files.status, files.content, files.remove, files.list_directory):
        with pytest.raises(FileNotFoundError):
            use(a)
    with pytest.raises(FileNotFoundError):
        files.open(b, "r")
    with pytest.raises(FileNotFoundError):
        files.rename(a, b)


def test_folders_list_what_is_directly_in_them(folder: str) -> None:
    files, (top, a, b, c) = _at(folder, "d", "d/a", "d/b", "d/b/c")
    files.make_directories(b)
    _write(files, a, b"")
    _write(files, c, b"text")
    assert sorted(files.list_directory(top)) == ["a", "b"]
    assert files.list_directory(b) == ["c"]
    with pytest.raises(NotADirectoryError):
        files.list_directory(a)


def test_making_folders_twice_is_no_error_but_making_one_is(folder: str) -> None:
    files, (deep, flat) = _at(folder, "a/b/c", "a")
    files.make_directories(deep)
    files.make_directories(deep)
    with pytest.raises(FileExistsError):
        files.make_directory(flat)


def test_a_renamed_file_replaces_another(folder: str) -> None:
    files, (a, b) = _at(folder, "a", "b")
    _write(files, a, b"new")
    _write(files, b, b"old")
    files.rename(a, b)
    assert files.content(b) == b"new" and not files.exists(a)


def test_a_renamed_folder_takes_its_files_along(folder: str) -> None:
    files, (a, file, b, moved) = _at(folder, "a", "a/x/y", "b", "b/x/y")
    files.make_directories(files.directory_of(file))
    _write(files, file, b"text")
    files.rename(a, b)
    assert files.content(moved) == b"text" and not files.exists(a)


def test_a_file_does_not_replace_a_folder(folder: str) -> None:
    files, (a, b) = _at(folder, "a", "b")
    _write(files, a, b"new")
    files.make_directory(b)
    with pytest.raises(IsADirectoryError):
        files.rename(a, b)
    assert files.content(a) == b"new"


def test_files_and_folders_are_removed(folder: str) -> None:
    files, (a, b, inner) = _at(folder, "a", "b", "b/c")
    _write(files, a, b"")
    files.make_directory(b)
    _write(files, inner, b"")
    files.remove(a)
    with pytest.raises(OSError):
        files.remove(b)
    with pytest.raises(OSError):
        files.remove_directory(b)
    files.remove(inner)
    files.remove_directory(b)
    assert not files.exists(a) and not files.exists(b)


def test_a_tree_is_removed_with_all_that_is_in_it(folder: str) -> None:
    files, (a, inner) = _at(folder, "a", "a/b/c")
    files.make_directories(inner)
    _write(files, f"{inner}/d", b"")
    files.remove_tree(a)
    assert not files.exists(a)


def test_the_folder_above_is_known(folder: str) -> None:
    files, (a, b) = _at(folder, "a", "a/b")
    assert files.directory_of(b) == a


def test_what_is_mapped_is_what_is_read(folder: str) -> None:
    files, (a,) = _at(folder, "a")
    _write(files, a, b"text" * 5000)
    view = files.map(a)
    assert view is None or bytes(view) == b"text" * 5000


def test_a_file_that_takes_few_bytes_at_a_time_gets_all() -> None:
    file = SlowFile()
    write_all(file, memoryview(b"0123456789"))
    assert bytes(file.taken) == b"0123456789"


def test_statistics_say_what_they_hold() -> None:
    assert repr(FileStatistics(3, 5, False)) == "FileStatistics(length=3, mtime_nsec=5, is_directory=False)"


def test_bytes_are_read_from_anywhere_in_a_file(folder: str) -> None:
    file_system, path = file_system_of(f"{folder}/a")
    with file_system.open(path, "w") as file:
        write_all(file, bytes(range(200)))
    with file_system.open(path, "r") as file:
        for offset, size, count in ((100, 50, 50), (0, 1, 1), (190, 50, 10), (200, 5, 0), (500, 5, 0)):
            memory = np.zeros(size, np.uint8)
            assert file_system.read_at(file, offset, memory) == count
            assert memory.tolist() == [*range(200)[offset : offset + count], *[0] * (size - count)]


def test_space_that_is_set_aside_is_written(folder: str) -> None:
    file_system, path = file_system_of(f"{folder}/a")
    with file_system.open(path, "w") as file:
        write_all(file, b"ab")
        file_system.reserve(file, 3)
        write_all(file, b"cde")
    assert file_system.content(path) == b"abcde"
