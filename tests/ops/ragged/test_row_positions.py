"""The arithmetic of rows."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from millrace._src.ops.ragged.row_positions import positions_in, rows_of_positions, splits_of

_ROWS = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 4)), max_size=8)


@given(_ROWS)
def test_positions_are_those_of_a_loop(rows: list[tuple[int, int]]) -> None:
    starts, lengths = np.array(rows, np.int64).reshape(-1, 2).T
    assert positions_in(starts, lengths).tolist() == [s + i for s, n in rows for i in range(n)]


@given(_ROWS)
def test_each_value_finds_its_row(rows: list[tuple[int, int]]) -> None:
    lengths = np.array([n for _, n in rows], np.int64)
    splits = splits_of(lengths)
    assert splits.tolist() == [int(lengths[:i].sum()) for i in range(lengths.size + 1)]
    expected = [row for row, n in enumerate(lengths.tolist()) for _ in range(n)]
    assert rows_of_positions(splits, int(splits[-1])).tolist() == expected


def test_splits_have_the_wanted_dtype() -> None:
    assert splits_of(np.array([1, 2], np.int64), np.int32).dtype == np.int32
