"""RaggedGather."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import Sample
from tests.ops.array.answers import check_refusal, check_refusal_while_tracing
from tests.ops.array.answers import sample_array as x

_FLAT = [np.int64([0, 2, 2, 5])]
_DEEP = [np.int32([0, 2, 3]), np.int32([0, 1, 1, 4])]

SAMPLES = [
    Sample("RaggedGather", [_FLAT, x([5]), np.int32([2, 0, 1, 0])], {"OUTPUT_RAGGED_RANK": 1}, grad=True),
    Sample("RaggedGather", [_FLAT, x([5, 2]), np.int64([[2, 0], [1, 0]])], {"OUTPUT_RAGGED_RANK": 2}, grad=True),
    Sample("RaggedGather", [_DEEP, x([4, 1]), np.int32([[[1], [0]]])], {"OUTPUT_RAGGED_RANK": 4}, grad=True),
    Sample("RaggedGather", [_DEEP, x([4], np.int32), np.int32(1)], {"OUTPUT_RAGGED_RANK": 1}),
    Sample("RaggedGather", [_FLAT, x([5]), np.zeros([2, 0], np.int32)], {"OUTPUT_RAGGED_RANK": 2}, grad=True),
    Sample("RaggedGather", [_FLAT, np.array(list("abcde"), object), np.int32([2])], {"OUTPUT_RAGGED_RANK": 1}),
]


def _gather(nested_splits: Any, values: Any, indices: Any) -> Any:
    splits = [np.array(s, np.int64) for s in nested_splits]
    rank = len(splits) + np.ndim(indices) - 1
    return tf.raw_ops.RaggedGather(
        params_nested_splits=splits, params_dense_values=values, indices=indices, OUTPUT_RAGGED_RANK=rank
    )


@pytest.mark.parametrize(
    ("nested_splits", "values", "indices", "expected_splits", "expected_values"),
    [
        ([[0, 2, 2, 5]], [1, 2, 3, 4, 5], [2, 0, 1, 0], [[0, 3, 5, 5, 7]], [3, 4, 5, 1, 2, 1, 2]),
        ([[0, 2, 2, 5]], [1, 2, 3, 4, 5], [[2, 0], [1, 0]], [[0, 2, 4], [0, 3, 5, 5, 7]], [3, 4, 5, 1, 2, 1, 2]),
        ([[0, 2, 3], [0, 1, 1, 4]], [1, 2, 3, 4], [1, 0], [[0, 1, 3], [0, 3, 4, 4]], [2, 3, 4, 1]),
        ([[0, 2, 3], [0, 1, 1, 4]], [1, 2, 3, 4], 1, [[0, 3]], [2, 3, 4]),
        ([[0, 2, 3]], [1, 2, 3], 1, [], [3]),
        ([[1, 2, 3]], [1, 2, 3], [0, 1], [[0, 1, 2]], [2, 3]),
        ([[0, 2]], [1, 2, 3], [0], [[0, 2]], [1, 2]),
    ],
)
def test_rows_of_any_depth_are_picked(
    nested_splits: Any, values: Any, indices: Any, expected_splits: Any, expected_values: Any
) -> None:
    found = _gather(nested_splits, values, indices)
    assert [s.numpy().tolist() for s in found.output_nested_splits] == expected_splits
    assert found.output_dense_values.numpy().tolist() == expected_values


@pytest.mark.parametrize(
    ("nested_splits", "values", "indices", "words"),
    [
        ([[0, 2, 3]], [1, 2, 3], [0, 2], "indices[1] = 2 is not in [0, 2)"),
        ([[0, 2, 3]], [1, 2, 3], [0, -1], "indices[1] = -1 is not in [0, 2)"),
        ([[0, 2, 4]], [1, 2, 3], [0], "Ragged splits must not point past values"),
        ([[0, 2, 5], [0, 1, 2, 3]], [1, 2, 3], [0], "Ragged splits must not point past values"),
        ([[0, 2, 1]], [1, 2, 3], [0], "Ragged splits must be sorted"),
        ([[]], [1, 2, 3], np.zeros(0, np.int32), "Ragged splits may not be empty"),
        ([[-1, 2]], [1, 2, 3], [0], "Ragged splits must be non-negative"),
        ([[0, 1]], 1, [0], "params.rank must be nonzero"),
        ([], [1], [0], "Value for attr 'PARAMS_RAGGED_RANK' of 0 must be at least minimum 1"),
    ],
)
def test_bad_rows_are_refused(nested_splits: Any, values: Any, indices: Any, words: str) -> None:
    check_refusal(lambda: _gather(nested_splits, values, indices), tf.errors.InvalidArgumentError, words)


def test_wrong_ranks_are_refused_while_tracing() -> None:
    def call(splits: Any, values: Any, rank: int) -> Any:
        return lambda: tf.raw_ops.RaggedGather(
            params_nested_splits=[tf.constant(splits, tf.int64)],
            params_dense_values=values,
            indices=[0],
            OUTPUT_RAGGED_RANK=rank,
        )

    check_refusal_while_tracing(call([[0, 1]], [1], 1), ValueError, "Shape must be rank 1 but is rank 2")
    check_refusal_while_tracing(call([0, 1], 1, 1), ValueError, "Shape must be at least rank 1 but is rank 0")
    check_refusal_while_tracing(call([0, 1], [1], 2), ValueError, "Shape must be rank 2 but is rank 1")
    check_refusal(call([0, 1], [1], 2), tf.errors.InvalidArgumentError, "Shape must be rank 2 but is rank 1")


def test_the_gradient_names_the_positions_of_the_values() -> None:
    values = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    with tf.GradientTape() as tape:
        tape.watch(values)
        picked = _gather([[0, 2, 3]], values, [1, 1, 0]).output_dense_values
        total = tf.reduce_sum(picked * tf.reshape(tf.range(8.0), [4, 2]))
    gradient = tape.gradient(total, values)
    assert isinstance(gradient, tf.IndexedSlices)
    assert gradient.indices.numpy().tolist() == [2, 2, 0, 1]
    assert gradient.values.numpy().tolist() == [[0.0, 1.0], [2.0, 3.0], [4.0, 5.0], [6.0, 7.0]]
    assert gradient.dense_shape.numpy().tolist() == [3, 2]


def test_the_number_of_picked_rows_is_known_while_tracing() -> None:
    @tf.function(autograph=False, input_signature=[tf.RaggedTensorSpec([4, None], tf.int32)])
    def picked(x: Any) -> Any:
        assert tf.gather(x, [[0, 1, 2], [2, 1, 0]]).row_splits.shape == [3]
        assert tf.tile(x, [2, 2]).shape.as_list() == [8, None]
        return tf.gather(x, [1, 0])

    assert picked.get_concrete_function().structured_outputs.shape.as_list() == [2, None]
