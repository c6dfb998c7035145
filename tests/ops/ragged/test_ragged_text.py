"""Text, arrays and lists of ragged values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given

from millrace._src.ops.ragged.ragged_text import array_text, nested_arrays, nested_lists
from tests.ops.ragged.nests import Nest, nests


@pytest.mark.parametrize(
    ("array", "expected"),
    [
        (np.zeros([2, 0]), "[[], []]"),
        (np.zeros([0]), "[]"),
        (np.array([1.5, np.nan, 1e-10], np.float32), "[1.5, nan, 1e-10]"),
        (np.array([b"a", b"b"], object), "[b'a', b'b']"),
        (np.array([[True], [False]]), "[[True],\n [False]]"),
    ],
)
def test_arrays_print_with_commas(array: Any, expected: str) -> None:
    assert array_text(array) == expected


def test_rows_of_one_length_are_a_plain_array() -> None:
    assert nested_arrays(np.arange(4), np.array([0, 2, 4])).tolist() == [[0, 1], [2, 3]]
    assert nested_arrays(np.arange(4), np.array([0])).shape == (0, 0)
    rows = nested_arrays(np.arange(3), np.array([0, 2, 3]))
    assert rows.dtype == object
    assert [row.tolist() for row in rows] == [[0, 1], [2]]


@given(nests())
def test_lists_are_taken_from_flat_values(nest: Nest) -> None:
    assert nested_lists(nest.flat, nest.nested_splits) == nest.rows
