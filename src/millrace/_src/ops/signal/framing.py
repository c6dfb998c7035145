"""Cutting signals into frames that overlap, and adding overlapping frames to signals.

*Frames* are gathered. Their beginnings and ends lie at multiples of the greatest common divisor of length and step, so
whole blocks of this size are gathered, not single samples.

*Overlaps* are added without an index: each frame is cut into blocks as long as the step, and block j of each frame
belongs j blocks later. In a table with a row for each j, a row is moved one block further to the right than the row
above by appending blocks to all rows and then reading rows that are one block shorter. The sum of the rows is the
signal.
"""

from __future__ import annotations

import math
from typing import Any, cast

import numpy as np

from millrace._src.core.argument_types import TensorLike
from millrace._src.core.context import name_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.errors import invalid
from millrace._src.core.shape_context import static_value
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.signal.sizes import (
    Size,
    Sizes,
    append_padding,
    at_least,
    count_of,
    dimension,
    reshape,
    size_from,
    sizes_of,
)
from millrace._src.util.export import export


@export("signal.frame", v1=["signal.frame"])
def frame(
    signal: Any,
    frame_length: TensorLike,
    frame_step: TensorLike,
    pad_end: bool = False,
    pad_value: Any = 0,
    axis: Any = -1,
    name: str | None = None,
) -> Tensor:
    """Cuts a dimension into frames, which may overlap.

    >>> tf.signal.frame([1, 2, 3, 4, 5], frame_length=3, frame_step=2).numpy()
    array([[1, 2, 3],
           [3, 4, 5]], dtype=int32)

    Args:
      signal: A Tensor of any dtype of at least one dimension.
      frame_length: integer scalar: how many elements each frame has.
      frame_step: integer scalar: how far a frame begins behind the one before.
      pad_end: whether to fill up the frames at the end that `signal` does not fill; else they are left out.
      pad_value: scalar of the dtype of `signal`: what fills them up.
      axis: integer: the dimension that is cut.
      name: name of the operation in a graph.

    Returns: A Tensor with the dimensions `[frames, frame_length]` instead of the dimension `axis`.
    Raises:
      ValueError: if `signal` is a scalar; if another argument is not.
      IndexError: if `axis` is out of range.
      tf.errors.InvalidArgumentError: if `frame_step` is 0 or `frame_length` is negative.
    """
    with name_scope(name, "frame"):
        signal = convert_to_tensor(signal, name="signal")
        signal.shape.with_rank_at_least(1)
        length, step = size_from(frame_length, "frame_length"), size_from(frame_step, "frame_step")
        _check_frames(length, step)
        outer, count, inner = _around(signal, axis)
        x = reshape(signal, [count_of(outer), count, count_of(inner)])
        if pad_end:
            value = convert_to_tensor(pad_value, dtype=signal.dtype)
            value.shape.assert_has_rank(0)
            frames = -(-count // step)
            missing = at_least((frames - 1) * step + length - count, 0)
            x, count = append_padding(x, 0, missing, 0, value=value), count + missing
        else:
            frames = at_least(1 + (count - length) // step, 0)
        result: Any = reshape(_gather(x, count, frames, length, step), outer, [frames, length], inner)
        if signal.shape.rank is not None and result.shape.rank is None:  # the axis is known only when the function runs
            result.set_shape([None] * (signal.shape.rank + 1))
        return cast(Tensor, result)


def _check_frames(length: Size, step: Size) -> None:
    if isinstance(step, int) and step == 0:
        raise invalid("Integer division by zero: frame_step must not be 0")
    if isinstance(length, int) and length < 0:
        raise invalid(f"Requires start <= limit when delta > 0: frame_length must not be negative, got: {length}")


def _around(x: Tensor, axis: Any) -> tuple[Sizes, Size, Sizes]:
    """Returns the dimensions before an axis, its own, and those behind it."""
    known_axis = static_value(convert_to_tensor(axis))
    rank = x.shape.rank
    if rank is None or known_axis is None:
        shape = raw.Shape(input=x)
        counted_axis = raw.FloorMod(x=axis, y=raw.Rank(input=x))
        return shape[:counted_axis], shape[counted_axis], shape[counted_axis + 1 :]
    at = int(known_axis)
    if not -rank <= at < rank:
        raise IndexError(f"list index out of range: axis {at} of a signal of rank {rank}")
    sizes, at = sizes_of(x), at % rank
    return sizes[:at], sizes[at], sizes[at + 1 :]


def _gather(x: Tensor, count: Size, frames: Size, length: Size, step: Size) -> Any:
    """Gathers frames of the middle axis of three."""
    is_known = isinstance(length, int) and isinstance(step, int)
    block = max(1, math.gcd(length, step)) if is_known else 1
    blocks = count // block
    whole = x[:, : blocks * block] if block > 1 else x
    table = reshape(whole, [dimension(x, 0), blocks, block * dimension(x, 2)])
    starts, offsets = _numbers(frames) * (step // block), _numbers(length // block)
    indices = raw.ExpandDims(input=starts, axis=1) + raw.ExpandDims(input=offsets, axis=0)
    return raw.GatherV2(params=table, indices=indices, axis=np.int32(1))


def _numbers(count: Size) -> Tensor:
    """Returns 0, 1, ... `count` - 1."""
    if isinstance(count, int):
        return convert_to_tensor(np.arange(count, dtype=np.int32))
    numbers: Tensor = raw.Range(start=0, limit=count, delta=1)
    return numbers


@export("signal.overlap_and_add", v1=["signal.overlap_and_add"])
def overlap_and_add(signal: Any, frame_step: TensorLike, name: str | None = None) -> Tensor:
    """Adds overlapping frames to a signal.

    >>> tf.signal.overlap_and_add([[1, 1, 1], [10, 10, 10]], frame_step=2).numpy()
    array([ 1,  1, 11, 10, 10], dtype=int32)

    Args:
      signal: A Tensor `[..., frames, frame_length]` of numbers.
      frame_step: integer scalar: how far a frame begins behind the one before.
      name: name of the operation in a graph.

    Returns: A Tensor `[..., (frames - 1) * frame_step + frame_length]` of the same dtype.
    Raises:
      ValueError: if `signal` has fewer than two dimensions, or `frame_step` is not an integer or no scalar.
      tf.errors.InvalidArgumentError: if `frame_step` is not positive.
    """
    with name_scope(name, "overlap_and_add"):
        signal = convert_to_tensor(signal, name="signal")
        signal.shape.with_rank_at_least(2)
        step = size_from(frame_step, "frame_step")
        if isinstance(step, int) and step <= 0:
            raise invalid(f"Paddings must be non-negative: frame_step must be positive, got: {step}")
        sizes = sizes_of(signal)
        outer, frames, length = sizes[:-2], sizes[-2], sizes[-1]
        rows = count_of(outer)
        result = _add(reshape(signal, [rows, frames, length]), rows, frames, length, step)
        return reshape(result, outer, [at_least((frames - 1) * step + length, 0)])


def _add(x: Tensor, rows: Size, frames: Size, length: Size, step: Size) -> Tensor:
    parts = -(-length // step)  # blocks in each frame
    width = frames + parts - 1  # blocks in the signal
    whole = append_padding(x, 0, 0, parts * step - length)
    by_part = raw.Transpose(x=reshape(whole, [rows, frames, parts, step]), perm=[0, 2, 1, 3])
    longer = reshape(append_padding(by_part, 0, 0, parts, 0), [rows, parts * (frames + parts) * step])
    moved = reshape(longer[:, : parts * width * step], [rows, parts, width * step])
    total: Tensor = raw.Sum(input=moved, reduction_indices=[1])
    return total[:, : (frames - 1) * step + length]
