"""The tensors that are made of feature lists: dense, sparse and ragged ones, of a batch or of a single SequenceExample.

A batch has the axes SequenceExample, Feature, value; a single SequenceExample lacks the first axis.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from millrace._src.core.array_namespace import Array
from millrace._src.ops.io.example_fields import Column, Field
from millrace._src.ops.io.example_tensors import pad_rows, row_splits
from millrace._src.ops.io.sequence_reader import ListColumn


def pad_lists(column: ListColumn, field: Field, is_single: bool) -> tuple[Array, Array]:
    """Returns the tensor of a dense feature list, padded with zeros or empty strings, and the lengths of the lists."""
    lengths = np.maximum(column.lengths, 0)
    if is_single:
        return column.values.reshape(int(lengths[0]), *field.shape), lengths[0]
    if not field.size:
        return np.empty((len(lengths), lengths.max(initial=0), *field.shape), dtype=field.dtype.np_dtype), lengths
    padding = b"" if field.dtype.name == "string" else 0
    return pad_rows(Column(column.values, lengths * field.size), field, padding), lengths


def sparse_list_parts(column: ListColumn, is_single: bool) -> tuple[Array, Array, Array]:
    """Returns the indices, values and shape of the sparse tensor of a feature list."""
    lengths, counts = np.maximum(column.lengths, 0), column.counts
    owners = np.repeat(np.arange(len(lengths)), lengths)
    features = _columns_in_groups(lengths)
    columns = [np.repeat(owners, counts), np.repeat(features, counts), _columns_in_groups(counts)]
    shape = [len(lengths), lengths.max(initial=0), counts.max(initial=0)]
    first_axis = int(is_single)
    return np.stack(columns[first_axis:], axis=1), column.values, np.array(shape[first_axis:], dtype=np.int64)


def _columns_in_groups(counts: Array) -> Array:
    """Returns 0, 1, 2 ... for each group of the given sizes."""
    return np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)


def ragged_list_parts(column: ListColumn, split_dtype: Any, is_single: bool) -> tuple[Array, Array, Array]:
    """Returns the values, outer and inner row splits of the ragged tensor of a feature list."""
    outer_splits = np.empty(0, split_dtype.np_dtype) if is_single else row_splits(column.lengths, split_dtype)
    return column.values, outer_splits, row_splits(column.counts, split_dtype)
