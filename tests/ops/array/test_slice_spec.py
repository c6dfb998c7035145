"""The meaning of strided slices, against NumPy's."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from millrace._src.ops.array.slice_spec import Masks, SliceEntry, layout, range_of, static_size

_BOUND = st.integers(-6, 6)


@given(st.integers(0, 5), _BOUND, _BOUND, st.sampled_from([-3, -2, -1, 1, 2, 3]), st.booleans(), st.booleans())
def test_a_range_takes_what_a_python_slice_takes(
    dim: int, begin: int, end: int, stride: int, begin_masked: bool, end_masked: bool
) -> None:
    entry = SliceEntry(begin, end, stride, begin_masked, end_masked, False, 0)
    taken = list(range(dim))[slice(None if begin_masked else begin, None if end_masked else end, stride)]
    part = range_of(entry, dim, 0, ValueError)
    assert list(range(dim))[part.as_slice] == taken
    assert part.size == len(taken) == static_size(entry, dim, 0, ValueError)


def test_an_unknown_bound_gives_an_unknown_size() -> None:
    assert static_size(SliceEntry(None, 3, 1, False, False, False, 0), 5, 0, ValueError) is None
    assert static_size(SliceEntry(None, None, 1, True, True, False, 0), 5, 0, ValueError) == 5
    assert static_size(SliceEntry(0, 3, 1, False, False, False, 0), None, 0, ValueError) is None


def test_the_ellipsis_stands_for_the_dimensions_that_are_left() -> None:
    found = layout((2, 3, 4), [0, 0, 1], [0, 0, 2], [1, 1, 1], Masks(ellipsis=2, new_axis=1, shrink_axis=4), ValueError)
    assert found.shape == (1, 2, 3)
    assert found.range_shape == (2, 3, 1)


def test_a_new_axis_counts_neither_as_a_dimension_nor_as_shrunk() -> None:
    found = layout((2,), [0, 1], [0, 2], [1, 1], Masks(new_axis=1, shrink_axis=3), ValueError)
    assert found.shape == (1,)
