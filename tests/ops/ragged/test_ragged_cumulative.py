"""Cumulative sums of ragged tensors."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf
from tests.ops.ragged.answers import R, check_everywhere, check_refusal_everywhere, ragged


def rows() -> Any:
    return ragged([[3, 1, 4], [], [1, 5, 9, 2], [6]])


def deep() -> Any:
    return ragged([[[1, 2], [], [3]], [[4, 5, 6]]])


def pairs() -> Any:
    return ragged([[[1, 2], [3, 4]], [[5, 6]]], ragged_rank=1)


ANSWERS = [
    (lambda: tf.math.cumsum(rows(), axis=1), R("int32", [[3, 4, 8], [], [1, 6, 15, 17], [6]], [4, None])),
    (lambda: tf.math.cumsum(rows(), axis=-1), R("int32", [[3, 4, 8], [], [1, 6, 15, 17], [6]], [4, None])),
    (
        lambda: tf.math.cumsum(rows(), axis=-1, exclusive=True),
        R("int32", [[0, 3, 4], [], [0, 1, 6, 15], [0]], [4, None]),
    ),
    (
        lambda: tf.math.cumsum(rows(), axis=1, reverse=True),
        R("int32", [[8, 5, 4], [], [17, 16, 11, 2], [6]], [4, None]),
    ),
    (
        lambda: tf.math.cumsum(rows(), axis=1, exclusive=True, reverse=True),
        R("int32", [[5, 4, 0], [], [16, 11, 2, 0], [0]], [4, None]),
    ),
    (lambda: tf.math.cumsum(rows(), axis=0), R("int32", [[3, 1, 4], [], [4, 6, 13, 2], [10]], [4, None])),
    (lambda: tf.math.cumsum(rows()), R("int32", [[3, 1, 4], [], [4, 6, 13, 2], [10]], [4, None])),
    (lambda: tf.math.cumsum(deep(), axis=2), R("int32", [[[1, 3], [], [3]], [[4, 9, 15]]], [2, None, None])),
    (lambda: tf.math.cumsum(deep(), axis=1), R("int32", [[[1, 2], [], [4]], [[4, 5, 6]]], [2, None, None])),
    (lambda: tf.math.cumsum(pairs(), axis=2), R("int32", [[[1, 3], [3, 7]], [[5, 11]]], [2, None, 2])),
    (lambda: tf.math.cumsum(pairs(), axis=1), R("int32", [[[1, 2], [4, 6]], [[5, 6]]], [2, None, 2])),
    (lambda: tf.math.cumsum(pairs(), axis=0), R("int32", [[[1, 2], [3, 4]], [[6, 8]]], [2, None, 2])),
]

REFUSED = [
    (lambda: tf.math.cumsum(rows(), axis=2), ValueError, "axis=2 out of bounds: expected -2<=axis<2"),
]


@pytest.mark.parametrize(("call", "expected"), ANSWERS)
def test_it_answers_as_tensorflow(call: Any, expected: Any) -> None:
    check_everywhere(call, expected)


@pytest.mark.parametrize(("call", "error", "words"), REFUSED)
def test_it_refuses_as_tensorflow(call: Any, error: type[Exception], words: str) -> None:
    check_refusal_everywhere(call, error, words)
