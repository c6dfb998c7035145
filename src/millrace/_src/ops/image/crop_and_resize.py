"""Boxes of images, each resized to one size: `tf.image.crop_and_resize` and its gradients.

A box has corners in shares of height and width. Each pixel of a crop has a position in the image: it is the nearest
pixel there, or lies on the lines between the four around it (`_pixel_grid`). A position outside of the image gives the
extrapolation value, and passes no gradient.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from millrace._src.core import dtypes as d
from millrace._src.core.argument_types import TensorLike
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.dtypes import DType
from millrace._src.core.errors import OutOfRangeError, invalid
from millrace._src.core.op_def import op
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import Tensor
from millrace._src.graph.operation import Operation
from millrace._src.ops import raw
from millrace._src.ops.batching import BatchedRows, BatchedValue, fold, unfold
from millrace._src.ops.strings.text_bytes import check_choice
from millrace._src.ops.type_sets import TypeSet
from millrace._src.util.export import export
from millrace._src.util.text import shape_brackets

_METHODS = ("bilinear", "nearest")
_ONCE = "TensorFlow declares no second derivative of crops"
_ALONE = "the gradient of crops is run for each row alone"
_FLOATS = TypeSet((d.float32, d.float16, d.float64))
_PIXELS = TypeSet((d.uint8, d.uint16, d.int8, d.int16, d.int32, d.int64, d.float16, d.float32, d.float64))


class _Side(NamedTuple):
    """The positions of the pixels of all crops along one axis, `[boxes, pixels]`."""

    before: Array
    after: Array
    share: Array
    """How much of the pixel after there is."""
    is_inside: Array


def _side(xp: Xp, starts: Array, ends: Array, size: int, count: int, method: str) -> _Side:
    last = np.float32(size - 1)
    if count > 1:
        step = (ends - starts) * last / np.float32(count - 1)
        at = (starts * last)[:, None] + xp.arange(count, dtype=np.float32) * step[:, None]
    else:
        at = (np.float32(0.5) * (starts + ends) * last)[:, None]
    is_inside = (at >= 0) & (at <= last)
    inside = xp.where(is_inside, at, np.float32(0))
    if method == "nearest":
        nearest = xp.floor(inside + np.float32(0.5))
        return _Side(_whole(xp, nearest), _whole(xp, nearest), xp.zeros_like(inside), is_inside)
    before = xp.floor(inside)
    return _Side(_whole(xp, before), _whole(xp, xp.ceil(inside)), inside - before, is_inside)


def _whole(xp: Xp, x: Array) -> Array:
    return xp.astype(x, np.int32)


class _PixelGrid(NamedTuple):
    """Where the pixels of all crops lie: their rows, their columns, and the numbers of the four pixels around each.

    The numbers count the pixels of all images, `[boxes, height, width]`.
    """

    rows: _Side
    columns: _Side
    corners: Sequence[Array]
    is_inside: Array


def _pixel_grid(
    xp: Xp, shape: Sequence[int], boxes: Array, box_ind: Array, size: Sequence[int], method: str
) -> _PixelGrid:
    rows = _side(xp, boxes[:, 0], boxes[:, 2], shape[1], size[0], method)
    columns = _side(xp, boxes[:, 1], boxes[:, 3], shape[2], size[1], method)
    first = xp.astype(box_ind, np.int32)[:, None, None] * (shape[1] * shape[2])
    corners = [
        first + y[:, :, None] * shape[2] + x[:, None, :]
        for y in (rows.before, rows.after)
        for x in (columns.before, columns.after)
    ]
    return _PixelGrid(rows, columns, corners, rows.is_inside[:, :, None] & columns.is_inside[:, None, :])


def _pixels(xp: Xp, image: Array, numbers: Array) -> Array:
    flat = xp.reshape(image, (image.shape[0] * image.shape[1] * image.shape[2], image.shape[3]))
    found = xp.take(flat, xp.reshape(numbers, (-1,)), axis=0)
    return xp.reshape(xp.astype(found, np.float32), (*numbers.shape, image.shape[3]))


def _corner_weights(grid: _PixelGrid) -> list[Array]:
    """Returns the share of each of the four pixels around, `[boxes, height, width]`."""
    down, right = grid.rows.share[:, :, None], grid.columns.share[:, None, :]
    return [y * x for y in (1 - down, down) for x in (1 - right, right)]


# --- what is refused -------------------------------------------------------------------------------------------------


def _check_boxes(boxes: Array, box_ind: Array) -> None:
    if boxes.ndim != 2:
        raise invalid(f"boxes must be 2-D, got: {shape_brackets(boxes.shape)}")
    if boxes.shape[1] != 4:
        raise invalid("boxes must have 4 columns")
    if box_ind.ndim != 1:
        raise invalid(f"box_indices must be rank 1 but is shape {shape_brackets(box_ind.shape)}")
    if len(box_ind) != len(boxes):
        raise invalid("box_index has incompatible shape")


def _crop_size(crop_size: Array) -> list[int]:
    if crop_size.ndim != 1:
        raise invalid(f"crop_size must be 1-D{shape_brackets(crop_size.shape)}")
    if len(crop_size) != 2:
        raise invalid(f"crop_size must have two elements{shape_brackets(crop_size.shape)}")
    size = [int(n) for n in crop_size]
    if min(size) <= 0:
        raise invalid("crop dimensions must be positive")
    return size


def _check_images(shape: Sequence[int]) -> None:
    if len(shape) != 4:
        raise invalid(f"input image must be 4-D{shape_brackets(shape)}")
    if not shape[1] or not shape[2]:
        raise invalid("image dimensions must be positive")


def _check_values(images: int, boxes: Array, box_ind: Array) -> None:
    if not np.isfinite(boxes).all():
        raise invalid("Boxes contains at least one element that is not finite")
    if ((box_ind < 0) | (box_ind >= images)).any():
        raise OutOfRangeError(None, None, "box_index has values outside [0, batch_size)")


def _check_forward(image: Array, boxes: Array, box_ind: Array, crop_size: Array) -> None:
    if image.ndim == 4 and boxes.ndim == 2 and box_ind.shape == boxes.shape[:1]:
        _check_values(image.shape[0], boxes, box_ind)


def _check_image_gradient(grads: Array, boxes: Array, box_ind: Array, image_size: Array) -> None:
    if image_size.shape == (4,) and boxes.ndim == 2 and box_ind.shape == boxes.shape[:1]:
        _check_values(int(image_size[0]), boxes, box_ind)


def _check_box_gradient(grads: Array, image: Array, boxes: Array, box_ind: Array) -> None:
    _check_forward(image, boxes, box_ind, grads)


# --- ops -------------------------------------------------------------------------------------------------------------


def _shape(c: ShapeContext) -> TensorShape:
    image, boxes = c.shape("image"), c.shape("boxes")
    if image.rank not in (None, 4):
        raise ValueError(f"Shape must be rank 4 but is rank {image.rank}")
    if boxes.rank not in (None, 2):
        raise ValueError(f"Shape must be rank 2 but is rank {boxes.rank}")
    size = c.partial("crop_size") or [None, None]
    count = boxes.as_list()[0] if boxes.rank is not None else None
    return TensorShape([count, *size, image.as_list()[3] if image.rank is not None else None])


def crop_rows(operation: Operation, arguments: Sequence[BatchedValue], rows: BatchedRows) -> Sequence[Any] | None:
    """Runs crops of all rows: the images and the boxes of the rows become one batch each."""
    image, boxes, box_ind, crop_size = arguments
    if crop_size.is_batched:
        return None
    images, all_boxes, numbers = (rows.spread(a) for a in (image, boxes, box_ind))
    firsts = raw.ExpandDims(input=rows.numbers() * raw.Shape(input=images)[1], dim=1)
    crops = raw.CropAndResize(
        image=fold(images),
        boxes=fold(all_boxes),
        box_ind=fold(numbers + firsts),
        crop_size=crop_size.tensor,
        **{name: operation.attrs[name] for name in ("method", "extrapolation_value")},
    )
    return [unfold(crops, all_boxes)]


@op(
    "CropAndResize",
    "image: T, boxes: float32, box_ind: int32, crop_size: int32 -> crops: float32",
    T=_PIXELS,
    shape=_shape,
    constant_inputs=("crop_size",),
    checks=_check_forward,
    batching=crop_rows,
)
def crop_and_resize_op(
    xp: Xp,
    image: Array,
    boxes: Array,
    box_ind: Array,
    crop_size: Array,
    *,
    method: str = "bilinear",
    extrapolation_value: float = 0.0,
) -> Array:
    """Cuts boxes out of images and resizes each to one size."""
    check_choice("method", method, _METHODS)
    _check_images(image.shape)
    _check_boxes(boxes, box_ind)
    grid = _pixel_grid(xp, image.shape, boxes, box_ind, _crop_size(crop_size), method)
    if not image.size:
        return xp.zeros((*grid.is_inside.shape, image.shape[3]), np.float32)
    if method == "bilinear":
        crops = _interpolate(xp, [_pixels(xp, image, corner) for corner in grid.corners], grid)
    else:
        crops = _pixels(xp, image, grid.corners[0])
    if not xp.may_hold(xp.logical_not(grid.is_inside)):
        return crops
    return xp.where(grid.is_inside[..., None], crops, np.float32(extrapolation_value))


def _interpolate(xp: Xp, corners: Sequence[Array], grid: _PixelGrid) -> Array:
    """Computes pixels on the lines between four; rows of pixels and channels are multiplied as one long axis."""
    shape = corners[0].shape
    tl, tr, bl, br = (xp.reshape(corner, (*shape[:2], shape[2] * shape[3])) for corner in corners)
    right = xp.reshape(xp.stack([grid.columns.share] * shape[3], axis=-1), (shape[0], 1, shape[2] * shape[3]))
    top, bottom = tl + (tr - tl) * right, bl + (br - bl) * right
    return xp.reshape(top + (bottom - top) * grid.rows.share[:, :, None], shape)


@crop_and_resize_op.gradient
def crop_and_resize_gradient(
    dy: Tensor, image: Tensor, boxes: Tensor, box_ind: Tensor, method: str
) -> tuple[Tensor | None, Tensor, None, None]:
    of_image = None
    if image.dtype in _FLOATS:
        of_image = raw.CropAndResizeGradImage(
            grads=dy, boxes=boxes, box_ind=box_ind, image_size=raw.Shape(input=image), T=image.dtype, method=method
        )
    of_boxes = raw.CropAndResizeGradBoxes(grads=dy, image=image, boxes=boxes, box_ind=box_ind)
    return of_image, of_boxes, None, None


def _image_shape(c: ShapeContext) -> TensorShape:
    shape = c.value_as_shape("image_size")
    return shape if shape.rank is not None else TensorShape([None] * 4)


@op(
    "CropAndResizeGradImage",
    "grads: float32, boxes: float32, box_ind: int32, image_size: int32 -> output: T",
    T=_FLOATS,
    shape=_image_shape,
    constant_inputs=("image_size",),
    checks=_check_image_gradient,
    no_gradient=_ONCE,
    not_batched=_ALONE,
)
def crop_and_resize_grad_image_op(
    xp: Xp, grads: Array, boxes: Array, box_ind: Array, image_size: Array, *, T: DType, method: str = "bilinear"
) -> Array:
    """Computes the gradient of CropAndResize by the images: each pixel gets its share of the crops' gradients."""
    check_choice("method", method, _METHODS)
    shape = [int(n) for n in image_size.reshape(-1)]
    _check_images(shape)
    _check_boxes(boxes, box_ind)
    grid = _pixel_grid(xp, shape, boxes, box_ind, grads.shape[1:3], method)
    total = xp.zeros((shape[0] * shape[1] * shape[2], shape[3]), np.float32)
    inside = xp.astype(grid.is_inside, np.float32)
    if total.shape[0] and grads.shape[0]:
        for corner, weights in zip(grid.corners, _corner_weights(grid)):
            shares = xp.reshape(grads * (weights * inside)[..., None], (-1, shape[3]))
            total = xp.scatter(total, (xp.reshape(corner, (-1,)),), shares, "add")
    return xp.astype(xp.reshape(total, shape), T.np_dtype)


def _box_shape(c: ShapeContext) -> TensorShape:
    return c.shape("boxes")


@op(
    "CropAndResizeGradBoxes",
    "grads: float32, image: T, boxes: float32, box_ind: int32 -> output: float32",
    T=_PIXELS,
    shape=_box_shape,
    checks=_check_box_gradient,
    no_gradient=_ONCE,
    not_batched=_ALONE,
)
def crop_and_resize_grad_boxes_op(
    xp: Xp, grads: Array, image: Array, boxes: Array, box_ind: Array, *, method: str = "bilinear"
) -> Array:
    """Computes the gradient of CropAndResize by the corners of the boxes."""
    check_choice("method", method, _METHODS[:1])
    _check_images(image.shape)
    _check_boxes(boxes, box_ind)
    size = grads.shape[1:3]
    grid = _pixel_grid(xp, image.shape, boxes, box_ind, size, method)
    if not image.shape[0]:
        return xp.zeros_like(boxes)
    tl, tr, bl, br = (_pixels(xp, image, corner) for corner in grid.corners)
    right, down = grid.columns.share[:, None, :, None], grid.rows.share[:, :, None, None]
    inside = xp.astype(grid.is_inside, np.float32)[..., None]
    by_row = (grads * inside * ((1 - right) * (bl - tl) + right * (br - tr))).sum(axis=(2, 3))
    by_column = (grads * inside * ((1 - down) * (tr - tl) + down * (br - bl))).sum(axis=(1, 3))
    top, bottom = _corner_shares(xp, by_row, image.shape[1], size[0])
    left, end = _corner_shares(xp, by_column, image.shape[2], size[1])
    return xp.stack([top, left, bottom, end], axis=1)


def _corner_shares(xp: Xp, gradient: Array, size: int, count: int) -> tuple[Array, Array]:
    """Shares the gradient by the positions along an axis between the first corner and the second."""
    last = np.float32(size - 1)
    if count == 1:
        half = gradient.sum(axis=1) * (np.float32(0.5) * last)
        return half, half
    shares = xp.arange(count, dtype=np.float32) * (last / np.float32(count - 1))
    return (gradient * (last - shares)).sum(axis=1), (gradient * shares).sum(axis=1)


# --- public functions ------------------------------------------------------------------------------------------------


@export("image.crop_and_resize", v1=[])
def crop_and_resize(
    image: TensorLike,
    boxes: TensorLike,
    box_indices: TensorLike,
    crop_size: TensorLike,
    method: str = "bilinear",
    extrapolation_value: float = 0.0,
    name: str | None = None,
) -> Tensor:
    """Cuts boxes out of a batch of images and resizes each to one size.

    >>> image = tf.reshape(tf.range(9.0), [1, 3, 3, 1])
    >>> tf.image.crop_and_resize(image, [[0.0, 0.5, 1.0, 1.0]], [0], [2, 2]).numpy().ravel()
    array([1., 2., 7., 8.], dtype=float32)

    Args:
      image: a Tensor `[batch, height, width, channels]` of real numbers.
      boxes: a float32 Tensor `[boxes, 4]`: the first row and column, the last row and column, in shares of the image.
      box_indices: an int32 Tensor `[boxes]`: the image that each box belongs to.
      crop_size: the height and width of the crops, two int32.
      method: "bilinear" or "nearest".
      extrapolation_value: the value of pixels outside of the image.
      name: name of the operation in a graph.

    Returns: A float32 Tensor `[boxes, *crop_size, channels]`.
    Raises:
      tf.errors.InvalidArgumentError: if shapes do not fit (ValueError while tracing), or a box is not finite.
      tf.errors.OutOfRangeError: if there is no such image.
    """
    return crop_and_resize_op(
        image, boxes, box_indices, crop_size, method=method, extrapolation_value=extrapolation_value, name=name
    )
