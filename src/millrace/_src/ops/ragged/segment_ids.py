"""Row splits and segment ids: two encodings of the segment each value belongs."""

from __future__ import annotations

from typing import Any

from millrace._src.core.argument_types import DTypeLike, TensorLike
from millrace._src.core.context import name_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import as_dtype, int32, int64
from millrace._src.core.errors import invalid
from millrace._src.core.shape_context import static_value
from millrace._src.ops import raw
from millrace._src.ops.math.casting import cast
from millrace._src.ops.ragged.partition_factories import partition_vector
from millrace._src.ops.ragged.partition_math import is_eager, rowids_of_splits, splits_of_lengths
from millrace._src.util.export import export


@export("ragged.row_splits_to_segment_ids")
def row_splits_to_segment_ids(splits: Any, name: str | None = None, out_type: DTypeLike | None = None) -> Any:
    """Returns the number of the segment of each value, from where the segments begin and end.

    >>> tf.ragged.row_splits_to_segment_ids([0, 3, 3, 5]).numpy()
    array([0, 0, 0, 2, 2])

    Args:
      splits: an int32 or int64 vector that begins with 0 and never decreases.
      name: name of the scope in a graph.
      out_type: int32 or int64; None for the dtype of `splits`.

    Returns: A vector of `out_type` with `splits[-1]` elements.
    Raises: ValueError: if `splits` is empty, or of another rank or dtype.
    """
    with name_scope(name, "RaggedSplitsToSegmentIds"):
        splits = convert_to_tensor(splits, dtype_hint=int64, name="splits")
        if splits.shape.rank == 1 and splits.shape[0] == 0:
            raise ValueError("Invalid row_splits: []")
        splits = partition_vector(splits, "splits", None, None)
        rowids = rowids_of_splits(splits)
        return rowids if out_type is None else cast(rowids, as_dtype(out_type))


@export("ragged.segment_ids_to_row_splits")
def segment_ids_to_row_splits(
    segment_ids: Any, num_segments: TensorLike | None = None, out_type: object = None, name: str | None = None
) -> Any:
    """Returns where segments begin and end, from the number of the segment of each value.

    >>> tf.ragged.segment_ids_to_row_splits([0, 0, 0, 2, 2]).numpy()
    array([0, 3, 3, 5])

    Args:
      segment_ids: an integer vector that is not negative and never decreases.
      num_segments: the number of segments, a scalar; None for one more than the greatest id. Values of later segments
        are left out.
      out_type: int32 or int64; None for the dtype of `segment_ids`, int64 for Python numbers.
      name: name of the scope in a graph.

    Returns: A vector of `out_type` with `num_segments + 1` elements.
    Raises:
      TypeError: if `segment_ids` are not integers.
      ValueError: if an argument is of another rank.
      tf.errors.InvalidArgumentError: if an id or the number of segments is negative.
    """
    out_type = None if out_type is None else as_dtype(out_type)
    with name_scope(name, "SegmentIdsToRaggedSplits"):
        ids = convert_to_tensor(segment_ids, dtype_hint=out_type or int64, name="segment_ids")
        if not ids.dtype.is_integer:
            raise TypeError(
                f"Argument `tensor` (name: segment_ids) must be of type integer. Received `tensor` = {segment_ids} of "
                f"dtype: {ids.dtype!r}"
            )
        if ids.dtype not in (int32, int64):
            ids = cast(ids, int64)
        ids.shape.assert_has_rank(1)
        splits = splits_of_lengths(_segment_sizes(ids, num_segments))
        return splits if out_type is None else cast(splits, out_type)


def _segment_sizes(ids: Any, num_segments: Any) -> Any:
    if is_eager(ids) and ids._eager_array.size and ids._eager_array.min() < 0:
        raise invalid("Input arr must be non-negative!")
    zero = convert_to_tensor(0, dtype=ids.dtype)
    if num_segments is None:
        size = raw.Maximum(x=raw.Max(input=ids, reduction_indices=[0]) + 1, y=zero)
        size = size if ids.shape[0] != 0 else zero
        return raw.UnsortedSegmentSum(data=raw.OnesLike(x=ids), segment_ids=ids, num_segments=size)
    size = cast(convert_to_tensor(num_segments, dtype_hint=int32, name="num_segments"), ids.dtype)
    size.shape.assert_has_rank(0)
    known_size = static_value(size)
    if known_size is not None and known_size < 0:
        raise invalid(f"size ({known_size}) must be non-negative")
    within = raw.Minimum(x=ids, y=size)  # later segments are counted in one that is cut off
    sizes = raw.UnsortedSegmentSum(data=raw.OnesLike(x=ids), segment_ids=within, num_segments=size + 1)
    return sizes[:size]
