"""File systems of other schemes, through `fsspec`: `s3://`, `gs://`, `memory://`, `hdfs://` and many more.

`fsspec` knows the schemes; most of them need one more package, such as `s3fs`, which says who the user is. A file
of an object store appears when the file is closed. There, renaming is copying and deleting.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import RawIOBase
from typing import Any

from millrace._src.core import errors
from millrace._src.ops.io.file_system import FileStatistics, FileSystem
from millrace._src.util.lazy_import import import_optional

_MODES = {"r": "rb", "w": "wb", "x": "wb", "a": "ab"}


def remote_schemes() -> list[str]:
    """Returns the schemes that `fsspec` knows; none if it is not installed."""
    try:
        fsspec = _fsspec()
    except ModuleNotFoundError:
        return []
    return _known_schemes(fsspec)


def _known_schemes(fsspec: Any) -> list[str]:
    """Returns the schemes that `fsspec` can import file systems for, and those that the program registered."""
    return list(dict.fromkeys([*fsspec.available_protocols(), *fsspec.registry]))


def remote_file_system(name: str, scheme: str) -> FileSystem:
    """Returns the file system of a name.

    Raises: tf.errors.UnimplementedError: if `fsspec` or a package that it needs is not installed, or the scheme is
      unknown.
    """
    refusal = f"File system scheme '{scheme}' not implemented (file: '{name}')"
    try:
        fsspec = _fsspec()
        if scheme not in _known_schemes(fsspec):
            raise errors.UnimplementedError(None, None, refusal)
        file_system, _ = fsspec.url_to_fs(name)
    except ImportError as error:
        raise errors.UnimplementedError(None, None, f"{refusal}. {error}") from None
    return FsspecFileSystem(file_system)


def _fsspec() -> Any:
    return import_optional("fsspec", "A file that is not on this machine", "remote")


@contextmanager
def _system_errors() -> Iterator[None]:
    """Turns what file systems of `fsspec` raise where they cannot do something into errors of the system."""
    try:
        yield
    except NotImplementedError as error:
        raise OSError(errno.ENOTSUP, str(error) or os.strerror(errno.ENOTSUP)) from None
    except ValueError as error:  # of a mode, a path or a seek that is not supported
        raise OSError(errno.EINVAL, str(error)) from None


class _RemoteFile(RawIOBase):
    """An open file of `fsspec`. The position in it is kept here: files of `memory://` share theirs between readers."""

    def __init__(self, file: Any, mode: str) -> None:
        self._file, self._mode = file, mode
        self._position: int = file.tell()

    def readable(self) -> bool:
        return self._mode == "r"

    def writable(self) -> bool:
        return self._mode != "r"

    def seekable(self) -> bool:
        return self.readable()

    def readinto(self, buffer: Any) -> int:
        view = memoryview(buffer).cast("B")
        with _system_errors():
            self._file.seek(self._position)
            piece = self._file.read(len(view))
        view[: len(piece)] = piece
        self._position += len(piece)
        return len(piece)

    def write(self, data: Any) -> int:
        view = memoryview(data).cast("B")
        with _system_errors():
            self._file.write(view)
        self._position += len(view)
        return len(view)

    def seek(self, offset: int, whence: int = 0) -> int:
        with _system_errors():
            base = (0, self._position, self._file.seek(0, 2))[whence] if whence else 0
        self._position = base + offset
        return self._position

    def tell(self) -> int:
        return self._position

    def close(self) -> None:
        if not self.closed:
            super().close()
            with _system_errors():
                self._file.close()


class FsspecFileSystem(FileSystem):
    """A file system of `fsspec`.

    Args: file_system: the `fsspec.AbstractFileSystem`.
    """

    def __init__(self, file_system: Any) -> None:
        self._file_system = file_system

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FsspecFileSystem) and bool(self._file_system == other._file_system)

    def __hash__(self) -> int:
        return hash(self._file_system)

    def path_of(self, name: str) -> str:
        """Returns the path of a name; the file system of `fsspec` takes the scheme off."""
        return name

    def directory_of(self, path: str) -> str:
        """Returns the name of the directory above; what follows the scheme directly has none."""
        scheme, _, rest = path.partition("://")
        directory, slash, _ = rest.rstrip("/").rpartition("/")
        return f"{scheme}://{directory}" if slash else ""

    def open(self, path: str, mode: str) -> RawIOBase:
        """Opens a file; that it must be new is looked at before, as few of these file systems can make it so."""
        if mode == "x" and self.exists(path):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), path)
        with _system_errors():
            return _RemoteFile(self._file_system.open(path, _MODES[mode]), mode)

    def content(self, path: str) -> bytes:
        """Returns all bytes of a file."""
        with _system_errors():
            content: bytes = self._file_system.cat_file(path)
        return content

    def status(self, path: str) -> FileStatistics:
        """Returns the size of a file, and its time where the file system knows that."""
        with _system_errors():
            self._file_system.invalidate_cache()  # another process may have written
            facts = self._file_system.info(path)
            is_directory = facts["type"] == "directory"
            return FileStatistics(facts["size"] or 0, 0 if is_directory else self._change_time(path), is_directory)

    def _change_time(self, path: str) -> int:
        """Returns when a file was changed, in nanoseconds since 1970; 0 if unknown."""
        try:
            return int(self._file_system.modified(path).timestamp() * 1e9)
        except NotImplementedError:
            return 0

    def exists(self, path: str) -> bool:
        """Says whether there is a file or directory."""
        self._file_system.invalidate_cache()
        return bool(self._file_system.exists(path))

    def list_directory(self, path: str) -> list[str]:
        """Returns the names in a directory."""
        with _system_errors():
            self._file_system.invalidate_cache()
            if self._file_system.isfile(path):
                raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), path)
            entries = self._file_system.ls(path, detail=False)
        return [entry.rstrip("/").rpartition("/")[2] for entry in entries]

    def make_directory(self, path: str) -> None:
        """Makes a directory."""
        with _system_errors():
            self._file_system.mkdir(path, create_parents=False)

    def make_directories(self, path: str) -> None:
        """Makes a directory and those above."""
        with _system_errors():
            self._file_system.makedirs(path, exist_ok=True)

    def remove(self, path: str) -> None:
        """Deletes a file."""
        if self.is_directory(path):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
        with _system_errors():
            self._file_system.rm_file(path)

    def remove_directory(self, path: str) -> None:
        """Deletes an empty directory."""
        with _system_errors():
            self._file_system.rmdir(path)

    def remove_tree(self, path: str) -> None:
        """Deletes a directory and all in it, or a file; a directory of an object store goes with its last file."""
        with _system_errors(), suppress(FileNotFoundError):
            self._file_system.rm(path, recursive=True)

    def rename(self, source: str, target: str) -> None:
        """Gives a file another path: in most of these file systems by a copy."""
        if self.is_directory(target):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), target)
        with _system_errors():
            self._file_system.mv(source, target, recursive=self.is_directory(source))

    def sync_directory(self, path: str) -> None:
        """Does nothing: what is closed lasts, and a directory need not exist."""
