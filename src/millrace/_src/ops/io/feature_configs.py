"""The descriptions of features that `tf.io.parse_example` takes: which values to expect, and which tensor to make.

A description says nothing of where it is used; `feature_requests` checks it and turns it into the arguments of an op.
"""

from __future__ import annotations

from collections import namedtuple
from typing import Any, NamedTuple

from millrace._src.core.argument_types import DTypeLike
from millrace._src.core.dtypes import as_dtype, int32, int64
from millrace._src.util.export import export


@export("io.FixedLenFeature", v1=["FixedLenFeature", "io.FixedLenFeature"])
class FixedLenFeature(NamedTuple):
    """Describes a feature that has the same number of values in every Example, and becomes a dense tensor.

    >>> tf.io.FixedLenFeature([2], tf.int64)
    FixedLenFeature(shape=[2], dtype=tf.int64, default_value=None)

    Attributes:
      shape: the shape of the values of one Example.
      dtype: `tf.int64`, `tf.float32` or `tf.string`.
      default_value: the values of an Example that lacks the feature, of shape `shape`; None makes the lack an error.
    """

    shape: Any
    dtype: Any
    default_value: Any = None


@export("io.FixedLenSequenceFeature", v1=["FixedLenSequenceFeature", "io.FixedLenSequenceFeature"])
class FixedLenSequenceFeature(NamedTuple):
    """Describes a feature that has any number of rows of one shape, and becomes a dense tensor, padded in a batch.

    >>> tf.io.FixedLenSequenceFeature([], tf.string, allow_missing=True)
    FixedLenSequenceFeature(shape=[], dtype=tf.string, allow_missing=True, default_value=None)

    Attributes:
      shape: the shape of one row.
      dtype: `tf.int64`, `tf.float32` or `tf.string`.
      allow_missing: whether the feature may be missing; `parse_example` and `parse_single_example` ask for True.
      default_value: a scalar that rows are padded with; None for zeros or empty strings.
    """

    shape: Any
    dtype: Any
    allow_missing: bool = False
    default_value: Any = None


@export("io.VarLenFeature", v1=["VarLenFeature", "io.VarLenFeature"])
class VarLenFeature(NamedTuple):
    """Describes a feature that has any number of values, and becomes a SparseTensor.

    >>> tf.io.VarLenFeature(tf.float32)
    VarLenFeature(dtype=tf.float32)

    Attributes:
      dtype: `tf.int64`, `tf.float32` or `tf.string`.
    """

    dtype: Any


@export("io.SparseFeature", v1=["SparseFeature", "io.SparseFeature"])
class SparseFeature(NamedTuple):
    """Describes a SparseTensor whose values and whose indices are features of their own.

    >>> tf.io.SparseFeature("positions", "values", tf.float32, size=100).already_sorted
    False

    Attributes:
      index_key: the name of the feature with the indices, or a list of such names, one for each dimension.
      value_key: the name of the feature with the values.
      dtype: the dtype of the values: `tf.int64`, `tf.float32` or `tf.string`.
      size: the size of the dimension of the indices, or a list of sizes.
      already_sorted: whether the indices of every Example are in order.
    """

    index_key: Any
    value_key: Any
    dtype: Any
    size: Any
    already_sorted: bool = False


class RowSplits(NamedTuple):
    """Names the feature that says where rows begin and the last row ends."""

    key: Any


class RowLengths(NamedTuple):
    """Names the feature that says how long rows are."""

    key: Any


class RowStarts(NamedTuple):
    """Names the feature that says where rows begin."""

    key: Any


class RowLimits(NamedTuple):
    """Names the feature that says where rows end."""

    key: Any


class ValueRowIds(NamedTuple):
    """Names the feature that says for each value which row the value belongs to."""

    key: Any


class UniformRowLength(NamedTuple):
    """Says how long all rows are."""

    length: Any


_PARTITIONS = (RowSplits, RowLengths, RowStarts, RowLimits, ValueRowIds, UniformRowLength)


@export("io.RaggedFeature", v1=["io.RaggedFeature"])
class RaggedFeature(namedtuple("RaggedFeature", ["dtype", "value_key", "partitions", "row_splits_dtype", "validate"])):
    """Describes a feature that has any number of values, and becomes a RaggedTensor.

    >>> tf.io.RaggedFeature(tf.int64, partitions=[tf.io.RaggedFeature.RowLengths("lengths")]).partitions
    (RowLengths(key='lengths'),)

    Attributes:
      dtype: `tf.int64`, `tf.float32` or `tf.string`.
      value_key: the name of the feature with the values; None for the name under which the description stands.
      partitions: how the values of an Example fall into rows, the outermost first: `RaggedFeature.RowSplits(key)`,
        `RowLengths`, `RowStarts`, `RowLimits` or `ValueRowIds`, each with the name of a feature of integers, or
        `RaggedFeature.UniformRowLength(length)`.
      row_splits_dtype: the dtype of the row splits, `tf.int32` or `tf.int64`.
      validate: whether to check that the partitions are such.

    Raises:
      TypeError: if `partitions` or `validate` is of the wrong type.
      ValueError: if `value_key` is not a string, or `row_splits_dtype` is another dtype.
    """

    __slots__ = ()

    RowSplits = RowSplits
    RowLengths = RowLengths
    RowStarts = RowStarts
    RowLimits = RowLimits
    ValueRowIds = ValueRowIds
    UniformRowLength = UniformRowLength

    def __new__(
        cls,
        dtype: DTypeLike,
        value_key: object = None,
        partitions: object = (),
        row_splits_dtype: DTypeLike = int32,
        validate: bool = False,
    ) -> RaggedFeature:
        """Checks the parts of a description."""
        if value_key is not None and not isinstance(value_key, str):
            raise ValueError(f"Argument `value_key` must be a string; got {value_key}")
        if not isinstance(partitions, (list, tuple)):
            kind = type(partitions).__name__
            received = f"Received partitions={partitions} of type {kind}."
            raise TypeError(f"Argument `partitions` must be a list or tuple. {received}")
        for partition in partitions:
            if not isinstance(partition, _PARTITIONS):
                kinds = ", ".join(kind.__name__ for kind in _PARTITIONS)
                complaint = f"cannot be cast to any of the partition types in ({kinds}); got: {partition!r}"
                raise TypeError(f"Argument `partitions` {complaint}")
        splits_dtype = as_dtype(row_splits_dtype)
        if splits_dtype not in (int32, int64):
            raise ValueError(f"Argument `row_splits_dtype` must be int32 or int64; got {splits_dtype!r}")
        if not isinstance(validate, bool):
            raise TypeError(f"Argument `validate` must be a bool; got {validate!r}")
        return super().__new__(cls, as_dtype(dtype), value_key, tuple(partitions), splits_dtype, validate)
