"""Segment reductions of ragged tensors."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf
from tests.ops.ragged.answers import R, T, check_everywhere, check_refusal_everywhere, dense, ragged


def rows() -> Any:
    return ragged([[3, 1, 4], [], [1, 5, 9, 2], [6]])


def floats() -> Any:
    return ragged([[3.0, 1, 4], [1.0, 5, 9, 2], [6.0]])


def floats_and_none() -> Any:
    return ragged([[3.0, 1, 4], [], [6.0]])


def deep() -> Any:
    return ragged([[[1, 2], [], [3]], [[4, 5, 6]]])


def pairs() -> Any:
    return ragged([[[1, 2], [3, 4]], [[5, 6]]], ragged_rank=1)


ANSWERS = [
    (lambda: tf.math.unsorted_segment_sum(rows(), [0, 0, 1, 1], 2), R("int32", [[3, 1, 4], [7, 5, 9, 2]], [2, None])),
    (lambda: tf.math.unsorted_segment_sum(rows(), [1, 0, 1, 0], 3), R("int32", [[6], [4, 6, 13, 2], []], [3, None])),
    (lambda: tf.math.unsorted_segment_sum(rows(), ragged([[0, 1, 0], [], [1, 1, 0, 0], [1]]), 2), T("int32", [18, 13])),
    (lambda: tf.math.unsorted_segment_sum(deep(), [0, 0], 2), R("int32", [[[5, 7, 6], [], [3]], []], [2, None, None])),
    (
        lambda: tf.math.unsorted_segment_sum(deep(), ragged([[0, 1, 0], [1]]), 2),
        R("int32", [[4, 2], [4, 5, 6]], [2, None]),
    ),
    (lambda: tf.math.unsorted_segment_sum(deep(), ragged([[[0, 1], [], [0]], [[1, 1, 0]]]), 2), T("int32", [10, 11])),
    (lambda: tf.math.unsorted_segment_sum(pairs(), [1, 1], 2), R("int32", [[], [[6, 8], [3, 4]]], [2, None, 2])),
    (
        lambda: [
            g(floats(), [1, 0, 1], 3)
            for g in (
                tf.math.unsorted_segment_prod,
                tf.math.unsorted_segment_min,
                tf.math.unsorted_segment_max,
                tf.math.unsorted_segment_mean,
                tf.math.unsorted_segment_sqrt_n,
            )
        ],
        [
            R("float32", [[1.0, 5.0, 9.0, 2.0], [18.0, 1.0, 4.0], []], [3, None]),
            R("float32", [[1.0, 5.0, 9.0, 2.0], [3.0, 1.0, 4.0], []], [3, None]),
            R("float32", [[1.0, 5.0, 9.0, 2.0], [6.0, 1.0, 4.0], []], [3, None]),
            R("float32", [[1.0, 5.0, 9.0, 2.0], [4.5, 1.0, 4.0], []], [3, None]),
            R("float32", [[1.0, 5.0, 9.0, 2.0], [6.36396, 1.0, 4.0], []], [3, None]),
        ],
    ),
    (
        lambda: [
            g(floats_and_none(), [0, 0, 0], 2)
            for g in (
                tf.math.unsorted_segment_prod,
                tf.math.unsorted_segment_min,
                tf.math.unsorted_segment_max,
                tf.math.unsorted_segment_mean,
                tf.math.unsorted_segment_sqrt_n,
            )
        ],
        [
            R("float32", [[18.0, 1.0, 4.0], []], [2, None]),
            R("float32", [[3.0, 1.0, 4.0], []], [2, None]),
            R("float32", [[6.0, 1.0, 4.0], []], [2, None]),
            R("float32", [[4.5, 1.0, 4.0], []], [2, None]),
            R("float32", [[6.36396, 1.0, 4.0], []], [2, None]),
        ],
    ),
    (
        lambda: tf.math.unsorted_segment_mean(rows(), [0, 1, 0, 1], 2),
        R("float64", [[2.0, 3.0, 6.5, 2.0], [6.0]], [2, None]),
    ),
    (
        lambda: tf.math.unsorted_segment_sum(rows(), [0, 1, 0, 1], tf.constant(2)),
        R("int32", [[4, 6, 13, 2], [6]], [2, None]),
    ),
]

REFUSED = [
    (
        lambda: tf.math.unsorted_segment_sum(rows(), ragged([[0, 1], [], [1, 1, 0, 0], [1]]), 2),
        tf.errors.InvalidArgumentError,
        "segment_ids.shape must be a prefix of data.shape",
    ),
    (
        lambda: tf.math.unsorted_segment_sum(rows(), [0, 1], 2),
        tf.errors.InvalidArgumentError,
        "data.shape = [4] does not start with segment_ids.shape = [2]",
    ),
    (
        lambda: tf.math.unsorted_segment_sum(rows(), [0, 1, 0, 5], 2),
        tf.errors.InvalidArgumentError,
        "segment_ids[3] = 5 is out of range [0, 2)",
    ),
    (
        lambda: tf.math.unsorted_segment_sum(dense([[1, 2], [3, 4]]), ragged([[0, 1], [1, 1]]), 2),
        ValueError,
        "segment_ids.shape must be a prefix of data.shape, but segment_ids is ragged and data is no",
    ),
    (
        lambda: tf.math.unsorted_segment_sum(rows(), [0.0, 1, 2, 3], 2),
        ValueError,
        "segment_ids must have dtype int32 or int64.",
    ),
]


@pytest.mark.parametrize(("call", "expected"), ANSWERS)
def test_it_answers_as_tensorflow(call: Any, expected: Any) -> None:
    check_everywhere(call, expected)


@pytest.mark.parametrize(("call", "error", "words"), REFUSED)
def test_it_refuses_as_tensorflow(call: Any, error: type[Exception], words: str) -> None:
    check_refusal_everywhere(call, error, words)
