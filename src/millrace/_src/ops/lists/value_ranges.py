"""What is known of the lengths and items of lists, and when an index of a list is certainly in range.

The rules read a `RangeContext`; `core/value_ranges.py` says what a fact is.

Tests: tests/passes/test_value_ranges.py
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from millrace._src.core.value_ranges import Fact, Items, RangeContext, Size, exactly
from millrace._src.ops.array.value_ranges import is_inside
from millrace._src.ops.lists.element_access import (
    tensor_list_get_item,
    tensor_list_length,
    tensor_list_pop_back,
    tensor_list_push_back,
    tensor_list_set_item,
)
from millrace._src.ops.lists.making import empty_tensor_list, tensor_list_from_tensor, tensor_list_reserve


@empty_tensor_list.value_range
def _empty_range(c: RangeContext) -> Sequence[Fact | None]:
    return [Items(Size(None, 0), is_new=True)]


@tensor_list_reserve.value_range
def _reserve_range(c: RangeContext) -> Sequence[Fact | None]:
    count = c.number(1)
    return [Items(count.exact if count is not None else None)]


@tensor_list_from_tensor.value_range
def _from_tensor_range(c: RangeContext) -> Sequence[Fact | None]:
    return [Items(c.size(0, 0))]


@tensor_list_set_item.value_range
def _set_item_range(c: RangeContext) -> Sequence[Fact | None]:
    known = c.items(0)
    keeps_length = not c.attrs.get("resize_if_index_out_of_bounds")
    return [known.with_item(c.fact(2)) if known is not None and keeps_length else None]


@tensor_list_push_back.value_range
def _push_back_range(c: RangeContext) -> Sequence[Fact | None]:
    known = c.items(0)
    if known is None:
        return [None]
    return [replace(known.with_item(c.fact(1)), length=known.length and known.length.plus(1))]


@tensor_list_pop_back.value_range
def _pop_back_range(c: RangeContext) -> Sequence[Fact | None]:
    known = c.items(0)
    return [] if known is None else [replace(known, length=known.length and known.length.plus(-1)), known.item]


@tensor_list_get_item.value_range
def _get_item_range(c: RangeContext) -> Sequence[Fact | None]:
    known = c.items(0)
    return [known.item if known is not None else None]


@tensor_list_length.value_range
def _length_range(c: RangeContext) -> Sequence[Fact | None]:
    known = c.items(0)
    return [exactly(known.length) if known is not None and known.length is not None else None]


@tensor_list_get_item.in_range
@tensor_list_set_item.in_range
def _index_in_range(c: RangeContext) -> bool:
    known = c.items(0)
    return known is not None and is_inside(c.fact(1), known.length)
