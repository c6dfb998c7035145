"""Comparisons."""

# ruff: noqa: E501  (recorded programs, one to a line)

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import Sample
from tests.ops.math.recorded import MODES, check_error, check_value
from tests.ops.math.samples import COMPLEX, FLOATS, INTEGERS, binary, numbers

SAMPLES = [
    *(s for op in ("Equal", "NotEqual") for s in binary(op, (*FLOATS, *INTEGERS, *COMPLEX, "bool"), grad=False)),
    Sample("Equal", (np.array([[b"a"], [b"b"]], object), np.array([b"a", b"b"], object))),
    Sample("NotEqual", (np.array([b"a"], object), np.array([b"a", b"b"], object))),
    Sample("Equal", (np.float32([1, 2]), np.float32([1, 2])), {"incompatible_shape_error": False}),
    *(
        s
        for op in ("Less", "LessEqual", "Greater", "GreaterEqual")
        for s in binary(op, (*FLOATS, *INTEGERS), grad=False)
    ),
    *(
        Sample("ApproximateEqual", (numbers(d, (2, 3)), numbers(d, (2, 3))), {"tolerance": 0.1})
        for d in ("float32", "float64", "int32", "complex64")
    ),
]

# What TensorFlow 2.21 answers.
ANSWERS: list[tuple[str, str, Any]] = [
    ("c([1, 2])==c([1, 2, 3])", "bool", False),
    ("c([1, 2])!=c([1, 2, 3])", "bool", True),
    ("c('a')=='a'", "bool", True),
    ("tf.equal(c('a'),c(['a','b']))", "bool", [True, False]),
    ("tf.equal(True, c([True, False]))", "bool", [True, False]),
    ("tf.not_equal(c([1, 2]), [1, 3])", "bool", [False, True]),
    ("tf.raw_ops.Equal(x=c([1, 2]), y=c([1, 2, 3]), incompatible_shape_error=False)", "bool", False),
    ("tf.raw_ops.NotEqual(x=c([1, 2]), y=c([1, 2, 3]), incompatible_shape_error=False)", "bool", True),
    ("tf.raw_ops.ApproximateEqual(x=c(1.), y=c(1.000001))", "bool", True),
    ("tf.math.is_non_decreasing([1, 1, 2])", "bool", True),
    ("tf.math.is_strictly_increasing([1, 1, 2])", "bool", False),
    ("tf.math.is_strictly_increasing([])", "bool", True),
    ("tf.math.is_strictly_increasing(5)", "bool", True),
    ("tf.math.is_non_decreasing([[1, 3], [2, 4]])", "bool", False),
    (
        "tf.equal(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.bfloat16), c([1.5, -2., 0.75], tf.bfloat16))",
        "bool",
        [[False, False, False], [False, False, False]],
    ),
    (
        "tf.equal(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float32), c([1.5, -2., 0.75], tf.float32))",
        "bool",
        [[False, False, False], [False, False, False]],
    ),
    (
        "tf.equal(c([[-3, -1, 100], [2, 7, 50]], tf.int16), c([2, -3, 5], tf.int16))",
        "bool",
        [[False, False, False], [True, False, False]],
    ),
    (
        "tf.equal(c([[3, 1, 100], [2, 7, 50]], tf.uint8), c([2, 3, 5], tf.uint8))",
        "bool",
        [[False, False, False], [True, False, False]],
    ),
    (
        "tf.equal(c([[3, 1, 100], [2, 7, 50]], tf.uint64), c([2, 3, 5], tf.uint64))",
        "bool",
        [[False, False, False], [True, False, False]],
    ),
    (
        "tf.not_equal(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.bfloat16), c([1.5, -2., 0.75], tf.bfloat16))",
        "bool",
        [[True, True, True], [True, True, True]],
    ),
    (
        "tf.not_equal(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float64), c([1.5, -2., 0.75], tf.float64))",
        "bool",
        [[True, True, True], [True, True, True]],
    ),
    (
        "tf.not_equal(c([[-3, -1, 100], [2, 7, 50]], tf.int32), c([2, -3, 5], tf.int32))",
        "bool",
        [[True, True, True], [False, True, True]],
    ),
    (
        "tf.not_equal(c([[3, 1, 100], [2, 7, 50]], tf.uint16), c([2, 3, 5], tf.uint16))",
        "bool",
        [[True, True, True], [False, True, True]],
    ),
    (
        "tf.not_equal(c([[-2.5+1j, -1., -0.25-.5j], [0.5j, 1.75+2j, 3.]], tf.complex64), c([1.5+1j, -2., 0.75-2j], tf.complex64))",
        "bool",
        [[True, True, True], [True, True, True]],
    ),
    (
        "tf.less(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float16), c([1.5, -2., 0.75], tf.float16))",
        "bool",
        [[True, False, True], [True, False, False]],
    ),
    (
        "tf.less(c([[-3, -1, 100], [2, 7, 50]], tf.int8), c([2, -3, 5], tf.int8))",
        "bool",
        [[True, False, False], [False, False, False]],
    ),
    (
        "tf.less(c([[-3, -1, 100], [2, 7, 50]], tf.int64), c([2, -3, 5], tf.int64))",
        "bool",
        [[True, False, False], [False, False, False]],
    ),
    (
        "tf.less(c([[3, 1, 100], [2, 7, 50]], tf.uint32), c([2, 3, 5], tf.uint32))",
        "bool",
        [[False, True, False], [False, False, False]],
    ),
    (
        "tf.less_equal(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.bfloat16), c([1.5, -2., 0.75], tf.bfloat16))",
        "bool",
        [[True, False, True], [True, False, False]],
    ),
    (
        "tf.less_equal(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float64), c([1.5, -2., 0.75], tf.float64))",
        "bool",
        [[True, False, True], [True, False, False]],
    ),
    (
        "tf.less_equal(c([[-3, -1, 100], [2, 7, 50]], tf.int32), c([2, -3, 5], tf.int32))",
        "bool",
        [[True, False, False], [True, False, False]],
    ),
    (
        "tf.less_equal(c([[3, 1, 100], [2, 7, 50]], tf.uint16), c([2, 3, 5], tf.uint16))",
        "bool",
        [[False, True, False], [True, False, False]],
    ),
    (
        "tf.greater(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.bfloat16), c([1.5, -2., 0.75], tf.bfloat16))",
        "bool",
        [[False, True, False], [False, True, True]],
    ),
    (
        "tf.greater(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float64), c([1.5, -2., 0.75], tf.float64))",
        "bool",
        [[False, True, False], [False, True, True]],
    ),
    (
        "tf.greater(c([[-3, -1, 100], [2, 7, 50]], tf.int32), c([2, -3, 5], tf.int32))",
        "bool",
        [[False, True, True], [False, True, True]],
    ),
    (
        "tf.greater(c([[3, 1, 100], [2, 7, 50]], tf.uint16), c([2, 3, 5], tf.uint16))",
        "bool",
        [[True, False, True], [False, True, True]],
    ),
    (
        "tf.greater_equal(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.bfloat16), c([1.5, -2., 0.75], tf.bfloat16))",
        "bool",
        [[False, True, False], [False, True, True]],
    ),
    (
        "tf.greater_equal(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float64), c([1.5, -2., 0.75], tf.float64))",
        "bool",
        [[False, True, False], [False, True, True]],
    ),
    (
        "tf.greater_equal(c([[-3, -1, 100], [2, 7, 50]], tf.int32), c([2, -3, 5], tf.int32))",
        "bool",
        [[False, True, True], [True, True, True]],
    ),
    (
        "tf.greater_equal(c([[3, 1, 100], [2, 7, 50]], tf.uint16), c([2, 3, 5], tf.uint16))",
        "bool",
        [[True, False, True], [True, True, True]],
    ),
]

ERRORS = [
    ("tf.equal(c([1, 2]), c([1, 2, 3]))", "eager", "InvalidArgumentError", "Incompatible shapes: [2] vs. [3]"),
    ("tf.equal(c([1, 2]), c([1, 2, 3]))", "function", "ValueError", "Dimensions must be equal, but are 2 and 3"),
    (
        "c([1, 2])==c(1.)",
        "eager",
        "InvalidArgumentError",
        "cannot compute Equal as input #1(zero-based) was expected to",
    ),
    ("c([1, 2])==c(1.)", "function", "TypeError", "Input 'y' of 'Equal' Op has type float32 that does not match"),
    ("c([1, 2])==1.5", "eager", "TypeError", "Cannot convert 1.5 to EagerTensor of dtype int32"),
    ("c([1,2])=='a'", "eager", "TypeError", "Cannot convert 'a' to EagerTensor of dtype int32"),
    ("tf.less(c([1, 2]), c([1, 2, 3]))", "eager", "InvalidArgumentError", "Incompatible shapes: [2] vs. [3]"),
    ("tf.less(c([1, 2]), c([1, 2, 3]))", "function", "ValueError", "Dimensions must be equal, but are 2 and 3"),
    (
        "tf.less(c('a'),c('b'))",
        "eager",
        "InvalidArgumentError",
        "Value for attr 'T' of string is not in the list of allowed v",
    ),
    ("tf.less(c('a'),c('b'))", "function", "TypeError", "Value passed to parameter 'x' has DataType string not in lis"),
    (
        "tf.less(c(1j), c(1j))",
        "eager",
        "InvalidArgumentError",
        "Value for attr 'T' of complex128 is not in the list of allow",
    ),
    ("tf.less(c(1j), c(1j))", "function", "TypeError", "Value passed to parameter 'x' has DataType complex128 not in"),
    (
        "tf.less(c(True), c(False))",
        "eager",
        "InvalidArgumentError",
        "Value for attr 'T' of bool is not in the list of allowed val",
    ),
    (
        "tf.less(c(True), c(False))",
        "function",
        "TypeError",
        "Value passed to parameter 'x' has DataType bool not in list",
    ),
    ("c(5)<'a'", "eager", "TypeError", "Cannot convert 'a' to EagerTensor of dtype int32"),
    ("c(5)<c(5.)", "eager", "InvalidArgumentError", "cannot compute Less as input #1(zero-based) was expected to"),
    ("c(5)<c(5.)", "function", "TypeError", "Input 'y' of 'Less' Op has type float32 that does not match"),
]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("program", "dtype", "expected"), ANSWERS, ids=str)
def test_values_are_those_of_tensorflow(program: str, dtype: str, expected: Any, mode: str) -> None:
    check_value(program, mode, dtype, expected)


@pytest.mark.parametrize(("program", "mode", "kind", "message"), ERRORS, ids=str)
def test_wrong_input_gives_tensorflows_error(program: str, mode: str, kind: str, message: str) -> None:
    check_error(program, mode, kind, message)


def test_shapes_that_cannot_match_are_simply_unequal() -> None:
    x, y = tf.constant([1, 2]), tf.constant([1, 2, 3])
    assert bool(x == y) is False
    assert x != y


def test_order_of_all_elements() -> None:
    assert tf.math.is_non_decreasing([1.0, 1.0, 3.0])
    assert not tf.math.is_strictly_increasing([1.0, 1.0, 3.0])
    assert tf.math.is_strictly_increasing([])
