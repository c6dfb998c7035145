"""Element-wise functions of ragged tensors: one handler serves all functions of a kind.

A function of one ragged tensor is the function of its flat values. Two operands are brought to the same partitions
first: a scalar fits any, ragged tensors with equal partitions fit each other, and all others are broadcast.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from millrace._src.core.overloads import overload_elementwise
from millrace._src.ops.ragged.broadcasting import BroadcastValues
from millrace._src.ops.ragged.flat_values import flat_values_of
from millrace._src.ops.ragged.partition_math import is_eager
from millrace._src.ops.ragged.ragged_tensor import RaggedTensor, convert_to_tensor_or_ragged_tensor

Function = Callable[..., Any]


@overload_elementwise("unary", RaggedTensor)
def ragged_unary(function: Function, x: object) -> Any:
    """Applies an element-wise function to the flat values of a ragged tensor.

    Raises: TypeError: if another argument than the first is ragged.
    """
    if not isinstance(x, RaggedTensor):
        raise TypeError("Only the first argument of this function may be a RaggedTensor; the others must be tensors.")
    return x.with_flat_values(function(x.flat_values))


@overload_elementwise("binary", RaggedTensor)
def ragged_binary(function: Function, x: Any, y: Any) -> Any:
    """Applies an element-wise function to two operands, at least one of which is ragged."""
    x, y = _convert(x, y)
    if _fit(x, y):
        ragged = x if isinstance(x, RaggedTensor) else y
        return ragged.with_flat_values(function(flat_values_of(x), flat_values_of(y)))
    operands = BroadcastValues([x, y])
    return operands.with_flat_values(function(*operands.flat_values))


@overload_elementwise("binary_assert", RaggedTensor)
def ragged_binary_assert(function: Function, x: object, y: object) -> Any:
    """Applies an assertion to two operands, at least one of which is ragged."""
    x, y = _convert(x, y)
    return (
        function(flat_values_of(x), flat_values_of(y)) if _fit(x, y) else function(*BroadcastValues([x, y]).flat_values)
    )


def _convert(x: Any, y: Any) -> tuple[Any, Any]:
    dtype = x.dtype if isinstance(x, RaggedTensor) else y.dtype
    x = convert_to_tensor_or_ragged_tensor(x, preferred_dtype=dtype, name="x")
    return x, convert_to_tensor_or_ragged_tensor(y, preferred_dtype=dtype, name="y")


def _fit(x: Any, y: Any) -> bool:
    """Returns whether the flat values are operands as they are: one is a scalar, or the partitions are equal."""
    return x.shape.rank == 0 or y.shape.rank == 0 or _have_equal_partitions(x, y)


def _have_equal_partitions(x: object, y: object) -> bool:
    """Returns whether two ragged tensors are known to have the same partitions, and as many dimensions behind them."""
    if not (isinstance(x, RaggedTensor) and isinstance(y, RaggedTensor)) or x.ragged_rank != y.ragged_rank:
        return False
    if x.flat_values.shape.rank is None or x.flat_values.shape.rank != y.flat_values.shape.rank:
        return False
    pairs = zip(x.nested_row_splits, y.nested_row_splits, strict=True)
    return all(
        a is b or is_eager(a, b) and a.dtype is b.dtype and np.array_equal(a._eager_array, b._eager_array)
        for a, b in pairs
    )
