"""Embeddings with the arguments of TensorFlow 1: parts of tables by `partition_strategy`.

Tests: tests/oracle/programs/v1_partitions.py
"""

from __future__ import annotations

from millrace._src.core.argument_types import TensorLike
from millrace._src.core.tensor import Tensor
from millrace._src.ops.nn.embedding import lookup
from millrace._src.ops.nn.sparse_embedding import lookup_sparse, safe_lookup_sparse
from millrace._src.util.export import export


@export(v1=["nn.embedding_lookup"])
def embedding_lookup_v1(
    params: TensorLike,
    ids: TensorLike,
    partition_strategy: str = "mod",
    name: str | None = None,
    validate_indices: bool = True,
    max_norm: float | None = None,
) -> Tensor:
    """Looks up rows of one table, or of one that is split over several tensors.

    >>> parts = [tf.constant([[0.], [2.]]), tf.constant([[1.], [3.]])]
    >>> tf.compat.v1.nn.embedding_lookup(parts, [0, 1, 2, 3]).numpy().tolist()
    [[0.0], [1.0], [2.0], [3.0]]

    Args:
      params: A Tensor or Variable `[rows, ...]`, or a list of such, which together are the table.
      ids: int32 or int64 row numbers, of any shape.
      partition_strategy: "mod": the parts hold rows in turn; "div": the parts are contiguous.
      name: A name for the operation (optional).
      validate_indices: Ignored: row numbers are always checked, as in TensorFlow.
      max_norm: if given, rows that are longer than this (Euclidean) are scaled down to it.

    Returns: A Tensor of shape `ids.shape + rows' shape`.
    Raises:
      ValueError: if `params` is None or empty, or the strategy is another.
      tf.errors.InvalidArgumentError: if a row does not exist.
    """
    return lookup(params, ids, partition_strategy, max_norm, name)


@export(v1=["nn.embedding_lookup_sparse"])
def embedding_lookup_sparse_v1(
    params: TensorLike,
    sp_ids: TensorLike,
    sp_weights: TensorLike,
    partition_strategy: str = "mod",
    name: str | None = None,
    combiner: str | None = None,
    max_norm: float | None = None,
    allow_fast_lookup: bool = False,
) -> Tensor:
    """Reduces, for each row of ids, the rows of a table at these ids to one row.

    >>> ids = tf.RaggedTensor.from_row_splits([0, 1, 1], [0, 2, 3])
    >>> tf.compat.v1.nn.embedding_lookup_sparse([[[1.]], [[3.]]], ids, None, combiner="sum").numpy().tolist()
    [[4.0], [3.0]]

    Args:
      params: A Tensor or Variable `[rows, ...]`, or a list of such, which together are the table.
      sp_ids: A `SparseTensor` or ragged matrix of int32 or int64 row numbers.
      sp_weights: A weight for each id, of the class and shape of `sp_ids`; None for no weights.
      partition_strategy: "mod": the parts of a table hold rows in turn; "div": the parts are contiguous.
      name: A name for the operation (optional).
      combiner: "sum", "mean" (the default) or "sqrtn".
      max_norm: If given, rows of the table that are longer than this (Euclidean) are scaled down to it.
      allow_fast_lookup: Whether the gradient of one table without weights may be dense.

    Returns: A Tensor with a row for each row of ids up to the last that is not empty; rows without ids are 0.
    Raises:
      TypeError: if ids are neither sparse nor ragged, or the weights are of another class.
      ValueError: if the combiner or the strategy is another, the table is empty or the shapes differ.
      tf.errors.InvalidArgumentError: if a row of the table does not exist.
    """
    return lookup_sparse(params, sp_ids, sp_weights, partition_strategy, name, combiner, max_norm, allow_fast_lookup)


@export(v1=["nn.safe_embedding_lookup_sparse"])
def safe_embedding_lookup_sparse_v1(
    embedding_weights: TensorLike,
    sparse_ids: TensorLike,
    sparse_weights: TensorLike | None = None,
    combiner: str | None = "mean",
    default_id: int | None = None,
    name: str | None = None,
    partition_strategy: str = "div",
    max_norm: float | None = None,
    allow_fast_lookup: bool = False,
) -> Tensor:
    """Reduces, for each row of ids, the rows of a table at these ids to one row; leaves out ids that are negative.

    >>> ids = tf.RaggedTensor.from_row_splits([0, 1, -1], [0, 2, 3])
    >>> tf.compat.v1.nn.safe_embedding_lookup_sparse(tf.constant([[1.], [3.]]), ids).numpy().tolist()
    [[2.0], [0.0]]

    Args:
      embedding_weights: A Tensor or Variable `[rows, ...]`, or a list of such, which together are the table.
      sparse_ids: A `SparseTensor` of any rank, or a ragged matrix, of int32 or int64 row numbers.
      sparse_weights: A weight for each id, of the class and shape of `sparse_ids`; None for no weights.
      combiner: "sum", "mean" or "sqrtn"; see `tf.nn.embedding_lookup_sparse`.
      default_id: The id that rows without ids have; None for rows of 0.
      name: A name for the operation (optional).
      partition_strategy: "div": the parts of a table are contiguous; "mod": they hold rows in turn.
      max_norm: If given, rows of the table that are longer than this (Euclidean) are scaled down to it.
      allow_fast_lookup: Whether the gradient of one table without weights may be dense.

    Returns: A Tensor of the shape of the ids without their last dimension, and the shape of a row of the table.
    Raises:
      TypeError: if ids are neither sparse nor ragged, or the weights are of another class.
      ValueError: if the combiner or the strategy is another, or the table is missing.
      tf.errors.InvalidArgumentError: if a row of the table does not exist.
    """
    facts = (default_id, max_norm, name, allow_fast_lookup)
    return safe_lookup_sparse(embedding_weights, sparse_ids, sparse_weights, partition_strategy, combiner, *facts)
