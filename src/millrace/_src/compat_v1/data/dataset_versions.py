"""Older names of specs and transformations, which `tf.compat.v1.data.experimental` has."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from millrace._src.control_flow.tensor_array import TensorArraySpec
from millrace._src.core.argument_types import DTypeLike, ShapeLike, TensorLike
from millrace._src.core.specs import TensorSpec
from millrace._src.data.transforms.map_and_batch import map_and_batch
from millrace._src.ops.ragged.ragged_spec import RaggedTensorSpec
from millrace._src.ops.sparse.sparse_spec import SparseTensorSpec
from millrace._src.util.export import export


@export(v1=["data.experimental.TensorStructure"])
def tensor_structure(dtype: DTypeLike, shape: ShapeLike) -> TensorSpec:
    """Returns the spec of tensors; the older form of `tf.TensorSpec`.

    >>> tf.compat.v1.data.experimental.TensorStructure(tf.int32, [2])
    TensorSpec(shape=(2,), dtype=tf.int32, name=None)

    Args:
      dtype: the dtype.
      shape: the static shape.
    """
    return TensorSpec(shape, dtype)


@export(v1=["data.experimental.SparseTensorStructure"])
def sparse_tensor_structure(dtype: DTypeLike, shape: ShapeLike) -> SparseTensorSpec:
    """Returns the spec of sparse tensors; the older form of `tf.SparseTensorSpec`.

    >>> tf.compat.v1.data.experimental.SparseTensorStructure(tf.int32, [2, 3])
    SparseTensorSpec(TensorShape([2, 3]), tf.int32)

    Args:
      dtype: the dtype of the values.
      shape: the static dense shape.
    """
    return SparseTensorSpec(shape, dtype)


@export(v1=["data.experimental.RaggedTensorStructure"])
def ragged_tensor_structure(dtype: DTypeLike, shape: ShapeLike, ragged_rank: int) -> RaggedTensorSpec:
    """Returns the spec of ragged tensors; the older form of `tf.RaggedTensorSpec`.

    >>> tf.compat.v1.data.experimental.RaggedTensorStructure(tf.int32, [None, None], 1)
    RaggedTensorSpec(TensorShape([None, None]), tf.int32, 1, tf.int64)

    Args:
      dtype: the dtype of the values.
      shape: the static shape.
      ragged_rank: how many axes are ragged.
    """
    return RaggedTensorSpec(shape, dtype, ragged_rank)


@export(v1=["data.experimental.TensorArrayStructure"])
def tensor_array_structure(
    dtype: DTypeLike, element_shape: ShapeLike, dynamic_size: bool, infer_shape: bool
) -> TensorArraySpec:
    """Returns the spec of tensor arrays; the older form of `tf.TensorArraySpec`.

    >>> tf.compat.v1.data.experimental.TensorArrayStructure(tf.float32, [2], True, False)
    TensorArraySpec(TensorShape([2]), tf.float32, True, False)

    Args:
      dtype: the dtype of the elements.
      element_shape: the static shape of an element.
      dynamic_size: whether the array grows.
      infer_shape: whether all elements have one shape.
    """
    return TensorArraySpec(element_shape, dtype, dynamic_size, infer_shape)


@export(v1=["data.experimental.map_and_batch_with_legacy_function"])
def map_and_batch_with_legacy_function(
    map_func: Callable[..., Any],
    batch_size: TensorLike,
    num_parallel_batches: int | None = None,
    drop_remainder: TensorLike = False,
    num_parallel_calls: TensorLike | None = None,
) -> Callable[[Any], Any]:
    """Does what `tf.data.experimental.map_and_batch` does.

    Args:
      map_func: takes the components of an element and returns a nest of tensors.
      batch_size: how many results make a batch; a scalar of int64.
      num_parallel_batches: how many batches may be in the making at a time.
      drop_remainder: whether a last batch with fewer elements is left out; a scalar of bool.
      num_parallel_calls: how many calls may run at a time.

    Returns: A function for `Dataset.apply`.
    Raises: ValueError: if both numbers are given.
    """
    return map_and_batch(map_func, batch_size, num_parallel_batches, drop_remainder, num_parallel_calls)
