"""Blocks that were compressed with Snappy, as other writers of tables may do.

A compressed block is a list of elements: bytes that stand there, and copies of bytes that came before.
"""

from __future__ import annotations

from millrace._src.ops.io.wire_format import MalformedError, read_varint

_LARGEST_GROWTH = 64  # a copy of 64 bytes takes at least two


def decompress(data: bytes) -> bytes:
    """Returns what was compressed.

    >>> from millrace._src.checkpoint.bundle.snappy import uncompressed
    >>> uncompressed(bytes([7, 0b100, 97, 98, 0b101, 2, 0b1, 2]))[:6]
    b'ababab'

    Raises: MalformedError: for data that are not compressed so.
    """
    size, position = read_varint(data, 0, len(data))
    if size > _LARGEST_GROWTH * len(data):
        raise MalformedError("corrupted compressed block contents")
    result = bytearray()
    while position < len(data):
        position = _append_element(result, data, position)
        if len(result) > size:
            break
    if len(result) != size:
        raise MalformedError("corrupted compressed block contents")
    return bytes(result)


def _append_element(result: bytearray, data: bytes, position: int) -> int:
    """Appends what an element says; returns the position behind the element."""
    tag = _number(data, position, 1)
    kind, number = tag & 3, tag >> 2
    position += 1
    if kind == 0:
        return _append_literal(result, data, position, number)
    if kind == 1:
        distance, length = (tag >> 5) << 8 | _number(data, position, 1), (number & 7) + 4
        position += 1
    else:
        width = 2 if kind == 2 else 4
        distance, length = _number(data, position, width), number + 1
        position += width
    if not 0 < distance <= len(result):
        raise MalformedError("corrupted compressed block contents")
    start = len(result) - distance
    source = bytes(result[start : start + length])
    result += (source * (length // len(source) + 1))[:length]  # a copy may run into what it appends
    return position


def _append_literal(result: bytearray, data: bytes, position: int, number: int) -> int:
    width = max(number - 59, 0)
    length = (_number(data, position, width) if width else number) + 1
    start = position + width
    if start + length > len(data):
        raise MalformedError("corrupted compressed block contents")
    result += data[start : start + length]
    return start + length


def _number(data: bytes, position: int, width: int) -> int:
    if position + width > len(data):
        raise MalformedError("corrupted compressed block contents")
    return int.from_bytes(data[position : position + width], "little")
