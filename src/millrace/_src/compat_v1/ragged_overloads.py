"""Overloads for ragged tensors of functions of TensorFlow 1 that differ from those of today.

Unlike the functions themselves, TensorFlow's overloads take an argument under both of its names: the new name counts.

Tests: tests/ops/ragged/test_ragged_shapes.py, tests/ops/ragged/test_ragged_gathering.py
"""

from __future__ import annotations

from typing import Any

from millrace._src.core.argument_types import DTypeLike
from millrace._src.core.context import name_scope
from millrace._src.core.overloads import overload
from millrace._src.ops import raw
from millrace._src.ops.array.ranges import range_
from millrace._src.ops.array.selecting import where_select
from millrace._src.ops.nn.embedding import lookup_ragged
from millrace._src.ops.ragged.flat_values import map_flat_values
from millrace._src.ops.ragged.ragged_gathering import ragged_gather, ragged_gather_nd
from millrace._src.ops.ragged.ragged_joining import convert_values
from millrace._src.ops.ragged.ragged_masking import NEEDS_BOTH, indices_of_true
from millrace._src.ops.ragged.ragged_rows import gather, join_rows, row_count, with_common_ragged_rank
from millrace._src.ops.ragged.ragged_shapes import ragged_expand_dims, ragged_size, ragged_squeeze
from millrace._src.ops.ragged.ragged_tensor import RaggedTensor, convert_to_tensor_or_ragged_tensor
from millrace._src.ops.ragged.shape_overloads import ragged_shape


@overload("compat.v1.shape", RaggedTensor)
def ragged_shape_v1(input: object, name: str | None = None, out_type: DTypeLike | None = None) -> Any:
    """Returns the shape of a ragged tensor."""
    return ragged_shape(input, out_type, name)


@overload("compat.v1.size", RaggedTensor)
def ragged_size_v1(input: object, name: str | None = None, out_type: DTypeLike | None = None) -> Any:
    """Counts the values of a ragged tensor."""
    return ragged_size(input, out_type, name)


@overload("compat.v1.expand_dims", RaggedTensor)
def ragged_expand_dims_v1(input: object, axis: object = None, name: str | None = None, dim: object = None) -> Any:
    """Returns a ragged tensor with one more dimension, of size 1."""
    return ragged_expand_dims(input, dim if axis is None else axis, name)


@overload("compat.v1.squeeze", RaggedTensor)
def ragged_squeeze_v1(input: object, axis: object = None, name: str | None = None, squeeze_dims: object = None) -> Any:
    """Returns a ragged tensor without dimensions of size 1."""
    return ragged_squeeze(input, squeeze_dims if axis is None else axis, name)


@overload("compat.v1.gather", RaggedTensor)
def ragged_gather_v1(
    params: object,
    indices: object,
    validate_indices: object = None,
    name: str | None = None,
    axis: object = None,
    batch_dims: int = 0,
) -> Any:
    """Picks slices of a dense or ragged tensor along `axis`, by default the first."""
    return ragged_gather(params, indices, validate_indices, axis or 0, batch_dims, name)


@overload("compat.v1.batch_gather", RaggedTensor)
def ragged_batch_gather(params: Any, indices: Any, name: str | None = None) -> Any:
    """Picks slices of the last dimension that `indices` has, for all dimensions before."""
    indices = convert_to_tensor_or_ragged_tensor(indices, name="indices")
    if indices.shape.rank is None:
        raise ValueError("batch_gather does not allow indices with unknown shape.")
    if indices.shape.rank == 0:
        raise ValueError("batch_dims=-1 out of bounds: expected 0<=batch_dims<0")
    return ragged_gather(params, indices, batch_dims=indices.shape.rank - 1, name=name)


@overload("compat.v1.gather_nd", RaggedTensor)
def ragged_gather_nd_v1(
    params: object, indices: object, name: str | None = None, batch_dims: object = 0, bad_indices_policy: str = ""
) -> Any:
    """Picks slices or elements of a dense or ragged tensor by index vectors."""
    return ragged_gather_nd(params, indices, batch_dims, name, bad_indices_policy)


@overload("compat.v1.where", RaggedTensor)
def ragged_where_select(condition: Any, x: object = None, y: object = None, name: str | None = None) -> Any:
    """Picks elements, or rows where `condition` is a vector, from `x` or `y`."""
    if (x is None) != (y is None):
        raise ValueError(NEEDS_BOTH)
    with name_scope(name, "RaggedWhere"):
        condition = convert_to_tensor_or_ragged_tensor(condition, name="condition")
        if x is None:
            return indices_of_true(condition)
        x, y = convert_values([x, y])
        if isinstance(condition, RaggedTensor):
            return _elements_where(condition, x, y)
        condition.shape.assert_has_rank(1)
        return _rows_where(condition, x, y)


def _elements_where(condition: RaggedTensor, x: object, y: object) -> Any:
    if not (isinstance(x, RaggedTensor) and isinstance(y, RaggedTensor)):
        raise ValueError("Input shapes do not match.")
    return map_flat_values(where_select, condition, x, y)


def _rows_where(condition: object, x: object, y: object) -> Any:
    x, y = with_common_ragged_rank([x, y])
    dtype = x._row_partition.dtype
    counts = [row_count(value, dtype) for value in (x, y)]
    rows = range_(counts[0], dtype=dtype)
    order = raw.Select(condition=condition, t=rows, e=counts[0] + range_(counts[1], dtype=dtype))
    return gather(join_rows([x, y]), order)


@overload("compat.v1.nn.embedding_lookup", RaggedTensor)
def embedding_lookup_ragged_v1(
    params: object,
    ids: object,
    partition_strategy: str = "mod",
    name: str | None = None,
    validate_indices: bool = True,
    max_norm: float | None = None,
) -> Any:
    """Looks up a row for each value of a ragged tensor."""
    return lookup_ragged(params, ids, partition_strategy, max_norm, name)
