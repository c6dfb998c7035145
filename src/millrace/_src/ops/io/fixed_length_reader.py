"""Reading records of one length: many records at a time.

The file is a header, records without any frame, and a footer. A plain file says its size, so a body that is not a whole
number of records is refused before the first record; a compressed one is refused where it ends.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from millrace._src.core import errors
from millrace._src.ops.io.byte_source import CompressedSource, open_source, positive_buffer_size
from millrace._src.ops.io.file_names import file_name


class FixedLengthReader:
    """The records of a file of fixed-length records, from a position on.

    Args:
      path: name of the file.
      record_bytes: the length of a record.
      header_bytes: how many bytes at the front are skipped.
      footer_bytes: how many bytes at the end are left out.
      compression_type: "", "ZLIB" or "GZIP".
      buffer_size: how many bytes are read at a time; 0 or None for 256 KiB.
      position: `position` of an earlier reader of the file, to go on there.

    Raises: tf.errors.OpError: if the file cannot be opened, its size does not fit, or an argument is out of range.
    """

    def __init__(
        self,
        path: Any,
        record_bytes: int,
        header_bytes: int = 0,
        footer_bytes: int = 0,
        compression_type: str = "",
        buffer_size: int | None = None,
        position: int = 0,
    ) -> None:
        _check_sizes(record_bytes, header_bytes, footer_bytes)
        self._name = file_name(path)
        self._record_bytes, self._header_bytes, self._footer_bytes = record_bytes, header_bytes, footer_bytes
        block_size = positive_buffer_size(buffer_size)
        self._block_size = max(block_size // record_bytes, 1) * record_bytes
        start = max(position, header_bytes)
        self._source = open_source(self._name, compression_type, block_size, start)
        self._left = self._body_size(start)
        """The bytes of the body after the block; None for a file that does not say its size."""
        self._position = start
        self._data = b""
        self._records: list[bytes] = []
        self._next = 0

    @property
    def position(self) -> int:
        """The offset of the next record in the file, decompressed: a new reader goes on there."""
        return self._position

    def read_block(self, max_records: int) -> list[bytes]:
        """Returns the next records: at least one and at most `max_records`, or none at the end of the file.

        Raises: tf.errors.DataLossError: if a compressed file is damaged, or its size does not fit.
        """
        if self._next == len(self._records):
            self._read_block()
        start = self._next
        self._next = min(start + max_records, len(self._records))
        self._position += (self._next - start) * self._record_bytes
        return self._records[start : self._next]

    def close(self) -> None:
        """Closes the file."""
        self._source.close()

    def __enter__(self) -> FixedLengthReader:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def _body_size(self, start: int) -> int | None:
        """Returns how many bytes of records follow `start`, if the file says its size."""
        if isinstance(self._source, CompressedSource):
            if self._source.begins_past_end:
                raise self._too_short()
            return None
        size = self._source.size
        body = size - self._header_bytes - self._footer_bytes
        if body < 0:
            raise self._too_short()
        if body % self._record_bytes:
            raise self._misfit(errors.InvalidArgumentError, body)
        return size - self._footer_bytes - start

    def _read_block(self) -> None:
        """Replaces the records, all handed out, by those of the next block."""
        if self._left is None:
            data = self._read_compressed()
        else:
            data = self._source.read(min(self._block_size, max(self._left, 0)))
            self._left -= len(data)
        self._records, self._next = _cut(data, self._record_bytes), 0

    def _read_compressed(self) -> bytes:
        """Returns whole records, and keeps back what may be the footer."""
        wanted_count = self._block_size + self._footer_bytes
        self._data += self._source.read(wanted_count - len(self._data))
        whole_size = max(len(self._data) - self._footer_bytes, 0) // self._record_bytes * self._record_bytes
        data, self._data = self._data[:whole_size], self._data[whole_size:]
        if not data and len(self._data) != self._footer_bytes:
            self._refuse_rest()
        return data

    def _refuse_rest(self) -> None:
        """Raises the error of a compressed file whose body is not a whole number of records."""
        size = self._position + len(self._data)
        body = size - self._header_bytes - self._footer_bytes
        if body < 0:
            raise self._too_short()
        raise self._misfit(errors.DataLossError, body)

    def _misfit(self, kind: Any, body: int) -> errors.OpError:
        error: errors.OpError = kind(
            None,
            None,
            f"Excluding the header ({self._header_bytes} bytes) and footer ({self._footer_bytes} bytes), input file "
            f'"{self._name}" has body length {body} bytes, which is not an exact multiple of the record length '
            f"({self._record_bytes} bytes).",
        )
        return error

    def _too_short(self) -> errors.OpError:
        message = (
            f'{self._source.end_of_file}: input file "{self._name}" is shorter than its header '
            f"({self._header_bytes} bytes) and footer ({self._footer_bytes} bytes)."
        )
        return errors.InternalError(None, None, message)


def _check_sizes(record_bytes: int, header_bytes: int, footer_bytes: int) -> None:
    if record_bytes <= 0:
        raise errors.InvalidArgumentError(None, None, f"`record_bytes` must be > 0, received: {record_bytes}.")
    for name, value in (("header_bytes", header_bytes), ("footer_bytes", footer_bytes)):
        if value < 0:
            raise errors.InvalidArgumentError(None, None, f"`{name}` must be >= 0, received: {value}.")


def _cut(data: bytes, size: int) -> list[bytes]:
    """Cuts data into pieces of `size` bytes."""
    count = len(data) // size
    records: list[bytes] = np.ndarray(count, f"V{size}", data).tolist()
    return records
