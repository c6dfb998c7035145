from __future__ import annotations

import copy
import pickle
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import millrace as tf
from millrace._src.core import dtypes
from millrace._src.core.dtypes import ALL_DTYPES, DType, as_dtype, from_np
from tests.ids import stable_repr

# Recorded from TensorFlow 2.21: number, name, NumPy type, size, and which of the is_* questions are true.
TYPES = """
1 float32 float32 4 floating numeric
2 float64 float64 8 floating numeric
3 int32 int32 4 integer numeric
4 uint8 uint8 1 integer unsigned numeric
5 int16 int16 2 integer numeric
6 int8 int8 1 integer numeric
7 string object 0
8 complex64 complex64 8 complex numeric
9 int64 int64 8 integer numeric
10 bool bool 1 bool
11 qint8 [('qint8','i1')] 1 quantized numeric
12 quint8 [('quint8','u1')] 1 quantized numeric
13 qint32 [('qint32','<i4')] 4 quantized numeric
14 bfloat16 bfloat16 2 floating numeric
15 qint16 [('qint16','<i2')] 2 quantized numeric
16 quint16 [('quint16','<u2')] 2 quantized numeric
17 uint16 uint16 2 integer unsigned numeric
18 complex128 complex128 16 complex numeric
19 float16 float16 2 floating numeric
20 resource - 0
21 variant - 0
22 uint32 uint32 4 integer unsigned numeric
23 uint64 uint64 8 integer unsigned numeric
24 float8_e5m2 float8_e5m2 1 floating
25 float8_e4m3fn float8_e4m3fn 1 floating
26 float8_e4m3fnuz float8_e4m3fnuz 1 floating
27 float8_e4m3b11fnuz float8_e4m3b11fnuz 1 floating
28 float8_e5m2fnuz float8_e5m2fnuz 1 floating
29 int4 int4 1 integer
30 uint4 uint4 1 integer unsigned
31 int2 int2 1 integer
32 uint2 uint2 1 integer unsigned
33 float4_e2m1fn float4_e2m1fn 1 floating
"""
ROWS = [line.split() for line in TYPES.strip().splitlines()]
QUESTIONS = ("floating", "integer", "complex", "bool", "unsigned", "quantized", "numeric")


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[1])
def test_every_type_answers_as_tensorflow_does(row: list[str]) -> None:
    number, name, numpy_type, size, *true_of = row
    dtype = as_dtype(int(number))
    assert (dtype.name, dtype.enum, dtype.as_datatype_enum, dtype.size) == (name, int(number), int(number), int(size))
    assert {question for question in QUESTIONS if getattr(dtype, f"is_{question}")} == set(true_of)
    assert (repr(dtype), str(dtype)) == (f"tf.{name}", f"<dtype: '{name}'>")
    if numpy_type == "-":
        assert not dtype.is_numpy_compatible
    elif numpy_type.startswith("["):
        assert str(dtype.as_numpy_dtype).replace(" ", "") == numpy_type
    else:
        assert np.dtype(dtype.as_numpy_dtype).name == numpy_type


def test_the_table_is_complete() -> None:
    assert {dtype.name for dtype in ALL_DTYPES} == {row[1] for row in ROWS}


@pytest.mark.parametrize("dtype", ALL_DTYPES, ids=str)
def test_a_type_and_its_reference_belong_together(dtype: DType) -> None:
    reference = as_dtype(dtype.name + "_ref")
    assert reference.is_ref and not dtype.is_ref
    assert reference.enum == dtype.enum + 100
    assert reference.base_dtype is dtype and dtype.base_dtype is dtype
    assert dtype.is_compatible_with(reference) and not reference.is_compatible_with(dtype)
    assert reference != dtype
    assert repr(reference) == f"tf.{dtype.name}_ref"


@pytest.mark.parametrize("dtype", ALL_DTYPES, ids=str)
def test_types_are_singletons_through_copies_and_pickles(dtype: DType) -> None:
    assert pickle.loads(pickle.dumps(dtype)) is dtype
    assert copy.deepcopy(dtype) is dtype and copy.copy(dtype) is dtype
    assert DType(dtype.enum) is dtype and as_dtype(dtype) is dtype and as_dtype(dtype.name) is dtype
    assert dtype.enum == int(dtype) and {dtype: 1}[as_dtype(dtype.name)]
    assert type(dtype).experimental_from_proto(dtype.experimental_as_proto()) is dtype


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("float", "float32"),
        ("half", "float16"),
        ("double", "float64"),
        ("float_ref", "float32_ref"),
        ("half_ref", "float16_ref"),
        (float, "float32"),
        (bool, "bool"),
        (object, "string"),
        (np.float32, "float32"),
        (np.dtype("U3"), "string"),
        (np.dtype("S3"), "string"),
        (np.str_, "string"),
        (np.bytes_, "string"),
        (np.object_, "string"),
        (np.dtype(object), "string"),
        (np.intc, "int32"),
        (np.longlong, "int64"),
        (np.uintp, "uint64"),
        (np.bool_, "bool"),
        (np.dtype(">f4"), "float32"),
        (np.array(3), "int64"),
        (np.dtype([("qint8", np.int8)]), "qint8"),
        (ml_dtypes.bfloat16, "bfloat16"),
        (np.dtype(ml_dtypes.int2), "int2"),
        (np.dtype(ml_dtypes.float4_e2m1fn), "float4_e2m1fn"),
        (3, "int32"),
        (101, "float32_ref"),
    ],
)
def test_as_dtype_takes_names_numbers_and_types(given: Any, expected: str) -> None:
    assert as_dtype(given).name == expected
    assert tf.as_dtype is tf.dtypes.as_dtype


@pytest.mark.parametrize("dtype_of", ["float32", np.float32, np.dtype("f4")])
def test_as_dtype_takes_things_with_a_numpy_dtype(dtype_of: Any) -> None:
    assert as_dtype(type("HasDtype", (), {"dtype": dtype_of})()) is dtypes.float32


@pytest.mark.parametrize(
    "given",
    [
        "float33", int, str, bytes, complex, None, "int", "str", "complex", "bytes", "object", "long", "<f4",
        b"float32", "DT_FLOAT", 3.5, 0, 99, 1000, [1], np.datetime64, np.dtype("M8"), np.longdouble, np.number, np.void,
        list,
        type(None), np.dtype([("a", int)]), ml_dtypes.int1, np.dtype(ml_dtypes.float8_e4m3),
    ],
    ids=stable_repr,
)  # fmt: skip
def test_as_dtype_refuses_what_tensors_cannot_hold(given: Any) -> None:
    with pytest.raises(TypeError) as error:
        as_dtype(given)
    assert str(error.value) == f"Cannot convert the argument `type_value`: {given!r} to a TensorFlow DType."


def test_as_dtype_of_a_tensor_is_refused() -> None:
    with pytest.raises(TypeError, match="Cannot convert the argument `type_value`"):
        as_dtype(tf.constant(1))


@pytest.mark.parametrize(
    ("other", "is_equal"),
    [
        (np.float32, True), ("float32", True), ("float", True), (float, True), (1, True), (np.dtype("f4"), True),
        (None, False), ("xx", False), (object(), False), ([1], False), ("float32_ref", False), (tf.float64, False),
    ],
)  # fmt: skip
def test_equality_accepts_whatever_names_a_type(other: Any, is_equal: bool) -> None:
    assert (tf.float32 == other) is is_equal
    assert (tf.float32 != other) is not is_equal


def test_compatibility_with_no_type_raises() -> None:
    for other in (None, "xx"):
        with pytest.raises(TypeError, match="Cannot convert the argument `type_value`"):
            tf.float32.is_compatible_with(other)


@pytest.mark.parametrize(
    ("name", "least", "greatest"),
    [
        ("int8", -128, 127), ("uint8", 0, 255), ("int64", -(2**63), 2**63 - 1), ("uint64", 0, 2**64 - 1),
        ("int4", -8, 7), ("uint4", 0, 15), ("int2", -2, 1), ("uint2", 0, 3), ("float16", -65504.0, 65504.0),
        ("float32", -3.4028234663852886e38, 3.4028234663852886e38),
        ("bfloat16", -3.3895313892515355e38, 3.3895313892515355e38),
        ("float8_e5m2", -57344, 57344), ("float8_e4m3fn", -448, 448), ("float8_e4m3fnuz", -240, 240),
        ("float8_e4m3b11fnuz", -30, 30), ("float8_e5m2fnuz", -57344, 57344), ("float4_e2m1fn", -6, 6),
    ],
)  # fmt: skip
def test_the_range_of_numbers(name: str, least: float, greatest: float) -> None:
    dtype = as_dtype(name)
    assert (dtype.min, dtype.max) == (least, greatest)
    assert as_dtype(name + "_ref").min == least


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("string", "Cannot find minimum value of <dtype: 'string'> with type <dtype: 'string'>."),
        ("bool", "Cannot find minimum value of <dtype: 'bool'> with type <dtype: 'bool'>."),
        ("complex64_ref", "Cannot find minimum value of <dtype: 'complex64_ref'> with type <dtype: 'complex64'>."),
        ("qint8", "Cannot find minimum value of <dtype: 'qint8'> with quantized type <dtype: 'qint8'>."),
        ("resource", "Cannot find minimum value of <dtype: 'resource'>."),
    ],
)
def test_types_without_order_have_no_range(name: str, message: str) -> None:
    with pytest.raises(TypeError) as error:
        _ = as_dtype(name).min
    assert str(error.value) == message
    with pytest.raises(TypeError, match="Cannot find maximum value"):
        _ = as_dtype(name).max


def test_limits_are_the_convention_of_images() -> None:
    assert tf.float32.limits == tf.float64.limits == (0, 1)
    assert tf.uint8.limits == (0, 255)
    assert tf.int16.limits == (0, 32767)
    assert tf.bool.limits == (0, True)
    for dtype in (tf.bfloat16, tf.float16, tf.string, dtypes.int4, tf.qint8):
        with pytest.raises(ValueError, match="does not have defined limits"):
            _ = dtype.limits


def test_the_real_type_of_complex_numbers() -> None:
    assert tf.complex64.real_dtype is tf.float32
    assert tf.complex128.real_dtype is tf.float64
    assert tf.int32.real_dtype is tf.int32


def test_resources_have_no_numpy_type() -> None:
    with pytest.raises(KeyError):
        _ = tf.resource.as_numpy_dtype
    with pytest.raises(AttributeError, match="no attribute 'colour'"):
        _ = tf.resource.colour


@pytest.mark.parametrize(("number", "error"), [(0, TypeError), (1000, TypeError), ("a", ValueError)])
def test_making_a_type_of_an_unknown_number_raises(number: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        DType(number)


def test_from_np_finds_the_type_of_an_array() -> None:
    for dtype in ALL_DTYPES:
        if dtype.is_numpy_compatible and not dtype.is_quantized:
            assert from_np(dtype.np_dtype) is dtype
    assert from_np(np.dtype("U7")) is tf.string
    assert from_np(np.dtype("U7")) is tf.string  # remembered
    with pytest.raises(TypeError, match="Cannot convert"):
        from_np(np.dtype("M8[s]"))


def test_a_type_is_its_own_trace_type() -> None:
    assert tf.float32.is_subtype_of(tf.float32) and not tf.float32.is_subtype_of(tf.int32)
    assert tf.float32.most_specific_common_supertype([tf.float32]) is tf.float32
    assert tf.float32.most_specific_common_supertype([tf.int32]) is None
    assert tf.float32.placeholder_value(None) is None
    assert (tf.float32.flatten(), tf.float32.to_tensors(None), tf.float32.from_tensors(iter([]))) == ([], [], None)
    assert tf.float32.cast(None, None) is None
    with pytest.raises(AssertionError, match=r"Can not cast 1 to type tf\.float32"):
        tf.float32.cast(1, None)


def test_the_public_names() -> None:
    assert tf.half is tf.float16 and tf.double is tf.float64
    assert tf.dtypes.experimental.int4 is dtypes.int4
    assert not hasattr(tf, "int4")
    assert {dtype.name.removesuffix("_ref") for dtype in tf.dtypes.QUANTIZED_DTYPES} == {
        "qint8", "quint8", "qint16", "quint16", "qint32",
    }  # fmt: skip


def test_an_array_of_objects_holds_texts_in_messages() -> None:
    assert [dtypes.runtime_name(np.dtype(kind)) for kind in (object, np.float32)] == ["string", "float"]
