"""Blocks compressed with Snappy."""

from __future__ import annotations

import random

import pytest

from millrace._src.checkpoint.bundle.snappy import decompress
from millrace._src.ops.io.wire_format import MalformedError, varint


def _literal(data: bytes) -> bytes:
    if len(data) <= 60:
        return bytes([len(data) - 1 << 2]) + data
    return bytes([61 << 2]) + (len(data) - 1).to_bytes(2, "little") + data


@pytest.mark.parametrize(
    ("elements", "content"),
    [
        ([_literal(b"abc")], b"abc"),
        ([_literal(b"x" * 60)], b"x" * 60),
        ([_literal(bytes(1000))], bytes(1000)),
        ([bytes([60 << 2, 1]), b"ab"], b"ab"),
        ([bytes([62 << 2, 1, 0, 0]), b"ab"], b"ab"),
        ([bytes([63 << 2, 1, 0, 0, 0]), b"ab"], b"ab"),
        ([_literal(b"ab"), bytes([0 << 2 | 1, 2])], b"ababab"),  # a copy that runs into what it appends
        ([_literal(b"abcdefgh"), bytes([(5 - 1) << 2 | 2, 8, 0])], b"abcdefghabcde"),
        ([_literal(b"abcdefgh"), bytes([(3 - 1) << 2 | 3, 4, 0, 0, 0])], b"abcdefghefg"),
        ([_literal(bytes(range(256)) * 2), bytes([1 << 5 | 0 << 2 | 1, 0])], bytes(range(256)) * 2 + bytes(range(4))),
        ([], b""),
    ],
)
def test_elements_are_put_together(elements: list[bytes], content: bytes) -> None:
    assert decompress(varint(len(content)) + b"".join(elements)) == content


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xff" * 12,
        varint(3) + _literal(b"abcd"),
        varint(5) + _literal(b"abcd"),
        varint(1 << 60) + _literal(b"abcd"),
        varint(4) + b"\xfc",
        varint(4) + b"\xfc\xff\xff\xff\xff" + b"abcd",
        varint(4) + bytes([1, 1]),  # nothing to copy from
        varint(6) + _literal(b"ab") + bytes([1, 3]),
        varint(6) + _literal(b"ab") + bytes([1, 0]),
        varint(6) + _literal(b"ab") + bytes([2, 1]),
    ],
)
def test_damaged_data_are_refused(data: bytes) -> None:
    with pytest.raises(MalformedError):
        decompress(data)


def test_random_bytes_are_refused_or_read_with_little_memory() -> None:
    source = random.Random(5)
    for _ in range(3000):
        data = varint(source.randrange(200)) + source.randbytes(source.randrange(30))
        try:
            assert len(decompress(data)) <= 200
        except MalformedError:
            pass
