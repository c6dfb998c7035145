"""Products of stacks of ragged matrices."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf
from tests.ops.ragged.answers import R, T, check_everywhere, check_refusal_everywhere, dense, ragged


def rows() -> Any:
    return ragged([[1, 2], [], [3]])


ANSWERS = [
    (
        lambda: tf.linalg.matmul(ragged([[1.0, 2], [3, 4]]), dense([[1.0, 2], [3, 4]])),
        T("float32", [[7.0, 10.0], [15.0, 22.0]]),
    ),
    (
        lambda: tf.linalg.matmul(ragged([[1.0, 2], [3, 4], [5, 6]], ragged_rank=1), [[1.0, 2], [3, 4]]),
        T("float32", [[7.0, 10.0], [15.0, 22.0], [23.0, 34.0]]),
    ),
    (
        lambda: tf.matmul(
            ragged([[[1.0, 2], [3, 4]], [[5, 6]]], ragged_rank=1), dense([[[1.0, 2], [3, 4]], [[1.0, 2], [3, 4]]])
        ),
        R("float32", [[[7.0, 10.0], [15.0, 22.0]], [[23.0, 34.0]]], [2, None, 2]),
    ),
    (
        lambda: tf.matmul(ragged([[[1.0, 2], [3, 4]], [[5, 6]]]), ragged([[[1.0, 2], [3, 4]], [[5.0], [6]]])),
        R("float32", [[[7.0, 10.0], [15.0, 22.0]], [[61.0]]], [2, None, None]),
    ),
    (
        lambda: tf.matmul(
            ragged([[[1.0, 2], [3, 4]], [[5, 6]]]), ragged([[[1.0, 2], [3, 4]], [[5.0, 6]]]), transpose_b=True
        ),
        R("float32", [[[5.0, 11.0], [11.0, 25.0]], [[61.0]]], [2, None, None]),
    ),
    (
        lambda: tf.matmul(
            ragged([[[1.0, 2], [3, 4]], [[5, 6]]]), ragged([[[1.0, 2], [3, 4]], [[5.0, 6]]]), transpose_a=True
        ),
        R("float32", [[[10.0, 14.0], [14.0, 20.0]], [[25.0, 30.0], [30.0, 36.0]]], [2, None, None]),
    ),
    (
        lambda: tf.matmul(
            ragged([[[1.0, 2], [3, 4]], [[5, 6]]], ragged_rank=1),
            ragged([[[1.0, 2], [3, 4]], [[5.0, 6]]], ragged_rank=1),
            transpose_a=True,
        ),
        R("float32", [[[10.0, 14.0], [14.0, 20.0]], [[25.0, 30.0], [30.0, 36.0]]], [2, 2, 2]),
    ),
    (
        lambda: tf.matmul(dense([[[1.0, 2], [3, 4]]]), ragged([[[1.0, 2], [3, 4]]])),
        R("float32", [[[7.0, 10.0], [15.0, 22.0]]], [1, 2, None]),
    ),
    (
        lambda: tf.matmul(ragged([[[[1.0, 2], [3, 4]]], [[[5, 6]]]]), ragged([[[[1.0], [2]]], [[[3.0], [4]]]])),
        R("float32", [[[[5.0], [11.0]]], [[[39.0]]]], [2, None, None, None]),
    ),
    (
        lambda: tf.matmul(ragged([[[1, 2], [3, 4]], [[5, 6]]]), ragged([[[1, 2], [3, 4]], [[5], [6]]])),
        R("int32", [[[7, 10], [15, 22]], [[61]]], [2, None, None]),
    ),
    (
        lambda: tf.matmul(
            ragged([[[1.0, 2], [3, 4]], [[5, 6]]]), ragged([[[1.0, 2], [3, 4]], [[5.0], [6]]]), a_is_sparse=True
        ),
        R("float32", [[[7.0, 10.0], [15.0, 22.0]], [[61.0]]], [2, None, None]),
    ),
    (
        lambda: tf.matmul(
            ragged([[[1.0, 2], [3, 4]], [[5, 6]]]), ragged([[[1.0, 2], [3, 4]], [[5.0], [6]]]), output_type=tf.float32
        ),
        R("float32", [[[7.0, 10.0], [15.0, 22.0]], [[61.0]]], [2, None, None]),
    ),
]

REFUSED = [
    (
        lambda: tf.matmul(ragged([[[1.0, 2], [3, 4]], [[5, 6]]], ragged_rank=1), dense([[1.0, 2], [3, 4]])),
        ValueError,
        "`a` and `b` must have the same rank.",
    ),
    (
        lambda: tf.matmul(ragged([[1.0, 2], [3]]), dense([[1.0, 2], [3, 4]])),
        tf.errors.InvalidArgumentError,
        "The matrices in `a` and `b` may not be ragged in their innermost dimension.",
    ),
    (
        lambda: tf.matmul(ragged([[[1.0, 2], [3, 4]], [[5, 6]]]), dense([1.0, 2])),
        ValueError,
        "`a` and `b` must have the same rank.",
    ),
    (
        lambda: tf.matmul(ragged([[[1.0, 2], [3, 4]], [[5, 6]]]), dense([[1, 2], [3, 4]])),
        ValueError,
        "`a` and `b` must have the same dtype.",
    ),
    (
        lambda: tf.matmul(ragged([[[1.0, 2], [3, 4]], [[5, 6]]]), ragged([[1.0]])),
        ValueError,
        "`a` and `b` must have the same rank.",
    ),
    (
        lambda: tf.matmul(rows(), rows()),
        tf.errors.InvalidArgumentError,
        "The matrices in `a` and `b` may not be ragged in their innermost dimension.",
    ),
    (
        lambda: tf.matmul(
            ragged([[[1.0, 2], [3, 4]], [[5, 6]]]),
            ragged([[[1.0, 2], [3, 4]], [[5.0], [6]]]),
            transpose_a=True,
            adjoint_a=True,
        ),
        ValueError,
        "Only one of transpose_a and adjoint_a can be True.",
    ),
]


@pytest.mark.parametrize(("call", "expected"), ANSWERS)
def test_it_answers_as_tensorflow(call: Any, expected: Any) -> None:
    check_everywhere(call, expected)


@pytest.mark.parametrize(("call", "error", "words"), REFUSED)
def test_it_refuses_as_tensorflow(call: Any, error: type[Exception], words: str) -> None:
    check_refusal_everywhere(call, error, words)
