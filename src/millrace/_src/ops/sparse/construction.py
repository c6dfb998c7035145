"""Sparse tensors made: `tf.sparse.eye`, `mask`, and what TensorFlow 1 had besides: placeholders, `sparse_merge`."""

from __future__ import annotations

from typing import Any

import numpy as np

from millrace._src.core.argument_types import DTypeLike, TensorLike
from millrace._src.core.context import name_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import as_dtype, bool_, float32, int64
from millrace._src.core.indexed_slices import IndexedSlices
from millrace._src.ops import raw
from millrace._src.ops.sparse.sparse_tensor import SparseTensor
from millrace._src.util.export import export


@export("sparse.eye")
def sparse_eye(
    num_rows: TensorLike, num_columns: TensorLike | None = None, dtype: DTypeLike = float32, name: str | None = None
) -> SparseTensor:
    """Makes a sparse matrix of ones on the diagonal.

    >>> tf.sparse.to_dense(tf.sparse.eye(2, 3)).numpy()
    array([[1., 0., 0.],
           [0., 1., 0.]], dtype=float32)

    Args:
      num_rows: an integer scalar.
      num_columns: an integer scalar; None for the number of rows.
      dtype: the dtype of the elements.
      name: name of the scope in a graph.

    Returns: A SparseTensor of shape `[num_rows, num_columns]`.
    Raises: TypeError: if a size is not an integer scalar.
    """
    with name_scope(name, "eye"):
        rows = _size(num_rows, "num_rows")
        columns = rows if num_columns is None else _size(num_columns, "num_columns")
        diagonal_size = raw.Minimum(x=rows, y=columns)
        numbers = raw.Range(start=np.int64(0), limit=diagonal_size, delta=np.int64(1))
        dtype = as_dtype(dtype)
        one = convert_to_tensor(True if dtype is bool_ else 1, dtype=dtype)
        ones = raw.Fill(dims=raw.Reshape(tensor=diagonal_size, shape=[1]), value=one)
        return SparseTensor(raw.Pack(values=[numbers, numbers], axis=1), ones, raw.Pack(values=[rows, columns]))


def _size(value: Any, name: str) -> Any:
    tensor = convert_to_tensor(value, name=name)
    if not tensor.dtype.is_integer or tensor.shape.rank not in (None, 0):
        raise TypeError(f"{name} must be an integer value")
    return tensor if tensor.dtype is int64 else raw.Cast(x=tensor, DstT=int64)


@export("sparse.mask", v1=["sparse.mask", "sparse_mask"])
def sparse_mask(a: Any, mask_indices: Any, name: str | None = None) -> IndexedSlices:
    """Leaves out slices of a `tf.IndexedSlices`.

    >>> slices = tf.IndexedSlices(tf.constant([[1.0], [2.0], [3.0]]), tf.constant([7, 2, 5]), tf.constant([9, 1]))
    >>> tf.sparse.mask(slices, [2, 7]).indices.numpy()
    array([5], dtype=int32)

    Args:
      a: an IndexedSlices.
      mask_indices: a vector of the indices of slices to leave out.
      name: name of the scope in a graph.

    Returns: An IndexedSlices.
    """
    with name_scope(name, "sparse_mask"):
        indices, kept_rows = raw.ListDiff(x=a.indices, y=mask_indices)
        values = raw.GatherV2(params=a.values, indices=kept_rows, axis=0)
        return IndexedSlices(values, indices, a.dense_shape)
