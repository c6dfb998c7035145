"""Event files: rows of events, which TensorBoard reads while they grow.

Problem: a run writes many small events; a reader wants to see them soon; and whatever kills the process may
cost the last events, but never the file.

Idea: events wait in memory until there are more than `max_queue`, or the oldest of them has waited for `flush_millis`;
then all of them are appended by one write of whole records. A file that is cut off within a record is readable up to
there. Time is looked at only when an event comes: no thread runs, so there is none that a fork would lose or that
would keep a process from ending. What still waits when the process ends is written then.

A forked process does not share the file of its parent: events of two processes would be mixed up. It forgets what
waited, which the parent writes, and begins a file of its own with its first event.
"""

from __future__ import annotations

import atexit
import contextlib
import itertools
import os
import socket
import struct
import sys
import threading
import time
import weakref
from collections.abc import Callable
from io import RawIOBase

from millrace._src.core import errors
from millrace._src.ops.io.file_names import file_errors
from millrace._src.ops.io.file_system import write_all
from millrace._src.ops.io.file_systems import file_system_of
from millrace._src.ops.io.gfile import makedirs
from millrace._src.proto import event_pb2
from millrace._src.summary.event_encoding import event
from millrace._src.util.crc32c import crc32c

VERSION = "brain.Event:2"
"""What the first event of a file says."""
_WRITER = "tensorflow.core.util.events_writer"
"""Who wrote the file: readers know this name."""
_MASK = 0xFFFFFFFF
_MASK_DELTA = 0xA282EAD8
_MAX_HEADERS = 1024

_length = struct.Struct("<Q").pack
_crc = struct.Struct("<I").pack


def _masked_crc(data: bytes) -> bytes:
    """Returns the checksum of some bytes as files store it."""
    crc = crc32c(data)
    return _crc(((crc >> 15 | crc << 17) + _MASK_DELTA) & _MASK)


_numbers = itertools.count()


def numbered_name() -> str:
    """Returns a middle of names of files that no other writer has: the computer, the process, and a number."""
    return f"{socket.gethostname()}.{os.getpid()}.{next(_numbers)}"


def host_name() -> str:
    """Returns the middle of names of files that writers of TensorFlow 1 use: the computer."""
    return socket.gethostname()


class EventFile:
    """A file to which events are appended; it is made with the first event, or by `open`.

    Args:
      folder: the folder of the file, which is made if there is none.
      unique_part: makes the middle of the name, between the time and the suffix.
      suffix: the end of the name.
      max_queue: how many events wait at most; any number for a negative one.
      flush_millis: after how many milliseconds the next event lets all events be written; never for a negative one.
      clock: returns the time in seconds since 1970.
    """

    def __init__(
        self,
        folder: str,
        unique_part: Callable[[], str],
        suffix: str,
        max_queue: int,
        flush_millis: int,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._folder = folder
        self._unique_part = unique_part
        self._suffix = suffix
        self._most_waiting = max_queue if max_queue >= 0 else float("inf")
        self._patience = flush_millis / 1000 if flush_millis >= 0 else float("inf")
        self._clock = clock
        self._headers: dict[int, bytes] = {}
        """The lengths of records with their checksums, as they stand before records."""
        self._begin()
        _files.add(self)

    def _begin(self) -> None:
        """Sets up a state without a file and without events."""
        self._lock = threading.RLock()
        self._file: RawIOBase | None = None
        self._name = ""
        self._waiting: list[bytes] = []
        self._flushed = self._clock()

    def open(self) -> None:
        """Makes the file, with the event that all files begin with.

        Raises: tf.errors.OpError: if the folder or the file cannot be made.
        """
        if self._file is not None:
            return
        seconds = int(self._clock())
        makedirs(self._folder)
        file_system, _ = file_system_of(self._folder)
        prefix = self._folder if self._folder.endswith("/") or not self._folder else f"{self._folder}/"
        unique_part = self._unique_part()
        for second in itertools.count(seconds):
            self._name = f"{prefix}events.out.tfevents.{second:010d}.{unique_part}{self._suffix}"
            with file_errors(self._name):
                try:
                    self._file = file_system.open(file_system_of(self._name)[1], "x")
                except FileExistsError:  # a writer that was closed and opened again within a second
                    continue
            break
        source = event_pb2.SourceMetadata(writer=_WRITER)
        first = event_pb2.Event(wall_time=seconds, file_version=VERSION, source_metadata=source)
        self._write([*self._frame(first.SerializeToString())])

    def now(self) -> float:
        """Returns the time, in seconds since 1970."""
        return self._clock()

    def add_event(self, step: int, tag: bytes, payload: bytes) -> None:
        """Adds an event of now; the arguments are those of `event_encoding.event`."""
        now = self._clock()
        self.add(event(now, step, tag, payload), now)

    def add(self, record: bytes, now: float) -> None:
        """Adds a serialized event, and writes what waits if that is due.

        Raises: tf.errors.OpError: if what is written does not fit on the disk.
        """
        with self._lock:
            waiting = self._waiting
            waiting += self._frame(record)
            if len(waiting) > 3 * self._most_waiting or now - self._flushed > self._patience:
                self.flush()

    def flush(self) -> None:
        """Writes the events that wait, and makes the file if there is none.

        Raises: tf.errors.OpError: if the file cannot be made, or the events do not fit on the disk.
        """
        with self._lock:
            self.open()
            self._flushed = self._clock()
            if self._waiting:
                waiting, self._waiting = self._waiting, []
                self._write(waiting)

    def close(self) -> None:
        """Writes the events that wait and closes the file; a later event begins another file."""
        with self._lock:
            if self._file is None and not self._waiting:
                return
            self.flush()
            file, self._file = self._file, None
            if file is not None:
                with file_errors(self._name):
                    file.close()

    def forget(self) -> None:
        """Leaves the file and the events that wait to the process that this process was forked from."""
        _left_to_parents.append(self._file)  # closing it could write what a remote file system holds back
        self._begin()

    def __del__(self) -> None:
        with contextlib.suppress(errors.OpError, AttributeError):  # no caller could be told; a file without arguments
            self.close()

    def _frame(self, record: bytes) -> tuple[bytes, bytes, bytes]:
        """Returns a record as it stands in a file, in three parts."""
        length = len(record)
        header = self._headers.get(length)
        if header is None:
            if len(self._headers) >= _MAX_HEADERS:
                self._headers.clear()
            text = _length(length)
            header = self._headers[length] = text + _masked_crc(text)
        return header, record, _masked_crc(record)

    def _write(self, parts: list[bytes]) -> None:
        assert self._file is not None
        with file_errors(self._name):
            write_all(self._file, b"".join(parts))


_files: weakref.WeakSet[EventFile] = weakref.WeakSet()
_left_to_parents: list[RawIOBase | None] = []
"""The files of the processes that this one was forked from; they stay open here, one for each writer and fork."""


def _flush_all() -> None:
    """Writes what waits for any file, when the process ends."""
    for file in list(_files):
        with contextlib.suppress(errors.OpError):  # no caller is left to learn that the folder is gone
            file.close()


def _forget_all() -> None:
    for file in list(_files):
        file.forget()


atexit.register(_flush_all)
if sys.platform != "win32":
    os.register_at_fork(after_in_child=_forget_all)
