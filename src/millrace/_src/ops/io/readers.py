"""TensorFlow 1's readers: objects that turn a queue of file names into records.

A reader takes a name out of the queue, gives the records of that file one after the other, then takes the next name.
Each record comes with a key that says where the record is from. A `RecordSource` is what is left of the file at hand;
the kinds of readers differ in their sources.
"""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable

from google.protobuf.message import DecodeError

from millrace._src.core import errors
from millrace._src.core.array_namespace import Array
from millrace._src.core.dtypes import string
from millrace._src.core.errors import invalid
from millrace._src.core.handle_types import ObjectHandle, Referent
from millrace._src.core.resources import resource_of
from millrace._src.ops.io.byte_source import open_source, positive_buffer_size
from millrace._src.ops.io.file_names import file_name
from millrace._src.ops.io.file_systems import content_of
from millrace._src.ops.io.record_reader import RecordReader
from millrace._src.ops.io.text_line_reader import LineReader
from millrace._src.ops.queue.queues import Queue
from millrace._src.proto.reader_state_pb2 import ReaderBaseState

Record = tuple[bytes, bytes]
"""The key and the value of a record."""


class RecordSource(ABC):
    """The records of one file that a reader has not given yet."""

    @abstractmethod
    def next_record(self) -> Record | None:
        """Returns the next record, or None if there is none left.

        Raises: tf.errors.OpError: if the file cannot be read.
        """

    @property
    def is_over(self) -> bool:
        """Whether the source knows, before it is asked, that no record is left."""
        return False

    @abstractmethod
    def close(self) -> None:
        """Closes the file, if one is open."""


class SingleRecord(RecordSource):
    """One record: the name of a file with the file's content, or with the name itself.

    Args:
      name: the name.
      make_value: returns the value of the record.
    """

    def __init__(self, name: bytes, make_value: Callable[[bytes], bytes]) -> None:
        self._name = name
        self._make_value = make_value
        self._is_over = False

    @property
    def is_over(self) -> bool:
        """Whether the record was given."""
        return self._is_over

    def next_record(self) -> Record | None:
        """Returns the record, the first time."""
        if self._is_over:
            return None
        value = self._make_value(self._name)
        self._is_over = True
        return self._name, value

    def close(self) -> None:
        """Does nothing: no file is open."""


class Lines(RecordSource):
    """The lines of a text file; a key ends in the number of the line, from 1 on.

    Args:
      name: the name of the file.
      skip_header_lines: how many lines at the front are left out.
    """

    def __init__(self, name: bytes, skip_header_lines: int) -> None:
        self._name = name
        self._reader = LineReader(name)
        self._number = 0
        while self._number < skip_header_lines and self._reader.read_block(1):
            self._number += 1

    def next_record(self) -> Record | None:
        """Returns the next line."""
        lines = self._reader.read_block(1)
        if not lines:
            return None
        self._number += 1
        return b"%s:%d" % (self._name, self._number), lines[0]

    def close(self) -> None:
        """Closes the file."""
        self._reader.close()


class Records(RecordSource):
    """The records of a TFRecord file; a key ends in the offset of the record.

    Args:
      name: the name of the file.
      compression_type: "", "ZLIB" or "GZIP".
    """

    def __init__(self, name: bytes, compression_type: str) -> None:
        self._name = name
        self._reader = RecordReader(name, compression_type)

    def next_record(self) -> Record | None:
        """Returns the next record."""
        position = self._reader.position
        records = self._reader.read_block(1)
        return (b"%s:%d" % (self._name, position), records[0]) if records else None

    def close(self) -> None:
        """Closes the file."""
        self._reader.close()


class FixedRecords(RecordSource):
    """The records of a file of fixed-length records; a key ends in the number of the record, from 0 on.

    Bytes at the end that make no whole record are left out.

    Args:
      name: the name of the file.
      record_bytes: the length of a record.
      header_bytes: how many bytes at the front are left out.
      footer_bytes: how many bytes at the end are left out.
      hop_bytes: from the beginning of one record to that of the next; 0 for the length of a record.
      compression_type: "", "ZLIB" or "GZIP".
    """

    def __init__(
        self,
        name: bytes,
        record_bytes: int,
        header_bytes: int = 0,
        footer_bytes: int = 0,
        hop_bytes: int = 0,
        compression_type: str = "",
    ) -> None:
        self._name = name
        self._record_bytes, self._footer_bytes = record_bytes, footer_bytes
        self._hop_bytes = hop_bytes or record_bytes
        self._block_size = positive_buffer_size(None) + record_bytes + footer_bytes
        self._source = open_source(file_name(name), compression_type, self._block_size, 0)
        self._data = b""
        self._begin = 0
        """Where the next record begins in `_data`."""
        self._number = 0
        self._skip(header_bytes)

    def next_record(self) -> Record | None:
        """Returns the next record."""
        if not self._has_ahead(self._record_bytes + self._footer_bytes):
            return None
        record = self._data[self._begin : self._begin + self._record_bytes]
        key = b"%s:%d" % (self._name, self._number)
        self._number += 1
        self._skip(self._hop_bytes)
        return key, record

    def close(self) -> None:
        """Closes the file."""
        self._source.close()

    def _skip(self, size: int) -> None:
        self._begin += size if self._has_ahead(size) else len(self._data) - self._begin

    def _has_ahead(self, size: int) -> bool:
        """Returns whether the file goes on for some bytes, which are in `_data` then."""
        if len(self._data) - self._begin < size:
            self._data = self._data[self._begin :] + self._source.read(max(self._block_size, size))
            self._begin = 0
        return len(self._data) - self._begin >= size


class FileReader(Referent):
    """What a reader does, whatever its files hold.

    Args:
      kind: the name of the kind, for messages.
      open_file: returns the source of a file's records.
      serializes: whether the state may be saved: that of readers whose files hold one record each.
    """

    def __init__(self, kind: str, open_file: Callable[[bytes], RecordSource], serializes: bool = False) -> None:
        self.kind = kind
        self._open_file = open_file
        self._serializes = serializes
        self._lock = threading.Lock()
        self._source: RecordSource | None = None
        self._state = ReaderBaseState()

    @property
    def handle_type(self) -> ObjectHandle:
        """The type of the reader."""
        return ObjectHandle("reader")

    @property
    def num_records_produced(self) -> int:
        """The number of records given since the last reset."""
        return self._state.num_records_produced

    @property
    def num_work_units_completed(self) -> int:
        """The number of files of which all records were given since the last reset."""
        return self._state.work_finished

    def read(self, queue: Queue) -> Record:
        """Returns the next record, of the next file if the file at hand has none left.

        Args: queue: where the names of files come from; it is waited for.
        Raises: tf.errors.OutOfRangeError: if the queue is closed and empty.
        """
        with self._lock:
            while True:
                record = self._next_record(queue)
                if record is not None:
                    return record

    def read_up_to(self, queue: Queue, count: int) -> list[Record]:
        """Returns the next records, at most so many: those that are left of a file, or the first of the next one."""
        records: list[Record] = []
        with self._lock:
            while len(records) < count:
                record = self._next_record(queue)
                if record is not None:
                    records.append(record)
                if self._source is None and records:
                    break
        return records

    def _next_record(self, queue: Queue) -> Record | None:
        """Returns the next record of the file at hand; None at its end, after which another file is at hand."""
        if self._source is None:
            self._source = self._open_next(queue)
        record = self._source.next_record()
        if record is not None:
            self._state.num_records_produced += 1
        if record is None or self._source.is_over:
            self._finish()
        return record

    def _open_next(self, queue: Queue) -> RecordSource:
        if queue.dtypes != (string,) or any(shape.rank not in (0, None) for shape in queue.shapes):
            raise invalid("Expected queue with single string component")
        name: bytes = queue.dequeue(1)[0][0].item()
        self._state.work_started += 1
        self._state.current_work = name
        try:
            return self._open_file(name)
        except errors.OpError:
            self._state.work_finished = self._state.work_started - 1
            raise

    def _finish(self) -> None:
        if self._source is not None:
            self._source.close()
            self._source = None
            self._state.work_finished = self._state.work_started

    def reset(self) -> None:
        """Lets the reader begin anew, as if nothing had been read."""
        with self._lock:
            self._set_state(ReaderBaseState())

    def serialized_state(self) -> bytes:
        """Returns what was read so far, as bytes.

        Raises: tf.errors.UnimplementedError: if readers of this kind do not save their state.
        """
        with self._lock:
            self._check_serializes("SerializeState")
            data: bytes = self._state.SerializeToString()
            return data

    def restore_state(self, data: bytes) -> None:
        """Goes back to a state.

        Args: data: what `serialized_state` returned.
        Raises:
          tf.errors.InvalidArgumentError: if the bytes are not state.
          tf.errors.UnimplementedError: if readers of this kind do not save their state.
        """
        with self._lock:
            self._check_serializes("RestoreState")
            state = ReaderBaseState()
            try:
                state.ParseFromString(data)
            except DecodeError:
                raise invalid(f"Could not parse state for {self.kind}: {data.hex()}") from None
            if state.work_started < 0 or not 0 <= state.work_finished <= state.work_started:
                raise invalid(f"Could not parse state for {self.kind}: the numbers of files do not fit.")
            self._set_state(state)

    def _check_serializes(self, what: str) -> None:
        if not self._serializes:
            raise errors.UnimplementedError(None, None, f"Reader {what}")

    def _set_state(self, state: ReaderBaseState) -> None:
        if self._source is not None:
            self._source.close()
            self._source = None
        self._state = state


def whole_file(name: bytes) -> RecordSource:
    """Returns the source of one record: the content of a file."""
    return SingleRecord(name, lambda path: content_of(file_name(path)))


def file_name_itself(name: bytes) -> RecordSource:
    """Returns the source of one record: the name."""
    return SingleRecord(name, lambda path: path)


def reader_of(handle: Array) -> FileReader:
    """Returns the reader behind a resource handle.

    Raises: InvalidArgumentError: if the handle refers to something else.
    """
    reader = resource_of(handle)
    if not isinstance(reader, FileReader):
        raise invalid(
            "Trying to access a handle's resource using the wrong type. The handle points to a "
            f"{type(reader).__name__} but you are trying to access the resource as a reader."
        )
    return reader
