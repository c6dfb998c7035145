"""Overloads of functions that take or return ragged shapes: `tf.shape`, `reshape`, `fill`, `broadcast_to` and kin."""

from __future__ import annotations

from typing import Any

from millrace._src.core.argument_types import DTypeLike, ShapeLike
from millrace._src.core.context import name_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import float32, int32
from millrace._src.core.errors import invalid
from millrace._src.core.overloads import overload
from millrace._src.ops import raw
from millrace._src.ops.array.filling import fill, ones, zeros
from millrace._src.ops.array.reshaping import reshape
from millrace._src.ops.ragged.broadcasting import Broadcast, broadcast, flat_rows, nest_partitions, shape_parts
from millrace._src.ops.ragged.dynamic_ragged_shape import DynamicRaggedShape
from millrace._src.ops.ragged.flat_values import flat_values_of
from millrace._src.ops.ragged.partition_checks import check, depend_on_checks
from millrace._src.ops.ragged.ragged_tensor import RaggedTensor, convert_to_tensor_or_ragged_tensor

_CANNOT = "Cannot broadcast"


@overload("shape", RaggedTensor)
def ragged_shape(input: Any, out_type: Any = None, name: str | None = None) -> Any:
    """Returns the shape of a ragged tensor, by default of int32."""
    with name_scope(name, "RaggedShape"):
        return DynamicRaggedShape.from_tensor(input, out_type or int32)


@overload("reshape", RaggedTensor)
@overload("reshape", DynamicRaggedShape)
def ragged_reshape(tensor: object, shape: ShapeLike, name: str | None = None) -> Any:
    """Gives the values of a dense or ragged tensor, in order, another shape, which may be ragged."""
    with name_scope(name, "RaggedReshape"):
        flat_values = flat_values_of(tensor)
        if isinstance(shape, DynamicRaggedShape):
            return nest_partitions(reshape(flat_values, shape.inner_shape), shape.row_partitions)
        return reshape(flat_values, shape)


@overload("fill", DynamicRaggedShape)
def ragged_fill(dims: Any, value: Any, name: str | None = None, layout: Any = None) -> Any:
    """Makes a dense or ragged tensor that repeats a scalar, or a vector along the innermost dimension."""
    with name_scope(name, "fill"):
        value = convert_to_tensor(value)
        if value.shape.rank == 0:
            return nest_partitions(fill(dims.inner_shape, value, layout=layout), dims.row_partitions)
        return nest_partitions(raw.BroadcastTo(input=value, shape=dims.inner_shape), dims.row_partitions)


@overload("zeros", DynamicRaggedShape)
def ragged_zeros(shape: Any, dtype: Any = float32, name: str | None = None, layout: Any = None) -> Any:
    """Makes a dense or ragged tensor of zeros."""
    return nest_partitions(zeros(shape.inner_shape, dtype, name, layout), shape.row_partitions)


@overload("ones", DynamicRaggedShape)
def ragged_ones(shape: Any, dtype: Any = float32, name: str | None = None, layout: Any = None) -> Any:
    """Makes a dense or ragged tensor of ones."""
    return nest_partitions(ones(shape.inner_shape, dtype, name, layout), shape.row_partitions)


# --- broadcasting ----------------------------------------------------------------------------------------------------


def _as_shape(shape: Any) -> DynamicRaggedShape:
    return shape if isinstance(shape, DynamicRaggedShape) else DynamicRaggedShape._from_inner_shape(shape)


@overload("broadcast_dynamic_shape", DynamicRaggedShape)
def ragged_broadcast_dynamic_shape(shape_x: Any, shape_y: Any) -> Any:
    """Computes the shape to which two shapes broadcast."""
    x, y = _as_shape(shape_x), _as_shape(shape_y)
    dtype = x.dtype if x.num_row_partitions else y.dtype
    x, y = x.with_dtype(dtype), y.with_dtype(dtype)
    found = broadcast([x._parts(), y._parts()], dtype)
    return DynamicRaggedShape(found.partitions, depend_on_checks(_inner_shape(found, dtype), found.checks), dtype)


def _inner_shape(found: Broadcast, dtype: DTypeLike) -> Any:
    sizes = list(found.sizes)
    if found.partitions:
        sizes[0] = found.partitions[-1].nvals()
    if not sizes:
        return convert_to_tensor([], dtype=dtype)
    return raw.Pack(values=[convert_to_tensor(size, dtype=dtype) for size in sizes])


@overload("broadcast_to", DynamicRaggedShape)
def ragged_broadcast_to(input: object, shape: object, name: str | None = None) -> Any:
    """Repeats a dense or ragged tensor along dimensions of size 1 to reach a shape, which may be ragged."""
    if not isinstance(shape, DynamicRaggedShape):
        raise TypeError(f"shape must be a DynamicRaggedShape; received {type(shape).__name__}.")
    with name_scope(name, "RaggedBroadcastTo"):
        value = convert_to_tensor_or_ragged_tensor(input, name="input")
        dtype = value._row_partition.dtype if isinstance(value, RaggedTensor) else shape.dtype
        shape = shape.with_dtype(dtype)
        all_parts = [shape_parts(value, dtype), shape._parts()]
        if all_parts[0].rank > all_parts[1].rank:
            raise ValueError(f"{_CANNOT} a tensor of rank {all_parts[0].rank} to a shape of rank {all_parts[1].rank}.")
        found = broadcast(all_parts, dtype, _CANNOT)
        checks = [*found.checks, *_checks_of_shape(found, shape, dtype)]
        depth = found.depth - all_parts[1].rank + all_parts[0].rank
        flat_values = depend_on_checks(flat_rows(value, all_parts[0], depth, found.rows[0]), checks)
        whole = raw.BroadcastTo(input=flat_values, shape=_inner_shape(found, dtype))
        return nest_partitions(raw.Reshape(tensor=whole, shape=shape.inner_shape), shape.row_partitions)


def _checks_of_shape(found: Broadcast, shape: DynamicRaggedShape, dtype: DTypeLike) -> list[Any]:
    """Checks that a tensor broadcasts to `shape`, and not to a larger one."""
    sizes = shape._with_num_row_partitions(found.depth) if shape.num_row_partitions < found.depth else shape
    expected = [partition.row_splits() for partition in sizes.row_partitions]
    pairs = [(partition.row_splits(), splits) for partition, splits in zip(found.partitions, expected, strict=True)]
    checks = []
    for splits, wanted in pairs:
        if not splits.shape.is_compatible_with(wanted.shape):
            raise invalid(f"{_CANNOT} Condition x == y did not hold: {splits.shape} and {wanted.shape} row splits.")
        checks += check("==", splits, wanted, _CANNOT) if splits is not wanted else []
    return [*checks, *check("==", _inner_shape(found, dtype), sizes.inner_shape, _CANNOT)]
