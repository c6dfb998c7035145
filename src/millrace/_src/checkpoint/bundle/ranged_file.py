"""A file of which parts are read: a checkpoint of many gigabytes is not read for one tensor."""

from __future__ import annotations

import os
import threading
from contextlib import nullcontext
from io import RawIOBase

import numpy as np

from millrace._src.core import errors
from millrace._src.core.array_namespace import Array
from millrace._src.ops.io.file_names import file_errors
from millrace._src.ops.io.file_systems import file_system_of
from millrace._src.util.crc32c import extend

_WINDOW = 1 << 16
SMALL = 1 << 14
"""The most bytes that `read_small` is meant for."""
_CHUNK = 1 << 20  # bytes that are summed up while they are still in a cache of the processor


class RangedFile:
    """A file that is open for reading.

    Args: name: the name of the file.
    Raises: tf.errors.OpError: if the file cannot be opened.
    """

    _file = RawIOBase()  # so that there is a file to close when none could be opened

    def __init__(self, name: str) -> None:
        self.name = name
        self._file_system, path = file_system_of(name)
        with file_errors(name):
            self._file = self._file_system.open(path, "r")
            self.size = self._file.seek(0, os.SEEK_END)
        self._window = 0, b""
        self._turn = nullcontext() if self._file_system.reads_at_once else threading.Lock()

    def close(self) -> None:
        """Closes the file."""
        self._file.close()

    def __del__(self) -> None:
        self._file.close()

    def check_range(self, offset: int, size: int) -> None:
        """Checks that bytes are in the file, before there is memory for them.

        Raises: tf.errors.DataLossError: if they are not.
        """
        if offset < 0 or size < 0 or offset + size > self.size:
            source = f"bytes {offset} to {offset + size} of {self.name}, which has {self.size}"
            raise errors.DataLossError(None, None, f"Read less bytes than requested: {source}")

    def read(self, offset: int, size: int) -> bytes:
        """Returns some of the bytes.

        Raises: tf.errors.DataLossError: if the file ends before.
        """
        self.check_range(offset, size)
        memory = np.empty(size, np.uint8)
        self.read_into(offset, memory)
        return memory.tobytes()

    def read_small(self, offset: int, size: int) -> bytes:
        """Returns a few of the bytes; those behind them are read along, since they are likely to be asked for next.

        Raises: tf.errors.DataLossError: if the file ends before.
        """
        start, window = self._window
        if not start <= offset <= offset + size <= start + len(window):
            self.check_range(offset, size)
            start, window = offset, self.read(offset, min(_WINDOW, self.size - offset))
            self._window = start, window
        return window[offset - start : offset - start + size]

    def read_into(self, offset: int, memory: Array, crc: int | None = None) -> int:
        """Fills memory with the bytes from an offset on, and sums the bytes up meanwhile.

        Args:
          offset: where to begin.
          memory: a contiguous vector of `uint8`.
          crc: the checksum of what came before; None where no checksum is asked for.

        Returns: The checksum of what came before and of the bytes; 0 where none is asked for.
        Raises: tf.errors.DataLossError: if the file ends before the memory is full.
        """
        self.check_range(offset, len(memory))
        step = len(memory) if crc is None else _CHUNK
        with self._turn, file_errors(self.name):
            for start in range(0, len(memory), step or 1):
                chunk = memory[start : start + step]
                self._fill(chunk, offset + start)
                if crc is not None:
                    crc = extend(crc, chunk)
        return crc or 0

    def checksum(self, offset: int, size: int, crc: int) -> int:
        """Sums up bytes that were not asked for.

        Raises: tf.errors.DataLossError: if the file ends before.
        """
        self.check_range(offset, size)
        memory = np.empty(min(size, _CHUNK), np.uint8)
        for start in range(0, size, _CHUNK):
            crc = self.read_into(offset + start, memory[: size - start], crc)
        return crc

    def _fill(self, memory: Array, offset: int) -> None:
        count = 0
        while count < len(memory):
            read_count = self._file_system.read_at(self._file, offset + count, memory[count:])
            if not read_count:
                raise self._truncation_error()
            count += read_count

    def _truncation_error(self) -> errors.OpError:
        return errors.DataLossError(None, None, f"Read less bytes than requested: {self.name} has become shorter")
