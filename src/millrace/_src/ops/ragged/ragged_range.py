"""`tf.ragged.range`: a ragged tensor of ranges."""

from __future__ import annotations

from typing import Any

from millrace._src.core.argument_types import DTypeLike, TensorLike
from millrace._src.core.context import name_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import as_dtype, bfloat16, float32, float64, int32, int64
from millrace._src.ops.math.casting import cast
from millrace._src.ops.ragged.ragged_tensor import RaggedTensor
from millrace._src.ops.ragged.range_op import ragged_range_op
from millrace._src.util.export import export

_HIERARCHY = (int32, int64, bfloat16, float32, float64)
"""The dtypes of a range where the caller names none: the argument whose dtype stands last here decides."""


@export("ragged.range")
def ragged_range(
    starts: TensorLike,
    limits: TensorLike | None = None,
    deltas: TensorLike = 1,
    dtype: DTypeLike | None = None,
    name: str | None = None,
    row_splits_dtype: DTypeLike = int64,
) -> RaggedTensor:
    """Makes a ragged tensor whose row `i` is `tf.range(starts[i], limits[i], deltas[i])`; empty where that is not a
    range.

    >>> tf.ragged.range([3, 5, 2])
    <tf.RaggedTensor [[0, 1, 2], [0, 1, 2, 3, 4], [0, 1]]>
    >>> tf.ragged.range([0, 5], [3, 8], deltas=2)
    <tf.RaggedTensor [[0, 2], [5, 7]]>

    Args:
      starts: a vector or scalar; the limits, with zeros for starts, where `limits` is None.
      limits: a vector or scalar.
      deltas: a vector or scalar, not 0.
      dtype: the dtype of the values; None to take that of the arguments.
      name: name of the operation.
      row_splits_dtype: int32 or int64.

    Returns: A RaggedTensor of rank 2.
    Raises: tf.errors.InvalidArgumentError: if the vectors differ in size, or a step is 0.
    """
    if limits is None:
        starts, limits = 0, starts
    with name_scope(name, "RaggedRange") as scope:
        bounds = [
            convert_to_tensor(value, dtype=dtype, name=bound)
            for bound, value in (("starts", starts), ("limits", limits), ("deltas", deltas))
        ]
        if dtype is None:
            common_dtype = max((bound.dtype for bound in bounds), key=_rank_of)
            bounds = [cast(bound, common_dtype) for bound in bounds]
        splits, values = ragged_range_op(*bounds, Tsplits=as_dtype(row_splits_dtype), name=scope)
        return RaggedTensor.from_row_splits(values, splits, validate=False)


def _rank_of(dtype: Any) -> int:
    if dtype not in _HIERARCHY:
        raise TypeError(f"tf.ragged.range: numbers of {', '.join(d.name for d in _HIERARCHY)} wanted, not {dtype.name}")
    return _HIERARCHY.index(dtype)
