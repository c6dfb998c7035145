"""Reading the bytes of a file, compressed or not, from front to back.

The readers of records want one thing of a file: its next bytes, decompressed. `FileSource` gives the bytes as they are,
`CompressedSource` decompresses them as it goes; a position is always an offset in the decompressed bytes. Going on at a
position seeks in a plain file, and reads a compressed one again up to there.
"""

from __future__ import annotations

import weakref
import zlib

from millrace._src.core import errors
from millrace._src.ops.io.file_names import file_errors
from millrace._src.ops.io.file_systems import file_system_of

DEFAULT_BUFFER_SIZE = 256 * 1024
"""How many bytes of a file are read at a time, where the user does not say."""

_LARGEST_READ = 16 << 20  # a length that a damaged file states may be huge; memory is taken as bytes arrive

WINDOW_BITS = {"ZLIB": zlib.MAX_WBITS, "GZIP": zlib.MAX_WBITS + 16}
"""What zlib calls the formats."""


def inflate_complaint(error: zlib.error) -> str:
    """Returns TensorFlow's words for an error of zlib."""
    # The error has no fields: zlib's code stands in its text only.
    code_and_reason = str(error).removeprefix("Error ").replace(" while decompressing data", "", 1)
    return f"inflate() failed with error {code_and_reason}"


class FileSource:
    """The bytes of a plain file."""

    end_of_file = "Read less bytes than requested"
    """What TensorFlow says when the bytes end too early."""

    def __init__(self, name: str, position: int = 0) -> None:
        self._name = name
        file_system, path = file_system_of(name)
        with file_errors(name):
            self._file = file_system.open(path, "r")
            if position:
                self._file.seek(position)
        # An iterator that is dropped early closes the file without Python's warning.
        weakref.finalize(self, self._file.close)

    @property
    def size(self) -> int:
        """The size of the file in bytes."""
        with file_errors(self._name):
            position = self._file.tell()
            size = self._file.seek(0, 2)
            self._file.seek(position)
        return size

    def read(self, size: int) -> bytes:
        """Returns the next `size` bytes, or fewer at the end."""
        with file_errors(self._name):
            data: bytes = self._file.read(min(size, _LARGEST_READ)) or b""
            if len(data) == size or not data:
                return data
            pieces, count = [data], len(data)
            while count < size and data:
                data = self._file.read(min(size - count, _LARGEST_READ)) or b""
                pieces.append(data)
                count += len(data)
        return b"".join(pieces)

    def close(self) -> None:
        """Closes the file."""
        self._file.close()


class CompressedSource:
    """The decompressed bytes of a file in zlib's or gzip's format.

    A gzip file may hold several members one after the other, as TensorFlow's does. A file that ends in mid-stream
    simply ends: a caller that needs more bytes says so.
    """

    end_of_file = "EOF reached"

    def __init__(self, name: str, compression_type: str, buffer_size: int, position: int = 0) -> None:
        self._file = FileSource(name)
        self._name = name
        self._buffer_size = buffer_size
        self._has_members = compression_type == "GZIP"
        self._window_bits = WINDOW_BITS[compression_type]
        self._decompressor = zlib.decompressobj(self._window_bits)
        self._compressed = b""
        self._failure: errors.OpError | None = None
        while position:
            skipped_bytes = self.read(min(position, _LARGEST_READ))
            if not skipped_bytes:
                break
            position -= len(skipped_bytes)
        self.begins_past_end = position > 0
        """Whether the file has fewer bytes than the position says."""

    def read(self, size: int) -> bytes:
        """Returns the next `size` bytes, or fewer at the end.

        Raises: tf.errors.DataLossError: if the bytes cannot be decompressed; every time from then on.
        """
        pieces: list[bytes] = []
        count = 0
        while count < size:
            try:
                piece = self._next_piece(size - count)
            except errors.DataLossError:
                if pieces:
                    break  # the error comes again, after the bytes that are good
                raise
            if not piece:
                break
            pieces.append(piece)
            count += len(piece)
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def _next_piece(self, size: int) -> bytes:
        """Returns at least one and at most `size` bytes, or none at the end."""
        if self._failure is not None:
            raise self._failure
        while True:
            if self._decompressor.eof:
                if not self._has_members:
                    return b""
                self._compressed = self._decompressor.unused_data
                if not (self._compressed or self._fill()):
                    return b""
                self._decompressor = zlib.decompressobj(self._window_bits)
            if not self._compressed:
                self._fill()
            is_last = not self._compressed
            piece = self._decompress(size)
            if piece or is_last and not self._decompressor.eof:
                return piece

    def _fill(self) -> bool:
        self._compressed = self._file.read(self._buffer_size)
        return bool(self._compressed)

    def _decompress(self, size: int) -> bytes:
        try:
            piece = self._decompressor.decompress(self._compressed, size)
        except zlib.error as error:
            self._failure = errors.DataLossError(None, None, f"{inflate_complaint(error)} [file: {self._name}]")
            raise self._failure from None
        self._compressed = self._decompressor.unconsumed_tail
        return piece

    def close(self) -> None:
        """Closes the file."""
        self._file.close()


def check_compression_type(compression_type: str) -> None:
    """Refuses what is neither "", "ZLIB" nor "GZIP".

    Raises: tf.errors.InvalidArgumentError: in TensorFlow's words.
    """
    if compression_type and compression_type not in WINDOW_BITS:
        raise errors.InvalidArgumentError(
            None,
            None,
            f'Unsupported compression_type. Expected "", "ZLIB" or "GZIP", received: "{compression_type}".',
        )


def open_source(name: str, compression_type: str, buffer_size: int, position: int) -> FileSource | CompressedSource:
    """Opens a file for reading, at an offset in its decompressed bytes.

    Raises: tf.errors.OpError: if the file cannot be opened; InvalidArgumentError: for an unknown compression type.
    """
    check_compression_type(compression_type)
    if compression_type:
        return CompressedSource(name, compression_type, buffer_size, position)
    return FileSource(name, position)


def positive_buffer_size(buffer_size: int | None) -> int:
    """Returns the bytes to read at a time: what the user said, or the default for 0 and None.

    Raises: tf.errors.InvalidArgumentError: for a negative size.
    """
    if buffer_size is not None and buffer_size < 0:
        words = f"`buffer_size` must be >= 0 (0 == default), received: {buffer_size}."
        raise errors.InvalidArgumentError(None, None, words)
    return buffer_size or DEFAULT_BUFFER_SIZE
