"""Numbers read eight digits at a time are those that are read one by one, or are left to the caller."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import millrace as tf
from millrace._src.ops.strings.numbers import integer_reader, read_float
from millrace._src.ops.strings.packed import pack
from millrace._src.ops.strings.packed_numbers import read_floats, read_integers

_TEXTS = st.lists(st.text(alphabet="0123456789+-. e\n", max_size=24), min_size=1, max_size=30)
_DECIMALS = st.lists(st.from_regex(r"[+-]?[0-9]{0,18}(\.[0-9]{0,17})?", fullmatch=True), min_size=1, max_size=30)


@given(texts=st.one_of(_TEXTS, _DECIMALS))
def test_what_counts_as_a_plain_integer_is_read_as_python_reads_it(texts: list[str]) -> None:
    encoded = [text.encode() for text in texts]
    numbers, is_simple = read_integers(pack(encoded))
    for text, number, simple in zip(encoded, numbers.tolist(), is_simple.tolist(), strict=True):
        digits = text.lstrip(b"+-")
        assert simple == (
            text[len(text) - len(digits) :].isdigit() and len(text) - len(digits) < 2 and len(digits) < 17
        )
        assert not simple or number == integer_reader(tf.int64)(text)


@given(texts=st.one_of(_TEXTS, _DECIMALS))
def test_what_counts_as_a_plain_decimal_is_read_as_python_reads_it(texts: list[str]) -> None:
    encoded = [text.encode() for text in texts]
    numbers, is_simple = read_floats(pack(encoded))
    for text, number, simple in zip(encoded, numbers.tolist(), is_simple.tolist(), strict=True):
        assert not simple or str(number) == str(read_float(text))  # the sign of zero, too
        if len(text) < 15 and not set(text) - set(b"0123456789."):
            assert simple == (read_float(text) is not None)


@pytest.mark.parametrize("dtype", [tf.float32, tf.float64, tf.int32, tf.int64, tf.uint32, tf.uint64])
def test_many_numbers_are_read_as_each_by_itself(dtype: tf.DType) -> None:
    source = random.Random(3)
    texts = ["0", "7", " 42 ", "+5", "1" * 9, "00000000000000000001", str(min(dtype.max, 2**63 - 1))[:10]]
    if dtype.is_floating:
        texts += ["-0", "-.5", "5.", "1e3", "inf", "-NaN", "0x1p3", "1e400", "123456789.123456789", "9007199254740993"]
    elif not dtype.is_unsigned:
        texts += ["-0", "-2147483648", "-1"]
    texts = source.choices(texts, k=200)
    each = [tf.strings.to_number(text, dtype).numpy() for text in texts]
    np.testing.assert_array_equal(tf.strings.to_number(texts, dtype).numpy(), each)


@pytest.mark.parametrize(
    ("text", "dtype"),
    [
        *((text, dtype) for text in ("", "-", "1.2.3", "1 2", "a", "1_0") for dtype in (tf.float32, tf.int64)),
        *(("-0", tf.uint32), ("-1", tf.uint64), ("4294967296", tf.uint32), ("2147483648", tf.int32), ("1.0", tf.int32)),
    ],
)
def test_one_bad_text_among_many_is_refused(text: str, dtype: tf.DType) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="could not correctly convert string: "):
        tf.strings.to_number(["1"] * 100 + [text], dtype)


@given(st.lists(st.decimals(-(10**6), 10**6, places=7), min_size=1), st.integers(0, 7))
def test_decimals_are_rounded_as_python_rounds_them(decimals: list[Any], digits: int) -> None:
    fields = [f"{decimal:.{digits}f}" for decimal in decimals]
    numbers, is_simple = read_floats(pack([field.encode() for field in fields]))
    assert is_simple.all()
    assert numbers.tobytes() == np.array([float(field) for field in fields]).tobytes()
