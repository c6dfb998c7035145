"""Applying the formula of an optimizer to rows."""

from __future__ import annotations

import numpy as np
import pytest

from millrace._src.ops.training.updating import _rounds


@pytest.mark.parametrize("indices", [[], [3], [2, 0, 2, 2, 0]])
def test_rounds_hold_each_index_once_and_all_places_in_order(indices: list[int]) -> None:
    array = np.array(indices, np.int32)
    rounds = _rounds(array)
    assert all(len(set(array[places].tolist())) == len(places) for places in rounds)
    assert sorted(place for places in rounds for place in places.tolist()) == list(range(len(indices)))
    for index in set(indices):
        places = [place for chosen in rounds for place in chosen.tolist() if array[place] == index]
        assert places == sorted(places)
