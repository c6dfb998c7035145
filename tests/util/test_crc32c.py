"""Checksums: known values, and NumPy against the C library."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from millrace._src.util import crc32c as c

_LENGTHS = [0, 1, 3, 4, 7, 8, 9, 63, 64, 255, 256, 257, 511, 512, 1023, 4096, 5001, 70_000, 1_000_003]


def test_known_checksums() -> None:
    # From RFC 3720, appendix B.4.
    assert c.crc32c(bytes(32)) == 0x8A9136AA
    assert c.crc32c(b"\xff" * 32) == 0x62A8AB43
    assert c.crc32c(bytes(range(32))) == 0x46DD794E
    assert c.crc32c(bytes(range(31, -1, -1))) == 0x113FDB5C


@pytest.mark.parametrize("length", _LENGTHS)
def test_numpy_and_the_library_agree(length: int) -> None:
    native = pytest.importorskip("google_crc32c").extend
    data = np.random.default_rng(length).bytes(length)
    assert c.extend_with_numpy(0, data) == native(0, data)
    assert c.extend_with_numpy(0x12345678, data) == native(0x12345678, data)


@pytest.mark.parametrize("length", _LENGTHS)
def test_vectors_of_bytes_are_summed_up_where_they_are(length: int) -> None:
    vector = np.random.default_rng(length).integers(0, 256, length, np.uint8)
    assert c.extend(3, vector) == c.extend_with_numpy(3, vector) == c.extend(3, vector.tobytes())
    vector.flags.writeable = False
    assert c.extend(3, vector) == c.extend(3, vector.tobytes())


@given(st.binary(max_size=600), st.binary(max_size=600))
def test_checksums_go_on_from_checksums(head: bytes, tail: bytes) -> None:
    assert c.extend_with_numpy(c.extend_with_numpy(0, head), tail) == c.extend_with_numpy(0, head + tail)
    assert c.extend(c.crc32c(head), tail) == c.extend_with_numpy(0, head + tail)


@given(st.lists(st.binary(max_size=40)))
def test_many_records_have_the_checksums_of_each(records: list[bytes]) -> None:
    expected = [c.extend_with_numpy(0, record) for record in records]
    assert c.each_with_numpy(records).tolist() == expected
    assert c.crc32c_of_each(records).tolist() == expected


def test_long_records_among_short_ones() -> None:
    records = [b"a" * length for length in (3, 100_000, 0, 16_384, 16_383, 5)]
    assert c.each_with_numpy(records).tolist() == [c.crc32c(record) for record in records]


def test_without_the_library_numpy_stands_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(c, "native_library", None)
    assert c.crc32c(b"123456789") == 0xE3069283
    assert c.extend(c.crc32c(b"1234"), b"56789") == 0xE3069283
    assert c.crc32c_of_each([b"123456789"]).tolist() == [0xE3069283]


@given(st.lists(st.integers(0, 2**64 - 1)))
def test_numbers_have_the_checksums_of_their_bytes(numbers: list[int]) -> None:
    expected = [c.crc32c(number.to_bytes(8, "little")) for number in numbers]
    assert c.crc32c_of_numbers(np.array(numbers, np.uint64)).tolist() == expected


@given(st.integers(0, 2**32 - 1))
def test_masks_come_off(crc: int) -> None:
    assert c.unmask(c.mask(crc)) == crc
    assert c.mask(np.array([crc], np.uint32)).tolist() == [c.mask(crc)]
