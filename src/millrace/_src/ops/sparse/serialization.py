"""`tf.io.serialize_sparse`, `serialize_many_sparse` and `deserialize_many_sparse`."""

from __future__ import annotations

from typing import Any

from millrace._src.core.argument_types import DTypeLike, TensorLike
from millrace._src.core.dtypes import string
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.sparse.sparse_tensor import SparseTensor, as_sparse
from millrace._src.util.export import export


def _parts(sp_input: object) -> dict[str, Any]:
    tensor = as_sparse(sp_input)
    return {
        "sparse_indices": tensor.indices,
        "sparse_values": tensor.values,
        "sparse_shape": tensor.dense_shape,
    }


@export("io.serialize_sparse", v1=[])
def serialize_sparse(sp_input: TensorLike, out_type: DTypeLike = string, name: str | None = None) -> Tensor:
    """Writes a sparse tensor as three strings.

    >>> serialized = tf.io.serialize_sparse(tf.sparse.from_dense([0, 7]))
    >>> tf.io.parse_tensor(serialized[1], tf.int32).numpy()
    array([7], dtype=int32)

    Args:
      sp_input: A `SparseTensor`.
      out_type: `tf.string` or `tf.variant`.
      name: A name for the operation (optional).

    Returns: A vector of three strings or variants: indices, values and dense shape.
    Raises: TypeError: if the input is not a sparse tensor.
    """
    return raw.SerializeSparse(**_parts(sp_input), out_type=out_type, name=name)


@export("io.serialize_many_sparse", v1=[])
def serialize_many_sparse(sp_input: TensorLike, out_type: DTypeLike = string, name: str | None = None) -> Tensor:
    """Writes each row of the first dimension of a sparse tensor as three strings.

    >>> serialized = tf.io.serialize_many_sparse(tf.sparse.from_dense([[0, 7], [5, 6]]))
    >>> serialized.shape
    TensorShape([2, 3])
    >>> tf.sparse.to_dense(tf.io.deserialize_many_sparse(serialized, tf.int32)).numpy()
    array([[0, 7],
           [5, 6]], dtype=int32)

    Args:
      sp_input: A `SparseTensor` of rank 2 or more, its indices in row-major order.
      out_type: `tf.string` or `tf.variant`.
      name: A name for the operation (optional).

    Returns: A matrix with three strings or variants for each row.
    Raises:
      TypeError: if the input is not a sparse tensor.
      tf.errors.InvalidArgumentError: if the rank is below 2, or indices are out of order or range.
    """
    return raw.SerializeManySparse(**_parts(sp_input), out_type=out_type, name=name)


@export("io.deserialize_many_sparse", v1=["io.deserialize_many_sparse", "deserialize_many_sparse"])
def deserialize_many_sparse(
    serialized_sparse: TensorLike, dtype: DTypeLike, rank: int | None = None, name: str | None = None
) -> SparseTensor:
    """Reads a batch of sparse tensors that `tf.io.serialize_many_sparse` wrote, or that single writes were stacked to.

    >>> rows = [tf.io.serialize_sparse(tf.sparse.from_dense(row)) for row in ([0, 7], [5, 6, 0])]
    >>> tf.sparse.to_dense(tf.io.deserialize_many_sparse(tf.stack(rows), tf.int32)).numpy()
    array([[0, 7, 0],
           [5, 6, 0]], dtype=int32)

    Args:
      serialized_sparse: A matrix of strings `[batch, 3]`.
      dtype: The dtype of the values.
      rank: The rank of the result, if known: that of each serialized tensor and 1 for the batch.
      name: A name for the operation (optional).

    Returns: A `SparseTensor` with the batch as first dimension.
    Raises:
      ValueError: if the rank is another.
      tf.errors.InvalidArgumentError: if a string is not a serialized part, or ranks or dtypes differ.
    """
    indices, values, shape = raw.DeserializeManySparse(serialized_sparse=serialized_sparse, dtype=dtype, name=name)
    indices.set_shape([None, rank])
    shape.set_shape([rank])
    return SparseTensor(indices, values, shape)
