"""Space to depth and back: blocks of pixels moved into the depth of an image.

Images in other formats are first brought to NHWC, where the move is one reshape and one transpose, and back at the end.
"""

from __future__ import annotations

from typing import Any

from millrace._src.core.argument_types import TensorLike
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.context import state
from millrace._src.core.errors import invalid
from millrace._src.core.op_def import op
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import Tensor
from millrace._src.ops.array.shape_checks import divide, multiply, with_rank
from millrace._src.ops.array.space_to_batch import check_block_size
from millrace._src.ops.batching_rules import folding
from millrace._src.ops.type_sets import ANY
from millrace._src.util.export import export


def _axes(data_format: str) -> tuple[int, int, int]:
    """Returns the dimensions of height, width and depth."""
    if data_format == "NHWC":
        return 1, 2, 3
    if data_format in ("NCHW", "NCHW_VECT_C"):
        return 2, 3, 1
    allowed_formats = '"NHWC", "NCHW", "NCHW_VECT_C"'
    if state.graph is not None:
        raise ValueError(f"Attr 'data_format' of the op passed string '{data_format}' not in: {allowed_formats}.")
    raise invalid(
        f"Value for attr 'data_format' of \"{data_format}\" is not in the list of allowed values: {allowed_formats}"
    )


def _depth_shape(c: ShapeContext, to_depth: bool) -> TensorShape:
    data_format, block = c.attr("data_format"), c.attr("block_size")
    if block < 2:
        raise ValueError(f"Attr 'block_size' of '{c.op.name}' Op passed {block} less than minimum 2.")
    height, width, depth = _axes(data_format)
    dims = list(with_rank(c.shape("input"), 5 if data_format == "NCHW_VECT_C" else 4))
    if to_depth:
        dims[height], dims[width] = divide(dims[height], block), divide(dims[width], block)
        dims[depth] = multiply(dims[depth], block * block)
    else:
        dims[height], dims[width] = multiply(dims[height], block), multiply(dims[width], block)
        dims[depth] = divide(dims[depth], block * block)
    return TensorShape.of(tuple(dims))


def _check_image(x: Array, data_format: str) -> None:
    rank = 5 if data_format == "NCHW_VECT_C" else 4
    if x.ndim != rank:
        raise invalid(f"Input rank should be {rank} instead of {x.ndim}")


def _as_nhwc(x: Array, data_format: str) -> Array:
    """Moves the depth of the image last; the last dimension of NCHW_VECT_C, of size 4, is the low part of the depth."""
    if data_format == "NHWC":
        return x
    if data_format == "NCHW":
        return x.transpose((0, 2, 3, 1))
    n, c, h, w, v = x.shape
    return x.transpose((0, 2, 3, 1, 4)).reshape((n, h, w, c * v))


def _from_nhwc(x: Array, data_format: str) -> Array:
    if data_format == "NHWC":
        return x
    if data_format == "NCHW":
        return x.transpose((0, 3, 1, 2))
    n, h, w, c = x.shape
    return x.reshape((n, h, w, c // 4, 4)).transpose((0, 3, 1, 2, 4))


@op(
    "SpaceToDepth",
    "input: T -> output: T",
    T=ANY,
    shape=lambda c: _depth_shape(c, to_depth=True),
    batching=folding("input"),
)
def space_to_depth_op(xp: Xp, input: Array, *, block_size: int, data_format: str = "NHWC") -> Array:
    """Moves blocks of height and width into the depth."""
    check_block_size(block_size)
    height, width, _ = _axes(data_format)
    _check_image(input, data_format)
    b = block_size
    if input.shape[height] % b or input.shape[width] % b:
        sizes = f"width {input.shape[width]} and height {input.shape[height]}"
        raise invalid(f"Image {sizes} should be divisible by block_size: {b}")
    x = _as_nhwc(input, data_format)
    n, h, w, c = x.shape
    moved_blocks = x.reshape((n, h // b, b, w // b, b, c)).transpose((0, 1, 3, 2, 4, 5))
    return _from_nhwc(moved_blocks.reshape((n, h // b, w // b, b * b * c)), data_format)


@space_to_depth_op.gradient
def space_to_depth_gradient(dy: Tensor, block_size: int, data_format: str) -> Tensor:
    """Moves the gradient back."""
    return depth_to_space_op(dy, block_size=block_size, data_format=data_format)


@op(
    "DepthToSpace",
    "input: T -> output: T",
    T=ANY,
    shape=lambda c: _depth_shape(c, to_depth=False),
    batching=folding("input"),
)
def depth_to_space_op(xp: Xp, input: Array, *, block_size: int, data_format: str = "NHWC") -> Array:
    """Moves blocks from the depth into height and width."""
    check_block_size(block_size)
    _axes(data_format)
    _check_image(input, data_format)
    b = block_size
    x = _as_nhwc(input, data_format)
    n, h, w, c = x.shape
    if c % (b * b):
        raise invalid(f"Input depth dimension {c} should be divisible by: {b * b}")
    moved_blocks = x.reshape((n, h, w, b, b, c // (b * b))).transpose((0, 1, 3, 2, 4, 5))
    return _from_nhwc(moved_blocks.reshape((n, h * b, w * b, c // (b * b))), data_format)


@depth_to_space_op.gradient
def depth_to_space_gradient(dy: Tensor, block_size: int, data_format: str) -> Tensor:
    """Moves the gradient back."""
    return space_to_depth_op(dy, block_size=block_size, data_format=data_format)


@export("nn.space_to_depth", v1=[])
def space_to_depth(input: TensorLike, block_size: int, data_format: str = "NHWC", name: str | None = None) -> Any:
    """Moves blocks of height and width of an image into the depth.

    >>> tf.nn.space_to_depth(tf.ones([1, 4, 4, 1]), 2).shape
    TensorShape([1, 2, 2, 4])

    Args:
      input: A Tensor `[batch, height, width, depth]`, or as `data_format` says.
      block_size: an int of at least 2.
      data_format: "NHWC", "NCHW" or "NCHW_VECT_C".
      name: name of the operation.

    Returns: A Tensor `[batch, height / block_size, width / block_size, depth * block_size ** 2]`.
    Raises: tf.errors.InvalidArgumentError: (ValueError while tracing) if a size is not a multiple of the block size.
    """
    return space_to_depth_op(input, block_size=block_size, data_format=data_format, name=name)


@export("nn.depth_to_space", v1=[])
def depth_to_space(input: TensorLike, block_size: int, data_format: str = "NHWC", name: str | None = None) -> Any:
    """Moves blocks from the depth of an image into the height and width.

    >>> tf.nn.depth_to_space(tf.ones([1, 2, 2, 4]), 2).shape
    TensorShape([1, 4, 4, 1])

    Args:
      input: A Tensor `[batch, height, width, depth]`, or as `data_format` says.
      block_size: an int of at least 2.
      data_format: "NHWC", "NCHW" or "NCHW_VECT_C".
      name: name of the operation.

    Returns: A Tensor `[batch, height * block_size, width * block_size, depth / block_size ** 2]`.
    Raises: tf.errors.InvalidArgumentError: (ValueError while tracing) if the depth is not a multiple of the block.
    """
    return depth_to_space_op(input, block_size=block_size, data_format=data_format, name=name)
