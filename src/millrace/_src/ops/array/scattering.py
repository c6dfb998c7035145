"""Scatter: updates put, added, or compared into a tensor at given positions.

The last dimension of `indices` holds positions in the first dimensions of the tensor. All ops here make the same
checks, in the same order, and then differ in one word of the namespace's `scatter`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from millrace._src.core.argument_types import TensorLike
from millrace._src.core.array_namespace import Array, CompilingXp, Xp
from millrace._src.core.dtypes import int16, int32, int64, uint16
from millrace._src.core.errors import invalid
from millrace._src.core.kernel_part import kernel_part
from millrace._src.core.op_def import op
from millrace._src.core.op_signature import TypeSet
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.array import index_batches
from millrace._src.ops.array.gathering import are_inside, bad_positions
from millrace._src.ops.array.shape_checks import (
    Dims,
    dims_text,
    first_bad,
    list_text,
    merge_dims,
    multiply,
    position_text,
    with_rank,
    with_rank_at_least,
)
from millrace._src.ops.array.shape_ops import shape_tensor
from millrace._src.ops.type_sets import ANY, BOOL, INDEX, NUMERIC, QUANTIZED, REAL
from millrace._src.util.export import export

_SCATTER_ND_INDEX = TypeSet((int16, int32, int64))
_UPDATE_INDEX = TypeSet((int16, int32, int64, uint16))


# --- checks ------------------------------------------------------------------------------------------------------


def _check_shapes(target: Dims | None, indices: Dims | None, updates: Dims | None) -> None:
    """Raises ValueError, in the words of TensorFlow's shape function, if the shapes are known not to fit."""
    if target is None or indices is None or updates is None:
        return
    if 0 in target and ((multiply(*indices) or 0) > 0 or (multiply(*updates) or 0) > 0):
        raise ValueError("Indices and updates specified for empty input")
    lead, depth = len(indices) - 1, indices[-1]
    _match(f"[0,{lead})", "indices", indices, indices[:-1], f"[0,{lead})", updates, updates[:lead])
    if depth is not None and len(target) >= depth:
        inner_part = (f"[{depth},{len(target)})", "input", target, target[depth:])
        _match(*inner_part, f"[{lead},{len(updates)})", updates, updates[lead:])


def _match(where: str, name: str, whole: Dims, part: Dims, update_where: str, updates: Dims, update_part: Dims) -> None:
    try:
        merge_dims(part, update_part)
    except ValueError as error:
        raise ValueError(
            f"Dimensions {where} of {name}[shape={dims_text(whole)}] = {dims_text(part)} must match dimensions "
            f"{update_where} of updates[shape={dims_text(updates)}] = {dims_text(update_part)}: {error}"
        ) from None


def _scatter_nd_shape(c: ShapeContext) -> TensorShape:
    with_rank(c.shape("shape"), 1)
    if any(d is not None and d < -1 for d in c.partial("shape") or ()):
        raise ValueError(f"Invalid value in tensor used for shape: {min(d or 0 for d in c.partial('shape') or ())}")
    shape = c.value_as_shape("shape")
    indices, updates = with_rank_at_least(c.shape("indices"), 1), with_rank_at_least(c.shape("updates"), 1)
    _check_shapes(shape.dim_sizes, indices, updates)
    return shape


def _tensor_scatter_shape(c: ShapeContext) -> TensorShape:
    target: TensorShape = c.inputs[0].shape
    _check_shapes(
        with_rank_at_least(target, 1), with_rank_at_least(c.shape("indices"), 1), c.shape("updates").dim_sizes
    )
    return target


def _check_vector_of_indices(target: tuple[int, ...], indices: Array, updates: Array) -> None:
    """Refuses a vector of indices in TensorFlow's words.

    By the definition a vector is one index, but TensorFlow's kernels also want one update for each of its elements.
    Nothing meets both.
    """
    if not updates.ndim:
        raise invalid("Updates shape must have rank at least one. Found:[]")
    count, update_count = indices.shape[0], updates.shape[0]
    shown_updates = f"updates[shape={dims_text(updates.shape)}]"
    if count != update_count:
        where = f"Dimensions [0,1) of indices[shape={dims_text(indices.shape)}] = {count}"
        raise invalid(f"{where} must match dimensions [0,1) of {shown_updates} = {update_count}")
    if target[1:] != updates.shape[1:]:
        where = f"Dimensions [1,{len(target)}) of input[shape={dims_text(target)}]"
        raise invalid(f"{where} must match dimensions [1,{updates.ndim}) of {shown_updates}")
    where = f"Dimensions [{count},{len(target)}) of input[shape={dims_text(target)}]"
    raise invalid(f"{where} must match dimensions [0,{updates.ndim}) of {shown_updates}")


def _check_tensor_scatter(target: tuple[int, ...], indices: Array, updates: Array) -> None:
    """Raises InvalidArgumentError, in the words of TensorFlow's kernel, if the shapes do not fit."""
    if not indices.ndim:
        raise invalid(f"Indices shape must have rank at least one. Found:{dims_text(indices.shape)}")
    if not updates.ndim:
        raise invalid("Updates shape must have rank at least one. Found:[]")
    if 0 in target and indices.size and updates.size:
        raise invalid("Indices and updates specified for empty output shape")
    lead, depth = indices.ndim - 1, indices.shape[-1]
    if indices.shape[:-1] != updates.shape[:lead]:
        shapes = f"Indices shape: {dims_text(indices.shape)}, updates shape:{dims_text(updates.shape)}"
        raise invalid(f"Outer dimensions of indices and update must match. {shapes}")
    if updates.ndim - lead != len(target) - depth:
        shapes = f"Output: {dims_text(target)} updates: {dims_text(updates.shape)}"
        raise invalid(f"Inner dimensions of output shape must match inner dimensions of updates shape. {shapes}")
    if target[depth:] != updates.shape[lead:]:
        inner_rank = updates.ndim - lead
        where = f"the inner {inner_rank} dimensions of updates.shape={dims_text(updates.shape)}"
        raise invalid(f"The inner {inner_rank} dimensions of output.shape={dims_text(target)} must match {where}")


def _check_scatter_nd(target: tuple[int, ...], indices: Array, updates: Array) -> None:
    """Checks shapes as `_check_tensor_scatter` does, in the words of ScatterNd."""
    for size in target:
        if size < 0:
            raise invalid(f"Dimension {size} must be >= 0")
    if not indices.ndim:
        raise invalid(f"Indices shape must have rank at least one. Found:{dims_text(indices.shape)}")
    if 0 in target and indices.size and updates.size:
        raise invalid(f"Indices and updates specified for empty output.  indices shape: {dims_text(indices.shape)}")
    lead, depth = indices.ndim - 1, indices.shape[-1]
    shown_updates = f"updates[shape={dims_text(updates.shape)}]"
    if indices.shape[:-1] != updates.shape[:lead]:
        where = f"Dimensions [0,{lead}) of indices[shape={dims_text(indices.shape)}]"
        raise invalid(f"{where} must match dimensions [0,{lead}) of {shown_updates}")
    if depth > len(target) or target[depth:] != updates.shape[lead:]:
        where = f"Dimensions [{depth},{len(target)}) of input[shape={dims_text(target)}]"
        raise invalid(f"{where} must match dimensions [{lead},{updates.ndim}) of {shown_updates}")


def _refuse_positions_outside(
    check_shapes: Callable[[tuple[int, ...], Array, Array], None],
    target: tuple[int, ...],
    indices: Array,
    updates: Array,
    policy: str,
) -> None:
    """Raises InvalidArgumentError for a position outside of the tensor, or for shapes that do not fit."""
    has_positions = indices.ndim and indices.shape[-1]  # no position is that of the whole tensor; TensorFlow refuses it
    if has_positions and updates.ndim and bool(indices.size) != bool(updates.size):
        raise invalid("Indices and updates specified for empty output shape")
    if indices.ndim > 1 and indices.shape[-1] <= len(target):
        if policy == "IGNORE" or are_inside(indices, target[: indices.shape[-1]]):
            return
    if indices.ndim == 1 and not (0 in target and indices.size and updates.size):
        _check_vector_of_indices(target, indices, updates)
    check_shapes(target, indices, updates)
    at = first_bad(bad_positions(indices, target[: indices.shape[-1]])) or ()
    where = f"indices{position_text(at)} = [{list_text(indices[at])[1:-1]}]"
    raise invalid(f"{where} does not index into shape {dims_text(target)}")


def _refuse_bad_scatter(indices: Array, updates: Array, shape: Array, *, bad_indices_policy: str) -> None:
    if shape.ndim != 1:
        raise invalid("Shape must be a vector")
    if indices.ndim and not updates.ndim:
        raise invalid("Updates shape must have rank at least one. Found:[]")
    target = tuple(shape.tolist())
    if not target and indices.size:
        raise invalid("Indices and updates specified for empty output shape")
    if min(target, default=0) >= 0:
        _refuse_positions_outside(_check_scatter_nd, target, indices, updates, bad_indices_policy)


def _refuse_bad_scatter_into(tensor: Array, indices: Array, updates: Array, *, bad_indices_policy: str) -> None:
    _refuse_positions_outside(_check_tensor_scatter, tensor.shape, indices, updates, bad_indices_policy)


def _flatten(indices: Array, updates: Array) -> tuple[Array, Array]:
    """Returns the positions as the rows of a matrix, and one update for each row."""
    count = math.prod(indices.shape[:-1])
    rows = updates.reshape((count, *updates.shape[indices.ndim - 1 :]))
    return indices.reshape((count, indices.shape[-1])), rows


@kernel_part
def _keep(xp: Xp, target: tuple[int, ...], indices: Array, updates: Array) -> tuple[Array, Array]:
    """Leaves out the rows that do not point into a tensor."""
    is_good = ~bad_positions(indices, target[: indices.shape[1]])
    return indices[is_good], updates[is_good]


@_keep.kernel_for("xla")
def _keep_all(xp: CompilingXp, target: tuple[int, ...], indices: Array, updates: Array) -> tuple[Array, Array]:
    return indices, updates  # a scatter of XLA leaves out the others


def _scatter(xp: Xp, target: Array, indices: Array, updates: Array, mode: str, policy: str) -> Array:
    """Combines the updates into `target`."""
    flat_indices, rows = _flatten(indices, updates)
    if policy == "IGNORE":
        flat_indices, rows = _keep(xp, target.shape, flat_indices, rows)
    if flat_indices.shape[1] == 0:  # every update is of the whole tensor
        for row in rows:
            target = xp.scatter(target, ..., row, mode)
        return target
    return xp.scatter(target, tuple(flat_indices[:, i] for i in range(flat_indices.shape[1])), rows, mode)


# --- scatter_nd --------------------------------------------------------------------------------------------------


@export("scatter_nd", v1=["scatter_nd", "manip.scatter_nd"])
@op(
    "ScatterNd",
    "indices: Tindices, updates: T, shape: Tindices -> output: T",
    T=ANY,
    Tindices=_SCATTER_ND_INDEX,
    checks=_refuse_bad_scatter,
    shape=_scatter_nd_shape,
    constant_inputs=("shape",),
    batching=index_batches.scatter_nd,
    refuses=("indices", "shape"),
)
def scatter_nd(xp: Xp, indices: Array, updates: Array, shape: Array, *, bad_indices_policy: str = "") -> Array:
    """Adds updates into a tensor of zeros.

    >>> tf.scatter_nd([[1], [3], [1]], [9, 10, 1], [5]).numpy()
    array([ 0, 10,  0, 10,  0], dtype=int32)

    Args:
      indices: An integer Tensor; its last dimension holds positions in the first dimensions of the result.
      updates: A Tensor of shape `indices.shape[:-1] + shape[indices.shape[-1]:]`; strings are appended.
      shape: the shape of the result, a vector of the dtype of `indices`.
      bad_indices_policy: "" or "ERROR": a position out of range is an error; "IGNORE": the update there is left out.

    Returns: A Tensor of shape `shape`.
    Raises: tf.errors.InvalidArgumentError: if the shapes do not fit or a position is out of range.
    """
    dims = tuple(shape.tolist())
    _check_scatter_nd(dims, indices, updates)
    zeros = xp.full(dims, b"" if updates.dtype.kind == "O" else 0, dtype=updates.dtype)
    return _scatter(xp, zeros, indices, updates, "add", bad_indices_policy)


@scatter_nd.gradient
def scatter_nd_gradient(dy: Tensor, indices: Tensor, bad_indices_policy: str) -> tuple[None, Tensor, None]:
    """Gives each update the gradient of its position."""
    return None, raw.GatherNd(params=dy, indices=indices, bad_indices_policy=bad_indices_policy), None


@op(
    "ScatterNdNonAliasingAdd",
    "input: T, indices: Tindices, updates: T -> output: T",
    T=NUMERIC | QUANTIZED | BOOL,
    Tindices=INDEX,
    checks=_refuse_bad_scatter_into,
    shape=_tensor_scatter_shape,
    batching=index_batches.scatter_into,
    refuses=("indices",),
)
def scatter_nd_non_aliasing_add(
    xp: Xp, input: Array, indices: Array, updates: Array, *, bad_indices_policy: str = ""
) -> Array:
    """Adds the updates to `input`."""
    _check_tensor_scatter(input.shape, indices, updates)
    return _scatter(xp, input, indices, updates, "add", bad_indices_policy)


@scatter_nd_non_aliasing_add.gradient(accepts_slices=True)
def scatter_nd_non_aliasing_add_gradient(
    dy: Tensor, indices: Tensor, bad_indices_policy: str
) -> tuple[Tensor, None, Tensor]:
    """Gives the whole gradient to the input, and each update the gradient of its position."""
    return dy, None, raw.GatherNd(params=dy, indices=indices, bad_indices_policy=bad_indices_policy)


# --- tensor_scatter_nd_* -----------------------------------------------------------------------------------------


@op(
    "TensorScatterUpdate",
    "tensor: T, indices: Tindices, updates: T -> output: T",
    T=ANY,
    Tindices=_UPDATE_INDEX,
    checks=_refuse_bad_scatter_into,
    shape=_tensor_scatter_shape,
    batching=index_batches.scatter_into,
    refuses=("indices",),
)
def tensor_scatter_update_op(
    xp: Xp, tensor: Array, indices: Array, updates: Array, *, bad_indices_policy: str = ""
) -> Array:
    """Puts the updates at their positions in `tensor`; of several updates for one position the last wins."""
    _check_tensor_scatter(tensor.shape, indices, updates)
    return _scatter(xp, tensor, indices, updates, "set", bad_indices_policy)


@tensor_scatter_update_op.gradient
def tensor_scatter_update_gradient(
    dy: Tensor, indices: Tensor, updates: Tensor, bad_indices_policy: str
) -> tuple[Tensor, None, Tensor]:
    """Gives the updates the gradients of their positions, and the tensor the gradients of all other positions."""
    policy = {"bad_indices_policy": bad_indices_policy}
    d_tensor = raw.TensorScatterUpdate(tensor=dy, indices=indices, updates=raw.ZerosLike(x=updates), **policy)
    return d_tensor, None, raw.GatherNd(params=dy, indices=_gather_indices(indices), **policy)


def _gather_indices(indices: Any) -> Any:
    return raw.Cast(x=indices, DstT=int32) if indices.dtype is uint16 else indices


@export("tensor_scatter_nd_update", v1=["tensor_scatter_nd_update", "tensor_scatter_update"])
def tensor_scatter_nd_update(
    tensor: TensorLike, indices: TensorLike, updates: TensorLike, name: str | None = None
) -> Any:
    """Puts updates into a copy of a tensor.

    >>> tf.tensor_scatter_nd_update([0, 0, 0, 0], [[1], [3]], [5, 7]).numpy()
    array([0, 5, 0, 7], dtype=int32)

    Args:
      tensor: A Tensor of any dtype.
      indices: An integer Tensor; its last dimension holds positions in the first dimensions of `tensor`.
      updates: A Tensor of shape `indices.shape[:-1] + tensor.shape[indices.shape[-1]:]`.
      name: name of the operation.

    Returns: A Tensor of the shape of `tensor`; of several updates for one index the last holds.
    Raises: tf.errors.InvalidArgumentError: if the shapes do not fit or a position is out of range.
    """
    return tensor_scatter_update_op(tensor, indices, updates, name=name)


@export("tensor_scatter_nd_add", v1=["tensor_scatter_nd_add", "tensor_scatter_add"])
@op(
    "TensorScatterAdd",
    "tensor: T, indices: Tindices, updates: T -> output: T",
    T=NUMERIC | QUANTIZED,
    Tindices=INDEX,
    checks=_refuse_bad_scatter_into,
    shape=_tensor_scatter_shape,
    batching=index_batches.scatter_into,
    refuses=("indices",),
)
def tensor_scatter_nd_add(
    xp: Xp, tensor: Array, indices: Array, updates: Array, *, bad_indices_policy: str = ""
) -> Array:
    """Adds updates to a copy of a tensor.

    >>> tf.tensor_scatter_nd_add([1, 1, 1], [[0], [0]], [5, 7]).numpy()
    array([13,  1,  1], dtype=int32)

    Args:
      tensor: A numeric Tensor.
      indices: An integer Tensor; its last dimension holds positions in the first dimensions of `tensor`.
      updates: A Tensor of shape `indices.shape[:-1] + tensor.shape[indices.shape[-1]:]`.
      bad_indices_policy: "" or "ERROR": a position out of range is an error; "IGNORE": the update there is left out.

    Returns: A Tensor of the shape of `tensor`.
    Raises: tf.errors.InvalidArgumentError: if the shapes do not fit or a position is out of range.
    """
    _check_tensor_scatter(tensor.shape, indices, updates)
    return _scatter(xp, tensor, indices, updates, "add", bad_indices_policy)


@tensor_scatter_nd_add.gradient(accepts_slices=True)
def tensor_scatter_nd_add_gradient(dy: Tensor, indices: Tensor, bad_indices_policy: str) -> tuple[Tensor, None, Tensor]:
    """Gives the whole gradient to the tensor, and each update the gradient of its position."""
    return dy, None, raw.GatherNd(params=dy, indices=indices, bad_indices_policy=bad_indices_policy)


@export("tensor_scatter_nd_sub", v1=["tensor_scatter_nd_sub", "tensor_scatter_sub"])
@op(
    "TensorScatterSub",
    "tensor: T, indices: Tindices, updates: T -> output: T",
    T=NUMERIC | QUANTIZED,
    Tindices=INDEX,
    checks=_refuse_bad_scatter_into,
    shape=_tensor_scatter_shape,
    batching=index_batches.scatter_into,
    refuses=("indices",),
)
def tensor_scatter_nd_sub(
    xp: Xp, tensor: Array, indices: Array, updates: Array, *, bad_indices_policy: str = ""
) -> Array:
    """Subtracts updates from a copy of a tensor.

    >>> tf.tensor_scatter_nd_sub([9, 9, 9], [[0], [0]], [5, 1]).numpy()
    array([3, 9, 9], dtype=int32)

    Args:
      tensor: A numeric Tensor.
      indices: An integer Tensor; its last dimension holds positions in the first dimensions of `tensor`.
      updates: A Tensor of shape `indices.shape[:-1] + tensor.shape[indices.shape[-1]:]`.
      bad_indices_policy: "" or "ERROR": a position out of range is an error; "IGNORE": the update there is left out.

    Returns: A Tensor of the shape of `tensor`.
    Raises: tf.errors.InvalidArgumentError: if the shapes do not fit or a position is out of range.
    """
    _check_tensor_scatter(tensor.shape, indices, updates)
    return _scatter(xp, tensor, indices, updates, "sub", bad_indices_policy)


@tensor_scatter_nd_sub.gradient(accepts_slices=True)
def tensor_scatter_nd_sub_gradient(dy: Tensor, indices: Tensor, bad_indices_policy: str) -> tuple[Tensor, None, Tensor]:
    """Gives the whole gradient to the tensor, and each update the gradient of its position, negated."""
    return dy, None, -raw.GatherNd(params=dy, indices=indices, bad_indices_policy=bad_indices_policy)


@export("tensor_scatter_nd_min")
@op(
    "TensorScatterMin",
    "tensor: T, indices: Tindices, updates: T -> output: T",
    T=REAL | QUANTIZED,
    Tindices=INDEX,
    checks=_refuse_bad_scatter_into,
    shape=_tensor_scatter_shape,
    batching=index_batches.scatter_into,
    refuses=("indices",),
)
def tensor_scatter_nd_min(
    xp: Xp, tensor: Array, indices: Array, updates: Array, *, bad_indices_policy: str = ""
) -> Array:
    """Takes the minimum of a tensor and updates.

    >>> tf.tensor_scatter_nd_min([3, 3, 3], [[0], [2]], [5, 1]).numpy()
    array([3, 3, 1], dtype=int32)

    Args:
      tensor: A real Tensor.
      indices: An integer Tensor; its last dimension holds positions in the first dimensions of `tensor`.
      updates: A Tensor of shape `indices.shape[:-1] + tensor.shape[indices.shape[-1]:]`.
      bad_indices_policy: "" or "ERROR": a position out of range is an error; "IGNORE": the update there is left out.

    Returns: A Tensor of the shape of `tensor`.
    Raises: tf.errors.InvalidArgumentError: if the shapes do not fit or a position is out of range.
    """
    _check_tensor_scatter(tensor.shape, indices, updates)
    return _scatter(xp, tensor, indices, updates, "min", bad_indices_policy)


@export("tensor_scatter_nd_max")
@op(
    "TensorScatterMax",
    "tensor: T, indices: Tindices, updates: T -> output: T",
    T=REAL | QUANTIZED,
    Tindices=INDEX,
    checks=_refuse_bad_scatter_into,
    shape=_tensor_scatter_shape,
    batching=index_batches.scatter_into,
    refuses=("indices",),
)
def tensor_scatter_nd_max(
    xp: Xp, tensor: Array, indices: Array, updates: Array, *, bad_indices_policy: str = ""
) -> Array:
    """Takes the maximum of a tensor and updates.

    >>> tf.tensor_scatter_nd_max([3, 3, 3], [[0], [2]], [5, 1]).numpy()
    array([5, 3, 3], dtype=int32)

    Args:
      tensor: A real Tensor.
      indices: An integer Tensor; its last dimension holds positions in the first dimensions of `tensor`.
      updates: A Tensor of shape `indices.shape[:-1] + tensor.shape[indices.shape[-1]:]`.
      bad_indices_policy: "" or "ERROR": a position out of range is an error; "IGNORE": the update there is left out.

    Returns: A Tensor of the shape of `tensor`.
    Raises: tf.errors.InvalidArgumentError: if the shapes do not fit or a position is out of range.
    """
    _check_tensor_scatter(tensor.shape, indices, updates)
    return _scatter(xp, tensor, indices, updates, "max", bad_indices_policy)


@tensor_scatter_nd_min.gradient
@tensor_scatter_nd_max.gradient
def tensor_scatter_nd_extremum_gradient(
    dz: Tensor, tensor: Tensor, indices: Tensor, updates: Tensor, output: Tensor, bad_indices_policy: str
) -> tuple[Tensor, None, Tensor]:
    """Shares the gradient of a position equally among the elements that reached the extremum there."""
    policy = {"bad_indices_policy": bad_indices_policy}
    dtype = dz.dtype
    from_tensor = raw.Cast(x=raw.Equal(x=tensor, y=output), DstT=dtype)
    from_updates = raw.Cast(
        x=raw.Equal(x=updates, y=raw.GatherNd(params=output, indices=indices, **policy)), DstT=dtype
    )
    shape = shape_tensor(tensor, indices.dtype)
    winners = from_tensor + raw.ScatterNd(indices=indices, updates=from_updates, shape=shape, **policy)
    share = dz / winners
    return share * from_tensor, None, raw.GatherNd(params=share, indices=indices, **policy) * from_updates


# --- rows in place -----------------------------------------------------------------------------------------------


def _refuse_rows_outside(x: Array, i: Array, v: Array) -> None:
    rows = i.reshape(-1)
    if rows.size and x.ndim and (np.abs(rows) >= x.shape[0] + (rows < 0)).any():
        raise invalid(f"row indices {rows.tolist()} are not in [0, {x.shape[0]})")


def _row_update(xp: Xp, x: Array, i: Array, v: Array, mode: str) -> Array:
    if not i.size:
        return xp.scatter(x, ..., v, mode)
    rows = i.reshape(-1)
    return xp.scatter(x, (rows,), v.reshape((rows.shape[0], *x.shape[1:])), mode)


@op(
    "InplaceUpdate",
    "x: T, i: int32, v: T -> y: T",
    T=ANY,
    checks=_refuse_rows_outside,
    shape=lambda c: c.shape("x"),
    no_gradient="TensorFlow declares none; tf.tensor_scatter_nd_update and its kin have one",
    not_batched="an op from before eager tensors; the rows are written one by one",
)
def inplace_update(xp: Xp, x: Array, i: Array, v: Array) -> Array:
    """Replaces row `i[k]` of `x` by `v[k]`."""
    return _row_update(xp, x, i, v, "set")


@op(
    "InplaceAdd",
    "x: T, i: int32, v: T -> y: T",
    T=NUMERIC,
    checks=_refuse_rows_outside,
    shape=lambda c: c.shape("x"),
    no_gradient="TensorFlow declares none; tf.tensor_scatter_nd_update and its kin have one",
    not_batched="an op from before eager tensors; the rows are written one by one",
)
def inplace_add(xp: Xp, x: Array, i: Array, v: Array) -> Array:
    """Adds `v[k]` to row `i[k]` of `x`."""
    return _row_update(xp, x, i, v, "add")


@op(
    "InplaceSub",
    "x: T, i: int32, v: T -> y: T",
    T=NUMERIC,
    checks=_refuse_rows_outside,
    shape=lambda c: c.shape("x"),
    no_gradient="TensorFlow declares none; tf.tensor_scatter_nd_update and its kin have one",
    not_batched="an op from before eager tensors; the rows are written one by one",
)
def inplace_sub(xp: Xp, x: Array, i: Array, v: Array) -> Array:
    """Subtracts `v[k]` from row `i[k]` of `x`."""
    return _row_update(xp, x, i, v, "sub")
