"""Overloads of `tf.math.unsorted_segment_*`: rows of equal number combined, column by column.

The rows of a segment may differ in length; the result is as long as the longest one. Each value goes to the position of
its column in the row of its segment, so that one segment op on the values does the rest.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from millrace._src.core.context import name_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import int32, int64
from millrace._src.core.overloads import overload
from millrace._src.ops import raw
from millrace._src.ops.math.division import truediv
from millrace._src.ops.ragged.broadcasting import common_splits_dtype
from millrace._src.ops.ragged.flat_values import on_flat_values
from millrace._src.ops.ragged.partition_checks import check
from millrace._src.ops.ragged.ragged_rows import validate_values
from millrace._src.ops.ragged.ragged_tensor import RaggedTensor, convert_to_tensor_or_ragged_tensor
from millrace._src.ops.ragged.row_partition import RowPartition

SegmentOp = Callable[..., Any]
"""A function of `data`, `segment_ids` and `num_segments`."""


def combine_segments(segment_op: SegmentOp, data: object, segment_ids: Any, num_segments: object) -> Any:
    """Combines the rows of a dense or ragged tensor by segment.

    Args:
      segment_op: what combines dense rows.
      data: a Tensor or RaggedTensor.
      segment_ids: the segment of each row, or, where ragged, of each element within the rows.
      num_segments: the number of segments, a scalar of the dtype of `segment_ids`.

    Raises:
      ValueError: if `segment_ids` is ragged and `data` is not, or of another dtype than int32 or int64.
      InvalidArgumentError: if the shapes do not fit.
    """
    if isinstance(segment_ids, RaggedTensor):
        if not isinstance(data, RaggedTensor):
            words = "segment_ids.shape must be a prefix of data.shape, but segment_ids is ragged and data is not."
            raise ValueError(words)
        words = "segment_ids.shape must be a prefix of data.shape"
        checks = check("==", segment_ids.row_splits, data.row_splits, words)
        ids = validate_values(segment_ids.values, checks)
        return combine_segments(segment_op, data.values, ids, num_segments)
    if segment_ids.dtype not in (int32, int64):
        raise ValueError("segment_ids must have dtype int32 or int64.")
    if not isinstance(data, RaggedTensor):
        return segment_op(data=data, segment_ids=segment_ids, num_segments=num_segments)
    return _combine_rows(segment_op, data, segment_ids, num_segments)


def _combine_rows(segment_op: SegmentOp, data: RaggedTensor, segment_ids: object, num_segments: object) -> RaggedTensor:
    dtype = data._row_partition.dtype
    segment_ids, num_segments = (raw.Cast(x=x, DstT=dtype) for x in (segment_ids, num_segments))
    lengths = raw.UnsortedSegmentMax(data=data.row_lengths(), segment_ids=segment_ids, num_segments=num_segments)
    zero = convert_to_tensor(0, dtype=dtype)
    partition = RowPartition.from_row_lengths(raw.Maximum(x=lengths, y=zero), validate=False)  # an empty segment: none
    starts = raw.GatherV2(params=partition.row_starts(), indices=segment_ids, axis=0)
    targets = raw.GatherV2(params=starts, indices=data.value_rowids(), axis=0) + data._row_partition.offsets_in_rows()
    return RaggedTensor._of(combine_segments(segment_op, data.values, targets, partition.nvals()), partition)


def _overload(segment_op: SegmentOp, data: object, segment_ids: object, num_segments: Any, name: str | None) -> Any:
    with name_scope(name, "RaggedSegment"):
        data = convert_to_tensor_or_ragged_tensor(data, name="data")
        segment_ids = convert_to_tensor_or_ragged_tensor(segment_ids, name="segment_ids")
        common_splits_dtype(data, segment_ids)
        num_segments = convert_to_tensor(num_segments, name="num_segments")
        return combine_segments(segment_op, data, segment_ids, num_segments)


@overload("math.unsorted_segment_sum", RaggedTensor)
def ragged_unsorted_segment_sum(
    data: object, segment_ids: object, num_segments: object, name: str | None = None
) -> Any:
    """Adds up the rows of each segment."""
    return _overload(raw.UnsortedSegmentSum, data, segment_ids, num_segments, name)


@overload("math.unsorted_segment_prod", RaggedTensor)
def ragged_unsorted_segment_prod(
    data: object, segment_ids: object, num_segments: object, name: str | None = None
) -> Any:
    """Multiplies the rows of each segment."""
    return _overload(raw.UnsortedSegmentProd, data, segment_ids, num_segments, name)


@overload("math.unsorted_segment_max", RaggedTensor)
def ragged_unsorted_segment_max(
    data: object, segment_ids: object, num_segments: object, name: str | None = None
) -> Any:
    """Finds the largest elements of the rows of each segment."""
    return _overload(raw.UnsortedSegmentMax, data, segment_ids, num_segments, name)


@overload("math.unsorted_segment_min", RaggedTensor)
def ragged_unsorted_segment_min(
    data: object, segment_ids: object, num_segments: object, name: str | None = None
) -> Any:
    """Finds the smallest elements of the rows of each segment."""
    return _overload(raw.UnsortedSegmentMin, data, segment_ids, num_segments, name)


@overload("math.unsorted_segment_mean", RaggedTensor)
def ragged_unsorted_segment_mean(
    data: object, segment_ids: object, num_segments: object, name: str | None = None
) -> Any:
    """Averages the rows of each segment; the mean of integers is float64."""
    with name_scope(name, "RaggedSegmentMean"):
        total, count = _total_and_count(data, segment_ids, num_segments)
        return on_flat_values(truediv, total, count)


@overload("math.unsorted_segment_sqrt_n", RaggedTensor)
def ragged_unsorted_segment_sqrt_n(
    data: object, segment_ids: object, num_segments: object, name: str | None = None
) -> Any:
    """Adds up the rows of each segment and divides the sums by the square roots of the numbers of summands."""
    with name_scope(name, "RaggedSegmentSqrtN"):
        total, count = _total_and_count(data, segment_ids, num_segments)
        return on_flat_values(lambda x, y: truediv(x, raw.Sqrt(x=y)), total, count)


def _total_and_count(data: object, segment_ids: object, num_segments: object) -> tuple[Any, Any]:
    data = convert_to_tensor_or_ragged_tensor(data, name="data")
    ones = on_flat_values(lambda x: raw.OnesLike(x=x), data)
    total = ragged_unsorted_segment_sum(data, segment_ids, num_segments)
    return total, ragged_unsorted_segment_sum(ones, segment_ids, num_segments)
