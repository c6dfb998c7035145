"""Functions that take ragged shapes: broadcast_to, broadcast_dynamic_shape, fill, zeros, ones, reshape."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf
from tests.ops.ragged.answers import R, T, check_everywhere, check_refusal_everywhere, dense, ragged

_Shape = tf.experimental.DynamicRaggedShape


def rows() -> Any:
    return ragged([[1, 2], [], [3]])


def deep() -> Any:
    return ragged([[[1], [2, 3]], [[4]]])


def pairs() -> Any:
    return ragged([[[1, 2], [3, 4]], [[5, 6]]], ragged_rank=1)


ANSWERS = [
    (
        lambda: tf.broadcast_to(dense([[10], [20], [30]]), _Shape.from_tensor(rows())),
        R("int32", [[10, 10], [], [30]], [3, None]),
    ),
    (
        lambda: tf.broadcast_to(dense([10]), _Shape.from_tensor(rows())),
        R("int32", [[10, 10], [], [10]], [3, None]),
    ),
    (
        lambda: tf.broadcast_to(10, _Shape.from_tensor(rows())),
        R("int32", [[10, 10], [], [10]], [3, None]),
    ),
    (
        lambda: tf.broadcast_to(rows(), _Shape.from_tensor(rows())),
        R("int32", [[1, 2], [], [3]], [3, None]),
    ),
    (
        lambda: tf.broadcast_to(dense([[[10]], [[20]]]), _Shape.from_tensor(deep())),
        R("int32", [[[10], [10, 10]], [[20]]], [2, None, None]),
    ),
    (
        lambda: tf.broadcast_to(dense([[1, 2]]), _Shape.from_lengths([2, 2])),
        T("int32", [[1, 2], [1, 2]]),
    ),
    (
        lambda: tf.zeros(_Shape.from_tensor(rows())),
        R("float32", [[0.0, 0.0], [], [0.0]], [3, None]),
    ),
    (
        lambda: tf.ones(_Shape.from_tensor(rows()), tf.int32),
        R("int32", [[1, 1], [], [1]], [3, None]),
    ),
    (
        lambda: tf.ones(_Shape.from_tensor(pairs())),
        R("float32", [[[1.0, 1.0], [1.0, 1.0]], [[1.0, 1.0]]], [2, None, 2]),
    ),
    (
        lambda: tf.fill(_Shape.from_tensor(rows()), 7),
        R("int32", [[7, 7], [], [7]], [3, None]),
    ),
    (
        lambda: tf.fill(_Shape.from_tensor(rows()), "x"),
        R("string", [[b"x", b"x"], [], [b"x"]], [3, None]),
    ),
    (lambda: tf.fill(_Shape.from_tensor(dense([[1, 2]])), 7), T("int32", [[7, 7]])),
    (
        lambda: tf.fill(_Shape.from_tensor(rows()), [7]),
        R("int32", [[7, 7], [], [7]], [3, None]),
    ),
    (
        lambda: tf.zeros(_Shape.from_lengths([2, (1, 2)]), name="z"),
        R("float32", [[0.0], [0.0, 0.0]], [2, None]),
    ),
    (
        lambda: tf.reshape(dense([1, 2, 3]), _Shape.from_tensor(rows())),
        R("int32", [[1, 2], [], [3]], [3, None]),
    ),
    (
        lambda: tf.reshape(dense([[1, 2, 3]]), _Shape.from_tensor(rows())),
        R("int32", [[1, 2], [], [3]], [3, None]),
    ),
    (
        lambda: tf.reshape(rows(), _Shape.from_tensor(ragged([[1], [2, 3]]))),
        R("int32", [[1], [2, 3]], [2, None]),
    ),
    (lambda: tf.reshape(rows(), _Shape.from_lengths([3])), T("int32", [1, 2, 3])),
    (
        lambda: tf.reshape(pairs(), _Shape.from_lengths([3, 2])),
        T("int32", [[1, 2], [3, 4], [5, 6]]),
    ),
    (
        lambda: tf.reshape(dense([[1, 2], [3, 4], [5, 6]]), _Shape.from_tensor(pairs())),
        R("int32", [[[1, 2], [3, 4]], [[5, 6]]], [2, None, 2]),
    ),
    (
        lambda: tf.reshape(dense([[1, 2], [3, 4], [5, 6]]), _Shape.from_lengths([2, (1, 5)])),
        R("int32", [[1], [2, 3, 4, 5, 6]], [2, None]),
    ),
]

REFUSED = [
    (
        lambda: tf.broadcast_to(rows(), _Shape.from_tensor(dense([[1, 2], [3, 4]]))),
        tf.errors.InvalidArgumentError,
        "Cannot broadcast",
    ),
    (
        lambda: tf.broadcast_to(dense([[10], [20]]), _Shape.from_tensor(deep())),
        tf.errors.InvalidArgumentError,
        "Cannot broadcast",
    ),
    (
        lambda: tf.broadcast_to(ragged([[10, 20], [30]]), _Shape.from_tensor(deep())),
        tf.errors.InvalidArgumentError,
        "Cannot broadcast",
    ),
    (
        lambda: tf.broadcast_to(dense([[1], [2]]), _Shape.from_tensor(rows())),
        tf.errors.InvalidArgumentError,
        "Cannot broadcast",
    ),
    (
        lambda: tf.reshape(dense([1, 2, 3, 4]), _Shape.from_tensor(rows())),
        tf.errors.InvalidArgumentError,
        "Input to reshape is a tensor with 4 values, but the requested shape has 3",
    ),
]


@pytest.mark.parametrize(("call", "expected"), ANSWERS)
def test_it_answers_as_tensorflow(call: Any, expected: Any) -> None:
    check_everywhere(call, expected)


@pytest.mark.parametrize(("call", "error", "words"), REFUSED)
def test_it_refuses_as_tensorflow(call: Any, error: type[Exception], words: str) -> None:
    check_refusal_everywhere(call, error, words)


@pytest.mark.parametrize(
    ("x", "y", "expected"),
    [
        (lambda: _Shape.from_tensor(rows()), lambda: [3, 1], [3, (2, 0, 1)]),
        (lambda: [3, 1], lambda: _Shape.from_tensor(rows()), [3, (2, 0, 1)]),
        (lambda: _Shape.from_tensor(rows()), lambda: _Shape.from_lengths([1]), [3, (2, 0, 1)]),
        (lambda: _Shape.from_tensor(deep()), lambda: _Shape.from_lengths([2, 1, 1]), [2, (2, 1), (1, 2, 1)]),
        (lambda: _Shape.from_lengths([2, 1]), lambda: _Shape.from_lengths([3]), [2, 3]),
    ],
)
def test_shapes_broadcast_to_a_shape(x: Any, y: Any, expected: list[Any]) -> None:
    assert tf.broadcast_dynamic_shape(x(), y()).static_lengths() == expected


@pytest.mark.parametrize("other", [[[1], [2]], [[1, 2], [1, 2], [3, 4]]])
def test_shapes_that_do_not_broadcast_are_refused(other: Any) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="Condition x == y did not hold"):
        tf.broadcast_dynamic_shape(_Shape.from_tensor(rows()), _Shape.from_tensor(tf.constant(other)))


def test_the_shape_of_a_ragged_tensor_is_ragged() -> None:
    assert repr(tf.shape(rows())) == "<DynamicRaggedShape lengths=[3, (2, 0, 1)] num_row_partitions=1>"
    assert (tf.shape(rows()).dtype, tf.shape(rows(), out_type=tf.int64).dtype) == (tf.int32, tf.int64)
    assert tf.compat.v1.shape(pairs()).static_lengths() == [2, (2, 1), 2]


def test_a_dense_shape_does_not_stand_for_a_ragged_one() -> None:
    with pytest.raises(ValueError, match="to a shape of rank 1"):
        tf.broadcast_to(rows(), _Shape.from_lengths([3]))
    with pytest.raises(ValueError, match="Attempt to convert a value"):
        tf.broadcast_to(rows(), [3, 2])
