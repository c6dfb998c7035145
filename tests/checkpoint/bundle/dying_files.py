"""A file system on which a program dies at a chosen moment: nothing that it does afterwards happens."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from io import FileIO, RawIOBase
from typing import Any

from millrace._src.ops.io.file_systems import register_file_system
from millrace._src.ops.io.local_files import LocalFileSystem


class Death(BaseException):
    """The program ends here."""


class _DyingFile(FileIO):
    def __init__(self, path: str, mode: str, system: DyingFileSystem) -> None:
        super().__init__(path, mode)
        self._system = system

    def write(self, data: Any) -> int:
        """Writes; a program that dies meanwhile has written half."""
        half = len(data) // 2
        try:
            self._system.step()
        except Death:
            if self._system.steps == 0:
                self._system.steps = -1
                super().write(bytes(data)[:half])
            raise
        return super().write(data)


class DyingFileSystem(LocalFileSystem):
    """Files of this machine, until the last step."""

    renames_open_files = True

    def __init__(self) -> None:
        self.steps = 1 << 60
        self.open_files: list[FileIO] = []

    def step(self) -> None:
        """Counts a change; the program dies instead of the last one."""
        self.steps -= 1
        if self.steps <= 0:
            raise Death

    def path_of(self, name: str) -> str:
        """Returns the path behind the scheme."""
        return name.partition("://")[2]

    def open(self, path: str, mode: str) -> Any:
        """Opens a file; a new one is a change."""
        if mode == "r":
            return FileIO(path, mode)
        self.step()
        self.open_files.append(_DyingFile(path, mode, self))
        return self.open_files[-1]

    def rename(self, source: str, target: str) -> None:
        """Renames a file."""
        self.step()
        super().rename(source, target)

    def remove(self, path: str) -> None:
        """Removes a file."""
        self.step()
        super().remove(path)

    def sync(self, file: RawIOBase) -> None:
        """Does nothing: what was written outlasts the program, if not the machine."""


@contextmanager
def dying_after(steps: int) -> Iterator[DyingFileSystem]:
    """Serves `dying://` by a file system on which the program dies after some changes; 0 for never."""
    system = DyingFileSystem()
    system.steps = steps or system.steps
    register_file_system("dying", system)
    try:
        yield system
    finally:
        register_file_system("dying", None)
        for file in system.open_files:
            file.close()
