"""Names of files, and errors of the operating system."""

from __future__ import annotations

import errno
import os
import threading
from pathlib import Path
from typing import Any

import pytest

import millrace as tf
from millrace._src.ops.io.file_system import content_of, file_errors, file_name, local_path

_e = tf.errors


@pytest.mark.parametrize("name", ["a/b", b"a/b", Path("a/b")])
def test_names_are_text_bytes_or_paths(name: Any) -> None:
    assert file_name(name) == "a/b"


def test_names_that_are_no_text_come_back_as_they_were() -> None:
    assert os.fsencode(local_path(file_name(b"\xff"))) == b"\xff"


def test_file_urls_are_local() -> None:
    assert local_path("file:///a/b") == local_path("file://localhost/a/b") == "/a/b"
    assert local_path("a:b") == "a:b"
    for name in ("s3://b/x", "gs://b/x", "ram://x"):
        with pytest.raises(_e.UnimplementedError, match=f"File system scheme '{name.split(':')[0]}' not implemented"):
            local_path(name)


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        (errno.ENOENT, _e.NotFoundError),
        (errno.EACCES, _e.PermissionDeniedError),
        (errno.EISDIR, _e.FailedPreconditionError),
        (errno.EEXIST, _e.AlreadyExistsError),
        (errno.ENOSPC, _e.ResourceExhaustedError),
        (errno.ENAMETOOLONG, _e.InvalidArgumentError),
        (errno.EXDEV, _e.UnimplementedError),
        (errno.EAGAIN, _e.UnavailableError),
        (errno.EFBIG, _e.OutOfRangeError),
        (errno.EIO, _e.UnknownError),
    ],
)
def test_errors_of_the_system_have_classes(code: int, kind: Any) -> None:
    with pytest.raises(kind) as caught, file_errors("name"):
        raise OSError(code, os.strerror(code))
    assert str(caught.value) == f"name; {os.strerror(code)}"


def test_other_errors_pass() -> None:
    with pytest.raises(KeyError), file_errors("name"):
        raise KeyError


@pytest.mark.parametrize("size", [0, 1, 100_000])
def test_the_content_of_a_file_is_read(size: int, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(bytes(range(256)) * (size // 256) + b"\r\n\x1a")
    assert content_of(str(tmp_path / "file")) == (tmp_path / "file").read_bytes()


def test_an_empty_file_has_no_content(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert content_of(str(tmp_path / "file")) == b""


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_what_says_nothing_of_its_size_is_read_to_its_end(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    writer = threading.Thread(target=(tmp_path / "pipe").write_bytes, args=[b"x" * 300_000])
    writer.start()
    assert content_of(str(tmp_path / "pipe")) == b"x" * 300_000
    writer.join()


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(OSError) as failure:
        content_of(str(tmp_path))
    assert failure.value.errno in (errno.EISDIR, errno.EACCES)
