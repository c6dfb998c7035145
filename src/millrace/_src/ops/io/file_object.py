"""Files that are read and written piece by piece: `tf.io.gfile.GFile`.

A `GFile` is opened when it is first used, not when it is made; reading and writing are two files of the operating
system, each opened when needed. A closed one opens again when it is used again. All of this is TensorFlow's.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from io import BufferedReader, BufferedWriter, RawIOBase
from typing import Any

from millrace._src.core import errors
from millrace._src.core.sequences import utf8_bytes
from millrace._src.ops.io.file_names import file_errors, file_name
from millrace._src.ops.io.file_systems import file_system_of
from millrace._src.ops.io.gfile import stat
from millrace._src.util.export import export

_BUFFER_SIZE = 512 * 1024
_MODES = ("r", "w", "a", "r+", "w+", "a+")


@export("io.gfile.GFile", v1=["gfile.GFile", "gfile.Open", "io.gfile.GFile"])
class GFile:
    """A file that is read or written piece by piece.

    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "a.txt")
    >>> with tf.io.gfile.GFile(path, "w") as file:
    ...     file.write("first\\nsecond\\n")
    >>> with tf.io.gfile.GFile(path) as file:
    ...     print([line.strip() for line in file])
    ['first', 'second']
    """

    def __init__(self, name: object, mode: str = "r") -> None:
        """Makes the object; the file is opened when it is first used.

        Args:
          name: name of the file: text, bytes or a path object; a scheme such as
            `file://` or `ram://` may stand in front.
          mode: "r" to read, "w" to write anew, "a" to append, each with "+" to do the other thing too, and with "b"
            for bytes rather than text.

        Raises: tf.errors.InvalidArgumentError: for another mode.
        """
        self._name = name
        self._mode = mode
        self._is_binary = "b" in mode
        plain_mode = mode.replace("b", "")
        if plain_mode not in _MODES:
            raise errors.InvalidArgumentError(None, None, "mode is not 'r' or 'w' or 'a' or 'r+' or 'w+' or 'a+'")
        self._can_read = plain_mode in ("r", "r+", "w+", "a+")
        self._can_write = plain_mode != "r"
        self._system_mode = "a" if plain_mode.startswith("a") else "w"
        self._reader: BufferedReader | None = None
        self._writer: BufferedWriter | None = None
        self._closers: list[Any] = []
        """What closes the open files, here or when nothing holds the object any more."""

    @property
    def name(self) -> Any:
        """The name of the file, as it was given."""
        return self._name

    @property
    def mode(self) -> str:
        """The mode, as it was given."""
        return self._mode

    # --- reading ---

    def read(self, n: int = -1) -> str | bytes:
        """Reads `n` bytes, or the rest of the file, as text or as bytes.

        Raises: tf.errors.OpError: if the file cannot be read; UnicodeDecodeError: if the bytes are not text.
        """
        if n < -1:
            raise errors.InvalidArgumentError(None, None, f"Can't read a negative number of bytes: {n}")
        reader = self._open_reader()
        with file_errors(str(self._name)):
            return self._as_text(reader.read(n))

    def readline(self) -> str | bytes:
        """Reads a line with its newline, without carriage returns; nothing at the end of the file."""
        reader = self._open_reader()
        with file_errors(str(self._name)):
            return self._as_text(reader.readline().replace(b"\r", b""))

    def readlines(self) -> list[str | bytes]:
        """Reads the rest of the lines."""
        return list(self)

    def __iter__(self) -> Iterator[str | bytes]:
        return self

    def __next__(self) -> str | bytes:
        line = self.readline()
        if not line:
            raise StopIteration
        return line

    def next(self) -> str | bytes:
        """Reads a line, as `readline` does.

        Raises: StopIteration: at the end of the file.
        """
        return self.__next__()

    def seek(self, offset: int | None = None, whence: int = 0, position: int | None = None) -> None:
        """Goes on reading elsewhere.

        Args:
          offset: how far from there.
          whence: 0 for the front, 1 for where the file is, 2 for the end.
          position: the older name of `offset`.

        Raises: tf.errors.InvalidArgumentError: for a position before the file; OutOfRangeError: for one after the file.
        """
        distance = position if offset is None else offset
        if distance is None:
            raise TypeError("seek(): offset argument required")
        if whence not in (0, 1, 2):
            message = f"Invalid whence argument: {whence}. Valid values are 0, 1, or 2."
            raise errors.InvalidArgumentError(None, None, message)
        reader = self._open_reader()
        size = self.size()
        target = distance + (0, reader.tell(), size)[whence]
        if target < 0:
            raise errors.InvalidArgumentError(None, None, f"Seeking to a negative position: {target}")
        reader.seek(min(target, size))
        if target > size:
            raise errors.OutOfRangeError(None, None, "reached end of file")

    def seekable(self) -> bool:
        """Says that the file can be read from any position."""
        return True

    # --- writing ---

    def write(self, file_content: str | bytes) -> None:
        """Writes text or bytes.

        Raises: tf.errors.OpError: if the file cannot be written; TypeError: for neither text nor bytes.
        """
        writer = self._open_writer()
        if not isinstance(file_content, (str, bytes, bytearray, memoryview)):
            raise TypeError(f"Expected binary or unicode string, got {file_content!r}")
        data = utf8_bytes(file_content) if isinstance(file_content, str) else file_content
        with file_errors(str(self._name)):
            writer.write(data)

    def flush(self) -> None:
        """Writes what was kept back, so that readers of the file see it."""
        if self._writer is not None:
            with file_errors(str(self._name)):
                self._writer.flush()

    def close(self) -> None:
        """Closes the file."""
        closers, self._closers = self._closers, []
        self._reader = self._writer = None
        with file_errors(str(self._name)):
            for close in closers:
                close()

    # --- both ---

    def tell(self) -> int:
        """Returns where the file is read next; for a file that is only written, where."""
        if self._can_read:
            return self._open_reader().tell()
        return self._open_writer().tell()

    def size(self) -> int:
        """Returns the size of the file in bytes, without what `write` kept back."""
        return stat(self._name).length

    def __enter__(self) -> GFile:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def _as_text(self, data: bytes) -> str | bytes:
        return data if self._is_binary else data.decode()

    def _open_reader(self) -> BufferedReader:
        if self._reader is None:
            if not self._can_read:
                raise errors.PermissionDeniedError(None, None, "File isn't open for reading")
            self._reader = BufferedReader(self._open("r"), _BUFFER_SIZE)
            self._closers.append(weakref.finalize(self, self._reader.close))
        return self._reader

    def _open_writer(self) -> BufferedWriter:
        if self._writer is None:
            if not self._can_write:
                raise errors.PermissionDeniedError(None, None, "File isn't open for writing")
            self._writer = BufferedWriter(self._open(self._system_mode), _BUFFER_SIZE)
            self._closers.append(weakref.finalize(self, self._writer.close))
        return self._writer

    def _open(self, mode: str) -> RawIOBase:
        name = file_name(self._name)
        file_system, path = file_system_of(name)
        with file_errors(name):
            return file_system.open(path, mode)
