"""TensorFlow 1's forms of the reductions (`tf.compat.v1.reduce_sum` and the like).

The functions take `reduction_indices` and `keep_dims`, the old names of `axis` and `keepdims`, besides the new names.
"""

from __future__ import annotations

from typing import Any

from millrace._src.core.argument_types import TensorLike
from millrace._src.core.dtypes import DType, int64
from millrace._src.core.tensor import Tensor
from millrace._src.ops.math import reduce
from millrace._src.ops.math.arg_reductions import argmax, argmax_op, argmin, argmin_op
from millrace._src.ops.math.norm import norm
from millrace._src.util.export import export
from millrace._src.util.old_arguments import one_of


def _arguments(axis: object, keepdims: object, reduction_indices: object, keep_dims: object) -> tuple[Any, bool]:
    axis = one_of("reduction_indices", reduction_indices, "axis", axis)
    return axis, bool(one_of("keep_dims", keep_dims, "keepdims", keepdims))


@export(v1=["math.reduce_sum", "reduce_sum"])
def reduce_sum(
    input_tensor: TensorLike,
    axis: TensorLike | None = None,
    keepdims: bool | None = None,
    name: str | None = None,
    reduction_indices: TensorLike | None = None,
    keep_dims: bool | None = None,
) -> Tensor:
    """Computes the sum of elements over axes of a tensor.

    >>> tf.compat.v1.reduce_sum([[1, 1, 1], [1, 1, 1]], reduction_indices=[0]).numpy()
    array([2, 2, 2], dtype=int32)

    Args:
      input_tensor: A `Tensor`.
      axis: The axes to reduce, as for `tf.reduce_sum`. None reduces all.
      keepdims: Whether reduced axes stay, with size 1.
      name: A name for the operation (optional).
      reduction_indices: The old name of `axis`.
      keep_dims: The old name of `keepdims`.

    Returns: A `Tensor`, as of `tf.reduce_sum`.
    Raises: ValueError: if an argument is given under both names.
    """
    axis, keepdims = _arguments(axis, keepdims, reduction_indices, keep_dims)
    return reduce.reduce_sum(input_tensor, axis, keepdims, name)


@export(v1=["math.reduce_prod", "reduce_prod"])
def reduce_prod(
    input_tensor: TensorLike,
    axis: TensorLike | None = None,
    keepdims: bool | None = None,
    name: str | None = None,
    reduction_indices: TensorLike | None = None,
    keep_dims: bool | None = None,
) -> Tensor:
    """Computes the product of elements over axes of a tensor.

    >>> tf.compat.v1.reduce_prod([[1., 2.], [3., 4.]], reduction_indices=[0]).numpy()
    array([3., 8.], dtype=float32)

    Args:
      input_tensor: A `Tensor`.
      axis: The axes to reduce, as for `tf.reduce_prod`. None reduces all.
      keepdims: Whether reduced axes stay, with size 1.
      name: A name for the operation (optional).
      reduction_indices: The old name of `axis`.
      keep_dims: The old name of `keepdims`.

    Returns: A `Tensor`, as of `tf.reduce_prod`.
    Raises: ValueError: if an argument is given under both names.
    """
    axis, keepdims = _arguments(axis, keepdims, reduction_indices, keep_dims)
    return reduce.reduce_prod(input_tensor, axis, keepdims, name)


@export(v1=["math.reduce_mean", "reduce_mean"])
def reduce_mean(
    input_tensor: TensorLike,
    axis: TensorLike | None = None,
    keepdims: bool | None = None,
    name: str | None = None,
    reduction_indices: TensorLike | None = None,
    keep_dims: bool | None = None,
) -> Tensor:
    """Computes the mean of elements over axes of a tensor.

    >>> tf.compat.v1.reduce_mean([[1., 1.], [2., 2.]], reduction_indices=[0]).numpy()
    array([1.5, 1.5], dtype=float32)

    Args:
      input_tensor: A `Tensor`.
      axis: The axes to reduce, as for `tf.reduce_mean`. None reduces all.
      keepdims: Whether reduced axes stay, with size 1.
      name: A name for the operation (optional).
      reduction_indices: The old name of `axis`.
      keep_dims: The old name of `keepdims`.

    Returns: A `Tensor`, as of `tf.reduce_mean`.
    Raises: ValueError: if an argument is given under both names.
    """
    axis, keepdims = _arguments(axis, keepdims, reduction_indices, keep_dims)
    return reduce.reduce_mean(input_tensor, axis, keepdims, name)


@export(v1=["math.reduce_max", "reduce_max"])
def reduce_max(
    input_tensor: TensorLike,
    axis: TensorLike | None = None,
    keepdims: bool | None = None,
    name: str | None = None,
    reduction_indices: TensorLike | None = None,
    keep_dims: bool | None = None,
) -> Tensor:
    """Computes the largest element over axes of a tensor.

    >>> tf.compat.v1.reduce_max([[1, 5], [4, 3]], reduction_indices=[0]).numpy()
    array([4, 5], dtype=int32)

    Args:
      input_tensor: A `Tensor`.
      axis: The axes to reduce, as for `tf.reduce_max`. None reduces all.
      keepdims: Whether reduced axes stay, with size 1.
      name: A name for the operation (optional).
      reduction_indices: The old name of `axis`.
      keep_dims: The old name of `keepdims`.

    Returns: A `Tensor`, as of `tf.reduce_max`.
    Raises: ValueError: if an argument is given under both names.
    """
    axis, keepdims = _arguments(axis, keepdims, reduction_indices, keep_dims)
    return reduce.reduce_max(input_tensor, axis, keepdims, name)


@export(v1=["math.reduce_min", "reduce_min"])
def reduce_min(
    input_tensor: TensorLike,
    axis: TensorLike | None = None,
    keepdims: bool | None = None,
    name: str | None = None,
    reduction_indices: TensorLike | None = None,
    keep_dims: bool | None = None,
) -> Tensor:
    """Computes the smallest element over axes of a tensor.

    >>> tf.compat.v1.reduce_min([[1, 5], [4, 3]], reduction_indices=[0]).numpy()
    array([1, 3], dtype=int32)

    Args:
      input_tensor: A `Tensor`.
      axis: The axes to reduce, as for `tf.reduce_min`. None reduces all.
      keepdims: Whether reduced axes stay, with size 1.
      name: A name for the operation (optional).
      reduction_indices: The old name of `axis`.
      keep_dims: The old name of `keepdims`.

    Returns: A `Tensor`, as of `tf.reduce_min`.
    Raises: ValueError: if an argument is given under both names.
    """
    axis, keepdims = _arguments(axis, keepdims, reduction_indices, keep_dims)
    return reduce.reduce_min(input_tensor, axis, keepdims, name)


@export(v1=["math.reduce_all", "reduce_all"])
def reduce_all(
    input_tensor: TensorLike,
    axis: TensorLike | None = None,
    keepdims: bool | None = None,
    name: str | None = None,
    reduction_indices: TensorLike | None = None,
    keep_dims: bool | None = None,
) -> Tensor:
    """Returns whether all elements are True over axes of a tensor.

    >>> tf.compat.v1.reduce_all([[True, True], [False, True]], reduction_indices=[0]).numpy()
    array([False,  True])

    Args:
      input_tensor: A `Tensor`.
      axis: The axes to reduce, as for `tf.reduce_all`. None reduces all.
      keepdims: Whether reduced axes stay, with size 1.
      name: A name for the operation (optional).
      reduction_indices: The old name of `axis`.
      keep_dims: The old name of `keepdims`.

    Returns: A `Tensor`, as of `tf.reduce_all`.
    Raises: ValueError: if an argument is given under both names.
    """
    axis, keepdims = _arguments(axis, keepdims, reduction_indices, keep_dims)
    return reduce.reduce_all(input_tensor, axis, keepdims, name)


@export(v1=["math.reduce_any", "reduce_any"])
def reduce_any(
    input_tensor: TensorLike,
    axis: TensorLike | None = None,
    keepdims: bool | None = None,
    name: str | None = None,
    reduction_indices: TensorLike | None = None,
    keep_dims: bool | None = None,
) -> Tensor:
    """Returns whether any element is True over axes of a tensor.

    >>> tf.compat.v1.reduce_any([[True, False], [False, False]], reduction_indices=[0]).numpy()
    array([ True, False])

    Args:
      input_tensor: A `Tensor`.
      axis: The axes to reduce, as for `tf.reduce_any`. None reduces all.
      keepdims: Whether reduced axes stay, with size 1.
      name: A name for the operation (optional).
      reduction_indices: The old name of `axis`.
      keep_dims: The old name of `keepdims`.

    Returns: A `Tensor`, as of `tf.reduce_any`.
    Raises: ValueError: if an argument is given under both names.
    """
    axis, keepdims = _arguments(axis, keepdims, reduction_indices, keep_dims)
    return reduce.reduce_any(input_tensor, axis, keepdims, name)


@export(v1=["math.reduce_logsumexp", "reduce_logsumexp"])
def reduce_logsumexp(
    input_tensor: TensorLike,
    axis: TensorLike | None = None,
    keepdims: bool | None = None,
    name: str | None = None,
    reduction_indices: TensorLike | None = None,
    keep_dims: bool | None = None,
) -> Tensor:
    """Computes `log(sum(exp(x)))` of elements over axes of a tensor.

    >>> tf.compat.v1.reduce_logsumexp([[0.0, 1000.0]], reduction_indices=[0]).numpy()
    array([   0., 1000.], dtype=float32)

    Args:
      input_tensor: A `Tensor`.
      axis: The axes to reduce, as for `tf.reduce_logsumexp`. None reduces all.
      keepdims: Whether reduced axes stay, with size 1.
      name: A name for the operation (optional).
      reduction_indices: The old name of `axis`.
      keep_dims: The old name of `keepdims`.

    Returns: A `Tensor`, as of `tf.reduce_logsumexp`.
    Raises: ValueError: if an argument is given under both names.
    """
    axis, keepdims = _arguments(axis, keepdims, reduction_indices, keep_dims)
    return reduce.reduce_logsumexp(input_tensor, axis, keepdims, name)


@export(v1=["math.count_nonzero", "count_nonzero"])
def count_nonzero(
    input_tensor: TensorLike | None = None,
    axis: TensorLike | None = None,
    keepdims: bool | None = None,
    dtype: DType = int64,
    name: str | None = None,
    reduction_indices: TensorLike | None = None,
    keep_dims: bool | None = None,
    input: TensorLike | None = None,
) -> Tensor:
    """Counts the elements that are not zero, over axes.

    >>> tf.compat.v1.count_nonzero([[0, 1, 0], [1, 1, 0]], reduction_indices=1).numpy()
    array([1, 2])

    Args:
      input_tensor: A `Tensor`; the old name of `input`.
      axis: The axes to reduce. None reduces all.
      keepdims: Whether reduced axes stay, with size 1.
      dtype: The dtype of the result.
      name: A name for the operation (optional).
      reduction_indices: The old name of `axis`.
      keep_dims: The old name of `keepdims`.
      input: A `Tensor` of numbers, booleans or strings.

    Returns: A `Tensor` of dtype `dtype`.
    Raises: ValueError: if an argument is given under both names.
    """
    axis, keepdims = _arguments(axis, keepdims, reduction_indices, keep_dims)
    return reduce.count_nonzero(one_of("input_tensor", input_tensor, "input", input), axis, keepdims, dtype, name)


@export(v1=["math.argmax", "argmax"])
def argmax_v1(
    input: TensorLike,
    axis: TensorLike | None = None,
    name: str | None = None,
    dimension: TensorLike | None = None,
    output_type: DType = int64,
) -> Tensor:
    """Finds the index of the largest element along an axis.

    >>> tf.compat.v1.argmax([2, 20, 30], dimension=0).numpy()
    np.int64(2)

    Args:
      input: A `Tensor` of real numbers or booleans.
      axis: The axis to search, 0 by default.
      name: A name for the operation (optional).
      dimension: The old name of `axis`.
      output_type: The dtype of the result.

    Returns: A `Tensor` of dtype `output_type` and the shape of `input` without `axis`.
    Raises: ValueError: if the axis is given under both names.
    """
    return argmax(input, one_of("dimension", dimension, "axis", axis), output_type, name)


@export(v1=["math.argmin", "argmin"])
def argmin_v1(
    input: TensorLike,
    axis: TensorLike | None = None,
    name: str | None = None,
    dimension: TensorLike | None = None,
    output_type: DType = int64,
) -> Tensor:
    """Finds the index of the smallest element along an axis.

    >>> tf.compat.v1.argmin([2, 20, 30], dimension=0).numpy()
    np.int64(0)

    Args:
      input: A `Tensor` of real numbers or booleans.
      axis: The axis to search, 0 by default.
      name: A name for the operation (optional).
      dimension: The old name of `axis`.
      output_type: The dtype of the result.

    Returns: A `Tensor` of dtype `output_type` and the shape of `input` without `axis`.
    Raises: ValueError: if the axis is given under both names.
    """
    return argmin(input, one_of("dimension", dimension, "axis", axis), output_type, name)


@export(v1=["arg_max"])
def arg_max(input: TensorLike, dimension: TensorLike, output_type: DType = int64, name: str | None = None) -> Tensor:
    """Finds the index of the largest element along an axis.

    >>> tf.compat.v1.arg_max([2, 20, 30], 0).numpy()
    np.int64(2)

    Args:
      input: A `Tensor` of real numbers or booleans.
      dimension: The axis to search.
      output_type: The dtype of the result.
      name: A name for the operation (optional).

    Returns: A `Tensor` of dtype `output_type` and the shape of `input` without `dimension`.
    """
    return argmax_op(input, dimension, output_type=output_type, name=name)


@export(v1=["arg_min"])
def arg_min(input: TensorLike, dimension: TensorLike, output_type: DType = int64, name: str | None = None) -> Tensor:
    """Finds the index of the smallest element along an axis.

    >>> tf.compat.v1.arg_min([2, 20, 30], 0).numpy()
    np.int64(0)

    Args:
      input: A `Tensor` of real numbers or booleans.
      dimension: The axis to search.
      output_type: The dtype of the result.
      name: A name for the operation (optional).

    Returns: A `Tensor` of dtype `output_type` and the shape of `input` without `dimension`.
    """
    return argmin_op(input, dimension, output_type=output_type, name=name)


@export(v1=["linalg.norm", "norm"])
def norm_v1(
    tensor: TensorLike,
    ord: object = "euclidean",
    axis: TensorLike | None = None,
    keepdims: bool | None = None,
    name: str | None = None,
    keep_dims: bool | None = None,
) -> Tensor:
    """Computes the norm of vectors, of matrices, or of a whole tensor seen as one vector.

    >>> tf.compat.v1.norm([3.0, 4.0], keep_dims=True).numpy()
    array([5.], dtype=float32)

    Args:
      tensor: A `Tensor`: floating point or complex.
      ord: Which norm, as for `tf.norm`.
      axis: The axis or axes, as for `tf.norm`.
      keepdims: Whether reduced axes stay, with size 1.
      name: A name for the operation (optional).
      keep_dims: The old name of `keepdims`.

    Returns: A `Tensor`, as of `tf.norm`.
    Raises: ValueError: if an argument is given under both names.
    """
    return norm(tensor, ord, axis, one_of("keep_dims", keep_dims, "keepdims", keepdims), name)
