"""Reverse, reverse_sequence, roll: the elements of a dimension in another order.

Each op is a permutation of elements, so the gradient is the inverse permutation of the gradient: reverse again, or roll
back.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from millrace._src.core.argument_types import TensorLike
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.dtypes import int32, int64
from millrace._src.core.errors import invalid
from millrace._src.core.op_def import op
from millrace._src.core.shape_complaint import ShapeComplaint
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.array import slice_batches
from millrace._src.ops.array.shape_checks import (
    dims_text,
    merge_dim,
    merge_dims,
    with_rank,
    with_rank_at_least,
    with_rank_at_most,
)
from millrace._src.ops.batching_rules import along, preceding
from millrace._src.ops.type_sets import ANY, BOOL, INDEX, NUMERIC, STRING
from millrace._src.util.export import export

_INDEX = INDEX.with_default(int32)
_REVERSIBLE = NUMERIC | BOOL | STRING


# --- reverse -----------------------------------------------------------------------------------------------------


def _reverse_axes(axes: list[int], rank: int) -> list[int]:
    """Returns the axes in [0, rank). Raises ShapeComplaint if an axis is out of range or listed twice."""
    seen_axes: list[int] = []
    for i, axis in enumerate(axes):
        if not -rank <= axis < rank:
            raise ShapeComplaint(f"'axis'[{i}] = {axis} is out of valid range [0, {rank - 1}")
        canonical = axis % rank
        if canonical in seen_axes:
            raise ShapeComplaint(f"axis {canonical} specified more than once.")
        seen_axes.append(canonical)
    return seen_axes


def _reverse_v2_shape(c: ShapeContext) -> TensorShape:
    with_rank(c.shape("axis"), 1)
    axes, shape = c.value("axis"), c.shape("tensor")
    if axes is not None and shape.rank is not None:
        _reverse_axes(axes.tolist(), shape.rank)
    return shape


@export("reverse", v1=["reverse", "reverse_v2", "manip.reverse"])
@op(
    "ReverseV2",
    "tensor: T, axis: Tidx -> output: T",
    T=_REVERSIBLE,
    Tidx=_INDEX,
    shape=_reverse_v2_shape,
    constant_inputs=("axis",),
    batching=along("axis", "tensor"),
    exact_on_rows=True,
)
def reverse(xp: Xp, tensor: Array, axis: Array) -> Array:
    """Reverses dimensions of a tensor.

    >>> tf.reverse([[1, 2, 3], [4, 5, 6]], [1]).numpy()
    array([[3, 2, 1],
           [6, 5, 4]], dtype=int32)

    Args:
      tensor: A Tensor of any dtype but resource and variant.
      axis: an int32 or int64 vector, the dimensions to reverse.

    Returns: A Tensor of the same shape.
    Raises: tf.errors.InvalidArgumentError: (ValueError while tracing) if a dimension is out of range or listed twice.
    """
    if axis.ndim != 1:
        raise invalid(f"'dims' must be 1-dimension, not {axis.ndim}")
    if not tensor.ndim or not tensor.size:
        return tensor
    axes = _reverse_axes(axis.tolist(), tensor.ndim)
    return xp.flip(tensor, tuple(axes)) if axes else tensor


@reverse.gradient
def reverse_gradient(dy: Tensor, axis: Tensor) -> tuple[Tensor, None]:
    """Reverses the gradient again."""
    return reverse(dy, axis), None


def _reverse_shape(c: ShapeContext) -> TensorShape:
    (count,) = with_rank(c.shape("dims"), 1)
    shape = c.shape("tensor")
    if count is not None and shape.rank is not None and count != shape.rank:
        raise ValueError(f"Shape must be rank {count} but is rank {shape.rank}")
    return shape


@op(
    "Reverse",
    "tensor: T, dims: bool -> output: T",
    T=_REVERSIBLE,
    shape=_reverse_shape,
    constant_inputs=("dims",),
    batching=preceding("dims", False, "tensor"),
    exact_on_rows=True,
)
def reverse_v1_op(xp: Xp, tensor: Array, dims: Array) -> Array:
    """Reverses the dimensions that are flagged."""
    if dims.size != tensor.ndim:
        counts = f"'input' has {tensor.ndim}'dims' has {dims.size} values"
        raise invalid(f"'dims' must have the same number of values as 'input' has dimensions. {counts}")
    axes = tuple(i for i, flag in enumerate(dims.tolist()) if flag)
    return xp.flip(tensor, axes) if axes else tensor


@reverse_v1_op.gradient
def reverse_v1_gradient(dy: Tensor, dims: Tensor) -> tuple[Tensor, None]:
    """Reverses the gradient again."""
    return reverse_v1_op(dy, dims), None


# --- reverse_sequence --------------------------------------------------------------------------------------------


def _reverse_sequence_shape(c: ShapeContext) -> TensorShape:
    (count,) = with_rank(c.shape("seq_lengths"), 1)
    seq_dim, batch_dim, dims = c.attr("seq_dim"), c.attr("batch_dim"), c.shape("input").dim_sizes
    if dims is None:
        return c.shape("input")
    for name, value in (("batch_dim", batch_dim), ("seq_dim", seq_dim)):
        if value >= len(dims):
            raise ValueError(f"{name} must be < input rank: {value} vs. {len(dims)}")
    size = merge_dim(dims[batch_dim], count)
    at = batch_dim % len(dims)
    return TensorShape.of((*dims[:at], size, *dims[at + 1 :]))


def _refuse_lengths_outside(input: Array, seq_lengths: Array, *, seq_dim: int, batch_dim: int) -> None:
    _check_sequence(input, seq_lengths, seq_dim, batch_dim)
    for i, length in enumerate(seq_lengths.tolist()):
        if length < 0:
            raise invalid(f"seq_lens({i}) < 0")
        if length > input.shape[seq_dim]:
            raise invalid(f"seq_lens({i}) > input.dims({seq_dim})")


@op(
    "ReverseSequence",
    "input: T, seq_lengths: Tlen -> output: T",
    T=ANY,
    Tlen=INDEX.with_default(int64),
    shape=_reverse_sequence_shape,
    checks=_refuse_lengths_outside,
    batching=slice_batches.reverse_sequence,
    exact_on_rows=True,
    refuses=("seq_lengths",),
)
def reverse_sequence_op(xp: Xp, input: Array, seq_lengths: Array, *, seq_dim: int, batch_dim: int = 0) -> Array:
    """Reverses the first `seq_lengths[b]` elements of axis `seq_dim` in each slice `b` of axis `batch_dim`."""
    _check_sequence(input, seq_lengths, seq_dim, batch_dim)
    rank = input.ndim
    positions = xp.arange(input.shape[seq_dim]).reshape([-1 if i == seq_dim else 1 for i in range(rank)])
    lengths = seq_lengths.reshape([-1 if i == batch_dim else 1 for i in range(rank)])
    source = xp.where(positions < lengths, lengths - 1 - positions, positions)
    source = xp.minimum(source, input.shape[seq_dim] - 1)  # for XLA, which cannot refuse a length; as in TensorFlow
    return xp.take_along_axis(input, xp.broadcast_to(source, input.shape), axis=seq_dim)


def _check_sequence(input: Array, lengths: Array, seq_dim: int, batch_dim: int) -> None:
    rank = input.ndim
    if batch_dim == seq_dim:
        raise invalid(f"batch_dim == seq_dim == {seq_dim}")
    for name, value in (("seq_dim", seq_dim), ("batch_dim", batch_dim)):
        if value >= rank:
            raise invalid(f"{name} must be < input rank ( {value} vs. {rank})")
        if value < 0:
            raise invalid(f"Invalid {name} {value}")
    if lengths.ndim != 1:
        raise invalid(f"seq_lengths must be 1-dim, not {lengths.ndim}")
    if lengths.shape[0] != input.shape[batch_dim]:
        raise invalid(
            f"Length of seq_lengths != input.dims({batch_dim}), ({lengths.shape[0]} vs. {input.shape[batch_dim]})"
        )


@reverse_sequence_op.gradient
def reverse_sequence_gradient(dy: Tensor, seq_lengths: Tensor, seq_dim: int, batch_dim: int) -> tuple[Tensor, None]:
    """Reverses the gradient again."""
    return reverse_sequence_op(dy, seq_lengths, seq_dim=seq_dim, batch_dim=batch_dim), None


@export("reverse_sequence", v1=[])
def reverse_sequence(
    input: TensorLike,
    seq_lengths: TensorLike,
    seq_axis: int | None = None,
    batch_axis: int | None = None,
    name: str | None = None,
) -> Any:
    """Reverses the beginnings of sequences of different lengths.

    >>> tf.reverse_sequence([[1, 2, 3], [4, 5, 6]], [2, 3], seq_axis=1).numpy()
    array([[2, 1, 3],
           [6, 5, 4]], dtype=int32)

    Args:
      input: A Tensor of any dtype.
      seq_lengths: an int32 or int64 vector: how much of each sequence is reversed.
      seq_axis: the dimension along which the sequences go.
      batch_axis: the dimension along which the sequences are counted; 0 if None.
      name: name of the operation.

    Returns: A Tensor of the same shape.
    Raises: tf.errors.InvalidArgumentError: if a length is out of range.
    """
    if seq_axis is None:
        raise TypeError("tf.reverse_sequence: `seq_axis` must be given.")
    return reverse_sequence_op(input, seq_lengths, seq_dim=seq_axis, batch_dim=batch_axis or 0, name=name)


# --- roll --------------------------------------------------------------------------------------------------------


def _roll_shape(c: ShapeContext) -> TensorShape:
    with_rank_at_least(c.shape("input"), 1)
    with_rank_at_most(c.shape("shift"), 1)
    with_rank_at_most(c.shape("axis"), 1)
    merge_dims(c.shape("shift").dim_sizes, c.shape("axis").dim_sizes)
    return c.shape("input")


@export("roll", v1=["roll", "manip.roll"])
@op(
    "Roll",
    "input: T, shift: Tshift, axis: Taxis -> output: T",
    T=ANY,
    Tshift=INDEX,
    Taxis=INDEX,
    shape=_roll_shape,
    constant_inputs=("axis",),
    batching=along("axis", "input"),
    exact_on_rows=True,
)
def roll(xp: Xp, input: Array, shift: Array, axis: Array) -> Array:
    """Rolls the elements of a tensor along dimensions; what leaves at one end comes in at the other.

    >>> tf.roll([0, 1, 2, 3, 4], shift=2, axis=0).numpy()
    array([3, 4, 0, 1, 2], dtype=int32)

    Args:
      input: A Tensor of any dtype, of at least one dimension.
      shift: an integer scalar or vector: how far, towards larger indices if positive.
      axis: a scalar or vector of the same size: which dimension. Shifts of one dimension add up.

    Returns: A Tensor of the same shape.
    Raises: tf.errors.InvalidArgumentError: if a dimension is out of range.
    """
    if not input.ndim:
        raise invalid("input must be 1-D or higher")
    for name, value in (("shift", shift), ("axis", axis)):
        if value.ndim > 1:
            raise invalid(f"{name} must be a scalar or a 1-D vector. Found: {dims_text(value.shape)}")
    if shift.shape != axis.shape:
        raise invalid("shift and axis must have the same size")
    axes = axis.reshape(-1).tolist()
    for at in axes:
        if not -input.ndim <= at < input.ndim:
            raise invalid(f"axis {at} is out of range")
    if isinstance(shift, np.ndarray):
        return xp.roll(input, tuple(shift.reshape(-1).tolist()), tuple(axes)) if axes else input
    for i, at in enumerate(axes):
        input = xp.roll(input, shift.reshape(-1)[i], at)
    return input


@roll.gradient
def roll_gradient(dy: Tensor, shift: Tensor, axis: Tensor) -> tuple[Tensor, None, None]:
    """Rolls the gradient back."""
    return raw.Roll(input=dy, shift=-shift, axis=axis), None, None
