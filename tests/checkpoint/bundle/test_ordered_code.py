"""Keys of slices: their order, and the bytes that TensorFlow writes."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from millrace._src.checkpoint.bundle.ordered_code import (
    encode_number,
    encode_signed_number,
    encode_string,
    slice_key,
)

_SIGNED = st.integers(-(1 << 63), (1 << 63) - 1)


def test_keys_are_those_of_tensorflow() -> None:
    assert slice_key(b"v", (0, 0), (10, 5)) == b"\x00v\x00\x01\x01\x02\x80\x8a\x80\x85"
    assert slice_key(b"v", (4, 0), (6, -1)) == b"\x00v\x00\x01\x01\x02\x84\x86\x80\x7f"
    assert slice_key(b"x", (), ()) == b"\x00x\x00\x01\x00"


def test_long_numbers_are_those_of_tensorflow() -> None:
    recorded = {63: "bf", 64: "c040", 8191: "dfff", 8192: "e02000", 1 << 20: "f0100000", 1 << 40: "fd0000000000"}
    recorded |= {1 << 55: "ff8080000000000000", 1 << 62: "ffc04000000000000000", -1: "7f"}
    assert {number: encode_signed_number(number).hex() for number in recorded} == recorded


@given(_SIGNED, _SIGNED)
def test_signed_numbers_keep_their_order(number: int, other: int) -> None:
    assert (encode_signed_number(number) < encode_signed_number(other)) == (number < other)


@given(st.integers(0, (1 << 64) - 1), st.integers(0, (1 << 64) - 1))
def test_numbers_keep_their_order(number: int, other: int) -> None:
    assert (encode_number(number) < encode_number(other)) == (number < other)


@given(st.binary(max_size=8), st.binary(max_size=8), st.binary(max_size=3))
def test_strings_keep_their_order_whatever_follows(text: bytes, other: bytes, rest: bytes) -> None:
    if text != other:
        assert (encode_string(text) + rest < encode_string(other)) == (text < other)


def test_no_string_is_the_beginning_of_another() -> None:
    assert encode_string(b"a\x00\xff") == b"a\x00\xff\xff\x00\x00\x01"
    assert not encode_string(b"ab").startswith(encode_string(b"a"))
