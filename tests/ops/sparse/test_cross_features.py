"""Crosses of features."""

from __future__ import annotations

import itertools

import numpy as np

from millrace._src.ops.sparse.cross_features import (
    buckets_of,
    combinations,
    dense_feature,
    join_texts,
    sparse_feature,
)


def test_combinations_are_those_of_itertools() -> None:
    first = sparse_feature(np.int64([[0, 0], [2, 0], [2, 1]]), np.int64([1, 2, 3]), 3)
    second = dense_feature(np.int64([[10, 20], [30, 40], [50, 60]]))
    splits, positions = combinations([first, second])
    assert splits.tolist() == [0, 2, 2, 6]
    pairs = list(zip(first.values[positions[0]].tolist(), second.values[positions[1]].tolist(), strict=True))
    assert pairs == [*itertools.product([1], [10, 20]), *itertools.product([2, 3], [50, 60])]


def test_rows_in_disorder_are_brought_in_order_and_rows_outside_left_out() -> None:
    feature = sparse_feature(np.int64([[2, 0], [7, 0], [0, 0], [-1, 0]]), np.int64([1, 2, 3, 4]), 3)
    assert feature.values.tolist() == [3, 1]
    assert feature.lengths.tolist() == [1, 0, 1]


def test_numbers_that_repeat_are_written_as_those_that_do_not() -> None:
    for numbers in ([3, -2, 3, 3, 0, 1], [10**12, -7], []):
        feature = dense_feature(np.int64([numbers]))
        assert feature.texts().tolist() == [b"%d" % number for number in numbers]


def test_numbers_are_joined_as_text() -> None:
    features = [dense_feature(np.int64([[-1]])), dense_feature(np.array([[b"x"]], object))]
    assert join_texts(features, combinations(features)[1], b"").tolist() == [b"-1x"]


def test_hashes_without_buckets_stay_below_the_largest_int64() -> None:
    assert buckets_of(np.uint64([2**64 - 1, 2**63 - 1, 5]), 0).tolist() == [1, 0, 5]
