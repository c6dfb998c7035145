"""to_number and as_string."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import millrace as tf
from tests.contracts.sample import Sample
from tests.ops.array.answers import check_refusal

_TYPES = ("float32", "float64", "int32", "int64", "uint32", "uint64")
_FORMATTED = ("float32", "float64", "float16", "int8", "int64", "uint8", "uint64", "complex64", "complex128", "bool")

SAMPLES = [
    *(
        Sample("StringToNumber", inputs=(np.array([b"1", b" 20 "], dtype=object),), attrs={"out_type": t})
        for t in _TYPES
    ),
    Sample("StringToNumber", inputs=(np.zeros((0, 2), dtype=object),)),
    Sample("StringToNumber", inputs=(np.array(b"-1.5", dtype=object),)),
    *(Sample("AsString", inputs=(np.array([[1, 0]], dtype=t),)) for t in _FORMATTED),
    Sample("AsString", inputs=(np.array(1.5),), attrs={"precision": 3, "width": 9, "fill": "0"}),
    Sample("AsString", inputs=(np.zeros([0]),), attrs={"scientific": True}),
    Sample("AsString", inputs=(np.array(b"a", dtype=object),), attrs={"width": 3}),
]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("3.5", 3.5), (" 7 ", 7.0), ("+5", 5.0), ("1e3", 1000.0), ("1e400", np.inf), ("-Infinity", -np.inf),
        ("INF", np.inf), ("0x1A", 26.0), ("-0x1.8p3", -12.0), ("1.", 1.0), ("  .5", 0.5), ("00012", 12.0),
        ("\t1\n", 1.0),
        ("1e-400", 0.0),        ("1.5e+3", 1500.0), ("-0", -0.0),
    ],
)  # fmt: skip
def test_to_number_reads_what_c_reads(text: str, expected: float) -> None:
    for dtype in (tf.float32, tf.float64):
        value = tf.strings.to_number(text, dtype)
        assert value.dtype is dtype
        assert value.numpy() == expected


@pytest.mark.parametrize("text", ["nan", "NaN", "nan(x)"])
def test_to_number_reads_nan(text: str) -> None:
    assert np.isnan(tf.strings.to_number(text).numpy())


@pytest.mark.parametrize("text", ["1_000", "", "abc", "1 2", "1e", "--1", "0b1", "1f", "٣", "0x", "+ 5", "1\x00"])
def test_to_number_refuses_what_is_no_number(text: str) -> None:
    shown = text.split("\0")[0]
    words = f"StringToNumberOp could not correctly convert string: {shown}"
    for dtype in _TYPES:
        check_refusal(lambda dtype=dtype: tf.strings.to_number(text, dtype), tf.errors.InvalidArgumentError, words)


@pytest.mark.parametrize(
    ("dtype", "good", "bad"),
    [
        ("int32", ["-2147483648", "+5", "-0"], ["2147483648", "3.5", "0x1A", "1e3"]),
        ("int64", ["9223372036854775807"], ["9223372036854775808"]),
        ("uint32", ["4294967295", "+5"], ["4294967296", "-0", "-1"]),
        ("uint64", ["18446744073709551615"], ["18446744073709551616"]),
    ],
)
def test_to_number_of_integers_minds_their_range(dtype: str, good: list[str], bad: list[str]) -> None:
    assert tf.strings.to_number(good, dtype).numpy().tolist() == [int(text) for text in good]
    for text in bad:
        with pytest.raises(tf.errors.InvalidArgumentError, match="could not correctly convert"):
            tf.strings.to_number(text, dtype)


def test_to_number_refuses_other_dtypes() -> None:
    words = "Value for attr 'out_type' of"
    check_refusal(lambda: tf.strings.to_number("1", tf.float16), tf.errors.InvalidArgumentError, words)
    check_refusal(lambda: tf.strings.to_number(1), TypeError, "Cannot convert 1 to EagerTensor of dtype string")


def test_the_old_to_number_has_two_names_for_its_input() -> None:
    assert tf.compat.v1.string_to_number(["1"], tf.int32).numpy().tolist() == [1]
    assert tf.compat.v1.string_to_number(input=["1"]).numpy().tolist() == [1.0]


@pytest.mark.parametrize(
    ("values", "options", "expected"),
    [
        ([1.0, 3.14159265, 1e-10, np.inf, -0.0], {}, ["1.000000", "3.141593", "0.000000", "inf", "-0.000000"]),
        ([3.14159, 123456.789], {"precision": 2}, ["3.14", "123456.79"]),
        ([31415.9], {"scientific": True}, ["3.141590e+04"]),
        ([3.14159265, 1e20, 1e-5], {"shortest": True}, ["3.14159", "1e+20", "1e-05"]),
        ([3.14159265], {"shortest": True, "precision": 4}, ["3.142"]),
        ([1.0, np.nan], {"width": 12, "fill": "0"}, ["00001.000000", "         nan"]),
        ([1.0, -0.5], {"width": 12, "fill": "-"}, ["1.000000    ", "-0.500000   "]),
        ([1.0, -0.5], {"fill": "+"}, ["+1.000000", "-0.500000"]),
        ([1.0], {"width": 5, "fill": " "}, [" 1.000000"]),
        ([1.0], {"width": -5, "precision": -5}, ["1.000000"]),
        ([1, -20], {"width": 5, "fill": "0"}, ["00001", "-0020"]),
        ([True, False], {"width": 9}, ["true", "false"]),
        ([1 + 2j], {"precision": 1, "width": 5, "fill": "-"}, ["(1.0  ,2.0  )"]),
        (["a", "é"], {"width": 4, "fill": "0"}, ["   a", "  é"]),
        (["a"], {"width": 3, "fill": "-"}, ["a  "]),
    ],
)
def test_as_string_writes_as_printf(values: list[Any], options: dict[str, Any], expected: list[str]) -> None:
    assert tf.strings.as_string(values, **options).numpy().tolist() == [text.encode() for text in expected]


def test_as_string_shows_no_sign_of_unsigned_numbers() -> None:
    assert tf.as_string(tf.constant([7], tf.uint32), fill="+").numpy().tolist() == [b"7"]
    assert tf.as_string(tf.constant([7], tf.int32), fill="+").numpy().tolist() == [b"+7"]


@pytest.mark.parametrize(
    ("value", "options", "words"),
    [
        (1.0, {"scientific": True, "shortest": True}, "Cannot select both scientific and shortest notation"),
        (1, {"precision": 2}, "precision not supported for datatype int32"),
        (True, {"shortest": True}, "scientific and shortest format not supported for datatype bool"),
        (1, {"fill": "ab"}, "Fill string must be one or fewer characters"),
        (1, {"fill": "x"}, 'Fill argument not supported: "x"'),
    ],
)
def test_as_string_refuses(value: Any, options: dict[str, Any], words: str) -> None:
    check_refusal(lambda: tf.strings.as_string(value, **options), tf.errors.InvalidArgumentError, words)


@given(st.lists(st.integers(-(2**63), 2**63 - 1)))
def test_integers_survive_as_text(numbers: list[int]) -> None:
    values = np.array(numbers, np.int64)
    back = tf.strings.to_number(tf.strings.as_string(values), tf.int64)
    np.testing.assert_array_equal(back.numpy(), values)


@pytest.mark.parametrize("name", "int8 uint8 int64 uint64 float16 bfloat16 float32 float64".split())
@pytest.mark.parametrize("options", [{}, {"width": 7}, {"width": 7, "fill": "0"}, {"width": 5, "fill": "-"}])
@pytest.mark.parametrize("special", [[], ["nan"]])
def test_many_numbers_are_written_as_each_by_itself(name: str, options: dict[str, Any], special: list[str]) -> None:
    dtype = tf.as_dtype(name)
    numbers = [0, 1, 7, 100] + ([-1.5, 1e6, 0.1, *special] if dtype.is_floating else [] if dtype.is_unsigned else [-5])
    tensor = tf.cast(tf.constant([float(number) for number in numbers] * 10, tf.float64), dtype)
    each = [tf.strings.as_string(number, **options).numpy() for number in tensor]
    assert tf.strings.as_string(tensor, **options).numpy().tolist() == each
    assert tf.strings.as_string(tf.reshape(tensor, [-1, 2]), **options).shape[1] == 2
