"""RaggedTensorToSparse."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import Sample
from tests.ops.array.answers import check_refusal
from tests.ops.array.answers import sample_array as x

SAMPLES = [
    Sample("RaggedTensorToSparse", [[np.int64([0, 2, 2, 3])], x([3])], grad=True),
    Sample("RaggedTensorToSparse", [[np.int32([0, 2, 2, 3])], x([3, 2])], grad=True),
    Sample("RaggedTensorToSparse", [[np.int64([0, 1, 2]), np.int64([0, 2, 3])], x([3], np.int32)]),
    Sample("RaggedTensorToSparse", [[np.int64([0])], x([0], np.float32)]),
    Sample("RaggedTensorToSparse", [[np.int64([0, 1])], np.array([b"a"], object)]),
]


def _sparse(nested_splits: Any, values: Any) -> Any:
    parts = tf.raw_ops.RaggedTensorToSparse(rt_nested_splits=nested_splits, rt_dense_values=values)
    return [part.numpy().tolist() for part in parts]


@pytest.mark.parametrize(
    ("nested_splits", "values", "expected"),
    [
        ([[0, 2, 2, 3]], [1, 2, 3], [[[0, 0], [0, 1], [2, 0]], [1, 2, 3], [3, 2]]),
        ([[0, 1, 2]], [[1, 2], [3, 4]], [[[0, 0, 0], [0, 0, 1], [1, 0, 0], [1, 0, 1]], [1, 2, 3, 4], [2, 1, 2]]),
        ([[0, 1, 2], [0, 2, 3]], [1, 2, 3], [[[0, 0, 0], [0, 0, 1], [1, 0, 0]], [1, 2, 3], [2, 1, 2]]),
        ([[0, 0]], np.zeros([0, 2]), [[], [], [1, 0, 2]]),
    ],
)
def test_each_value_has_its_coordinates(nested_splits: Any, values: Any, expected: Any) -> None:
    assert _sparse(nested_splits, values) == expected


@pytest.mark.parametrize(
    ("nested_splits", "values", "words"),
    [
        ([[0, 2]], [1, 2, 3], "Final value of ragged splits must match the length the corresponding ragged values."),
        ([[0, 2], [0, 1]], [1], "Final value of ragged splits must match the length the corresponding ragged values."),
        ([[1, 3]], [1, 2, 3], "First value of ragged splits must be 0."),
        ([[0, 2, 1, 3]], [1, 2, 3], "Ragged splits should be non decreasing, but we got 2 followed by 1"),
        ([np.zeros([0], np.int64)], [1, 2, 3], "ragged splits may not be empty."),
    ],
)
def test_bad_row_splits_are_refused(nested_splits: Any, values: Any, words: str) -> None:
    check_refusal(lambda: _sparse(nested_splits, values), tf.errors.InvalidArgumentError, words)
