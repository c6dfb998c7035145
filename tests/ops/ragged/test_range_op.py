"""RaggedRange."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import Sample
from tests.ops.array.answers import check_refusal

SAMPLES = [
    Sample("RaggedRange", [np.int32([0, 5, 9]), np.int32([3, 5, 2]), np.int32([1, 1, -3])]),
    Sample("RaggedRange", [np.int64(0), np.int64([3, 4]), np.int64(1)], {"Tsplits": tf.int32}),
    Sample("RaggedRange", [np.float32([0, 1]), np.float32([1, 3]), np.float32([0.25, 0.5])]),
    Sample("RaggedRange", [np.float64(0), np.float64(1), np.float64(0.3)]),
    Sample("RaggedRange", [np.zeros([0], np.int32), np.int32(3), np.int32(1)]),
]


@pytest.mark.parametrize(
    ("starts", "limits", "deltas", "expected"),
    [
        ([0, 5], [3, 5], [1, 1], ([0, 3, 3], [0, 1, 2])),
        (0, [3, 4], 1, ([0, 3, 7], [0, 1, 2, 0, 1, 2, 3])),
        ([5], [0], [-2], ([0, 3], [5, 3, 1])),
        ([0], [-5], [1], ([0, 0], [])),
        ([-(2**31)], [2**31 - 1], [2**30], ([0, 4], [-(2**31), -(2**30), 0, 2**30])),
        ([0.0], [1.0], [0.25], ([0, 4], [0.0, 0.25, 0.5, 0.75])),
    ],
)
def test_each_row_is_a_range(starts: Any, limits: Any, deltas: Any, expected: Any) -> None:
    splits, values = tf.raw_ops.RaggedRange(starts=starts, limits=limits, deltas=deltas)
    assert (splits.numpy().tolist(), values.numpy().tolist()) == expected


@pytest.mark.parametrize(
    ("bounds", "words"),
    [
        (([0], [3], [0]), "Requires delta != 0"),
        (([0, 1], [3], [1]), "starts, limits, and deltas must have the same shape"),
        (([[0]], [[3]], [[1]]), "starts must be a scalar or vector"),
        (([0.0], [np.inf], [1.0]), "Requires ((limit - start) / delta) <= 9223372036854775807"),
        (([0.0], [np.nan], [1.0]), "Requires ((limit - start) / delta) <= 9223372036854775807"),
    ],
)
def test_what_is_no_range_is_refused(bounds: Any, words: str) -> None:
    starts, limits, deltas = bounds
    refused = tf.errors.InvalidArgumentError
    check_refusal(lambda: tf.raw_ops.RaggedRange(starts=starts, limits=limits, deltas=deltas), refused, words)


def test_the_number_of_rows_is_known_from_any_vector() -> None:
    @tf.function(autograph=False)
    def splits(starts: Any, limits: Any) -> Any:
        return tf.raw_ops.RaggedRange(starts=starts, limits=limits, deltas=1)[0]

    def shape(*dims: Any) -> Any:
        specs = [tf.TensorSpec(d, tf.int32) for d in dims]
        return splits.get_concrete_function(*specs).outputs[0].shape.as_list()

    assert shape([], [3]) == [4]
    assert shape([], []) == [2]
    assert shape([], [None]) == [None]
    with pytest.raises(ValueError, match="Dimensions must be equal, but are 4 and 3"):
        shape([3], [4])
