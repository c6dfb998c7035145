"""The axes of a reduction: as arguments, as shapes, and in gradients.

Every reduction op takes the axes as an input tensor. Here Python axes become that tensor (made once and kept, in eager
mode), static shapes follow from the value of the tensor, and a gradient is brought back to the input's shape.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from millrace._src.core.array_namespace import Array
from millrace._src.core.context import executing_eagerly, state
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.shape_complaint import ShapeComplaint
from millrace._src.core.shape_context import ShapeContext, static_value
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import EagerTensor, Tensor
from millrace._src.ops import raw
from millrace._src.ops.array.ranges import range_
from millrace._src.ops.array.shape_ops import rank as rank_of
from millrace._src.ops.array.shape_ops import shape_tensor
from millrace._src.ops.math.broadcasting import int_vector
from millrace._src.ops.shape_rules import UNKNOWN


def axes_argument(tensor: object, axis: Any) -> Any:
    """Returns the axes as an input of a reduction op; all axes for None."""
    if axis is None:
        if type(tensor) is EagerTensor and state.graph is None:
            return _first_axes(tensor._eager_array.ndim)
        return _all_axes(tensor)
    if executing_eagerly():
        if type(axis) is int:
            return int_vector(axis)
        if type(axis) in (list, tuple) and all(type(a) is int for a in axis):
            return int_vector(tuple(axis))
    return axis


def _all_axes(tensor: Any) -> Any:
    shape = getattr(tensor, "shape", None)
    rank = shape.rank if isinstance(shape, TensorShape) else None
    if rank is not None and executing_eagerly():
        return int_vector(tuple(range(rank)))
    if not rank:  # TensorFlow asks scalars and Python values for their rank as well
        return range_(0, rank_of(tensor))
    return convert_to_tensor(np.arange(rank, dtype=np.int32), name="Const")


@functools.cache  # finite: no array has more than 64 dimensions
def _first_axes(rank: int) -> Any:
    return int_vector(tuple(range(rank)))


def reduction_shape(c: ShapeContext) -> TensorShape:
    """Returns the input's shape without the reduced axes (or with 1 instead).

    Raises: ValueError: for an axis out of range, and in eager mode for one named twice.
    """
    shape, keep_dims, axes = c.shape("input"), c.attr("keep_dims"), c.value("reduction_indices")
    axes_rank = c.shape("reduction_indices").rank
    if axes_rank is not None and axes_rank > 1 and not executing_eagerly():
        raise ValueError(f"Shape must be at most rank 1 but is rank {axes_rank}")
    rank = shape.rank
    if rank is None:
        return UNKNOWN
    if axes is None:
        return TensorShape.of((None,) * rank) if keep_dims else UNKNOWN
    reduced_axes = _validate_axes(axes.reshape(-1).tolist(), rank, is_running=executing_eagerly())
    dims = shape.dim_sizes or ()
    if keep_dims:
        return TensorShape.of(tuple(1 if i in reduced_axes else d for i, d in enumerate(dims)))
    return TensorShape.of(tuple(d for i, d in enumerate(dims) if i not in reduced_axes))


def _validate_axes(axes: list[int], rank: int, *, is_running: bool) -> set[int]:
    reduced_axes: set[int] = set()
    for axis in axes:
        if not -rank <= axis < rank:
            raise ShapeComplaint(
                f"Invalid reduction dimension {axis} for input with {rank} dimensions.",
                running=f"Invalid reduction dimension ({axis} for input with {rank} dimension(s)",
            )
        if axis % rank in reduced_axes and is_running:
            raise ShapeComplaint(f"Invalid reduction arguments: Axes contains duplicate dimension: {axis % rank}")
        reduced_axes.add(axis % rank)
    return reduced_axes


def check_axes(reduction_indices: Array, rank: int) -> None:
    """Complains of axes out of range or named twice, as a running op does."""
    _validate_axes(reduction_indices.reshape(-1).tolist(), rank, is_running=True)


def static_axes(reduction_indices: object, rank: int | None) -> tuple[int, ...] | None:
    """Returns the reduced axes, sorted and not negative, or None where the axes or the rank are not known."""
    value = static_value(reduction_indices)
    if value is None or rank is None:
        return None
    return tuple(sorted({int(a) % rank for a in value.reshape(-1)}))


def keep_axes(reduced: Tensor, source: Tensor, reduction_indices: object, keep_dims: bool) -> Any:
    """Gives a reduction's result (or the result's gradient) the reduced axes of `source` back, with size 1."""
    if keep_dims:
        return reduced
    axes = static_axes(reduction_indices, source.shape.rank)
    if axes is None:
        return raw.Reshape(tensor=reduced, shape=_kept_shape(source, reduction_indices))
    dims = source.shape.dim_sizes
    if dims is not None and None not in dims:
        shape = [1 if i in axes else d for i, d in enumerate(dims)]
        return raw.Reshape(tensor=reduced, shape=int_vector(tuple(shape)))
    for axis in axes:
        reduced = raw.ExpandDims(input=reduced, dim=np.int32(axis))
    return reduced


def _kept_shape(source: Tensor, reduction_indices: object) -> Any:
    """Returns the run-time shape of `source` with 1 at the reduced axes."""
    rank, shape = raw.Rank(input=source), raw.Shape(input=source)
    flat_axes = raw.Reshape(tensor=raw.Cast(x=reduction_indices, DstT=shape.dtype), shape=np.array([-1, 1], np.int32))
    nonnegative_axes = raw.FloorMod(x=flat_axes, y=rank)
    ones = raw.OnesLike(x=raw.Reshape(tensor=nonnegative_axes, shape=np.array([-1], np.int32)))
    return raw.TensorScatterUpdate(tensor=shape, indices=nonnegative_axes, updates=ones)


def shape_of(tensor: Tensor) -> Any:
    """Returns the shape as an input of an op: a constant if the shape is known, else computed when the graph runs."""
    dims = tensor.shape.dim_sizes
    if dims is not None and None not in dims:
        return int_vector(dims)
    return raw.Shape(input=tensor)


def spread(reduced: Tensor, source: Tensor, reduction_indices: object, keep_dims: bool) -> Any:
    """Repeats a reduction's gradient over the reduced axes: the gradient of a sum."""
    rank = source.shape.rank
    axes = static_axes(reduction_indices, rank)
    if not executing_eagerly() and axes is not None and len(axes) == rank:
        return _spread_scalar(reduced, source)
    if axes == ():
        return reduced
    if axes == tuple(range(len(axes or ()))):  # the reduced axes lead: broadcasting adds leading axes by itself
        return raw.BroadcastTo(input=reduced, shape=shape_of(source))
    kept_reduction = keep_axes(reduced, source, reduction_indices, keep_dims)
    return raw.BroadcastTo(input=kept_reduction, shape=shape_of(source))


def _spread_scalar(reduced: Tensor, source: Tensor) -> Any:
    """Repeats a scalar over all axes of `source`, as `spread` does, in TensorFlow's nodes."""
    shape: list[int] = [1] * (source.shape.rank or 0)
    single_element = raw.Reshape(tensor=reduced, shape=shape)
    is_static = source.shape.is_fully_defined()
    return raw.Tile(input=single_element, multiples=shape_tensor(source, name="Const" if is_static else None))
