"""Ragged tensors joined: `tf.concat`, `tf.stack`, `tf.ragged.stack`, `tf.add_n` and the partitions by number.

Along the first axis, and within each row, joining is the work of `ragged_rows`. Further in, the row splits of all
tensors must be equal, and their values are joined.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from millrace._src.core.argument_types import TensorLike
from millrace._src.core.context import name_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import int32, int64
from millrace._src.core.errors import invalid
from millrace._src.core.overloads import overload
from millrace._src.ops import raw
from millrace._src.ops.array.concat import stack
from millrace._src.ops.array.sorting import argsort
from millrace._src.ops.math.aggregation import add_n
from millrace._src.ops.ragged.broadcasting import common_splits_dtype
from millrace._src.ops.ragged.flat_values import map_flat_values
from millrace._src.ops.ragged.partition_checks import check, check_not_negative, depend_on_checks
from millrace._src.ops.ragged.ragged_dims import known_axis
from millrace._src.ops.ragged.ragged_rows import (
    gather,
    join_in_rows,
    join_rows,
    row_count,
    stack_in_rows,
    validate_values,
    with_common_ragged_rank,
)
from millrace._src.ops.ragged.ragged_shapes import expand_dims
from millrace._src.ops.ragged.ragged_tensor import RaggedTensor, convert_to_tensor_or_ragged_tensor
from millrace._src.ops.ragged.row_partition import RowPartition
from millrace._src.util.export import export

_IDENTICAL = "Inputs must have identical ragged splits"


def convert_values(values: Sequence[Any]) -> list[Any]:
    """Converts values to dense and ragged tensors with row splits of one dtype."""
    dtype = next((value.dtype for value in values if isinstance(value, RaggedTensor)), None)
    tensors = [convert_to_tensor_or_ragged_tensor(value, preferred_dtype=dtype) for value in values]
    common_splits_dtype(*tensors)
    return tensors


def _common_rank(values: Sequence[Any]) -> int | None:
    """Returns the rank of all values, None if no rank is known.

    Raises: ValueError: if two ranks differ.
    """
    rank = next((value.shape.rank for value in values if value.shape.rank is not None), None)
    if rank is not None:
        for value in values:
            value.shape.assert_has_rank(rank)
    return rank


@overload("concat", RaggedTensor)
def ragged_concat(values: object, axis: Any, name: str = "concat") -> Any:
    """Joins dense and ragged tensors along an axis."""
    if not isinstance(values, (list, tuple)):
        values = [values]
    with name_scope(name, "RaggedConcat"):
        tensors = convert_values(values)
        return join(tensors, known_axis(axis, _common_rank(tensors)))


def join(values: Sequence[Any], axis: int) -> Any:
    """Joins dense and ragged tensors of one rank along an axis that is not negative."""
    if len(values) == 1:
        return values[0]
    if not any(isinstance(value, RaggedTensor) for value in values):
        return raw.ConcatV2(values=list(values), axis=axis)
    ragged = with_common_ragged_rank(values)
    if axis == 0:
        return join_rows(ragged)
    if axis > 1:
        checks = _checks_of_equal_splits(ragged)
        inner = join([value.values for value in ragged], axis - 1)
        return RaggedTensor._of(inner, ragged[0]._row_partition._with_dependencies(checks))
    checks = _checks_of_rows(ragged)
    return _waiting(join_in_rows(ragged), checks)


def _checks_of_rows(values: Sequence[RaggedTensor]) -> list[Any]:
    """Checks that all values have as many rows as the first one."""
    checks = []
    for number, value in enumerate(values[1:], 1):
        words = f"Input tensors at index 0 (=x) and {number} (=y) have incompatible shapes."
        checks += check("==", values[0].nrows(), value.nrows(), words)
    return checks


def _waiting(result: RaggedTensor, checks: list[Any]) -> RaggedTensor:
    return RaggedTensor._of(result.values, result._row_partition._with_dependencies(checks)) if checks else result


def _checks_of_equal_splits(values: Sequence[RaggedTensor]) -> list[Any]:
    first = values[0].row_splits
    checks = []
    for value in values[1:]:
        if value.row_splits is first:
            continue
        if not value.row_splits.shape.is_compatible_with(first.shape):
            raise invalid(_IDENTICAL) if value._is_eager() else ValueError(_IDENTICAL)
        checks += check("==", first, value.row_splits, _IDENTICAL)
    return checks


@overload("stack", RaggedTensor)
def ragged_stack_overload(values: Any, axis: Any = 0, name: str = "stack") -> Any:
    """Stacks dense and ragged tensors along a new axis."""
    if isinstance(values, RaggedTensor):
        if not values._is_eager():
            raise TypeError(f"Expected list for 'values' argument to 'pack' Op, not {values}.")
        return stack([values[i] for i in range(int(values.nrows()))], axis=axis, name=name)
    return ragged_stack(values, axis=axis, name=name)


@export("ragged.stack")
def ragged_stack(values: TensorLike, axis: int = 0, name: str | None = None) -> Any:
    """Stacks tensors of one rank along a new dimension, whose slices may differ in length.

    >>> tf.ragged.stack([[1, 2, 3], [4]])
    <tf.RaggedTensor [[1, 2, 3], [4]]>
    >>> tf.ragged.stack([tf.ragged.constant([[1], []]), tf.ragged.constant([[2, 3], [4]])], axis=1)
    <tf.RaggedTensor [[[1], [2, 3]], [[], [4]]]>

    Args:
      values: a list of Tensors and RaggedTensors.
      axis: the index of the new dimension; a negative number counts from the end of the result.
      name: name of the scope in a graph.

    Returns: A RaggedTensor of one rank more; a Tensor where dense tensors of one shape are stacked along an inner
      dimension, or scalars.
    Raises:
      ValueError: if `values` is empty, the ranks differ, or `axis` is out of range.
      tf.errors.InvalidArgumentError: if the dimensions before `axis` differ.
    """
    if not isinstance(values, (list, tuple)):
        values = [values]
    if not values:
        raise ValueError("rt_inputs may not be empty.")
    with name_scope(name, "RaggedConcat"):
        tensors = convert_values(values)
        rank = _common_rank(tensors)
        axis = known_axis(axis, None if rank is None else rank + 1)
        if not any(isinstance(value, RaggedTensor) for value in tensors) and (axis or not rank):
            return raw.Pack(values=tensors, axis=axis)
        if axis == 0:
            return _rows_of_tensors(tensors, rank or 1)
        if axis == 1 and len(tensors) > 1:
            ragged = with_common_ragged_rank(tensors)
            checks = _checks_of_rows(ragged)
            return _waiting(stack_in_rows(ragged), checks)
        return join([expand_dims(value, axis) for value in tensors], axis)


def _rows_of_tensors(tensors: Sequence[Any], rank: int) -> RaggedTensor:
    """Returns the ragged tensor that has each tensor as a row."""
    dtype = common_splits_dtype(*tensors) or (int32 if rank == 1 else int64)
    lengths = raw.Pack(values=[row_count(value, dtype) for value in tensors])
    if rank > 1 and dtype is int64 and not any(isinstance(value, RaggedTensor) for value in tensors):
        tensors = [RaggedTensor.from_tensor(value) for value in tensors]
    if any(isinstance(value, RaggedTensor) for value in tensors):
        tensors = with_common_ragged_rank(tensors)
    return RaggedTensor._of(join_rows(tensors), RowPartition.from_row_lengths(lengths, validate=False))


@overload("math.add_n", RaggedTensor)
def ragged_add_n(inputs: Any, name: str | None = None) -> Any:
    """Adds up ragged tensors with the same rows."""
    return map_flat_values(lambda values: add_n(values, name=name), convert_values(list(inputs)))


# --- by number -------------------------------------------------------------------------------------------------------


@export("ragged.stack_dynamic_partitions")
def stack_dynamic_partitions(data: Any, partitions: Any, num_partitions: Any, name: str | None = None) -> Any:
    """Stacks the groups of elements of equal number into a ragged tensor.

    >>> tf.ragged.stack_dynamic_partitions(["a", "b", "c", "d"], [2, 0, 2, 0], num_partitions=3)
    <tf.RaggedTensor [[b'b', b'd'], [], [b'a', b'c']]>

    Args:
      data: a Tensor or RaggedTensor.
      partitions: the number of each element: an int32 or int64 Tensor or RaggedTensor, whose shape is a prefix of that
        of `data`.
      num_partitions: how many groups there are, a scalar.
      name: name of the scope in a graph.

    Returns: A RaggedTensor of which row `i` holds the elements of number `i`, in order.
    Raises:
      ValueError: if the shapes do not fit or a dtype is wrong.
      tf.errors.InvalidArgumentError: if a number is not in [0, num_partitions).
    """
    with name_scope(name, "SegmentStack"):
        data = convert_to_tensor_or_ragged_tensor(data, name="data")
        partitions = convert_to_tensor_or_ragged_tensor(partitions, preferred_dtype=int32, name="partitions")
        num_partitions = convert_to_tensor(num_partitions, name="num_partitions", dtype_hint=partitions.dtype)
        num_partitions = raw.Cast(x=num_partitions, DstT=partitions.dtype)
        splits_dtype = common_splits_dtype(data) or common_splits_dtype(partitions) or partitions.dtype
        return _stack(data, partitions, num_partitions, splits_dtype)


def _stack(data: Any, partitions: Any, num_partitions: object, splits_dtype: object) -> Any:
    """Stacks groups; brings `data` and `partitions` to one dimension that both share first."""
    rank = partitions.shape.rank
    if isinstance(partitions, RaggedTensor):
        return _stack_ragged(data, partitions, num_partitions, splits_dtype)
    if rank is None:
        raise ValueError("partitions must have known rank.")
    if not isinstance(data, RaggedTensor) or rank <= 1:
        partitions.shape.assert_is_compatible_with(data.shape[:rank])
    if rank == 0:
        data, partitions = expand_dims(data, 0), raw.ExpandDims(input=partitions, axis=0)
    if rank > 1:
        if isinstance(data, RaggedTensor):
            ragged = RaggedTensor.from_tensor(
                partitions, ragged_rank=min(data.ragged_rank, rank - 1), row_splits_dtype=data._row_partition.dtype
            )
            return _stack_ragged(data, ragged, num_partitions, splits_dtype)
        inner_shape = raw.Shape(input=data)[rank:]
        data = raw.Reshape(tensor=data, shape=raw.ConcatV2(values=[[-1], inner_shape], axis=0))
        partitions = raw.Reshape(tensor=partitions, shape=[-1])
    return _stack_rows(data, partitions, num_partitions, splits_dtype)


def _stack_ragged(data: Any, partitions: RaggedTensor, num_partitions: Any, splits_dtype: Any) -> Any:
    if not isinstance(data, RaggedTensor):
        data = RaggedTensor.from_tensor(data, row_splits_dtype=partitions._row_partition.dtype)
    words = "data and partitions have incompatible ragged shapes"
    checks = check("==", data.row_splits, partitions.row_splits, words)
    return _stack(data.values, validate_values(partitions.values, checks), num_partitions, splits_dtype)


def _stack_rows(data: object, partitions: Any, num_partitions: object, splits_dtype: object) -> Any:
    """Stacks groups of the rows of `data`, whose numbers are a vector."""
    if partitions.dtype not in (int32, int64):
        raise ValueError("value_rowids must have dtype int32 or int64")
    checks = check_not_negative(partitions, "partitions must be non-negative.")
    checks += check("<", partitions, num_partitions, "partitions must be less than num_partitions")
    partitions = depend_on_checks(partitions, checks)
    order = argsort(partitions, stable=True)
    ids = raw.GatherV2(params=partitions, indices=order, axis=0)
    ids, num_partitions = (raw.Cast(x=x, DstT=splits_dtype) for x in (ids, num_partitions))
    partition = RowPartition.from_value_rowids(ids, nrows=num_partitions, validate=False)
    return RaggedTensor._of(gather(data, order), partition)


@overload("dynamic_partition", RaggedTensor)
def ragged_dynamic_partition(data: Any, partitions: Any, num_partitions: Any, name: str | None = None) -> list[Any]:
    """Deals out the elements of a ragged tensor to tensors by number."""
    if not isinstance(num_partitions, int) or num_partitions < 0:
        raise TypeError("num_partitions must be a non-negative integer")
    result = stack_dynamic_partitions(data, partitions, num_partitions, name)
    return [result[i] for i in range(num_partitions)]
