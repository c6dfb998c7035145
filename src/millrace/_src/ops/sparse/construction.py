"""Sparse tensors made: `tf.sparse.eye`, `mask`, and what TensorFlow 1 had besides: placeholders, `sparse_merge`."""

from __future__ import annotations

from typing import Any

import numpy as np

from millrace._src.core.argument_types import DTypeLike, ShapeLike, TensorLike
from millrace._src.core.context import name_scope, state
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import as_dtype, bool_, float32, int64
from millrace._src.core.indexed_slices import IndexedSlices
from millrace._src.core.shape_context import static_shape
from millrace._src.core.shapes import TensorShape, as_shape
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.array.identity import placeholder
from millrace._src.ops.sparse.ordering import sparse_reorder
from millrace._src.ops.sparse.sparse_tensor import SparseTensor, SparseTensorType, SparseTensorValue, as_sparse
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


@export(v1=["sparse_placeholder", "sparse.placeholder"])
def sparse_placeholder(dtype: DTypeLike, shape: ShapeLike | None = None, name: str | None = None) -> SparseTensor:
    """Inserts placeholders for the parts of a sparse tensor that a v1 session must be fed.

    >>> with tf.Graph().as_default():
    ...     print(tf.compat.v1.sparse_placeholder(tf.float32, [None, 3]).shape)
    (None, 3)

    Args:
      dtype: the dtype of the values.
      shape: the dense shape, which may have unknown dimensions; None for any.
      name: name of the placeholders.

    Returns: A SparseTensor of placeholders.
    Raises: RuntimeError: in eager mode.
    """
    if state.graph is None:
        raise RuntimeError("`sparse_placeholder` is not compatible with eager execution.")
    names = {part: None if name is None else f"{name}/{part}" for part in ("shape", "values", "indices")}
    if shape is None:
        dense_shape, known_shape = placeholder(int64, [None], names["shape"]), TensorShape(None)
    else:
        dense_shape, known_shape = _shape_placeholder(shape, names["shape"])
    values = placeholder(dtype, [None], names["values"])
    indices = placeholder(int64, [None, known_shape.rank], names["indices"])
    result = SparseTensor(indices, values, dense_shape)
    result.set_shape(known_shape)
    return result


def _shape_placeholder(shape: ShapeLike, name: str | None) -> tuple[Any, TensorShape]:
    """Returns a placeholder for a dense shape that is fed only where the shape differs from the default."""
    if isinstance(shape, Tensor):
        default, known_shape = shape, static_shape(shape)
    else:
        known_shape = as_shape(shape)
        dims = [-1 if dim is None else dim for dim in known_shape.as_list()]
        default_name = None if name is None else f"{name}_default"
        default = convert_to_tensor(np.array(dims, np.int64), name=default_name)
    dense_shape = raw.PlaceholderWithDefault(input=default, shape=default.shape, name=name)
    return dense_shape, known_shape


@export(v1=["convert_to_tensor_or_sparse_tensor"])
def convert_to_tensor_or_sparse_tensor(value: Any, dtype: object = None, name: str | None = None) -> Any:
    """Converts a value to a tensor, and a `SparseTensorValue` to a sparse tensor.

    >>> tf.compat.v1.convert_to_tensor_or_sparse_tensor([1, 2]).numpy()
    array([1, 2], dtype=int32)

    Args:
      value: a SparseTensor, a SparseTensorValue, or what converts to a Tensor.
      dtype: the dtype of the result; None takes that of the value.
      name: name of the constant in a graph.

    Returns: A SparseTensor or a Tensor.
    Raises: RuntimeError: if a sparse value has another dtype.
    """
    if dtype is not None:
        dtype = as_dtype(dtype)
    if isinstance(value, SparseTensorValue):
        value = SparseTensor.from_value(value)
    if not isinstance(value, SparseTensor):
        return convert_to_tensor(value, dtype=dtype, name=name)
    if dtype is not None and not dtype.is_compatible_with(value.dtype):
        raise RuntimeError(f"Sparse dtype mismatch. Requested: {dtype.name}, Actual: {value.dtype.name}")
    return value


@export(v1=["sparse.merge", "sparse_merge"])
def sparse_merge(
    sp_ids: object, sp_values: object, vocab_size: object, name: str | None = None, already_sorted: bool = False
) -> SparseTensor:
    """Makes of ids and their weights a sparse tensor of weights, in which the ids are coordinates.

    >>> ids = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], [3, 1, 5], [2, 2])
    >>> weights = ids.with_values([0.5, 2.0, 1.0])
    >>> tf.compat.v1.sparse_merge(ids, weights, 10).indices.numpy().tolist()
    [[0, 1], [0, 3], [1, 5]]

    Args:
      sp_ids: a SparseTensor of ids, or a list of several with the same coordinates, whose ids become several axes.
      sp_values: a SparseTensor of weights with the same coordinates.
      vocab_size: the number of ids, an integer, or a list of as many as `sp_ids` has.
      name: name of the scope in a graph.
      already_sorted: whether the result is in order as it is.

    Returns: A SparseTensor of shape `sp_ids.shape[:-1] + vocab_size`.
    Raises:
      TypeError: if an argument is of another kind.
      ValueError: if the lists are of different lengths.
    """
    ids, sizes = _as_lists(sp_ids, vocab_size)
    sp_values = as_sparse(sp_values)
    with name_scope(name, "SparseMerge"):
        columns = [raw.ExpandDims(input=raw.Cast(x=tensor.values, DstT=int64), dim=1) for tensor in ids]
        indices = raw.ConcatV2(values=[ids[0].indices[:, :-1], *columns], axis=1)
        new_sizes = raw.Pack(values=[raw.Cast(x=size, DstT=int64) for size in sizes])
        dense_shape = raw.ConcatV2(values=[ids[0].dense_shape[:-1], new_sizes], axis=0)
        result = SparseTensor(indices, sp_values.values, dense_shape)
        return result if already_sorted else sparse_reorder(result)


def _as_lists(sp_ids: object, vocab_size: object) -> tuple[list[SparseTensor], list[Any]]:
    """Returns ids and numbers of ids as lists of one length."""
    if isinstance(sp_ids, SparseTensorType):
        sp_ids, vocab_size = [sp_ids], [vocab_size]
    if not isinstance(sp_ids, (list, tuple)):
        raise TypeError(f"sp_ids has to be a SparseTensor or list thereof. Found {type(sp_ids)}")
    if not isinstance(vocab_size, (list, tuple)):
        raise TypeError(f"vocab_size has to be a list of Tensors or Python ints. Found {type(vocab_size)}")
    for size in vocab_size:
        if not isinstance(size, (Tensor, int, np.integer)):
            raise TypeError(f"vocab_size has to be a Tensor or Python int. Found {type(size)}")
    if len(sp_ids) != len(vocab_size):
        raise ValueError("sp_ids and vocab_size have to have equal lengths.")
    return [as_sparse(tensor) for tensor in sp_ids], list(vocab_size)
