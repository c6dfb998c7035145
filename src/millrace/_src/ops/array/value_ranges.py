"""What is known of the integers that the ops of arrays compute, and when their indices are certainly in range.

The rules read a `RangeContext`; `core/value_ranges.py` says what a fact is.

Tests: tests/passes/test_value_ranges.py
"""

from __future__ import annotations

from collections.abc import Sequence

from millrace._src.core.value_ranges import (
    Fact,
    RangeContext,
    Size,
    ValueRange,
    constant_fact,
    elements,
    exactly,
    shift,
    vector,
)
from millrace._src.ops.array.concat import concat_op, pack
from millrace._src.ops.array.gathering import gather_v2
from millrace._src.ops.array.shape_ops import shape_op
from millrace._src.ops.array.slicing import slice_op, strided_slice_grad, strided_slice_op


@pack.value_range
def _pack_range(c: RangeContext) -> Sequence[Fact | None]:
    indices = range(c.input_count)
    if any(c.shape(index).rank != 0 for index in indices):
        return [None]
    return [vector([c.number(index) for index in indices])]


@concat_op.value_range
def _concat_range(c: RangeContext) -> Sequence[Fact | None]:
    numbers: list[ValueRange | None] = []
    for index in range(c.input_count - 1):  # the last input is the axis
        shape = c.shape(index)
        size = shape.num_elements()
        if shape.rank != 1 or size is None:
            return [None]
        numbers += elements(c.fact(index)) or [None] * size
    return [vector(numbers)]


@shape_op.value_range
def _shape_range(c: RangeContext) -> Sequence[Fact | None]:
    sizes = [c.size(0, axis) for axis in range(c.shape(0).rank or 0)]
    return [vector([None if size is None else exactly(size) for size in sizes]) if sizes else None]


@strided_slice_op.value_range
def _element_range(c: RangeContext) -> Sequence[Fact | None]:
    """Returns the fact of one number out of a vector: `shape[1]`."""
    numbers, begin = elements(c.fact(0)), c.constant(1)
    if c.shape(0).rank != 1 or begin is None or begin.size != 1 or _single_indices(c, 1) != [(0, 0)]:
        return [None]
    index = int(begin[0])
    return [numbers[index] if -len(numbers) <= index < len(numbers) else None]


# --- indices ----------------------------------------------------------------------------------------------------------


def is_inside(index: Fact | None, size: Size | None) -> bool:
    """Returns whether an index is in range: not negative, and less than a size."""
    if not isinstance(index, ValueRange) or index.least < 0:
        return False
    return any(bound is not None and bound.is_below(size) for bound in (index.most, index.exact))


def _is_from_end(index: Fact | None, size: Size | None) -> bool:
    """Returns whether an index is a negative number that counts from the end, and not too far."""
    if not isinstance(index, ValueRange) or index.exact is None or index.exact.base is not None:
        return False
    return size is not None and size.base is None and -size.offset <= index.exact.offset < 0


def _single_indices(c: RangeContext, rank: int) -> list[tuple[int, int]] | None:
    """Returns the indices of a strided slice that each take one element: where the index stands, and its axis.

    Args:
      c: the node of the slice.
      rank: the number of axes of what is sliced.

    Returns: None where it is unknown whether a stride is refused.
    """
    strides = c.constant(3)
    if strides is None or (strides == 0).any():
        return None
    shrinks, new, dots = (c.attrs.get(mask, 0) for mask in ("shrink_axis_mask", "new_axis_mask", "ellipsis_mask"))
    named_axes = sum(not (new | dots) >> position & 1 for position in range(strides.size))
    found_indices: list[tuple[int, int]] = []
    axis = 0
    for position in range(strides.size):
        if dots >> position & 1:
            axis += rank - named_axes
        elif not new >> position & 1:
            if shrinks >> position & 1:
                if strides[position] < 0:
                    return None
                found_indices.append((position, axis))
            axis += 1
    return found_indices


def _takes_inside(c: RangeContext, sizes: Sequence[Size | None]) -> bool:
    """Returns whether all indices of a strided slice that take one element are in range."""
    found_indices, numbers = _single_indices(c, len(sizes)), elements(c.fact(1))
    if found_indices is None or c.attrs.get("begin_mask", 0) & c.attrs.get("shrink_axis_mask", 0):
        return False
    return all(
        position < len(numbers)
        and axis < len(sizes)
        and (is_inside(numbers[position], sizes[axis]) or _is_from_end(numbers[position], sizes[axis]))
        for position, axis in found_indices
    )


@strided_slice_op.in_range
def _strided_slice_in_range(c: RangeContext) -> bool:
    rank = c.shape(0).rank
    return rank is not None and _takes_inside(c, [c.size(0, axis) for axis in range(rank)])


@strided_slice_grad.in_range
def _strided_slice_grad_in_range(c: RangeContext) -> bool:
    sizes = [None if number is None else number.exact for number in elements(c.fact(0))]
    return bool(sizes) and _takes_inside(c, sizes)


@slice_op.in_range
def _slice_in_range(c: RangeContext) -> bool:
    """Returns whether the block that `tf.slice` takes is inside, along each axis."""
    rank, begins, sizes = c.shape(0).rank, elements(c.fact(1)), elements(c.fact(2))
    if rank is None or not len(begins) == len(sizes) == rank:
        return False
    return all(_is_part(c.size(0, axis), begins[axis], sizes[axis]) for axis in range(rank))


def _is_part(whole: Size | None, first: ValueRange | None, count: ValueRange | None) -> bool:
    """Returns whether some positions after each other are among all; a count of -1 means all that follow."""
    least_first = first.least if first is not None else -1
    if first is None or count is None or count.exact is None or whole is None or least_first < 0:
        return False
    end = whole.plus(1)
    if count.exact == Size(None, -1):
        return first.exact == Size(None, 0) or is_inside(first, end)
    if count.exact == whole:
        return first.exact == Size(None, 0)
    number = count.exact
    return number.base is None and number.offset >= 0 and is_inside(shift(first, number.offset), end)


@gather_v2.in_range
def _gather_in_range(c: RangeContext) -> bool:
    axis = c.constant(2)
    at = constant_fact(axis) if axis is not None else None
    if not isinstance(at, ValueRange) or at.least < 0 or c.attrs.get("batch_dims"):
        return False
    return c.shape(1).rank == 0 and is_inside(c.fact(1), c.size(0, at.least))
