"""Reading the lines of a text file: many lines at a time.

A block of the file is cut at its newlines by one call of Python. As in TensorFlow, a line comes without its newline and
without any carriage return, and the last line needs no newline.
"""

from __future__ import annotations

from typing import Any

from millrace._src.ops.io.byte_source import open_source, positive_buffer_size
from millrace._src.ops.io.file_names import file_name


class LineReader:
    """The lines of a text file, from a position on.

    Args:
      path: name of the file.
      compression_type: "", "ZLIB" or "GZIP".
      buffer_size: how many bytes are read at a time; 0 or None for 256 KiB.
      position: `position` of an earlier reader of the file, to go on there.

    Raises: tf.errors.OpError: if the file cannot be opened, or an argument is none of these.
    """

    def __init__(
        self, path: Any, compression_type: str = "", buffer_size: int | None = None, position: int = 0
    ) -> None:
        self._block_size = positive_buffer_size(buffer_size)
        self._source = open_source(file_name(path), compression_type, self._block_size, position)
        self._raw_lines: list[bytes] = []
        self._lines: list[bytes] = []
        self._next = 0
        self._rest = b""
        """What was read of the line after the block."""
        self._counted = 0
        """The lines of the block that `_offset` has passed."""
        self._offset = position
        self._end = position
        """Where the block ends in the file."""

    @property
    def position(self) -> int:
        """The offset of the next line in the file, decompressed: a new reader goes on there."""
        passed_lines = self._raw_lines[self._counted : self._next]
        self._offset += sum(map(len, passed_lines)) + len(passed_lines)
        self._counted = self._next
        return min(self._offset, self._end)

    def read_block(self, max_records: int) -> list[bytes]:
        """Returns the next lines: at least one and at most `max_records`, or none at the end of the file.

        Raises: tf.errors.DataLossError: if the file cannot be decompressed.
        """
        if self._next == len(self._lines):
            self._read_block()
        lines, start = self._lines, self._next
        self._next = min(start + max_records, len(lines))
        return lines if start == 0 and self._next == len(lines) else lines[start : self._next]

    def close(self) -> None:
        """Closes the file."""
        self._source.close()

    def __enter__(self) -> LineReader:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def _read_block(self) -> None:
        """Replaces the lines, all handed out, by those of the next block."""
        data, is_last = self._read_to_newline()
        begin = self._end
        raw_lines = data.split(b"\n")
        self._rest = raw_lines.pop()
        self._end = begin + len(data) - len(self._rest)
        if is_last and self._rest:
            raw_lines.append(self._rest)
            self._end, self._rest = begin + len(data), b""
        self._offset, self._counted, self._next = begin, 0, 0
        self._raw_lines = self._lines = raw_lines
        if b"\r" in data:
            self._lines = [line.replace(b"\r", b"") for line in raw_lines]

    def _read_to_newline(self) -> tuple[bytes, bool]:
        """Reads blocks until one holds a newline; returns what was read, and whether the file ends there."""
        pieces = [self._rest]
        while True:
            piece = self._source.read(self._block_size)
            pieces.append(piece)
            if not piece or b"\n" in piece:
                return b"".join(pieces), not piece
