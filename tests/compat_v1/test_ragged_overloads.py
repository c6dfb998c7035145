"""Overloads for ragged tensors of functions of TensorFlow 1."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf
from tests.ops.ragged.answers import R, T, check_everywhere, check_refusal_everywhere, dense, ragged


def rows() -> Any:
    return ragged([[1, 2], [], [3, 4, 5]])


def short_rows() -> Any:
    return ragged([[1, 2], [], [3]])


ANSWERS = [
    (lambda: tf.compat.v1.gather(rows(), [2, 0]), R("int32", [[3, 4, 5], [1, 2]], [2, None])),
    (lambda: tf.compat.v1.gather(rows(), [2, 0], axis=0), R("int32", [[3, 4, 5], [1, 2]], [2, None])),
    (lambda: tf.compat.v1.batch_gather(rows(), ragged([[1, 0], [], [2]])), R("int32", [[2, 1], [], [5]], [3, None])),
    (lambda: tf.compat.v1.batch_gather(rows(), [[0], [0], [0]]), T("int32", [[1], [3], [3]])),
    (lambda: tf.compat.v1.batch_gather(ragged([[1, 2], [5], [3, 4, 5]]), [[0], [0], [0]]), T("int32", [[1], [5], [3]])),
    (
        lambda: tf.compat.v1.batch_gather(dense([[1, 2], [3, 4]]), ragged([[0], [1, 1]])),
        R("int32", [[1], [4, 4]], [2, None]),
    ),
    (lambda: tf.compat.v1.gather_nd(rows(), [[2, 1], [0, 0]]), T("int32", [4, 1])),
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
    (lambda: tf.compat.v1.size(short_rows()), T("int32", 3)),
    (lambda: tf.compat.v1.expand_dims(short_rows(), 1), R("int32", [[[1, 2]], [[]], [[3]]], [3, 1, None])),
    (lambda: tf.compat.v1.expand_dims(short_rows(), dim=1), R("int32", [[[1, 2]], [[]], [[3]]], [3, 1, None])),
    (lambda: tf.compat.v1.expand_dims(short_rows(), axis=0), R("int32", [[[1, 2], [], [3]]], [1, 3, None])),
    (lambda: tf.compat.v1.expand_dims(short_rows(), axis=1, dim=1), R("int32", [[[1, 2]], [[]], [[3]]], [3, 1, None])),
    (lambda: tf.compat.v1.squeeze(ragged([[1, 2]]), [0]), T("int32", [1, 2])),
    (lambda: tf.compat.v1.squeeze(ragged([[1, 2]]), squeeze_dims=[0]), T("int32", [1, 2])),
]

REFUSED = [
    (
        lambda: tf.compat.v1.gather(rows(), ragged([[1, 0], [], [2]]), batch_dims=1),
        ValueError,
        "axis must be greater than or equal to batch_dims",
    ),
    (lambda: tf.compat.v1.batch_gather(rows(), 0), ValueError, "batch_dims=-1 out of bounds: expected 0<=batch_dims<0"),
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
    (lambda: tf.compat.v1.expand_dims(short_rows()), TypeError, "axis must be an int; got NoneType"),
    (lambda: tf.compat.v1.squeeze(ragged([[1, 2]])), ValueError, "Ragged.squeeze must have an axis argument."),
]


@pytest.mark.parametrize(("call", "expected"), ANSWERS)
def test_it_answers_as_tensorflow(call: Any, expected: Any) -> None:
    check_everywhere(call, expected)


@pytest.mark.parametrize(("call", "error", "words"), REFUSED)
def test_it_refuses_as_tensorflow(call: Any, error: type[Exception], words: str) -> None:
    check_refusal_everywhere(call, error, words)
