"""tf.ragged.range."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf


@pytest.mark.parametrize(
    ("arguments", "options", "dtype", "expected"),
    [
        (([3, 2],), {}, tf.int32, [[0, 1, 2], [0, 1]]),
        ((3,), {}, tf.int32, [[0, 1, 2]]),
        (([1, 2], [4, 3]), {}, tf.int32, [[1, 2, 3], [2]]),
        (([1, 2], [4, 3], 2), {}, tf.int32, [[1, 3], [2]]),
        (([0.0, 1], [1.5, 2], 0.5), {}, tf.float32, [[0.0, 0.5, 1.0], [1.0, 1.5]]),
        (([1, 2], 5), {}, tf.int32, [[1, 2, 3, 4], [2, 3, 4]]),
        ((0, 5, [1, 2]), {}, tf.int32, [[0, 1, 2, 3, 4], [0, 2, 4]]),
        (([2],), {"dtype": tf.float32}, tf.float32, [[0.0, 1.0]]),
        (([1], [3.0]), {}, tf.float32, [[1.0, 2.0]]),
        ((tf.constant([1]), tf.constant([3], tf.int64)), {}, tf.int64, [[1, 2]]),
        (([3, 2],), {"deltas": -1}, tf.int32, [[], []]),
        (([-3],), {"deltas": -1}, tf.int32, [[0, -1, -2]]),
        (([], []), {}, tf.float32, []),
    ],
)
def test_rows_are_ranges(arguments: Any, options: Any, dtype: Any, expected: Any) -> None:
    x = tf.ragged.range(*arguments, **options)
    assert x.dtype == dtype
    assert x.to_list() == expected


def test_row_splits_of_a_dtype() -> None:
    assert tf.ragged.range([2], row_splits_dtype=tf.int32).row_splits.dtype == tf.int32


def test_the_number_of_rows_is_static() -> None:
    @tf.function(autograph=False, input_signature=[tf.TensorSpec([3], tf.int32)])
    def f(limits: Any) -> Any:
        x = tf.ragged.range(limits, name="steps")
        assert x.shape.as_list() == [3, None]
        return x

    assert f(tf.constant([1, 0, 2])).to_list() == [[0], [], [0, 1]]


def test_what_is_no_range_is_refused() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="Requires delta != 0"):
        tf.ragged.range([1], [4], deltas=0)
    with pytest.raises(tf.errors.InvalidArgumentError, match="must have the same shape"):
        tf.ragged.range([1], [2, 3])
    with pytest.raises((TypeError, AssertionError)):
        tf.ragged.range("a")
