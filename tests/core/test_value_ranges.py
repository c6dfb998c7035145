"""Facts of integers: ranges, sizes, vectors, lists."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from millrace._src.core.dtypes import int8, int32, int64, uint8
from millrace._src.core.value_ranges import (
    Items,
    Numbers,
    Size,
    ValueRange,
    can_hold,
    constant_fact,
    elements,
    exactly,
    join,
    safe_sum,
    shift,
    vector,
)


def number(value: int) -> ValueRange:
    return exactly(Size(None, value))


def test_a_size_is_below_another_of_the_same_base_alone() -> None:
    assert Size("n", 1).is_below(Size("n", 2))
    assert not Size("n", 1).is_below(Size("m", 2))
    assert not Size("n", 2).is_below(Size("n", 2))
    assert not Size("n", 1).is_below(None)


def test_constants_are_numbers_or_vectors_of_numbers() -> None:
    assert constant_fact(np.array(3)) == number(3)
    assert constant_fact(np.array([3])) == number(3)
    assert constant_fact(np.array([3, 4])) == Numbers((number(3), number(4)))
    assert constant_fact(np.array([[3]])) is None
    assert constant_fact(np.array(3.0)) is None


@given(st.integers(-100, 100), st.integers(-100, 100), st.integers(-100, 100))
def test_a_joined_range_holds_what_held_for_both(a: int, b: int, moved_by: int) -> None:
    known = join(shift(number(a), moved_by), shift(number(b), moved_by))
    assert known is not None
    assert known.most is not None
    assert known.least == min(a, b) + moved_by
    assert known.most.offset == max(a, b) + moved_by


def test_ranges_of_different_bases_have_no_common_bound() -> None:
    known = join(ValueRange(0, Size("n", 0)), ValueRange(2, Size("m", 0)))
    assert known == ValueRange(0, None)


@given(st.integers(-128, 127), st.integers(-300, 300))
def test_a_sum_is_known_only_where_it_cannot_wrap_around(value: int, added: int) -> None:
    known = safe_sum(number(value), added, int8)
    if -128 <= value + added <= 127:
        assert known == number(value + added) or added < 0
    else:
        assert known is None


def test_a_size_of_an_array_holds_small_additions_in_wide_integers_alone() -> None:
    size = ValueRange(0, exact=Size(("x", 0), 0))
    assert safe_sum(size, 1, int64) is not None
    assert safe_sum(size, 1, int8) is None


def test_a_dtype_holds_what_fits_in_it() -> None:
    assert can_hold(int64, ValueRange(-(2**31)), int32)
    assert can_hold(uint8, number(200), int32)
    assert not can_hold(int8, number(200), int32)
    assert not can_hold(uint8, ValueRange(-1), int32)


def test_a_vector_of_one_number_is_known_as_the_number() -> None:
    assert vector([number(1)]) == number(1)
    assert elements(vector([number(1)])) == (number(1),)
    assert elements(vector([number(1), None])) == (number(1), None)
    assert elements(None) == ()


def test_items_of_a_new_list_are_those_that_are_put_in() -> None:
    items = Items(Size(None, 2), is_new=True).with_item(number(3))
    assert items.item == number(3)
    known = items.with_item(number(5)).item
    assert known is not None
    assert (known.least, known.most) == (3, Size(None, 5))
    assert items.with_item(None).item is None
