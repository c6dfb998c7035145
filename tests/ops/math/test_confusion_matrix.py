"""The confusion matrix."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf
from tests.ops.math.recorded import MODES, check_error, check_value

# What TensorFlow 2.21 answers.
ANSWERS: list[tuple[str, str, Any]] = [
    ("tf.math.confusion_matrix([[1], [2]], [2, 2])", "int32", [[0, 0, 0], [0, 0, 1], [0, 0, 1]]),
    ("tf.math.confusion_matrix([1, 2], [2, 2], weights=[1., 2.])", "int32", [[0, 0, 0], [0, 0, 1], [0, 0, 2]]),
    ("tf.math.confusion_matrix([], [], num_classes=2)", "int32", [[0, 0], [0, 0]]),
]

ERRORS = [
    (
        "tf.math.confusion_matrix([1, 2, 4], [2, 2, 4], num_classes=3)",
        "eager",
        "InvalidArgumentError",
        "`labels` out of bound",
    ),
    (
        "tf.math.confusion_matrix([1, -2, 4], [2, 2, 4])",
        "eager",
        "InvalidArgumentError",
        "`labels` contains negative values.",
    ),
    (
        "tf.math.confusion_matrix([1, 2], [2, 2, 4])",
        "eager",
        "InvalidArgumentError",
        "Shapes of all inputs must match: values[0].shape = [2] != va",
    ),
    (
        "tf.math.confusion_matrix([1, 2], [2, 2], weights=[1., 2., 3.], dtype=tf.float32)",
        "eager",
        "ValueError",
        "Shapes (2,) and (3,) are incompatible",
    ),
    (
        "tf.math.confusion_matrix([], [])",
        "eager",
        "InvalidArgumentError",
        "Dimension -9223372036854775807 must be >= 0",
    ),
    ("tf.math.confusion_matrix(1, 1)", "eager", "ValueError", "Argument `axis` = 1 not in range [-1, 1)"),
    ("tf.math.confusion_matrix(1, 1)", "function", "ValueError", "Argument `axis` = 1 not in range [-1, 1)"),
]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("program", "dtype", "expected"), ANSWERS, ids=str)
def test_values_are_those_of_tensorflow(program: str, dtype: str, expected: Any, mode: str) -> None:
    check_value(program, mode, dtype, expected)


@pytest.mark.parametrize(("program", "mode", "kind", "message"), ERRORS, ids=str)
def test_wrong_input_gives_tensorflows_error(program: str, mode: str, kind: str, message: str) -> None:
    check_error(program, mode, kind, message)


def test_arguments_of_version_1_have_their_old_order() -> None:
    assert tf.compat.v1.confusion_matrix([1, 0], [1, 1], 2, tf.int64).dtype is tf.int64
