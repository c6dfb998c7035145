"""Applying the formula of an optimizer to rows."""

from __future__ import annotations

import numpy as np
import pytest

from millrace._src.ops.training.updating import _rounds


@pytest.mark.parametrize("indices", [[], [3], [2, 0, 2, 2, 0]])
def test_rounds_hold_each_index_once_and_all_positions_in_order(indices: list[int]) -> None:
    array = np.array(indices, np.int32)
    rounds = _rounds(array)
    assert all(len(set(array[group].tolist())) == len(group) for group in rounds)
    assert sorted(position for group in rounds for position in group.tolist()) == list(range(len(indices)))
    for index in set(indices):
        positions = [position for group in rounds for position in group.tolist() if array[position] == index]
        assert positions == sorted(positions)
