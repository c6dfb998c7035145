"""Reading record files: many records at a time.

A TFRecord file is a row of records: the length (8 bytes) and its masked checksum (4), the data and their masked
checksum (4). Only a length says where the next record begins, so a reader must walk; but nothing else needs a step of
Python per record. `RecordReader` reads a block of the file, walks over its lengths, cuts the records out, and compares
all checksums of the block at once. Where all records of a block have one length, NumPy does the walk and the cutting.
"""

from __future__ import annotations

import struct
from typing import Any

import numpy as np

from millrace._src.core import errors
from millrace._src.ops.io.byte_source import DEFAULT_BUFFER_SIZE, open_source
from millrace._src.ops.io.file_names import file_name
from millrace._src.util.crc32c import crc32c_of_each, crc32c_of_numbers, mask, masked_crc32c

HEADER = 12
FOOTER = 4
FRAME = HEADER + FOOTER
"""The bytes of a record that are not its data: before, after, and in all."""

_length_at = struct.Struct("<Q").unpack_from
_crc_at = struct.Struct("<I").unpack_from


class RecordReader:
    """The records of a TFRecord file, from a position on.

    A reader that failed fails again with the same error: what follows a damaged record cannot be found.

    Args:
      path: name of the file.
      compression_type: "", "ZLIB" or "GZIP".
      buffer_size: how many bytes are read at a time; 256 KiB for None, 0 and less.
      position: `position` of an earlier reader of the file, to go on there.

    Raises: tf.errors.OpError: if the file cannot be opened; the message begins with TensorFlow's words.
    """

    def __init__(
        self, path: Any, compression_type: str = "", buffer_size: int | None = None, position: int = 0
    ) -> None:
        self._name = file_name(path)
        self._block_size = buffer_size if buffer_size and buffer_size > 0 else DEFAULT_BUFFER_SIZE
        self._source = open_source(self._name, compression_type, self._block_size, position)
        self._data = b""
        self._begin = position
        """Where the block begins in the file."""
        self._records: list[bytes] = []
        self._starts: Any = [0]
        """Where each record of the block begins in the block, and where the last one ends."""
        self._next = 0
        self._failure: errors.OpError | None = None

    @property
    def position(self) -> int:
        """The offset of the next record in the file, decompressed: a new reader goes on there."""
        return self._begin + int(self._starts[self._next])

    def read_block(self, max_records: int) -> list[bytes]:
        """Returns the next records: at least one and at most `max_records`, or none at the end of the file.

        Raises: tf.errors.DataLossError: if the next record is damaged or cut off.
        """
        if self._next == len(self._records):
            self._read_block()
        records, start = self._records, self._next
        self._next = min(start + max_records, len(records))
        return records if start == 0 and self._next == len(records) else records[start : self._next]

    def close(self) -> None:
        """Closes the file."""
        self._source.close()

    def __enter__(self) -> RecordReader:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def _read_block(self) -> None:
        """Replaces the records, all handed out, by those of the next block."""
        if self._failure is not None:
            raise self._failure
        end = int(self._starts[-1])
        self._begin += end
        self._data = self._data[end:] + self._source.read(max(self._block_size, FRAME))
        self._records, self._starts, self._next = [], [0], 0
        while len(self._data) >= HEADER and not self._split():
            self._read_record()

    def _split(self) -> bool:
        """Cuts the block into records, and says whether the block begins with a whole one."""
        records, starts = _equal_records(self._data) or _walk(self._data)
        good_count = _count_good(self._data, records, starts)
        if good_count < len(records):
            self._fail(good_count, starts[good_count])
            records, starts = records[:good_count], starts[: good_count + 1]
        self._records, self._starts = records, starts
        return len(records) > 0

    def _fail(self, good_count: int, start: int) -> None:
        """Notes that the record at `start` is damaged, and raises the error if no good record comes before."""
        is_header_good = _is_header_good(self._data, start)
        offset = self._begin + start + (HEADER if is_header_good else 0)
        hint = "" if offset else " (Is this even a TFRecord file?)"
        self._failure = self._data_loss(f"corrupted record at {offset}{hint}")
        if not good_count:
            raise self._failure

    def _read_record(self) -> None:
        """Reads on until the block holds its first record, which is longer than a block."""
        if not _is_header_good(self._data, 0):
            self._fail(0, 0)
        (length,) = _length_at(self._data)
        if length + FRAME >= 1 << 63:
            self._failure = self._data_loss("record size too large")
            raise self._failure
        missing_count = length + FRAME - len(self._data)
        read_bytes = self._source.read(missing_count)
        self._data += read_bytes
        if len(read_bytes) < missing_count:
            words = f"truncated record at {self._begin}' failed with {self._source.end_of_file}"
            self._failure = self._data_loss(words)
            raise self._failure

    def _data_loss(self, words: str) -> errors.DataLossError:
        return errors.DataLossError(None, None, f"{words} [file: {self._name}]")


def _equal_records(data: bytes) -> tuple[list[bytes], Any] | None:
    """Cuts a block whose records all have the length of the first; None for other blocks."""
    (length,) = _length_at(data)
    size = length + FRAME
    count = len(data) // size
    if count < 2 or not length:
        return None
    lengths = np.ndarray(count, "<u8", data, strides=(size,))
    if (lengths != length).any():
        return None
    records = np.ndarray(count, f"V{length}", data, HEADER, (size,)).tolist()
    return records, range(0, (count + 1) * size, size)


def _walk(data: bytes) -> tuple[list[bytes], list[int]]:
    """Cuts a block into records, length by length."""
    records, starts, start = [], [0], 0
    last = len(data) - FRAME
    while start <= last:
        (length,) = _length_at(data, start)
        end = start + FRAME + length
        if end > len(data):
            break
        records.append(data[start + HEADER : end - FOOTER])
        starts.append(end)
        start = end
    return records, starts


def _count_good(data: bytes, records: list[bytes], starts: object) -> int:
    """Returns how many records come before the first whose checksums are wrong."""
    count = len(records)
    if isinstance(starts, range):
        size = starts.step
        lengths = np.ndarray(count, "<u8", data, 0, (size,))
        header_crcs = np.ndarray(count, "<u4", data, 8, (size,))
        crcs = np.ndarray(count, "<u4", data, size - FOOTER, (size,))
    else:
        offsets = np.array(starts, np.int64)
        words = np.ndarray(max(len(data) - 3, 0), "<u4", data, strides=(1,))
        lengths = (np.diff(offsets) - FRAME).astype(np.uint64)
        header_crcs, crcs = words[offsets[:-1] + 8], words[offsets[1:] - FOOTER]
    bad = (mask(crc32c_of_numbers(lengths)) != header_crcs) | (mask(crc32c_of_each(records)) != crcs)
    return int(bad.argmax()) if bad.any() else count


def _is_header_good(data: bytes, start: int) -> bool:
    return bool(_crc_at(data, start + 8)[0] == masked_crc32c(data[start : start + 8]))
