"""Boxes drawn on images: `tf.image.draw_bounding_boxes`."""

from __future__ import annotations

from typing import Any

import numpy as np

from millrace._src.core import dtypes as d
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.errors import invalid
from millrace._src.core.op_def import op
from millrace._src.core.tensor import Tensor
from millrace._src.ops.batching_rules import folding
from millrace._src.ops.shape_rules import same_shape
from millrace._src.ops.type_sets import TypeSet
from millrace._src.util.export import export
from millrace._src.util.text import shape_brackets

_TYPES = TypeSet((d.float32, d.float16), default=d.float32)
_LINES = "TensorFlow declares no gradient of drawn lines"
_COLORS = np.array(
    [
        (1, 1, 0, 1),
        (0, 0, 1, 1),
        (1, 0, 0, 1),
        (0, 1, 0, 1),
        (0.5, 0, 0.5, 1),
        (0.5, 0.5, 0, 1),
        (0.5, 0, 0, 1),
        (0, 0, 0.5, 1),
        (0, 1, 1, 1),
        (1, 0, 1, 1),
    ],
    np.float32,
)
"""The colors where none are given: yellow, blue, red, lime, purple, olive, maroon, navy, aqua, fuchsia."""


def _colors(colors: Array | None, channels: int) -> Array:
    if colors is None or not colors.size:
        return _COLORS if channels > 1 else np.ones((1, 1), np.float32)
    if colors.ndim != 2:
        raise invalid(f"colors must be a 2-D matrix{shape_brackets(colors.shape)}")
    if colors.shape[1] < channels:
        raise invalid(
            f"colors must have equal or more channels than the image provided: {shape_brackets(colors.shape)}"
        )
    return colors


def _draw_boxes(images: Array, boxes: Array, colors: Array | None) -> Array:
    """Draws the boxes of every image on a copy of the images."""
    if images.ndim != 4:
        raise invalid("The rank of the images should be 4")
    channels = images.shape[3]
    if channels not in (1, 3, 4):
        raise invalid("Channel depth should be either 1 (GRY), 3 (RGB), or 4 (RGBA)")
    if boxes.ndim != 3:
        raise invalid("The rank of the boxes tensor should be 3")
    if boxes.shape[2] != 4:
        raise invalid(f"The size of the third dimension of the box must be 4. Received: {boxes.shape[2]}")
    if boxes.shape[0] != images.shape[0]:
        raise invalid("The batch sizes should be the same")
    table = _colors(colors, channels)[:, :channels].astype(images.dtype)
    result = images.copy()
    last = np.array([images.shape[1] - 1, images.shape[2] - 1] * 2, np.float32)
    for image, corners in zip(result, np.trunc(boxes * last).astype(np.int64).tolist()):
        for number, corner in enumerate(corners):
            _draw(image, corner, table[number % len(table)])
    return result


def _draw(image: Array, corners: list[int], color: Array) -> None:
    """Draws the sides of a box that lie in the image."""
    top, left, bottom, right = corners
    height, width = image.shape[:2]
    if top > bottom or left > right or top >= height or bottom < 0 or left >= width or right < 0:
        return
    rows, columns = slice(max(top, 0), bottom + 1), slice(max(left, 0), right + 1)
    for row in (top, bottom):
        if 0 <= row < height:
            image[row, columns] = color
    for column in (left, right):
        if 0 <= column < width:
            image[rows, column] = color


@op(
    "DrawBoundingBoxes",
    "images: T, boxes: float32 -> output: T",
    T=_TYPES,
    shape=same_shape,
    host_only=True,
    no_gradient=_LINES,
    batching=folding("images", "boxes"),
)
def draw_bounding_boxes_op(xp: Xp, images: Array, boxes: Array) -> Array:
    """Draws boxes on images, in ten colors by turns."""
    return _draw_boxes(images, boxes, None)


@op(
    "DrawBoundingBoxesV2",
    "images: T, boxes: float32, colors: float32 -> output: T",
    T=_TYPES,
    shape=same_shape,
    host_only=True,
    no_gradient=_LINES,
    batching=folding("images", "boxes"),
)
def draw_bounding_boxes_v2_op(xp: Xp, images: Array, boxes: Array, colors: Array) -> Array:
    """Draws boxes on images, in the given colors by turns."""
    return _draw_boxes(images, boxes, colors)


@export("image.draw_bounding_boxes", v1=[])
def draw_bounding_boxes(images: Any, boxes: Any, colors: object, name: str | None = None) -> Tensor:
    """Draws boxes on a batch of images, one pixel wide.

    >>> tf.image.draw_bounding_boxes(tf.zeros([1, 3, 3, 1]), [[[0.0, 0.0, 1.0, 1.0]]], [[5.0]]).numpy()[0, :, :, 0]
    array([[5., 5., 5.],
           [5., 0., 5.],
           [5., 5., 5.]], dtype=float32)

    Args:
      images: a float16 or float32 Tensor `[batch, height, width, 1, 3 or 4 channels]`.
      boxes: a float32 Tensor `[batch, boxes, 4]`: first row and column, last row and column, in shares of the image.
      colors: a float32 Tensor `[colors, channels]`, which the boxes take by turns; None for ten usual ones.
      name: name of the operation in a graph.

    Returns: A Tensor like `images`.
    Raises: tf.errors.InvalidArgumentError: if shapes do not fit.
    """
    if colors is None:
        return draw_bounding_boxes_op(images, boxes, name=name)
    return draw_bounding_boxes_v2_op(images, boxes, colors, name=name)
