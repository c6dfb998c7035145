"""Polynomials."""

# ruff: noqa: E501  (recorded programs, one to a line)

from __future__ import annotations

from typing import Any

import pytest

from tests.ops.math.recorded import MODES, check_error, check_value

# What TensorFlow 2.21 answers.
ANSWERS: list[tuple[str, str, Any]] = [
    ("tf.math.polyval([1., 2., 3.], c(2.))", "float32", 11.0),
    ("tf.math.polyval([1, 2, 3], c(2))", "int32", 11),
    ("tf.math.polyval([c(1.), c(2.)], c([1., 2.]))", "float32", [3.0, 4.0]),
    ("tf.math.polyval([1.], c([3., 4.]))", "float32", 1.0),
    ("tf.math.polyval([1, 2], 2)", "int32", 4),
    (
        "tf.math.polyval([c([1.5, -2., 0.75], tf.bfloat16), c([1.5, -2., 0.75], tf.bfloat16)], c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.bfloat16))",
        "bfloat16",
        [[1.875, -3.0, 1.312], [3.375, -6.0, 3.375]],
    ),
    (
        "tf.math.polyval([c([1.5, -2., 0.75], tf.float16), c([1.5, -2., 0.75], tf.float16)], c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.float16))",
        "float16",
        [[1.875, -3.0, 1.3125], [3.375, -6.0, 3.375]],
    ),
    (
        "tf.math.polyval([c([1.5, -2., 0.75], tf.float32), c([1.5, -2., 0.75], tf.float32)], c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.float32))",
        "float32",
        [[1.875, -3.0, 1.3125], [3.375, -6.0, 3.375]],
    ),
    (
        "tf.math.polyval([c([1.5, -2., 0.75], tf.float64), c([1.5, -2., 0.75], tf.float64)], c([[0.25, 0.5, 0.75], [1.25, 2., 3.5]], tf.float64))",
        "float64",
        [[1.875, -3.0, 1.3125], [3.375, -6.0, 3.375]],
    ),
    (
        "tf.math.polyval([c([2, -3, 5], tf.int8), c([2, -3, 5], tf.int8)], c([[1, 2, 3], [4, 5, 6]], tf.int8))",
        "int8",
        [[4, -9, 20], [10, -18, 35]],
    ),
    (
        "tf.math.polyval([c([2, -3, 5], tf.int16), c([2, -3, 5], tf.int16)], c([[1, 2, 3], [4, 5, 6]], tf.int16))",
        "int16",
        [[4, -9, 20], [10, -18, 35]],
    ),
    (
        "tf.math.polyval([c([2, -3, 5], tf.int32), c([2, -3, 5], tf.int32)], c([[1, 2, 3], [4, 5, 6]], tf.int32))",
        "int32",
        [[4, -9, 20], [10, -18, 35]],
    ),
    (
        "tf.math.polyval([c([2, -3, 5], tf.int64), c([2, -3, 5], tf.int64)], c([[1, 2, 3], [4, 5, 6]], tf.int64))",
        "int64",
        [[4, -9, 20], [10, -18, 35]],
    ),
    (
        "tf.math.polyval([c([2, 3, 5], tf.uint8), c([2, 3, 5], tf.uint8)], c([[1, 2, 3], [4, 5, 6]], tf.uint8))",
        "uint8",
        [[4, 9, 20], [10, 18, 35]],
    ),
    (
        "tf.math.polyval([c([2, 3, 5], tf.uint16), c([2, 3, 5], tf.uint16)], c([[1, 2, 3], [4, 5, 6]], tf.uint16))",
        "uint16",
        [[4, 9, 20], [10, 18, 35]],
    ),
    (
        "tf.math.polyval([c([2, 3, 5], tf.uint32), c([2, 3, 5], tf.uint32)], c([[1, 2, 3], [4, 5, 6]], tf.uint32))",
        "uint32",
        [[4, 9, 20], [10, 18, 35]],
    ),
    (
        "tf.math.polyval([c([2, 3, 5], tf.uint64), c([2, 3, 5], tf.uint64)], c([[1, 2, 3], [4, 5, 6]], tf.uint64))",
        "uint64",
        [[4, 9, 20], [10, 18, 35]],
    ),
    (
        "tf.math.polyval([c([1.5+1j, -2., 0.75-2j], tf.complex64), c([1.5+1j, -2., 0.75-2j], tf.complex64)], c([[0.25+1j, 0.5, 0.75], [1.25-1j, 2., 3.5]], tf.complex64))",
        "complex64",
        [
            [complex(0.875, 2.75), complex(-3.0, 0.0), complex(1.3125, -3.5)],
            [complex(4.375, 0.75), complex(-6.0, 0.0), complex(3.375, -9.0)],
        ],
    ),
    (
        "tf.math.polyval([c([1.5+1j, -2., 0.75-2j], tf.complex128), c([1.5+1j, -2., 0.75-2j], tf.complex128)], c([[0.25+1j, 0.5, 0.75], [1.25-1j, 2., 3.5]], tf.complex128))",
        "complex128",
        [
            [complex(0.875, 2.75), complex(-3.0, 0.0), complex(1.3125, -3.5)],
            [complex(4.375, 0.75), complex(-6.0, 0.0), complex(3.375, -9.0)],
        ],
    ),
]

ERRORS = [
    (
        "tf.math.polyval(c([1.]), c(2.))",
        "eager",
        "ValueError",
        "Argument coeffs must be list type. Received type <class '",
    ),
    (
        "tf.math.polyval(c([1.]), c(2.))",
        "function",
        "ValueError",
        "Argument coeffs must be list type. Received type <class '",
    ),
    (
        "tf.math.polyval([1, 2.], c(3.))",
        "eager",
        "InvalidArgumentError",
        "cannot compute Mul as input #1(zero-based) was expected to b",
    ),
    (
        "tf.math.polyval([1, 2.], c(3.))",
        "function",
        "TypeError",
        "Input 'y' of 'Mul' Op has type float32 that does not match t",
    ),
    (
        "tf.math.polyval((1., 2.), c(3.))",
        "eager",
        "ValueError",
        "Argument coeffs must be list type. Received type <class 'tup",
    ),
    (
        "tf.math.polyval((1., 2.), c(3.))",
        "function",
        "ValueError",
        "Argument coeffs must be list type. Received type <class 'tup",
    ),
]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("program", "dtype", "expected"), ANSWERS, ids=str)
def test_values_are_those_of_tensorflow(program: str, dtype: str, expected: Any, mode: str) -> None:
    check_value(program, mode, dtype, expected)


@pytest.mark.parametrize(("program", "mode", "kind", "message"), ERRORS, ids=str)
def test_wrong_input_gives_tensorflows_error(program: str, mode: str, kind: str, message: str) -> None:
    check_error(program, mode, kind, message)
