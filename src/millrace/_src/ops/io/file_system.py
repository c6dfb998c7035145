"""What a file system is.

Files may be on the disk of this machine, in memory, or far away. Code that reads and writes files asks a `FileSystem`,
which raises `OSError` as the operating system does. A new file system says a dozen things of itself; for the rest
there is a path by those.
"""

from __future__ import annotations

import posixpath
from abc import ABC, abstractmethod
from io import RawIOBase
from typing import Any

_READ_AT_ONCE = 1 << 20


class FileStatistics:
    """What `tf.io.gfile.stat` says about a file.

    Attributes:
      length: the size in bytes.
      mtime_nsec: when the file was last changed, in nanoseconds since 1970.
      is_directory: whether the file is a directory.
    """

    __slots__ = ("length", "mtime_nsec", "is_directory")

    def __init__(self, length: int, mtime_nsec: int, is_directory: bool) -> None:
        self.length = length
        self.mtime_nsec = mtime_nsec
        self.is_directory = is_directory

    def __repr__(self) -> str:
        return f"FileStatistics(length={self.length}, mtime_nsec={self.mtime_nsec}, is_directory={self.is_directory})"


class FileSystem(ABC):
    """Where files are. Paths are what `path_of` makes of names, and have slashes between their parts."""

    renames_open_files = False
    """Whether a file may be renamed before it is closed."""

    knows_claims = False
    """Whether a claim keeps others waiting."""

    def path_of(self, name: str) -> str:
        """Returns the path of a name with a scheme: what comes after `://`."""
        return name.partition("://")[2]

    def directory_of(self, path: str) -> str:
        """Returns the path of the directory that a path is in; "" for the one where paths begin."""
        return posixpath.dirname(path)

    # --- reading ---

    @abstractmethod
    def open(self, path: str, mode: str) -> RawIOBase:
        """Opens a file without a buffer.

        Args:
          path: the file.
          mode: "r" to read, "w" to write anew, "x" to write a file that must not exist yet, "a" to append.
        """

    def content(self, path: str) -> bytes:
        """Returns all bytes of a file."""
        with self.open(path, "r") as file:
            pieces = []
            while piece := file.read(_READ_AT_ONCE):
                pieces.append(piece)
        return b"".join(pieces)

    def map(self, path: str) -> memoryview | None:
        """Returns the bytes of a file as memory that is filled as it is read; None where that cannot be done."""
        return None

    reads_at_once = False
    """Whether several threads may call `read_at` on one open file at the same time."""

    def read_at(self, file: RawIOBase, offset: int, memory: Any) -> int:
        """Fills memory with the bytes of an open file from an offset on; returns how many there were, 0 at the end."""
        file.seek(offset)
        count: int = file.readinto(memory) or 0
        return count

    # --- asking ---

    @abstractmethod
    def status(self, path: str) -> FileStatistics:
        """Returns the size, time and kind of a file or directory."""

    def exists(self, path: str) -> bool:
        """Says whether there is a file or directory; where that cannot be found out, there is none."""
        try:
            self.status(path)
        except OSError:
            return False
        return True

    def is_taken(self, path: str) -> bool:
        """Says whether a name is taken: by what exists, or by a link to what does not."""
        return self.exists(path)

    def is_directory(self, path: str) -> bool:
        """Says whether a path is a directory."""
        try:
            return self.status(path).is_directory
        except OSError:
            return False

    def is_same_file(self, path: str, other_path: str) -> bool:
        """Says whether two paths, of which the first exists, are one file."""
        return path == other_path

    def size(self, path: str) -> int:
        """Returns the size of a file in bytes."""
        return self.status(path).length

    def modified_time(self, path: str) -> float:
        """Returns when a file was last changed, in seconds since 1970."""
        return self.status(path).mtime_nsec / 1e9

    @abstractmethod
    def list_directory(self, path: str) -> list[str]:
        """Returns the names of the files and directories in a directory, in no order."""

    # --- changing ---

    @abstractmethod
    def make_directory(self, path: str) -> None:
        """Makes a directory in one that exists."""

    @abstractmethod
    def make_directories(self, path: str) -> None:
        """Makes a directory and those above, if it does not exist."""

    @abstractmethod
    def remove(self, path: str) -> None:
        """Deletes a file."""

    @abstractmethod
    def remove_directory(self, path: str) -> None:
        """Deletes an empty directory."""

    def remove_tree(self, path: str) -> None:
        """Deletes a directory and all that is in it, or a file."""
        if not self.is_directory(path):
            self.remove(path)
            return
        for entry in self.list_directory(path):
            self.remove_tree(f"{path}/{entry}")
        self.remove_directory(path)

    @abstractmethod
    def rename(self, source: str, target: str) -> None:
        """Gives a file or directory another path, in place of a file that is there: in one step, if at all possible."""

    def reserve(self, file: RawIOBase, size: int) -> None:
        """Says that so many bytes will follow those that were written to an open file.

        Where the file system can, it sets the space aside: the bytes are then written faster, and a full disk is found
        out at once.
        """
        return

    # --- lasting ---

    def sync(self, file: RawIOBase) -> None:
        """Waits until what was written to an open file would outlast a loss of power."""
        file.flush()

    def sync_directory(self, path: str) -> None:
        """Waits until what was made, renamed and removed in a directory would outlast a loss of power."""
        self.status(path)  # a directory that is not there is an error in every file system

    def claim(self, file: RawIOBase) -> bool:
        """Marks a new file as written by this process until it is closed; returns whether it has not been removed."""
        return True

    def remove_abandoned(self, path: str) -> bool:
        """Deletes a file that a process claimed which no longer runs; returns whether that is so."""
        return False


def write_all(file: RawIOBase, data: bytes | bytearray | memoryview) -> None:
    """Writes all bytes to a file that may take fewer at a time."""
    count = file.write(data) or 0
    if count < len(data):
        view = memoryview(data).cast("B")[count:]
        while view:
            view = view[file.write(view) or 0 :]
