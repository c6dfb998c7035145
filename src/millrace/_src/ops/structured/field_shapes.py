"""What the fields of a structured tensor have in common: names, dtypes of sizes, and the outer dimensions.

The shape of a structured tensor may be given, or be found in any of the fields. What each of the fields knows of the
shape is put together, and fields that disagree are refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from millrace._src.core.argument_types import ShapeLike
from millrace._src.core.context import state
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import DType, int8, int32, int64
from millrace._src.core.errors import InvalidArgumentError
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.ragged.dynamic_ragged_shape import DynamicRaggedShape
from millrace._src.ops.ragged.partition_checks import check, depend_on_checks
from millrace._src.ops.ragged.ragged_tensor import RaggedTensor
from millrace._src.ops.ragged.row_partition import RowPartition

_NAME = re.compile(r"[a-zA-Z][a-zA-Z0-9_]*")


def validate_fields(fields: object, structured: type) -> dict[str, Any]:
    """Returns fields as tensors, ragged tensors and structured tensors.

    Args:
      fields: a dictionary.
      structured: the class `StructuredTensor`.

    Raises:
      TypeError: if `fields` is not a dictionary, or a name or value is of another type.
      ValueError: if a name is not allowed.
    """
    if not isinstance(fields, Mapping):
        raise TypeError(f"fields must be a dictionary, got {type(fields).__name__}")
    for name in fields:
        if not isinstance(name, str):
            raise TypeError(f"Unexpected type for key in `fields`: {name}")
        if not _NAME.fullmatch(name):
            raise ValueError(f"Field name {name!r} is not currently allowed.")
    return {name: _field(value, structured) for name, value in fields.items()}


def _field(value: Any, structured: type) -> Any:
    if isinstance(value, (Tensor, RaggedTensor, structured)):
        return value
    if value is None or isinstance(value, Mapping):
        raise TypeError(f"Unexpected type for value in `fields`: {value}")
    try:
        return convert_to_tensor(value)
    except (TypeError, ValueError) as error:
        raise TypeError(f"Unexpected type for value in `fields`: {value}") from error


def ragged_rank_of(value: Any) -> int:
    """Returns the number of dimensions of a field.

    Raises: ValueError: if it is not known.
    """
    rank = value.shape.rank
    if rank is None:
        raise ValueError("The rank of each field of a StructuredTensor must be known.")
    return int(rank)


def common_dtype(values: Iterable[Any], row_partitions: Sequence[RowPartition] | None) -> DType:
    """Returns the dtype of sizes: that of all ragged fields and partitions if they agree, else int64."""
    dtypes = {partition.dtype for partition in row_partitions or ()}
    for value in values:
        if isinstance(value, RaggedTensor):
            dtypes.add(value.row_splits.dtype)
        elif not isinstance(value, Tensor):
            dtypes.add(value._ragged_shape.dtype)
    return int32 if dtypes == {int32} else int64


# --- shapes ----------------------------------------------------------------------------------------------------------


def given_shape(
    shape: ShapeLike, nrows: object, row_partitions: Sequence[RowPartition] | None, dtype: DType, *, has_fields: bool
) -> DynamicRaggedShape | None:
    """Returns the shape that the arguments of `StructuredTensor.from_fields` give; None if only the fields tell.

    Raises: ValueError: if the arguments contradict each other, or nothing says the shape.
    """
    shape = TensorShape(shape)
    if shape.rank is None:
        raise ValueError("StructuredTensor's shape must have known rank.")
    if shape.rank == 0 and nrows is not None:
        raise ValueError("nrows must be None if shape.rank==0")
    if shape.rank < 2 and row_partitions:
        raise ValueError("row_partitions must be None or [] if shape.rank<2")
    if shape.rank >= 2 and row_partitions is not None and len(row_partitions) != shape.rank - 1:
        raise ValueError("len(row_partitions) must be shape.rank-1")
    if row_partitions:
        partitions = [partition.with_dtype(dtype) for partition in row_partitions]
        return DynamicRaggedShape.from_row_partitions(partitions)
    if shape.is_fully_defined():
        return _with_all_partitions(DynamicRaggedShape([], convert_to_tensor(shape.as_list(), dtype=dtype), dtype))
    if shape.rank == 1 and nrows is not None:
        return DynamicRaggedShape([], raw.Reshape(tensor=_as_sizes(nrows, dtype), shape=[1]), dtype)
    if not has_fields:
        if shape.rank == 1:
            raise ValueError("Must specify `nrows`, a fully specified `shape`, or have `fields` if `rank=1`")
        raise ValueError("Must specify row_partitions, a fully specified shape, or have fields if rank > 1")
    return None


def _as_sizes(sizes: Any, dtype: DType) -> Any:
    return raw.Cast(x=convert_to_tensor(sizes), DstT=dtype)


def _with_all_partitions(shape: DynamicRaggedShape) -> DynamicRaggedShape:
    """Returns the same shape with a partition for each dimension but the first."""
    return shape._with_num_row_partitions(max((shape.rank or 0) - 1, 0))


def common_shape(
    values: Mapping[str, Any],
    rank: int,
    ragged_shape: DynamicRaggedShape | None,
    known_shape: TensorShape,
    dtype: DType,
    validate: bool,
) -> DynamicRaggedShape:
    """Returns the shape of a structured tensor: what is given, and what the fields tell.

    Args:
      values: the fields, by name.
      rank: the number of dimensions.
      ragged_shape: the given shape, or None.
      known_shape: what is known of the shape besides.
      dtype: the dtype of the sizes.
      validate: whether a graph checks that the fields agree.

    Raises: ValueError: if a field disagrees, or has too few dimensions.
    """
    stated_shape = None if ragged_shape is None else ragged_shape._to_tensor_shape()
    for name, value in values.items():
        if ragged_rank_of(value) < rank:
            found = f"field {name!r} has shape {value.shape}, with fewer dimensions than rank={rank}"
            raise ValueError(f"num_row_partitions must be less than rank ({found})")
        known_shape.merge_with(value.shape[:rank])
        if stated_shape is not None:
            value.shape[:rank].merge_with(stated_shape)
        outer = _outer_shape(value, rank, dtype)
        try:
            ragged_shape = outer if ragged_shape is None else _merge(ragged_shape, outer, validate)
        except (ValueError, InvalidArgumentError) as error:
            raise ValueError(f"Error in shape of {name}") from error
    assert ragged_shape is not None, "there are fields, or the shape is given"
    return ragged_shape


def _outer_shape(value: Any, rank: int, dtype: DType) -> DynamicRaggedShape:
    """Returns the shape of the first dimensions of a field."""
    if rank == 0:
        return DynamicRaggedShape([], [], dtype)
    is_structured = not isinstance(value, (Tensor, RaggedTensor))
    shape = value._ragged_shape if is_structured else DynamicRaggedShape.from_tensor(value, dtype=dtype)
    return _with_all_partitions(shape.with_dtype(dtype)[:rank])


def _merge(shape: DynamicRaggedShape, other: DynamicRaggedShape, validate: bool) -> DynamicRaggedShape:
    """Returns a shape with what another, equal shape knows besides; a graph checks that they are equal if asked to.

    Raises: ValueError or InvalidArgumentError: if the shapes are known to differ.
    """
    shape._static_inner_shape.merge_with(other._static_inner_shape)
    pairs = zip(shape.row_partitions, other.row_partitions, strict=True)
    checks_now = state.graph is None  # where it costs no op
    partitions = [a._merge_precomputed_encodings(b, validate or checks_now) for a, b in pairs]
    sizes = shape.inner_shape
    if validate:
        sizes = depend_on_checks(sizes, check("==", sizes, other.inner_shape, "Shapes of the fields differ."))
    return DynamicRaggedShape(
        partitions, sizes, static_inner_shape=shape._static_inner_shape.merge_with(other._static_inner_shape)
    )


def merged_shape(partitions: Sequence[RowPartition], outer: int, inner: int) -> DynamicRaggedShape:
    """Returns the shape with these partitions after the dimensions from `outer` to `inner` became one."""
    if outer == 0:
        behind = partitions[inner:]
        if behind:
            return DynamicRaggedShape.from_row_partitions(behind)
        return DynamicRaggedShape([], raw.Reshape(tensor=partitions[inner - 1].nvals(), shape=[1]))
    splits = partitions[outer - 1].row_splits()
    for partition in partitions[outer:inner]:
        splits = raw.GatherV2(params=partition.row_splits(), indices=splits, axis=0)
    merged = RowPartition.from_row_splits(splits, validate=False)
    return DynamicRaggedShape.from_row_partitions([*partitions[: outer - 1], merged, *partitions[inner:]])


def sliced_shape(ragged_shape: DynamicRaggedShape, keys: tuple[Any, ...]) -> DynamicRaggedShape:
    """Returns the shape of some of the structures without fields: that of the same part of any tensor of the shape."""
    values = raw.Fill(dims=ragged_shape.inner_shape, value=convert_to_tensor(0, dtype=int8))
    return DynamicRaggedShape.from_tensor(ragged_shape._add_row_partitions(values)[keys], dtype=ragged_shape.dtype)
