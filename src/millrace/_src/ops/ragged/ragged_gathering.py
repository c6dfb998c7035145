"""Overloads of `tf.gather`, `tf.gather_nd` and `tf.compat.v1.batch_gather`.

Every form comes down to picking rows of one long sequence. With batch dimensions, or along an inner axis, the sequence
is all slices of that axis, end to end; an index into one of the rows becomes a position by adding where the row begins.
As in TensorFlow, an index behind the end of its row picks from the next one: only the whole sequence has bounds.
"""

from __future__ import annotations

from typing import Any

from millrace._src.core.argument_types import DTypeLike
from millrace._src.core.context import name_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import int32, int64
from millrace._src.core.overloads import overload
from millrace._src.ops import raw
from millrace._src.ops.array.gathering import gather_nd
from millrace._src.ops.array.shape_ops import shape_tensor
from millrace._src.ops.ragged.broadcasting import (
    BroadcastValues,
    ShapeParts,
    common_splits_dtype,
    nest_partitions,
    shape_parts,
)
from millrace._src.ops.ragged.ragged_dims import known_axis, merge_dims
from millrace._src.ops.ragged.ragged_rows import gather
from millrace._src.ops.ragged.ragged_shapes import expand_dims
from millrace._src.ops.ragged.ragged_tensor import RaggedTensor, convert_to_tensor_or_ragged_tensor
from millrace._src.ops.ragged.row_partition import RowPartition


@overload("gather", RaggedTensor)
def ragged_gather(
    params: Any,
    indices: Any,
    validate_indices: object = None,
    axis: Any = None,
    batch_dims: int = 0,
    name: str | None = None,
) -> Any:
    """Picks slices of a dense or ragged tensor along `axis`."""
    with name_scope(name, "RaggedGather"):
        params = convert_to_tensor_or_ragged_tensor(params, name="params")
        indices = convert_to_tensor_or_ragged_tensor(indices, name="indices")
        common_splits_dtype(params, indices)
        if batch_dims != indices.shape.rank:
            batch_dims = known_axis(batch_dims, indices.shape.rank, "batch_dims")
        if params.shape.rank is None and axis is None:
            axis = batch_dims
        axis = batch_dims if axis is None else known_axis(axis, params.shape.rank)
        if axis < batch_dims:
            raise ValueError("axis must be greater than or equal to batch_dims")
        if axis == 0:
            return gather(params, indices, keeps_lengths=False)
        if not indices.shape[:batch_dims].is_compatible_with(params.shape[:batch_dims]):
            words = f"batch shape from indices {indices.shape[:batch_dims]} does not match params shape"
            raise ValueError(f"{words} {params.shape}")
        return _gather_inside(params, indices, axis, batch_dims)


def _gather_inside(params: Any, indices: Any, axis: int, batch_dims: int) -> Any:
    """Picks along an axis behind the first.

    A cell is a slice of `params` for given indices of the dimensions before `axis`.
    """
    dtype = common_splits_dtype(params, indices) or (indices.dtype if indices.dtype in (int32, int64) else int64)
    parts = shape_parts(params, dtype)
    starts = _cell_starts(parts, axis, dtype)
    cells = merge_dims(indices, 0, batch_dims - 1) if batch_dims > 1 else indices
    if not batch_dims:
        cells = expand_dims(indices, 0)
    if batch_dims < axis:
        cells = gather(cells, _ancestors(parts, starts, axis, batch_dims, dtype))
    positions = _with_index_dtype(cells, dtype)
    for _ in range(cells.shape.rank - 1):
        starts = raw.ExpandDims(input=starts, axis=-1)
    shifted = BroadcastValues([positions, starts])
    picks = shifted.with_flat_values(raw.AddV2(x=shifted.flat_values[0], y=shifted.flat_values[1]))
    result = gather(merge_dims(params, 0, axis), picks)
    return _with_outer_dims(result, params, parts, axis)


def _with_index_dtype(indices: Any, dtype: object) -> Any:
    if indices.dtype is dtype:
        return indices
    if isinstance(indices, RaggedTensor):
        return indices.with_flat_values(raw.Cast(x=indices.flat_values, DstT=dtype))
    return raw.Cast(x=indices, DstT=dtype)


def _partition(parts: ShapeParts, axis: int, dtype: DTypeLike) -> RowPartition:
    """Returns the partition of a dimension behind the first; that of a dense dimension has rows of one length."""
    if axis <= len(parts.partitions):
        return parts.partitions[axis - 1]
    length = convert_to_tensor(parts.dim(axis), dtype=dtype)
    nrows = _nvals(parts, axis - 1, dtype)
    return RowPartition.from_uniform_row_length(length, nrows * length, nrows, validate=False, dtype_hint=dtype)


def _nvals(parts: ShapeParts, axis: int, dtype: DTypeLike) -> Any:
    """Returns how many slices a tensor has for all indices of the dimensions up to `axis`."""
    if axis == 0:
        return convert_to_tensor(parts.dim(0), dtype=dtype)
    if axis <= len(parts.partitions):
        return parts.partitions[axis - 1].nvals()
    return _nvals(parts, axis - 1, dtype) * convert_to_tensor(parts.dim(axis), dtype=dtype)


def _cell_starts(parts: ShapeParts, axis: int, dtype: DTypeLike) -> Any:
    return _partition(parts, axis, dtype).row_starts()


def _ancestors(parts: ShapeParts, starts: object, axis: int, batch_dims: int, dtype: DTypeLike) -> Any:
    """Returns for each cell of `axis` the number of the batch that the cell belongs to; 0 without batches."""
    if not batch_dims:
        return raw.ZerosLike(x=starts)
    ancestors = _partition(parts, axis - 1, dtype).value_rowids()
    for outer in reversed(range(batch_dims, axis - 1)):
        ancestors = raw.GatherV2(params=_partition(parts, outer, dtype).value_rowids(), indices=ancestors, axis=0)
    return ancestors


def _with_outer_dims(result: object, params: object, parts: ShapeParts, axis: int) -> Any:
    """Gives the first dimension of a result, which counts cells, the dimensions of `params` before `axis`."""
    if axis == 1:
        return result
    if isinstance(params, RaggedTensor):
        dtype = params._row_partition.dtype
        return nest_partitions(result, [_partition(parts, a, dtype) for a in range(1, axis)])
    if isinstance(result, RaggedTensor):
        dtype = result._row_partition.dtype
        return nest_partitions(result, [_partition(parts, a, dtype) for a in range(1, axis)])
    dims = raw.ConcatV2(values=[shape_tensor(params)[:axis], shape_tensor(result)[1:]], axis=0)
    return raw.Reshape(tensor=result, shape=dims)


# --- gather_nd -------------------------------------------------------------------------------------------------------


@overload("gather_nd", RaggedTensor)
def ragged_gather_nd(
    params: object, indices: Any, batch_dims: object = 0, name: str | None = None, bad_indices_policy: str = ""
) -> Any:
    """Picks slices or elements of a dense or ragged tensor by index vectors."""
    if batch_dims != 0:
        raise ValueError("batch_dims != 0 is not supported for ragged gather yet.")
    with name_scope(name, "RaggedGatherNd"):
        params = convert_to_tensor_or_ragged_tensor(params, name="params")
        indices = convert_to_tensor_or_ragged_tensor(indices, name="indices")
        common_splits_dtype(params, indices)
        rank, width = indices.shape.rank, indices.shape[-1] if indices.shape.rank else None
        if rank is None:
            raise ValueError("indices.rank be statically known.")
        if rank == 0:
            raise ValueError("indices.rank must be at least 1.")
        if isinstance(indices, RaggedTensor) and rank == indices.ragged_rank + 1:
            raise ValueError("The innermost dimension of indices may not be ragged")
        if width is None:
            raise ValueError("indices.shape[-1] must be statically known.")
        return _gather_nd(params, indices, width)


def _gather_nd(params: Any, indices: Any, width: int) -> Any:
    if isinstance(indices, RaggedTensor):
        return indices.with_values(_gather_nd(params, indices.values, width))
    if not isinstance(params, RaggedTensor):
        return gather_nd(params, indices)
    if width == 0:
        numbers = raw.ZerosLike(x=raw.Sum(input=indices, reduction_indices=[-1]))
        return gather(expand_dims(params, 0), numbers)
    if width == 1 and indices.shape.rank == 1:
        return gather(params, indices)  # as in TensorFlow, with the dimension of the index vector
    return _at_indices(params, indices, width)


def _at_indices(params: RaggedTensor, indices: Any, width: int) -> Any:
    """Picks by index vectors of `width` numbers, which are the last dimension of `indices`."""
    dtype = params._row_partition.dtype
    columns = raw.Unpack(value=raw.Cast(x=indices, DstT=dtype), num=width, axis=-1)
    position, values = columns[0], params
    for column in columns[1 : params.ragged_rank + 1]:
        position = raw.GatherV2(params=values.row_starts(), indices=position, axis=0) + column
        values = values.values
    inner = columns[params.ragged_rank + 1 :]
    if inner:
        return gather_nd(values, raw.Pack(values=[position, *inner], axis=-1))
    return gather(values, position)
