"""Files and folders of a test."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from millrace._src.testing.temporary_files import TemporaryFile, TemporaryFolder, remove_folder


@pytest.fixture
def file(tmp_path: Path) -> TemporaryFile:
    return TemporaryFolder(tmp_path).create_file("x", content="é\n")


def test_text_is_written_as_it_is(file: TemporaryFile) -> None:
    assert file.read_bytes() == "é\n".encode()
    file.write_text("more\r\n", mode="a")
    assert file.read_bytes() == b"\xc3\xa9\nmore\r\n"
    file.write_bytes(b"\xff")
    assert file.read_text(errors="replace") == "\ufffd"


def test_a_file_opens_as_text_or_bytes(file: TemporaryFile) -> None:
    with file.open_text() as stream:
        assert stream.read() == "é\n"
    with file.open_bytes("ab") as raw:
        raw.write(b"!")
    assert file.read_text() == "é\n!"


def test_a_mode_of_the_other_kind_is_refused(file: TemporaryFile) -> None:
    with pytest.raises(ValueError, match="'b' flag not allowed"), file.open_text("rb"):
        pass
    with pytest.raises(ValueError, match="'t' flag not allowed"), file.open_bytes("rt"):
        pass


def test_files_without_a_name_get_new_ones(tmp_path: Path) -> None:
    folder = TemporaryFolder(tmp_path)
    paths = {folder.create_file().full_path, folder.create_file().full_path, folder.mkdir().full_path}
    assert len(paths) == 3
    assert os.fspath(folder) == folder.full_path == str(tmp_path)


def test_a_folder_that_is_gone_is_removed_without_complaint(tmp_path: Path) -> None:
    remove_folder(tmp_path / "missing")
