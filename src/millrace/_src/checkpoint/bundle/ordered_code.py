"""Keys whose order as bytes is the order of what they represent: names, numbers, boxes in tensors.

The tables of checkpoints are sorted by bytes. The slices of a partitioned variable have keys of their own there, made
of the variable's name and of where the slice begins. A string ends with two bytes that no string holds; a number says
its length first.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_STRING_END = b"\x00\x01"
_ESCAPES = {b"\x00": b"\x00\xff", b"\xff": b"\xff\x00"}
_SPECIAL_BYTE = re.compile(rb"[\x00\xff]")
_BITS_OF_FIRST_BYTES = 7  # a signed number of n bytes has 7 n bits: the others say how many bytes there are


def encode_string(text: bytes) -> bytes:
    """Returns a string as a part of a key."""
    return _SPECIAL_BYTE.sub(lambda match: _ESCAPES[match[0]], text) + _STRING_END


def encode_number(number: int) -> bytes:
    """Returns a number that is not negative as a part of a key."""
    size = (number.bit_length() + 7) // 8
    return bytes([size]) + number.to_bytes(size, "big")


def encode_signed_number(number: int) -> bytes:
    """Returns a number of at most 64 bits as a part of a key.

    >>> from millrace._src.checkpoint.bundle.ordered_code import encoded_signed_number
    >>> [encoded_signed_number(number).hex() for number in (-1, 0, 63, 64)]
    ['7f', '80', 'bf', 'c040']
    """
    magnitude = number if number >= 0 else ~number
    size = magnitude.bit_length() // _BITS_OF_FIRST_BYTES + 1
    size_bits = ((1 << size) - 1) << 7 * size
    mask = (1 << 8 * size) - 1
    return ((number & mask) ^ size_bits).to_bytes(size, "big")


def slice_key(name: bytes, starts: Sequence[int], lengths: Sequence[int]) -> bytes:
    """Returns the key of a slice of a tensor.

    Args:
      name: the key of the whole tensor.
      starts: where the slice begins, for each dimension.
      lengths: how long the slice is, for each dimension; -1 where it is the whole dimension.
    """
    extents = [encode_signed_number(number) for extent in zip(starts, lengths, strict=True) for number in extent]
    return b"".join([encode_number(0), encode_string(name), encode_number(len(starts)), *extents])
