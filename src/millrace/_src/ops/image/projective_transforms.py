"""Images seen through a projective transform: the ops ImageProjectiveTransformV2 and V3.

A transform takes each new pixel (x, y) to a position in the old image: ((a0 x + a1 y + a2) / k, (b0 x + b1 y + b2) / k)
with k = c0 x + c1 y + 1. A position outside of the image is brought back by the fill mode, or shows the fill value.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from millrace._src.core import dtypes as d
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.errors import invalid
from millrace._src.core.op_def import op
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import Tensor
from millrace._src.graph.operation import Operation
from millrace._src.graph.replay import call
from millrace._src.ops import raw
from millrace._src.ops.batching import BatchedRows, BatchedValue, dimensions, fold, join, unfold
from millrace._src.ops.gradient_rules import values_for
from millrace._src.ops.type_sets import TypeSet
from millrace._src.util.text import shape_brackets

_TYPES = TypeSet((d.uint8, d.int32, d.int64, d.float16, d.bfloat16, d.float32, d.float64))
_INTERPOLATIONS = ("NEAREST", "BILINEAR")
_FILL_MODES = ("REFLECT", "WRAP", "CONSTANT", "NEAREST")


def _check(images: Array, transforms: Array, output_shape: Array, interpolation: str, fill_mode: str) -> None:
    if images.ndim != 4:
        raise invalid("Input images must have rank 4")
    if transforms.ndim != 2 or transforms.shape[1] != 8 or transforms.shape[0] not in (1, images.shape[0]):
        raise invalid("Input transform should be num_images x 8 or 1 x 8")
    if output_shape.ndim != 1:
        raise invalid(f"output shape must be 1-dimensional{shape_brackets(output_shape.shape)}")
    if len(output_shape) != 2:
        raise invalid(f"output shape must have two elements{shape_brackets(output_shape.shape)}")
    if min(int(n) for n in output_shape) <= 0:
        raise invalid("output dimensions must be positive")
    if interpolation not in _INTERPOLATIONS:
        raise invalid(f"Invalid interpolation {interpolation}: it must be NEAREST or BILINEAR")
    if fill_mode not in _FILL_MODES:
        raise invalid(f"Invalid mode {fill_mode}: it must be one of {', '.join(_FILL_MODES)}")


def _source_positions(xp: Xp, transforms: Array, height: int, width: int) -> tuple[Array, Array, Array]:
    """Returns the old row and column of each new pixel, `[images, height, width]`, and whether there is one."""
    t = [transforms[:, i][:, None, None] for i in range(8)]
    x = xp.arange(width, dtype=np.float32)[None, None, :]
    y = xp.arange(height, dtype=np.float32)[None, :, None]
    k = t[6] * x + t[7] * y + np.float32(1)
    divisor = xp.where(k == 0, np.float32(1), k)
    return (t[3] * x + t[4] * y + t[5]) / divisor, (t[0] * x + t[1] * y + t[2]) / divisor, k != 0


def _bring_back(xp: Xp, at: Array, size: int, fill_mode: str) -> Array:
    """Brings positions outside of `[0, size - 1]` back, as the fill mode says."""
    one, last = np.float32(1), np.float32(size - 1)
    if fill_mode == "CONSTANT":
        return at
    if fill_mode == "NEAREST" or size <= 1:
        return xp.clip(at, np.float32(0), last)
    if fill_mode == "REFLECT":
        span = np.float32(2 * size)
        low = xp.where(at < span, span * xp.trunc(-at / span) + at, at)
        low = xp.where(low < -np.float32(size), low + span, -low - one)
        high = at - span * xp.trunc(at / span)
        high = xp.where(high >= size, span - high - one, high)
    else:
        low = at + np.float32(size) * (xp.trunc(-at / last) + one)
        high = at - np.float32(size) * xp.trunc(at / last)
    moved = xp.where(at < 0, low, xp.where(at > last, high, at))
    return xp.clip(moved, np.float32(0), last)


def _transform(
    xp: Xp,
    images: Array,
    transforms: Array,
    output_shape: Array,
    interpolation: str,
    fill_mode: str,
    fill_value: Any,
) -> Array:
    _check(images, transforms, output_shape, interpolation, fill_mode)
    height, width = (int(n) for n in output_shape)
    count, old_height, old_width, channels = images.shape
    y, x, is_finite = _source_positions(xp, transforms, height, width)
    y, x = _bring_back(xp, y, old_height, fill_mode), _bring_back(xp, x, old_width, fill_mode)
    fill = xp.astype(xp.asarray(fill_value, np.float32), images.dtype)
    if not images.size:
        return xp.broadcast_to(fill, (count, height, width, channels))
    read = _reader(xp, images, fill)
    if interpolation == "NEAREST":
        found = read(_round(xp, y), _round(xp, x))
    else:
        found = _interpolate(xp, read, y, x, images)
    return xp.where(is_finite[..., None], found, fill) if xp.may_hold(xp.logical_not(is_finite)) else found


def _round(xp: Xp, at: Array) -> Array:
    """Rounds to the nearest whole number, halves away from zero."""
    return xp.where(at < 0, xp.ceil(at - np.float32(0.5)), xp.floor(at + np.float32(0.5)))


def _reader(xp: Xp, images: Array, fill: Array) -> Any:
    """Returns the function that reads pixels at whole rows and columns; outside of the image the fill value."""
    count, height, width, channels = images.shape
    flat = xp.reshape(images, (count * height * width, channels))
    first = (xp.arange(count, dtype=np.int32) * (height * width))[:, None, None]

    def read(rows: Array, columns: Array) -> Array:
        is_inside = (rows >= 0) & (rows < height) & (columns >= 0) & (columns < width)
        row = xp.astype(xp.clip(rows, 0, height - 1), np.int32)
        column = xp.astype(xp.clip(columns, 0, width - 1), np.int32)
        numbers = first + row * width + column
        pixels = xp.reshape(xp.take(flat, xp.reshape(numbers, (-1,)), axis=0), (*numbers.shape, channels))
        if not xp.may_hold(xp.logical_not(is_inside)):
            return pixels
        return xp.where(_for_channels(xp, is_inside, channels), pixels, fill)

    return read


def _for_channels(xp: Xp, x: Array, channels: int) -> Array:
    """Repeats what holds for a pixel for each channel: long axes are faster than broadcasting along short ones."""
    return xp.stack([x] * channels, axis=-1)


def _interpolate(xp: Xp, read: Any, y: Array, x: Array, images: Array) -> Array:
    """Computes pixels on the lines between four neighbours, in float32."""
    top, left = xp.floor(y), xp.floor(x)
    one = np.float32(1)
    down, right = (_for_channels(xp, share, images.shape[3]) for share in (y - top, x - left))

    def line(row: Array) -> Array:
        before, after = (xp.astype(read(row, column), np.float32) for column in (left, left + one))
        return (one - right) * before + right * after

    between = (one - down) * line(top) + down * line(top + one)
    return xp.cast(between, images.dtype)


# --- ops -------------------------------------------------------------------------------------------------------------


def _shape(c: ShapeContext) -> TensorShape:
    shape = c.shape("images")
    if shape.rank not in (None, 4):
        raise ValueError(f"Shape must be rank 4 but is rank {shape.rank}")
    dims = shape.as_list() if shape.rank is not None else [None] * 4
    return TensorShape([dims[0], *(c.partial("output_shape") or [None, None]), dims[3]])


def transform_rows(operation: Operation, arguments: Sequence[BatchedValue], rows: BatchedRows) -> Sequence[Any] | None:
    """Runs the transforms of all rows: each row's transform is repeated for the images of the row."""
    images, transforms, *others = arguments
    if any(a.is_batched for a in others):
        return None
    all_images, all_transforms = rows.spread(images), rows.spread(transforms)
    each = raw.BroadcastTo(input=all_transforms, shape=join(dimensions(all_images)[:2], [8]))
    (found,) = call(operation, [fold(all_images), fold(each), *(a.tensor for a in others)])
    return [unfold(found, all_images)]


@op(
    "ImageProjectiveTransformV2",
    "images: dtype, transforms: float32, output_shape: int32 -> transformed_images: dtype",
    dtype=_TYPES,
    shape=_shape,
    constant_inputs=("output_shape",),
    batching=transform_rows,
)
def image_projective_transform_v2_op(
    xp: Xp, images: Array, transforms: Array, output_shape: Array, *, interpolation: str, fill_mode: str = "CONSTANT"
) -> Array:
    """Shows images as a projective transform lets them be seen; what lies outside is zero."""
    return _transform(xp, images, transforms, output_shape, interpolation, fill_mode, 0.0)


@image_projective_transform_v2_op.gradient
@values_for(images=())
def image_projective_transform_v2_gradient(
    dy: Tensor, images: Tensor, transforms: Tensor, interpolation: str, fill_mode: str
) -> tuple[Tensor | None, None, None]:
    if not images.dtype.is_floating:
        return None, None, None
    gradient = raw.ImageProjectiveTransformV2(
        images=dy,
        transforms=_inverse(transforms),
        output_shape=raw.Shape(input=images)[1:3],
        interpolation=interpolation,
        fill_mode=fill_mode,
    )
    return gradient, None, None


@op(
    "ImageProjectiveTransformV3",
    "images: dtype, transforms: float32, output_shape: int32, fill_value: float32 -> transformed_images: dtype",
    dtype=_TYPES,
    shape=_shape,
    constant_inputs=("output_shape",),
    batching=transform_rows,
)
def image_projective_transform_v3_op(
    xp: Xp,
    images: Array,
    transforms: Array,
    output_shape: Array,
    fill_value: Array,
    *,
    interpolation: str,
    fill_mode: str = "CONSTANT",
) -> Array:
    """Shows images as a projective transform lets them be seen; what lies outside is the fill value."""
    if fill_value.ndim:
        raise invalid(f"fill_value must be a scalar{shape_brackets(fill_value.shape)}")
    return _transform(xp, images, transforms, output_shape, interpolation, fill_mode, fill_value)


@image_projective_transform_v3_op.gradient
@values_for(images=())
def image_projective_transform_v3_gradient(
    dy: Tensor, images: Tensor, transforms: Tensor, interpolation: str, fill_mode: str
) -> tuple[Tensor | None, None, None, None]:
    if not images.dtype.is_floating:
        return None, None, None, None
    gradient = raw.ImageProjectiveTransformV3(
        images=dy,
        transforms=_inverse(transforms),
        output_shape=raw.Shape(input=images)[1:3],
        fill_value=0.0,
        interpolation=interpolation,
        fill_mode=fill_mode,
    )
    return gradient, None, None, None


def _inverse(transforms: Tensor) -> Tensor:
    """Returns the transforms that undo transforms."""
    ones = raw.Add(x=transforms[:, :1] * 0.0, y=1.0)
    matrices = raw.Reshape(tensor=raw.ConcatV2(values=[transforms, ones], axis=1), shape=[-1, 3, 3])
    inverse = raw.Reshape(tensor=raw.MatrixInverse(input=matrices), shape=[-1, 9])
    return inverse[:, :8] / inverse[:, 8:9]
