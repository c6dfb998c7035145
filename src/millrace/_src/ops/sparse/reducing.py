"""Sums and maxima along axes of a sparse tensor: `tf.sparse.reduce_sum` and `reduce_max`, with dense or sparse results.

Coordinates that agree in all kept axes form a group. A group's number is the position of the kept indices in the dense
result, so no coordinates are sorted for a dense result. A group without elements is zero in the result, also for a
maximum of negative numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from millrace._src.core.argument_types import TensorLike
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import int32, int64
from millrace._src.core.errors import InternalError, invalid
from millrace._src.core.kernel_part import kernel_part
from millrace._src.core.op_def import op
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.array.shape_checks import dims_text, vector
from millrace._src.ops.math.element_types import NUMBER, REAL
from millrace._src.ops.math.precision import in_single
from millrace._src.ops.shape_rules import UNKNOWN
from millrace._src.ops.sparse.coordinates import OWN_COORDINATES, common_keys, order_of_keys, positions
from millrace._src.ops.sparse.part_checks import check_dims
from millrace._src.ops.sparse.sparse_tensor import SparseTensor
from millrace._src.util.export import export

_INPUTS = "input_indices: int64, input_values: T, input_shape: int64, reduction_axes: int32"
_DENSE = f"{_INPUTS} -> output: T"
_SPARSE = f"{_INPUTS} -> output_indices: int64, output_values: T, output_shape: int64"
_NO_RULE = "TensorFlow declares no gradient for it"
_VARYING = "the number of elements differs from row to row"


# --- axes, groups ----------------------------------------------------------------------------------------------------


def _kept_axes(rank: int, axes: Sequence[int]) -> list[int]:
    """Returns the axes that are not reduced; no axis in `axes` means all are reduced, but for an empty list."""
    for axis in axes:
        if not -rank <= axis < rank:
            raise invalid(f"Invalid reduction dimension {axis}, for input with {rank} dimensions.")
    reduced = {axis % rank for axis in axes}
    return [axis for axis in range(rank) if axis not in reduced]


def _result_dims(dims: Sequence[int], kept_axes: Sequence[int], keep_dims: bool) -> list[int]:
    if keep_dims:
        return [dim if axis in kept_axes else 1 for axis, dim in enumerate(dims)]
    return [dims[axis] for axis in kept_axes]


def _reduced_shape(c: ShapeContext) -> TensorShape:
    shape, axes = c.value_as_shape("input_shape"), c.value("reduction_axes")
    dims = shape.dim_sizes
    if dims is None or axes is None or any(not -len(dims) <= axis < len(dims) for axis in axes.reshape(-1)):
        return UNKNOWN  # the kernel complains of an axis out of range
    kept_axes = _kept_axes(len(dims), axes.reshape(-1).tolist())
    if c.attr("keep_dims"):
        return TensorShape.of(tuple(dim if axis in kept_axes else 1 for axis, dim in enumerate(dims)))
    return TensorShape.of(tuple(dims[axis] for axis in kept_axes))


def _sparse_shapes(c: ShapeContext) -> Sequence[TensorShape]:
    return vector(None, None), vector(None), vector(None)


def _check_parts(indices: Array, values: Array, shape: Array, axes: Array) -> None:
    if shape.ndim != 1:
        raise invalid(f"Expected input_shape to be a vector; got shape: {dims_text(shape.shape)}")
    if axes.ndim > 1:
        raise invalid(f"Expected reduction_axes to be a scalar or a vector; got shape: {dims_text(axes.shape)}")
    if indices.ndim != 2:
        raise invalid(f"indices must be a matrix, but got: {dims_text(indices.shape)}")
    if values.ndim != 1:
        raise invalid(f"vals must be a vec, but got: {dims_text(values.shape)}")
    if len(indices) != len(values):
        raise invalid(
            "indices and values rows (indexing dimension) must match. "
            f"(indices = {len(indices)}, values = {len(values)})"
        )
    if len(shape) != indices.shape[1]:
        raise invalid("Order length must be SparseTensor rank.")


def _refuse_groups(input_indices: Array, input_values: Array, input_shape: Array, reduction_axes: Array) -> None:
    """Refuses a coordinate whose kept indices are not in the result."""
    _check_parts(input_indices, input_values, input_shape, reduction_axes)
    dims = input_shape.tolist()
    check_dims(dims)
    kept_axes = _kept_axes(len(dims), reduction_axes.reshape(-1).tolist())
    kept_dims = [dims[axis] for axis in kept_axes]
    groups = positions(np, input_indices[:, kept_axes], kept_dims)
    is_outside = (groups < 0) | (groups >= math.prod(kept_dims))
    if is_outside.any():
        bad = groups[is_outside][0]
        raise InternalError(
            None, None, f"Obtained a write index of {bad} which is outside of bounds of [0, {math.prod(kept_dims)})"
        )


# --- dense results ---------------------------------------------------------------------------------------------------


@kernel_part
def _sum(xp: Xp, groups: Array, values: Array, count: int) -> Array:
    """Adds up the values of each of `count` groups."""
    if values.dtype.kind == "f" and values.dtype.itemsize >= 4:
        return np.bincount(groups, values, count).astype(values.dtype, copy=False)
    total = np.zeros(count, values.dtype)
    np.add.at(total, groups, values)
    return total


@_sum.kernel_for("xla")
def _sum_by_scatter(xp: Xp, groups: Array, values: Array, count: int) -> Array:
    return xp.scatter(xp.zeros(count, values.dtype), groups, values, "add")


def _highest(xp: Xp, groups: Array, values: Array, count: int) -> Array:
    """Returns the largest value of each of `count` groups, zero for a group without values."""
    has_values = xp.scatter(xp.zeros(count, np.bool_), groups, xp.ones(values.shape, np.bool_), "set")
    highest = xp.scatter(xp.full(count, _lowest(values.dtype), values.dtype), groups, values, "max")
    return xp.where(has_values, highest, xp.zeros(count, values.dtype))


def _lowest(dtype: Any) -> Any:
    return np.iinfo(dtype).min if np.dtype(dtype).kind in "iu" else -np.inf


def _reduce(
    xp: Xp,
    reduce: Callable[[Xp, Array, Array, int], Array],
    indices: Array,
    values: Array,
    shape: Array,
    axes: Array,
    keep_dims: bool,
) -> Array:
    _check_parts(indices, values, shape, axes)
    dims = [int(dim) for dim in shape]
    kept_axes = _kept_axes(len(dims), [int(axis) for axis in axes.reshape(-1)])
    kept_dims = [dims[axis] for axis in kept_axes]
    columns = [indices[:, axis] for axis in kept_axes]
    kept_indices = xp.stack(columns, axis=1) if columns else indices[:, :0]
    groups = positions(xp, kept_indices, kept_dims)
    result = in_single(xp, lambda numbers: reduce(xp, groups, numbers, math.prod(kept_dims)), values)
    return xp.reshape(result, _result_dims(dims, kept_axes, keep_dims))


@op(
    "SparseReduceSum",
    _DENSE,
    T=NUMBER,
    shape=_reduced_shape,
    checks=_refuse_groups,
    constant_inputs=("input_shape", "reduction_axes"),
    not_batched=OWN_COORDINATES,
)
def sparse_reduce_sum_op(
    xp: Xp,
    input_indices: Array,
    input_values: Array,
    input_shape: Array,
    reduction_axes: Array,
    *,
    keep_dims: bool = False,
) -> Array:
    """Adds up a sparse tensor along axes, as a dense tensor."""
    return _reduce(xp, _sum, input_indices, input_values, input_shape, reduction_axes, keep_dims)


@sparse_reduce_sum_op.gradient
def sparse_reduce_sum_gradient(
    dy: Tensor, input_indices: Tensor, input_shape: Tensor, reduction_axes: Tensor
) -> tuple[None, Tensor, None, None]:
    """Gives each element the gradient of its group."""
    rank = raw.Size(input=input_shape)
    axes = raw.FloorMod(x=raw.Reshape(tensor=reduction_axes, shape=[-1]), y=rank)
    ones = raw.OnesLike(x=input_shape)
    is_kept = raw.TensorScatterUpdate(
        tensor=ones,
        indices=raw.ExpandDims(input=axes, dim=1),
        updates=raw.Cast(x=raw.ZerosLike(x=axes), DstT=int64),
    )
    group_shape = input_shape * is_kept + (ones - is_kept)
    gradients = raw.Reshape(tensor=dy, shape=group_shape)
    return None, raw.GatherNd(params=gradients, indices=input_indices * is_kept), None, None


@op(
    "SparseReduceMax",
    _DENSE,
    T=REAL,
    shape=_reduced_shape,
    checks=_refuse_groups,
    constant_inputs=("input_shape", "reduction_axes"),
    no_gradient=_NO_RULE,
    not_batched=OWN_COORDINATES,
)
def sparse_reduce_max_op(
    xp: Xp,
    input_indices: Array,
    input_values: Array,
    input_shape: Array,
    reduction_axes: Array,
    *,
    keep_dims: bool = False,
) -> Array:
    """Finds the largest elements of a sparse tensor along axes, as a dense tensor; zero where there are none."""
    return _reduce(xp, _highest, input_indices, input_values, input_shape, reduction_axes, keep_dims)


# --- sparse results --------------------------------------------------------------------------------------------------


def _group(
    ufunc: np.ufunc, indices: Array, values: Array, shape: Array, axes: Array, keep_dims: bool
) -> tuple[Array, Array, Array]:
    """Reduces each group that has elements; the groups come in order."""
    _check_parts(indices, values, shape, axes)
    dims = shape.tolist()
    check_dims(dims)
    kept_axes = _kept_axes(len(dims), axes.reshape(-1).tolist())
    kept_dims = [dims[axis] for axis in kept_axes]
    (groups,) = common_keys([indices[:, kept_axes].copy()], kept_dims)
    order = order_of_keys(groups)
    groups = groups[order]
    starts = np.flatnonzero(np.append(True, groups[1:] != groups[:-1])) if len(groups) else np.zeros(0, np.int64)
    reduced = ufunc.reduceat(values[order], starts) if len(starts) else values[:0]
    first_coordinates = indices[order[starts]]
    if keep_dims:
        first_coordinates[:, [axis for axis in range(len(dims)) if axis not in kept_axes]] = 0
    else:
        first_coordinates = first_coordinates[:, kept_axes]
    return first_coordinates, reduced.astype(values.dtype), np.array(_result_dims(dims, kept_axes, keep_dims), np.int64)


@op(
    "SparseReduceSumSparse",
    _SPARSE,
    T=NUMBER,
    shape=_sparse_shapes,
    host_only=True,
    no_gradient=_NO_RULE,
    not_batched=_VARYING,
)
def sparse_reduce_sum_sparse_op(
    xp: Xp,
    input_indices: Array,
    input_values: Array,
    input_shape: Array,
    reduction_axes: Array,
    *,
    keep_dims: bool = False,
) -> tuple[Array, Array, Array]:
    """Adds up a sparse tensor along axes, as a sparse tensor."""
    return _group(np.add, input_indices, input_values, input_shape, reduction_axes, keep_dims)


@op(
    "SparseReduceMaxSparse",
    _SPARSE,
    T=REAL,
    shape=_sparse_shapes,
    host_only=True,
    no_gradient=_NO_RULE,
    not_batched=_VARYING,
)
def sparse_reduce_max_sparse_op(
    xp: Xp,
    input_indices: Array,
    input_values: Array,
    input_shape: Array,
    reduction_axes: Array,
    *,
    keep_dims: bool = False,
) -> tuple[Array, Array, Array]:
    """Finds the largest elements of a sparse tensor along axes, as a sparse tensor."""
    return _group(np.maximum, input_indices, input_values, input_shape, reduction_axes, keep_dims)


# --- public functions ------------------------------------------------------------------------------------------------


def _reduction(
    dense_op: Any, sparse_op: Any, sp_input: Any, axis: object, keepdims: Any, is_sparse: bool, name: str | None
) -> Any:
    parts = sp_input.indices, sp_input.values, sp_input.dense_shape
    axes = _all_axes(sp_input) if axis is None else _axes_tensor(axis)
    if is_sparse:
        return SparseTensor(*sparse_op(*parts, axes, keep_dims=bool(keepdims), name=name))
    return dense_op(*parts, axes, keep_dims=bool(keepdims), name=name)


def _axes_tensor(axis: Any) -> Any:
    """Returns axes as an int32 tensor; a tensor of anything but integers is left to the op, which refuses it."""
    if not isinstance(axis, Tensor):
        return convert_to_tensor(axis, dtype=int32, name="axis")
    return raw.Cast(x=axis, DstT=int32) if axis.dtype is int64 else axis


def _all_axes(sp_input: Any) -> Any:
    rank = sp_input.dense_shape.shape.num_elements()
    if rank is not None:
        return np.arange(rank, dtype=np.int32)
    return raw.Range(start=0, limit=raw.Size(input=sp_input.dense_shape), delta=1)


@export("sparse.reduce_sum", v1=[])
def sparse_reduce_sum(
    sp_input: TensorLike,
    axis: TensorLike | None = None,
    keepdims: object = None,
    output_is_sparse: bool = False,
    name: str | None = None,
) -> Any:
    """Adds up a sparse tensor along axes.

    >>> st = tf.SparseTensor([[0, 0], [0, 2], [1, 1]], [1, 2, 3], [2, 3])
    >>> tf.sparse.reduce_sum(st, axis=1).numpy(), int(tf.sparse.reduce_sum(st))
    (array([3, 3], dtype=int32), 6)

    Args:
      sp_input: a SparseTensor of numbers.
      axis: an axis or a list of axes; None for all.
      keepdims: whether reduced axes stay with size one.
      output_is_sparse: whether the result is a SparseTensor, without elements where nothing was added.
      name: name of the operation.

    Returns: A Tensor, or a SparseTensor.
    Raises: tf.errors.InvalidArgumentError: if an axis is out of range.
    """
    return _reduction(
        sparse_reduce_sum_op, sparse_reduce_sum_sparse_op, sp_input, axis, keepdims, output_is_sparse, name
    )


@export("sparse.reduce_max", v1=[])
def sparse_reduce_max(
    sp_input: TensorLike,
    axis: TensorLike | None = None,
    keepdims: object = None,
    output_is_sparse: bool = False,
    name: str | None = None,
) -> Any:
    """Finds the largest elements of a sparse tensor along axes; elements that are not stored do not count.

    >>> st = tf.SparseTensor([[0, 0], [0, 2], [1, 1]], [1, 2, -3], [3, 3])
    >>> tf.sparse.reduce_max(st, axis=1).numpy()
    array([ 2, -3,  0], dtype=int32)

    Args:
      sp_input: a SparseTensor of real numbers.
      axis: an axis or a list of axes; None for all.
      keepdims: whether reduced axes stay with size one.
      output_is_sparse: whether the result is a SparseTensor, without elements where there were none.
      name: name of the operation.

    Returns: A Tensor, zero where there were no elements; or a SparseTensor.
    Raises: tf.errors.InvalidArgumentError: if an axis is out of range.
    """
    return _reduction(
        sparse_reduce_max_op, sparse_reduce_max_sparse_op, sp_input, axis, keepdims, output_is_sparse, name
    )
