from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import millrace as tf
from millrace._src.core.dtypes import as_dtype
from millrace._src.util.text import describe_value, format_summarized, shape_brackets, value_repr, value_text
from tests.ids import stable_repr


class Handle:
    def __repr__(self) -> str:
        return "<TensorList>"


def _handle() -> Any:
    array = np.empty((), object)
    array[()] = Handle()
    return array


# Recorded from TensorFlow 2.21: str(tensor) and the last field of repr(tensor).
@pytest.mark.parametrize(
    ("value", "name", "text", "field"),
    [
        (1, "int32", "1", "numpy=1"),
        (0.1, "float32", "0.1", "numpy=0.10000000149011612"),
        (0.1, "bfloat16", "0.100098", "numpy=0.10009765625"),
        (0.1, "float16", "0.1", "numpy=0.0999755859375"),
        (1e-5, "float32", "1e-05", "numpy=9.999999747378752e-06"),
        (100000000.0, "float32", "1e+08", "numpy=100000000.0"),
        (-0.0, "float32", "-0.0", "numpy=-0.0"),
        (1 / 3, "float64", "0.3333333333333333", "numpy=0.3333333333333333"),
        (True, "bool", "True", "numpy=True"),
        (1.5, "complex64", "(1.5+0j)", "numpy=(1.5+0j)"),
        (1.5, "float8_e5m2", "1.5", "numpy=1.5"),
        (3, "qint8", "3", "numpy=3"),
        ([1], "qint8", "[1]", "numpy=array([1], dtype=int8)"),
        ([1, 2], "int32", "[1 2]", "numpy=array([1, 2], dtype=int32)"),
        ([[1, 2], [3, 4]], "int32", "\n[[1 2]\n [3 4]]", "numpy=\narray([[1, 2],\n       [3, 4]], dtype=int32)"),
        ([0.1, 1e10], "float32", "[1.e-01 1.e+10]", "numpy=array([1.e-01, 1.e+10], dtype=float32)"),
        ([[True]], "bool", "[[ True]]", "numpy=array([[ True]])"),
        ([], "int32", "[]", "numpy=array([], dtype=int32)"),
        ([1, 2], "bfloat16", "[1 2]", "numpy=array([1, 2], dtype=bfloat16)"),
    ],
)
def test_values_print_as_in_tensorflow(value: Any, name: str, text: str, field: str) -> None:
    dtype = as_dtype(name)
    array = np.array(value, dtype.np_dtype)
    assert value_text(array, dtype) == text
    assert value_repr(array, dtype) == field


def test_strings_print_as_bytes() -> None:
    for value, text, field in [
        (b"\xc3\xa9", "b'\\xc3\\xa9'", "numpy=b'\\xc3\\xa9'"),
        ([b"a", b"b"], "[b'a' b'b']", "numpy=array([b'a', b'b'], dtype=object)"),
        ([[b"a\n"]], "[[b'a\\n']]", "numpy=array([[b'a\\n']], dtype=object)"),
    ]:
        array = np.array(value, object)
        assert (value_text(array, tf.string), value_repr(array, tf.string)) == (text, field)


def test_handles_print_themselves() -> None:
    assert value_text(_handle(), tf.variant) == "<TensorList>"
    assert value_repr(_handle(), tf.resource) == "value=<TensorList>"
    assert value_text(np.empty((2,), object), tf.resource) == "<unprintable>"
    assert value_text(np.array([1, 2, 3], object), tf.variant) == "[1 2 3]"
    assert value_text(np.array([[1, 2], [3, 4]], object), tf.variant) == "[1 2 3...]"


def test_tensors_print_as_in_tensorflow() -> None:
    tensor = tf.constant([[1, 2], [3, 4]])
    assert str(tensor) == "tf.Tensor(\n[[1 2]\n [3 4]], shape=(2, 2), dtype=int32)"
    assert (
        repr(tensor) == "<tf.Tensor: shape=(2, 2), dtype=int32, numpy=\narray([[1, 2],\n       [3, 4]], dtype=int32)>"
    )
    assert str(tf.constant(6)) == "tf.Tensor(6, shape=(), dtype=int32)"


def test_shapes_in_brackets() -> None:
    assert shape_brackets(tf.TensorShape([2, None])) == "[2,?]"
    assert shape_brackets(tf.TensorShape(None)) == "<unknown>"
    assert shape_brackets(()) == "[]"


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (np.zeros([2, 3], np.float32), "(2, 3) float32"), (3, "int 3"), ("a", "str 'a'"), ([1, 2], "list of 2"),
        (None, "None"), (object(), "object"), ("x" * 100, "str '" + "x" * 56 + "..."), ({}, "dict of 0"),
    ],
    ids=stable_repr,
)  # fmt: skip
def test_describing_a_value(value: Any, words: str) -> None:
    assert describe_value(value) == words


def test_describing_a_tensor() -> None:
    assert describe_value(tf.constant([1.5])) == "(1,) float32"


# Recorded from TensorFlow 2.21 (`tf.strings.format("{}", x)`), one number each.
NUMBERS = {
    "float32": {
        0.0: "0", 1.0: "1", 0.1: "0.1", 1 / 3: "0.333333343", 1e10: "1e+10", 100000.0: "100000",
        123456.0: "123456", 1234567.0: "1234567", 1e6: "1e+06", 999999.5: "999999.5", 0.0001: "0.0001", 1e-5: "1e-05",
        1.5e-5: "1.5e-05", 1e-45: "0", 3.4028235e38: "3.40282347e+38", 123456.78: "123456.781", 16777216.0: "16777216",
        1.17549435e-38: "1.17549435e-38", float("inf"): "inf", float("-inf"): "-inf", 3.14159265: "3.14159274",
        0.000123456789: "0.00012345679", 99999.99: "99999.9922", 1e7: "1e+07", 0.30000001: "0.3",
    },
    "float64": {
        0.1: "0.1", 1 / 3: "0.33333333333333331", 1e10: "10000000000", 1e15: "1e+15", 1e-45: "1e-45", 1e6: "1000000",
        123456.78: "123456.78", 5e-324: "0", 0.30000001: "0.30000001", 3.4028235e38: "3.4028235e+38",
    },
    "float16": {0.1: "0.0999755859", 1e5: "inf", 1e-5: "1.00135803e-05", 2.5: "2.5"},
    "bfloat16": {0.1: "0.100097656", 1e10: "9.99922074e+09", 1e22: "1.00350288e+22", 1e7: "10027008"},
    "float8_e5m2": {1.5: "1.5"}, "float4_e2m1fn": {1.5: "1.5"}, "int8": {65: "65"}, "int4": {-3: "-3"},
    "bool": {True: "1"},
    "uint64": {2**63: "9223372036854775808"}, "complex64": {1.5: "?"}, "complex128": {1.5: "?"}, "qint8": {1: "1"},
    "qint32": {1: "?"},
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "value", "text"), [(n, v, t) for n, table in NUMBERS.items() for v, t in table.items()]
)
def test_numbers_as_the_runtime_prints_them(name: str, value: Any, text: str) -> None:
    dtype = as_dtype(name)
    with np.errstate(all="ignore"):
        array = np.array(value).astype(dtype.np_dtype)
    assert format_summarized(array, 3, dtype) == text
    assert format_summarized(array.reshape(1), 3, dtype) == f"[{text}]"


def test_zero_keeps_its_sign() -> None:
    assert format_summarized(np.array([-0.0, -1e-320])) == "[-0 -0]"


def test_not_a_number_prints_without_warning() -> None:
    for dtype in (np.float32, np.float64, ml_dtypes.bfloat16):
        assert format_summarized(np.array(np.nan, dtype)) == "nan"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (b"a", '"a"'), ([b"a", b"b"], '["a" "b"]'), ([[b"a"], [b'c"\n']], '[["a"]\n ["c\\"\\n"]]'), (b"", '""'),
        ([b"it's \\ \t\r\x01\x7f"], '["it\\\'s \\\\ \\t\\r\\001\\177"]'), ("é".encode(), '"é"'), (b"\x00a", '"\\000a"'),
    ],
)  # fmt: skip
def test_strings_are_quoted_and_escaped(value: Any, text: str) -> None:
    assert format_summarized(np.array(value, object)) == text


def test_bytes_that_are_no_text_pass_through() -> None:
    array = np.empty((), object)
    array[()] = b"\xff"
    assert format_summarized(array).encode("utf-8", "surrogateescape") == b'"\xff"'


# Recorded from TensorFlow 2.21: shape of a range, `summarize`, text.
@pytest.mark.parametrize(
    ("shape", "summarize", "text"),
    [
        ((6,), 3, "[0 1 2 3 4 5]"), ((7,), 3, "[0 1 2 ... 4 5 6]"), ((7,), -1, "[0 1 2 3 4 5 6]"),
        ((3,), 1, "[0 ... 2]"),
        ((3,), 2, "[0 1 2]"), ((3,), 0, "[ ...]"), ((9,), -2, "[0 1 2 3 4 5 6 7 8]"), ((2, 2), 3, "[[0 1]\n [2 3]]"),
        ((2, 2), 0, "[\n ...]"), ((7, 7), 1, "[[0 ... 6]\n ...\n [42 ... 48]]"), ((8, 1), 1, "[[0]\n ...\n [7]]"),
        ((2, 3, 4), 1, "[[[0 ... 3]\n  ...\n  [8 ... 11]]\n\n [[12 ... 15]\n  ...\n  [20 ... 23]]]"),
        ((3, 3, 1), 1, "[[[0]\n  ...\n  [2]]\n\n ...\n\n [[6]\n  ...\n  [8]]]"), ((0,), 3, "[]"), ((0, 3), 3, "[]"),
        ((3, 0), 3, "[\n ...]"), ((3, 0), -1, "[\n ...]"), ((2, 0, 2), 3, "[\n\n ...]"), ((1, 1, 1), 10, "[[[0]]]"),
        ((2, 1, 1, 1), 3, "[[[[0]]]\n\n\n [[[1]]]]"),
    ],
)  # fmt: skip
def test_layout_and_elision(shape: tuple[int, ...], summarize: int, text: str) -> None:
    assert format_summarized(np.arange(np.prod(shape)).reshape(shape), summarize) == text
