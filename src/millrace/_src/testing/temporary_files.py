"""Files and folders that a test makes and that go away with the test.

A test asks for them by name (`self.create_tempfile("model/weights.bin")`); each test has a folder of its own, so that
two tests may use one name. They are path-like: `open(file)` and `os.path.join(folder, "x")` take them as they are.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import IO


class _TemporaryPath:
    """A file or folder of a test, at a path.

    Args: path: Where the file or folder is; it exists.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    @property
    def full_path(self) -> str:
        """The path, as text."""
        return str(self._path)

    def __fspath__(self) -> str:
        return self.full_path


class TemporaryFile(_TemporaryPath):
    """A file of a test."""

    def read_text(self, encoding: str = "utf8", errors: str = "strict") -> str:
        """Returns what the file holds, as text."""
        return self._path.read_text(encoding=encoding, errors=errors)

    def read_bytes(self) -> bytes:
        """Returns what the file holds."""
        return self._path.read_bytes()

    def write_text(self, text: str, mode: str = "w", encoding: str = "utf8", errors: str = "strict") -> None:
        """Writes text to the file.

        Args:
          text: What to write.
          mode: "w" to replace what the file holds, "a" to add to it.
          encoding: How the text becomes bytes.
          errors: What to do about text that has no such bytes.
        """
        with open(self._path, mode, encoding=encoding, errors=errors, newline="") as file:
            file.write(text)

    def write_bytes(self, data: bytes, mode: str = "wb") -> None:
        """Writes bytes to the file."""
        with open(self._path, mode) as file:
            file.write(data)

    @contextlib.contextmanager
    def open_text(self, mode: str = "rt", encoding: str = "utf8", errors: str = "strict") -> Iterator[IO[str]]:
        """Opens the file as text, for a `with` statement.

        Raises: ValueError: if the mode is one of bytes.
        """
        if "b" in mode:
            raise ValueError(f"Invalid mode {mode!r}: 'b' flag not allowed when opening file in text mode")
        with open(
            self._path, mode if "t" in mode else f"{mode}t", encoding=encoding, errors=errors, newline=""
        ) as file:
            yield file

    @contextlib.contextmanager
    def open_bytes(self, mode: str = "rb") -> Iterator[IO[bytes]]:
        """Opens the file as bytes, for a `with` statement.

        Raises: ValueError: if the mode is one of text.
        """
        if "t" in mode:
            raise ValueError(f"Invalid mode {mode!r}: 't' flag not allowed when opening file in binary mode")
        with open(self._path, mode if "b" in mode else f"{mode}b") as file:
            yield file


class TemporaryFolder(_TemporaryPath):
    """A folder of a test."""

    def mkdir(self, dir_path: str | None = None) -> TemporaryFolder:
        """Makes a folder below this one.

        Args: dir_path: Its path below this folder, with folders between; a new name if there is none given.
        """
        path = self._path / (dir_path or _unused_name(self._path, "dir"))
        path.mkdir(parents=True, exist_ok=True)
        return TemporaryFolder(path)

    def create_file(
        self,
        file_path: str | None = None,
        content: str | bytes | None = None,
        mode: str = "w",
        encoding: str = "utf8",
        errors: str = "strict",
    ) -> TemporaryFile:
        """Makes a file below this folder.

        Args:
          file_path: Its path below this folder, with folders between; a new name if there is none given.
          content: What the file holds; nothing if there is none given.
          mode: How text is written: "w" or "a".
          encoding: How text becomes bytes.
          errors: What to do about text that has no such bytes.
        """
        path = self._path / (file_path or _unused_name(self._path, "file"))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
        file = TemporaryFile(path)
        if isinstance(content, bytes):
            file.write_bytes(content, mode if "b" in mode else f"{mode}b")
        elif content is not None:
            file.write_text(content, mode, encoding, errors)
        return file


def _unused_name(folder: Path, root: str) -> str:
    """Returns the first of `file0`, `file1` ... that does not exist in a folder."""
    number = 0
    while (folder / f"{root}{number}").exists():
        number += 1
    return f"{root}{number}"


def remove_folder(path: str | os.PathLike[str]) -> None:
    """Removes a folder with all that is in it; what another process holds stays."""
    shutil.rmtree(path, ignore_errors=True)
