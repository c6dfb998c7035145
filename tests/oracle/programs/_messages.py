"""Serialized messages written byte by byte, well formed or not, for the topics that read Examples."""

from __future__ import annotations

import struct


def varint(number: int) -> bytes:
    """A number in groups of seven bits."""
    number &= (1 << 64) - 1
    out = b""
    while number > 0x7F:
        out += bytes([number & 0x7F | 0x80])
        number >>= 7
    return out + bytes([number])


def block(field: int, content: bytes) -> bytes:
    """A field with a length."""
    return varint(field << 3 | 2) + varint(len(content)) + content


def float_values(*values: float, packed: bool = True) -> bytes:
    if packed:
        return block(1, struct.pack(f"<{len(values)}f", *values))
    return b"".join(b"\x0d" + struct.pack("<f", value) for value in values)


def int_values(*values: int, packed: bool = True) -> bytes:
    if packed:
        return block(1, b"".join(map(varint, values)))
    return b"".join(b"\x08" + varint(value) for value in values)


def bytes_values(*values: bytes) -> bytes:
    return b"".join(block(1, value) for value in values)


def floats(*values: float, packed: bool = True) -> bytes:
    """A Feature of floats."""
    return block(2, float_values(*values, packed=packed))


def ints(*values: int, packed: bool = True) -> bytes:
    """A Feature of integers."""
    return block(3, int_values(*values, packed=packed))


def texts(*values: bytes) -> bytes:
    """A Feature of bytes."""
    return block(1, bytes_values(*values))


def entry(key: bytes, value: bytes) -> bytes:
    """An entry of a map."""
    return block(1, block(1, key) + block(2, value))


def features(*entries: bytes) -> bytes:
    """An Example of entries."""
    return block(1, b"".join(entries))


def example(**values: bytes) -> bytes:
    """An Example."""
    return features(*[entry(key.encode(), value) for key, value in values.items()])


def sequence(context: dict[str, bytes] | None = None, lists: dict[str, list[bytes]] | None = None) -> bytes:
    """A SequenceExample."""
    out = b""
    if context is not None:
        out += block(1, b"".join(entry(key.encode(), value) for key, value in context.items()))
    if lists is not None:
        entries = [entry(key.encode(), b"".join(block(1, value) for value in items)) for key, items in lists.items()]
        out += block(2, b"".join(entries))
    return out
