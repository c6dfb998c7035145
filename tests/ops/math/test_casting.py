"""Conversion between dtypes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import Sample
from tests.ops.math.recorded import MODES, check_error, check_gradients, check_value
from tests.ops.math.samples import COMPLEX, FLOATS, INTEGERS, numbers

TARGETS = (*FLOATS, *INTEGERS, *COMPLEX, "bool")
SAMPLES = [
    *(
        Sample("Cast", (numbers(source, (2, 3), 0, 2),), {"DstT": tf.as_dtype(target)})
        for i, source in enumerate(TARGETS)
        for target in (TARGETS[i], TARGETS[(3 * i + 1) % len(TARGETS)], TARGETS[(5 * i + 2) % len(TARGETS)])
    ),
    Sample("Cast", (numbers("float64", ()),), {"DstT": tf.complex128}, grad=True),
    Sample("Cast", (np.float32([1.999, 0.3]),), {"DstT": tf.bfloat16, "Truncate": True}),
]

# What TensorFlow 2.21 answers.
ANSWERS: list[tuple[str, str, Any]] = [
    ("tf.cast([1.9, -1.9], tf.int32)", "int32", [1, -1]),
    ("tf.cast(c(1.5),'int32')", "int32", 1),
    ("tf.cast([], tf.int32)", "int32", []),
    ("tf.cast(c(1.),tf.int32,'nm')", "int32", 1),
    ("tf.saturate_cast(5, tf.uint8)", "uint8", 5),
    (
        "tf.cast(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.bfloat16), tf.bfloat16)",
        "bfloat16",
        [[-2.5, -1.0, -0.25], [0.5, 1.75, 3.0]],
    ),
    (
        "tf.cast(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.bfloat16), tf.complex128)",
        "complex128",
        [
            [complex(-2.5, 0.0), complex(-1.0, 0.0), complex(-0.25, 0.0)],
            [complex(0.5, 0.0), complex(1.75, 0.0), complex(3.0, 0.0)],
        ],
    ),
    (
        "tf.cast(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float16), tf.uint64)",
        "uint64",
        [[18446744073709551614, 18446744073709551615, 0], [0, 1, 3]],
    ),
    (
        "tf.cast(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float32), tf.uint16)",
        "uint16",
        [[65534, 65535, 0], [0, 1, 3]],
    ),
    ("tf.cast(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float64), tf.int64)", "int64", [[-2, -1, 0], [0, 1, 3]]),
    ("tf.cast(c([[-3, -1, 100], [2, 7, 50]], tf.int8), tf.int16)", "int16", [[-3, -1, 100], [2, 7, 50]]),
    (
        "tf.cast(c([[-3, -1, 100], [2, 7, 50]], tf.int16), tf.float64)",
        "float64",
        [[-3.0, -1.0, 100.0], [2.0, 7.0, 50.0]],
    ),
    (
        "tf.cast(c([[-3, -1, 100], [2, 7, 50]], tf.int32), tf.float16)",
        "float16",
        [[-3.0, -1.0, 100.0], [2.0, 7.0, 50.0]],
    ),
    ("tf.cast(c([[-3, -1, 100], [2, 7, 50]], tf.int32), tf.bool)", "bool", [[True, True, True], [True, True, True]]),
    (
        "tf.cast(c([[-3, -1, 100], [2, 7, 50]], tf.int64), tf.complex64)",
        "complex64",
        [
            [complex(-3.0, 0.0), complex(-1.0, 0.0), complex(100.0, 0.0)],
            [complex(2.0, 0.0), complex(7.0, 0.0), complex(50.0, 0.0)],
        ],
    ),
    ("tf.cast(c([[3, 1, 100], [2, 7, 50]], tf.uint8), tf.uint32)", "uint32", [[3, 1, 100], [2, 7, 50]]),
    ("tf.cast(c([[3, 1, 100], [2, 7, 50]], tf.uint16), tf.uint8)", "uint8", [[3, 1, 100], [2, 7, 50]]),
    ("tf.cast(c([[3, 1, 100], [2, 7, 50]], tf.uint32), tf.int32)", "int32", [[3, 1, 100], [2, 7, 50]]),
    ("tf.cast(c([[3, 1, 100], [2, 7, 50]], tf.uint64), tf.int8)", "int8", [[3, 1, 100], [2, 7, 50]]),
    (
        "tf.cast(c([[-2.5+1j, -1., -0.25-.5j], [0.5j, 1.75+2j, 3.]], tf.complex64), tf.float32)",
        "float32",
        [[-2.5, -1.0, -0.25], [0.0, 1.75, 3.0]],
    ),
    (
        "tf.cast(c([[-2.5+1j, -1., -0.25-.5j], [0.5j, 1.75+2j, 3.]], tf.complex128), tf.bfloat16)",
        "bfloat16",
        [[-2.5, -1.0, -0.25], [0.0, 1.75, 3.0]],
    ),
    (
        "tf.cast(c([[-2.5+1j, -1., -0.25-.5j], [0.5j, 1.75+2j, 3.]], tf.complex128), tf.complex128)",
        "complex128",
        [
            [complex(-2.5, 1.0), complex(-1.0, 0.0), complex(-0.25, -0.5)],
            [complex(0.0, 0.5), complex(1.75, 2.0), complex(3.0, 0.0)],
        ],
    ),
    ("tf.cast(c([[True, False, True]]), tf.uint64)", "uint64", [[1, 0, 1]]),
    (
        "tf.saturate_cast(c([-1e4, -3.7, 0., 2.5, 300., 1e4], tf.bfloat16), tf.uint16)",
        "uint16",
        [0, 0, 0, 2, 300, 9984],
    ),
    (
        "tf.saturate_cast(c([-1e4, -3.7, 0., 2.5, 300., 1e4], tf.float16), tf.uint64)",
        "uint64",
        [0, 0, 0, 2, 300, 10000],
    ),
    (
        "tf.saturate_cast(c([-1e4, -3.7, 0., 2.5, 300., 1e4], tf.float64), tf.bfloat16)",
        "bfloat16",
        [-9984.0, -3.703, 0.0, 2.5, 300.0, 9984.0],
    ),
    ("tf.saturate_cast(c([-100, -3, 0, 2, 100], tf.int8), tf.float16)", "float16", [-100.0, -3.0, 0.0, 2.0, 100.0]),
    ("tf.saturate_cast(c([-100, -3, 0, 2, 100], tf.int16), tf.float32)", "float32", [-100.0, -3.0, 0.0, 2.0, 100.0]),
    ("tf.saturate_cast(c([-100, -3, 0, 2, 100], tf.int32), tf.float64)", "float64", [-100.0, -3.0, 0.0, 2.0, 100.0]),
    ("tf.saturate_cast(c([-100, -3, 0, 2, 100], tf.int64), tf.uint8)", "uint8", [0, 0, 0, 2, 100]),
    ("tf.saturate_cast(c([0, 2, 200], tf.uint8), tf.uint32)", "uint32", [0, 2, 200]),
]

GRADIENTS: list[tuple[str, list[Any]]] = [
    ("grads(tf.cast, [1.5], tf.float64) if 0 else grads(lambda x: tf.cast(x, tf.float64), [1.])", [[1.0]]),
    ("grads(lambda x: tf.cast(x, tf.complex64), [1.])", [[1.0]]),
    ("grads(lambda x: tf.cast(tf.cast(x, tf.int32), tf.float32), [1.])", [None]),
    ("grads(lambda x: tf.saturate_cast(x, tf.float32), c([2., 3.], tf.float64))", [[1.0, 1.0]]),
]

ERRORS = [
    ("tf.cast('1',tf.int32)", "eager", "UnimplementedError", "Cast string to int32 is not supported"),
    ("tf.cast('1',tf.int32)", "function", "UnimplementedError", "Cast string to int32 is not supported"),
    ("tf.cast(1.5, None)", "eager", "TypeError", "Cannot convert the argument `type_value`: None to a TensorFl"),
    ("tf.cast(1.5, None)", "function", "TypeError", "Cannot convert the argument `type_value`: None to a TensorFl"),
    ("tf.cast(None, tf.int32)", "eager", "ValueError", "Attempt to convert a value (None) with an unsupported type ("),
    (
        "tf.saturate_cast([True], tf.uint8)",
        "eager",
        "TypeError",
        "Cannot find minimum value of <dtype: 'bool'> with type <dtyp",
    ),
    (
        "tf.saturate_cast([True], tf.uint8)",
        "function",
        "TypeError",
        "Cannot find minimum value of <dtype: 'bool'> with type <dtyp",
    ),
]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("program", "dtype", "expected"), ANSWERS, ids=str)
def test_values_are_those_of_tensorflow(program: str, dtype: str, expected: Any, mode: str) -> None:
    check_value(program, mode, dtype, expected)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("program", "expected"), GRADIENTS, ids=str)
def test_gradients_are_those_of_tensorflow(program: str, expected: list[Any], mode: str) -> None:
    check_gradients(program, mode, expected)


@pytest.mark.parametrize(("program", "mode", "kind", "message"), ERRORS, ids=str)
def test_wrong_input_gives_tensorflows_error(program: str, mode: str, kind: str, message: str) -> None:
    check_error(program, mode, kind, message)


def test_a_cast_to_the_same_dtype_returns_the_tensor() -> None:
    x = tf.constant(1.0)
    assert tf.cast(x, tf.float32) is x


def test_what_does_not_fit_is_the_smallest_integer() -> None:
    assert tf.cast([np.nan, np.inf, 3e9], tf.int32).numpy().tolist() == [-(2**31)] * 3


def test_a_truncating_cast_rounds_towards_zero() -> None:
    x = tf.constant([1.999, -1.999])
    assert tf.raw_ops.Cast(x=x, DstT=tf.bfloat16, Truncate=True).numpy().tolist() == [1.9921875, -1.9921875]
    assert tf.cast(x, tf.bfloat16).numpy().tolist() == [2.0, -2.0]


def test_strings_cannot_be_cast() -> None:
    with pytest.raises(tf.errors.UnimplementedError, match="Cast string to int32 is not supported"):
        tf.cast("1", tf.int32)


@pytest.mark.parametrize("dtype", ["float64", "int32", "int64", "float32", "bfloat16"])
def test_every_float16_is_cast_alike_among_few_and_among_many(dtype: str) -> None:
    x = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    few = np.concatenate([tf.cast(part, dtype).numpy() for part in np.split(x, 64)])
    with np.errstate(invalid="ignore"):  # NaNs that signal
        np.testing.assert_array_equal(tf.cast(x, dtype).numpy().astype(np.float64), few.astype(np.float64))


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"])
def test_integers_are_rounded_once_to_float16(dtype: str) -> None:
    info = np.iinfo(dtype)
    near = np.arange(max(info.min, -70_000), min(info.max, 70_000) + 1)
    far = [number for number in (2**24 + 1, 2**31 - 1, -(2**31), 2**63 - 1, -(2**63)) if info.min <= number <= info.max]
    x = np.resize(np.concatenate([near.astype(dtype), np.array(far, dtype)]), 150_000)
    with np.errstate(over="ignore"):
        assert tf.cast(x, tf.float16).numpy().tobytes() == x.astype(np.float16).tobytes()


@pytest.mark.xla
@pytest.mark.parametrize("dtype", [tf.float32, tf.float64, tf.bfloat16, tf.complex64])
def test_a_product_with_a_converted_boolean_is_not_a_choice(dtype: Any) -> None:
    mask, x = tf.constant([True, False, False]), tf.cast(tf.constant([1.0, np.nan, np.inf]), dtype)
    for jit_compile in (False, True):
        product = tf.function(lambda: tf.cast(mask, dtype) * x, jit_compile=jit_compile)().numpy()
        assert product[0] == 1.0
        assert np.isnan(product[1:]).all()


@pytest.mark.xla
def test_the_gradient_of_the_largest_number_of_a_row_with_nan_is_nan() -> None:
    def gradient(x: Any) -> Any:
        return tf.gradients(tf.reduce_max(x, 1), x)[0]

    x = tf.constant([[1.0, np.nan, 3.0], [1.0, 2.0, 2.0]])
    for jit_compile in (False, True):
        found = tf.function(gradient, jit_compile=jit_compile)(x).numpy()
        assert np.isnan(found[0]).all()
        assert found[1].tolist() == [0.0, 0.5, 0.5]
