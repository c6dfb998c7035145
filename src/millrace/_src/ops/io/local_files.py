"""The file system of this machine."""

from __future__ import annotations

import ctypes
import errno
import mmap
import os
import shutil
import stat
import sys
from collections.abc import Callable, Sequence
from io import FileIO, RawIOBase
from typing import Any, cast

from millrace._src.ops.io.file_system import FileStatistics, FileSystem

if sys.platform == "win32":  # files are not locked there, so that no file counts as abandoned
    _EXCLUSIVE = _AT_ONCE = 0

    def _flock(file: RawIOBase, kind: int) -> None:
        raise OSError(errno.ENOTSUP, os.strerror(errno.ENOTSUP))
else:
    from fcntl import LOCK_EX as _EXCLUSIVE
    from fcntl import LOCK_NB as _AT_ONCE
    from fcntl import flock as _flock

_BINARY: int = getattr(os, "O_BINARY", 0)  # of Windows, where text is another mode of reading
_SMALLEST_PART = 1 << 16
_NO_SPACE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_read_at: Callable[[int, Sequence[Any], int], int] | None = getattr(os, "preadv", None)  # not on Windows


def _linux_allocate() -> Callable[[int, int, int, int], int] | None:
    """Returns the call of Linux that sets space aside.

    `os.posix_fallocate` would write to each block where the file system cannot do it otherwise.
    """
    if sys.platform != "linux":
        return None
    try:
        allocate = ctypes.CDLL(None, use_errno=True).fallocate
    except (OSError, AttributeError):  # another C library
        return None
    allocate.argtypes = [ctypes.c_int, ctypes.c_int, ctypes.c_int64, ctypes.c_int64]
    return cast("Callable[[int, int, int, int], int]", allocate)


_allocate = _linux_allocate()


class LocalFileSystem(FileSystem):
    """The files of this machine. A claim is a lock, which the operating system takes away when a process ends."""

    renames_open_files = knows_claims = sys.platform != "win32"
    reads_at_once = _read_at is not None

    def path_of(self, name: str) -> str:
        """Returns the path of a name that may begin with `file://` and a host, which is passed over."""
        _, separator, rest = name.partition("://")
        return f"/{rest.partition('/')[2]}" if separator else name

    def directory_of(self, path: str) -> str:
        """Returns the path of the directory that a path is in."""
        return os.path.dirname(path)

    def open(self, path: str, mode: str) -> FileIO:
        """Opens a file without a buffer."""
        return FileIO(path, mode)

    def content(self, path: str) -> bytes:
        """Reads a whole file in few calls of the system: each may cost a thread its turn with Python's lock."""
        descriptor = os.open(path, os.O_RDONLY | _BINARY)
        try:
            size = os.fstat(descriptor).st_size
            content = os.read(descriptor, size + 1)
            if 0 < len(content) == size:
                return content
            parts = [content]  # a pipe, a file that grows, or one that the system makes as it is read
            while parts[-1]:
                parts.append(os.read(descriptor, max(size, _SMALLEST_PART)))
            return b"".join(parts)
        finally:
            os.close(descriptor)

    def map(self, path: str) -> memoryview | None:
        """Maps a file into memory; an empty one, and what is not a plain file, cannot be mapped."""
        with FileIO(path) as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode) or not status.st_size:
                return None
            return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))

    def read_at(self, file: RawIOBase, offset: int, memory: object) -> int:
        """Reads at an offset, without a position that threads could quarrel about."""
        if _read_at is None:
            return super().read_at(file, offset, memory)
        return _read_at(file.fileno(), [memory], offset)

    def reserve(self, file: RawIOBase, size: int) -> None:
        """Sets space aside; where that cannot be done, or only by writing, nothing happens."""
        if _allocate is None:
            return
        ctypes.set_errno(0)
        if _allocate(file.fileno(), 0, file.tell(), size) and ctypes.get_errno() in _NO_SPACE:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))

    def status(self, path: str) -> FileStatistics:
        """Returns the size, time and kind of a file."""
        status = os.stat(path)
        return FileStatistics(status.st_size, status.st_mtime_ns, stat.S_ISDIR(status.st_mode))

    def exists(self, path: str) -> bool:
        """Says whether there is a file or directory."""
        return os.path.exists(path)

    def is_taken(self, path: str) -> bool:
        """Says whether there is a file, a directory, or a link that leads nowhere."""
        return os.path.lexists(path)

    def is_directory(self, path: str) -> bool:
        """Says whether a path is a directory."""
        return os.path.isdir(path)

    def is_same_file(self, path: str, other_path: str) -> bool:
        """Says whether two paths are one file: equal ones, or links."""
        return os.path.exists(other_path) and os.path.samefile(path, other_path)

    def list_directory(self, path: str) -> list[str]:
        """Returns the names in a directory."""
        return os.listdir(path or ".")

    def make_directory(self, path: str) -> None:
        """Makes a directory."""
        os.mkdir(path)

    def make_directories(self, path: str) -> None:
        """Makes a directory and those above."""
        if path:
            os.makedirs(path, exist_ok=True)

    def remove(self, path: str) -> None:
        """Deletes a file or a link."""
        os.unlink(path)

    def remove_directory(self, path: str) -> None:
        """Deletes an empty directory."""
        os.rmdir(path)

    def remove_tree(self, path: str) -> None:
        """Deletes a directory and all that is in it, or a file; what links point to stays.

        Raises: NotADirectoryError: for a link to a directory.
        """
        if not os.path.isdir(path):
            os.unlink(path)
        elif os.path.islink(path):
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), path)
        else:
            shutil.rmtree(path)

    def rename(self, source: str, target: str) -> None:
        """Gives a file another path, in one step."""
        os.replace(source, target)

    def sync(self, file: RawIOBase) -> None:
        """Waits until the bytes of a file are on the disk."""
        os.fsync(file.fileno())

    def sync_directory(self, path: str) -> None:
        """Waits until the names in a directory are on the disk; Windows offers no such thing."""
        if os.name != "posix":
            return
        descriptor = os.open(path or ".", os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

    def claim(self, file: RawIOBase) -> bool:
        """Locks a file, and says whether no process removed the file before it was locked."""
        return not _lock(file, _EXCLUSIVE) or os.fstat(file.fileno()).st_nlink > 0

    def remove_abandoned(self, path: str) -> bool:
        """Deletes a file that no process has locked; while it is deleted, it is locked here."""
        try:
            with FileIO(path, "r+") as file:
                if not _lock(file, _EXCLUSIVE | _AT_ONCE):
                    return False
                os.unlink(path)
                return True
        except OSError:
            return False


def _lock(file: RawIOBase, kind: int) -> bool:
    """Locks an open file until it is closed; returns whether that could be done."""
    try:
        _flock(file, kind)
    except OSError:  # another process has locked it, or the file system knows no locks
        return False
    return True


LOCAL = LocalFileSystem()
