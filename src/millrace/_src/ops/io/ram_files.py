"""Files in memory, as long as the process lives: names that begin with `ram://`.

A file needs no directory to be made for it: those above come with the file, as in an object store.
"""

from __future__ import annotations

import errno
import os
import threading
import time
from io import RawIOBase, UnsupportedOperation
from typing import Any

from millrace._src.ops.io.file_system import FileStatistics, FileSystem


class _RamContents:
    """The bytes of one file, which open files share."""

    __slots__ = ("data", "changed", "claim")

    def __init__(self) -> None:
        self.data = bytearray()
        self.claim = threading.Lock()
        self.changed = time.time_ns()


class _RamFile(RawIOBase):
    """An open file in memory."""

    def __init__(self, contents: _RamContents, mode: str, lock: threading.RLock) -> None:
        self._contents, self._mode, self._lock = contents, mode, lock
        self._position = 0
        self._has_claim = False

    def claim(self) -> _RamContents:
        """Waits until no open file has claimed the contents, and claims them; returns the contents."""
        self._contents.claim.acquire()
        self._has_claim = True
        return self._contents

    def close(self) -> None:
        if self._has_claim:
            self._has_claim = False
            self._contents.claim.release()
        super().close()

    def readable(self) -> bool:
        return self._mode == "r"

    def writable(self) -> bool:
        return self._mode != "r"

    def seekable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        view = memoryview(buffer).cast("B")
        if not self.readable():
            raise UnsupportedOperation("File not open for reading")
        with self._lock:
            piece = self._contents.data[self._position : self._position + len(view)]
        view[: len(piece)] = piece
        self._position += len(piece)
        return len(piece)

    def write(self, data: Any) -> int:
        if not self.writable():
            raise UnsupportedOperation("File not open for writing")
        view = memoryview(data).cast("B")
        with self._lock:
            begin = len(self._contents.data) if self._mode == "a" else self._position
            self._contents.data[begin : begin + len(view)] = view
            self._contents.changed = time.time_ns()
        self._position = begin + len(view)
        return len(view)

    def seek(self, offset: int, whence: int = 0) -> int:
        self._position = offset + (0, self._position, len(self._contents.data))[whence]
        return self._position

    def tell(self) -> int:
        return self._position


class RamFileSystem(FileSystem):
    """Files in the memory of this process."""

    renames_open_files = knows_claims = True

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._entries: dict[str, _RamContents | None] = {"": None}
        """Files, and directories, which have no contents, by path."""

    def path_of(self, name: str) -> str:
        """Returns the path of a name, without slashes at its ends and without empty parts."""
        return "/".join(part for part in super().path_of(name).split("/") if part)

    def open(self, path: str, mode: str) -> RawIOBase:
        """Opens a file."""
        with self._lock:
            entry = self._entries.get(path)
            if entry is None and path in self._entries:
                raise _failure(errno.EISDIR, path)
            if mode == "r" and entry is None:
                raise _failure(errno.ENOENT, path)
            if mode == "x" and entry is not None:
                raise _failure(errno.EEXIST, path)
            if entry is None or mode == "w":
                self.make_directories(self.directory_of(path))
                entry = self._entries[path] = _RamContents()
            return _RamFile(entry, mode, self._lock)

    def status(self, path: str) -> FileStatistics:
        """Returns the size, time and kind of a file."""
        with self._lock:
            entry = self._find(path)
            return (
                FileStatistics(0, 0, True) if entry is None else FileStatistics(len(entry.data), entry.changed, False)
            )

    def list_directory(self, path: str) -> list[str]:
        """Returns the names in a directory, in the order in which they were made."""
        with self._lock:
            if self._find(path) is not None:
                raise _failure(errno.ENOTDIR, path)
            return [entry[len(path) :].lstrip("/") for entry in self._entries if self._is_in(entry, path)]

    def make_directory(self, path: str) -> None:
        """Makes a directory, and those above."""
        with self._lock:
            if path in self._entries:
                raise _failure(errno.EEXIST, path)
            self.make_directories(path)

    def make_directories(self, path: str) -> None:
        """Makes a directory and those above."""
        with self._lock:
            if self._entries.get(path) is not None:
                raise _failure(errno.ENOTDIR, path)
            if path not in self._entries:
                self.make_directories(self.directory_of(path))
                self._entries[path] = None

    def remove(self, path: str) -> None:
        """Deletes a file."""
        with self._lock:
            if self._find(path) is None:
                raise _failure(errno.EISDIR, path)
            del self._entries[path]

    def remove_directory(self, path: str) -> None:
        """Deletes an empty directory."""
        with self._lock:
            if self.list_directory(path):
                raise _failure(errno.ENOTEMPTY, path)
            if path:
                del self._entries[path]

    def rename(self, source: str, target: str) -> None:
        """Gives a file, or a directory and all that is in it, another path."""
        with self._lock:
            is_directory = self._find(source) is None
            if target in self._entries and (self._entries[target] is None or is_directory):
                raise _failure(errno.EISDIR if self._entries[target] is None else errno.ENOTDIR, target)
            if is_directory and f"{target}/".startswith(f"{source}/"):
                raise _failure(errno.EINVAL, source)
            self.make_directories(self.directory_of(target))
            for path in [entry for entry in self._entries if f"{entry}/".startswith(f"{source}/")]:
                self._entries[target + path[len(source) :]] = self._entries.pop(path)

    def claim(self, file: RawIOBase) -> bool:
        """Claims a file until it is closed, and says whether no process removed the file before."""
        assert isinstance(file, _RamFile)
        contents = file.claim()
        with self._lock:
            return any(entry is contents for entry in self._entries.values())

    def remove_abandoned(self, path: str) -> bool:
        """Deletes a file that no open file has claimed."""
        with self._lock:
            entry = self._entries.get(path)
            if entry is None or not entry.claim.acquire(blocking=False):
                return False
            del self._entries[path]
            entry.claim.release()
            return True

    def _find(self, path: str) -> _RamContents | None:
        """Returns the contents of a file, or None for a directory."""
        if path not in self._entries:
            raise _failure(errno.ENOENT, path)
        return self._entries[path]

    def _is_in(self, path: str, directory: str) -> bool:
        """Says whether a path is directly in a directory."""
        return path != "" and self.directory_of(path) == directory


def _failure(code: int, path: str) -> OSError:
    return OSError(code, os.strerror(code), path)
