"""Writing record files: `tf.io.TFRecordWriter`, and `tf_record_iterator`, which reads them.

A call per record is the user's interface; a checksum and a write per call would be slow. So records are gathered and
framed together: NumPy makes the lengths and checksums of all of them.
"""

from __future__ import annotations

from io import RawIOBase
from typing import Any

import numpy as np
from google.protobuf.message import Message

from millrace._src.core import errors
from millrace._src.core.sequences import utf8_bytes
from millrace._src.ops.io.file_names import file_errors, file_name
from millrace._src.ops.io.file_system import write_all
from millrace._src.ops.io.file_systems import file_system_of
from millrace._src.ops.io.record_options import Compressor, TFRecordOptions
from millrace._src.ops.io.record_reader import FRAME
from millrace._src.util.crc32c import crc32c_of_each, crc32c_of_numbers, mask
from millrace._src.util.export import export

_GATHERED_BYTES = 256 * 1024


def frame_records(records: list[bytes]) -> bytes:
    """Returns records as they stand in a file: each with its length and checksums."""
    count = len(records)
    lengths = np.fromiter(map(len, records), np.uint64, count)
    header_crcs = mask(crc32c_of_numbers(lengths))
    crcs = mask(crc32c_of_each(records))
    length = len(records[0]) if records else 0
    if length and (lengths == length).all():
        fields = [("length", "<u8"), ("header_crc", "<u4"), ("data", f"V{length}"), ("crc", "<u4")]
        frames = np.empty(count, np.dtype(fields))
        frames["length"], frames["header_crc"], frames["crc"] = lengths, header_crcs, crcs
        frames["data"] = np.frombuffer(b"".join(records), f"V{length}")
        return frames.tobytes()
    headers = np.empty(count, np.dtype([("length", "<u8"), ("crc", "<u4")]))
    headers["length"], headers["crc"] = lengths, header_crcs
    pieces = [b""] * (3 * count)
    pieces[0::3] = headers.view("V12").tolist()
    pieces[1::3] = records
    pieces[2::3] = crcs.astype("<u4").view("V4").tolist()
    return b"".join(pieces)


@export("io.TFRecordWriter", v1=["io.TFRecordWriter", "python_io.TFRecordWriter"])
class TFRecordWriter:
    """A writer of records to a TFRecord file.

    The writer is a context manager, which closes the file at its end.

    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "numbers.tfrecord")
    >>> with tf.io.TFRecordWriter(path) as writer:
    ...     for number in range(3):
    ...         writer.write(str(number).encode())
    >>> list(tf.compat.v1.io.tf_record_iterator(path))
    [b'0', b'1', b'2']
    """

    _file: RawIOBase | None = None

    def __init__(self, path: object, options: Any = None) -> None:
        """Opens the file, which is emptied.

        Args:
          path: name of the file.
          options: a `TFRecordOptions`; or "ZLIB", "GZIP" or "" alone.

        Raises: tf.errors.OpError: if the file cannot be opened; ValueError: for an unknown compression type.
        """
        if not isinstance(options, TFRecordOptions):
            options = TFRecordOptions(options)
        if not isinstance(path, (str, bytes)):
            raise TypeError(f"Expected binary or unicode string, got {path!r}")
        compression_type = TFRecordOptions.get_compression_type_string(options)
        self._compressor = Compressor(compression_type, options) if compression_type else None
        self._name = file_name(path)
        self._records: list[bytes] = []
        self._size = 0
        file_system, path = file_system_of(self._name)
        with file_errors(self._name):
            self._file = file_system.open(path, "w")

    def write(self, record: bytes | str) -> None:
        """Writes one record: bytes, or text as UTF-8.

        Raises: tf.errors.FailedPreconditionError: if the writer is closed; TypeError: for anything but text and bytes.
        """
        if type(record) is not bytes:
            record = _as_bytes(record)
        if self._file is None:
            raise _closed_error()
        self._records.append(record)
        self._size += len(record) + FRAME
        if self._size >= _GATHERED_BYTES:
            self._write_records()

    def flush(self) -> None:
        """Writes what was gathered, so that readers of the file see it.

        Raises: tf.errors.FailedPreconditionError: if the writer is closed.
        """
        if self._file is None:
            raise _closed_error()
        self._write_records()
        if self._compressor is not None:
            self._write_bytes(self._compressor.flush())

    def close(self) -> None:
        """Writes what was gathered and closes the file; does nothing the second time."""
        file = self._file
        if file is None:
            return
        try:
            self._write_records()
            if self._compressor is not None:
                self._write_bytes(self._compressor.finish())
        finally:
            self._file = None
            with file_errors(self._name):
                file.close()

    def __enter__(self) -> TFRecordWriter:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def __del__(self) -> None:
        self.close()

    def _write_records(self) -> None:
        if not self._records:
            return
        data = frame_records(self._records)
        self._records, self._size = [], 0
        self._write_bytes(data if self._compressor is None else self._compressor.compress(data))

    def _write_bytes(self, data: bytes) -> None:
        assert self._file is not None
        with file_errors(self._name):
            write_all(self._file, data)


def _as_bytes(record: object) -> bytes:
    if isinstance(record, (str, bytes)):
        return utf8_bytes(record)
    if isinstance(record, bytearray):
        return bytes(record)
    if isinstance(record, Message):
        raise TypeError(f"TFRecordWriter.write() takes bytes: pass {type(record).__name__}.SerializeToString()")
    raise TypeError(f"TFRecordWriter.write() takes bytes or text, got {record!r} ({type(record).__name__})")


def _closed_error() -> errors.OpError:
    return errors.FailedPreconditionError(None, None, "Writer is closed.")
