"""Bitwise logic and shifts."""

from __future__ import annotations

from typing import Any

import pytest

from tests.ops.math.recorded import MODES, check_error, check_value
from tests.ops.math.samples import INTEGERS, binary, unary

SAMPLES = [
    *(s for op in ("BitwiseAnd", "BitwiseOr", "BitwiseXor") for s in binary(op, INTEGERS, -50, 50)),
    *(s for op in ("LeftShift", "RightShift") for s in binary(op, INTEGERS, -50, 50, second=(0, 7))),
    *(s for op in ("Invert", "PopulationCount") for s in unary(op, INTEGERS, -50, 50)),
]

# What TensorFlow 2.21 answers.
ANSWERS: list[tuple[str, str, Any]] = [
    ("~c(5)", "int32", -6),
    ("tf.bitwise.left_shift(c([1, 1, 1], tf.int8), c([7, 8, -1], tf.int8))", "int8", [-128, -128, 1]),
    ("tf.bitwise.right_shift(c([-128, 1, 64], tf.int8), c([7, 8, -1], tf.int8))", "int8", [-1, 0, 64]),
    (
        "tf.bitwise.left_shift(c([1, 1, 1], tf.int32), c([31, 32, -1], tf.int32))",
        "int32",
        [-2147483648, -2147483648, 1],
    ),
    ("tf.raw_ops.PopulationCount(x=c([7, -1, 0]))", "uint8", [3, 32, 0]),
    ("tf.bitwise.invert(c([[-3, -1, 100], [2, 7, 50]], tf.int8))", "int8", [[2, 0, -101], [-3, -8, -51]]),
    ("tf.bitwise.invert(c([[-3, -1, 100], [2, 7, 50]], tf.int32))", "int32", [[2, 0, -101], [-3, -8, -51]]),
    ("tf.bitwise.invert(c([[3, 1, 100], [2, 7, 50]], tf.uint8))", "uint8", [[252, 254, 155], [253, 248, 205]]),
    (
        "tf.bitwise.invert(c([[3, 1, 100], [2, 7, 50]], tf.uint32))",
        "uint32",
        [[4294967292, 4294967294, 4294967195], [4294967293, 4294967288, 4294967245]],
    ),
    (
        "(lambda x: tf.raw_ops.PopulationCount(x=x))(c([[-3, -1, 100], [2, 7, 50]], tf.int8))",
        "uint8",
        [[7, 8, 3], [1, 3, 3]],
    ),
    (
        "(lambda x: tf.raw_ops.PopulationCount(x=x))(c([[-3, -1, 100], [2, 7, 50]], tf.int32))",
        "uint8",
        [[31, 32, 3], [1, 3, 3]],
    ),
    (
        "(lambda x: tf.raw_ops.PopulationCount(x=x))(c([[3, 1, 100], [2, 7, 50]], tf.uint8))",
        "uint8",
        [[2, 1, 3], [1, 3, 3]],
    ),
    (
        "(lambda x: tf.raw_ops.PopulationCount(x=x))(c([[3, 1, 100], [2, 7, 50]], tf.uint64))",
        "uint8",
        [[2, 1, 3], [1, 3, 3]],
    ),
    (
        "tf.bitwise.bitwise_and(c([[-3, -1, 100], [2, 7, 50]], tf.int16), c([2, -3, 5], tf.int16))",
        "int16",
        [[0, -3, 4], [2, 5, 0]],
    ),
    (
        "tf.bitwise.bitwise_and(c([[-3, -1, 100], [2, 7, 50]], tf.int64), c([2, -3, 5], tf.int64))",
        "int64",
        [[0, -3, 4], [2, 5, 0]],
    ),
    (
        "tf.bitwise.bitwise_and(c([[3, 1, 100], [2, 7, 50]], tf.uint16), c([2, 3, 5], tf.uint16))",
        "uint16",
        [[2, 1, 4], [2, 3, 0]],
    ),
    (
        "tf.bitwise.bitwise_and(c([[3, 1, 100], [2, 7, 50]], tf.uint64), c([2, 3, 5], tf.uint64))",
        "uint64",
        [[2, 1, 4], [2, 3, 0]],
    ),
    (
        "tf.bitwise.bitwise_or(c([[-3, -1, 100], [2, 7, 50]], tf.int16), c([2, -3, 5], tf.int16))",
        "int16",
        [[-1, -1, 101], [2, -1, 55]],
    ),
    (
        "tf.bitwise.bitwise_or(c([[3, 1, 100], [2, 7, 50]], tf.uint8), c([2, 3, 5], tf.uint8))",
        "uint8",
        [[3, 3, 101], [2, 7, 55]],
    ),
    (
        "tf.bitwise.bitwise_or(c([[3, 1, 100], [2, 7, 50]], tf.uint32), c([2, 3, 5], tf.uint32))",
        "uint32",
        [[3, 3, 101], [2, 7, 55]],
    ),
    (
        "tf.bitwise.bitwise_xor(c([[-3, -1, 100], [2, 7, 50]], tf.int8), c([2, -3, 5], tf.int8))",
        "int8",
        [[-1, 2, 97], [0, -6, 55]],
    ),
    (
        "tf.bitwise.bitwise_xor(c([[-3, -1, 100], [2, 7, 50]], tf.int32), c([2, -3, 5], tf.int32))",
        "int32",
        [[-1, 2, 97], [0, -6, 55]],
    ),
    (
        "tf.bitwise.bitwise_xor(c([[3, 1, 100], [2, 7, 50]], tf.uint8), c([2, 3, 5], tf.uint8))",
        "uint8",
        [[1, 2, 97], [0, 4, 55]],
    ),
    (
        "tf.bitwise.bitwise_xor(c([[3, 1, 100], [2, 7, 50]], tf.uint32), c([2, 3, 5], tf.uint32))",
        "uint32",
        [[1, 2, 97], [0, 4, 55]],
    ),
    (
        "tf.bitwise.left_shift(c([[-3, -1, 100], [2, 7, 50]], tf.int8), c([2, -3, 5], tf.int8))",
        "int8",
        [[-12, -1, -128], [8, 7, 64]],
    ),
    (
        "tf.bitwise.left_shift(c([[-3, -1, 100], [2, 7, 50]], tf.int64), c([2, -3, 5], tf.int64))",
        "int64",
        [[-12, -1, 3200], [8, 7, 1600]],
    ),
    (
        "tf.bitwise.left_shift(c([[3, 1, 100], [2, 7, 50]], tf.uint16), c([2, 3, 5], tf.uint16))",
        "uint16",
        [[12, 8, 3200], [8, 56, 1600]],
    ),
    (
        "tf.bitwise.left_shift(c([[3, 1, 100], [2, 7, 50]], tf.uint64), c([2, 3, 5], tf.uint64))",
        "uint64",
        [[12, 8, 3200], [8, 56, 1600]],
    ),
    (
        "tf.bitwise.right_shift(c([[-3, -1, 100], [2, 7, 50]], tf.int16), c([2, -3, 5], tf.int16))",
        "int16",
        [[-1, -1, 3], [0, 7, 1]],
    ),
    (
        "tf.bitwise.right_shift(c([[-3, -1, 100], [2, 7, 50]], tf.int64), c([2, -3, 5], tf.int64))",
        "int64",
        [[-1, -1, 3], [0, 7, 1]],
    ),
    (
        "tf.bitwise.right_shift(c([[3, 1, 100], [2, 7, 50]], tf.uint16), c([2, 3, 5], tf.uint16))",
        "uint16",
        [[0, 0, 3], [0, 0, 1]],
    ),
]

ERRORS = [
    ("~c(1.)", "eager", "InvalidArgumentError", "Value for attr 'T' of float is not in the list of allowed va"),
    ("~c(1.)", "function", "TypeError", "Value passed to parameter 'x' has DataType float32 not in li"),
    (
        "tf.bitwise.bitwise_and(c(1.), c(2.))",
        "eager",
        "InvalidArgumentError",
        "Value for attr 'T' of float is not in the list of allowed va",
    ),
    (
        "tf.bitwise.bitwise_and(c(1.), c(2.))",
        "function",
        "TypeError",
        "Value passed to parameter 'x' has DataType float32 not in li",
    ),
    (
        "tf.bitwise.invert([True])",
        "eager",
        "InvalidArgumentError",
        "Value for attr 'T' of bool is not in the list of allowed val",
    ),
    (
        "tf.bitwise.invert([True])",
        "function",
        "TypeError",
        "Value passed to parameter 'x' has DataType bool not in list",
    ),
]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("program", "dtype", "expected"), ANSWERS, ids=str)
def test_values_are_those_of_tensorflow(program: str, dtype: str, expected: Any, mode: str) -> None:
    check_value(program, mode, dtype, expected)


@pytest.mark.parametrize(("program", "mode", "kind", "message"), ERRORS, ids=str)
def test_wrong_input_gives_tensorflows_error(program: str, mode: str, kind: str, message: str) -> None:
    check_error(program, mode, kind, message)
