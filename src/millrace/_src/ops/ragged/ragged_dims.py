"""Dimensions of ragged tensors: lengths along an axis, the bounding shape, dimensions merged into one."""

from __future__ import annotations

from typing import Any

from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import DType
from millrace._src.core.shape_context import static_value
from millrace._src.ops import raw
from millrace._src.ops.array.concat import stack
from millrace._src.ops.array.shape_ops import shape_tensor
from millrace._src.ops.math.casting import cast
from millrace._src.ops.ragged.ragged_factories import RaggedFactories
from millrace._src.ops.ragged.row_partition import RowPartition


def known_axis(axis: int, rank: int | None, name: str = "axis") -> int:
    """Returns an axis as a number that is not negative.

    Raises:
      TypeError: if the axis is not an int.
      ValueError: if the axis is out of range, or negative where the rank is unknown.
    """
    if not isinstance(axis, int):
        raise TypeError(f"{name} must be an int; got {type(axis).__name__}")
    if rank is None:
        if axis < 0:
            raise ValueError(f"{name}={axis} may only be negative if rank is statically known.")
        return axis
    if not -rank <= axis < rank:
        raise ValueError(f"{name}={axis} out of bounds: expected {-rank}<={name}<{rank}")
    return axis % rank


def row_lengths(ragged: Any, axis: int) -> Any:
    """Returns the lengths of the slices along an axis; see `tf.RaggedTensor.row_lengths`."""
    axis = known_axis(axis, ragged.shape.rank)
    partition: RowPartition = ragged._row_partition
    if axis == 0:
        return partition.nrows()
    if axis == 1:
        return partition.row_lengths()
    if isinstance(ragged.values, RaggedFactories):
        return ragged.with_values(row_lengths(ragged.values, axis - 1))
    dims = shape_tensor(ragged.values, out_type=partition.dtype)
    lengths = raw.Fill(dims=dims[: axis - 1], value=dims[axis - 1])
    return ragged.with_values(lengths)


def bounding_shape(ragged: Any, axis: Any, out_type: DType) -> Any:
    """Returns the smallest dense shape around a ragged tensor; see `tf.RaggedTensor.bounding_shape`."""
    if isinstance(axis, int) and axis in (0, 1):
        size = ragged._row_partition.nrows() if axis == 0 else _longest_row(ragged._row_partition)
        return cast(size, out_type)
    partitions: tuple[RowPartition, ...] = ragged._nested_row_partitions
    ragged_dims = [partitions[0].nrows(), *[_longest_row(partition) for partition in partitions]]
    inner_dims = shape_tensor(ragged.flat_values, out_type=ragged._row_partition.dtype)[1:]
    dims = cast(raw.ConcatV2(values=[stack(ragged_dims), inner_dims], axis=0), out_type)
    if axis is None:
        return dims
    return raw.GatherV2(params=dims, indices=axis, axis=0)


def _longest_row(partition: RowPartition) -> Any:
    """Returns the length of the longest row, 0 if there is no row."""
    length = partition.uniform_row_length()
    if length is not None and partition.static_nrows:
        return length
    lengths = partition.row_lengths()
    return raw.Maximum(x=raw.Max(input=lengths, reduction_indices=[0]), y=convert_to_tensor(0, dtype=partition.dtype))


def merge_dims(value: Any, outer_axis: int, inner_axis: int) -> Any:
    """Merges dimensions of a dense or ragged tensor into one; see `tf.RaggedTensor.merge_dims`."""
    rank = value.shape.rank
    outer_axis = known_axis(outer_axis, rank, "outer_axis")
    inner_axis = known_axis(inner_axis, rank, "inner_axis")
    if outer_axis > inner_axis:
        raise ValueError(f"Expected outer_axis ({outer_axis}) to be less than or equal to inner_axis ({inner_axis}).")
    return _merge(value, outer_axis, inner_axis)


def _merge(value: object, outer: int, inner: int) -> Any:
    if outer == inner:
        return value
    if not isinstance(value, RaggedFactories):
        return _merge_dense(value, outer, inner)
    ragged: Any = value
    if outer > 1:
        return ragged.with_values(_merge(ragged.values, outer - 1, inner - 1))
    if outer == 0:
        return _merge(ragged.values, 0, inner - 1)
    values = _merge(ragged.values, 1, inner - 1) if inner > 2 else ragged.values
    return _without_second_axis(ragged, values)


def _without_second_axis(ragged: Any, values: object) -> Any:
    """Merges the second and third dimension of a ragged tensor whose values are `values`."""
    partition: RowPartition = ragged._row_partition
    outer_length = partition.uniform_row_length()
    if isinstance(values, RaggedFactories):
        inner_partition = values._row_partition
        splits = raw.GatherV2(params=inner_partition.row_splits(), indices=partition.row_splits(), axis=0)
        inner_length, inner_values = inner_partition.uniform_row_length(), values.values
    else:
        inner_length = shape_tensor(values, out_type=partition.dtype)[1]
        splits = partition.row_splits() * inner_length
        inner_values = _merge_dense(values, 0, 1)
    is_uniform = outer_length is not None and inner_length is not None
    length = outer_length * inner_length if is_uniform else None
    return ragged._of(inner_values, RowPartition._of(splits, uniform_row_length=length))


def _merge_dense(tensor: Any, outer: int, inner: int) -> Any:
    dims = tensor.shape.dim_sizes
    if dims is not None and None not in dims:
        merged = 1
        for dim in dims[outer : inner + 1]:
            merged *= dim
        return raw.Reshape(tensor=tensor, shape=[*dims[:outer], merged, *dims[inner + 1 :]])
    shape = shape_tensor(tensor)
    size = raw.Prod(input=shape[outer : inner + 1], reduction_indices=[0], keep_dims=True)
    merged_shape = raw.ConcatV2(values=[shape[:outer], size, shape[inner + 1 :]], axis=0)
    result = raw.Reshape(tensor=tensor, shape=merged_shape)
    if dims is not None:
        known = static_value(size)
        result.set_shape([*dims[:outer], None if known is None else int(known[0]), *dims[inner + 1 :]])
    return result
