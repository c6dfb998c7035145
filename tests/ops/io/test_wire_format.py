"""Varints, payloads and unknown fields, one at a time and many at once."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from millrace._src.ops.io.wire_format import (
    MalformedError,
    read_int64,
    read_length,
    read_payload,
    read_varint,
    skip_field,
    unpack_varints,
)
from millrace._src.ops.io.wire_format import (
    varint as written_varint,
)
from tests.oracle.programs._messages import block, varint

_INT64 = st.integers(-(2**63), 2**63 - 1)


@given(_INT64)
def test_a_number_is_read_as_it_was_written(number: int) -> None:
    data = b"x" + varint(number) + b"y"
    assert read_int64(data, 1, len(data)) == (number, len(data) - 1)


@pytest.mark.parametrize("data", [b"", b"\x80", b"\xff" * 10, b"\xff" * 10 + b"\x01"])
def test_a_number_that_does_not_end_is_malformed(data: bytes) -> None:
    with pytest.raises(MalformedError):
        read_varint(data, 0, len(data))


def test_bits_beyond_the_64th_are_dropped() -> None:
    assert read_int64(b"\xff" * 9 + b"\x7f", 0, 10) == (-1, 10)


def test_a_length_that_points_too_far_ends_with_what_there_is() -> None:
    assert read_length(b"\x05ab", 0, 3) == (1, 3)
    with pytest.raises(MalformedError):
        read_length(varint(2**31) + b"ab", 0, 7)


def test_a_payload_must_be_whole_and_behind_its_tag() -> None:
    assert read_payload(block(1, b"ab"), 0x0A, 0, 4) == (2, 4)
    for data, tag in ((b"\x0a\x05ab", 0x0A), (block(1, b"ab"), 0x12), (b"", 0x0A)):
        with pytest.raises(MalformedError):
            read_payload(data, tag, 0, len(data))


@pytest.mark.parametrize(
    ("field", "size"),
    [(b"\x28\x85\x01", 3), (b"\x2912345678", 9), (b"\x2d1234", 5), (block(5, b"abc"), 5), (b"\x2a\x05a", 3)],
)
def test_unknown_fields_are_skipped(field: bytes, size: int) -> None:
    assert skip_field(field, 0, len(field)) == size


@pytest.mark.parametrize("field", [b"\x2b", b"\x2c", b"\x2e", b"\x2f", b"\x2d123", b"\x291234567", b"\x28", b"\x2a"])
def test_groups_and_fields_cut_off_are_malformed(field: bytes) -> None:
    with pytest.raises(MalformedError):
        skip_field(field, 0, len(field))


@given(st.lists(st.lists(_INT64, max_size=5), max_size=6))
def test_many_lists_are_unpacked_at_once(lists: list[list[int]]) -> None:
    packed = [b"".join(map(varint, numbers)) for numbers in lists]
    sizes = np.array([len(data) for data in packed], np.int64)
    numbers, counts = unpack_varints(np.frombuffer(b"".join(packed), np.uint8), sizes)
    assert numbers.dtype == np.int64
    assert numbers.tolist() == [number for part in lists for number in part]
    assert counts.tolist() == [len(part) for part in lists]


@pytest.mark.parametrize(("data", "sizes"), [(b"\x85", [1]), (b"\x85\x01", [1, 1]), (b"\xff" * 10 + b"\x01", [11])])
def test_lists_that_end_within_a_number_are_malformed(data: bytes, sizes: list[int]) -> None:
    with pytest.raises(MalformedError):
        unpack_varints(np.frombuffer(data, np.uint8), np.array(sizes))


@given(st.integers(-(2**63), 2**64 - 1))
def test_a_written_number_is_read_back(number: int) -> None:
    written = written_varint(number)
    assert read_varint(written, 0, len(written)) == (number % 2**64, len(written))
