"""What tensors of dtype `variant` hold when they represent ragged tensors.

A variant is any object; values of different sizes can be stacked as variants. `RaggedVariant` holds the splits and
values of a ragged tensor; it never changes.

Tests: tests/ops/ragged/test_variant_ops.py
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from millrace._src.core.array_namespace import Array
from millrace._src.core.dtypes import DType, runtime_name
from millrace._src.core.errors import invalid
from millrace._src.core.variant_values import VariantValue, zeros_of


class RaggedVariant(VariantValue):
    """A ragged tensor, or a dense tensor that is a row of one.

    Args:
      splits: the row splits of each partition, the outermost first.
      values: the flat values.
      splits_dtype: the dtype of the splits.
      dtype: the dtype of the values.
    """

    __slots__ = ("dtype", "splits", "splits_dtype", "values")

    def __init__(self, splits: Sequence[Array], values: Array, splits_dtype: DType, dtype: DType) -> None:
        self.splits, self.values = tuple(splits), values
        self.splits_dtype, self.dtype = splits_dtype, dtype

    def zeros_like(self) -> RaggedVariant:
        """Makes a variant of the same partitions with zeros."""
        return RaggedVariant(self.splits, zeros_of(self.values), self.splits_dtype, self.dtype)

    def __add__(self, other: RaggedVariant) -> RaggedVariant:
        """Adds the values of two variants with the same partitions.

        Raises: InvalidArgumentError: if the partitions or dtypes differ.
        """
        if len(self.splits) != len(other.splits) or self.dtype is not other.dtype:
            raise invalid("Can't add RaggedTensorVariants with different ragged ranks or dtypes.")
        if any(not np.array_equal(a, b) for a, b in zip(self.splits, other.splits, strict=True)):
            raise invalid("Can't add RaggedTensorVariants with different row_splits.")
        if self.values.shape != other.values.shape:
            raise invalid("Can't add RaggedTensorVariants with different shapes of values.")
        return RaggedVariant(self.splits, self.values + other.values, self.splits_dtype, self.dtype)

    def __repr__(self) -> str:
        splits = runtime_name(self.splits_dtype) if self.splits else "INVALID"
        return (
            f"<RaggedTensorVariant(dtype={runtime_name(self.dtype)}, ragged_rank={len(self.splits)}, "
            f"splits_dtype={splits}>"
        )
