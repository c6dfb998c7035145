"""`tf.io.gfile.GFile`."""

from __future__ import annotations

import csv
import gc
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.ops.array.answers import check_refusal

_e = tf.errors
GFile = tf.io.gfile.GFile


@pytest.fixture
def path(tmp_path: Path) -> str:
    (tmp_path / "file").write_bytes("l1\nl2é\r\n\nlast".encode())
    return str(tmp_path / "file")


def test_reading(path: str) -> None:
    for name in (path, f"file://{path}", Path(path), path.encode()):
        with GFile(name) as file:
            assert file.read() == "l1\nl2é\r\n\nlast"
            assert file.read() == ""
    assert GFile(path).read(4) == "l1\nl"
    assert GFile(path, "rb").read(5) == b"l1\nl2"
    assert GFile(path).read(0) == ""
    assert GFile(path).read(100) == "l1\nl2é\r\n\nlast"
    file = GFile(path)
    assert [file.readline() for _ in range(5)] == ["l1\n", "l2é\n", "\n", "last", ""]
    assert list(GFile(path)) == GFile(path).readlines() == ["l1\n", "l2é\n", "\n", "last"]
    assert list(GFile(path, "rb")) == [b"l1\n", "l2é\n".encode(), b"\n", b"last"]
    assert GFile(path).next() == "l1\n"


def test_positions(path: str) -> None:
    file = GFile(path, "rb")
    assert (file.tell(), file.read(3), file.tell(), file.size(), file.seekable()) == (0, b"l1\n", 3, 14, True)
    assert (file.name, file.mode) == (path, "rb")
    file.seek(1)
    assert file.read(2) == b"1\n"
    file.seek(offset=-2, whence=2)
    assert file.read() == b"st"
    file.seek(0)
    file.seek(2, whence=1)
    assert file.tell() == 2
    file.seek(position=3)
    assert file.tell() == 3


def test_positions_that_are_not_there(path: str) -> None:
    check_refusal(lambda: GFile(path).seek(), TypeError, "seek(): offset argument required")
    words = "Invalid whence argument: 5. Valid values are 0, 1, or 2."
    check_refusal(lambda: GFile(path).seek(0, 5), _e.InvalidArgumentError, words)
    words = "Seeking to a negative position: -3"
    check_refusal(lambda: GFile(path).seek(-3), _e.InvalidArgumentError, words)
    check_refusal(lambda: GFile(path).seek(300), _e.OutOfRangeError, "reached end of file")
    words = "Can't read a negative number of bytes: -5"
    check_refusal(lambda: GFile(path).read(-5), _e.InvalidArgumentError, words)


@pytest.mark.parametrize(
    ("mode", "contents", "expected"),
    [
        ("w", ["a", "b"], b"ab"),
        ("w", [b"a"], b"a"),
        ("wb", ["é", b"\xff", bytearray(b"z")], b"\xc3\xa9\xffz"),
        ("a", ["zz"], b"l1\nl2\xc3\xa9\r\n\nlastzz"),
        ("ab", [b"\xff"], b"l1\nl2\xc3\xa9\r\n\nlast\xff"),
        ("r+", ["a"], b"a"),
        ("w+", ["a"], b"a"),
        ("w", [""], b""),
    ],
)
def test_writing(path: str, mode: str, contents: list[Any], expected: bytes) -> None:
    with GFile(path, mode) as file:
        for content in contents:
            assert file.write(content) is None
    assert Path(path).read_bytes() == expected


def test_a_file_is_opened_when_it_is_used(tmp_path: Path) -> None:
    path = tmp_path / "new"
    GFile(path, "w").close()
    with GFile(path, "w"):
        pass
    assert not path.exists()
    GFile("/no/such/file")
    check_refusal(lambda: GFile("/no/such").read(), _e.NotFoundError, "/no/such; No such file or directory")


def test_a_closed_file_opens_again(path: str) -> None:
    file = GFile(path)
    assert file.read(2) == "l1"
    file.close()
    file.close()
    assert file.read(3) == "l1\n"


def test_opening_again_and_again_keeps_nothing(path: str) -> None:
    file = GFile(path, "r+")
    for _ in range(5):
        file.read(1)
        file.write("a")
        assert len(file._closers) == 2
        file.close()
        assert file._closers == []


def test_flush_shows_what_was_written(path: str) -> None:
    file = GFile(path, "w")
    file.write("hello")
    assert (file.tell(), file.size()) == (5, 0)
    file.flush()
    assert (file.size(), Path(path).read_text()) == (5, "hello")
    file.close()
    appended = GFile(path, "a+")
    appended.write("XX")
    appended.flush()
    assert appended.read() == "helloXX"


def test_a_file_that_is_let_go_is_written(path: str) -> None:
    file = GFile(path, "w")
    file.write("kept")
    del file
    gc.collect()
    assert Path(path).read_text() == "kept"


def test_modes(path: str) -> None:
    for mode in ("r+", "rb+", "r+b", "w+", "wb+", "ab+", "a+"):
        GFile(path, mode)
    words = "mode is not 'r' or 'w' or 'a' or 'r+' or 'w+' or 'a+'"
    for mode in ("x", "rt", "U", ""):
        check_refusal(lambda m=mode: GFile(path, m), _e.InvalidArgumentError, words)
    for call in (GFile(path, "w").read, GFile(path, "a").readline, lambda: GFile(path, "w").seek(0)):
        check_refusal(call, _e.PermissionDeniedError, "File isn't open for reading")
    check_refusal(lambda: GFile(path).write("a"), _e.PermissionDeniedError, "File isn't open for writing")


def test_refusals(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"\xff")
    for call in (GFile(path).read, GFile(path).readline):
        check_refusal(call, UnicodeDecodeError, "'utf-8' codec can't decode byte 0xff in position 0")
    check_refusal(lambda: GFile(path, "w").write(3), TypeError, "Expected binary or unicode string, got 3")
    check_refusal(lambda: GFile(3).read(), TypeError, "Expected binary or unicode string, got 3")
    check_refusal(lambda: GFile(tmp_path).read(), _e.FailedPreconditionError, f"{tmp_path}; Is a directory")
    check_refusal(lambda: GFile(tmp_path, "w").write("a"), _e.FailedPreconditionError, f"{tmp_path}; Is a directory")
    check_refusal(lambda: GFile("s3://a/b").read(), _e.UnimplementedError, "File system scheme 's3' not implemented")


def test_other_libraries_take_gfiles(path: str, tmp_path: Path) -> None:
    assert list(csv.reader(GFile(path))) == [["l1"], ["l2é"], [], ["last"]]
    with GFile(tmp_path / "x.npy", "wb") as file:
        np.save(file, np.arange(3))
    with GFile(tmp_path / "x.npy", "rb") as file:
        assert np.load(file).tolist() == [0, 1, 2]
