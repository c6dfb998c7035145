"""Results that lie side by side, as in a batch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from millrace._src.data import stacked_results
from millrace._src.data.stacked_results import StackedResults


def test_results_are_copied_to_their_places() -> None:
    stacked = StackedResults(3)
    rows = [stacked.put(i, [np.full((2, 2), i), np.array(b"%d" % i, object)]) for i in (2, 0, 1)]
    block = stacked.block(1, [rows[2], rows[0]])
    assert block.count == 2
    assert block.columns[0].tolist() == [[[1, 1], [1, 1]], [[2, 2], [2, 2]]]
    assert block.columns[1].tolist() == [b"1", b"2"]
    assert np.shares_memory(block.columns[0], rows[0][0])


@pytest.mark.parametrize("other", [np.zeros((3, 2)), np.zeros((2, 2), np.float32), np.zeros(2)])
def test_results_that_do_not_fit_stay_where_they_are(other: Any) -> None:
    stacked = StackedResults(2)
    rows = [stacked.put(0, [np.ones((2, 2))]), stacked.put(1, [other])]
    assert rows[1][0] is other
    (column,) = stacked.block(0, rows).columns
    assert [array.shape for array in column] == [(2, 2), other.shape]


def test_large_results_stay_where_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stacked_results, "_MOST_BYTES", 100)
    stacked, results = StackedResults(4), [[np.ones(8)], [np.zeros(1)]]
    assert [stacked.put(i, row) for i, row in enumerate(results)] == results
    (column,) = stacked.block(0, results).columns
    assert [array.tolist() for array in column] == [[1.0] * 8, [0.0]]


def test_elements_without_tensors_have_no_columns() -> None:
    stacked = StackedResults(2)
    block = stacked.block(0, [stacked.put(0, []), stacked.put(1, [])])
    assert (block.columns, block.count) == ([], 2)
