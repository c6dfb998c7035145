"""The sparse and ragged tensors that reading Examples gives, made of the parts that the ops return.

The ops return the values of all Examples in one vector. Row splits say which values belong to which Example. Two kinds
of description combine several features of each Example:

- A `SparseFeature` takes indices and values from different features; the results are put in order.
- A `RaggedFeature` with partitions takes the rows of each Example from other features. The rows of all Examples are
  made at once: positions that count from the start of an Example are shifted to count from the start of the vector.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from millrace._src.ops import raw
from millrace._src.ops.array.tiling import repeat
from millrace._src.ops.io.feature_configs import (
    RaggedFeature,
    RowLengths,
    RowLimits,
    RowSplits,
    RowStarts,
    SparseFeature,
    UniformRowLength,
    ValueRowIds,
)
from millrace._src.ops.ragged.ragged_tensor import RaggedTensor
from millrace._src.ops.sparse.sparse_tensor import SparseTensor

Parts = Mapping[Any, Sequence[Any]]
"""What an op returned of each key: values and row splits, the outermost splits first."""


# --- sparse ----------------------------------------------------------------------------------------------------------


def merge_sparse_tensor(feature: SparseFeature, parts: Parts) -> SparseTensor:
    """Makes the SparseTensor that a `SparseFeature` describes.

    Args:
      feature: the description.
      parts: the indices, values and shapes of all sparse features, by key.

    Raises: ValueError: if there are more or fewer features of indices than sizes.
    """
    keys, sizes = (
        list(part) if isinstance(part, (list, tuple)) else [part] for part in (feature.index_key, feature.size)
    )
    if len(keys) != len(sizes):
        raise ValueError("sp_ids and vocab_size have to have equal lengths.")
    indices, values, shape = parts[feature.value_key]
    columns = [raw.ExpandDims(input=parts[key][1], axis=1) for key in keys]
    merged_indices = raw.ConcatV2(values=[indices[:, :-1], *columns], axis=1)
    merged_shape = raw.ConcatV2(values=[shape[:-1], raw.Cast(x=sizes, DstT=shape.dtype)], axis=0)
    if not feature.already_sorted:
        merged_indices, values = raw.SparseReorder(
            input_indices=merged_indices, input_values=values, input_shape=merged_shape
        )
    return SparseTensor(merged_indices, values, merged_shape)


# --- ragged ----------------------------------------------------------------------------------------------------------


def ragged_feature(key: object, feature: RaggedFeature, parts: Parts) -> Any:
    """Makes the tensor that a `RaggedFeature` describes: its values, in rows and Examples.

    Args:
      key: the name of the result.
      feature: the description.
      parts: the values and row splits of all ragged features, by key; no splits for a single Example.

    Returns: A RaggedTensor; a Tensor for a single Example without ragged rows.
    """
    values, *splits = parts[key if feature.value_key is None else feature.value_key]
    if not splits:
        for partition in reversed(feature.partitions):
            positions = None if isinstance(partition, UniformRowLength) else parts[partition.key][0]
            values = _rows_of_one(values, partition, positions, feature)
        return values
    *outer_splits, splits = splits
    examples = RaggedTensor.from_row_splits(values, splits, validate=feature.validate)
    for partition in reversed(feature.partitions):
        examples = _partition(examples, partition, parts, feature.validate)
    for row_splits in reversed(outer_splits):
        examples = RaggedTensor.from_row_splits(examples, row_splits, validate=feature.validate)
    return examples


def _rows_of_one(values: object, partition: object, positions: object, feature: RaggedFeature) -> Any:
    """Puts the values of a single Example into rows."""
    if isinstance(partition, UniformRowLength):
        return _uniform_rows(values, partition.length, feature.validate)
    positions = raw.Cast(x=positions, DstT=feature.row_splits_dtype)
    return _FACTORIES[type(partition)](values, positions, validate=feature.validate)


_FACTORIES: dict[type, Callable[..., Any]] = {
    RowSplits: RaggedTensor.from_row_splits,
    RowLengths: RaggedTensor.from_row_lengths,
    RowStarts: RaggedTensor.from_row_starts,
    RowLimits: RaggedTensor.from_row_limits,
    ValueRowIds: RaggedTensor.from_value_rowids,
}


def _uniform_rows(values: object, length: int, validate: bool) -> Any:
    """Puts values into rows of one length; without ragged rows inside, these are a dense dimension."""
    if isinstance(values, RaggedTensor):
        return RaggedTensor.from_uniform_row_length(values, length, validate=validate)
    inner_shape = raw.Shape(input=values)[1:]
    return raw.Reshape(tensor=values, shape=raw.ConcatV2(values=[[-1, length], inner_shape], axis=0))


def _partition(examples: RaggedTensor, partition: Any, parts: Parts, validate: bool) -> RaggedTensor:
    """Puts the values of each Example into rows."""
    if isinstance(partition, UniformRowLength):
        rows = _uniform_rows(examples.values, partition.length, validate)
        splits = raw.FloorDiv(x=examples.row_splits, y=raw.Cast(x=partition.length, DstT=examples.row_splits.dtype))
        return RaggedTensor.from_row_splits(rows, splits, validate=validate)
    values, *_, splits = parts[partition.key]
    positions = RaggedTensor.from_row_splits(raw.Cast(x=values, DstT=splits.dtype), splits, validate=validate)
    return _PARTITIONED[type(partition)](examples, positions, validate)


def _by_lengths(examples: RaggedTensor, lengths: RaggedTensor, validate: bool) -> RaggedTensor:
    rows = RaggedTensor.from_row_lengths(examples.values, lengths.values, validate=validate)
    return lengths.with_values(rows)


def _by_starts(examples: RaggedTensor, starts: RaggedTensor, validate: bool) -> RaggedTensor:
    shifted_starts = _shift(starts, examples.row_starts())
    return starts.with_values(RaggedTensor.from_row_starts(examples.values, shifted_starts, validate=validate))


def _by_limits(examples: RaggedTensor, limits: RaggedTensor, validate: bool) -> RaggedTensor:
    shifted_limits = _shift(limits, examples.row_starts())
    return limits.with_values(RaggedTensor.from_row_limits(examples.values, shifted_limits, validate=validate))


def _by_splits(examples: RaggedTensor, splits: RaggedTensor, validate: bool) -> RaggedTensor:
    return _by_limits(examples, splits[:, 1:], validate)


def _by_row_numbers(examples: RaggedTensor, numbers: RaggedTensor, validate: bool) -> RaggedTensor:
    """Puts values into the rows with given numbers; the last number of an Example says how many rows there are."""
    one = raw.Cast(x=1, DstT=numbers.dtype)
    after_nothing = raw.ConcatV2(values=[raw.Reshape(tensor=-one, shape=[1]), numbers.values], axis=0)
    is_empty = raw.Equal(x=numbers.row_lengths(), y=0)
    limits = numbers.row_limits()
    last_positions = raw.SelectV2(condition=is_empty, t=raw.ZerosLike(x=limits), e=limits)
    counts = raw.GatherV2(params=after_nothing, indices=last_positions, axis=0) + one
    row_starts = raw.Cumsum(x=counts, axis=0, exclusive=True)
    rows = RaggedTensor.from_value_rowids(
        examples.values,
        _shift(numbers, row_starts),
        nrows=raw.Sum(input=counts, reduction_indices=[0]),
        validate=validate,
    )
    return RaggedTensor.from_row_lengths(rows, counts, validate=validate)


def _shift(positions: RaggedTensor, starts: Any) -> Any:
    """Returns all positions, those of each Example shifted by where the Example starts."""
    return positions.values + repeat(starts, positions.row_lengths(), axis=0)


_PARTITIONED: dict[type, Callable[[RaggedTensor, RaggedTensor, bool], RaggedTensor]] = {
    RowSplits: _by_splits,
    RowLengths: _by_lengths,
    RowStarts: _by_starts,
    RowLimits: _by_limits,
    ValueRowIds: _by_row_numbers,
}
