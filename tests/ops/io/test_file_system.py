"""Names of files, and errors of the operating system."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

import pytest

import millrace as tf
from millrace._src.ops.io.file_system import file_errors, file_name, local_path

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
