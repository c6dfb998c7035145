"""Which slices are needed for a part of a tensor."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from millrace._src.checkpoint.bundle.partitions import covering
from millrace._src.checkpoint.bundle.tensor_slices import index_of

_SHAPE = (3, 4)
_BOXES = st.tuples(
    *(
        st.integers(0, size - 1).flatmap(
            lambda start, size=size: st.tuples(st.just(start), st.integers(start + 1, size))
        )
        for size in _SHAPE
    )
)


@given(st.lists(_BOXES, max_size=6), _BOXES)
def test_the_chosen_slices_cover_the_part_if_all_of_them_do(stored: list[Any], target: Any) -> None:
    def covered(positions: Any) -> bool:
        marks = np.zeros(_SHAPE, bool)
        for position in positions:
            marks[index_of(stored[position])] = True
        return bool(marks[index_of(target)].all())

    chosen = covering(stored, target)
    assert (chosen is not None) == covered(range(len(stored)))
    assert chosen is None or covered(chosen)


def test_nothing_is_needed_for_nothing() -> None:
    assert covering([], ((0, 0), (0, 4))) == []
    assert covering([((0, 0), (0, 4))], ((0, 0), (0, 4))) == [0]
