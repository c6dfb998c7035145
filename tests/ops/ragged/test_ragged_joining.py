"""Ragged tensors joined: concat, stack, add_n, dynamic_partition and tf.ragged.stack_dynamic_partitions."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf
from tests.ops.ragged.answers import R, T, check_everywhere, check_refusal_everywhere, dense, ragged


def rows() -> Any:
    return ragged([[1, 2], [], [3]])


def more_rows() -> Any:
    return ragged([[4], [5, 6], []])


def deep() -> Any:
    return ragged([[[1], [2, 3]], [[4]]])


def more_deep() -> Any:
    return ragged([[[5, 6]], [[7], [8]]])


def pairs() -> Any:
    return ragged([[[1, 2], [3, 4]], [[5, 6]]], ragged_rank=1)


ANSWERS = [
    (lambda: tf.concat([rows(), more_rows()], 0), R("int32", [[1, 2], [], [3], [4], [5, 6], []], [6, None])),
    (lambda: tf.concat([rows(), more_rows()], 1), R("int32", [[1, 2, 4], [5, 6], [3]], [3, None])),
    (lambda: tf.concat([rows(), more_rows()], -1), R("int32", [[1, 2, 4], [5, 6], [3]], [3, None])),
    (lambda: tf.concat([rows(), more_rows()], -2), R("int32", [[1, 2], [], [3], [4], [5, 6], []], [6, None])),
    (lambda: tf.concat([rows(), more_rows(), rows()], 1), R("int32", [[1, 2, 4, 1, 2], [5, 6], [3, 3]], [3, None])),
    (lambda: tf.concat([rows()], 1), R("int32", [[1, 2], [], [3]], [3, None])),
    (lambda: tf.concat([rows()], 0), R("int32", [[1, 2], [], [3]], [3, None])),
    (lambda: tf.concat(rows(), 0), R("int32", [[1, 2], [], [3]], [3, None])),
    (lambda: tf.concat(deep(), 1), R("int32", [[[1], [2, 3]], [[4]]], [2, None, None])),
    (
        lambda: tf.concat([deep(), more_deep()], 0),
        R("int32", [[[1], [2, 3]], [[4]], [[5, 6]], [[7], [8]]], [4, None, None]),
    ),
    (
        lambda: tf.concat([deep(), more_deep()], 1),
        R("int32", [[[1], [2, 3], [5, 6]], [[4], [7], [8]]], [2, None, None]),
    ),
    (
        lambda: tf.concat([pairs(), pairs()], 0),
        R("int32", [[[1, 2], [3, 4]], [[5, 6]], [[1, 2], [3, 4]], [[5, 6]]], [4, None, 2]),
    ),
    (
        lambda: tf.concat([pairs(), pairs()], 1),
        R("int32", [[[1, 2], [3, 4], [1, 2], [3, 4]], [[5, 6], [5, 6]]], [2, None, 2]),
    ),
    (
        lambda: tf.concat([pairs(), pairs()], 2),
        R("int32", [[[1, 2, 1, 2], [3, 4, 3, 4]], [[5, 6, 5, 6]]], [2, None, 4]),
    ),
    (
        lambda: tf.concat([pairs(), pairs()], -1),
        R("int32", [[[1, 2, 1, 2], [3, 4, 3, 4]], [[5, 6, 5, 6]]], [2, None, 4]),
    ),
    (
        lambda: tf.concat([rows(), dense([[7, 8], [9, 10], [11, 12]])], 0),
        R("int32", [[1, 2], [], [3], [7, 8], [9, 10], [11, 12]], [6, None]),
    ),
    (
        lambda: tf.concat([rows(), dense([[7, 8], [9, 10], [11, 12]])], 1),
        R("int32", [[1, 2, 7, 8], [9, 10], [3, 11, 12]], [3, None]),
    ),
    (
        lambda: tf.concat([dense([[7, 8], [9, 10], [11, 12]]), rows()], 1),
        R("int32", [[7, 8, 1, 2], [9, 10], [11, 12, 3]], [3, None]),
    ),
    (
        lambda: tf.concat([dense([[7, 8], [9, 10], [11, 12]]), [[1], [2], [3]]], 1),
        T("int32", [[7, 8, 1], [9, 10, 2], [11, 12, 3]]),
    ),
    (lambda: tf.concat([rows(), [[1], [2], [3]]], axis=1), R("int32", [[1, 2, 1], [2], [3, 3]], [3, None])),
    (lambda: tf.concat([rows(), more_rows()], 1, name="foo"), R("int32", [[1, 2, 4], [5, 6], [3]], [3, None])),
    (
        lambda: tf.concat([ragged([["a", "b"], ["c"]]), ragged([["d"], []])], 1),
        R("string", [[b"a", b"b", b"d"], [b"c"]], [2, None]),
    ),
    (lambda: tf.stack([rows(), more_rows()], 0), R("int32", [[[1, 2], [], [3]], [[4], [5, 6], []]], [2, None, None])),
    (lambda: tf.stack([rows(), more_rows()], 1), R("int32", [[[1, 2], [4]], [[], [5, 6]], [[3], []]], [3, None, None])),
    (lambda: tf.stack([rows(), more_rows()], -3), R("int32", [[[1, 2], [], [3]], [[4], [5, 6], []]], [2, None, None])),
    (
        lambda: tf.stack([deep(), more_deep()], 0),
        R("int32", [[[[1], [2, 3]], [[4]]], [[[5, 6]], [[7], [8]]]], [2, None, None, None]),
    ),
    (
        lambda: tf.stack([deep(), more_deep()], 1),
        R("int32", [[[[1], [2, 3]], [[5, 6]]], [[[4]], [[7], [8]]]], [2, None, None, None]),
    ),
    (lambda: tf.stack([deep(), deep()], 3), R("int32", [[[[1, 1]], [[2, 2], [3, 3]]], [[[4, 4]]]], [2, None, None, 2])),
    (lambda: tf.stack([rows()], 0), R("int32", [[[1, 2], [], [3]]], [1, None, None])),
    (
        lambda: tf.stack([pairs(), pairs()], 0),
        R("int32", [[[[1, 2], [3, 4]], [[5, 6]]], [[[1, 2], [3, 4]], [[5, 6]]]], [2, None, None, 2]),
    ),
    (
        lambda: tf.stack([pairs(), pairs()], 1),
        R("int32", [[[[1, 2], [3, 4]], [[1, 2], [3, 4]]], [[[5, 6]], [[5, 6]]]], [2, None, None, 2]),
    ),
    (
        lambda: tf.stack([pairs(), pairs()], 2),
        R("int32", [[[[1, 2], [1, 2]], [[3, 4], [3, 4]]], [[[5, 6], [5, 6]]]], [2, None, 2, 2]),
    ),
    (
        lambda: tf.stack([pairs(), pairs()], 3),
        R("int32", [[[[1, 1], [2, 2]], [[3, 3], [4, 4]]], [[[5, 5], [6, 6]]]], [2, None, 2, 2]),
    ),
    (
        lambda: tf.stack([rows(), dense([[1, 2], [3, 4], [5, 6]])], 0),
        R("int32", [[[1, 2], [], [3]], [[1, 2], [3, 4], [5, 6]]], [2, None, None]),
    ),
    (
        lambda: tf.ragged.stack([rows(), more_rows()]),
        R("int32", [[[1, 2], [], [3]], [[4], [5, 6], []]], [2, None, None]),
    ),
    (
        lambda: tf.ragged.stack([rows(), more_rows()], 1),
        R("int32", [[[1, 2], [4]], [[], [5, 6]], [[3], []]], [3, None, None]),
    ),
    (lambda: tf.ragged.stack([dense([1, 2]), dense([3])]), R("int32", [[1, 2], [3]], [2, None])),
    (
        lambda: tf.ragged.stack([dense([[1, 2]]), dense([[3], [4]])], axis=0),
        R("int32", [[[1, 2]], [[3], [4]]], [2, None, None]),
    ),
    (lambda: tf.ragged.stack([dense([[1, 2]]), dense([[3, 4]])], axis=2), T("int32", [[[1, 3], [2, 4]]])),
    (lambda: tf.ragged.stack([1, 2]), T("int32", [1, 2])),
    (lambda: tf.ragged.stack([1]), T("int32", [1])),
    (lambda: tf.ragged.stack(rows()), R("int32", [[[1, 2], [], [3]]], [1, None, None])),
    (lambda: tf.ragged.stack([dense([1, 2])]), R("int32", [[1, 2]], [1, None])),
    (lambda: tf.ragged.stack([dense([[1, 2]])], axis=1), T("int32", [[[1, 2]]])),
    (lambda: tf.ragged.stack([[1, 2], [3]], name="q"), R("int32", [[1, 2], [3]], [2, None])),
    (lambda: tf.add_n([rows(), rows()]), R("int32", [[2, 4], [], [6]], [3, None])),
    (lambda: tf.add_n([rows()]), R("int32", [[1, 2], [], [3]], [3, None])),
    (
        lambda: tf.ragged.stack_dynamic_partitions(dense(["a", "b", "c", "d", "e"]), [3, 0, 2, 2, 3], 5),
        R("string", [[b"b"], [], [b"c", b"d"], [b"a", b"e"], []], [5, None]),
    ),
    (
        lambda: tf.ragged.stack_dynamic_partitions(dense(["a", "b", "c", "d", "e"]), [3, 0, 2, 2, 3], 4),
        R("string", [[b"b"], [], [b"c", b"d"], [b"a", b"e"]], [4, None]),
    ),
    (
        lambda: tf.ragged.stack_dynamic_partitions(dense([[1, 2], [3, 4]]), [1, 0], 2),
        R("int32", [[[3, 4]], [[1, 2]]], [2, None, 2]),
    ),
    (
        lambda: tf.ragged.stack_dynamic_partitions(dense([[1, 2], [3, 4]]), [[1, 0], [1, 1]], 2),
        R("int32", [[2], [1, 3, 4]], [2, None]),
    ),
    (
        lambda: tf.ragged.stack_dynamic_partitions(rows(), [1, 0, 1], 2),
        R("int32", [[[]], [[1, 2], [3]]], [2, None, None]),
    ),
    (
        lambda: tf.ragged.stack_dynamic_partitions(rows(), ragged([[1, 0], [], [1]], dtype=tf.int32), 2),
        R("int32", [[2], [1, 3]], [2, None]),
    ),
    (lambda: tf.ragged.stack_dynamic_partitions(dense([1, 2]), 0, 2), R("int32", [[[1, 2]], []], [2, None, 2])),
    (lambda: tf.ragged.stack_dynamic_partitions(5, 0, 2), R("int32", [[5], []], [2, None])),
    (lambda: tf.ragged.stack_dynamic_partitions(dense([1, 2]), [0, 0], dense(2)), R("int32", [[1, 2], []], [2, None])),
    (
        lambda: tf.ragged.stack_dynamic_partitions(dense([1, 2]), [0, 0], dense(2, tf.int64)),
        R("int32", [[1, 2], []], [2, None]),
    ),
    (lambda: tf.ragged.stack_dynamic_partitions([dense([1, 2])], [0], 2), R("int32", [[[1, 2]], []], [2, None, 2])),
    (
        lambda: tf.dynamic_partition(rows(), [1, 0, 1], 2),
        [R("int32", [[]], [1, None]), R("int32", [[1, 2], [3]], [2, None])],
    ),
    (
        lambda: tf.dynamic_partition(rows(), ragged([[1, 0], [], [1]], dtype=tf.int32), 2),
        [T("int32", [2]), T("int32", [1, 3])],
    ),
    (
        lambda: tf.dynamic_partition(deep(), ragged([[1, 0], [1]], dtype=tf.int32), 3),
        [R("int32", [[2, 3]], [1, None]), R("int32", [[1], [4]], [2, None]), R("int32", [], [0, None])],
    ),
]

REFUSED = [
    (
        lambda: tf.concat([deep(), more_deep()], 2),
        tf.errors.InvalidArgumentError,
        "Inputs must have identical ragged splits",
    ),
    (lambda: tf.concat([rows(), more_rows()], 2), ValueError, "axis=2 out of bounds: expected -2<=axis<2"),
    (lambda: tf.concat([rows(), more_rows()], -3), ValueError, "axis=-3 out of bounds: expected -2<=axis<2"),
    (lambda: tf.concat([rows(), deep()], 0), ValueError, "Shape (2, None, None) must have rank 2"),
    (lambda: tf.concat([rows(), dense([1, 2])], 0), ValueError, "Shape (2,) must have rank 2"),
    (lambda: tf.concat([rows(), 5], 0), ValueError, "Shape () must have rank 2"),
    (
        lambda: tf.concat([rows(), ragged([[1.0]])], 0),
        tf.errors.InvalidArgumentError,
        "cannot compute ConcatV2 as input #1(zero-based) was expected to be a int32 tensor but is a",
    ),
    (
        lambda: tf.concat([rows(), ragged([[1]])], 1),
        tf.errors.InvalidArgumentError,
        "Input tensors at index 0 (=x) and 1 (=y) have incompatible shapes.",
    ),
    (
        lambda: tf.concat([rows(), ragged([[1]], row_splits_dtype=tf.int32)], 0),
        ValueError,
        "Input RaggedTensors have mismatched row_splits dtypes; use RaggedTensor.with_row_splits_dt",
    ),
    (lambda: tf.concat([rows(), more_rows()], tf.constant(1)), TypeError, "axis must be an int; got EagerTensor"),
    (lambda: tf.concat([rows(), more_rows()], None), TypeError, "axis must be an int; got NoneType"),
    (
        lambda: tf.stack([rows(), more_rows()], 2),
        tf.errors.InvalidArgumentError,
        "Inputs must have identical ragged splits",
    ),
    (
        lambda: tf.stack([rows(), more_rows()], -1),
        tf.errors.InvalidArgumentError,
        "Inputs must have identical ragged splits",
    ),
    (lambda: tf.stack([rows(), more_rows()], 3), ValueError, "axis=3 out of bounds: expected -3<=axis<3"),
    (
        lambda: tf.stack([deep(), more_deep()], 2),
        tf.errors.InvalidArgumentError,
        "Inputs must have identical ragged splits",
    ),
    (lambda: tf.stack([rows(), deep()], 0), ValueError, "Shape (2, None, None) must have rank 2"),
    (
        lambda: tf.ragged.stack([dense([1, 2]), dense([3])], axis=1),
        tf.errors.InvalidArgumentError,
        "Shapes of all inputs must match: values[0].shape = [2] != values[1].shape = [1]",
    ),
    (
        lambda: tf.ragged.stack([dense([[1, 2]]), dense([[3]])], axis=1),
        tf.errors.InvalidArgumentError,
        "Shapes of all inputs must match: values[0].shape = [1,2] != values[1].shape = [1,1]",
    ),
    (lambda: tf.ragged.stack([]), ValueError, "rt_inputs may not be empty."),
    (lambda: tf.ragged.stack([deep(), rows()], 0), ValueError, "Shape (3, None) must have rank 3"),
    (
        lambda: tf.ragged.stack([dense([1, 2]), dense([3])], axis=2),
        ValueError,
        "axis=2 out of bounds: expected -2<=axis<2",
    ),
    (
        lambda: tf.add_n([rows(), more_rows()]),
        tf.errors.InvalidArgumentError,
        "RowPartition._merge_precomputed_encodings: partitions have incompatible row_splits",
    ),
    (
        lambda: tf.add_n([rows(), dense([1])]),
        tf.errors.InvalidArgumentError,
        "Inputs to operation AddN of type AddN must have the same size and shape.  Input 0: [3] != ",
    ),
    (
        lambda: tf.math.add_n([rows(), 1, 2]),
        tf.errors.InvalidArgumentError,
        "Inputs to operation AddN of type AddN must have the same size and shape.  Input 0: [3] != ",
    ),
    (
        lambda: tf.ragged.stack_dynamic_partitions(dense(["a", "b", "c", "d", "e"]), [3, 0, 2, 2, 3], 3),
        tf.errors.InvalidArgumentError,
        "partitions must be less than num_partitions",
    ),
    (
        lambda: tf.ragged.stack_dynamic_partitions(rows(), ragged([[1, 0], [], [-1]], dtype=tf.int32), 2),
        tf.errors.InvalidArgumentError,
        "partitions must be non-negative..",
    ),
    (
        lambda: tf.ragged.stack_dynamic_partitions(dense([1, 2]), [[1, 0]], 2),
        ValueError,
        "Shapes (1, 2) and (2,) are incompatible",
    ),
    (
        lambda: tf.ragged.stack_dynamic_partitions(dense([1, 2]), [0, 0], -1),
        tf.errors.InvalidArgumentError,
        "partitions must be less than num_partitions",
    ),
    (
        lambda: tf.ragged.stack_dynamic_partitions(dense([1, 2]), [0, 0, 1], 2),
        ValueError,
        "Shapes (3,) and (2,) are incompatible",
    ),
    (
        lambda: tf.ragged.stack_dynamic_partitions(dense([1, 2]), [0, 0.5], 2),
        ValueError,
        "value_rowids must have dtype int32 or int64",
    ),
    (
        lambda: tf.dynamic_partition(rows(), [1, 0, 2], 2),
        tf.errors.InvalidArgumentError,
        "partitions must be less than num_partitions",
    ),
    (lambda: tf.dynamic_partition(rows(), [1, 0], 2), ValueError, "Shapes (2,) and (3,) are incompatible"),
    (
        lambda: tf.dynamic_partition(rows(), ragged([[1], [], [1]], dtype=tf.int32), 2),
        tf.errors.InvalidArgumentError,
        "data and partitions have incompatible ragged shapes",
    ),
    (
        lambda: tf.dynamic_partition(rows(), [1, 0, 1], tf.constant(2)),
        TypeError,
        "num_partitions must be a non-negative integer",
    ),
    (
        lambda: tf.dynamic_partition(rows(), [1, 0, 1], 0),
        tf.errors.InvalidArgumentError,
        "partitions must be less than num_partitions",
    ),
    (lambda: tf.dynamic_partition(rows(), [1, 0, 1], "a"), TypeError, "num_partitions must be a non-negative integer"),
]


@pytest.mark.parametrize(("call", "expected"), ANSWERS)
def test_it_answers_as_tensorflow(call: Any, expected: Any) -> None:
    check_everywhere(call, expected)


@pytest.mark.parametrize(("call", "error", "words"), REFUSED)
def test_it_refuses_as_tensorflow(call: Any, error: type[Exception], words: str) -> None:
    check_refusal_everywhere(call, error, words)
