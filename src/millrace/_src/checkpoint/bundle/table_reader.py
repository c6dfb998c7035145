"""Reading a table: the value of a key, or all keys and values in order.

A file may be damaged, or made to do harm. So each number is checked before it is believed, and whatever does not fit is
a `DataLossError`. Only the blocks that are asked for are read, and the checksum of each is checked as it is read.
"""

from __future__ import annotations

import struct
from bisect import bisect_left, bisect_right
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager

from millrace._src.checkpoint.bundle.ranged_file import RangedFile
from millrace._src.checkpoint.bundle.snappy import decompress
from millrace._src.checkpoint.bundle.table_format import (
    FOOTER_SIZE,
    MAGIC,
    SNAPPY,
    TRAILER_SIZE,
    UNCOMPRESSED,
    block_checksum,
)
from millrace._src.core import errors
from millrace._src.ops.io.wire_format import MalformedError, read_varint

_NUMBER_SIZE = 4
_KEPT_BLOCKS = 16
_LARGEST_KEPT_BLOCK = 1 << 20
_QUESTIONS_BEFORE_DECODING = 8
_LARGEST_GROWTH = 64  # keys leave out what they have in common with the key before, yet only so much is believable


class TableBlock:
    """The keys and values of a block.

    Args: content: the block without its trailer.
    Raises: MalformedError: if the content is not a block.
    """

    def __init__(self, content: bytes) -> None:
        count = int.from_bytes(content[-_NUMBER_SIZE:], "little")
        self._end = len(content) - _NUMBER_SIZE * (count + 1)
        if len(content) < _NUMBER_SIZE or self._end < 0:
            raise MalformedError("bad block contents")
        self._content = content
        is_empty = not self._end  # an empty block names a beginning, too
        self._restarts: tuple[int, ...] = () if is_empty else struct.unpack_from(f"<{count}I", content, self._end)
        self._questions = 0
        self._keys: list[bytes] = []  # filled, as the values are, when the block is asked again and again
        self._values: list[bytes] = []

    def first_from(self, key: bytes) -> tuple[bytes, bytes] | None:
        """Returns the first key that is not less than `key`, and its value; None if there is none.

        Raises: MalformedError: at an entry that is none.
        """
        self._questions += 1
        if self._questions == _QUESTIONS_BEFORE_DECODING:
            self._decode()
        if not self._keys:
            return next(self.entries_from(key), None)
        position = bisect_left(self._keys, key)
        return (self._keys[position], self._values[position]) if position < len(self._keys) else None

    def _decode(self) -> None:
        """Keeps all keys and values, unless a block that was made to do harm has keys without end."""
        keys, values, size = [], [], 0
        for key, value in self.entries():
            size += len(key)
            if size > _LARGEST_GROWTH * len(self._content):
                return
            keys.append(key)
            values.append(value)
        self._values = values  # before the keys, which other threads look at first
        self._keys = keys

    def entries(self, offset: int = 0) -> Iterator[tuple[bytes, bytes]]:
        """Yields keys and values in order, from an entry on that has nothing in common with the entry before.

        Raises: MalformedError: at an entry that is none.
        """
        key = b""
        while offset < self._end:
            key, value, offset = self._entry(offset, key)
            yield key, value

    def entries_from(self, key: bytes) -> Iterator[tuple[bytes, bytes]]:
        """Yields the keys and values from the first key on that is not less than `key`.

        Raises: MalformedError: at an entry that is none.
        """
        position = bisect_right(self._restarts, key, key=lambda offset: self._entry(offset, b"")[0]) - 1
        entries = self.entries(self._restarts[position] if position > 0 else 0)
        return ((entry_key, value) for entry_key, value in entries if entry_key >= key)

    def _entry(self, offset: int, last_key: bytes) -> tuple[bytes, bytes, int]:
        """Returns the key, the value, and where the next entry begins."""
        content = self._content
        sizes = content[offset : offset + 3]
        if len(sizes) == 3 and sizes.isascii():  # three numbers of one byte, as nearly always
            shared_size, own_size, value_size = sizes
            offset += 3
        else:
            shared_size, offset = read_varint(content, offset, self._end)
            own_size, offset = read_varint(content, offset, self._end)
            value_size, offset = read_varint(content, offset, self._end)
        value_start = offset + own_size
        end = value_start + value_size
        if end > self._end or shared_size > len(last_key):
            raise MalformedError("bad entry in block")
        return last_key[:shared_size] + content[offset:value_start], content[value_start:end], end


class TableFileReader:
    """A table in a file.

    Args: file: the file, which belongs to the reader from now on.
    Raises: tf.errors.DataLossError: if the file is not a table.
    """

    def __init__(self, file: RangedFile) -> None:
        self._file = file
        self._blocks: OrderedDict[int, TableBlock] = OrderedDict()
        if file.size < FOOTER_SIZE:
            raise errors.DataLossError(None, None, f"file is too short to be an sstable: {file.name}")
        footer = file.read(file.size - FOOTER_SIZE, FOOTER_SIZE)
        if not footer.endswith(MAGIC):
            raise errors.DataLossError(None, None, f"not an sstable (bad magic number): {file.name}")
        with self._damage():
            _, position = _read_handle(footer, 0)
            handle, _ = _read_handle(footer, position)
            self._index = self._read_block(*handle)

    def close(self) -> None:
        """Closes the file."""
        self._file.close()

    def get(self, key: bytes) -> bytes | None:
        """Returns the value of a key; None if the table does not have the key.

        Raises: tf.errors.DataLossError: if the part of the file that was read is damaged.
        """
        with self._damage():
            entry = self._index.first_from(key)
            nearest = None if entry is None else self._block(entry[1]).first_from(key)
        return nearest[1] if nearest is not None and nearest[0] == key else None

    def items(self) -> Iterator[tuple[bytes, bytes]]:
        """Yields all keys and values in order.

        Raises: tf.errors.DataLossError: if the file is damaged, or keys are not in order.
        """
        last_key, size = None, 0
        with self._damage():
            for _, handle in self._index.entries():
                for key, value in self._block(handle).entries():
                    size += len(key)
                    if last_key is not None and key <= last_key:  # also where two handles lead to one block
                        raise MalformedError("keys are not in order")
                    if size > _LARGEST_GROWTH * max(self._file.size, _LARGEST_KEPT_BLOCK):
                        raise MalformedError("keys take more memory than a file of this size is worth")
                    last_key = key
                    yield key, value

    def _block(self, handle: bytes) -> TableBlock:
        (offset, size), _ = _read_handle(handle, 0)
        block = self._blocks.get(offset)
        if block is None:
            block = self._read_block(offset, size)
            if size <= _LARGEST_KEPT_BLOCK:
                self._blocks[offset] = block
            if len(self._blocks) > _KEPT_BLOCKS:
                self._blocks.popitem(last=False)
        return block

    def _read_block(self, offset: int, size: int) -> TableBlock:
        stored = self._file.read(offset, size + TRAILER_SIZE)
        content, compression = stored[:size], stored[size]
        if int.from_bytes(stored[size + 1 :], "little") != block_checksum(content, compression):
            raise MalformedError("block checksum mismatch")
        if compression == SNAPPY:
            return TableBlock(decompress(content))
        if compression != UNCOMPRESSED:
            raise MalformedError("bad block type")
        return TableBlock(content)

    @contextmanager
    def _damage(self) -> Iterator[None]:
        """Turns what is found wrong into a `DataLossError`."""
        try:
            yield
        except MalformedError as error:
            reason = str(error) or "bad number in block"
            raise errors.DataLossError(None, None, f"{reason}: {self._file.name}") from None


def _read_handle(data: bytes, position: int) -> tuple[tuple[int, int], int]:
    """Reads the offset and size of a block.

    Returns: The two, and the position behind them.
    """
    offset, position = read_varint(data, position, len(data))
    size, position = read_varint(data, position, len(data))
    return (offset, size), position
