"""Masks and choices of ragged tensors: tf.ragged.boolean_mask and where."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf
from tests.ops.ragged.answers import R, T, check_everywhere, check_refusal_everywhere, dense, ragged


def rows() -> Any:
    return ragged([[1, 2], [], [3, 4, 5]])


def deep() -> Any:
    return ragged([[[1], [2, 3]], [[4]]])


def pairs() -> Any:
    return ragged([[[1, 2], [3, 4]], [[5, 6]]], ragged_rank=1)


ANSWERS = [
    (lambda: tf.ragged.boolean_mask(dense([1, 2, 3]), [True, False, True]), T("int32", [1, 3])),
    (
        lambda: tf.ragged.boolean_mask(
            dense([[1, 2, 3], [4, 5, 6], [7, 8, 9]]), [[True, False, True], [False, False, False], [True, False, False]]
        ),
        R("int32", [[1, 3], [], [7]], [3, None]),
    ),
    (
        lambda: tf.ragged.boolean_mask(dense([[1, 2, 3], [4, 5, 6], [7, 8, 9]]), [True, False, True]),
        T("int32", [[1, 2, 3], [7, 8, 9]]),
    ),
    (lambda: tf.ragged.boolean_mask(rows(), [True, False, True]), R("int32", [[1, 2], [3, 4, 5]], [2, None])),
    (
        lambda: tf.ragged.boolean_mask(rows(), ragged([[True, False], [], [False, True, True]])),
        R("int32", [[1], [], [4, 5]], [3, None]),
    ),
    (
        lambda: tf.ragged.boolean_mask(deep(), ragged([[[True], [False, True]], [[False]]])),
        R("int32", [[[1], [3]], [[]]], [2, None, None]),
    ),
    (
        lambda: tf.ragged.boolean_mask(deep(), ragged([[True, False], [False]])),
        R("int32", [[[1]], []], [2, None, None]),
    ),
    (lambda: tf.ragged.boolean_mask(deep(), [True, False]), R("int32", [[[1], [2, 3]]], [1, None, None])),
    (
        lambda: tf.ragged.boolean_mask(pairs(), ragged([[True, False], [True]])),
        R("int32", [[[1, 2]], [[5, 6]]], [2, None, 2]),
    ),
    (
        lambda: tf.ragged.boolean_mask(
            pairs(), ragged([[[True, False], [True, True]], [[False, False]]], ragged_rank=1)
        ),
        R("int32", [[[1], [3, 4]], [[]]], [2, None, None]),
    ),
    (
        lambda: tf.ragged.boolean_mask(dense([[1, 2], [4, 5]]), ragged([[True, False], [True, True]])),
        R("int32", [[1], [4, 5]], [2, None]),
    ),
    (
        lambda: tf.ragged.boolean_mask(dense([[[1, 2], [3, 4]], [[5, 6], [7, 8]]]), [[True, False], [True, True]]),
        R("int32", [[[1, 2]], [[5, 6], [7, 8]]], [2, None, 2]),
    ),
    (lambda: tf.ragged.boolean_mask(rows(), [True, False, True], name="b"), R("int32", [[1, 2], [3, 4, 5]], [2, None])),
]

REFUSED = [
    (
        lambda: tf.ragged.boolean_mask(
            ragged([[[1, 2], [3, 4]], [[5, 6]]], ragged_rank=1),
            ragged([[[True, False], [True, True]], [[False, True]]]),
        ),
        ValueError,
        "Inputs must have identical ragged splits",
    ),
    (
        lambda: tf.ragged.boolean_mask(rows(), ragged([[True], [], [False, True, True]])),
        tf.errors.InvalidArgumentError,
        "Inputs must have identical ragged splits",
    ),
    (lambda: tf.ragged.boolean_mask(rows(), [True, False]), ValueError, "Shapes (3,) and (2,) are incompatible"),
    (lambda: tf.ragged.boolean_mask(rows(), True), ValueError, "mask cannot be scalar."),
    (
        lambda: tf.ragged.boolean_mask(rows(), [1, 0, 1]),
        TypeError,
        "Cannot convert [1, 0, 1] to EagerTensor of dtype bool",
    ),
    (
        lambda: tf.ragged.boolean_mask(rows(), ragged([[[True]]])),
        ValueError,
        "Inputs must have identical ragged splits",
    ),
    (
        lambda: tf.ragged.boolean_mask(dense([1, 2]), [[True, False]]),
        ValueError,
        "Shapes (2,) and (1, 2) are incompatible",
    ),
    (lambda: tf.ragged.boolean_mask(5, [True]), ValueError, "Shapes () and (1,) are incompatible"),
]


WHERE_ANSWERS = [
    (
        lambda: tf.where(ragged([[True, False], [True]]), ragged([[1, 2], [3]]), ragged([[4, 5], [6]])),
        R("int32", [[1, 5], [3]], [2, None]),
    ),
    (lambda: tf.where(ragged([[True, False], [True]]), 1, 0), R("int32", [[1, 0], [1]], [2, None])),
    (lambda: tf.where(ragged([[True, False], [True]]), ragged([[1, 2], [3]]), 0), R("int32", [[1, 0], [3]], [2, None])),
    (
        lambda: tf.where(ragged([[True, False], [True]]), dense([[1], [2]]), ragged([[4, 5], [6]])),
        R("int32", [[1, 5], [2]], [2, None]),
    ),
    (lambda: tf.where(ragged([[True, False], [True]])), T("int64", [[0, 0], [1, 0]])),
    (lambda: tf.where(ragged([[[True], [False, True]], [[True]]])), T("int64", [[0, 0, 0], [0, 1, 1], [1, 0, 0]])),
    (
        lambda: tf.where(ragged([[[True, False]], [[True, True]]], ragged_rank=1)),
        T("int64", [[0, 0, 0], [1, 0, 0], [1, 0, 1]]),
    ),
    (
        lambda: tf.where([[True], [False]], ragged([[1, 2], [3]]), ragged([[4, 5], [6]])),
        R("int32", [[1, 2], [6]], [2, None]),
    ),
    (lambda: tf.where(True, ragged([[1, 2], [3]]), ragged([[4, 5], [6]])), R("int32", [[1, 2], [3]], [2, None])),
    (lambda: tf.where(True, ragged([[1, 2], [3]]), 0), R("int32", [[1, 2], [3]], [2, None])),
    (
        lambda: tf.compat.v1.where(ragged([[True, False], [True]]), ragged([[1, 2], [3]]), ragged([[4, 5], [6]])),
        R("int32", [[1, 5], [3]], [2, None]),
    ),
    (
        lambda: tf.compat.v1.where([True, False], ragged([[1, 2], [3]]), ragged([[4, 5], [6]])),
        R("int32", [[1, 2], [6]], [2, None]),
    ),
    (lambda: tf.compat.v1.where(ragged([[True, False], [True]])), T("int64", [[0, 0], [1, 0]])),
    (
        lambda: tf.compat.v1.where([True, False], dense([[1], [2]]), ragged([[4, 5], [6]])),
        R("int32", [[1], [6]], [2, None]),
    ),
]

WHERE_REFUSED = [
    (
        lambda: tf.where([True, False], ragged([[1, 2], [3]]), ragged([[4, 5], [6]])),
        tf.errors.InvalidArgumentError,
        "Unable to broadcast: dimension size mismatch",
    ),
    (
        lambda: tf.where(ragged([[True], [False]]), ragged([[1, 2], [3]]), ragged([[4, 5], [6]])),
        tf.errors.InvalidArgumentError,
        "Unable to broadcast: dimension size mismatch",
    ),
    (
        lambda: tf.where(ragged([[True, False], [True]]), 1),
        ValueError,
        "x and y must be either both None or both non-None",
    ),
    (
        lambda: tf.where(ragged([[1, 0], [1]]), 1, 2),
        tf.errors.InvalidArgumentError,
        "cannot compute SelectV2 as input #0(zero-based) was expected to be a bool tensor but is a ",
    ),
    (
        lambda: tf.where(ragged([[True, False], [True]]), ragged([[1, 2], [3]]), ragged([[4.0, 5], [6]])),
        tf.errors.InvalidArgumentError,
        "cannot compute SelectV2 as input #2(zero-based) was expected to be a int32 tensor but is a",
    ),
    (
        lambda: tf.where(ragged([[True, False], [True]]), ragged([[1, 2], [3]]), ragged([[[4], [5]], [[6]]])),
        tf.errors.InvalidArgumentError,
        "Unable to broadcast: dimension size mismatch",
    ),
    (
        lambda: tf.compat.v1.where([True, False], ragged([[1, 2], [3]]), ragged([[4, 5], [6], [7]])),
        tf.errors.InvalidArgumentError,
        "Inputs to operation Select of type Select must have the same size and shape",
    ),
    (lambda: tf.compat.v1.where(ragged([[True, False], [True]]), 1, 0), ValueError, "Input shapes do not match."),
    (
        lambda: tf.compat.v1.where(ragged([[True, False], [True]]), ragged([[1, 2], [3]]), None),
        ValueError,
        "x and y must be either both None or both non-None",
    ),
    (
        lambda: tf.compat.v1.where(ragged([[True], [True]]), ragged([[1, 2], [3]]), ragged([[4, 5], [6]])),
        ValueError,
        "Input RaggedTensors' flat_values must all have the same outer-dimension size",
    ),
    (
        lambda: tf.compat.v1.where(True, ragged([[1, 2], [3]]), ragged([[4, 5], [6]])),
        ValueError,
        "Shape () must have rank 1",
    ),
]


@pytest.mark.parametrize(("call", "expected"), [*ANSWERS, *WHERE_ANSWERS])
def test_it_answers_as_tensorflow(call: Any, expected: Any) -> None:
    check_everywhere(call, expected)


@pytest.mark.parametrize(("call", "error", "words"), [*REFUSED, *WHERE_REFUSED])
def test_it_refuses_as_tensorflow(call: Any, error: type[Exception], words: str) -> None:
    check_refusal_everywhere(call, error, words)
