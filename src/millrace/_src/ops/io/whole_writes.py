"""Files that appear whole, or not at all.

A process may be killed, and a machine may lose power, at any moment. So a file is written under another name beside
its own, brought to the disk, and then renamed, which is one step. What a dead process leaves behind has a name that
no reader takes for the file, and the next process that writes there removes it.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from millrace._src.ops.io.file_names import file_errors
from millrace._src.ops.io.file_system import write_all
from millrace._src.ops.io.file_systems import file_system_of

_PART = re.compile(r".+\.part-[0-9a-f]{16}")
"""The names of files that are being written."""


class PartFile:
    """A file that is being written beside its final path.

    Args: name: the name that the file will have. Its directory exists.
    Raises: tf.errors.OpError: if the file cannot be made.
    """

    def __init__(self, name: str) -> None:
        self._file_system, path = file_system_of(name)
        self.name = name
        """The name that the file will have."""
        with file_errors(name):
            while True:
                self._part = f"{path}.part-{secrets.token_hex(8)}"
                self._file = self._file_system.open(self._part, "x")
                if self._file_system.claim(self._file):
                    break
                self._file.close()
        self.size = 0
        """How many bytes have been written."""

    def reserve(self, size: int) -> None:
        """Says that so many bytes will follow; worth it for many of them: the file system may set space aside."""
        with file_errors(self.name):
            self._file_system.reserve(self._file, size)

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Writes bytes, all of them."""
        with file_errors(self.name):
            write_all(self._file, data)
        self.size += len(data)

    def sync(self) -> None:
        """Waits until the bytes would outlast a loss of power."""
        with file_errors(self.name):
            self._file_system.sync(self._file)

    def commit(self, name: str | None = None) -> None:
        """Moves the file to its final path, and closes it; `sync` comes before, `sync_directory` after the last file.

        Args: name: the final path, where it is not the one that was given at first.
        """
        target = self.name if name is None else name
        with file_errors(target):
            if not self._file_system.renames_open_files:
                self._file.close()
            # While the file is open, it is claimed: no other process takes it for one of a dead process.
            self._file_system.rename(self._part, file_system_of(target)[1])
            self._file.close()

    def discard(self) -> None:
        """Closes and removes the file."""
        with suppress(OSError):  # what a full or unreachable disk still keeps back
            self._file.close()
        with suppress(OSError):
            self._file_system.remove(self._part)


@contextmanager
def atomic_write(name: str) -> Iterator[PartFile]:
    """Writes a file, which appears when the block ends, in place of the one that is there, and not if it raises.

    >>> import os, tempfile
    >>> from millrace._src.ops.io.whole_writes import atomic_write
    >>> path = os.path.join(tempfile.mkdtemp(), "a")
    >>> with atomic_write(path) as file:
    ...     file.write(b"text")
    >>> os.listdir(os.path.dirname(path))
    ['a']

    Args: name: the name of the file, whose directory exists.
    Yields: The file, which has `write`.
    Raises: tf.errors.OpError: if the file cannot be written; then nothing has changed.
    """
    remove_abandoned_parts(name)
    file = PartFile(name)
    try:
        yield file
        file.sync()
        sync_directory_of(name)  # the file may speak of others there: their names last before its own does
        file.commit()
    except BaseException:
        file.discard()
        raise
    sync_directory_of(name)


@contextmanager
def alone(name: str) -> Iterator[None]:
    """Keeps out others that want to be alone with a file too, where the file system knows claims; they wait.

    What is claimed is a part of the file, so that the next process removes it if this one is killed. The one that
    is alone with a file does not ask to be so again.

    Args: name: the name of the file, whose directory exists.
    Raises: tf.errors.OpError: if nothing can be written there.
    """
    file_system, path = file_system_of(name)
    if not file_system.knows_claims:
        yield
        return
    path = f"{path}.part-{0:016x}"
    with file_errors(name):
        while not file_system.claim(file := file_system.open(path, "a")):
            file.close()  # another was alone with the file, and has removed what was claimed
    try:
        yield
    finally:
        with suppress(OSError):
            file_system.remove(path)
        file.close()


def sync_directory_of(name: str) -> None:
    """Waits until the names in the directory of a file would outlast a loss of power."""
    file_system, path = file_system_of(name)
    with file_errors(name):
        file_system.sync_directory(file_system.directory_of(path))


def is_part(entry: str) -> bool:
    """Says whether a name in a directory is that of a file that is being written, or was when its process ended."""
    return _PART.fullmatch(entry) is not None


def remove_abandoned_parts(name: str) -> None:
    """Removes what dead processes left when they wrote into the directory of a file."""
    file_system, path = file_system_of(name)
    directory = file_system.directory_of(path)
    try:
        entries = file_system.list_directory(directory)
    except OSError:  # what writes there says why it cannot
        return
    for entry in filter(is_part, entries):
        file_system.remove_abandoned(f"{directory}/{entry}" if directory else entry)
