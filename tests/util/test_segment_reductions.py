"""Runs of rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from millrace._src.util.segment_reductions import combine_runs, run_starts


def test_a_run_starts_where_a_number_differs_from_the_one_before() -> None:
    assert run_starts(np.int32([3, 3, 4, 4, 4, 9])).tolist() == [0, 2, 5]
    assert run_starts(np.int64([7])).tolist() == [0]
    assert run_starts(np.int32([])).tolist() == []


@pytest.mark.parametrize("longest", [1, 5, 4000])
@pytest.mark.parametrize("ufunc", [np.add, np.multiply, np.maximum, np.minimum])
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int8", "int32", "uint16", "complex64"])
def test_runs_are_combined_row_by_row(dtype: str, ufunc: Any, longest: int) -> None:
    rng = np.random.default_rng(0)
    counts = rng.integers(1, longest + 1, 4000 // longest)
    starts = np.cumsum(counts) - counts
    rows = rng.integers(-3, 4, (counts.sum(), 5)).astype(dtype)
    if dtype == "float32" and ufunc in (np.maximum, np.minimum):
        rows[::7, 2] = np.nan
    for matrix in (rows, np.asfortranarray(rows)):
        with np.errstate(all="ignore"):
            found_starts, found = combine_runs(matrix, starts, ufunc)
            wanted = ufunc.reduceat(rows, starts, axis=0, dtype=dtype)
        assert found.dtype == dtype
        np.testing.assert_array_equal(found[np.argsort(found_starts)], wanted)
