"""Gather: slices of a tensor, or elements, picked by index.

On a CPU TensorFlow refuses an index out of range; XLA cannot, so under XLA the index is clamped. The refusal is
therefore among the checks of the ops. The gradient of picking whole rows is sparse: IndexedSlices, in which nothing is
added up yet.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from millrace._src.core.array_namespace import Array, CompilingXp, Xp
from millrace._src.core.context import name_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import DType, int16, int32, int64
from millrace._src.core.errors import invalid
from millrace._src.core.indexed_slices import IndexedSlices
from millrace._src.core.kernel_part import kernel_part
from millrace._src.core.op_def import op
from millrace._src.core.op_signature import TypeSet
from millrace._src.core.shape_complaint import ShapeComplaint
from millrace._src.core.shape_context import ShapeContext, static_value
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.array import index_batches
from millrace._src.ops.array.eager_arguments import index_tensor
from millrace._src.ops.array.reshaping import reshape
from millrace._src.ops.array.shape_checks import (
    UNKNOWN,
    dims_text,
    first_bad,
    list_text,
    position_text,
    require_scalar,
    unknown_dims,
    with_rank_at_least,
)
from millrace._src.ops.array.shape_ops import shape_tensor
from millrace._src.ops.gradient_rules import values_for
from millrace._src.ops.type_sets import ANY, INDEX
from millrace._src.util.export import export

_INDICES = TypeSet((int16, int32, int64))


# --- gather ------------------------------------------------------------------------------------------------------


def _gather_v2_shape(c: ShapeContext) -> TensorShape:
    params, indices = with_rank_at_least(c.shape("params"), 1), c.shape("indices").dim_sizes
    require_scalar(c.shape("axis"))
    axis_value, batch_dims = c.value("axis"), c.attr("batch_dims")
    if params is None:
        return UNKNOWN
    if axis_value is None:
        return (
            unknown_dims(len(params) + len(indices) - 1 - batch_dims)
            if indices is not None and batch_dims >= 0
            else UNKNOWN
        )
    axis = int(axis_value)
    with_rank_at_least(TensorShape.of(params), axis + 1 if axis >= 0 else -axis)
    axis %= len(params)
    if indices is None:
        return UNKNOWN
    batch_dims = _batch_dims(batch_dims, len(indices))
    with_rank_at_least(TensorShape.of(params), batch_dims + 1)
    return TensorShape.of((*params[:axis], *indices[batch_dims:], *params[axis + 1 :]))


def _batch_dims(batch_dims: int, rank: int) -> int:
    if not -rank <= batch_dims <= rank:
        raise ShapeComplaint(f"Shape must be at least rank {abs(batch_dims)} but is rank {rank}")
    return batch_dims + rank if batch_dims < 0 else batch_dims


@kernel_part
def clamp(xp: Xp, indices: Array, sizes: Any) -> Array:
    """Returns `indices` into dimensions of `sizes`; clamps each index where no check has refused bad indices."""
    return indices


@clamp.kernel_for("xla")
def _clamp_by_xla(xp: CompilingXp, indices: Array, sizes: Any) -> Array:
    limits = np.minimum(np.asarray(sizes) - 1, np.iinfo(indices.dtype).max).astype(indices.dtype)
    return xp.clip(indices, np.zeros((), indices.dtype), limits)


def refuse_outside(indices: Array, size: int) -> None:
    """Raises InvalidArgumentError if an index is not in [0, size)."""
    if indices.size and (indices.min() < 0 or indices.max() >= size):
        at = first_bad((indices < 0) | (indices >= size)) or ()
        raise invalid(f"indices{position_text(at)} = {int(indices[at])} is not in [0, {size})")


def _refuse_indices_outside(params: Array, indices: Array, axis: Array) -> None:
    at = -1 if axis.ndim else int(axis)
    if axis.ndim == 0 and -params.ndim <= at < params.ndim:
        refuse_outside(indices, params.shape[at])


@op(
    "GatherV2",
    "params: Tparams, indices: Tindices, axis: Taxis -> output: Tparams",
    Tparams=ANY,
    Tindices=_INDICES,
    Taxis=INDEX,
    shape=_gather_v2_shape,
    constant_inputs=("axis",),
    checks=_refuse_indices_outside,
    batching=index_batches.gather,
    exact_on_rows=True,
    refuses=("indices",),
)
def gather_v2(xp: Xp, params: Array, indices: Array, axis: Array, *, batch_dims: int = 0) -> Array:
    """Picks the slices of `params` along `axis` at `indices`."""
    if axis.ndim:
        raise invalid("axis must be scalar")
    if not params.ndim:
        raise invalid("params must be at least 1 dimensional")
    at = int(axis.reshape(-1)[0])
    if not -params.ndim <= at < params.ndim:
        raise invalid(f"Shape must be at least rank {at + 1 if at >= 0 else -at} but is rank {params.ndim}")
    at %= params.ndim
    if batch_dims:
        return _gather_batches(xp, params, indices, at, batch_dims)
    return xp.take(params, indices, axis=at, mode="clip")


@gather_v2.specialize
def _specialize_gather(xp: Xp, dtypes: tuple[DType, ...], attrs: dict[str, Any]) -> Any:
    """Takes whole slices, with their range checked."""
    if attrs["batch_dims"]:
        return None

    def gather(params: Array, indices: Array, axis: Array) -> Array:
        at = params.ndim if axis.ndim else int(axis)
        if not -params.ndim <= at < params.ndim:
            return gather_v2.op_def.kernel(xp, params, indices, axis)  # which refuses the axis
        refuse_outside(indices, params.shape[at])
        return params.take(indices, axis=at)

    return gather


def _gather_batches(xp: Xp, params: Array, indices: Array, axis: int, batch_dims: int) -> Array:
    """Gathers in each of the batches, the leading dimensions that params and indices share."""
    batch = _batch_dims(batch_dims, indices.ndim)
    if batch > axis:
        raise invalid(f"batch_dims ({batch}) must be less than or equal to axis ({axis}).")
    for d in range(batch):
        if params.shape[d] != indices.shape[d]:
            a, b = params.shape[d], indices.shape[d]
            raise invalid(f"params.shape[{d}]: {a} should be equal to indices.shape[{d}]: {b}")
    grid = tuple(
        xp.arange(indices.shape[d]).reshape([-1 if i == d else 1 for i in range(indices.ndim)]) for d in range(batch)
    )
    indices = clamp(xp, indices, params.shape[axis])
    picked_slices = xp.moveaxis(params, axis, batch)[
        (*grid, indices)
    ]  # batch, the other indices, then what surrounds the axis
    batch_axes = range(batch, indices.ndim)
    return xp.moveaxis(picked_slices, tuple(batch_axes), tuple(r + axis - batch for r in batch_axes))


@gather_v2.gradient
@values_for(params=())
def gather_v2_gradient(
    dy: Tensor, params: Tensor, indices: Tensor, axis: Tensor, batch_dims: int
) -> tuple[Any, None, None]:
    """Returns IndexedSlices for rows; along another axis, or in batches, adds up the slices in place."""
    at = static_value(axis)
    if at is not None and int(at) == 0 and batch_dims == 0:
        return _sparse_rows(dy, params, indices), None, None
    rank = raw.Rank(input=params) if params.shape.rank is None else params.shape.rank
    index_rank = raw.Rank(input=indices) if indices.shape.rank is None else indices.shape.rank
    where = int(at) if at is not None else raw.Cast(x=axis, DstT=int32)
    if at is None or int(at) < 0:
        where = raw.FloorMod(x=where, y=rank) if at is None or not isinstance(rank, int) else int(at) % rank
    batch = batch_dims if batch_dims >= 0 else batch_dims + index_rank
    return _scatter_along(dy, params, indices, where, batch, rank, index_rank), None, None


def _sparse_rows(dy: Any, params: Any, indices: Any) -> IndexedSlices:
    """Returns the gradient of picked rows: IndexedSlices that say to which row each slice of `dy` belongs."""
    shape = shape_tensor(params)
    dims = params.shape.dim_sizes
    sure = dims is not None and all(
        dims[1:]
    )  # else rows may be empty, and the number of rows does not follow from the rest
    count = [-1] if sure else raw.ExpandDims(input=raw.Size(input=indices), dim=0)
    values = reshape(dy, raw.ConcatV2(values=[count, shape[1:]], axis=0))
    return IndexedSlices(values=values, indices=reshape(indices, [-1]), dense_shape=shape)


def _span(start: object, stop: object) -> Any:
    """Returns the vector `start, ..., stop - 1`; an array of ints where both ends are ints, else a tensor."""
    if isinstance(start, int) and isinstance(stop, int):
        return np.arange(start, stop, dtype=np.int32)
    return raw.Range(start=start, limit=stop, delta=1)


def _join(*parts: Any) -> Any:
    if all(isinstance(p, np.ndarray) for p in parts):
        return np.concatenate(parts)
    return raw.ConcatV2(values=list(parts), axis=0)


def _scatter_along(dy: Any, params: object, indices: Any, axis: Any, batch: Any, rank: Any, index_rank: Any) -> Any:
    """Transposes gather: adds `dy` up in a flat table whose rows are (batch, position on the axis).

    The gathered dimensions are first moved behind the batch.
    """
    extra = index_rank - batch  # dimensions of dy that came from the indices
    out_rank = rank - 1 + extra
    order = _join(_span(0, batch), _span(axis, axis + extra), _span(batch, axis), _span(axis + extra, out_rank))
    moved_dy = raw.Transpose(x=dy, perm=order)
    shape = shape_tensor(params)
    batch_shape, size = shape[:batch], shape[axis]
    other_sizes = raw.ConcatV2(values=[shape[batch:axis], shape[axis + 1 :]], axis=0)
    batches = raw.Prod(input=batch_shape, reduction_indices=[0])
    lead = raw.Pack(values=[batches, -1], axis=0)
    rows = raw.Reshape(tensor=raw.Cast(x=indices, DstT=int32), shape=lead) + raw.ExpandDims(
        input=raw.Range(start=0, limit=batches, delta=1) * size, dim=1
    )
    table_shape = raw.ConcatV2(values=[raw.Pack(values=[batches * size], axis=0), other_sizes], axis=0)
    updates = raw.Reshape(
        tensor=moved_dy, shape=raw.ConcatV2(values=[raw.Shape(input=reshape(rows, [-1])), other_sizes], axis=0)
    )
    table = raw.ScatterNd(indices=raw.Reshape(tensor=rows, shape=[-1, 1]), updates=updates, shape=table_shape)
    full_table = raw.Reshape(
        tensor=table, shape=raw.ConcatV2(values=[batch_shape, raw.Pack(values=[size], axis=0), other_sizes], axis=0)
    )
    back = _join(_span(0, batch), _span(batch + 1, axis + 1), _span(batch, batch + 1), _span(axis + 1, rank))
    return raw.Transpose(x=full_table, perm=back)


def _gather_shape(c: ShapeContext) -> TensorShape:
    params, indices = with_rank_at_least(c.shape("params"), 1), c.shape("indices").dim_sizes
    return UNKNOWN if params is None or indices is None else TensorShape.of((*indices, *params[1:]))


def _refuse_rows_outside(params: Array, indices: Array) -> None:
    if params.ndim:
        refuse_outside(indices, params.shape[0])


@op(
    "Gather",
    "params: Tparams, indices: Tindices -> output: Tparams",
    only_moves_values=True,
    Tparams=ANY,
    Tindices=INDEX,
    shape=_gather_shape,
    checks=_refuse_rows_outside,
    batching=index_batches.gather,
    exact_on_rows=True,
    refuses=("indices",),
)
def gather_op(xp: Xp, params: Array, indices: Array, *, validate_indices: bool = True) -> Array:
    """Picks the rows of `params` at `indices`."""
    return gather_v2.op_def.kernel(xp, params, indices, np.zeros((), np.int32))


@gather_op.gradient
@values_for(params=())
def gather_op_gradient(dy: Tensor, params: Tensor, indices: Tensor) -> tuple[IndexedSlices, None]:
    """Returns the gradient of the picked rows as IndexedSlices."""
    return _sparse_rows(dy, params, indices), None


@export("gather", v1=[])
def gather(
    params: Any,
    indices: Any,
    validate_indices: Any = None,
    axis: Any = None,
    batch_dims: int = 0,
    name: str | None = None,
) -> Any:
    """Picks slices of a tensor along a dimension.

    >>> tf.gather([10, 20, 30], [2, 0]).numpy()
    array([30, 10], dtype=int32)
    >>> tf.gather([[1, 2], [3, 4]], [1], axis=1).numpy()
    array([[2],
           [4]], dtype=int32)
    >>> tf.gather([[1, 2], [3, 4]], [[0], [1]], batch_dims=1).numpy()
    array([[1],
           [4]], dtype=int32)

    Args:
      params: A Tensor of at least one dimension, or a Variable.
      indices: An integer Tensor of any shape, each element in [0, params.shape[axis]).
      validate_indices: does nothing; indices are always checked on a CPU.
      axis: the dimension to pick from; None means `batch_dims`.
      batch_dims: the number of leading dimensions that `params` and `indices` share.
      name: name of the operation.

    Returns: A Tensor of shape `params.shape[:axis] + indices.shape[batch_dims:] + params.shape[axis + 1:]`.
    Raises: tf.errors.InvalidArgumentError: if an index is out of range.
    """
    if axis is None:
        axis = batch_dims
    known_axis = static_value(axis) if isinstance(axis, Tensor) else axis
    if known_axis is None or np.ndim(known_axis) or int(known_axis) != 0:
        return gather_v2(params, _positions(indices), index_tensor(axis), batch_dims=batch_dims, name=name)
    if not isinstance(params, Tensor) and hasattr(params, "sparse_read"):  # a Variable reads only the wanted rows
        return params.sparse_read(indices, name=name)
    return gather_v2(params, _positions(indices), index_tensor(axis), name=name)


def _positions(indices: object) -> Any:
    """Applies `index_tensor`, but leaves an empty list a list of floats, which the op refuses as TensorFlow's does."""
    tensor = index_tensor(indices)
    return indices if tensor is not indices and not tensor._eager_array.size else tensor


# --- gather_nd ---------------------------------------------------------------------------------------------------


def _gather_nd_shape(c: ShapeContext) -> TensorShape:
    params, indices = c.shape("params").dim_sizes, with_rank_at_least(c.shape("indices"), 1)
    if params is None or indices is None or indices[-1] is None:
        return UNKNOWN
    depth = indices[-1]
    if depth > len(params):
        shapes = f"indices shape: {dims_text(indices)} and params shape: {dims_text(params)}"
        raise ValueError(f"indices.shape[-1] must be <= params.rank, but saw {shapes}")
    return TensorShape.of((*indices[:-1], *params[depth:]))


def bad_positions(indices: Array, dims: tuple[int, ...]) -> Array:
    """Tells which rows of `indices` do not point into the first dimensions `dims` of a tensor."""
    limits = np.array(dims, np.int64)
    return ((indices < 0) | (indices >= limits)).any(axis=-1)


_MANY = 4096
"""Indices from which on a pass over each column is quicker than one over rows of a few indices."""


def are_inside(indices: Array, dims: tuple[int, ...]) -> bool:
    """Returns whether all rows of `indices` point into the first dimensions `dims` of a tensor."""
    if indices.size >= _MANY and dims:
        columns = indices.reshape(-1, len(dims)).T.view(f"u{indices.itemsize}")  # a negative index becomes a large one
        return all(int(column.max()) < size for column, size in zip(columns, dims, strict=True))
    return not np.count_nonzero((indices < 0) | (indices >= np.array(dims, np.int64)))  # quicker than `any`


def _refuse_bad_positions(params: Array, indices: Array, *, bad_indices_policy: str) -> None:
    depth = indices.shape[-1] if indices.ndim else params.ndim + 1
    if depth > params.ndim or 0 in indices.shape[:-1] or depth and bad_indices_policy == "IGNORE":
        return
    if depth == 0 and not indices.shape[:-1]:
        return
    if params.size == 0:
        raise _empty_params(params)
    if are_inside(indices, params.shape[:depth]):
        return
    at = first_bad(bad_positions(indices, params.shape[:depth])) or ()
    where = f"indices{position_text(at)} = {list_text(indices[at])}"
    raise invalid(f"{where} does not index into param shape {dims_text(params.shape)}, node name: GatherNd")


def _empty_params(params: Array) -> Exception:
    return invalid(f"Requested more than 0 entries, but params is empty.  Params shape: {dims_text(params.shape)}")


@kernel_part
def _select(xp: Xp, params: Array, positions: tuple[Array, ...]) -> Array:
    """Picks slices at positions in the first axes; moves each position into its axis where no check refuses others."""
    return params[positions]


@_select.kernel_for("xla")
def _select_by_xla(xp: CompilingXp, params: Any, positions: tuple[Array, ...]) -> Array:
    picked_slices: Array = xp.asarray(params).at[positions].get(mode="clip", wrap_negative_indices=False)
    return picked_slices


@op(
    "GatherNd",
    "params: Tparams, indices: Tindices -> output: Tparams",
    Tparams=ANY,
    Tindices=_INDICES,
    shape=_gather_nd_shape,
    checks=_refuse_bad_positions,
    batching=index_batches.gather_nd,
    exact_on_rows=True,
    refuses=("indices",),
)
def gather_nd_op(xp: Xp, params: Array, indices: Array, *, bad_indices_policy: str = "") -> Array:
    """Picks the elements, or slices, of `params` at the positions in the rows of `indices`."""
    if not indices.ndim:
        raise invalid("indices must be at least a vector")
    depth = indices.shape[-1]
    if depth > params.ndim:
        raise invalid(f"index innermost dimension length must be <= params rank; saw: {depth} vs. {params.ndim}")
    if depth == 0:
        return xp.broadcast_to(params, (*indices.shape[:-1], *params.shape))
    if 0 in params.shape[:depth]:
        return xp.zeros((*indices.shape[:-1], *params.shape[depth:]), params.dtype)
    if bad_indices_policy != "IGNORE":
        return _select(xp, params, tuple([indices[..., i] for i in range(depth)]))
    is_ignored = bad_positions(indices, params.shape[:depth])
    safe_indices = xp.where(is_ignored[..., None], xp.zeros_like(indices), indices)
    picked_slices = params[tuple([safe_indices[..., i] for i in range(depth)])]
    blank = np.array(b"" if params.dtype.kind == "O" else 0, params.dtype)
    return xp.where(is_ignored.reshape(is_ignored.shape + (1,) * (params.ndim - depth)), blank, picked_slices)


@gather_nd_op.gradient
def gather_nd_gradient(dy: Tensor, params: Tensor, indices: Tensor, bad_indices_policy: str) -> tuple[Any, None]:
    """Returns IndexedSlices for rows picked one by one; scatters other gradients back."""
    if indices.shape.rank == 2 and indices.shape.as_list()[-1] == 1 and bad_indices_policy != "IGNORE":
        rows = raw.Squeeze(input=indices, squeeze_dims=[-1])
        wide = int64 if indices.dtype is int64 else int32
        return IndexedSlices(values=dy, indices=rows, dense_shape=shape_tensor(params, wide)), None
    if indices.dtype is int16:
        indices = raw.Cast(x=indices, DstT=int32)
    shape = shape_tensor(params, indices.dtype)
    return raw.ScatterNd(indices=indices, updates=dy, shape=shape, bad_indices_policy=bad_indices_policy), None


@export("gather_nd", v1=[])
def gather_nd(
    params: Any, indices: Any, batch_dims: Any = 0, name: str | None = None, bad_indices_policy: str = ""
) -> Any:
    """Picks elements or slices of a tensor by their positions.

    >>> tf.gather_nd([[1, 2], [3, 4]], [[0, 0], [1, 1]]).numpy()
    array([1, 4], dtype=int32)
    >>> tf.gather_nd([[1, 2], [3, 4]], [[1]]).numpy()
    array([[3, 4]], dtype=int32)

    Args:
      params: A Tensor of any dtype, or a Variable.
      indices: An integer Tensor; each vector of its last dimension is a position in the first dimensions of `params`.
      batch_dims: the number of leading dimensions that `params` and `indices` share.
      name: name of the operation.
      bad_indices_policy: "" or "ERROR": a position out of range is an error; "IGNORE": zeros are taken there.

    Returns: A Tensor of shape `indices.shape[:-1] + params.shape[indices.shape[-1]:]`.
    Raises: tf.errors.InvalidArgumentError: if a position is out of range.
    """
    known_batch_dims = static_value(batch_dims) if isinstance(batch_dims, Tensor) else batch_dims
    if known_batch_dims is None:
        raise ValueError("tf.gather_nd: `batch_dims` must be known while tracing.")
    if int(known_batch_dims) != 0:
        return _batch_gather_nd(params, indices, int(known_batch_dims), name)
    if not bad_indices_policy and hasattr(params, "gather_nd"):
        return params.gather_nd(indices, name=name)
    return gather_nd_op(params, indices, bad_indices_policy=bad_indices_policy, name=name)


def _batch_gather_nd(params: Any, indices: Any, batch_dims: int, name: str | None) -> Any:
    """Completes the positions by the numbers of their batches."""
    with name_scope(name, "BatchGatherND"):
        indices = convert_to_tensor(indices, name="indices")
        params = convert_to_tensor(params, name="params")
        rank = indices.shape.rank
        if rank is None:
            raise ValueError("batch_gather_nd does not allow indices with unknown shape.")
        if batch_dims >= rank:
            raise ValueError(f"Argument `batch_dims` = {batch_dims} must be less than rank(`indices`) = {rank}")
        if params.shape.rank is not None and batch_dims >= params.shape.rank:
            raise ValueError(
                f"Argument `batch_dims` = {batch_dims} must be less than rank(`params`) = {params.shape.rank}"
            )
        if batch_dims < 0:
            raise ValueError(f"Argument `batch_dims` = {batch_dims} must be non-negative.")
        shape = shape_tensor(indices, indices.dtype if indices.dtype is not int16 else int32)
        column_shape = raw.ConcatV2(values=[shape[:-1], [1]], axis=0)
        columns = []
        for d in range(batch_dims):
            numbers = raw.Range(start=raw.ZerosLike(x=shape[d]), limit=shape[d], delta=raw.OnesLike(x=shape[d]))
            aligned_numbers = raw.Reshape(tensor=numbers, shape=[-1 if i == d else 1 for i in range(rank)])
            columns.append(raw.BroadcastTo(input=aligned_numbers, shape=column_shape))
        if indices.dtype is int16:
            indices = raw.Cast(x=indices, DstT=int32)
        return gather_nd_op(params, raw.ConcatV2(values=[*columns, indices], axis=-1))
