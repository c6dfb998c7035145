"""Space to batch and back."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import Sample
from tests.ops.array.answers import check_answer, check_graph_names, check_refusal, check_refusal_while_tracing
from tests.ops.array.answers import sample_array as x

SAMPLES = [
    Sample("SpaceToBatchND", [x([1, 4, 2, 3]), np.int32([2, 2]), np.int32([[1, 1], [0, 2]])], grad=True),
    Sample("SpaceToBatchND", [x([2, 4], np.int8), np.int64([2]), np.int64([[0, 0]])]),
    Sample("SpaceToBatch", [x([1, 4, 2, 1]), np.int32([[1, 1], [0, 0]])], {"block_size": 2}, grad=True),
    Sample("BatchToSpaceND", [x([4, 3, 3, 2]), np.int32([2, 2]), np.int32([[1, 1], [0, 2]])], grad=True),
    Sample("BatchToSpace", [x([4, 2, 2, 1]), np.int64([[1, 0], [0, 0]])], {"block_size": 2}, grad=True),
]


ANSWERS = [
    (
        lambda: tf.raw_ops.SpaceToBatch(input=tf.zeros([1, 4, 4, 1]), paddings=[[0, 0], [0, 0]], block_size=2),
        [
            (
                "float32",
                [
                    [[[0.0], [0.0]], [[0.0], [0.0]]],
                    [[[0.0], [0.0]], [[0.0], [0.0]]],
                    [[[0.0], [0.0]], [[0.0], [0.0]]],
                    [[[0.0], [0.0]], [[0.0], [0.0]]],
                ],
            )
        ],
    ),
    (
        lambda: tf.raw_ops.BatchToSpace(input=tf.zeros([4, 1, 1, 1]), crops=[[0, 0], [0, 0]], block_size=2),
        [("float32", [[[[0.0], [0.0]], [[0.0], [0.0]]]])],
    ),
    (
        lambda: tf.required_space_to_batch_paddings([5, 7], [2, 3]),
        [("int32", [[0, 1], [0, 2]]), ("int32", [[0, 1], [0, 2]])],
    ),
    (
        lambda: tf.required_space_to_batch_paddings([5, 7], [2, 3], [[1, 0], [0, 1]]),
        [("int32", [[1, 0], [0, 2]]), ("int32", [[0, 0], [0, 1]])],
    ),
]


@pytest.mark.parametrize(("call", "expected"), ANSWERS)
def test_it_gives_what_tensorflow_gives(call: Any, expected: Any) -> None:
    check_answer(call, expected)


REFUSED = [
    (
        lambda: tf.space_to_batch(tf.zeros([1, 3, 4, 1]), [2, 2], [[0, 0], [0, 0]]),
        tf.errors.InvalidArgumentError,
        "padded_shape[0]=3 is not divisible by block_shape[0]=2",
    ),
    (
        lambda: tf.space_to_batch(tf.zeros([1, 4, 4, 1]), [2, 0], [[0, 0], [0, 0]]),
        tf.errors.InvalidArgumentError,
        "All values in block_shape must be positive, got value, 0 at index 1.",
    ),
    (
        lambda: tf.space_to_batch(tf.zeros([1, 4, 4, 1]), [2, 2], [[0, 0], [-1, 0]]),
        tf.errors.InvalidArgumentError,
        "Paddings must be non-negative",
    ),
    (
        lambda: tf.space_to_batch(tf.zeros([1, 4]), [2, 2], [[0, 0], [0, 0]]),
        tf.errors.InvalidArgumentError,
        "input rank should be >= 3 instead of 2",
    ),
    (
        lambda: tf.space_to_batch(tf.zeros([1, 4, 4, 1]), [2, 2], [[0, 0]]),
        tf.errors.InvalidArgumentError,
        "paddings should have shape [2, 2] instead of [1,2]",
    ),
    (
        lambda: tf.batch_to_space(tf.zeros([3, 4, 4, 1]), [2, 2], [[0, 0], [0, 0]]),
        tf.errors.InvalidArgumentError,
        "Input batch dimension (3) is not divisible by product of block sizes (4)",
    ),
    (
        lambda: tf.batch_to_space(tf.zeros([4, 1, 1, 1]), [2, 2], [[0, 3], [0, 0]]),
        tf.errors.InvalidArgumentError,
        "cropped_shape[0]=-1 must be non-negative",
    ),
    (
        lambda: tf.batch_to_space(tf.zeros([4, 1, 1, 1]), [2, 2], [[-1, 0], [0, 0]]),
        tf.errors.InvalidArgumentError,
        "Crops must be non-negative",
    ),
    (
        lambda: tf.raw_ops.SpaceToBatch(input=tf.zeros([1, 4, 4, 1]), paddings=[[0, 0], [0, 0]], block_size=1),
        tf.errors.InvalidArgumentError,
        "Value for attr 'block_size' of 1 must be at least minimum 2",
    ),
]


@pytest.mark.parametrize(("call", "error", "words"), REFUSED)
def test_an_eager_call_is_refused_in_tensorflows_words(call: Any, error: Any, words: str) -> None:
    check_refusal(call, error, words)


REFUSED_WHILE_TRACING = [
    (
        lambda: tf.space_to_batch(tf.zeros([1, 3, 4, 1]), [2, 2], [[0, 0], [0, 0]]),
        ValueError,
        "Dimension size must be evenly divisible by 2 but is 3",
    ),
    (
        lambda: tf.space_to_batch(tf.zeros([1, 4, 4, 1]), [2, 0], [[0, 0], [0, 0]]),
        ValueError,
        "block_shape must be positive",
    ),
    (
        lambda: tf.space_to_batch(tf.zeros([1, 4, 4, 1]), [2, 2], [[0, 0], [-1, 0]]),
        ValueError,
        "paddings cannot be negative",
    ),
    (
        lambda: tf.space_to_batch(tf.zeros([1, 4]), [2, 2], [[0, 0], [0, 0]]),
        ValueError,
        "Shape must be at least rank 3 but is rank 2",
    ),
    (
        lambda: tf.space_to_batch(tf.zeros([1, 4, 4, 1]), [2, 2], [[0, 0]]),
        ValueError,
        "Dimension 0 in both shapes must be equal, but are 1 and 2. Shapes are [1,2] and [2,2]",
    ),
    (
        lambda: tf.batch_to_space(tf.zeros([3, 4, 4, 1]), [2, 2], [[0, 0], [0, 0]]),
        ValueError,
        "Dimension size must be evenly divisible by 2 but is 3",
    ),
    (
        lambda: tf.batch_to_space(tf.zeros([4, 1, 1, 1]), [2, 2], [[0, 3], [0, 0]]),
        ValueError,
        "Negative dimension size caused by subtracting 3 from 2",
    ),
    (
        lambda: tf.batch_to_space(tf.zeros([4, 1, 1, 1]), [2, 2], [[-1, 0], [0, 0]]),
        ValueError,
        "crops cannot be negative",
    ),
    (
        lambda: tf.raw_ops.SpaceToBatch(input=tf.zeros([1, 4, 4, 1]), paddings=[[0, 0], [0, 0]], block_size=1),
        ValueError,
        "Attr 'block_size' of 'SpaceToBatch' Op passed 1 less than minimum 2.",
    ),
]


@pytest.mark.parametrize(("call", "error", "words"), REFUSED_WHILE_TRACING)
def test_tracing_refuses_in_tensorflows_words(call: Any, error: Any, words: str) -> None:
    check_refusal_while_tracing(call, error, words)


NODE_NAMES = [
    (
        lambda x: tf.space_to_batch(x, [2, 2], [[0, 0], [0, 0]]),
        [(tf.float32, [None, 4, 6, 3])],
        ["SpaceToBatchND/block_shape", "SpaceToBatchND/paddings", "SpaceToBatchND"],
    ),
    (
        lambda x: tf.space_to_batch_nd(x, [2], [[0, 0]]),
        [(tf.float32, [None, 4, 6, 3])],
        ["SpaceToBatchND/block_shape", "SpaceToBatchND/paddings", "SpaceToBatchND"],
    ),
    (
        lambda x: tf.batch_to_space(x, [2, 2], [[0, 0], [0, 0]]),
        [(tf.float32, [None, 4, 6, 3])],
        ["BatchToSpaceND/block_shape", "BatchToSpaceND/crops", "BatchToSpaceND"],
    ),
]


@pytest.mark.parametrize(("build", "placeholders", "names"), NODE_NAMES)
def test_nodes_have_tensorflows_names(build: Any, placeholders: Any, names: Any) -> None:
    check_graph_names(build, placeholders, names)
