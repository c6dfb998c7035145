"""The values of a tensor as the bytes that stand in a file.

Numbers stand there as in memory, in C order. Strings stand there one behind the other; before them the length of each,
as a varint, and a checksum of the lengths. The checksums read a length as a word of four bytes, or of eight where it
needs eight.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import accumulate, pairwise

import numpy as np

from millrace._src.core import errors
from millrace._src.core.array_namespace import Array
from millrace._src.core.dtypes import DType
from millrace._src.ops.io.wire_format import MalformedError, read_varint, varint
from millrace._src.util.crc32c import extend, mask

HOST_IS_BIG_ENDIAN = sys.byteorder == "big"
LENGTHS_CHECKSUM_SIZE = 4

_PIECE = 1 << 22
_LARGEST_WORD = (1 << 32) - 1


def check_storable(dtype: DType, key: str, verb: str, advice: str = "") -> None:
    """Checks that values of a dtype can stand in a file.

    Args:
      dtype: the dtype.
      key: the name of the tensor, for the error.
      verb: what is to be done with the tensor, for the error.
      advice: what the user can do, for the error.

    Raises: tf.errors.UnimplementedError: for handles of resources and variants, which refer to objects.
    """
    if dtype.is_handle:
        message = (
            f"Cannot {verb} {key!r}: a tensor of dtype {dtype.name} refers to an object, and has no value of its own"
            f"{advice}"
        )
        raise errors.UnimplementedError(None, None, message)


# --- numbers ---------------------------------------------------------------------------------------------------------


def byte_view(array: Array) -> Array:
    """Returns the memory of a contiguous array as a vector of bytes."""
    return array.reshape(-1).view(np.uint8)


def byte_pieces(array: Array) -> Iterator[Array]:
    """Yields the bytes of an array of numbers in C order: its own memory where that is in order, else small copies."""
    if array.flags.c_contiguous:
        yield byte_view(array)
    elif array.nbytes <= _PIECE:
        yield byte_view(np.ascontiguousarray(array))
    else:
        rows = max(_PIECE * len(array) // array.nbytes, 1)
        for start in range(0, len(array), rows):
            part = array[start : start + rows]
            yield from byte_pieces(part[0] if rows == 1 else part)


def make_native(array: Array, dtype: DType, *, is_big_endian: bool) -> None:
    """Brings numbers that were read from a file into the order of bytes of this machine, in place."""
    if dtype.is_bool:
        values = array.view(np.uint8)
        np.minimum(values, 1, out=values)
    width = dtype.real_dtype.size
    if width > 1 and is_big_endian != HOST_IS_BIG_ENDIAN:
        array.reshape(-1).view(f"u{width}").byteswap(inplace=True)


# --- strings ---------------------------------------------------------------------------------------------------------


def encode_strings(array: Array) -> tuple[bytes, int]:
    """Returns what stands before the strings of an array: lengths and their checksum; and the checksum up to there."""
    lengths = [len(element) for element in array.reshape(-1).tolist()]
    checked = _length_words(lengths, sys.byteorder == "big")
    lengths_checksum = mask(extend(0, checked)).to_bytes(LENGTHS_CHECKSUM_SIZE, sys.byteorder)
    return b"".join(map(varint, lengths)) + lengths_checksum, extend(0, checked + lengths_checksum)


def string_pieces(array: Array) -> Iterator[bytes]:
    """Yields the bytes of strings, many short ones at a time."""
    gathered, size = [], 0
    for element in array.reshape(-1).tolist():
        gathered.append(element)
        size += len(element)
        if size >= _PIECE:
            yield b"".join(gathered)
            gathered, size = [], 0
    yield b"".join(gathered)


def decode_strings(data: bytes, count: int, *, is_big_endian: bool, source: str) -> tuple[list[bytes], int]:
    """Returns strings of a file, and the checksum of their bytes.

    Args:
      data: what stands in the file for the tensor.
      count: the number of strings.
      is_big_endian: whether the file was written on a machine with the other order of bytes.
      source: the tensor and its file, for errors.

    Raises: tf.errors.DataLossError: if the bytes are not those of so many strings, or a checksum differs.
    """
    if count + LENGTHS_CHECKSUM_SIZE > len(data):  # before there is memory for them
        raise _damage_error(source, f"{count} strings do not fit into {len(data)} bytes")
    lengths, position = [], 0
    try:
        for _ in range(count):
            length, position = read_varint(data, position, len(data))
            lengths.append(length)
    except MalformedError:
        raise _damage_error(source, "the lengths of the strings do not end") from None
    start = position + LENGTHS_CHECKSUM_SIZE
    stored_checksum = data[position:start]
    checked = _length_words(lengths, is_big_endian)
    _check_lengths(stored_checksum, extend(0, checked), is_big_endian, source)
    if start + sum(lengths) != len(data):
        raise _damage_error(source, f"strings of {sum(lengths)} bytes do not fill {len(data) - start}")
    ends = accumulate(lengths, initial=start)
    crc = extend(extend(0, checked), np.frombuffer(data, np.uint8)[position:])
    return [data[begin:end] for begin, end in pairwise(ends)], crc


def _length_words(lengths: list[int], is_big_endian: bool) -> bytes:
    """Returns the lengths in the form in which checksums read them."""
    order = ">" if is_big_endian else "<"
    if max(lengths, default=0) <= _LARGEST_WORD:
        return np.array(lengths, f"{order}u4").tobytes()
    return b"".join(np.array(length, f"{order}u{4 if length <= _LARGEST_WORD else 8}").tobytes() for length in lengths)


def _check_lengths(stored: bytes, crc: int, is_big_endian: bool, source: str) -> None:
    stored_checksum, actual_checksum = int.from_bytes(stored, "big" if is_big_endian else "little"), mask(crc)
    if len(stored) < LENGTHS_CHECKSUM_SIZE or stored_checksum != actual_checksum:
        words = f"The length checksum does not match: expected {stored_checksum} but actual is {actual_checksum}"
        raise errors.DataLossError(None, None, f"{words}: {source}")


def _damage_error(source: str, reason: str) -> errors.OpError:
    return errors.DataLossError(None, None, f"Read less bytes than requested: {source}: {reason}")
