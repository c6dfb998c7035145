"""Checksums of files: CRC-32C (Castagnoli), as TensorFlow's records and checkpoints store it.

Problem: a checksum reads every byte of a file, so a slow one decides how fast files are read; and record files need a
million checksums of a hundred bytes each.

Idea: the C library of the package google-crc32c does the work wherever it is installed. Without it NumPy does: the
checksum of a remainder polynomial is linear, so the blocks of long data are advanced side by side and joined at the
end, and many short records are advanced side by side as they are.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

Words = np.ndarray[Any, np.dtype[np.uint32]]
Bytes = np.ndarray[Any, np.dtype[np.uint8]]

_POLYNOMIAL = 0x82F63B78  # Castagnoli's, lowest power in the highest bit
_ONES = 0xFFFFFFFF
_MASK_DELTA = 0xA282EAD8


# --- masks -----------------------------------------------------------------------------------------------------------


def mask(crc: Any) -> Any:
    """Masks a checksum that is stored beside its data: a checksum of data that hold checksums is weak otherwise.

    >>> from millrace._src.util.crc32c import mask, unmask
    >>> hex(mask(0x12345678)), unmask(mask(7))
    ('0x4f345aea', 7)

    Args:
      crc: a checksum, or a `uint32` array of checksums.
    """
    if isinstance(crc, np.ndarray):
        return ((crc >> np.uint32(15)) | (crc << np.uint32(17))) + np.uint32(_MASK_DELTA)
    return ((crc >> 15 | crc << 17) + _MASK_DELTA) & _ONES


def unmask(masked_crc: int) -> int:
    """Returns the checksum behind a masked one."""
    rotated_crc = (masked_crc - _MASK_DELTA) & _ONES
    return (rotated_crc >> 17 | rotated_crc << 15) & _ONES


# --- the arithmetic of NumPy -----------------------------------------------------------------------------------------


@functools.cache
def _tables() -> list[Words]:
    """Returns for k = 0..7 what a byte becomes when it and then k zero bytes pass through the register."""
    table = np.arange(256, dtype=np.uint32)
    for _ in range(8):
        table = np.where(table & 1, (table >> 1) ^ np.uint32(_POLYNOMIAL), table >> 1)
    tables = [table]
    for _ in range(7):
        tables.append(tables[0][tables[-1] & 0xFF] ^ (tables[-1] >> 8))
    return tables


def _advance_bytes(registers: Words, data: Any) -> Words:
    """Passes one byte through each register."""
    result: Words = _tables()[0][(registers ^ data) & 0xFF] ^ (registers >> 8)
    return result


def _advance_words(registers: Words, words: Words) -> Words:
    """Passes four bytes, read as little-endian words, through each register."""
    tables, mixed = _tables(), registers ^ words
    result: Words = tables[3][mixed & 0xFF] ^ tables[2][(mixed >> 8) & 0xFF]
    result ^= tables[1][(mixed >> 16) & 0xFF]
    result ^= tables[0][mixed >> 24]
    return result


_BLOCK = 256  # bytes that a lane of a long checksum passes through its register


@functools.lru_cache(maxsize=64)
def _shift_tables(level: int) -> Words:
    """Returns four tables of what the bytes of a register become after `_BLOCK * 2**level` zero bytes."""
    bits = np.uint32(1) << np.arange(32, dtype=np.uint32)
    if level:
        shifted_bits = _shift(_shift(bits, level - 1), level - 1)
    else:
        shifted_bits = bits
        for _ in range(_BLOCK // 4):
            shifted_bits = _advance_words(shifted_bits, np.zeros(32, np.uint32))
    tables = np.zeros((4, 256), np.uint32)
    for bit in range(8):
        has_bit = (np.arange(256) >> bit) & 1 == 1
        tables[:, has_bit] ^= shifted_bits.reshape(4, 8)[:, bit, None]
    return tables


def _shift(registers: Words, level: int) -> Words:
    """Passes `_BLOCK * 2**level` zero bytes through each register."""
    tables = _shift_tables(level)
    result: Words = tables[0][registers & 0xFF] ^ tables[1][(registers >> 8) & 0xFF]
    result ^= tables[2][(registers >> 16) & 0xFF]
    result ^= tables[3][registers >> 24]
    return result


def _join(registers: Words) -> Words:
    """Joins the registers of blocks that follow each other into the register of the whole, by halving."""
    level = 0
    while len(registers) > 1:
        if len(registers) % 2:
            registers = np.concatenate([np.zeros(1, np.uint32), registers])
        registers = _shift(registers[::2], level) ^ registers[1::2]
        level += 1
    return registers


def extend_with_numpy(crc: int, data: bytes | Bytes) -> int:
    """Returns the checksum of what `crc` is the checksum of, followed by `data`; needs no package but NumPy."""
    table, register = _byte_table(), crc ^ _ONES
    rest = len(data) % _BLOCK
    for byte in bytes(data[:rest]):
        register = table[(register ^ byte) & 0xFF] ^ (register >> 8)
    if len(data) >= _BLOCK:
        blocks = np.frombuffer(data, "<u4", offset=rest).reshape(-1, _BLOCK // 4)
        columns = np.ascontiguousarray(blocks.T)
        registers = np.zeros(columns.shape[1], np.uint32)
        registers[0] = register
        for column in columns:
            registers = _advance_words(registers, column)
        register = int(_join(registers)[0])
    return register ^ _ONES


@functools.cache
def _byte_table() -> list[int]:
    return _tables()[0].tolist()


_LONG = 1 << 14  # bytes from which on a record is worth lanes of its own


def each_with_numpy(records: Sequence[bytes]) -> Words:
    """Returns the checksum of each record; needs no package but NumPy."""
    lengths = np.fromiter(map(len, records), np.int64, len(records))
    crcs = np.zeros(len(records), np.uint32)
    for position in np.flatnonzero(lengths >= _LONG).tolist():
        crcs[position] = extend_with_numpy(0, records[position])
    order = np.flatnonzero(lengths < _LONG)
    order = order[np.argsort(-lengths[order], kind="stable")]
    crcs[order] = _side_by_side([records[position] for position in order.tolist()], lengths[order])
    return crcs


def _side_by_side(records: Sequence[bytes], lengths: Any) -> Words:
    """Returns the checksums of short records, longest first: at each step the records that still go on advance."""
    data = np.frombuffer(b"".join(records) + b"\0\0\0", np.uint8)
    words = np.ndarray(len(data) - 3, "<u4", data, strides=(1,))
    starts = np.cumsum(lengths) - lengths
    registers = np.full(len(records), _ONES, np.uint32)
    for step in range(int(lengths[0]) // 4 if len(records) else 0):
        count = np.searchsorted(-lengths, -4 * (step + 1), side="right")
        registers[:count] = _advance_words(registers[:count], words[starts[:count] + 4 * step])
    for step in range(3):
        left = np.flatnonzero(lengths % 4 > step)
        registers[left] = _advance_bytes(registers[left], data[starts[left] + lengths[left] // 4 * 4 + step])
    return registers ^ np.uint32(_ONES)


# --- the library, where it is installed ------------------------------------------------------------------------------


def _native_library() -> Any:
    """Returns the package google-crc32c, or None where it is missing or only Python."""
    try:
        with warnings.catch_warnings():  # the package warns where it has no C library
            warnings.simplefilter("ignore")
            import google_crc32c  # optional: NumPy stands in
    except ImportError:
        return None
    return google_crc32c if google_crc32c.implementation == "c" else None


native_library = _native_library()
"""The package google-crc32c; None where it does not help."""


def extend(crc: int, data: bytes | Bytes) -> int:
    """Returns the checksum of what `crc` is the checksum of, followed by `data`: bytes, or a vector of bytes.

    Neither is copied. Other threads run meanwhile, if there is a megabyte or more.

    >>> from millrace._src.util.crc32c import crc32c, extend
    >>> extend(crc32c(b"1234"), b"56789") == crc32c(b"123456789")
    True
    """
    if native_library is None:
        return extend_with_numpy(crc, data)
    return int(native_library.extend(crc, data))


def crc32c(data: bytes) -> int:
    """Returns the checksum of `data`.

    >>> from millrace._src.util.crc32c import crc32c
    >>> hex(crc32c(b"123456789"))
    '0xe3069283'
    """
    return extend(0, data)


def masked_crc32c(data: bytes) -> int:
    """Returns the checksum of `data` as files store it.

    >>> from millrace._src.util.crc32c import masked_crc32c
    >>> hex(masked_crc32c(b"123456789"))
    '0xc78e860c'
    """
    return int(mask(crc32c(data)))


def crc32c_of_each(records: Sequence[bytes]) -> Words:
    """Returns the checksum of each record in an array.

    >>> from millrace._src.util.crc32c import crc32c_of_each
    >>> crc32c_of_each([b"123456789", b""]).tolist()
    [3808858755, 0]
    """
    if native_library is None:
        return each_with_numpy(records)
    return np.fromiter(map(native_library.value, records), np.uint32, len(records))


def crc32c_of_numbers(numbers: Any) -> Words:
    """Returns the checksum of the eight little-endian bytes of each `uint64`."""
    tables = _tables()
    crcs = np.full(len(numbers), crc32c(bytes(8)), np.uint32)
    highest = int(numbers.max()) if len(numbers) else 0
    for position in range((highest.bit_length() + 7) // 8):  # zero bytes change nothing: the checksum is linear
        crcs ^= tables[7 - position][(numbers >> np.uint64(8 * position)).astype(np.uint8)]
    return crcs
