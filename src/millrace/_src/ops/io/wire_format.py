"""The wire format of protocol buffers, as far as a `tf.train.Example` needs it.

A message is a row of fields: a tag (number and wire type), then a payload. A varint holds a number in groups of seven
bits, the lowest first; the top bit of a byte says that another byte follows. TensorFlow reads Examples with a parser of
its own, stricter and laxer than protobuf: a length that points past its surroundings ends with them, and tags are
compared as single bytes. The functions here read one piece at a time, from `position` up to `end`, and raise
`MalformedError`; the callers know what was malformed. `unpack_varints` reads many numbers at once.
"""

from __future__ import annotations

import numpy as np

from millrace._src.core.array_namespace import Array

LENGTH_1 = 0x0A
"""The tag of field 1 with a length: all maps, keys and lists of an Example stand in field 1."""
LENGTH_2 = 0x12
"""The tag of field 2 with a length: the value of an entry of a map."""
LENGTH_3 = 0x1A
VARINT_1 = 0x08
FIXED32_1 = 0x0D
_SIGN = 1 << 63
_ALL_BITS = (1 << 64) - 1
_LARGEST_LENGTH = (1 << 31) - 1
_MAX_LENGTH = 10
"""How many bytes a varint of 64 bits has at most."""


class MalformedError(Exception):
    """The bytes are not what the format asks for."""


def varint(number: int) -> bytes:
    """Writes a number as a varint; a negative one as its two's complement of 64 bits."""
    number &= _ALL_BITS
    written = bytearray()
    while number > 0x7F:
        written.append(number & 0x7F | 0x80)
        number >>= 7
    written.append(number)
    return bytes(written)


def read_varint(data: bytes, position: int, end: int) -> tuple[int, int]:
    """Returns an unsigned number and the position after the number."""
    if position >= end:
        raise MalformedError
    byte = data[position]
    if byte < 0x80:
        return byte, position + 1
    number = shift = 0
    for at in range(position, min(end, position + _MAX_LENGTH)):
        byte = data[at]
        number |= (byte & 0x7F) << shift
        if byte < 0x80:
            return number & _ALL_BITS, at + 1
        shift += 7
    raise MalformedError


def read_int64(data: bytes, position: int, end: int) -> tuple[int, int]:
    """Returns a signed number of 64 bits and the position after the number."""
    number, position = read_varint(data, position, end)
    return (number - (1 << 64) if number & _SIGN else number), position


def read_length(data: bytes, position: int, end: int) -> tuple[int, int]:
    """Returns where a payload starts and ends; a payload that is cut off ends at `end`."""
    length, start = read_varint(data, position, end)
    if length > _LARGEST_LENGTH:
        raise MalformedError
    return start, min(start + length, end)


def read_payload(data: bytes, tag: int, position: int, end: int) -> tuple[int, int]:
    """Returns where the payload behind a tag starts and ends; the tag must be there, and the payload whole."""
    if position >= end or data[position] != tag:
        raise MalformedError
    length, start = read_varint(data, position + 1, end)
    if start + length > end:
        raise MalformedError
    return start, start + length


def skip_field(data: bytes, position: int, end: int) -> int:
    """Returns the position after a field of any number; groups are malformed, as TensorFlow has it."""
    tag, position = read_varint(data, position, end)
    wire_type = tag & 7
    if wire_type == 0:
        return read_varint(data, position, end)[1]
    if wire_type == 2:
        length, position = read_varint(data, position, end)
        return min(position + length, end)
    size = {1: 8, 5: 4}.get(wire_type)
    if size is None or position + size > end:
        raise MalformedError
    return position + size


def unpack_varints(content: Array, sizes: Array) -> tuple[Array, Array]:
    """Returns the signed numbers in packed lists that stand one after the other, and how many numbers each list has.

    Args:
      content: the bytes of all lists, uint8.
      sizes: how many bytes each list has.

    Raises: MalformedError: if a list ends in the middle of a number, or a number is too long.
    """
    if content.tobytes().isascii():  # one byte each, below 128
        return content.astype(np.int64), sizes
    is_last = content < 0x80
    stops = is_last.nonzero()[0]
    before = np.zeros(len(content) + 1, dtype=np.int64)
    is_last.cumsum(out=before[1:])
    list_ends = sizes.cumsum()
    if not is_last[list_ends[sizes > 0] - 1].all():
        raise MalformedError
    starts = np.zeros_like(stops)
    np.add(stops[:-1], 1, out=starts[1:])
    lengths = stops - starts + 1
    longest = int(lengths.max())
    if longest > _MAX_LENGTH:
        raise MalformedError
    numbers = (content[starts] & 0x7F).astype(np.uint64)
    for group in range(1, longest):
        longer = (lengths > group).nonzero()[0]
        numbers[longer] |= (content[starts[longer] + group] & 0x7F).astype(np.uint64) << np.uint64(7 * group)
    return numbers.view(np.int64), before[list_ends] - before[list_ends - sizes]
