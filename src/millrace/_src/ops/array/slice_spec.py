"""What a strided slice means: from begin, end, strides and five masks to one range per dimension.

TensorFlow encodes `x[1:, ..., None, -1]` as three vectors and five bit masks, whose bit `i` speaks of entry `i`: begin
or end left out, the ellipsis, a new axis, an index that removes its dimension. Reading the code takes two steps, the
same for the kernel, the shape rule and the gradients. `dense` gives each *dimension of the input* an entry, spreading
the ellipsis. `range_of` brings an entry into the bounds of the dimension. A `SliceLayout` is the outcome.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple


class Masks(NamedTuple):
    """The five bit masks of a strided slice."""

    begin: int = 0
    end: int = 0
    ellipsis: int = 0
    new_axis: int = 0
    shrink_axis: int = 0


class SliceEntry(NamedTuple):
    """The slice of one dimension of the input; None is a value not known while tracing."""

    begin: int | None
    end: int | None
    stride: int
    begin_masked: bool
    end_masked: bool
    shrinks: bool
    position: int
    """The position, in begin, end and strides, that this entry came from; -1 for dimensions without an entry there."""


class SliceRange(NamedTuple):
    """The elements `begin, begin + stride, ...` of a dimension: `size` elements."""

    begin: int
    stride: int
    size: int
    shrinks: bool

    @property
    def as_slice(self) -> slice:
        """Returns the range as a Python slice."""
        end = self.begin + self.stride * self.size
        return slice(self.begin, None if end < 0 else end, self.stride) if self.size else slice(0, 0)


class SliceLayout(NamedTuple):
    """The index that slices an array of known shape."""

    key: tuple[Any, ...]
    """The NumPy index that gives the result in the final shape."""
    ranges: tuple[slice, ...]
    """The NumPy index by which no dimension is lost or added."""
    range_shape: tuple[int, ...]
    """The shape of the array indexed by `ranges`."""
    shape: tuple[int, ...]
    """The final shape of the slice."""


NEW_AXIS = -1
"""In the order of the result's dimensions: a new dimension."""


Fail = Callable[[str], Exception]


def dense(
    count: int,
    begin: Sequence[int] | None,
    end: Sequence[int] | None,
    strides: Sequence[int],
    masks: Masks,
    rank: int,
    fail: Fail,
) -> tuple[list[SliceEntry], list[int]]:
    """Gives each dimension of the input an entry.

    Args:
      count: the number of entries.
      begin: the begins, None if they are not known while tracing.
      end: the ends, likewise.
      strides: the strides.
      masks: the bit masks.
      rank: the rank of the input.
      fail: makes the exception of a message.

    Returns: The entries, and the dimensions of the result in order: a dimension of the input, or NEW_AXIS.
    """
    _check_ellipsis(masks, count, fail)
    entries: list[SliceEntry] = []
    order: list[int] = []
    ellipsis_at = _ellipsis_position(masks, count)
    for i in range(count + (ellipsis_at == count)):
        bit = 1 << i
        if i == ellipsis_at:
            new_after = sum(1 for j in range(i + 1, count) if masks.new_axis >> j & 1)
            stop = min(rank - (count - i) + 1 + new_after, rank) if i < count else rank
            while len(entries) < stop:
                order.append(len(entries))
                entries.append(SliceEntry(0, 0, 1, True, True, False, -1))
        elif masks.new_axis & bit:
            order.append(NEW_AXIS)
        else:
            if len(entries) == rank:
                if rank == 0:
                    raise fail("Attempting to slice scalar input.")
                raise fail(f"Index out of range using input dim {rank}; input has only {rank} dims")
            shrinks = bool(masks.shrink_axis & bit)
            if not shrinks:
                order.append(len(entries))
            first, last = (None if begin is None else begin[i]), (None if end is None else end[i])
            entries.append(
                SliceEntry(first, last, strides[i], bool(masks.begin & bit), bool(masks.end & bit), shrinks, i)
            )
    return entries, order


def _check_ellipsis(masks: Masks, count: int, fail: Fail) -> None:
    ellipses = masks.ellipsis & ((1 << count) - 1)
    if ellipses & (ellipses - 1):
        raise fail("Multiple ellipses in slice spec not allowed")


def _ellipsis_position(masks: Masks, count: int) -> int:
    """Returns the position of the entry that is the ellipsis; `count`, as if an ellipsis came last, if none is."""
    ellipses = masks.ellipsis & ((1 << count) - 1)
    return ellipses.bit_length() - 1 if ellipses else count


def range_of(entry: SliceEntry, dim: int, at: int, fail: Fail) -> SliceRange:
    """Returns the elements that a fully known entry selects from a dimension of size `dim`."""
    begin, end, stride = entry.begin or 0, entry.end or 0, entry.stride
    if stride == 0:
        raise fail(f"strides[{at}] must be non-zero")
    if entry.shrinks:
        if stride < 0:
            raise fail("only stride 1 allowed on non-range indexing.")
        first = begin + dim if begin < 0 else begin
        if not 0 <= first < dim:
            raise fail(f"slice index {first} of dimension {at} out of bounds.")
        return SliceRange(first, 1, 1, True)
    low, high = (0, dim) if stride > 0 else (-1, dim - 1)
    first = (
        (low if stride > 0 else high)
        if entry.begin_masked
        else min(max(begin + dim if begin < 0 else begin, low), high)
    )
    last = (high if stride > 0 else low) if entry.end_masked else min(max(end + dim if end < 0 else end, low), high)
    return SliceRange(first, stride, max(0, -(-(last - first) // stride)), False)


def layout(
    shape: tuple[int, ...], begin: Sequence[int], end: Sequence[int], strides: Sequence[int], masks: Masks, fail: Fail
) -> SliceLayout:
    """Works out how to slice an array of shape `shape`. Raises `fail(message)` if the slice is impossible."""
    entries, order = dense(len(begin), begin, end, strides, masks, len(shape), fail)
    ranges = [range_of(entry, dim, at, fail) for at, (entry, dim) in enumerate(zip(entries, shape, strict=True))]
    return SliceLayout(_index(ranges, order), *_sizes(ranges, order))


def _index(ranges: Sequence[SliceRange], order: Sequence[int]) -> tuple[Any, ...]:
    """Returns the NumPy index of the final shape.

    The index ends in an ellipsis, so that even a single element stays an array.
    """
    index: list[Any] = []
    remaining = iter(order)
    upcoming = next(remaining, None)
    for at, part in enumerate(ranges):
        while upcoming == NEW_AXIS:
            index.append(None)
            upcoming = next(remaining, None)
        index.append(part.begin if part.shrinks else part.as_slice)
        if upcoming == at:
            upcoming = next(remaining, None)
    while upcoming == NEW_AXIS:
        index.append(None)
        upcoming = next(remaining, None)
    return (*index, ...)


def _sizes(
    ranges: Sequence[SliceRange], order: Sequence[int]
) -> tuple[tuple[slice, ...], tuple[int, ...], tuple[int, ...]]:
    slices = tuple(r.as_slice for r in ranges)
    range_shape = tuple(r.size for r in ranges)
    return slices, range_shape, tuple(1 if at == NEW_AXIS else range_shape[at] for at in order)


@functools.lru_cache(maxsize=4096)
def cache_layout(
    shape: tuple[int, ...],
    begin: tuple[int, ...],
    end: tuple[int, ...],
    strides: tuple[int, ...],
    masks: Masks,
    fail: Fail,
) -> SliceLayout:
    """Returns `layout` of the arguments, from a cache: programs take the same slices again and again."""
    return layout(shape, begin, end, strides, masks, fail)


def static_size(entry: SliceEntry, dim: int | None, at: int, fail: Fail) -> int | None:
    """Returns the number of elements that an entry selects, None where a trace does not know the number."""
    if entry.stride == 0:
        raise fail(f"strides[{at}] must be non-zero")
    if entry.shrinks and entry.stride < 0:
        raise fail("only stride 1 allowed on non-range indexing.")
    if dim is None:
        return None
    if (
        entry.begin is not None
        and entry.end is not None
        or entry.begin_masked
        and entry.end_masked
        and not entry.shrinks
    ):
        return range_of(entry, dim, at, fail).size
    return None
