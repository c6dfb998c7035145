"""Values as bytes: numbers in any layout, strings, foreign orders of bytes, damaged lengths."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import millrace as tf
from millrace._src.checkpoint.bundle import stored_values
from millrace._src.checkpoint.bundle.stored_values import (
    byte_pieces,
    check_storable,
    decode_strings,
    encode_strings,
    make_native,
    string_pieces,
)
from millrace._src.core.dtypes import ALL_DTYPES
from tests.ops.array.answers import check_refusal

_IS_LOSS = tf.errors.DataLossError


@pytest.mark.parametrize(
    "array",
    [
        np.arange(24.0).reshape(2, 3, 4),
        np.arange(24.0).reshape(2, 3, 4).T,
        np.arange(24)[::-2],
        np.float32(3),
        np.zeros((0, 4)),
        np.zeros((4, 0)).T,
        np.arange(60).reshape(3, 4, 5)[:, ::2, 1:3],
    ],
)
def test_numbers_are_written_in_c_order_whatever_their_layout(monkeypatch: Any, array: Any) -> None:
    array = np.asarray(array)
    for size in (1, 16, 70, 1 << 22):
        monkeypatch.setattr(stored_values, "_PIECE", size)
        assert b"".join(piece.tobytes() for piece in byte_pieces(array)) == array.tobytes()


def test_an_array_in_order_is_not_copied() -> None:
    array = np.arange(10.0).reshape(2, 5)
    assert [np.shares_memory(array, piece) for piece in byte_pieces(array)] == [True]


@pytest.mark.parametrize("dtype", [dtype for dtype in ALL_DTYPES if dtype.size], ids=lambda dtype: dtype.name)
def test_numbers_of_the_other_order_of_bytes_are_turned_round(dtype: Any) -> None:
    array = np.array([1, 0, 1]).astype(dtype.np_dtype)
    width = dtype.real_dtype.size
    foreign = np.frombuffer(array.view(f"u{width}").byteswap().tobytes(), dtype.np_dtype).copy()
    make_native(foreign, dtype, is_big_endian=not stored_values.HOST_IS_BIG_ENDIAN)
    assert foreign.tobytes() == array.tobytes()
    make_native(foreign, dtype, is_big_endian=stored_values.HOST_IS_BIG_ENDIAN)
    assert foreign.tobytes() == array.tobytes()


def test_bytes_that_are_no_booleans_become_true() -> None:
    array = np.array([0, 1, 2, 255], np.uint8).view(bool)
    make_native(array, tf.bool, is_big_endian=False)
    assert array.view(np.uint8).tolist() == [0, 1, 1, 1]


def _strings(elements: list[bytes]) -> Any:
    return np.fromiter(elements, object, len(elements))


@given(st.lists(st.binary(max_size=300), max_size=20))
def test_strings_are_read_as_written(elements: list[bytes]) -> None:
    lengths, _ = encode_strings(_strings(elements))
    data = lengths + b"".join(string_pieces(_strings(elements)))
    found_elements, _ = decode_strings(data, len(elements), is_big_endian=False, source="x")
    assert found_elements == elements


def test_strings_are_those_of_tensorflow() -> None:
    lengths, _ = encode_strings(_strings([b"hello", b"w" * 200, b""]))
    assert lengths.hex() == "05c80100b052c672"


def test_a_checksum_of_lengths_that_differs_is_refused() -> None:
    lengths, _ = encode_strings(_strings([b"ab", b"cde"]))
    for position in range(len(lengths)):
        damaged = bytearray(lengths + b"abcde")
        damaged[position] ^= 4
        with pytest.raises(_IS_LOSS, match=r"The length checksum does not match: expected [0-9]+ but actual is [0-9]+"):
            decode_strings(bytes(damaged), 2, is_big_endian=False, source="x")


@pytest.mark.parametrize(
    ("data", "count"),
    [
        (b"", 1),
        (b"\0\0\0\0\0", 1 << 40),
        (b"\xff" * 20, 1),
        (b"\x80\x80\x80\x80\x80\x80", 2),
        (b"\1\0\0\0\0a", 1),
    ],
)
def test_damaged_strings_are_refused(data: bytes, count: int) -> None:
    with pytest.raises(_IS_LOSS):
        decode_strings(data, count, is_big_endian=False, source="x")


def test_a_length_of_more_bytes_than_there_are_is_refused() -> None:
    for length in (6, 1 << 31, 1 << 32, 1 << 60):
        words = np.array([length], "<u4" if length < 1 << 32 else "<u8").tobytes()
        checksum = stored_values.mask(stored_values.extend(0, words)).to_bytes(4, "little")
        data = stored_values.varint(length) + checksum + b"abcde"
        check_refusal(
            lambda data=data: decode_strings(data, 1, is_big_endian=False, source="x"),
            _IS_LOSS,
            "Read less bytes than requested: x: strings of",
        )


def test_objects_are_refused() -> None:
    for dtype in (tf.resource, tf.variant):
        words = f"Cannot save 'k': a tensor of dtype {dtype.name} refers to an object"
        check_refusal(lambda dtype=dtype: check_storable(dtype, "k", "save"), tf.errors.UnimplementedError, words)
    check_storable(tf.string, "k", "save")
