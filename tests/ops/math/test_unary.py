"""Absolute value, sign, reciprocal, square, roots."""

from __future__ import annotations

from math import inf, nan
from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import Sample
from tests.ops.math.recorded import MODES, check_error, check_gradients, check_value
from tests.ops.math.samples import COMPLEX, FLOATS, at_zero, numbers, unary

SIGNED = (*FLOATS, "int8", "int16", "int32", "int64")
SAMPLES = [
    *unary("Abs", SIGNED),
    *unary("Neg", (*SIGNED, *COMPLEX)),
    *unary("Sign", (*SIGNED, "complex64", "complex128")),
    *unary("Reciprocal", (*FLOATS, *COMPLEX), 0.5),
    *unary("Reciprocal", ("int32",), 1, 4),
    *unary("Inv", (*FLOATS, *COMPLEX), 0.5),
    *unary("Square", (*SIGNED, *COMPLEX, "uint8", "uint64")),
    *unary("Sqrt", (*FLOATS, *COMPLEX), 0.5),
    *unary("Rsqrt", (*FLOATS, *COMPLEX), 0.5),
    *(
        Sample(op, (numbers(d, (2, 3), 0.5), numbers(d, (2, 3), seed=1)), grad=d in ("float64", "complex128"))
        for op in ("ReciprocalGrad", "InvGrad", "SqrtGrad", "RsqrtGrad")
        for d in ("float32", "float64", "complex128")
    ),
]

GRADIENT_SAMPLES = [s for op in ("Neg", "Square") for s in at_zero(op, "float64", "complex128")]

# What TensorFlow 2.21 answers.
ANSWERS: list[tuple[str, str, Any]] = [
    ("tf.abs(c([-5, 3]))", "int32", [5, 3]),
    ("tf.abs(c(-128, tf.int8))", "int8", -128),
    ("tf.abs(c(3+4j))", "float64", 5.0),
    ("tf.sign(c([-2., 0, np.nan, -0.]))", "float32", [-1.0, 0.0, nan, 0.0]),
    ("tf.sign(c(3+4j))", "complex128", complex(0.6, 0.8)),
    ("tf.sign(c(0j))", "complex128", complex(0.0, 0.0)),
    ("tf.math.reciprocal(c([2., 0.]))", "float32", [0.5, inf]),
    ("tf.square(c([2, 3], tf.uint8))", "uint8", [4, 9]),
    ("tf.sqrt([-1.])", "float32", [nan]),
    ("tf.abs(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.bfloat16))", "bfloat16", [[2.5, 1.0, 0.25], [0.5, 1.75, 3.0]]),
    ("tf.abs(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float32))", "float32", [[2.5, 1.0, 0.25], [0.5, 1.75, 3.0]]),
    ("tf.abs(c([[-3, -1, 100], [2, 7, 50]], tf.int8))", "int8", [[3, 1, 100], [2, 7, 50]]),
    ("tf.abs(c([[-3, -1, 100], [2, 7, 50]], tf.int64))", "int64", [[3, 1, 100], [2, 7, 50]]),
    (
        "tf.abs(c([[-2.5+1j, -1., -0.25-.5j], [0.5j, 1.75+2j, 3.]], tf.complex128))",
        "float64",
        [[2.69258240357, 1.0, 0.559016994375], [0.5, 2.65753645318, 3.0]],
    ),
    (
        "tf.negative(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float16))",
        "float16",
        [[2.5, 1.0, 0.25], [-0.5, -1.75, -3.0]],
    ),
    ("tf.negative(c([[-3, -1, 100], [2, 7, 50]], tf.int8))", "int8", [[3, 1, -100], [-2, -7, -50]]),
    ("tf.negative(c([[-3, -1, 100], [2, 7, 50]], tf.int32))", "int32", [[3, 1, -100], [-2, -7, -50]]),
    (
        "tf.negative(c([[-2.5+1j, -1., -0.25-.5j], [0.5j, 1.75+2j, 3.]], tf.complex128))",
        "complex128",
        [
            [complex(2.5, -1.0), complex(1.0, -0.0), complex(0.25, 0.5)],
            [complex(-0.0, -0.5), complex(-1.75, -2.0), complex(-3.0, -0.0)],
        ],
    ),
    ("tf.sign(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float16))", "float16", [[-1.0, -1.0, -1.0], [1.0, 1.0, 1.0]]),
    ("tf.sign(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float64))", "float64", [[-1.0, -1.0, -1.0], [1.0, 1.0, 1.0]]),
    ("tf.sign(c([[-3, -1, 100], [2, 7, 50]], tf.int32))", "int32", [[-1, -1, 1], [1, 1, 1]]),
    (
        "tf.sign(c([[-2.5+1j, -1., -0.25-.5j], [0.5j, 1.75+2j, 3.]], tf.complex64))",
        "complex64",
        [
            [complex(-0.9284767, 0.3713907), complex(-1.0, 0.0), complex(-0.4472136, -0.8944272)],
            [complex(0.0, 1.0), complex(0.6585046, 0.7525767), complex(1.0, 0.0)],
        ],
    ),
    (
        "tf.math.reciprocal(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float16))",
        "float16",
        [[-0.3999, -1.0, -4.0], [2.0, 0.57129, 0.33325]],
    ),
    (
        "tf.math.reciprocal(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float64))",
        "float64",
        [[-0.4, -1.0, -4.0], [2.0, 0.571428571429, 0.333333333333]],
    ),
    (
        "tf.math.reciprocal(c([[-2.5+1j, -1., -0.25-.5j], [0.5j, 1.75+2j, 3.]], tf.complex128))",
        "complex128",
        [
            [complex(-0.344827586207, -0.137931034483), complex(-1.0, -0.0), complex(-0.8, 1.6)],
            [complex(0.0, -2.0), complex(0.247787610619, -0.283185840708), complex(0.333333333333, 0.0)],
        ],
    ),
    (
        "tf.square(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float32))",
        "float32",
        [[6.25, 1.0, 0.0625], [0.25, 3.0625, 9.0]],
    ),
    ("tf.square(c([[-3, -1, 100], [2, 7, 50]], tf.int8))", "int8", [[9, 1, 16], [4, 49, -60]]),
    ("tf.square(c([[-3, -1, 100], [2, 7, 50]], tf.int32))", "int32", [[9, 1, 10000], [4, 49, 2500]]),
    ("tf.square(c([[3, 1, 100], [2, 7, 50]], tf.uint16))", "uint16", [[9, 1, 10000], [4, 49, 2500]]),
    ("tf.square(c([[3, 1, 100], [2, 7, 50]], tf.uint64))", "uint64", [[9, 1, 10000], [4, 49, 2500]]),
    (
        "tf.sqrt(c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.bfloat16))",
        "bfloat16",
        [[0.5, 0.707, 0.8672], [1.117, 1.414, 1.867]],
    ),
    (
        "tf.sqrt(c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.float32))",
        "float32",
        [[0.5, 0.7071068, 0.8660254], [1.118034, 1.414214, 1.870829]],
    ),
    (
        "tf.sqrt(c([[0.25+1j, 0.5, 0.75], [1.25-1j, 2., 3.5]], tf.complex64))",
        "complex64",
        [
            [complex(0.8002426, 0.6248105), complex(0.7071068, 0.0), complex(0.8660254, 0.0)],
            [complex(1.193897, -0.4187965), complex(1.414214, 0.0), complex(1.870829, 0.0)],
        ],
    ),
    (
        "tf.math.rsqrt(c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.float16))",
        "float16",
        [[2.0, 1.4141, 1.1543], [0.89453, 0.70703, 0.53467]],
    ),
    (
        "tf.math.rsqrt(c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.float64))",
        "float64",
        [[2.0, 1.41421356237, 1.15470053838], [0.894427191, 0.707106781187, 0.534522483825]],
    ),
]

GRADIENTS: list[tuple[str, list[Any]]] = [
    ("grads(tf.abs, [0., -2.])", [[0.0, -1.0]]),
    ("grads(tf.abs, [3+4j, 0j])", [[complex(0.6, 0.8), complex(0.0, 0.0)]]),
    ("grads(tf.negative, [3., -1.])", [[-1.0, -1.0]]),
    ("grads(tf.sign, [3., -1.])", [[0.0, 0.0]]),
    ("grads(tf.math.reciprocal, [3., -1.])", [[-0.1111111, -1.0]]),
    ("grads(tf.math.reciprocal, [1+2j])", [[complex(0.12, -0.16)]]),
    ("grads(tf.square, [3., -1.])", [[6.0, -2.0]]),
    ("grads(tf.square, [1+2j])", [[complex(2.0, -4.0)]]),
    ("grads(tf.sqrt, [4., 0.25])", [[0.25, 1.0]]),
    ("grads(tf.sqrt, [1+2j])", [[complex(0.284432240503, 0.175788792127)]]),
    ("grads(tf.math.rsqrt, [4., 0.25])", [[-0.0625, -4.0]]),
    ("grads(tf.math.rsqrt, [1+2j])", [[complex(0.0134290687503, -0.148930654627)]]),
]

ERRORS = [
    ("tf.abs('a')", "eager", "InvalidArgumentError", "Value for attr 'T' of string is not in the list of allowed v"),
    ("tf.abs('a')", "function", "TypeError", "Value passed to parameter 'x' has DataType string not in lis"),
    (
        "tf.abs(c(True))",
        "eager",
        "InvalidArgumentError",
        "Value for attr 'T' of bool is not in the list of allowed val",
    ),
    ("tf.abs(c(True))", "function", "TypeError", "Value passed to parameter 'x' has DataType bool not in list"),
    (
        "tf.abs(c(3, tf.uint8))",
        "eager",
        "InvalidArgumentError",
        "Value for attr 'T' of uint8 is not in the list of allowed va",
    ),
    ("tf.abs(c(3, tf.uint8))", "function", "TypeError", "Value passed to parameter 'x' has DataType uint8 not in list"),
    (
        "tf.negative(c([1, 2], tf.uint8))",
        "eager",
        "InvalidArgumentError",
        "Value for attr 'T' of uint8 is not in the list of allowed va",
    ),
    (
        "tf.negative(c([1, 2], tf.uint8))",
        "function",
        "TypeError",
        "Value passed to parameter 'x' has DataType uint8 not in list",
    ),
    (
        "tf.sqrt(c([4, 9]))",
        "eager",
        "InvalidArgumentError",
        "Value for attr 'T' of int32 is not in the list of allowed va",
    ),
    ("tf.sqrt(c([4, 9]))", "function", "TypeError", "Value passed to parameter 'x' has DataType int32 not in list"),
    ("tf.sqrt(4)", "eager", "InvalidArgumentError", "Value for attr 'T' of int32 is not in the list of allowed va"),
    ("tf.sqrt(4)", "function", "TypeError", "Value passed to parameter 'x' has DataType int32 not in list"),
    ("tf.abs(None)", "eager", "ValueError", "Attempt to convert a value (None) with an unsupported type ("),
    ("tf.sqrt('a')", "eager", "InvalidArgumentError", "Value for attr 'T' of string is not in the list of allowed v"),
    ("tf.sqrt('a')", "function", "TypeError", "Value passed to parameter 'x' has DataType string not in lis"),
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


def test_the_largest_negative_integer_has_no_absolute_value() -> None:
    assert tf.abs(tf.constant(-128, tf.int8)).numpy() == -128


def test_second_derivatives_of_the_square_root_are_right() -> None:
    x = tf.constant(4.0)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = tf.sqrt(x)
        first = inner.gradient(y, x)
    np.testing.assert_allclose(outer.gradient(first, x).numpy(), -1 / 32, rtol=1e-6)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_reciprocal_roots_of_large_arrays_are_those_of_small_ones(dtype: Any) -> None:
    x = np.resize(np.array([4.0, 0.0, -0.0, -1.0, np.inf, np.nan, 1e-45, 3.3, 7e30], dtype), 20_000)
    with np.errstate(all="ignore"):
        large = tf.math.rsqrt(x.reshape(40, -1)).numpy()
        np.testing.assert_array_equal(large, [tf.math.rsqrt(part).numpy() for part in x.reshape(40, -1)])
    assert large.dtype == dtype
