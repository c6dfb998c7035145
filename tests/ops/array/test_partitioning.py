"""Dynamic partition and stitch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import Sample
from tests.ops.array.answers import check_answer, check_graph_names, check_refusal, check_refusal_while_tracing
from tests.ops.array.answers import sample_array as x

SAMPLES = [
    Sample("DynamicPartition", [x([4, 2]), np.int32([0, 1, 0, 1])], {"num_partitions": 2}, grad=True),
    Sample("DynamicPartition", [x([0], np.int8), np.zeros([0], np.int32)], {"num_partitions": 1}),
    Sample("DynamicStitch", [[np.int32([0, 3]), np.int32([1])], [x([2, 2]), x([1, 2])]], grad=True),
    Sample("ParallelDynamicStitch", [[np.int32(1), np.int32([0])], [x([2]), x([1, 2])]], grad=True),
]


ANSWERS = [
    (lambda: tf.dynamic_partition([[1, 2], [3, 4]], [0, 1], 2), [("int32", [[1, 2]]), ("int32", [[3, 4]])]),
    (lambda: tf.dynamic_partition([[1, 2], [3, 4]], [[0, 1], [1, 1]], 2), [("int32", [1]), ("int32", [2, 3, 4])]),
    (lambda: tf.dynamic_partition(5, 1, 2), [("int32", []), ("int32", [5])]),
    (lambda: tf.dynamic_stitch([[0, 1], [2]], [[1, 2], [3]]), [("int32", [1, 2, 3])]),
    (lambda: tf.dynamic_stitch([[0, 1], [1]], [[1, 2], [3]]), [("int32", [1, 3])]),
    (lambda: tf.dynamic_stitch([[0, 3]], [[1, 2]]), [("int32", [1, 0, 0, 2])]),
    (lambda: tf.dynamic_stitch([0, [1, 2]], [[1, 2], [[3, 4], [5, 6]]]), [("int32", [[1, 2], [3, 4], [5, 6]])]),
]


@pytest.mark.parametrize(("call", "expected"), ANSWERS)
def test_it_gives_what_tensorflow_gives(call: Any, expected: Any) -> None:
    check_answer(call, expected)


REFUSED = [
    (lambda: tf.broadcast_dynamic_shape([2], [3]), tf.errors.InvalidArgumentError, "Incompatible shapes: [2] vs. [3]"),
    (
        lambda: tf.dynamic_partition([1, 2, 3], [0, 2, 1], 2),
        tf.errors.InvalidArgumentError,
        "partitions[1] = 2 is not in [0, 2)",
    ),
    (
        lambda: tf.dynamic_partition([1, 2, 3], [0, -1, 1], 2),
        tf.errors.InvalidArgumentError,
        "partitions[1] = -1 is not in [0, 2)",
    ),
    (
        lambda: tf.dynamic_partition([1, 2, 3], [0, 1], 2),
        tf.errors.InvalidArgumentError,
        "data.shape must start with partitions.shape, got data.shape = [3], partitions.shape =",
    ),
    (
        lambda: tf.dynamic_partition([1], [0], 0),
        tf.errors.InvalidArgumentError,
        "Value for attr 'num_partitions' of 0 must be at least minimum 1",
    ),
    (lambda: tf.dynamic_stitch([[0, -1]], [[1, 2]]), tf.errors.InvalidArgumentError, "indices[1] is out of range"),
    (
        lambda: tf.dynamic_stitch([[0, 1]], [[1, 2, 3]]),
        tf.errors.InvalidArgumentError,
        "data[0].shape = [3] does not start with indices[0].shape = [2]",
    ),
    (
        lambda: tf.dynamic_stitch([0, [1]], [[1, 2], [3]]),
        tf.errors.InvalidArgumentError,
        "Need data[0].shape[0:] = data[1].shape[1:], got data[0].shape = [2], data[1].shape = ",
    ),
]


@pytest.mark.parametrize(("call", "error", "words"), REFUSED)
def test_an_eager_call_is_refused_in_tensorflows_words(call: Any, error: Any, words: str) -> None:
    check_refusal(call, error, words)


REFUSED_WHILE_TRACING = [
    (lambda: tf.dynamic_partition([1, 2, 3], [0, 1], 2), ValueError, "Dimensions must be equal, but are 3 and 2"),
    (lambda: tf.dynamic_stitch([[0, 1]], [[1, 2, 3]]), ValueError, "Dimensions must be equal, but are 3 and 2"),
    (lambda: tf.dynamic_stitch([0, [1]], [[1, 2], [3]]), ValueError, "Shapes must be equal rank, but are 1 and 0"),
]


@pytest.mark.parametrize(("call", "error", "words"), REFUSED_WHILE_TRACING)
def test_tracing_refuses_in_tensorflows_words(call: Any, error: Any, words: str) -> None:
    check_refusal_while_tracing(call, error, words)


NODE_NAMES = [
    (lambda x, y: tf.broadcast_dynamic_shape(x, y), [(tf.int32, [2]), (tf.int32, [None])], ["BroadcastArgs"]),
    (
        lambda: tf.broadcast_dynamic_shape(tf.constant([2, 1]), tf.constant([3])),
        [],
        ["Const", "Const_1", "BroadcastArgs"],
    ),
    (
        lambda x, p: tf.dynamic_partition(x, p, 2),
        [(tf.float32, [None, 4, 5]), (tf.int32, [None])],
        ["DynamicPartition"],
    ),
    (
        lambda x, p: tf.dynamic_stitch([p, [0, 1]], [x, x]),
        [(tf.float32, [None, 4, 5]), (tf.int32, [None])],
        ["DynamicStitch/indices_1", "DynamicStitch"],
    ),
    (
        lambda x: tf.dynamic_stitch([[2, 0], [1]], [x, x]),
        [(tf.float32, [None, 4, 5])],
        ["DynamicStitch/indices_0", "DynamicStitch/indices_1", "DynamicStitch"],
    ),
]


@pytest.mark.parametrize(("build", "placeholders", "names"), NODE_NAMES)
def test_nodes_have_tensorflows_names(build: Any, placeholders: Any, names: Any) -> None:
    check_graph_names(build, placeholders, names)


@pytest.mark.parametrize("jit", [False, pytest.param(True, marks=pytest.mark.xla)])
def test_of_several_rows_for_one_index_the_last_holds_and_indices_without_rows_are_zero(jit: bool) -> None:
    for numbers in ([2, 0, 2, 4], [1, 0, 1, 2], [0, 0, 0, 0]):
        stitched = tf.function(lambda x, p=numbers: tf.dynamic_stitch([p[:3], p[3:]], [x[:3], x[3:]]), jit_compile=jit)
        expected = np.zeros((max(numbers) + 1, 2), np.float32)
        rows = np.arange(1, 9, dtype=np.float32).reshape(4, 2)
        for index, row in zip(numbers, rows, strict=True):
            expected[index] = row
        np.testing.assert_array_equal(stitched(rows), expected)
