"""`tf.ragged.boolean_mask`, which keeps what a mask says row by row, and the overloads of `tf.where`."""

from __future__ import annotations

from typing import Any

from millrace._src.core.argument_types import DTypeLike, TensorLike
from millrace._src.core.context import name_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import bool as tf_bool
from millrace._src.core.dtypes import int64
from millrace._src.core.op_registry import late_bound
from millrace._src.core.overloads import overload
from millrace._src.ops import raw
from millrace._src.ops.array.selecting import boolean_mask
from millrace._src.ops.ragged.broadcasting import BroadcastValues, common_splits_dtype, nest_partitions
from millrace._src.ops.ragged.partition_checks import check
from millrace._src.ops.ragged.ragged_joining import convert_values
from millrace._src.ops.ragged.ragged_rows import (
    gather,
    with_ragged_rank,
)
from millrace._src.ops.ragged.ragged_tensor import RaggedTensor, convert_to_tensor_or_ragged_tensor
from millrace._src.ops.ragged.row_partition import RowPartition
from millrace._src.util.export import export

_IDENTICAL = "Inputs must have identical ragged splits"
NEEDS_BOTH = "x and y must be either both None or both non-None"


@late_bound("ragged_boolean_mask")
@export("ragged.boolean_mask")
def ragged_boolean_mask(data: TensorLike, mask: Any, name: str | None = None) -> Any:
    """Keeps the elements for which a mask is True, each in its row.

    >>> data = tf.constant([[1, 2, 3], [4, 5, 6]])
    >>> tf.ragged.boolean_mask(data, [[True, False, True], [False, True, False]])
    <tf.RaggedTensor [[1, 3], [5]]>

    Args:
      data: a Tensor or RaggedTensor.
      mask: a Tensor or RaggedTensor of booleans, whose shape is a prefix of that of `data`.
      name: name of the scope in a graph.

    Returns: A RaggedTensor of the rank of `data`, in which the innermost dimension of `mask` is ragged; a Tensor where
      `data` is dense and `mask` a vector.
    Raises:
      ValueError: if the shapes do not fit, `mask` is a scalar, or its rank is unknown.
      tf.errors.InvalidArgumentError: if the rows of `data` and `mask` differ in length.
    """
    with name_scope(name, "RaggedMask"):
        data = convert_to_tensor_or_ragged_tensor(data, name="data")
        mask = convert_to_tensor_or_ragged_tensor(mask, dtype=tf_bool, name="mask")
        common_splits_dtype(data, mask)
        rank = mask.shape.rank
        if rank is None:
            raise ValueError("mask.shape.ndims must be known statically.")
        if rank == 0:
            raise ValueError("mask cannot be scalar.")
        if rank == 1:
            return _mask_rows(data, mask)
        return _mask(data, mask, rank)


def _mask_rows(data: Any, mask: Any) -> Any:
    data.shape[:1].assert_is_compatible_with(mask.shape)
    if not isinstance(data, RaggedTensor):
        return boolean_mask(data, mask)
    return gather(data, _true_positions(mask))


def _true_positions(mask: object) -> Any:
    """Returns the positions at which a vector is True."""
    return raw.Reshape(tensor=raw.Where(input=mask), shape=[-1])


def _mask(data: Any, mask: Any, rank: int) -> RaggedTensor:
    if isinstance(data, RaggedTensor) and isinstance(mask, RaggedTensor) and data.ragged_rank < mask.ragged_rank:
        raise ValueError(_IDENTICAL)
    if not (isinstance(data, RaggedTensor) or isinstance(mask, RaggedTensor)):
        data.shape[:rank].assert_is_compatible_with(mask.shape)
    dtype = common_splits_dtype(data, mask) or int64
    whole_mask = with_ragged_rank(_as_ragged(mask, rank - 1, dtype), rank - 1)
    whole_data = with_ragged_rank(_as_ragged(data, rank - 1, dtype), rank - 1)
    partitions, checks = [], []
    for own, other in zip(whole_data._nested_row_partitions, whole_mask._nested_row_partitions, strict=False):
        if not own.row_splits().shape.is_compatible_with(other.row_splits().shape):
            raise ValueError(_IDENTICAL)
        checks += check("==", own.row_splits(), other.row_splits(), _IDENTICAL)
        partitions.append(own)
    values: Any = whole_data
    for _ in partitions:
        values = values.values
    kept = raw.Cast(x=whole_mask.flat_values, DstT=dtype)
    counts = raw.ConcatV2(values=[convert_to_tensor([0], dtype=dtype), raw.Cumsum(x=kept, axis=0)], axis=0)
    splits = raw.GatherV2(params=counts, indices=partitions[-1].row_splits(), axis=0)
    masked = RowPartition._of(splits)._with_dependencies(checks)
    result: RaggedTensor = nest_partitions(
        gather(values, _true_positions(whole_mask.flat_values)), [*partitions[:-1], masked]
    )
    return result


def _as_ragged(value: object, ragged_rank: int, dtype: DTypeLike) -> RaggedTensor:
    if isinstance(value, RaggedTensor):
        return value
    made: RaggedTensor = RaggedTensor.from_tensor(value, ragged_rank=ragged_rank, row_splits_dtype=dtype)
    return made


# --- where -----------------------------------------------------------------------------------------------------------


@overload("where", RaggedTensor)
def ragged_where(condition: object, x: object = None, y: object = None, name: str | None = None) -> Any:
    """Picks from `x` or `y`, which broadcast; without them finds the indices of what is True."""
    if (x is None) != (y is None):
        raise ValueError(NEEDS_BOTH)
    with name_scope(name, "RaggedWhere"):
        if x is None:
            return indices_of_true(convert_to_tensor_or_ragged_tensor(condition, name="condition"))
        condition = convert_to_tensor_or_ragged_tensor(condition, name="condition")
        operands = BroadcastValues([condition, *convert_values([x, y])], "Unable to broadcast: dimension size mismatch")
        return operands.with_flat_values(
            raw.SelectV2(**dict(zip(("condition", "t", "e"), operands.flat_values, strict=True)))
        )


def indices_of_true(condition: object) -> Any:
    """Returns the index vectors of the elements that are True, as a matrix."""
    if not isinstance(condition, RaggedTensor):
        return raw.Where(input=condition)
    found = raw.Where(input=condition.flat_values)
    position, columns = found[:, 0], [found[:, 1:]]
    for partition in reversed(condition._nested_row_partitions):
        rows = raw.GatherV2(params=partition.value_rowids(), indices=position, axis=0)
        starts = raw.GatherV2(params=partition.row_starts(), indices=rows, axis=0)
        offsets = position - raw.Cast(x=starts, DstT=int64)
        columns.insert(0, raw.ExpandDims(input=offsets, axis=1))
        position = raw.Cast(x=rows, DstT=int64)
    return raw.ConcatV2(values=[raw.ExpandDims(input=position, axis=1), *columns], axis=1)
