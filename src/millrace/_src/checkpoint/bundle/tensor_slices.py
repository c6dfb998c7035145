"""Slices of tensors: the boxes that the parts of a partitioned variable are.

Users write a slice as text, `"10 20 0,5:-"`: the shape of the whole tensor, and for each dimension where the slice
begins and how long it is, or `-` for all of the dimension. Files hold slices as protos.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from millrace._src.core import errors
from millrace._src.proto.tensor_slice_pb2 import TensorSliceProto
from millrace._src.util.text import shape_brackets

WHOLE = -1
"""The length that means all of a dimension."""

_INTEGER = re.compile(r"[+-]?[0-9]{1,19}")
_LARGEST = (1 << 63) - 1

Box = tuple[tuple[int, int], ...]
"""For each dimension, where a box begins and ends."""


@dataclass(frozen=True, slots=True)
class TensorSlice:
    """A box inside a tensor.

    Attributes:
      starts: where the box begins, for each dimension.
      lengths: how long the box is, for each dimension; `WHOLE` for all of the dimension.
    """

    starts: tuple[int, ...]
    lengths: tuple[int, ...]

    @classmethod
    def whole(cls, rank: int) -> TensorSlice:
        """Returns the slice that is all of a tensor."""
        return cls((0,) * rank, (WHOLE,) * rank)

    @classmethod
    def parse(cls, text: str) -> TensorSlice:
        """Reads a slice as users write it, such as `"0,5:-"`.

        Raises: tf.errors.InvalidArgumentError: for anything else.
        """
        extents = [_parse_extent(extent, text) for extent in text.split(":") if extent]
        return cls(tuple(start for start, _ in extents), tuple(length for _, length in extents))

    @classmethod
    def from_proto(cls, proto: TensorSliceProto) -> TensorSlice:
        """Reads a slice of a file.

        Raises: tf.errors.DataLossError: for a slice with a negative start or length.
        """
        lengths = tuple(extent.length if extent.HasField("length") else WHOLE for extent in proto.extent)
        starts = tuple(extent.start for extent in proto.extent)
        if min(starts, default=0) < 0 or any(length < 0 for length in lengths if length != WHOLE):
            raise errors.DataLossError(None, None, f"Invalid slice of a tensor: {cls(starts, lengths)}")
        return cls(starts, lengths)

    def to_proto(self) -> TensorSliceProto:
        """Returns the slice as files hold it."""
        proto = TensorSliceProto()
        for start, length in zip(self.starts, self.lengths, strict=True):
            extent = proto.extent.add()
            if length != WHOLE:
                extent.start = start
                extent.length = length
        return proto

    def __str__(self) -> str:
        pairs = zip(self.starts, self.lengths, strict=True)
        return ":".join("-" if length == WHOLE else f"{start},{length}" for start, length in pairs)

    @property
    def is_whole(self) -> bool:
        """Whether the slice is written as all of each dimension."""
        return all(length == WHOLE for length in self.lengths)

    def box(self, shape: Sequence[int]) -> Box:
        """Returns where the slice begins and ends in a tensor of a shape.

        Raises: tf.errors.InternalError: if the slice is not inside, or has another number of dimensions.
        """
        if len(shape) != len(self.starts):
            raise errors.InternalError(
                None, None, f"Mismatching ranks: shape = {shape_brackets(tuple(shape))}, slice = {self}"
            )
        limits = []
        for axis, (start, length, size) in enumerate(zip(self.starts, self.lengths, shape, strict=True)):
            stop = size if length == WHOLE else start + length
            if stop > size:
                text = f"shape = {shape_brackets(tuple(shape))}, slice = {self}"
                raise errors.InternalError(None, None, f"Extent in dimension {axis} out of bounds: {text}")
            limits.append((start, stop))
        return tuple(limits)

    def shape_in(self, shape: Sequence[int]) -> tuple[int, ...]:
        """Returns the shape of the slice of a tensor of a shape.

        Raises: tf.errors.InternalError: if the slice is not inside, or has another number of dimensions.
        """
        return box_shape(self.box(shape))


def _parse_extent(extent: str, text: str) -> tuple[int, int]:
    if extent == "-":
        return 0, WHOLE
    numbers = extent.split(",")
    if len(numbers) != 2 or not all(is_integer(number) for number in numbers):
        message = f"Expected a pair of numbers or '-' but got '{extent}': string = {text}"
        raise errors.InvalidArgumentError(None, None, message)
    start, length = map(int, numbers)
    if start < 0 or length <= 0:
        words = f"Expected non-negative start and positive length but got start = {start}, length = {length}"
        raise errors.InvalidArgumentError(None, None, f"{words}: string = {text}")
    return start, length


def is_integer(text: str) -> bool:
    """Says whether a text is an integer of 64 bits."""
    return _INTEGER.fullmatch(text) is not None and abs(int(text)) <= _LARGEST


def parse_shape_and_slice(text: str) -> tuple[tuple[int, ...], TensorSlice]:
    """Reads the shape of a whole tensor and a slice of the tensor, such as `"10 20 0,5:-"`.

    >>> from millrace._src.checkpoint.bundle.tensor_slices import parse_shape_and_slice
    >>> shape, part = parse_shape_and_slice("10 20 0,5:-")
    >>> shape, str(part), part.shape_in(shape)
    ((10, 20), '0,5:-', (5, 20))

    Raises: tf.errors.InvalidArgumentError: for another text; InternalError: if the slice is not inside the shape.
    """
    *sizes, slice_text = text.split(" ")
    if not sizes:
        message = f"Need least two elements in shape_and_slice specification: {text}"
        raise errors.InvalidArgumentError(None, None, message)
    if not all(is_integer(size) and int(size) >= 0 for size in sizes):
        raise errors.InvalidArgumentError(None, None, f"Non numerical dimension in shape_and_slice: {text}")
    shape, part = tuple(map(int, sizes)), TensorSlice.parse(slice_text)
    if math.prod(size for size in shape if size) > _LARGEST:
        raise errors.InvalidArgumentError(None, None, f"Too many elements in shape_and_slice: {text}")
    part.box(shape)
    return shape, part


# --- boxes -----------------------------------------------------------------------------------------------------------


def box_shape(box: Box) -> tuple[int, ...]:
    """Returns the shape of a box."""
    return tuple(stop - start for start, stop in box)


def box_size(box: Box) -> int:
    """Returns the number of elements of a box."""
    return math.prod(box_shape(box))


def intersection(box: Box, other: Box) -> Box | None:
    """Returns the box that is in both boxes; None if no element is."""
    common = tuple(
        (max(start, other_start), min(stop, other_stop))
        for (start, stop), (other_start, other_stop) in zip(box, other, strict=True)
    )
    return common if all(start < stop for start, stop in common) else None


def relative(box: Box, outer: Box) -> Box:
    """Returns where a box is in the content of a box around it."""
    return tuple(
        (start - outer_start, stop - outer_start) for (start, stop), (outer_start, _) in zip(box, outer, strict=True)
    )


def index_of(box: Box) -> tuple[slice, ...]:
    """Returns the index of a box in an array."""
    return tuple(slice(start, stop) for start, stop in box)


def without(boxes: Iterable[Box], removed: Box) -> list[Box]:
    """Returns boxes that hold the elements of the given ones that are not in one box."""
    return list(itertools.chain.from_iterable(_difference(box, removed) for box in boxes))


def _difference(box: Box, removed: Box) -> Iterator[Box]:
    common = intersection(box, removed)
    if common is None:
        yield box
        return
    for axis, (start, stop) in enumerate(box):  # below and above along each axis, in the middle of those before
        common_start, common_stop = common[axis]
        for limits in ((start, common_start), (common_stop, stop)):
            if limits[0] < limits[1]:
                yield (*common[:axis], limits, *box[axis + 1 :])
