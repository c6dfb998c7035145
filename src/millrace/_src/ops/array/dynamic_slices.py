"""Blocks at positions that the program computes, as XLA defines them: `XlaDynamicSlice`, `XlaDynamicUpdateSlice`.

A block never reaches over an edge: a position too far to either side is moved until the block fits. So a position is
always legal, and XLA needs to know nothing but the block's shape. The two ops are each other's gradients.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from millrace._src.core.array_namespace import Array, CompilingXp, Xp
from millrace._src.core.errors import invalid
from millrace._src.core.execute import execute
from millrace._src.core.op_def import op
from millrace._src.core.op_registry import get_op
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.array import slice_batches
from millrace._src.ops.array.shape_checks import dims_text
from millrace._src.ops.array.shape_ops import shape_tensor
from millrace._src.ops.type_sets import ANY, INDEX


def _check_positions(positions: Array, rank: int) -> None:
    if positions.shape != (rank,):
        raise invalid("index must be a vector with length equal to the number of input dimensions")


def _check_block(shape: Sequence[int], block: Sequence[int]) -> None:
    if len(block) != len(shape):
        raise invalid(
            f"input and update must have the same rank, input shape is {dims_text(shape)}; update shape is "
            f"{dims_text(block)}"
        )
    for size, length in zip(block, shape, strict=True):
        if size > length:
            raise invalid(f"Update dim size {size} greater than dynamic slice dimension: {length}.")


def _block(shape: Sequence[int], positions: Array, sizes: Sequence[int]) -> tuple[slice, ...]:
    """Returns the index of the block, moved to where the block fits."""
    starts = np.clip(positions, 0, np.subtract(shape, sizes)).tolist()
    return tuple(slice(start, start + size) for start, size in zip(starts, sizes, strict=True))


@op(
    "XlaDynamicUpdateSlice",
    "input: T, update: T, indices: Tindices -> output: T",
    T=ANY,
    Tindices=INDEX,
    shape=lambda c: c.shape("input"),
    batching=slice_batches.dynamic_update_slice,
    exact_on_rows=True,
)
def xla_dynamic_update_slice(xp: Xp, input: Array, update: Array, indices: Array) -> Array:
    """Returns `input` with the block that begins at `indices` replaced by `update`."""
    _check_positions(indices, input.ndim)
    _check_block(input.shape, update.shape)
    output = input.copy()
    output[_block(input.shape, indices, update.shape)] = update
    return output


@xla_dynamic_update_slice.kernel_for("xla")
def xla_dynamic_update_slice_xla(xp: CompilingXp, input: Array, update: Array, indices: Array) -> Array:
    """Updates a block by XLA's instruction of that name."""
    _check_positions(indices, input.ndim)
    _check_block(input.shape, update.shape)
    # A position from the right end would count for JAX; here the position is moved to 0.
    output: Array = xp.lax.dynamic_update_slice(input, update, list(xp.clip(xp.asarray(indices), 0, None)))
    return output


@xla_dynamic_update_slice.gradient
def xla_dynamic_update_slice_gradient(dy: Tensor, update: Tensor, indices: Tensor) -> tuple[Tensor, Tensor, None]:
    """Gives the block's gradient to `update`, and the rest to `input`."""
    of_update = raw.XlaDynamicSlice(input=dy, start_indices=indices, size_indices=shape_tensor(update, indices.dtype))
    of_input = raw.XlaDynamicUpdateSlice(input=dy, update=raw.ZerosLike(x=of_update), indices=indices)
    return of_input, of_update, None


def dynamic_update_slice(input: object, update: object, indices: object, name: str | None = None) -> Any:
    """Returns `input` with the block that begins at `indices` replaced by `update`.

    Args:
      input: a Tensor.
      update: a Tensor of the same dtype and rank, in no dimension larger than `input`.
      indices: an int32 or int64 vector with one position per dimension; a block that would reach over an edge is moved.
      name: name of the operation.

    Returns: A Tensor with the shape and dtype of `input`.
    Raises: InvalidArgumentError: if ranks differ, the block is larger than `input`, or `indices` is no such vector.
    """
    return execute(get_op("XlaDynamicUpdateSlice"), (input, update, indices), {}, name)


def dynamic_slice(input: object, start_indices: object, size_indices: object, name: str | None = None) -> Any:
    """Returns the block of shape `size_indices` that begins at `start_indices`.

    Args:
      input: a Tensor.
      start_indices: an int32 or int64 vector with one position per dimension; a block that would reach over an edge is
        moved.
      size_indices: the shape of the block, of the same dtype as `start_indices`; known when XLA compiles.
      name: name of the operation.

    Returns: A Tensor of the shape `size_indices`.
    Raises: InvalidArgumentError: if the block is larger than `input`, or a vector has another length than the rank.
    """
    return execute(get_op("XlaDynamicSlice"), (input, start_indices, size_indices), {}, name)


@op(
    "XlaDynamicSlice",
    "input: T, start_indices: Tindices, size_indices: Tindices -> output: T",
    T=ANY,
    Tindices=INDEX,
    shape=lambda c: c.value_as_shape("size_indices"),
    constant_inputs=("size_indices",),
    batching=slice_batches.dynamic_slice,
    exact_on_rows=True,
)
def xla_dynamic_slice(xp: Xp, input: Array, start_indices: Array, size_indices: Array) -> Array:
    """Returns the block of shape `size_indices` that begins at `start_indices`."""
    _check_positions(start_indices, input.ndim)
    sizes = size_indices.tolist()
    _check_block(input.shape, sizes)
    return input[_block(input.shape, start_indices, sizes)]


@xla_dynamic_slice.kernel_for("xla")
def xla_dynamic_slice_xla(xp: CompilingXp, input: Array, start_indices: Array, size_indices: Array) -> Array:
    """Takes a block by XLA's instruction of that name."""
    _check_positions(start_indices, input.ndim)
    sizes = size_indices.tolist()
    _check_block(input.shape, sizes)
    block: Array = xp.lax.dynamic_slice(input, list(xp.clip(xp.asarray(start_indices), 0, None)), sizes)
    return block


@xla_dynamic_slice.gradient
def xla_dynamic_slice_gradient(dy: Tensor, input: Tensor, start_indices: Tensor) -> tuple[Tensor, None, None]:
    """Puts the gradient at the position of the block, zeros elsewhere."""
    zeros = raw.ZerosLike(x=input)
    return raw.XlaDynamicUpdateSlice(input=zeros, update=dy, indices=start_indices), None, None
