"""What programs about files share: a folder of their own, and answers that do not name it."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from typing import Any

from tests.oracle.support import normalise


class Folder:
    """A temporary folder with some files."""

    def __init__(self, path: str) -> None:
        self.path = path

    def __call__(self, name: str) -> str:
        """The path of a name in the folder."""
        return f"{self.path}/{name}"

    def write(self, name: str, data: bytes) -> str:
        """Writes a file and returns its path."""
        os.makedirs(os.path.dirname(self(name)), exist_ok=True)
        with open(self(name), "wb") as file:
            file.write(data)
        return self(name)

    def read(self, name: str) -> bytes:
        """The bytes of a file."""
        with open(self(name), "rb") as file:
            return file.read()

    def hidden(self, value: Any) -> Any:
        """A value without the name of the folder."""
        if isinstance(value, str):
            return value.replace(self.path, "DIR")
        if isinstance(value, bytes):
            return value.replace(self.path.encode(), b"DIR")
        if isinstance(value, (list, tuple)):
            return type(value)(map(self.hidden, value))
        return value

    def attempt(self, call: Callable[[], Any]) -> Any:
        """What a call returns, or the class and TensorFlow's words of its error."""
        try:
            return self.hidden(call())
        except Exception as error:
            words = normalise(self.hidden(str(error)))
            for end in (" [Op:", " [file: ", " for '{{node"):
                words = words.split(end)[0]
            return [type(error).__name__, words]


@contextlib.contextmanager
def folder() -> Iterator[Folder]:
    """Makes a folder with `a.txt`, `b.txt`, `.hid`, `[q].txt`, `d/x.txt` and `d/e/y.txt`, each with its own name in it."""
    path = tempfile.mkdtemp()
    made = Folder(path)
    for name in ("a.txt", "b.txt", ".hid", "[q].txt", "d/x.txt", "d/e/y.txt"):
        made.write(name, name.encode())
    try:
        yield made
    finally:
        shutil.rmtree(path, ignore_errors=True)
