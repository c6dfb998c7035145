"""Reading a box out of a stored tensor without room for the whole tensor.

The elements of a box lie in the file between its first and its last. A box of which these are far apart is read in
spans, each a range of positions along the first axis that has several. With checksums, the bytes between the spans pass
by as well.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from millrace._src.checkpoint.bundle.ranged_file import RangedFile
from millrace._src.checkpoint.bundle.tensor_slices import Box, box_shape, index_of, relative
from millrace._src.core.array_namespace import Array

_SPAN = 1 << 24


def fill_from_box(file: RangedFile, offset: int, shape: Sequence[int], box: Box, result: Array, *, verify: bool) -> int:
    """Fills an array with a box of a stored tensor.

    Args:
      file: the file with the bytes of the tensor.
      offset: where they begin.
      shape: the shape of the tensor.
      box: the elements that are asked for, at least one.
      result: the array to fill, of the shape of the box.
      verify: whether to sum up all bytes of the tensor.

    Returns: The checksum of the tensor's bytes; 0 if none is asked for.
    Raises: tf.errors.DataLossError: if the file ends before.
    """
    strides = _strides(shape, result.itemsize)
    crc, position, end = 0, offset, offset + math.prod(shape) * result.itemsize
    for span in _spans(box, strides):
        first = offset + _distance([start for start, _ in span], strides)
        last = offset + _distance([stop - 1 for _, stop in span], strides) + result.itemsize
        memory = np.empty(last - first, np.uint8)
        if verify:
            crc = file.checksum(position, first - position, crc)
        crc = file.read_into(first, memory, crc if verify else None)
        result[index_of(relative(span, box))] = np.ndarray(box_shape(span), result.dtype, memory, strides=strides)
        position = last
    return file.checksum(position, end - position, crc) if verify else 0


def _strides(shape: Sequence[int], itemsize: int) -> tuple[int, ...]:
    """Returns how many bytes lie between neighbours along each axis."""
    return tuple(math.prod(shape[axis + 1 :]) * itemsize for axis in range(len(shape)))


def _distance(position: Sequence[int], strides: Sequence[int]) -> int:
    return sum(index * stride for index, stride in zip(position, strides, strict=True))


def _spans(box: Box, strides: Sequence[int]) -> Iterator[Box]:
    """Splits a box into boxes that lie in the file one behind the other."""
    axis = next((axis for axis, (start, stop) in enumerate(box) if stop - start > 1), None)
    if axis is None:
        yield box
        return
    step = max(_SPAN // strides[axis], 1)
    start, stop = box[axis]
    for first in range(start, stop, step):
        span = (*box[:axis], (first, min(first + step, stop)), *box[axis + 1 :])
        yield from _spans(span, strides) if step == 1 else [span]
