"""Results that lie side by side, as in a batch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from millrace._src.data import stacked_results as module
from millrace._src.data.blocks import Block
from millrace._src.data.stacked_results import StackedResults, allocate_results, block_of_views, kinds_of

FLOATS = ((2, 2), np.dtype(float))


def test_results_are_copied_to_their_rows() -> None:
    stacked = StackedResults(3, [FLOATS, ((), np.dtype(object))])
    rows = [stacked.put(i, [np.full((2, 2), float(i)), np.array(b"%d" % i, object)]) for i in (2, 0, 1)]
    block = stacked.block(1, [rows[2], rows[0]])
    assert block.count == 2
    assert block.columns[0].tolist() == [[[1, 1], [1, 1]], [[2, 2], [2, 2]]]
    assert block.columns[1].tolist() == [b"1", b"2"]
    assert np.shares_memory(block.columns[0], rows[0][0])


@pytest.mark.parametrize("other", [np.zeros((3, 2)), np.zeros((2, 2), np.float32), np.zeros(2)])
def test_results_that_do_not_fit_stay_where_they_are(other: Any) -> None:
    stacked = StackedResults(2, [FLOATS])
    rows = [stacked.put(0, [np.ones((2, 2))]), stacked.put(1, [other])]
    assert rows[1][0] is other
    (column,) = stacked.block(0, rows).columns
    assert [array.shape for array in column] == [(2, 2), other.shape]


def test_there_is_memory_for_several_results_of_known_kinds_that_are_not_too_large(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert allocate_results(2, None) is None
    assert allocate_results(1, [FLOATS]) is None
    assert allocate_results(4, [FLOATS]) is not None
    monkeypatch.setattr(module, "_MAX_BYTES", 100)
    assert allocate_results(4, [FLOATS]) is None


def test_the_kinds_are_those_of_one_element() -> None:
    rows = [[np.zeros((2, 2)), np.zeros(i)] for i in (1, 2)]
    assert kinds_of(Block.of_rows(rows)) is None
    assert kinds_of(Block.of_row(rows[0])) == [FLOATS, ((1,), np.dtype(float))]


def test_views_make_a_block_without_a_copy() -> None:
    rows = [[np.zeros(2)], [np.ones(2)]]
    block = block_of_views(rows)
    assert block.columns[0] == [rows[0][0], rows[1][0]]
    assert np.shares_memory(block_of_views(rows[:1]).columns[0], rows[0][0])
