"""RaggedBincount and RaggedCountSparseOutput."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import Sample
from tests.ops.array.answers import check_refusal

_SPLITS = np.int64([0, 2, 2, 5])
_NONE = np.float32([])

SAMPLES = [
    Sample("RaggedBincount", [_SPLITS, np.int32([1, 2, 1, 1, 7]), np.int32(4), _NONE]),
    Sample("RaggedBincount", [_SPLITS, np.int64([1, 2, 1, 1, 7]), np.int64(4), np.float64([0.5, 1, 2, 3, 4])]),
    Sample("RaggedBincount", [_SPLITS, np.int32([1, 2, 1, 1, 7]), np.int32(4), np.int64([])], {"binary_output": True}),
    Sample("RaggedBincount", [np.int64([0]), np.int32([]), np.int32(0), np.int32([])]),
    Sample("RaggedCountSparseOutput", [_SPLITS, np.int32([1, 2, 7, 1, 1]), _NONE], {"binary_output": False}),
    Sample(
        "RaggedCountSparseOutput",
        [_SPLITS, np.int64([1, 2, 7, 1, 1]), np.int64([5, 6, 7, 8, 9])],
        {"binary_output": False, "maxlength": 3},
    ),
    Sample("RaggedCountSparseOutput", [np.int64([0, 0]), np.int32([]), _NONE], {"binary_output": True, "minlength": 4}),
]


def _bincount(splits: Any, values: Any, size: Any, weights: Any = (), binary: bool = False) -> Any:
    arrays = np.array(splits, np.int64), np.array(values, np.int32), np.array(size, np.int32)
    return tf.raw_ops.RaggedBincount(
        splits=arrays[0], values=arrays[1], size=arrays[2], weights=np.array(weights, np.float32), binary_output=binary
    )


def _count(splits: Any, values: Any, weights: Any = (), **attrs: Any) -> list[Any]:
    attrs = {"binary_output": False} | attrs
    parts = tf.raw_ops.RaggedCountSparseOutput(
        splits=np.array(splits, np.int64),
        values=np.array(values, np.int32),
        weights=np.array(weights, np.float32),
        **attrs,
    )
    return [part.numpy().tolist() for part in parts]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (([0, 2, 2, 5], [1, 2, 1, 1, 7], 4), [[0, 1, 1, 0], [0, 0, 0, 0], [0, 2, 0, 0]]),
        (([0, 2, 2, 5], [1, 2, 1, 1, 7], 4, [0.5, 1, 2, 3, 4]), [[0, 0.5, 1, 0], [0, 0, 0, 0], [0, 5, 0, 0]]),
        (([0, 2, 2, 5], [1, 2, 1, 1, 7], 4, [0.5, 1, 2, 3, 4], True), [[0, 1, 1, 0], [0, 0, 0, 0], [0, 1, 0, 0]]),
        (([0, 2], [1, 2], 0), [[]]),
        (([0], [], 3), []),
        (
            ([0, 3, 1, 2], [1, 2], 3),
            [[0, 1, 1], [0, 0, 0], [0, 0, 0]],
        ),  # each value goes to the first row that ends late
        (([[0, 1]], [1], 3), [[0, 1, 0]]),
        (([0, 4], [1, 2, 1, 1], 3, [[1, 2], [3, 4]]), [[0, 8, 2]]),
    ],
)
def test_integers_are_counted_in_each_row(arguments: Any, expected: Any) -> None:
    assert _bincount(*arguments).numpy().tolist() == expected


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (([0, 2], [1, -1], 4), "Input must be non-negative"),
        (([0, 2], [1, 2], -1), "size (-1) must be non-negative"),
        (([0, 2], [1, 2], [3]), "Shape must be rank 0 but is rank 1"),
        (([1, 2], [1, 2], 3), "Splits must start with 0, not with 1"),
        (([0, 1], [1, 2], 3), "Splits must end with the number of values, got 1 instead of 2"),
        (([], [], 3), "Splits must be non-empty"),
        (([0, 2], [1, 2], 3, [1.0]), "weights must be empty or have the shape of values, [2]; received [1]"),
    ],
)
def test_bad_counts_are_refused(arguments: Any, words: str) -> None:
    check_refusal(lambda: _bincount(*arguments), tf.errors.InvalidArgumentError, words)


@pytest.mark.parametrize(
    ("arguments", "attrs", "expected"),
    [
        (([0, 2, 2, 5], [1, 2, 1, 1, 7]), {}, [[[0, 1], [0, 2], [2, 1], [2, 7]], [1, 1, 2, 1], [3, 8]]),
        (
            ([0, 2, 2, 5], [1, 2, 7, 1, 1], [0.5, 1, 2, 3, 4]),
            {},
            [[[0, 1], [0, 2], [2, 1], [2, 7]], [0.5, 1, 7, 2], [3, 8]],
        ),
        (([0, 2, 2, 5], [1, 2, 7, 1, 1]), {"maxlength": 3}, [[[0, 1], [0, 2], [2, 1]], [1, 1, 2], [3, 3]]),
        (([0, 1], [1]), {"minlength": 9, "maxlength": 3}, [[[0, 1]], [1], [1, 3]]),
        (([0, 3], [1, 1, 2], [5, 6, 7]), {"binary_output": True}, [[[0, 1], [0, 2]], [1, 1], [1, 3]]),
        (([0, 2], [1, 0]), {"maxlength": 0}, [[], [], [1, 0]]),
        (([0, 0, 0], []), {"minlength": 4}, [[], [], [2, 4]]),
    ],
)
def test_counts_come_as_the_parts_of_a_sparse_tensor(arguments: Any, attrs: Any, expected: Any) -> None:
    assert _count(*arguments, **attrs) == expected


@pytest.mark.parametrize(
    ("arguments", "attrs", "words"),
    [
        (([0, 1], [-7]), {}, "Input values must all be non-negative"),
        (
            ([0, 2], [1, 2], [1.0]),
            {},
            "Weights and values must have the same shape. Weight shape: [1]; values shape: [2]",
        ),
        (([1, 2], [1, 2]), {}, "Splits must start with 0, not with 1"),
        (([0, 3], [1, 2]), {}, "Splits must end with the number of values, got 3 instead of 2"),
        (([0], []), {}, "Must provide at least 2 elements for the splits argument"),
        (([0, 1], [1]), {"minlength": -2}, "Value for attr 'minlength' of -2 must be at least minimum -1"),
        (([0, 1], [1]), {"maxlength": -2}, "Value for attr 'maxlength' of -2 must be at least minimum -1"),
    ],
)
def test_bad_sparse_counts_are_refused(arguments: Any, attrs: Any, words: str) -> None:
    check_refusal(lambda: _count(*arguments, **attrs), tf.errors.InvalidArgumentError, words)


def test_the_weights_have_no_gradient() -> None:
    with tf.GradientTape() as tape:
        weights = tf.constant([1.0, 3.0])
        tape.watch(weights)
        counts = tf.raw_ops.RaggedBincount(splits=tf.constant([0, 2], tf.int64), values=[1, 2], size=4, weights=weights)
    with pytest.raises(LookupError, match="gradient registry has no entry for: RaggedBincount"):
        tape.gradient(counts, weights)
