"""Names of files, and the errors about files."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

import pytest

import millrace as tf
from millrace._src.ops.io.file_names import directory_name, file_errors, file_name, scheme_of

_e = tf.errors


@pytest.mark.parametrize("name", ["a/b", b"a/b", Path("a/b")])
def test_names_are_text_bytes_or_paths(name: Any) -> None:
    assert file_name(name) == "a/b"


def test_names_that_are_no_text_come_back_as_they_were() -> None:
    assert os.fsencode(file_name(b"\xff")) == b"\xff"


@pytest.mark.parametrize(
    ("name", "scheme"),
    [("s3://b/x", "s3"), ("a:b", ""), ("/a://b", ""), ("file:///x", "file"), ("", ""), ("9p://x", "")],
)
def test_a_scheme_stands_before_two_slashes(name: str, scheme: str) -> None:
    assert scheme_of(name) == scheme


@pytest.mark.parametrize(
    ("name", "directory"),
    [("ram://a/b", "ram://a"), ("ram://b", "ram://"), ("/a/b", "/a"), ("b", ""), ("/b", "/"), ("a:b/c", "a:b")],
)
def test_a_directory_keeps_its_scheme(name: str, directory: str) -> None:
    assert directory_name(name) == directory


def test_a_name_holds_no_zero_byte() -> None:
    with pytest.raises(_e.InvalidArgumentError, match="no zero byte"):
        scheme_of("a\0b")


@pytest.mark.parametrize(
    ("error", "kind", "reason"),
    [
        (FileNotFoundError("bucket/x"), _e.NotFoundError, os.strerror(errno.ENOENT)),
        (FileExistsError(), _e.AlreadyExistsError, os.strerror(errno.EEXIST)),
        (PermissionError("no key"), _e.PermissionDeniedError, os.strerror(errno.EACCES)),
        (OSError("the server is on fire"), _e.UnknownError, "the server is on fire"),
    ],
)
def test_errors_without_a_code_have_a_class_by_their_type(error: OSError, kind: Any, reason: str) -> None:
    with pytest.raises(kind) as caught, file_errors("name"):
        raise error
    assert str(caught.value) == f"name; {reason}"


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
