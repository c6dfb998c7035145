"""Embeddings of bags of ids: `tf.nn.embedding_lookup_sparse` and its form that takes any ids.

Each row of a sparse or ragged tensor of ids becomes one vector: the sum, mean or scaled sum of the table's rows at the
ids, perhaps weighted. One table without weights needs one op, which reads the rows that occur and no more. Otherwise
the different rows are looked up once, weighted and added up segment by segment.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from millrace._src.core.argument_types import TensorLike
from millrace._src.core.context import name_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import DType, bfloat16, float16, float32, int32, int64
from millrace._src.core.resources import PartedVariable
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.math.casting import cast
from millrace._src.ops.nn.embedding import lookup
from millrace._src.ops.ragged.ragged_tensor import RaggedTensor
from millrace._src.ops.sparse.sparse_tensor import SparseTensor, SparseTensorValue
from millrace._src.util.export import export

_REDUCTIONS = {"sum": "Sum", "mean": "Mean", "sqrtn": "SqrtN"}


class _Bags(NamedTuple):
    """Ids, the bag (a row of the result) that each id is in, and perhaps a weight for each."""

    ids: Tensor
    bags: Tensor
    weights: Tensor | None


# --- arguments -------------------------------------------------------------------------------------------------------


def _combiner(combiner: str | None) -> str:
    chosen = "mean" if combiner is None else combiner
    if chosen not in _REDUCTIONS:
        raise ValueError(f"combiner must be one of 'mean', 'sqrtn' or 'sum', got {chosen}")
    return chosen


def _parts_of(params: object) -> list[Any]:
    parts = list(params) if isinstance(params, (list, tuple, PartedVariable)) else [params]
    if not parts:
        raise ValueError("Length of params is currently 0. Need at least one param.")
    return parts


def _sparse(value: object) -> Any:
    return SparseTensor.from_value(value) if isinstance(value, SparseTensorValue) else value


def _bags(ids: object, weights: object) -> _Bags:
    """Reads bags from a sparse or ragged tensor of ids, and one of weights.

    Raises:
      TypeError: if one is of another class, or the classes differ.
      ValueError: if the shapes do not agree, or a ragged tensor is not a matrix.
    """
    if isinstance(ids, RaggedTensor):
        return _ragged_bags(ids, weights)
    if not isinstance(ids, SparseTensor):
        raise TypeError(f"sp_ids must be SparseTensor, got {type(ids)}")
    if weights is None:
        return _Bags(ids.values, ids.indices[:, 0], None)
    if not isinstance(weights, SparseTensor):
        raise TypeError(f"sp_weights must be either None or SparseTensor,got {type(weights)}")
    ids.values.shape.assert_is_compatible_with(weights.values.shape)
    ids.indices.shape.assert_is_compatible_with(weights.indices.shape)
    ids.dense_shape.shape.assert_is_compatible_with(weights.dense_shape.shape)
    return _Bags(ids.values, ids.indices[:, 0], weights.values)


def _ragged_bags(ids: Any, weights: Any) -> _Bags:
    if weights is not None and not isinstance(weights, RaggedTensor):
        raise TypeError(
            f"sp_ids must be of the same type as sp_weights, received {type(ids).__name__!r} for sp_ids and "
            f"{type(weights).__name__!r} for sp_weights."
        )
    for name, rank in (("sp_ids", ids.ragged_rank), ("sp_weights", 1 if weights is None else weights.ragged_rank)):
        if rank != 1:
            raise ValueError(f"{name} must be a ragged matrix, got a ragged tensor with {rank} ragged dimensions.")
    if weights is not None:
        ids.values.shape.assert_is_compatible_with(weights.values.shape)
    return _Bags(ids.values, ids.value_rowids(), None if weights is None else weights.values)


# --- lookups ---------------------------------------------------------------------------------------------------------


def _look_up(
    parts: Sequence[Any], bags: _Bags, strategy: str, combiner: str, max_norm: Any, is_fast: bool, name: str
) -> Tensor:
    """Reduces the table's rows at the ids of each bag to one row."""
    kind = _REDUCTIONS[combiner]
    reduce = getattr(raw, f"SparseSegment{kind}")
    if len(parts) == 1 and bags.weights is None and max_norm is None:
        table = convert_to_tensor(parts[0], name="params")
        return reduce(data=table, indices=bags.ids, segment_ids=bags.bags, sparse_gradient=not is_fast, name=name)
    ids, numbers = raw.Unique(x=bags.ids)
    rows = lookup(list(parts), ids, strategy, max_norm, None)
    dtype: DType = rows.dtype
    if dtype in (float16, bfloat16):
        rows = cast(rows, float32)
    if bags.weights is None:
        return cast(reduce(data=rows, indices=numbers, segment_ids=bags.bags, name=name), dtype)
    return cast(_weigh(rows, numbers, bags.bags, cast(bags.weights, rows.dtype), combiner, name), dtype)


def _weigh(rows: Tensor, numbers: Tensor, bags: Tensor, weights: Tensor, combiner: str, name: str) -> Tensor:
    """Adds up weighted rows bag by bag, and divides the sum as the combiner says.

    The sum is the product of a sparse matrix of the weights, bag by row, and the rows.
    """
    count = raw.Max(input=raw.ConcatV2(values=[cast(bags, int64), [-1]], axis=0), reduction_indices=0) + 1
    shape = raw.Shape(input=rows)
    matrix = {
        "a_indices": raw.Pack(values=[cast(bags, int64), cast(numbers, int64)], axis=1),
        "a_values": weights,
        "a_shape": raw.Pack(values=[count, cast(shape[0], int64)]),
    }
    flat_rows = raw.Reshape(
        tensor=rows, shape=raw.Pack(values=[shape[0], raw.Prod(input=shape[1:], reduction_indices=0)])
    )
    total = raw.SparseTensorDenseMatMul(**matrix, b=flat_rows)
    if combiner != "sum":
        squares_or_weights = weights if combiner == "mean" else weights * weights
        divisor = raw.UnsortedSegmentSum(data=squares_or_weights, segment_ids=bags, num_segments=cast(count, int32))
        divisor = divisor if combiner == "mean" else raw.Sqrt(x=divisor)
        total = raw.DivNoNan(x=total, y=raw.ExpandDims(input=divisor, dim=1))
    return raw.Reshape(tensor=total, shape=raw.ConcatV2(values=[[-1], shape[1:]], axis=0), name=name)


def lookup_sparse(
    params: object,
    sp_ids: object,
    sp_weights: object,
    strategy: str,
    name: str | None,
    combiner: str | None,
    max_norm: object,
    is_fast: bool,
) -> Tensor:
    chosen, parts = _combiner(combiner), _parts_of(params)
    bags = _bags(_sparse(sp_ids), _sparse(sp_weights))
    with name_scope(name, "embedding_lookup_sparse") as scope:
        return _look_up(parts, bags, strategy, chosen, max_norm, is_fast, scope)


@export("nn.embedding_lookup_sparse", v1=[])
def embedding_lookup_sparse(
    params: TensorLike,
    sp_ids: TensorLike,
    sp_weights: TensorLike,
    combiner: str | None = None,
    max_norm: float | None = None,
    name: str | None = None,
    allow_fast_lookup: bool = False,
) -> Tensor:
    """Reduces, for each row of ids, the rows of a table at these ids to one row.

    >>> table = tf.constant([[1., 2.], [3., 4.], [5., 6.]])
    >>> ids = tf.RaggedTensor.from_row_splits([0, 2, 1], [0, 2, 3])
    >>> tf.nn.embedding_lookup_sparse(table, ids, None).numpy()
    array([[3., 4.],
           [3., 4.]], dtype=float32)

    Args:
      params: A Tensor or Variable `[rows, ...]`, or a list of such, which together are the table: contiguous parts.
      sp_ids: A `SparseTensor` or ragged matrix of int32 or int64 row numbers. Rows of a sparse tensor are told apart by
        the first dimension, and its indices are in order.
      sp_weights: A weight for each id, of the class and shape of `sp_ids`; None for no weights.
      combiner: "sum"; "mean", the default: the sum divided by the sum of the weights; "sqrtn": the sum divided by the
        square root of the sum of the squared weights.
      max_norm: If given, rows of the table that are longer than this (Euclidean) are scaled down to it.
      name: A name for the operation (optional).
      allow_fast_lookup: Whether the gradient of one table without weights may be dense.

    Returns: A Tensor with a row for each row of ids up to the last that is not empty; rows without ids are 0.
    Raises:
      TypeError: if ids are neither sparse nor ragged, or the weights are of another class.
      ValueError: if the combiner is another, the table is empty or the shapes of ids and weights differ.
      tf.errors.InvalidArgumentError: if a row of the table does not exist.
    """
    return lookup_sparse(params, sp_ids, sp_weights, "div", name, combiner, max_norm, allow_fast_lookup)


# --- safe lookups ----------------------------------------------------------------------------------------------------


@export("nn.safe_embedding_lookup_sparse", v1=[])
def safe_embedding_lookup_sparse(
    embedding_weights: TensorLike,
    sparse_ids: TensorLike,
    sparse_weights: TensorLike | None = None,
    combiner: str | None = "mean",
    default_id: int | None = None,
    max_norm: float | None = None,
    name: str | None = None,
    allow_fast_lookup: bool = False,
) -> Tensor:
    """Reduces, for each row of ids, the rows of a table at these ids to one row; leaves out ids that are negative.

    >>> table = tf.constant([[1., 2.], [3., 4.], [5., 6.]])
    >>> ids = tf.RaggedTensor.from_row_splits([0, 2, -1], [0, 2, 3, 3])
    >>> tf.nn.safe_embedding_lookup_sparse(table, ids).numpy()
    array([[3., 4.],
           [0., 0.],
           [0., 0.]], dtype=float32)

    Args:
      embedding_weights: A Tensor or Variable `[rows, ...]`, or a list of such, which together are the table: contiguous
        parts.
      sparse_ids: A `SparseTensor` of any rank, or a ragged matrix, of int32 or int64 row numbers.
      sparse_weights: A weight for each id, of the class and shape of `sparse_ids`; None for no weights. Ids with a
        weight that is not positive are left out, unless the combiner is "sum".
      combiner: "sum", "mean" or "sqrtn"; see `tf.nn.embedding_lookup_sparse`.
      default_id: The id that rows without ids have; None for rows of 0.
      max_norm: If given, rows of the table that are longer than this (Euclidean) are scaled down to it.
      name: A name for the operation (optional).
      allow_fast_lookup: Whether the gradient of one table without weights may be dense.

    Returns: A Tensor of the shape of the ids without their last dimension, and the shape of a row of the table.
    Raises:
      TypeError: if ids are neither sparse nor ragged, or the weights are of another class.
      ValueError: if the combiner is another, or the table is missing.
      tf.errors.InvalidArgumentError: if a row of the table does not exist.
    """
    facts = (default_id, max_norm, name, allow_fast_lookup)
    return safe_lookup_sparse(embedding_weights, sparse_ids, sparse_weights, "div", combiner, *facts)


def safe_lookup_sparse(
    table: object,
    ids: object,
    weights: object,
    strategy: str,
    combiner: str | None,
    default_id: int | None,
    max_norm: object,
    name: str | None,
    is_fast: bool,
) -> Tensor:
    if table is None or (isinstance(table, (list, tuple)) and not table):
        raise ValueError(f"Missing embedding_weights {table}.")
    chosen, parts = _combiner(combiner), _parts_of(table)
    with name_scope(name, "embedding_lookup") as scope:
        sparse_ids = _as_sparse_matrix(_sparse(ids), "sparse_ids")
        values = None if weights is None else _as_sparse_matrix(_sparse(weights), "sparse_weights").values
        bags, row_count = _flat_bags(sparse_ids, values)
        bags, is_empty = _fill(_prune(bags, chosen), row_count, default_id)
        rows = _look_up(parts, bags, strategy, chosen, max_norm, is_fast, scope)
        rows = rows if default_id is not None else _make_empty(rows, is_empty)
        return _with_shape_of_ids(rows, sparse_ids)


def _as_sparse_matrix(value: object, name: str) -> SparseTensor:
    """Returns a sparse tensor as it is, a ragged matrix as a sparse matrix.

    Raises: TypeError: if the value is of another class.
    """
    if isinstance(value, SparseTensor):
        return value
    if not isinstance(value, RaggedTensor):
        raise TypeError(f"{name} must be a SparseTensor or RaggedTensor, got {type(value)}")
    matrix: SparseTensor = value.to_sparse()
    return matrix


def _flat_bags(ids: SparseTensor, weights: Tensor | None) -> tuple[_Bags, Tensor]:
    """Returns ids whose bags are counted through all dimensions but the last, and the number of bags."""
    leading = ids.dense_shape[:-1]
    strides = raw.Cumprod(x=leading, axis=0, exclusive=True, reverse=True)
    bags = raw.Sum(input=ids.indices[:, :-1] * strides, reduction_indices=1)
    return _Bags(ids.values, bags, weights), raw.Prod(input=leading, reduction_indices=0)


def _prune(bags: _Bags, combiner: str) -> _Bags:
    """Leaves out ids that are negative, and those whose weight is not positive if the weights are a divisor."""
    is_kept = raw.GreaterEqual(x=bags.ids, y=0)
    if bags.weights is not None and combiner != "sum":
        is_kept = raw.LogicalAnd(x=is_kept, y=raw.Greater(x=bags.weights, y=cast(0, bags.weights.dtype)))
    kept_numbers = raw.Reshape(tensor=raw.Where(condition=is_kept), shape=[-1])
    ids, kept_bags = (raw.GatherV2(params=t, indices=kept_numbers, axis=0) for t in (bags.ids, bags.bags))
    weights = bags.weights
    return _Bags(
        ids, kept_bags, None if weights is None else raw.GatherV2(params=weights, indices=kept_numbers, axis=0)
    )


def _fill(bags: _Bags, row_count: Tensor, default_id: int | None) -> tuple[_Bags, Tensor]:
    """Gives each empty bag an id, `default_id` or 0, of weight 1; returns the bags, and which of them were empty."""
    zeros = raw.ZerosLike(x=bags.bags)
    parts = {
        "indices": raw.Pack(values=[bags.bags, zeros], axis=1),
        "dense_shape": raw.Pack(values=[row_count, np.int64(1)]),
    }
    filler = cast(0 if default_id is None else default_id, bags.ids.dtype)
    indices, ids, is_empty, _ = raw.SparseFillEmptyRows(**parts, values=bags.ids, default_value=filler)
    weights = bags.weights
    if weights is not None:
        one = cast(1, weights.dtype)
        weights = raw.SparseFillEmptyRows(**parts, values=weights, default_value=one)[1]
    return _Bags(ids, indices[:, 0], weights), is_empty


def _make_empty(rows: Tensor, is_empty: Tensor) -> Tensor:
    """Puts zeros instead of the rows of empty bags."""
    rank = rows.shape.rank
    ones = [1] * (rank - 1) if rank is not None else raw.Fill(dims=raw.Pack(values=[raw.Rank(input=rows) - 1]), value=1)
    flags = raw.Reshape(tensor=is_empty, shape=raw.ConcatV2(values=[[-1], ones], axis=0))
    return raw.SelectV2(condition=flags, t=raw.ZerosLike(x=rows), e=rows)


def _with_shape_of_ids(rows: Tensor, ids: SparseTensor) -> Tensor:
    """Gives the first dimension of `rows` the shape of the leading dimensions of the ids."""
    leading = cast(ids.dense_shape[:-1], int32)
    result = raw.Reshape(tensor=rows, shape=raw.ConcatV2(values=[leading, raw.Shape(input=rows)[1:]], axis=0))
    if ids.shape.rank is not None and rows.shape.rank is not None:
        result.set_shape(ids.shape[:-1].concatenate(rows.shape[1:]))
    return result
