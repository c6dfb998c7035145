"""Dimensions of ragged tensors: expand_dims, squeeze, reverse, tile, split, size, rank."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf
from tests.ops.ragged.answers import R, T, check_everywhere, check_refusal_everywhere, dense, ragged


def rows() -> Any:
    return ragged([[1, 2], [], [3]])


def deep() -> Any:
    return ragged([[[1], [2, 3]], [[4]]])


def pairs() -> Any:
    return ragged([[[1, 2], [3, 4]], [[5, 6]]], ragged_rank=1)


def uniform() -> Any:
    return tf.RaggedTensor.from_uniform_row_length(ragged([[1], [2, 3], [4], []]), 2)


ANSWERS = [
    (lambda: tf.size(rows()), T("int32", 3)),
    (lambda: tf.size(pairs()), T("int32", 6)),
    (lambda: tf.size(rows(), out_type=tf.int64), T("int64", 3)),
    (lambda: tf.compat.v1.size(rows()), T("int32", 3)),
    (lambda: tf.rank(rows()), T("int32", 2)),
    (lambda: tf.rank(pairs()), T("int32", 3)),
    (
        lambda: [tf.expand_dims(rows(), a) for a in (0, 1, 2, -1, -2, -3)],
        [
            R("int32", [[[1, 2], [], [3]]], [1, 3, None]),
            R("int32", [[[1, 2]], [[]], [[3]]], [3, 1, None]),
            R("int32", [[[1], [2]], [], [[3]]], [3, None, 1]),
            R("int32", [[[1], [2]], [], [[3]]], [3, None, 1]),
            R("int32", [[[1, 2]], [[]], [[3]]], [3, 1, None]),
            R("int32", [[[1, 2], [], [3]]], [1, 3, None]),
        ],
    ),
    (
        lambda: [tf.expand_dims(deep(), a) for a in (0, 1, 2, 3, -1)],
        [
            R("int32", [[[[1], [2, 3]], [[4]]]], [1, 2, None, None]),
            R("int32", [[[[1], [2, 3]]], [[[4]]]], [2, 1, None, None]),
            R("int32", [[[[1]], [[2, 3]]], [[[4]]]], [2, None, 1, None]),
            R("int32", [[[[1]], [[2], [3]]], [[[4]]]], [2, None, None, 1]),
            R("int32", [[[[1]], [[2], [3]]], [[[4]]]], [2, None, None, 1]),
        ],
    ),
    (
        lambda: [tf.expand_dims(pairs(), a) for a in (0, 1, 2, 3)],
        [
            R("int32", [[[[1, 2], [3, 4]], [[5, 6]]]], [1, 2, None, 2]),
            R("int32", [[[[1, 2], [3, 4]]], [[[5, 6]]]], [2, 1, None, 2]),
            R("int32", [[[[1, 2]], [[3, 4]]], [[[5, 6]]]], [2, None, 1, 2]),
            R("int32", [[[[1], [2]], [[3], [4]]], [[[5], [6]]]], [2, None, 2, 1]),
        ],
    ),
    (
        lambda: [tf.expand_dims(uniform(), a) for a in (0, 1, 2, 3)],
        [
            R("int32", [[[[1], [2, 3]], [[4], []]]], [1, 2, 2, None]),
            R("int32", [[[[1], [2, 3]]], [[[4], []]]], [2, 1, 2, None]),
            R("int32", [[[[1]], [[2, 3]]], [[[4]], [[]]]], [2, 2, 1, None]),
            R("int32", [[[[1]], [[2], [3]]], [[[4]], []]], [2, 2, None, 1]),
        ],
    ),
    (lambda: tf.expand_dims(rows(), axis=1, name="x"), R("int32", [[[1, 2]], [[]], [[3]]], [3, 1, None])),
    (lambda: tf.compat.v1.expand_dims(rows(), 1), R("int32", [[[1, 2]], [[]], [[3]]], [3, 1, None])),
    (lambda: tf.compat.v1.expand_dims(rows(), dim=1), R("int32", [[[1, 2]], [[]], [[3]]], [3, 1, None])),
    (lambda: tf.compat.v1.expand_dims(rows(), axis=0), R("int32", [[[1, 2], [], [3]]], [1, 3, None])),
    (lambda: tf.compat.v1.expand_dims(rows(), axis=1, dim=1), R("int32", [[[1, 2]], [[]], [[3]]], [3, 1, None])),
    (lambda: tf.squeeze(ragged([[1, 2]]), 0), T("int32", [1, 2])),
    (lambda: tf.squeeze(ragged([[[1], [2]], [[3]]]), 2), R("int32", [[1, 2], [3]], [2, None])),
    (lambda: tf.squeeze(ragged([[[1], [2]], [[3]]], ragged_rank=1), 2), R("int32", [[1, 2], [3]], [2, None])),
    (lambda: tf.squeeze(ragged([[[1], [2]], [[3]]], ragged_rank=1), -1), R("int32", [[1, 2], [3]], [2, None])),
    (lambda: tf.squeeze(ragged([[[1, 2]], [[3]]]), 1), R("int32", [[1, 2], [3]], [2, None])),
    (lambda: tf.squeeze(ragged([[[1, 2]]]), [0, 1]), T("int32", [1, 2])),
    (lambda: tf.squeeze(ragged([[[1, 2]]]), [0]), R("int32", [[1, 2]], [1, None])),
    (lambda: tf.squeeze(ragged([[[1, 2]]]), []), R("int32", [[[1, 2]]], [1, None, None])),
    (
        lambda: tf.squeeze(ragged([[[[1]], [[2]]], [[[3]]]], ragged_rank=1), [2, 3]),
        R("int32", [[1, 2], [3]], [2, None]),
    ),
    (lambda: tf.squeeze(ragged([[[1], [2]]], ragged_rank=1), [0, 2]), T("int32", [1, 2])),
    (lambda: tf.squeeze(ragged([[1, 2]]), axis=[0, 0]), T("int32", [1, 2])),
    (
        lambda: tf.squeeze(tf.RaggedTensor.from_uniform_row_length(ragged([[1], [2, 3]]), 1), 1),
        R("int32", [[1], [2, 3]], [2, None]),
    ),
    (
        lambda: tf.squeeze(tf.RaggedTensor.from_uniform_row_length(ragged([[1], [2, 3]]), 2), 0),
        R("int32", [[1], [2, 3]], [2, None]),
    ),
    (lambda: tf.compat.v1.squeeze(ragged([[1, 2]]), [0]), T("int32", [1, 2])),
    (lambda: tf.compat.v1.squeeze(ragged([[1, 2]]), squeeze_dims=[0]), T("int32", [1, 2])),
    (lambda: tf.reverse(rows(), [0]), R("int32", [[3], [], [1, 2]], [3, None])),
    (lambda: tf.reverse(rows(), [1]), R("int32", [[2, 1], [], [3]], [3, None])),
    (lambda: tf.reverse(rows(), [0, 1]), R("int32", [[3], [], [2, 1]], [3, None])),
    (lambda: tf.reverse(rows(), [-1]), R("int32", [[2, 1], [], [3]], [3, None])),
    (lambda: tf.reverse(deep(), [1]), R("int32", [[[2, 3], [1]], [[4]]], [2, None, None])),
    (lambda: tf.reverse(deep(), [0, 1, 2]), R("int32", [[[4]], [[3, 2], [1]]], [2, None, None])),
    (lambda: tf.reverse(deep(), [2]), R("int32", [[[1], [3, 2]], [[4]]], [2, None, None])),
    (lambda: tf.reverse(pairs(), [2]), R("int32", [[[2, 1], [4, 3]], [[6, 5]]], [2, None, 2])),
    (lambda: tf.reverse(pairs(), [1, 2]), R("int32", [[[4, 3], [2, 1]], [[6, 5]]], [2, None, 2])),
    (lambda: tf.reverse(rows(), []), R("int32", [[1, 2], [], [3]], [3, None])),
    (lambda: tf.reverse(rows(), [0, 0]), R("int32", [[3], [], [1, 2]], [3, None])),
    (lambda: tf.tile(rows(), [1, 2]), R("int32", [[1, 2, 1, 2], [], [3, 3]], [3, None])),
    (lambda: tf.tile(rows(), [2, 1]), R("int32", [[1, 2], [], [3], [1, 2], [], [3]], [6, None])),
    (lambda: tf.tile(rows(), [2, 2]), R("int32", [[1, 2, 1, 2], [], [3, 3], [1, 2, 1, 2], [], [3, 3]], [6, None])),
    (lambda: tf.tile(rows(), [0, 1]), R("int32", [], [0, None])),
    (lambda: tf.tile(rows(), [1, 0]), R("int32", [[], [], []], [3, None])),
    (lambda: tf.tile(rows(), [1, 1]), R("int32", [[1, 2], [], [3]], [3, None])),
    (lambda: tf.tile(deep(), [1, 2, 1]), R("int32", [[[1], [2, 3], [1], [2, 3]], [[4], [4]]], [2, None, None])),
    (
        lambda: tf.tile(deep(), [2, 1, 3]),
        R(
            "int32",
            [[[1, 1, 1], [2, 3, 2, 3, 2, 3]], [[4, 4, 4]], [[1, 1, 1], [2, 3, 2, 3, 2, 3]], [[4, 4, 4]]],
            [4, None, None],
        ),
    ),
    (lambda: tf.tile(deep(), [1, 1, 2]), R("int32", [[[1, 1], [2, 3, 2, 3]], [[4, 4]]], [2, None, None])),
    (
        lambda: tf.tile(pairs(), [1, 2, 1]),
        R("int32", [[[1, 2], [3, 4], [1, 2], [3, 4]], [[5, 6], [5, 6]]], [2, None, 2]),
    ),
    (lambda: tf.tile(pairs(), [1, 1, 2]), R("int32", [[[1, 2, 1, 2], [3, 4, 3, 4]], [[5, 6, 5, 6]]], [2, None, 4])),
    (
        lambda: tf.tile(pairs(), [2, 1, 1]),
        R("int32", [[[1, 2], [3, 4]], [[5, 6]], [[1, 2], [3, 4]], [[5, 6]]], [4, None, 2]),
    ),
    (lambda: tf.tile(rows(), dense([1, 2])), R("int32", [[1, 2, 1, 2], [], [3, 3]], [3, None])),
    (lambda: tf.tile(rows(), dense([1, 2], tf.int64)), R("int32", [[1, 2, 1, 2], [], [3, 3]], [3, None])),
    (
        lambda: tf.tile(uniform(), [1, 2, 1]),
        R("int32", [[[1], [2, 3], [1], [2, 3]], [[4], [], [4], []]], [2, None, None]),
    ),
    (
        lambda: tf.split(rows(), 3),
        [R("int32", [[1, 2]], [1, None]), R("int32", [[]], [1, None]), R("int32", [[3]], [1, None])],
    ),
    (lambda: tf.split(rows(), [1, 2]), [R("int32", [[1, 2]], [1, None]), R("int32", [[], [3]], [2, None])]),
    (lambda: tf.split(rows(), 1), [R("int32", [[1, 2], [], [3]], [3, None])]),
    (
        lambda: tf.split(rows(), 3, axis=0, num=3),
        [R("int32", [[1, 2]], [1, None]), R("int32", [[]], [1, None]), R("int32", [[3]], [1, None])],
    ),
    (lambda: tf.split(rows(), 1, axis=1), [R("int32", [[1, 2], [], [3]], [3, None])]),
    (
        lambda: tf.split(pairs(), 2, axis=2),
        [R("int32", [[[1], [3]], [[5]]], [2, None, 1]), R("int32", [[[2], [4]], [[6]]], [2, None, 1])],
    ),
    (
        lambda: tf.split(pairs(), [1, 1], axis=2),
        [R("int32", [[[1], [3]], [[5]]], [2, None, 1]), R("int32", [[[2], [4]], [[6]]], [2, None, 1])],
    ),
    (
        lambda: tf.split(pairs(), 2, axis=-1),
        [R("int32", [[[1], [3]], [[5]]], [2, None, 1]), R("int32", [[[2], [4]], [[6]]], [2, None, 1])],
    ),
    (
        lambda: tf.split(uniform(), 2, axis=1),
        [R("int32", [[[1]], [[4]]], [2, 1, None]), R("int32", [[[2, 3]], [[]]], [2, 1, None])],
    ),
    (
        lambda: tf.split(rows(), tf.constant([1, 2])),
        [R("int32", [[1, 2]], [1, None]), R("int32", [[], [3]], [2, None])],
    ),
]

REFUSED = [
    (lambda: tf.expand_dims(rows(), 3), ValueError, "axis=3 out of bounds: expected -3<=axis<3"),
    (lambda: tf.expand_dims(rows(), -4), ValueError, "axis=-4 out of bounds: expected -3<=axis<3"),
    (lambda: tf.expand_dims(rows(), tf.constant(1)), TypeError, "axis must be an int; got EagerTensor"),
    (lambda: tf.expand_dims(rows(), None), TypeError, "axis must be an int; got NoneType"),
    (lambda: tf.compat.v1.expand_dims(rows()), TypeError, "axis must be an int; got NoneType"),
    (lambda: tf.squeeze(ragged([[1, 2]])), ValueError, "Ragged.squeeze must have an axis argument."),
    (
        lambda: tf.squeeze(rows(), 0),
        tf.errors.InvalidArgumentError,
        "Expected 'tf.Tensor(False, shape=(), dtype=bool)' to be true. Summarized data: b'the given",
    ),
    (
        lambda: tf.squeeze(rows(), 1),
        tf.errors.InvalidArgumentError,
        "Expected 'tf.Tensor(False, shape=(), dtype=bool)' to be true. Summarized data: b'the given",
    ),
    (lambda: tf.squeeze(rows(), 2), ValueError, "axis[0]=2 out of bounds: expected -2<=axis[0]<2"),
    (lambda: tf.squeeze(rows(), -3), ValueError, "axis[0]=-3 out of bounds: expected -2<=axis[0]<2"),
    (
        lambda: tf.squeeze(tf.RaggedTensor.from_uniform_row_length(ragged([[1], [2, 3]]), 2), 1),
        tf.errors.InvalidArgumentError,
        "Expected 'tf.Tensor(False, shape=(), dtype=bool)' to be true. Summarized data: b'the given",
    ),
    (lambda: tf.squeeze(rows(), "a"), TypeError, "Axis must be a list or tuple of integers."),
    (lambda: tf.squeeze(ragged([[1, 2]]), tf.constant(0)), TypeError, "Axis must be a list or tuple of integers."),
    (lambda: tf.compat.v1.squeeze(ragged([[1, 2]])), ValueError, "Ragged.squeeze must have an axis argument."),
    (lambda: tf.reverse(rows(), [2]), ValueError, "axis[0]=2 out of bounds: expected -2<=axis[0]<2"),
    (lambda: tf.tile(rows(), 2), ValueError, "Shape () must have rank 1"),
    (lambda: tf.tile(rows(), [-1, 1]), tf.errors.InvalidArgumentError, "Expected multiples[0] >= 0, but got -1"),
    (lambda: tf.tile(rows(), [1.0, 2.0]), TypeError, "Argument `tensor` (name: multiples) must be of type integer."),
    (lambda: tf.split(rows(), [1, -1]), tf.errors.InvalidArgumentError, "`num_or_size_splits` must be non-negative."),
    (
        lambda: tf.split(rows(), 2),
        tf.errors.InvalidArgumentError,
        "Cannot exactly split the `axis` dimension of `value` with the given `num_or_size_split`.",
    ),
    (lambda: tf.split(rows(), [1, 2], num=3), ValueError, "`num` does not match the size of `num_or_size_split`."),
    (
        lambda: tf.split(rows(), [1, 1]),
        tf.errors.InvalidArgumentError,
        "Cannot exactly split the `axis` dimension of `value` with the given `num_or_size_split`.",
    ),
    (
        lambda: tf.split(rows(), [2, 2]),
        tf.errors.InvalidArgumentError,
        "Cannot exactly split the `axis` dimension of `value` with the given `num_or_size_split`.",
    ),
    (lambda: tf.split(ragged([[1, 2], [3, 4]]), 2, axis=1), ValueError, "Cannot split a ragged dimension."),
    (lambda: tf.split(rows(), [1, 1], axis=1), ValueError, "Cannot split a ragged dimension."),
    (lambda: tf.split(rows(), 0), ValueError, "`num_or_size_splits` must be >=1 if it is an `int`.Received 0."),
    (lambda: tf.split(rows(), -1), ValueError, "`num_or_size_splits` must be >=1 if it is an `int`.Received -1."),
    (
        lambda: tf.split(rows(), 1.5),
        TypeError,
        "`num_or_size_splits` must be an `int` or 1-D list or `Tensor` of integers.",
    ),
    (
        lambda: tf.split(rows(), dense(3)),
        TypeError,
        "`num_or_size_splits` must be an `int` or 1-D list or `Tensor`. Received 3.",
    ),
    (
        lambda: tf.split(rows(), [[1, 2]]),
        TypeError,
        "`num_or_size_splits` must be an `int` or 1-D list or `Tensor`. Received [[1, 2]].",
    ),
    (lambda: tf.split(rows(), [-1, -1]), tf.errors.InvalidArgumentError, "`num_or_size_splits` must be non-negative."),
    (lambda: tf.split(rows(), [-2, 1]), tf.errors.InvalidArgumentError, "`num_or_size_splits` must be non-negative."),
    (lambda: tf.split(rows(), 3, axis=2), ValueError, "axis=2 out of bounds: expected -2<=axis<2"),
    (lambda: tf.split(rows(), 3, axis=-3), ValueError, "axis=-3 out of bounds: expected -2<=axis<2"),
    (lambda: tf.split(rows(), 3, axis=dense(0)), TypeError, "axis must be an int; got EagerTensor"),
]


@pytest.mark.parametrize(("call", "expected"), ANSWERS)
def test_it_answers_as_tensorflow(call: Any, expected: Any) -> None:
    check_everywhere(call, expected)


@pytest.mark.parametrize(("call", "error", "words"), REFUSED)
def test_it_refuses_as_tensorflow(call: Any, error: type[Exception], words: str) -> None:
    check_refusal_everywhere(call, error, words)
