"""Reading the records of a file of comma-separated values: many records at a time.

A record ends at a newline, a carriage return, or both, unless these stand between quotes. A piece of the file without
quotes is cut by one call of Python, another one by a regular expression.
"""

from __future__ import annotations

import re

from millrace._src.core import errors
from millrace._src.ops.io.byte_source import open_source
from millrace._src.ops.io.file_names import file_name

_DEFAULT_BUFFER_SIZE = 4 << 20
_END = re.compile(rb"\r\n|\r|\n")

Position = tuple[int, int]
"""The offset of a record in the file, decompressed, and how many records from there on were read."""


class TableRecordReader:
    """The records of one file, from a position on.

    Args:
      path: the name of the file.
      delimiter: the character between fields.
      use_quotes: whether double quotes have a meaning.
      has_header: whether the first record is left out.
      compression_type: "", "ZLIB" or "GZIP".
      buffer_size: how many bytes are read at a time; 0 for 4 MiB.
      position: `position` of an earlier reader of the file, to go on there.

    Raises: tf.errors.OpError: if the file cannot be opened, or has no header.
    """

    def __init__(
        self,
        path: bytes,
        *,
        delimiter: bytes = b",",
        use_quotes: bool = True,
        has_header: bool = False,
        compression_type: str = "",
        buffer_size: int = 0,
        position: Position = (0, 0),
    ) -> None:
        self._size = buffer_size or _DEFAULT_BUFFER_SIZE
        self._start, passed = position
        self._source = open_source(file_name(path), compression_type, self._size, self._start)
        self._record = _record_pattern(delimiter) if use_quotes else None
        self._records: list[bytes] = []
        self._next = 0
        self._text = b""
        """The records, and what was read of the record after them."""
        self._length = 0
        """The length of the text of the records."""
        if has_header and position == (0, 0):
            self._pass_header()
        while passed:
            passed -= len(self.read_block(passed))

    def _pass_header(self) -> None:
        if not self.read_block(1):
            raise errors.InvalidArgumentError(None, None, "Can't read header of file")

    @property
    def position(self) -> Position:
        """Where a new reader goes on."""
        return self._start, self._next

    def read_block(self, max_records: int) -> list[bytes]:
        """Returns the next records: at least one and at most `max_records`, or none at the end of the file.

        Raises: tf.errors.DataLossError: if the file cannot be decompressed.
        """
        if self._next == len(self._records):
            self._read_piece()
        start = self._next
        self._next = min(start + max_records, len(self._records))
        return self._records[start : self._next]

    def close(self) -> None:
        """Closes the file."""
        self._source.close()

    def _read_piece(self) -> None:
        """Replaces the records, all handed out, by those of the next piece of the file."""
        self._start += self._length
        text, self._next = self._text[self._length :], 0
        self._records, self._length = [], 0
        while not self._records:
            piece = self._source.read(self._size)
            text += piece
            self._records, self._length = self._cut(text, is_last=not piece)
            if not piece:
                break
        self._text = text

    def _cut(self, text: bytes, is_last: bool) -> tuple[list[bytes], int]:
        """Returns the complete records of a text, and their length with their ends."""
        if self._record is not None and b'"' in text:
            return _cut_quoted(self._record, text, is_last)
        end = len(text) if is_last else max(text.rfind(b"\n"), text.rfind(b"\r", 0, len(text) - 1)) + 1
        records = _END.split(text[:end]) if b"\r" in text else text[:end].split(b"\n")
        if not records[-1]:
            records.pop()
        return records, end


def _record_pattern(delimiter: bytes) -> re.Pattern[bytes]:
    """Returns the pattern of a record; a quoted field without end goes on to the end of the text."""
    plain = b"[^" + re.escape(delimiter) + rb"\r\n]*"
    field = b'(?:"(?:[^"]+|"")*"?)?' + plain
    return re.compile(field + b"(?:" + re.escape(delimiter) + field + b")*")


def _cut_quoted(record: re.Pattern[bytes], text: bytes, is_last: bool) -> tuple[list[bytes], int]:
    """Returns the complete records of a text with quotes, and their length with their ends."""
    records, start = [], 0
    while start < len(text):
        found = record.match(text, start)
        assert found is not None, "an empty text is a record"
        end = _END.match(text, found.end())
        after = len(text) if end is None else end.end()
        if not is_last and after == len(text) and (end is None or end[0] == b"\r"):
            break  # more of the record, or the second half of its end, may follow
        records.append(found[0])
        start = after
    return records, start
