"""Unique and setdiff1d."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import Sample
from tests.ops.array.answers import check_answer, check_graph_names, check_refusal, check_refusal_while_tracing
from tests.ops.array.answers import sample_array as x

SAMPLES = [
    Sample("Unique", [x([7], np.int32)]),
    Sample("Unique", [np.array(["b", "a", "b"], object)], {"out_idx": tf.int64}),
    Sample("UniqueWithCounts", [x([0])]),
    Sample("UniqueV2", [np.int32([[1, 2], [1, 2], [3, 4]]), np.int64([0])]),
    Sample("UniqueWithCountsV2", [np.int32([[1, 1, 2], [3, 3, 4]]), np.int32([-1])]),
    Sample("ListDiff", [np.int32([1, 2, 3]), np.int32([2])], {"out_idx": tf.int64}),
]


ANSWERS = [
    (lambda: tf.unique([3, 1, 3, 2, 1]), [("int32", [3, 1, 2]), ("int32", [0, 1, 0, 2, 1])]),
    (lambda: tf.unique(["b", "a", "b"]), [("string", [b"b", b"a"]), ("int32", [0, 1, 0])]),
    (
        lambda: tf.unique_with_counts([3, 1, 3, 2, 1]),
        [("int32", [3, 1, 2]), ("int32", [0, 1, 0, 2, 1]), ("int32", [2, 2, 1])],
    ),
    (lambda: tf.unique([True, False, True]), [("bool", [True, False]), ("int32", [0, 1, 0])]),
    (
        lambda: tf.raw_ops.UniqueV2(x=[[1, 2], [1, 2], [3, 4]], axis=[0]),
        [("int32", [[1, 2], [3, 4]]), ("int32", [0, 0, 1])],
    ),
    (
        lambda: tf.raw_ops.UniqueV2(x=[[1, 2], [1, 2], [3, 4]], axis=[1]),
        [("int32", [[1, 2], [1, 2], [3, 4]]), ("int32", [0, 1])],
    ),
    (lambda: tf.raw_ops.UniqueV2(x=[1, 1], axis=tf.zeros([0], tf.int32)), [("int32", [1]), ("int32", [0, 0])]),
    (
        lambda: tf.raw_ops.UniqueWithCountsV2(x=[[1, 2], [1, 2], [3, 4]], axis=[0]),
        [("int32", [[1, 2], [3, 4]]), ("int32", [0, 0, 1]), ("int32", [2, 1])],
    ),
    (lambda: tf.compat.v1.setdiff1d([1, 2, 3, 4], [2, 4]), [("int32", [1, 3]), ("int32", [0, 2])]),
]


@pytest.mark.parametrize(("call", "expected"), ANSWERS)
def test_it_gives_what_tensorflow_gives(call: Any, expected: Any) -> None:
    check_answer(call, expected)


REFUSED = [
    (lambda: tf.unique([[1, 2]]), tf.errors.InvalidArgumentError, "unique expects a 1D vector."),
    (lambda: tf.unique(3), tf.errors.InvalidArgumentError, "unique expects a 1D vector."),
    (
        lambda: tf.raw_ops.UniqueV2(x=[[1, 2], [1, 2], [3, 4]], axis=[2]),
        tf.errors.InvalidArgumentError,
        "axis has to be between [0, 2)",
    ),
    (
        lambda: tf.raw_ops.UniqueV2(x=[[1, 2], [1, 2], [3, 4]], axis=[0, 1]),
        tf.errors.InvalidArgumentError,
        "axis does not support input tensors larger than 1 elements",
    ),
    (
        lambda: tf.raw_ops.UniqueV2(x=[[1, 1]], axis=tf.zeros([0], tf.int32)),
        tf.errors.InvalidArgumentError,
        "unique expects a 1D vector.",
    ),
    (lambda: tf.compat.v1.setdiff1d([[1]], [2]), tf.errors.InvalidArgumentError, "x should be a 1D vector."),
]


@pytest.mark.parametrize(("call", "error", "words"), REFUSED)
def test_an_eager_call_is_refused_in_tensorflows_words(call: Any, error: Any, words: str) -> None:
    check_refusal(call, error, words)


REFUSED_WHILE_TRACING = [
    (lambda: tf.unique([[1, 2]]), ValueError, "Shape must be rank 1 but is rank 2"),
    (lambda: tf.unique(3), ValueError, "Shape must be rank 1 but is rank 0"),
    (
        lambda: tf.raw_ops.UniqueV2(x=[[1, 2], [1, 2], [3, 4]], axis=[2]),
        ValueError,
        "axis expects to be in the range [-2, 2)",
    ),
    (
        lambda: tf.raw_ops.UniqueV2(x=[[1, 2], [1, 2], [3, 4]], axis=[0, 1]),
        ValueError,
        "axis does not support input tensors larger than 1 elements.",
    ),
    (lambda: tf.raw_ops.UniqueV2(x=[[1, 1]], axis=tf.zeros([0], tf.int32)), ValueError, "x expects a 1D vector."),
    (lambda: tf.compat.v1.setdiff1d([[1]], [2]), ValueError, "Shape must be rank 1 but is rank 2"),
]


@pytest.mark.parametrize(("call", "error", "words"), REFUSED_WHILE_TRACING)
def test_tracing_refuses_in_tensorflows_words(call: Any, error: Any, words: str) -> None:
    check_refusal_while_tracing(call, error, words)


NODE_NAMES = [
    (lambda x: tf.unique(x), [(tf.float32, [None])], ["Unique"]),
    (lambda x: tf.unique_with_counts(x, tf.int64), [(tf.float32, [None])], ["UniqueWithCounts"]),
    (lambda x: tf.compat.v1.setdiff1d(x, x), [(tf.float32, [None])], ["ListDiff"]),
]


@pytest.mark.parametrize(("build", "placeholders", "names"), NODE_NAMES)
def test_nodes_have_tensorflows_names(build: Any, placeholders: Any, names: Any) -> None:
    check_graph_names(build, placeholders, names)
