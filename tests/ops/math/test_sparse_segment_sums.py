"""Sums of rows that are chosen by index."""

from __future__ import annotations

import numpy as np
import pytest

from millrace._src.ops.math.sparse_segment_sums import distinct_rows, rows_added_up, sum_chosen_rows


@pytest.mark.parametrize("count", [0, 5, 500])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64])
def test_many_indices_add_up_as_few_do(count: int, dtype: type) -> None:
    generator = np.random.default_rng(0)
    data = generator.integers(-9, 9, (40, 2, 3)).astype(dtype)
    indices, ids = generator.integers(0, 40, count), np.sort(generator.integers(0, 9, count))
    expected = np.zeros((9, 2, 3), dtype)
    np.add.at(expected, ids, data[indices])
    np.testing.assert_array_equal(sum_chosen_rows(data, indices, ids, 9), expected)
    backward = np.zeros((40, 2, 3), dtype)
    np.add.at(backward, indices, expected[ids])
    np.testing.assert_array_equal(rows_added_up(expected, indices, ids, 40), backward)


def test_rows_of_segments_in_disorder_are_added_up_all_the_same() -> None:
    ids, indices = np.arange(100)[::-1] % 3, np.arange(100) % 7
    expected = np.zeros((7, 1))
    np.add.at(expected, indices, np.arange(3.0)[ids][:, None])
    np.testing.assert_array_equal(rows_added_up(np.arange(3.0)[:, None], indices, ids, 7), expected)


@pytest.mark.parametrize("rows", [10, 10**6])
def test_distinct_rows_are_those_of_unique(rows: int) -> None:
    distinct, positions = distinct_rows(np.int32([7, 1, 7, 3]), rows)
    assert distinct.tolist() == [1, 3, 7]
    assert distinct.dtype == np.int32
    assert positions.tolist() == [2, 0, 2, 1]
