"""Mirrored and turned images: `tf.image.flip_left_right`, `flip_up_down`, `transpose` and `rot90`.

A quarter turn is a mirror image of the transposed image. By how many quarters an image is turned may be known only when
the graph runs; which axes are mirrored, and the order of the axes, are then computed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from millrace._src.core import dtypes as d
from millrace._src.core.argument_types import TensorLike
from millrace._src.core.context import name_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.shape_context import static_value
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.array.transposing import transpose as transpose_axes
from millrace._src.ops.image.image_checks import image_or_batch
from millrace._src.util.export import export

_HEIGHT, _WIDTH = -3, -2


def _validate(image: Any, gap: str = " ") -> Tensor:
    """Converts an image or a batch of images, and refuses other ranks and images without pixels."""
    image = image_or_batch(convert_to_tensor(image, name="image"))
    if image.shape.rank is not None and image.shape.rank > 4:
        raise ValueError(f"'image' (shape {image.shape}){gap}must have either 3 or 4 dimensions.")
    checked_image: Tensor = image
    return checked_image


def _mirror(image: Tensor, axes: Sequence[int]) -> Tensor:
    rank = image.shape.rank
    return raw.ReverseV2(tensor=image, axis=[a if rank is None else a + rank for a in axes])


@export("image.flip_left_right")
def flip_left_right(image: TensorLike) -> Tensor:
    """Mirrors images so that left is right.

    >>> tf.image.flip_left_right([[[1], [2], [3]]]).numpy().ravel()
    array([3, 2, 1], dtype=int32)

    Args:
      image: a Tensor `[height, width, channels]` or `[batch, height, width, channels]`.

    Returns: A Tensor of the same shape and dtype.
    Raises: ValueError: if `image` has another rank, or no pixels.
    """
    with name_scope(None, "flip_left_right"):
        return _mirror(_validate(image, ""), [_WIDTH])


@export("image.flip_up_down")
def flip_up_down(image: TensorLike) -> Tensor:
    """Mirrors images so that up is down.

    >>> tf.image.flip_up_down([[[1]], [[2]], [[3]]]).numpy().ravel()
    array([3, 2, 1], dtype=int32)

    Args:
      image: a Tensor `[height, width, channels]` or `[batch, height, width, channels]`.

    Returns: A Tensor of the same shape and dtype.
    Raises: ValueError: if `image` has another rank, or no pixels.
    """
    with name_scope(None, "flip_up_down"):
        return _mirror(_validate(image, ""), [_HEIGHT])


@export("image.transpose", v1=["image.transpose", "image.transpose_image"])
def transpose(image: TensorLike, name: str | None = None) -> Tensor:
    """Exchanges the rows and columns of images.

    >>> tf.image.transpose([[[1], [2]], [[3], [4]]]).numpy().ravel()
    array([1, 3, 2, 4], dtype=int32)

    Args:
      image: a Tensor `[height, width, channels]` or `[batch, height, width, channels]`.
      name: name of the operations in a graph.

    Returns: A Tensor of the same rank and dtype.
    Raises: ValueError: if `image` has another rank, or no pixels.
    """
    with name_scope(name, "transpose"):
        return _transpose(_validate(image))


def _transpose(image: Tensor) -> Tensor:
    if image.shape.rank is None:
        return raw.Transpose(x=image, perm=_order(image, 1))
    order = [1, 0, 2] if image.shape.rank == 3 else [0, 2, 1, 3]
    return transpose_axes(image, order, name="transpose")


def _order(image: Tensor, quarters: Any) -> Tensor:
    """Returns the axes in order, height and width exchanged after an odd number of quarter turns."""
    rank = raw.Rank(input=image) if image.shape.rank is None else convert_to_tensor(image.shape.rank, dtype=d.int32)
    is_odd = raw.FloorMod(x=convert_to_tensor(quarters, dtype=d.int32), y=2)
    before = raw.Range(start=0, limit=rank - 3, delta=1)
    last = raw.Pack(values=[rank - 3 + is_odd, rank - 2 - is_odd, rank - 1], axis=0)
    return raw.ConcatV2(values=[before, last], axis=0)


@export("image.rot90")
def rot90(image: TensorLike, k: TensorLike = 1, name: str | None = None) -> Tensor:
    """Turns images by quarters, against the clock.

    >>> tf.image.rot90([[[1], [2]], [[3], [4]]]).numpy().ravel()
    array([2, 4, 1, 3], dtype=int32)

    Args:
      image: a Tensor `[height, width, channels]` or `[batch, height, width, channels]`.
      k: by how many quarters: a scalar int32, negative with the clock.
      name: name of the operations in a graph.

    Returns: A Tensor of the same rank and dtype.
    Raises: ValueError: if `image` has another rank, or no pixels, or `k` is not a scalar.
    """
    with name_scope(name, "rot90"):
        image = _validate(image)
        quarters = convert_to_tensor(k, dtype=d.int32, name="k")
        quarters.shape.assert_has_rank(0)
        known = static_value(quarters)
        if known is None:
            return _turn(image, raw.FloorMod(x=quarters, y=4))
        return _turn_by(image, int(known) % 4)


def _turn_by(image: Tensor, quarters: int) -> Tensor:
    if quarters == 0:
        return image
    if quarters == 2:
        return _mirror(image, [_HEIGHT, _WIDTH])
    return _transpose(_mirror(image, [_WIDTH if quarters == 1 else _HEIGHT]))


def _turn(image: Tensor, quarters: Tensor) -> Tensor:
    """Turns by a number that the graph computes: the width is mirrored for 1 and 2, the height for 2 and 3."""
    rank = raw.Rank(input=image) if image.shape.rank is None else image.shape.rank
    axes = raw.Range(start=0, limit=rank, delta=1)
    is_height = raw.LogicalAnd(x=raw.Equal(x=axes, y=rank + _HEIGHT), y=raw.GreaterEqual(x=quarters, y=2))
    is_middle = raw.LogicalAnd(x=raw.GreaterEqual(x=quarters, y=1), y=raw.LessEqual(x=quarters, y=2))
    is_width = raw.LogicalAnd(x=raw.Equal(x=axes, y=rank + _WIDTH), y=is_middle)
    mirrored = raw.Reverse(tensor=image, dims=raw.LogicalOr(x=is_height, y=is_width))
    return raw.Transpose(x=mirrored, perm=_order(image, quarters))
