"""Logic on booleans."""

from __future__ import annotations

from typing import Any

import pytest

from tests.ops.math.recorded import MODES, check_error, check_value
from tests.ops.math.samples import binary, unary

SAMPLES = [
    *(s for op in ("LogicalAnd", "LogicalOr") for s in binary(op, ("bool",) * 4)),
    *unary("LogicalNot", ("bool",) * 3),
]

# What TensorFlow 2.21 answers.
ANSWERS: list[tuple[str, str, Any]] = [
    ("tf.logical_and(True, [True, False])", "bool", [True, False]),
    ("tf.math.logical_xor([True, False], [True, True])", "bool", [False, True]),
    ("c(1)&c(3)", "int32", 1),
]

ERRORS = [
    (
        "tf.logical_and(c(1), c(True))",
        "eager",
        "InvalidArgumentError",
        "cannot compute LogicalAnd as input #0(zero-based) was expect",
    ),
    (
        "tf.logical_and(c(1), c(True))",
        "function",
        "TypeError",
        "Input 'x' of 'LogicalAnd' Op has type int32 that does not ma",
    ),
    ("tf.logical_not(1)", "eager", "TypeError", "Cannot convert 1 to EagerTensor of dtype bool"),
    ("c(True)&c(1)", "eager", "InvalidArgumentError", "cannot compute LogicalAnd as input #1(zero-based) was expect"),
    ("c(True)&c(1)", "function", "TypeError", "Input 'y' of 'LogicalAnd' Op has type int32 that does not ma"),
    ("c(1.)&c(1.)", "eager", "InvalidArgumentError", "Value for attr 'T' of float is not in the list of allowed va"),
    ("c(1.)&c(1.)", "function", "TypeError", "Value passed to parameter 'x' has DataType float32 not in li"),
    ("tf.logical_and(True, 1)", "eager", "TypeError", "Cannot convert 1 to EagerTensor of dtype bool"),
    (
        "tf.logical_or([True], None)",
        "eager",
        "ValueError",
        "Attempt to convert a value (None) with an unsupported type (",
    ),
    (
        "c([1, 2])&c([True, False])",
        "eager",
        "InvalidArgumentError",
        "cannot compute BitwiseAnd as input #1(zero-based) was expect",
    ),
    (
        "c([1, 2])&c([True, False])",
        "function",
        "TypeError",
        "Input 'y' of 'BitwiseAnd' Op has type bool that does not mat",
    ),
]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("program", "dtype", "expected"), ANSWERS, ids=str)
def test_values_are_those_of_tensorflow(program: str, dtype: str, expected: Any, mode: str) -> None:
    check_value(program, mode, dtype, expected)


@pytest.mark.parametrize(("program", "mode", "kind", "message"), ERRORS, ids=str)
def test_wrong_input_gives_tensorflows_error(program: str, mode: str, kind: str, message: str) -> None:
    check_error(program, mode, kind, message)
