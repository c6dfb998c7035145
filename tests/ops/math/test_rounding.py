"""Rounding, and questions about floats."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.contracts.sample import Sample
from tests.ops.math.recorded import MODES, check_error, check_gradients, check_value
from tests.ops.math.samples import COMPLEX, FLOATS, binary, unary


def _flat(dy: Any, x: Any) -> list[None]:
    return [None]


def _along_the_first(dy: Any, x1: Any, x2: Any) -> list[Any]:
    return [dy, np.zeros_like(x2)]


SAMPLES = [
    *(s for op in ("Ceil", "Floor", "Rint") for s in unary(op, FLOATS, -3, 3, grad=False)),
    *unary("Round", (*FLOATS, "int8", "int16", "int32", "int64", *COMPLEX), -3, 3, grad=False),
    *(Sample(op, (np.float64([-1.5, 0.0, 2.3]),), grad=_flat) for op in ("Ceil", "Floor", "Rint", "Round")),
    *(s for op in ("IsNan", "IsInf", "IsFinite") for s in unary(op, FLOATS, grad=False)),
    Sample("IsNan", (np.float32([np.nan, np.inf, 1.0]),)),
    *binary("NextAfter", ("float32", "float64"), grad=False),
    Sample("NextAfter", (np.float64([[1.0, 2.0], [3.0, -0.5]]), np.float64([2.0, 2.0])), grad=_along_the_first),
]

# What TensorFlow 2.21 answers.
ANSWERS: list[tuple[str, str, Any]] = [
    ("tf.round(c([0.5, 1.5, 2.5, -0.5, -1.5]))", "float32", [0.0, 2.0, 2.0, -0.0, -2.0]),
    ("tf.round(c([1, 2]))", "int32", [1, 2]),
    ("tf.math.rint(c([0.5, 1.5, 2.5, -0.5, -1.5]))", "float32", [0.0, 2.0, 2.0, -0.0, -2.0]),
    ("tf.floor(c([1.5, -1.5]))", "float32", [1.0, -2.0]),
    ("tf.math.is_nan([1., np.nan])", "bool", [False, True]),
    ("tf.math.nextafter(c(1.), c(2.))", "float32", 1.0),
    ("tf.round(2.5)", "float32", 2.0),
    ("tf.math.nextafter(1, 2)", "float32", 1.0),
    (
        "tf.math.ceil(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.bfloat16))",
        "bfloat16",
        [[-2.0, -1.0, -0.0], [1.0, 2.0, 3.0]],
    ),
    (
        "tf.math.ceil(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float16))",
        "float16",
        [[-2.0, -1.0, -0.0], [1.0, 2.0, 3.0]],
    ),
    (
        "tf.math.ceil(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float32))",
        "float32",
        [[-2.0, -1.0, -0.0], [1.0, 2.0, 3.0]],
    ),
    (
        "tf.math.ceil(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float64))",
        "float64",
        [[-2.0, -1.0, -0.0], [1.0, 2.0, 3.0]],
    ),
    (
        "tf.floor(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.bfloat16))",
        "bfloat16",
        [[-3.0, -1.0, -1.0], [0.0, 1.0, 3.0]],
    ),
    (
        "tf.floor(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float32))",
        "float32",
        [[-3.0, -1.0, -1.0], [0.0, 1.0, 3.0]],
    ),
    (
        "tf.floor(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float64))",
        "float64",
        [[-3.0, -1.0, -1.0], [0.0, 1.0, 3.0]],
    ),
    (
        "tf.round(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.bfloat16))",
        "bfloat16",
        [[-2.0, -1.0, -0.0], [0.0, 2.0, 3.0]],
    ),
    (
        "tf.round(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float16))",
        "float16",
        [[-2.0, -1.0, -0.0], [0.0, 2.0, 3.0]],
    ),
    (
        "tf.round(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float64))",
        "float64",
        [[-2.0, -1.0, -0.0], [0.0, 2.0, 3.0]],
    ),
    ("tf.round(c([[-3, -1, 100], [2, 7, 50]], tf.int8))", "int8", [[-3, -1, 100], [2, 7, 50]]),
    ("tf.round(c([[-3, -1, 100], [2, 7, 50]], tf.int16))", "int16", [[-3, -1, 100], [2, 7, 50]]),
    ("tf.round(c([[-3, -1, 100], [2, 7, 50]], tf.int32))", "int32", [[-3, -1, 100], [2, 7, 50]]),
    (
        "tf.math.rint(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float32))",
        "float32",
        [[-2.0, -1.0, -0.0], [0.0, 2.0, 3.0]],
    ),
    (
        "tf.math.rint(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float64))",
        "float64",
        [[-2.0, -1.0, -0.0], [0.0, 2.0, 3.0]],
    ),
    (
        "tf.math.is_nan(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.bfloat16))",
        "bool",
        [[False, False, False], [False, False, False]],
    ),
    (
        "tf.math.is_nan(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float16))",
        "bool",
        [[False, False, False], [False, False, False]],
    ),
    (
        "tf.math.is_nan(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float32))",
        "bool",
        [[False, False, False], [False, False, False]],
    ),
    (
        "tf.math.is_inf(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.bfloat16))",
        "bool",
        [[False, False, False], [False, False, False]],
    ),
    (
        "tf.math.is_inf(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float16))",
        "bool",
        [[False, False, False], [False, False, False]],
    ),
    (
        "tf.math.is_inf(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float32))",
        "bool",
        [[False, False, False], [False, False, False]],
    ),
    (
        "tf.math.is_inf(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float64))",
        "bool",
        [[False, False, False], [False, False, False]],
    ),
    (
        "tf.math.is_finite(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float16))",
        "bool",
        [[True, True, True], [True, True, True]],
    ),
    (
        "tf.math.is_finite(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float32))",
        "bool",
        [[True, True, True], [True, True, True]],
    ),
    (
        "tf.math.is_finite(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float64))",
        "bool",
        [[True, True, True], [True, True, True]],
    ),
    (
        "tf.math.nextafter(c([[-2.5, -1., -0.25], [0.5, 1.75, 3.]], tf.float32), c([1.5, -2., 0.75], tf.float32))",
        "float32",
        [[-2.5, -1.0, -0.25], [0.5000001, 1.75, 3.0]],
    ),
]

GRADIENTS: list[tuple[str, list[Any]]] = [
    ("grads(tf.math.nextafter, [1., 2.], [2., 2.])", [[1.0, 1.0], [0.0, 0.0]]),
    ("grads(tf.math.ceil, [1., 2.])", [None]),
]

ERRORS = [
    (
        "tf.round(c([True]))",
        "eager",
        "InvalidArgumentError",
        "Value for attr 'T' of bool is not in the list of allowed val",
    ),
    ("tf.round(c([True]))", "function", "TypeError", "Value passed to parameter 'x' has DataType bool not in list"),
    (
        "tf.math.ceil(c([1, 2]))",
        "eager",
        "InvalidArgumentError",
        "Value for attr 'T' of int32 is not in the list of allowed va",
    ),
    (
        "tf.math.ceil(c([1, 2]))",
        "function",
        "TypeError",
        "Value passed to parameter 'x' has DataType int32 not in list",
    ),
    (
        "tf.math.is_nan([1])",
        "eager",
        "InvalidArgumentError",
        "Value for attr 'T' of int32 is not in the list of allowed va",
    ),
    ("tf.math.is_nan([1])", "function", "TypeError", "Value passed to parameter 'x' has DataType int32 not in list"),
    (
        "tf.math.nextafter(c(1., tf.float16), c(2., tf.float16))",
        "eager",
        "InvalidArgumentError",
        "Value for attr 'T' of half is not in the list of allowed val",
    ),
    (
        "tf.math.nextafter(c(1., tf.float16), c(2., tf.float16))",
        "function",
        "TypeError",
        "Value passed to parameter 'x1' has DataType float16 not in l",
    ),
    (
        "tf.math.rint([1])",
        "eager",
        "InvalidArgumentError",
        "Value for attr 'T' of int32 is not in the list of allowed va",
    ),
    ("tf.math.rint([1])", "function", "TypeError", "Value passed to parameter 'x' has DataType int32 not in list"),
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
