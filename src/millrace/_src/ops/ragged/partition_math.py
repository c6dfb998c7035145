"""The forms of a row partition, computed from one another.

Problem: a partition of values into rows is given as splits, lengths or row numbers of the values, and each form is
needed of each other. Partitions of a hundred thousand rows are common, and so are loops that make one in each step.

Idea: three functions on integer vectors. In eager mode NumPy computes each in one or two passes. In a graph ops do,
none of which loops over rows.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from millrace._src.core.context import state
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.tensor import EagerTensor, new_tensor
from millrace._src.ops import raw
from millrace._src.ops.array.shape_ops import shape_tensor
from millrace._src.ops.ragged.row_positions import runs


def is_eager(*tensors: object) -> bool:
    """Returns whether NumPy may compute with the values of all tensors now."""
    return state.graph is None and all(isinstance(tensor, EagerTensor) for tensor in tensors)


def size_of(tensor: Any, dtype: Any) -> Any:
    """Returns the size of the first dimension of a tensor, as a scalar of `dtype`."""
    return shape_tensor(tensor, out_type=dtype)[0]


def splits_of_lengths(lengths: Any) -> Any:
    """Returns the row splits of rows of given lengths."""
    if is_eager(lengths):
        splits = np.empty(lengths._eager_array.size + 1, lengths._eager_array.dtype)
        splits[0] = 0
        np.cumsum(lengths._eager_array, out=splits[1:])
        return new_tensor(splits, lengths.dtype)
    limits = raw.Cumsum(x=lengths, axis=0)
    zero = convert_to_tensor([0], dtype=lengths.dtype)
    return raw.ConcatV2(values=[zero, limits], axis=0, name="concat")


def splits_of_rowids(rowids: Any, nrows: Any) -> Any:
    """Returns the row splits of values whose row numbers, in order, are `rowids`."""
    if is_eager(rowids, nrows):
        counts = np.bincount(rowids._eager_array, minlength=int(nrows._eager_array))
        splits = np.empty(counts.size + 1, rowids._eager_array.dtype)
        splits[0] = 0
        np.cumsum(counts, out=splits[1:])
        return new_tensor(splits, rowids.dtype)
    counts = raw.UnsortedSegmentSum(data=raw.OnesLike(x=rowids), segment_ids=rowids, num_segments=nrows)
    return splits_of_lengths(counts)


def rowids_of_splits(splits: Any) -> Any:
    """Returns, for each value, the number of the row that holds the value."""
    if is_eager(splits):
        array = splits._eager_array
        numbers = np.arange(array.size - 1, dtype=array.dtype)
        return new_tensor(runs(numbers, array[1:] - array[:-1], 0), splits.dtype)
    # a mark at the start of each row but the first; the marks up to a value count the rows before the value's row
    nvals = splits[-1]
    marks = raw.UnsortedSegmentSum(data=raw.OnesLike(x=splits[1:-1]), segment_ids=splits[1:-1], num_segments=nvals + 1)
    return raw.Cumsum(x=marks, axis=0)[:-1]


def offsets_of_splits(splits: Any) -> Any:
    """Returns, for each value, the column of the value in its row."""
    if is_eager(splits):
        lengths = splits._eager_array[1:] - splits._eager_array[:-1]
        return new_tensor(runs(np.zeros_like(lengths), lengths, 1), splits.dtype)
    # a running count that falls back by the length of a row where the row ends
    ends = splits[1:-1]
    falls = raw.UnsortedSegmentSum(data=ends - splits[:-2], segment_ids=ends, num_segments=splits[-1] + 1)[:-1]
    return raw.Cumsum(x=raw.OnesLike(x=falls) - falls, axis=0) - 1
