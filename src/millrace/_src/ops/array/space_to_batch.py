"""Space to batch and back: blocks of pixels moved into the batch.

Every op is padding or cropping around one trick: split each spatial dimension into (outer, block), and move the block
parts next to the batch.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from millrace._src.core.argument_types import TensorLike
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.context import name_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import int32
from millrace._src.core.errors import invalid
from millrace._src.core.op_def import op
from millrace._src.core.shape_context import ShapeContext, static_value
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.array.padding import pad_op
from millrace._src.ops.array.shape_checks import (
    UNKNOWN,
    add,
    dims_text,
    divide,
    merge_dims,
    multiply,
    with_rank,
    with_rank_at_least,
)
from millrace._src.ops.nn import image_batches
from millrace._src.ops.type_sets import ANY, INDEX
from millrace._src.util.export import export

_INDEX = INDEX.with_default(int32)


# --- space to batch ----------------------------------------------------------------------------------------------


def _block_sizes(c: ShapeContext, block: Any, margins_name: str) -> tuple[int | None, list[int] | None, Any]:
    """Returns the number of spatial dimensions, the block sizes and the margins, where they are known."""
    if block is not None and block < 2:
        raise ValueError(f"Attr 'block_size' of '{c.op.name}' Op passed {block} less than minimum 2.")
    if block is None:
        count = with_rank(c.shape("block_shape"), 1)[0]
        value = c.value("block_shape")
        sizes = None if value is None else value.tolist()
    else:
        sizes, count = [block, block], 2
    merge_dims(with_rank(c.shape(margins_name), 2), (count, 2))
    if sizes is not None and any(s < 1 for s in sizes):
        raise ValueError("block_shape must be positive")
    margins = c.value(margins_name)
    if margins is not None and (margins < 0).any():
        raise ValueError(f"{margins_name} cannot be negative")
    return count, sizes, margins


def _space_to_batch_shape(c: ShapeContext, block: int | None = None) -> TensorShape:
    count, sizes, margins = _block_sizes(c, block, "paddings")
    dims = c.shape("input").dim_sizes if count is None else with_rank_at_least(c.shape("input"), count + 1)
    if dims is None or count is None:
        return UNKNOWN
    if sizes is None:
        return TensorShape.of((None,) * (count + 1) + dims[count + 1 :])
    spatial = [
        divide(None if margins is None else add(d, int(margins[i].sum())), size)
        for i, (d, size) in enumerate(zip(dims[1:], sizes, strict=False))
    ]
    return TensorShape.of((multiply(dims[0], *sizes), *spatial, *dims[count + 1 :]))


def _to_batch(xp: Xp, x: Array, sizes: Sequence[int], paddings: Array) -> Array:
    count = len(sizes)
    _check_blocks(x, sizes, paddings, "paddings", "Paddings")
    pairs = [(0, 0), *((int(a), int(b)) for a, b in paddings), *[(0, 0)] * (x.ndim - count - 1)]
    if any(a or b for a, b in pairs):
        x = pad_op.op_def.kernel(xp, x, np.array(pairs, np.int32))
    batch, spatial, depth_shape = x.shape[0], x.shape[1 : count + 1], x.shape[count + 1 :]
    split_shape: list[int] = [batch]
    for i, (size, block) in enumerate(zip(spatial, sizes, strict=True)):
        if size % block:
            raise invalid(f"padded_shape[{i}]={size} is not divisible by block_shape[{i}]={block}")
        split_shape += [size // block, block]
    outer, inner = range(1, 2 * count, 2), range(2, 2 * count + 1, 2)
    moved_blocks = x.reshape((*split_shape, *depth_shape)).transpose(
        (*inner, 0, *outer, *range(2 * count + 1, 2 * count + 1 + len(depth_shape)))
    )
    outer_sizes = [split_shape[i] for i in outer]
    return moved_blocks.reshape((-1 if x.size else batch * int(np.prod(sizes)), *outer_sizes, *depth_shape))


def _check_blocks(x: Array, sizes: Sequence[int], margins: Array, name: str, title: str) -> None:
    count = len(sizes)
    if x.ndim < count + 1:
        raise invalid(f"input rank should be >= {count + 1} instead of {x.ndim}")
    if margins.shape != (count, 2):
        raise invalid(f"{name} should have shape [{count}, 2] instead of {dims_text(margins.shape)}")
    for i, size in enumerate(sizes):
        if size < 1:
            raise invalid(f"All values in block_shape must be positive, got value, {size} at index {i}.")
    if (margins < 0).any():
        raise invalid(f"{title} must be non-negative")


def _block_list(block_shape: Array) -> list[int]:
    if block_shape.ndim != 1:
        raise invalid(f"block_shape must have rank 1, got shape {dims_text(block_shape.shape)}")
    sizes: list[int] = block_shape.tolist()
    return sizes


@export("space_to_batch_nd", v1=["space_to_batch_nd", "manip.space_to_batch_nd"])
@op(
    "SpaceToBatchND",
    "input: T, block_shape: Tblock_shape, paddings: Tpaddings -> output: T",
    T=ANY,
    Tblock_shape=_INDEX,
    Tpaddings=_INDEX,
    shape=_space_to_batch_shape,
    constant_inputs=("block_shape", "paddings"),
    batching=image_batches.space_to_batch,
)
def space_to_batch_nd(xp: Xp, input: Array, block_shape: Array, paddings: Array) -> Array:
    """Moves blocks of the spatial dimensions into the batch, after padding with zeros.

    >>> tf.space_to_batch_nd([[[1], [2], [3], [4]]], [2], [[0, 0]])[..., 0].numpy()
    array([[1, 3],
           [2, 4]], dtype=int32)

    Args:
      input: A Tensor `[batch, spatial..., rest...]`.
      block_shape: an integer vector of positive block sizes, one a spatial dimension.
      paddings: an integer matrix, `[before, after]` a spatial dimension.

    Returns: A Tensor `[batch * prod(block_shape), padded spatial / block_shape..., rest...]`.
    Raises: tf.errors.InvalidArgumentError: (ValueError while tracing) if a padded size is not a multiple of a block
      size.
    """
    return _to_batch(xp, input, _block_list(block_shape), paddings)


@space_to_batch_nd.gradient
def space_to_batch_nd_gradient(dy: Tensor, block_shape: Tensor, paddings: Tensor) -> tuple[Tensor, None, None]:
    """Moves the gradient back and crops it."""
    return raw.BatchToSpaceND(input=dy, block_shape=block_shape, crops=paddings), None, None


@op(
    "SpaceToBatch",
    "input: T, paddings: Tpaddings -> output: T",
    T=ANY,
    Tpaddings=_INDEX,
    shape=lambda c: _space_to_batch_shape(c, c.attr("block_size")),
    constant_inputs=("paddings",),
    batching=image_batches.space_to_batch,
)
def space_to_batch_op(xp: Xp, input: Array, paddings: Array, *, block_size: int) -> Array:
    """Moves square blocks of images into the batch."""
    check_block_size(block_size)
    return _to_batch(xp, input, [block_size, block_size], paddings)


@space_to_batch_op.gradient
def space_to_batch_gradient(dy: Tensor, paddings: Tensor, block_size: int) -> tuple[Tensor, None]:
    """Moves the gradient back and crops it."""
    return raw.BatchToSpace(input=dy, crops=paddings, block_size=block_size), None


def check_block_size(block_size: int) -> None:
    """Raises InvalidArgumentError for a block of one element."""
    if block_size < 2:
        raise invalid(f"Value for attr 'block_size' of {block_size} must be at least minimum 2")


# --- batch to space ----------------------------------------------------------------------------------------------


def _batch_to_space_shape(c: ShapeContext, block: int | None = None) -> TensorShape:
    count, sizes, margins = _block_sizes(c, block, "crops")
    dims = c.shape("input").dim_sizes if count is None else with_rank_at_least(c.shape("input"), count + 1)
    if dims is None or count is None:
        return UNKNOWN
    if sizes is None:
        return TensorShape.of((None,) * (count + 1) + dims[count + 1 :])
    batch = dims[0]
    for size in sizes:
        batch = divide(batch, size)
    spatial = [
        _crop(multiply(d, size), None if margins is None else int(margins[i].sum()))
        for i, (d, size) in enumerate(zip(dims[1:], sizes, strict=False))
    ]
    return TensorShape.of((batch, *spatial, *dims[count + 1 :]))


def _crop(size: int | None, crop: int | None) -> int | None:
    if size is None or crop is None:
        return None
    if crop > size:
        raise ValueError(f"Negative dimension size caused by subtracting {crop} from {size}")
    return size - crop


def _to_space(xp: Xp, x: Array, sizes: Sequence[int], crops: Array) -> Array:
    count = len(sizes)
    _check_blocks(x, sizes, crops, "crops", "Crops")
    blocks = int(np.prod(sizes))
    if x.shape[0] % blocks:
        raise invalid(f"Input batch dimension ({x.shape[0]}) is not divisible by product of block sizes ({blocks})")
    batch, spatial, depth_shape = x.shape[0] // blocks, x.shape[1 : count + 1], x.shape[count + 1 :]
    pairs = [axis for i in range(count) for axis in (count + 1 + i, i)]
    split_batch = x.reshape((*sizes, batch, *spatial, *depth_shape))
    moved_blocks = split_batch.transpose((count, *pairs, *range(2 * count + 1, 2 * count + 1 + len(depth_shape))))
    full_sizes = [size * block for size, block in zip(spatial, sizes, strict=True)]
    moved_blocks = moved_blocks.reshape((batch, *full_sizes, *depth_shape))
    index = [slice(None)]
    for i, (size, (before, after)) in enumerate(zip(full_sizes, crops.tolist(), strict=True)):
        if size - before - after < 0:
            raise invalid(f"cropped_shape[{i}]={size - before - after} must be non-negative")
        index.append(slice(before, size - after))
    return moved_blocks[tuple(index)]


@op(
    "BatchToSpaceND",
    "input: T, block_shape: Tblock_shape, crops: Tcrops -> output: T",
    T=ANY,
    Tblock_shape=_INDEX,
    Tcrops=_INDEX,
    shape=_batch_to_space_shape,
    constant_inputs=("block_shape", "crops"),
    batching=image_batches.batch_to_space,
)
def batch_to_space_nd(xp: Xp, input: Array, block_shape: Array, crops: Array) -> Array:
    """Moves blocks from the batch back into the spatial dimensions, then crops.

    >>> tf.compat.v1.batch_to_space_nd([[[1], [3]], [[2], [4]]], [2], [[0, 0]])[..., 0].numpy()
    array([[1, 2, 3, 4]], dtype=int32)

    Args:
      input: A Tensor `[batch, spatial..., rest...]`.
      block_shape: an integer vector of positive block sizes, one a spatial dimension.
      crops: an integer matrix, `[before, after]` a spatial dimension.

    Returns: A Tensor `[batch / prod(block_shape), spatial * block_shape - crops..., rest...]`.
    Raises: tf.errors.InvalidArgumentError: (ValueError while tracing) if the batch is not a multiple of the blocks.
    """
    return _to_space(xp, input, _block_list(block_shape), crops)


@batch_to_space_nd.gradient
def batch_to_space_nd_gradient(dy: Tensor, block_shape: Tensor, crops: Tensor) -> tuple[Tensor, None, None]:
    """Pads the gradient and moves it back."""
    return raw.SpaceToBatchND(input=dy, block_shape=block_shape, paddings=crops), None, None


@op(
    "BatchToSpace",
    "input: T, crops: Tidx -> output: T",
    T=ANY,
    Tidx=_INDEX,
    shape=lambda c: _batch_to_space_shape(c, c.attr("block_size")),
    constant_inputs=("crops",),
    batching=image_batches.batch_to_space,
)
def batch_to_space_op(xp: Xp, input: Array, crops: Array, *, block_size: int) -> Array:
    """Moves square blocks of images out of the batch."""
    check_block_size(block_size)
    return _to_space(xp, input, [block_size, block_size], crops)


@batch_to_space_op.gradient
def batch_to_space_gradient(dy: Tensor, crops: Tensor, block_size: int) -> tuple[Tensor, None]:
    """Pads the gradient and moves it back."""
    return raw.SpaceToBatch(input=dy, paddings=crops, block_size=block_size), None


@export("space_to_batch", "nn.space_to_batch", v1=[])
def space_to_batch(input: TensorLike, block_shape: TensorLike, paddings: TensorLike, name: str | None = None) -> Any:
    """Moves blocks of the spatial dimensions into the batch, after padding with zeros.

    >>> tf.space_to_batch(tf.ones([1, 4, 4, 1]), [2, 2], [[0, 0], [0, 0]]).shape
    TensorShape([4, 2, 2, 1])

    Args:
      input: A Tensor `[batch, spatial..., rest...]`.
      block_shape: an integer vector of positive block sizes, one a spatial dimension.
      paddings: an integer matrix, `[before, after]` a spatial dimension.
      name: name of the operation.

    Returns: A Tensor `[batch * prod(block_shape), padded spatial / block_shape..., rest...]`.
    """
    return space_to_batch_nd(input, block_shape, paddings, name=name)


@export("batch_to_space", v1=[])
def batch_to_space(input: TensorLike, block_shape: TensorLike, crops: TensorLike, name: str | None = None) -> Any:
    """Moves blocks from the batch back into the spatial dimensions, then crops.

    >>> tf.batch_to_space(tf.ones([4, 2, 2, 1]), 2, [[0, 0], [0, 0]]).shape
    TensorShape([1, 4, 4, 1])

    Args:
      input: A Tensor `[batch, spatial..., rest...]`.
      block_shape: positive block sizes, one a spatial dimension; an int means two equal sizes.
      crops: an integer matrix, `[before, after]` a spatial dimension.
      name: name of the operation.

    Returns: A Tensor `[batch / prod(block_shape), spatial * block_shape - crops..., rest...]`.
    """
    return batch_to_space_nd(input, square_block(block_shape), crops, name=name)


def square_block(block: object) -> Any:
    return np.array([block, block], np.int64) if isinstance(block, (int, np.integer)) else block


@export("required_space_to_batch_paddings")
def required_space_to_batch_paddings(
    input_shape: TensorLike, block_shape: TensorLike, base_paddings: TensorLike | None = None, name: str | None = None
) -> tuple[Any, Any]:
    """Computes the padding that makes sizes multiples of block sizes.

    >>> paddings, crops = tf.required_space_to_batch_paddings([5, 7], [2, 3])
    >>> paddings.numpy().tolist(), crops.numpy().tolist()
    ([[0, 1], [0, 2]], [[0, 1], [0, 2]])

    Args:
      input_shape: an int32 vector of sizes.
      block_shape: an int32 vector of block sizes, known while tracing.
      base_paddings: an int32 matrix, the least padding; None means none.
      name: name of the operation.

    Returns: The paddings for `space_to_batch_nd` and the crops for `batch_to_space_nd`.
    """
    with name_scope(name, "required_space_to_batch_paddings"):
        sizes = convert_to_tensor(input_shape, dtype=int32, name="input_shape")
        blocks = convert_to_tensor(block_shape, dtype=int32, name="block_shape")
        blocks.shape.assert_is_fully_defined()
        blocks.shape.assert_has_rank(1)
        count = blocks.shape.as_list()[0]
        if count == 0:
            no_paddings = convert_to_tensor(np.zeros([0, 2], np.int32))
            return no_paddings, no_paddings
        sizes.shape.assert_is_compatible_with([count])
        base = np.zeros([count, 2], np.int32) if base_paddings is None else base_paddings
        base = convert_to_tensor(base, dtype=int32, name="base_paddings")
        base.shape.assert_is_compatible_with([count, 2])
        known_values = [static_value(t) for t in (sizes, blocks, base)]
        if all(v is not None for v in known_values):
            paddings, crops = _least_paddings(*known_values)
            return convert_to_tensor(paddings, name="paddings"), convert_to_tensor(crops, name="crops")
        start, end = base[:, 0], base[:, 1]
        extra = (blocks - (sizes + start + end) % blocks) % blocks
        zero = raw.ZerosLike(x=extra)
        return raw.Pack(values=[start, end + extra], axis=1, name="paddings"), raw.Pack(
            values=[zero, extra], axis=1, name="crops"
        )


def _least_paddings(sizes: Array, blocks: Array, base: Array) -> tuple[Array, Array]:
    extra = (blocks - (sizes + base.sum(axis=1)) % blocks) % blocks
    paddings = np.stack([base[:, 0], base[:, 1] + extra], axis=1)
    return paddings.astype(np.int32), np.stack([np.zeros_like(extra), extra], axis=1).astype(np.int32)
