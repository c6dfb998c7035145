"""Writing a table: keys and values in order, as TensorFlow writes them, byte for byte."""

from __future__ import annotations

from collections.abc import Callable

from millrace._src.checkpoint.bundle.table_format import (
    FOOTER_SIZE,
    MAGIC,
    TRAILER_SIZE,
    UNCOMPRESSED,
    block_checksum,
)
from millrace._src.ops.io.wire_format import varint

_BLOCK_SIZE = 1 << 18
_RESTART_INTERVAL = 16
_NUMBER_SIZE = 4


class _Block:
    """A block that grows: each key leaves out what the key has in common with the one before.

    Args: restart_interval: every how many keys one stands there in full, so that readers can begin in the middle.
    """

    def __init__(self, restart_interval: int) -> None:
        self._restart_interval = restart_interval
        self.clear()

    def clear(self) -> None:
        self._data = bytearray()
        self._restarts = [0]
        self._count = 0
        self._last_key = b""
        self._shared_size = 0

    def add(self, key: bytes, value: bytes) -> None:
        shared_size = 0
        if self._count == self._restart_interval:
            self._restarts.append(len(self._data))
            self._count = 0
        elif self._count:
            shared_size = self._shared_size = shared_prefix_size(self._last_key, key, self._shared_size)
        sizes = (shared_size, len(key) - shared_size, len(value))
        self._data += bytes(sizes) if max(sizes) < 128 else b"".join(map(varint, sizes))
        self._data += key[shared_size:]
        self._data += value
        self._count += 1
        self._last_key = key

    @property
    def is_empty(self) -> bool:
        return not self._data

    @property
    def size(self) -> int:
        return len(self._data) + _NUMBER_SIZE * (len(self._restarts) + 1)

    def content(self) -> bytes:
        numbers = [*self._restarts, len(self._restarts)]
        return bytes(self._data) + b"".join(number.to_bytes(_NUMBER_SIZE, "little") for number in numbers)


class TableWriter:
    """A table that is being written.

    Args: write: takes the bytes of the file, piece by piece.
    """

    def __init__(self, write: Callable[[bytes], object]) -> None:
        self._write = write
        self._offset = 0
        self._block = _Block(_RESTART_INTERVAL)
        self._index = _Block(1)
        self._last_key = b""
        self._handle: bytes | None = None  # of the last block, until the key that follows it is known

    def add(self, key: bytes, value: bytes) -> None:
        """Adds a key, which is greater than those before, and its value."""
        if self._handle is not None:
            self._index.add(_between(self._last_key, key), self._handle)
            self._handle = None
        self._block.add(key, value)
        self._last_key = key
        if self._block.size >= _BLOCK_SIZE:
            self._end_block()

    def finish(self) -> None:
        """Writes what is left, index and footer."""
        if not self._block.is_empty:
            self._end_block()
        unused_handle = self._write_block(_Block(_RESTART_INTERVAL))
        if self._handle is not None:
            self._index.add(_after(self._last_key), self._handle)
        handles = unused_handle + self._write_block(self._index)
        self._write(handles.ljust(FOOTER_SIZE - len(MAGIC), b"\0") + MAGIC)

    def _end_block(self) -> None:
        self._handle = self._write_block(self._block)
        self._block.clear()

    def _write_block(self, block: _Block) -> bytes:
        """Writes a block; returns its handle."""
        content = block.content()
        handle = varint(self._offset) + varint(len(content))
        checksum = block_checksum(content, UNCOMPRESSED)
        self._write(content)
        self._write(bytes((UNCOMPRESSED,)) + checksum.to_bytes(_NUMBER_SIZE, "little"))
        self._offset += len(content) + TRAILER_SIZE
        return handle


def shared_prefix_size(key: bytes, other: bytes, guess: int = 0) -> int:
    """Returns how many bytes two keys have in common at their beginning, quickly where a guess is right."""
    size = min(len(key), len(other))
    if guess < size and key[guess] != other[guess] and key[:guess] == other[:guess]:
        return guess
    if key[:size] == other[:size]:
        return size
    difference = int.from_bytes(key[:size], "big") ^ int.from_bytes(other[:size], "big")
    return size - (difference.bit_length() + 7) // 8


def _between(key: bytes, next_key: bytes) -> bytes:
    """Returns a short key that is not less than `key` and less than `next_key`."""
    size = shared_prefix_size(key, next_key)
    if size < min(len(key), len(next_key)) and key[size] + 1 < next_key[size]:
        return key[:size] + bytes((key[size] + 1,))
    return key


def _after(key: bytes) -> bytes:
    """Returns a short key that is not less than `key`."""
    for position, byte in enumerate(key):
        if byte != 0xFF:
            return key[:position] + bytes((byte + 1,))
    return key
