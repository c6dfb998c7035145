from __future__ import annotations

import array
import collections
import datetime
import decimal
import enum
from collections.abc import Sequence
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

import millrace as tf
from millrace._src.core.arrays import make_array
from millrace._src.core.dtypes import as_dtype

inf, nan = float("inf"), float("nan")
FLOATS = " float16 bfloat16 float32 float64"
INTS = " int8 uint8 int16 int32 int64 uint32 uint64 qint8 quint8 qint32 int4"
COMPLEXES = " complex64 complex128"
OTHERS = " bool string variant resource"
STORED = FLOATS + INTS + COMPLEXES + " bool string float8_e5m2"
EVERY = STORED + " variant resource"
MIXED = "Can't convert Python sequence with mixed types to Tensor."
RAGGED = "Can't convert non-rectangular Python sequence to Tensor."
TOO_WIDE = "Can't convert Python sequence with out-of-range integer to Tensor."
TOO_LARGE = "Can't convert Python sequence with a value out of range for a double-precision float."
NO_CAST = "Error while casting from dtype int64 to {name}. Cast int64 to {name} is not supported"
NO_VARIANT = "Invalid dtype argument value 21"
NO_RESOURCE = "Failed to convert a NumPy array to a Tensor (Unexpected numpy data type)."


def cannot(value: str) -> str:
    return f"Cannot convert {value} to EagerTensor of dtype {{name}}"


def unsupported(why: str) -> str:
    return f"Failed to convert a NumPy array to a Tensor ({why})."


def unknown(value: Any) -> str:
    return f"Attempt to convert a value ({value!r}) with an unsupported type ({type(value)!r}) to a Tensor."


# Recorded from TensorFlow 2.21: value, the dtypes asked for, and the shape and values that came of it.
CONVERTED = [
    (1, FLOATS, (), 1.0),
    (1, INTS, (), 1),
    (1, COMPLEXES, (), (1 + 0j)),
    (-1, FLOATS, (), -1.0),
    (-1, "int8 int16 int32 int64 qint8 qint32 int4", (), -1),
    (-1, "uint8 quint8", (), 255),
    (-1, "uint32", (), 4294967295),
    (-1, COMPLEXES, (), (-1 + 0j)),
    (300, FLOATS, (), 300.0),
    (300, "int8 uint8 qint8 quint8", (), 44),
    (300, "int16 int32 int64 uint32 uint64 qint32", (), 300),
    (300, COMPLEXES, (), (300 + 0j)),
    (300, "int4", (), -4),
    (2**31, "float16", (), inf),
    (2**31, "bfloat16 float32 float64", (), 2147483648.0),
    (2**31, "int8 uint8 int16 qint8 quint8 int4", (), 0),
    (2**31, "int32 qint32", (), -2147483648),
    (2**31, "int64 uint32 uint64", (), 2147483648),
    (2**31, COMPLEXES, (), (2147483648 + 0j)),
    (2**63, "float16", (), inf),
    (2**63, "float32 float64", (), 9.223372036854776e18),
    (2**63, "uint64", (), 9223372036854775808),
    (2**63, "complex128", (), (9.223372036854776e18 + 0j)),
    (True, "float16 float32 float64", (), 1.0),
    (True, "int32 int64 uint64", (), 1),
    (True, "bool", (), True),
    (True, "complex128", (), (1 + 0j)),
    (1.5, FLOATS + " float8_e5m2", (), 1.5),
    (1.5, COMPLEXES, (), (1.5 + 0j)),
    (1e39, "float16 bfloat16 float32 float8_e5m2", (), inf),
    (1e39, "float64", (), 1e39),
    (1e39, "complex64", (), (inf + 0j)),
    (1e39, "complex128", (), (1e39 + 0j)),
    (70000.0, "float16 float8_e5m2", (), inf),
    (70000.0, "bfloat16", (), 70144.0),
    (70000.0, "float32 float64", (), 70000.0),
    (70000.0, COMPLEXES, (), (70000 + 0j)),
    (nan, FLOATS + " float8_e5m2", (), nan),
    (nan, COMPLEXES, (), (nan + 0j)),
    (1j, COMPLEXES, (), 1j),
    ([], STORED, (0,), []),
    ([1, 2.5], FLOATS + " float8_e5m2", (2,), [1.0, 2.5]),
    ([1, 2.5], COMPLEXES, (2,), [(1 + 0j), (2.5 + 0j)]),
    ([1, True], FLOATS, (2,), [1.0, 1.0]),
    ([1, True], INTS, (2,), [1, 1]),
    ([1, True], COMPLEXES, (2,), [(1 + 0j), (1 + 0j)]),
    ([True, 1], "float16 float32 float64", (2,), [1.0, 1.0]),
    ([True, 1], "int32 int64 uint64", (2,), [1, 1]),
    ([True, 1], "complex128", (2,), [(1 + 0j), (1 + 0j)]),
    ([True, 2.5], "float16 float32 float64", (2,), [1.0, 2.5]),
    ([True, 2.5], "complex128", (2,), [(1 + 0j), (2.5 + 0j)]),
    ([1, 1j], "complex128", (2,), [(1 + 0j), 1j]),
    (np.int64(2**40), "float16 float8_e5m2", (), inf),
    (np.int64(2**40), "bfloat16 float32 float64", (), 1099511627776.0),
    (np.int64(2**40), "int8 uint8 int16 int32 uint32 qint8 quint8 qint32 int4", (), 0),
    (np.int64(2**40), "int64 uint64", (), 1099511627776),
    (np.int64(2**40), "bool", (), True),
    (np.int64(2**40), COMPLEXES, (), (1099511627776 + 0j)),
    (np.array([1, 2], np.uint64), FLOATS + " float8_e5m2", (2,), [1.0, 2.0]),
    (np.array([1, 2], np.uint64), INTS, (2,), [1, 2]),
    (np.array([1, 2], np.uint64), "bool", (2,), [True, True]),
    (np.array([1, 2], np.uint64), COMPLEXES, (2,), [(1 + 0j), (2 + 0j)]),
    (np.array([1.5, 2]), FLOATS + " float8_e5m2", (2,), [1.5, 2.0]),
    (np.array([1.5, 2]), INTS, (2,), [1, 2]),
    (np.array([1.5, 2]), "bool", (2,), [True, True]),
    (np.array([1.5, 2]), COMPLEXES, (2,), [(1.5 + 0j), (2 + 0j)]),
    (np.array([1e39]), "float16 bfloat16 float32 float8_e5m2", (1,), [inf]),
    (np.array([1e39]), "float64", (1,), [1e39]),
    (np.array([1e39]), "bool", (1,), [True]),
    (np.array([1e39]), "complex64", (1,), [(inf + 0j)]),
    (np.array([1e39]), "complex128", (1,), [(1e39 + 0j)]),
    (np.array([1j]), FLOATS + " float8_e5m2", (1,), [0.0]),
    (np.array([1j]), INTS, (1,), [0]),
    (np.array([1j]), "bool", (1,), [True]),
    (np.array([1j]), COMPLEXES, (1,), [1j]),
    (np.array(["a"]), "bool", (1,), [True]),
    (np.array(["a"]), "string", (1,), [b"a"]),
    (np.array(["a"], object), "bool", (1,), [True]),
    (np.array(["a"], object), "string", (1,), [b"a"]),
    ([np.array([1.0, 2])], FLOATS + " float8_e5m2", (1, 2), [[1.0, 2.0]]),
    ([np.array([1.0, 2])], COMPLEXES, (1, 2), [[(1 + 0j), (2 + 0j)]]),
    ([np.float64(1.5), 1], FLOATS + " float8_e5m2", (2,), [1.5, 1.0]),
    ([np.float64(1.5), 1], COMPLEXES, (2,), [(1.5 + 0j), (1 + 0j)]),
    (range(3), FLOATS, (3,), [0.0, 1.0, 2.0]),
    (range(3), INTS, (3,), [0, 1, 2]),
    (range(3), COMPLEXES, (3,), [0j, (1 + 0j), (2 + 0j)]),
]
# Recorded from TensorFlow 2.21: value, the dtypes asked for, and what was raised.
REFUSED = [
    (1, OTHERS, TypeError, cannot("1")),
    (1, "float8_e5m2", TypeError, NO_CAST),
    (-1, OTHERS, TypeError, cannot("-1")),
    (-1, "float8_e5m2", TypeError, NO_CAST),
    (300, OTHERS, TypeError, cannot("300")),
    (300, "float8_e5m2", TypeError, NO_CAST),
    (2**31, OTHERS, TypeError, cannot("2147483648")),
    (2**31, "float8_e5m2", TypeError, NO_CAST),
    (
        2**63,
        OTHERS + " bfloat16 int8 uint8 int16 int32 int64 uint32 complex64 qint8 quint8 qint32 int4 float8_e5m2",
        ValueError,
        TOO_WIDE,
    ),
    (
        True,
        "bfloat16 int8 uint8 int16 uint32 complex64 string qint8 quint8 qint32 int4 float8_e5m2 variant resource",
        TypeError,
        cannot("True"),
    ),
    (1.5, INTS + OTHERS, TypeError, cannot("1.5")),
    (1e39, INTS + OTHERS, TypeError, cannot("1e+39")),
    (70000.0, INTS + OTHERS, TypeError, cannot("70000.0")),
    (nan, INTS + OTHERS, TypeError, cannot("nan")),
    (1j, "float16", TypeError, "Cannot convert 1j to EagerTensor of dtype half"),
    (1j, INTS + OTHERS + " bfloat16 float8_e5m2", TypeError, cannot("1j")),
    (1j, "float32", TypeError, "Cannot convert 1j to EagerTensor of dtype float"),
    (1j, "float64", TypeError, "Cannot convert 1j to EagerTensor of dtype double"),
    ("a", "float16", TypeError, "Cannot convert 'a' to EagerTensor of dtype half"),
    (
        "a",
        INTS + COMPLEXES + " bfloat16 bool float8_e5m2 variant resource",
        TypeError,
        "Cannot convert 'a' to EagerTensor of dtype {name}",
    ),
    ("a", "float32", TypeError, "Cannot convert 'a' to EagerTensor of dtype float"),
    ("a", "float64", TypeError, "Cannot convert 'a' to EagerTensor of dtype double"),
    (
        None,
        EVERY,
        ValueError,
        "Attempt to convert a value (None) with an unsupported type (<class 'NoneType'>) to a Tensor.",
    ),
    ([1, 2.5], INTS + OTHERS, TypeError, cannot("[1, 2.5]")),
    ([1, True], OTHERS, TypeError, cannot("[1, True]")),
    ([1, True], "float8_e5m2", TypeError, NO_CAST),
    (
        [True, 1],
        OTHERS + " bfloat16 int8 uint8 int16 uint32 complex64 qint8 quint8 qint32 int4 float8_e5m2",
        ValueError,
        MIXED,
    ),
    ([True, 2.5], INTS + OTHERS + " bfloat16 complex64 float8_e5m2", ValueError, MIXED),
    ([1, 1j], FLOATS + INTS + OTHERS + " complex64 float8_e5m2", ValueError, MIXED),
    ([[1], [2, 3]], EVERY, ValueError, RAGGED),
    (
        np.int64(2**40),
        "string",
        ValueError,
        "Failed to convert a NumPy array to a Tensor (Unsupported object type int).",
    ),
    (np.int64(2**40), "variant", TypeError, NO_VARIANT),
    (np.int64(2**40), "resource", ValueError, NO_RESOURCE),
    (
        np.array([1, 2], np.uint64),
        "string",
        ValueError,
        "Failed to convert a NumPy array to a Tensor (Unsupported object type int).",
    ),
    (np.array([1, 2], np.uint64), "variant", TypeError, NO_VARIANT),
    (np.array([1, 2], np.uint64), "resource", ValueError, NO_RESOURCE),
    (
        np.array([1.5, 2]),
        "string",
        ValueError,
        "Failed to convert a NumPy array to a Tensor (Unsupported object type float).",
    ),
    (
        np.array([1j]),
        "string",
        ValueError,
        "Failed to convert a NumPy array to a Tensor (Unsupported object type complex).",
    ),
    (np.array(["a"]), "variant", TypeError, NO_VARIANT),
    (np.array(["a"]), "resource", ValueError, NO_RESOURCE),
    (np.array(["a"], object), "variant", TypeError, NO_VARIANT),
    ([np.array([1.0, 2])], INTS + OTHERS, TypeError, cannot("[array([1., 2.])]")),
    ([np.float64(1.5), 1], INTS + OTHERS, TypeError, cannot("[np.float64(1.5), 1]")),
    (range(3), OTHERS, TypeError, cannot("range(0, 3)")),
    (range(3), "float8_e5m2", TypeError, NO_CAST),
]


@pytest.mark.parametrize(("value", "names", "shape", "expected"), CONVERTED)
def test_conversion_to_a_dtype(value: Any, names: str, shape: tuple[int, ...], expected: Any) -> None:
    for name in names.split():
        result, dtype = make_array(value, as_dtype(name))
        assert dtype.name == name and result.dtype == dtype.np_dtype and result.shape == shape
        assert result.flags.c_contiguous
        np.testing.assert_array_equal(np.asarray(result.tolist()), np.asarray(expected))


@pytest.mark.parametrize(("value", "names", "error", "message"), REFUSED)
def test_refusal_of_a_dtype(value: Any, names: str, error: type[Exception], message: str) -> None:
    for name in names.split():
        with pytest.raises(error) as caught:
            make_array(value, as_dtype(name))
        assert str(caught.value) == message.format(name=name)


class HasArray:
    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.array([1.0, 2.0], np.float32)


class HasInterface:
    values = np.arange(3)
    __array_interface__ = values.__array_interface__


class OwnSequence(Sequence[Any]):
    def __init__(self, items: Any) -> None:
        self.items = list(items)

    def __getitem__(self, index: Any) -> Any:
        return self.items[index]

    def __len__(self) -> int:
        return len(self.items)


class HasFloat:
    def __float__(self) -> float:
        return 1.5

    def __repr__(self) -> str:
        return "HasFloat()"


class Number(enum.IntEnum):
    ONE = 1


class Choice(enum.Enum):
    ONE = 1


class Text(str):
    __slots__ = ()


class Whole(int):
    pass


Pair = collections.namedtuple("Pair", "x y")


# Recorded from TensorFlow 2.21: value, and the dtype, shape and values inferred.
@pytest.mark.parametrize(
    ("value", "name", "shape", "expected"),
    [
        (1, "int32", (), 1), (True, "bool", (), True), (1.5, "float32", (), 1.5), (1 + 2j, "complex128", (), 1 + 2j),
        ("abc", "string", (), b"abc"), (b"\xff\xfe", "string", (), b"\xff\xfe"), ("é", "string", (), "é".encode()),
        ("a\0b", "string", (), b"a\0b"), ([], "float32", (0,), []), ([[]], "float32", (1, 0), [[]]),
        ([[], []], "float32", (2, 0), [[], []]), ([[], [1]], "float32", (2, 0), [[], []]),
        ([1, 2.5], "float32", (2,), [1.0, 2.5]), ([1.5, 2], "float32", (2,), [1.5, 2.0]),
        ([1, True], "int32", (2,), [1, 1]),
        ([1.5, True], "float32", (2,), [1.5, 1.0]), ([1j, 1], "complex128", (2,), [1j, 1]),
        (["a", b"b"], "string", (2,), [b"a", b"b"]), ([["a"], ["bc"]], "string", (2, 1), [[b"a"], [b"bc"]]),
        (2**31, "int64", (), 2**31), (2**31 - 1, "int32", (), 2**31 - 1), (-(2**31), "int32", (), -(2**31)),
        (2**63 - 1, "int64", (), 2**63 - 1), ([1, 2**40], "int64", (2,), [1, 2**40]), (1e-50, "float32", (), 0.0),
        ([2**40, 1.5], "float32", (2,), [2.0**40, 1.5]), ([1.5, 2**70], "float32", (2,), [1.5, 2.0**70]),
        (range(3), "int32", (3,), [0, 1, 2]), (range(0), "float32", (0,), []), (Pair(1, 2), "int32", (2,), [1, 2]),
        (OwnSequence([1, 2]), "int32", (2,), [1, 2]), (HasArray(), "float32", (2,), [1.0, 2.0]),
        (HasInterface(), "int64", (3,), [0, 1, 2]), (Number.ONE, "int32", (), 1), ([Number.ONE], "int32", (1,), [1]),
        (Whole(3), "int32", (), 3), (Text("a"), "string", (), b"a"), (tf.TensorShape([1, 2]), "int32", (2,), [1, 2]),
        (array.array("d", [1, 2]), "float32", (2,), [1.0, 2.0]), (bytearray(b"ab"), "int32", (2,), [97, 98]),
        (memoryview(b"ab"), "int32", (2,), [97, 98]), (collections.deque([1, 2]), "int32", (2,), [1, 2]),
        (np.float64(1.5), "float64", (), 1.5), (np.uint64(2**63), "uint64", (), 2**63),
        (np.bool_(True), "bool", (), True),
        (np.str_("ab"), "string", (), b"ab"), (np.complex64(1j), "complex64", (), 1j),
        (np.array([1, 2]), "int64", (2,), [1, 2]),
        (np.array(["a", "bcd"]), "string", (2,), [b"a", b"bcd"]),
        (np.array([b"a\0", b"bcd"]), "string", (2,), [b"a", b"bcd"]),
        (np.array(["a", b"b"], object), "string", (2,), [b"a", b"b"]), (np.array([], object), "string", (0,), []),
        (np.zeros((2, 0)), "float64", (2, 0), [[], []]), (np.array([1, 2], ">i4"), "int32", (2,), [1, 2]),
        (np.arange(6).reshape(2, 3).T, "int64", (3, 2), [[0, 3], [1, 4], [2, 5]]),
        (np.arange(6)[::2], "int64", (3,), [0, 2, 4]),
        (np.array([1], ml_dtypes.bfloat16), "bfloat16", (1,), [1]), (np.array([1], ml_dtypes.int4), "int4", (1,), [1]),
        (np.array([(3,)], [("qint8", np.int8)]), "qint8", (1,), [3]),
        (np.ma.array([1, 2], mask=[0, 1]), "int64", (2,), [1, 2]),
        ([np.float64(1), 2.0], "float64", (2,), [1.0, 2.0]), ([2.0, np.float64(1)], "float32", (2,), [2.0, 1.0]),
        ([np.float16(1), 1.5], "float16", (2,), [1.0, 1.5]), ([1, np.float32(2)], "float32", (2,), [1.0, 2.0]),
        ([np.int64(2), 1], "int32", (2,), [2, 1]), ([np.int64(2**40), 1], "int64", (2,), [2**40, 1]),
        ([np.int8(1), 300], "int32", (2,), [1, 300]), ([np.bool_(1), True], "bool", (2,), [True, True]),
        ([np.array([1, 2]), [3, 4]], "int32", (2, 2), [[1, 2], [3, 4]]),
        ([np.array(1.0), 2.0], "float64", (2,), [1.0, 2.0]),
        ([[3, 4], np.array([1.0, 2], np.float32)], "float32", (2, 2), [[3.0, 4.0], [1.0, 2.0]]),
        ([np.array([1.0, 2]), [3, 4]], "float64", (2, 2), [[1.0, 2.0], [3.0, 4.0]]),
        ([np.zeros((0, 3))], "float32", (1, 0), [[]]),
        ([np.array(["a"]), ["b"]], "string", (2, 1), [[b"a"], [b"b"]]), ([np.longdouble(1)], "float32", (1,), [1.0]),
        ([range(2), (3, 4)], "int32", (2, 2), [[0, 1], [3, 4]]), ([bytearray(b"a")], "int32", (1, 1), [[97]]),
        ([[OwnSequence([1, 2])]], "int32", (1, 1, 2), [[[1, 2]]]), ([1, nan], "float32", (2,), [1.0, nan]),
        ([nan, 1.0], "float32", (2,), [nan, 1.0]), (inf, "float32", (), inf),
        ([-inf, 1.0], "float32", (2,), [-inf, 1.0]),
    ],
)  # fmt: skip
def test_inference(value: Any, name: str, shape: tuple[int, ...], expected: Any) -> None:
    result, dtype = make_array(value)
    assert dtype.name == name and result.dtype == dtype.np_dtype and result.shape == shape
    assert result.flags.c_contiguous and result.flags.writeable
    if name == "string":
        assert result.tolist() == expected
    else:
        np.testing.assert_array_equal(result, np.array(expected).reshape(shape))


# Recorded from TensorFlow 2.21.
@pytest.mark.parametrize(
    ("value", "message"),
    [
        ([True, 1], MIXED), ([True, 1.5], MIXED), ([1, 1j], MIXED), ([1.5, 1j], MIXED), (["a", 1], MIXED),
        ([1, "a"], MIXED),
        ([1, None], MIXED), (["a", None], MIXED), ([1, [2]], MIXED), ([1, 2, [3]], MIXED), ([[True], [1]], MIXED),
        ([1, HasFloat()], MIXED), ([2.0, np.array([1.0])], MIXED), ([np.bool_(1), 1], MIXED), (["a", ["b"]], MIXED),
        ([1, ml_dtypes.bfloat16(1.5)], MIXED), (tf.TensorShape([1, None]), MIXED),
        ([[1, 2], [3]], RAGGED), ([[1, 2], 3], RAGGED), ([[1], [2, 3]], RAGGED), ([[[1]], [[2, 3]]], RAGGED),
        ([[1], []], RAGGED),
        ([np.array([1.0, 2]), np.array([1])], RAGGED), (2**63, TOO_WIDE), ([2**70], TOO_WIDE), (-(2**63) - 1, TOO_WIDE),
        ([2**70, 1.5], TOO_WIDE), ([1, np.uint64(2**63)], TOO_WIDE), (1e39, TOO_LARGE), ([1, 1e40], TOO_LARGE),
        ([1.5, 10**400], TOO_LARGE), ([1.5, np.float64(1e39)], TOO_LARGE), ([np.float16(1), 1e9], TOO_LARGE),
        (None, unknown(None)), ([None, 1], unknown(None)), ({"a": 1}, unknown({"a": 1})),
        ([{"a": 1}], unknown({"a": 1})),
        ({1}, unknown({1})), (HasFloat(), unknown(HasFloat())), ([HasFloat()], unknown(HasFloat())),
        (int, unknown(int)),
        (Choice.ONE, unknown(Choice.ONE)), (tf.float32, unknown(tf.float32)), (..., unknown(...)),
        (np.int32, unknown(np.int32)),
        (decimal.Decimal("1.5"), unknown(decimal.Decimal("1.5"))),
        (datetime.date(2020, 1, 1), unknown(datetime.date(2020, 1, 1))),
        ([np.datetime64("2020")], unknown(np.datetime64("2020"))), ([ml_dtypes.int4(1)], unknown(ml_dtypes.int4(1))),
        ("\ud800", "Error converting unicode string while converting Python sequence to Tensor."),
        (np.longdouble(1.5), unsupported("Unsupported numpy type: NPY_LONGDOUBLE")),
        (np.array("2020", "M8[D]"), unsupported("Unsupported numpy type: NPY_DATETIME")),
        (np.array([1], "m8[s]"), unsupported("Unsupported numpy type: NPY_TIMEDELTA")),
        (np.array([(1, 2)], [("a", int), ("b", int)]), unsupported("Unsupported numpy data type")),
        (np.void(b"abc"), unsupported("Unexpected numpy data type")),
        (np.array([1], ml_dtypes.float8_e4m3), unsupported("Unsupported numpy type: not a numpy type")),
        (np.array([1, 2], object), unsupported("Unsupported object type int")),
        (np.array(["a", 1], object), unsupported("Unsupported object type int")),
        (np.array([None], object), unsupported("Unsupported object type NoneType")),
        (np.array(["\ud800"], object), unsupported("Unable to convert element to UTF-8")),
    ],
)  # fmt: skip
def test_values_that_no_tensor_holds(value: Any, message: str) -> None:
    with pytest.raises(ValueError) as caught:
        make_array(value)
    assert str(caught.value) == message


def test_a_shape_of_unknown_rank_is_no_value() -> None:
    with pytest.raises(ValueError, match="Cannot take the length of shape with unknown rank"):
        make_array(tf.TensorShape(None))


def test_an_error_of_the_object_itself_passes_through() -> None:
    class Broken:
        def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
            raise RuntimeError("not today")

    with pytest.raises(RuntimeError, match="not today"):
        make_array(Broken())


@pytest.mark.parametrize("dtype", [None, tf.float32])
def test_a_tensor_owns_its_array(dtype: Any) -> None:
    source = np.ones(3, np.float32)
    for given_value in (source, source[:], source[::2], HasArray()):
        result, _ = make_array(given_value, dtype)
        assert not np.shares_memory(result, source)
        source[:] = 7
        assert 7 not in result
        source[:] = 1


def test_the_list_is_left_as_it_was() -> None:
    nested = [[1, 2], [3, np.int8(4)]]
    make_array(nested)
    assert nested == [[1, 2], [3, np.int8(4)]]


@given(
    npst.arrays(
        npst.integer_dtypes() | npst.floating_dtypes(sizes=(16, 32, 64)), npst.array_shapes(min_dims=0, min_side=0)
    )
)
def test_arrays_keep_their_type_and_values(value: Any) -> None:
    result, dtype = make_array(value)
    assert result.dtype == value.dtype.newbyteorder("=") == dtype.np_dtype
    np.testing.assert_array_equal(result, value)


@given(npst.arrays(np.int32, npst.array_shapes(max_dims=3, max_side=4)))
def test_nested_lists_of_ints_become_int32(value: Any) -> None:
    result, dtype = make_array(value.tolist())
    assert dtype is tf.int32
    np.testing.assert_array_equal(result, value)


@given(st.lists(st.floats(width=32), max_size=80))
def test_lists_of_floats_become_float32(value: list[float]) -> None:
    result, dtype = make_array(value)
    assert dtype is tf.float32
    np.testing.assert_array_equal(result, np.array(value, np.float32))
