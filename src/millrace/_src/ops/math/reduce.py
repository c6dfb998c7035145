"""`tf.reduce_*`: reductions over axes, the public functions.

The functions differ from the ops in `reductions` only in their arguments: `axis` may be None, a number, a list or a
tensor. The statistics (log-sum-exp, variance, deviation, counting) are built from the other reductions.
"""

from __future__ import annotations

from typing import Any

from millrace._src.core.argument_types import TensorLike
from millrace._src.core.context import name_scope, state
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import DType, as_dtype, int64, string
from millrace._src.core.dtypes import bool as bool_
from millrace._src.core.execute import execute
from millrace._src.core.op_functions import OpFunction
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.math.binary import add, subtract
from millrace._src.ops.math.casting import cast
from millrace._src.ops.math.comparison import not_equal
from millrace._src.ops.math.exponential import exp, log
from millrace._src.ops.math.reduction_axes import axes_argument
from millrace._src.ops.math.reductions import (
    all_op,
    any_op,
    euclidean_norm_op,
    max_op,
    mean_op,
    min_op,
    prod_op,
    sum_op,
)
from millrace._src.ops.math.rounding import is_finite
from millrace._src.ops.math.unary import sqrt, square
from millrace._src.util.export import export

_KEPT: dict[str, Any] = {"keep_dims": True}
_DROPPED: dict[str, Any] = {}
"""The default: an eager call without attributes is found sooner."""


def _reduce(
    operation: OpFunction,
    input_tensor: Any,
    axis: object,
    keepdims: object,
    name: str | None,
    dtype: DType | None = None,
) -> Any:
    attrs = _KEPT if keepdims else _DROPPED
    if state.graph is None:
        if not isinstance(input_tensor, Tensor):
            input_tensor = convert_to_tensor(input_tensor, dtype=dtype)
        return execute(operation.op_def, (input_tensor, axes_argument(input_tensor, axis)), attrs, name)
    result = execute(operation.op_def, (input_tensor, axes_argument(input_tensor, axis)), attrs, name)
    if axis is None and not keepdims and result.shape.rank is None:
        result.set_shape(())  # the axes are all, though the graph does not know how many that is
    return result


@export("math.reduce_sum", "reduce_sum", v1=[])
def reduce_sum(
    input_tensor: TensorLike, axis: TensorLike | None = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """Computes the sum of elements over axes of a tensor.

    >>> tf.math.reduce_sum([[1, 1, 1], [1, 1, 1]], axis=0).numpy()
    array([2, 2, 2], dtype=int32)

    Args:
      input_tensor: A `Tensor` of numbers.
      axis: The axes to reduce: an integer, a list, or an integer `Tensor`; negative ones count from the end. None
        reduces all.
      keepdims: Whether reduced axes stay, with size 1.
      name: A name for the operation (optional).

    Returns: A `Tensor` of the dtype of `input_tensor`; 0 over no elements.
    Raises: InvalidArgumentError (ValueError in a graph): if an axis is out of range.
    """
    return _reduce(sum_op, input_tensor, axis, keepdims, name)


@export("math.reduce_prod", "reduce_prod", v1=[])
def reduce_prod(
    input_tensor: TensorLike, axis: TensorLike | None = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """Computes the product of elements over axes of a tensor.

    >>> tf.math.reduce_prod([[1., 2.], [3., 4.]], axis=0).numpy()
    array([3., 8.], dtype=float32)

    Args:
      input_tensor: A `Tensor` of numbers.
      axis: The axes to reduce: an integer, a list, or an integer `Tensor`; negative ones count from the end. None
        reduces all.
      keepdims: Whether reduced axes stay, with size 1.
      name: A name for the operation (optional).

    Returns: A `Tensor` of the dtype of `input_tensor`; 1 over no elements.
    Raises: InvalidArgumentError (ValueError in a graph): if an axis is out of range.
    """
    return _reduce(prod_op, input_tensor, axis, keepdims, name)


@export("math.reduce_mean", "reduce_mean", v1=[])
def reduce_mean(
    input_tensor: TensorLike, axis: TensorLike | None = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """Computes the mean of elements over axes of a tensor.

    >>> tf.math.reduce_mean([[1., 1.], [2., 2.]], axis=0).numpy()
    array([1.5, 1.5], dtype=float32)

    Args:
      input_tensor: A `Tensor` of numbers (the mean of integers is an integer).
      axis: The axes to reduce: an integer, a list, or an integer `Tensor`; negative ones count from the end. None
        reduces all.
      keepdims: Whether reduced axes stay, with size 1.
      name: A name for the operation (optional).

    Returns: A `Tensor` of the dtype of `input_tensor`; NaN over no elements.
    Raises: InvalidArgumentError (ValueError in a graph): if an axis is out of range.
    """
    return _reduce(mean_op, input_tensor, axis, keepdims, name)


@export("math.reduce_max", "reduce_max", v1=[])
def reduce_max(
    input_tensor: TensorLike, axis: TensorLike | None = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """Computes the largest element over axes of a tensor.

    >>> tf.math.reduce_max([[1, 5], [4, 3]], axis=0).numpy()
    array([4, 5], dtype=int32)

    Args:
      input_tensor: A `Tensor` of real numbers.
      axis: The axes to reduce: an integer, a list, or an integer `Tensor`; negative ones count from the end. None
        reduces all.
      keepdims: Whether reduced axes stay, with size 1.
      name: A name for the operation (optional).

    Returns: A `Tensor` of the dtype of `input_tensor`; the smallest value of the dtype (-inf) over no elements.
    Raises: InvalidArgumentError (ValueError in a graph): if an axis is out of range.
    """
    return _reduce(max_op, input_tensor, axis, keepdims, name)


@export("math.reduce_min", "reduce_min", v1=[])
def reduce_min(
    input_tensor: TensorLike, axis: TensorLike | None = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """Computes the smallest element over axes of a tensor.

    >>> tf.math.reduce_min([[1, 5], [4, 3]], axis=0).numpy()
    array([1, 3], dtype=int32)

    Args:
      input_tensor: A `Tensor` of real numbers.
      axis: The axes to reduce: an integer, a list, or an integer `Tensor`; negative ones count from the end. None
        reduces all.
      keepdims: Whether reduced axes stay, with size 1.
      name: A name for the operation (optional).

    Returns: A `Tensor` of the dtype of `input_tensor`; the largest value of the dtype (inf) over no elements.
    Raises: InvalidArgumentError (ValueError in a graph): if an axis is out of range.
    """
    return _reduce(min_op, input_tensor, axis, keepdims, name)


@export("math.reduce_all", "reduce_all", v1=[])
def reduce_all(
    input_tensor: TensorLike, axis: TensorLike | None = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """Returns whether all elements are True over axes of a tensor.

    >>> tf.math.reduce_all([[True, True], [False, True]], axis=0).numpy()
    array([False,  True])

    Args:
      input_tensor: A `Tensor` of booleans.
      axis: The axes to reduce: an integer, a list, or an integer `Tensor`; negative ones count from the end. None
        reduces all.
      keepdims: Whether reduced axes stay, with size 1.
      name: A name for the operation (optional).

    Returns: A `Tensor` of the dtype of `input_tensor`; True over no elements.
    Raises: InvalidArgumentError (ValueError in a graph): if an axis is out of range.
    """
    return _reduce(all_op, input_tensor, axis, keepdims, name, bool_)


@export("math.reduce_any", "reduce_any", v1=[])
def reduce_any(
    input_tensor: TensorLike, axis: TensorLike | None = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """Returns whether any element is True over axes of a tensor.

    >>> tf.math.reduce_any([[True, False], [False, False]], axis=0).numpy()
    array([ True, False])

    Args:
      input_tensor: A `Tensor` of booleans.
      axis: The axes to reduce: an integer, a list, or an integer `Tensor`; negative ones count from the end. None
        reduces all.
      keepdims: Whether reduced axes stay, with size 1.
      name: A name for the operation (optional).

    Returns: A `Tensor` of the dtype of `input_tensor`; False over no elements.
    Raises: InvalidArgumentError (ValueError in a graph): if an axis is out of range.
    """
    return _reduce(any_op, input_tensor, axis, keepdims, name, bool_)


@export("math.reduce_euclidean_norm")
def reduce_euclidean_norm(
    input_tensor: TensorLike, axis: TensorLike | None = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """Computes the square root of the sum of squares over axes of a tensor.

    >>> tf.math.reduce_euclidean_norm([[3.0, 1.0], [4.0, 0.0]], axis=0).numpy()
    array([5., 1.], dtype=float32)

    Args:
      input_tensor: A `Tensor` of numbers.
      axis: The axes to reduce: an integer, a list, or an integer `Tensor`; negative ones count from the end. None
        reduces all.
      keepdims: Whether reduced axes stay, with size 1.
      name: A name for the operation (optional).

    Returns: A `Tensor` of the dtype of `input_tensor`; 0 over no elements.
    Raises: InvalidArgumentError (ValueError in a graph): if an axis is out of range.
    """
    return _reduce(euclidean_norm_op, input_tensor, axis, keepdims, name)


@export("math.reduce_logsumexp", "reduce_logsumexp", v1=[])
def reduce_logsumexp(
    input_tensor: TensorLike, axis: TensorLike | None = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """Computes `log(sum(exp(x)))` over axes of a tensor without overflow or underflow.

    >>> tf.math.reduce_logsumexp([1000.0, 1000.0]).numpy()
    np.float32(1000.693...)

    Args:
      input_tensor: A `Tensor` of floating point.
      axis: The axes to reduce, as for `tf.reduce_sum`. None reduces all.
      keepdims: Whether reduced axes stay, with size 1.
      name: A name for the operation (optional).

    Returns: A `Tensor` of the dtype of `input_tensor`; -inf over no elements.
    """
    with name_scope(name, "ReduceLogSumExp") as scope:
        x = convert_to_tensor(input_tensor, name="input_tensor")
        maximum_kept = reduce_max(x, axis, keepdims=True)
        finite_maximum = raw.SelectV2(condition=is_finite(maximum_kept), t=maximum_kept, e=0)
        shift = raw.StopGradient(input=finite_maximum)
        logs = log(reduce_sum(exp(subtract(x, shift)), axis, keepdims=keepdims))
        if not keepdims:
            shift = raw.Reshape(tensor=shift, shape=raw.Shape(input=logs))
        return add(logs, shift, name=scope)


@export("math.reduce_variance")
def reduce_variance(
    input_tensor: TensorLike, axis: TensorLike | None = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """Computes the variance over axes: the mean squared distance from the mean.

    >>> tf.math.reduce_variance([1.0, 2.0, 3.0, 4.0]).numpy()
    np.float32(1.25)

    Args:
      input_tensor: A `Tensor`: floating point or complex.
      axis: The axes to reduce, as for `tf.reduce_sum`. None reduces all.
      keepdims: Whether reduced axes stay, with size 1.
      name: A name for the operation (optional).

    Returns: A `Tensor` of the dtype of `input_tensor`; for complex numbers of the dtype of their parts.
    Raises: TypeError: for integers.
    """
    with name_scope(name, "reduce_variance"):
        x = convert_to_tensor(input_tensor)
        means = reduce_mean(x, axis=axis, keepdims=True)
        if means.dtype.is_integer:
            raise TypeError(f"Input must be either real or complex. Received integer type {means.dtype}.")
        difference = x - means
        if difference.dtype.is_complex:
            product = raw.Mul(x=raw.Conj(input=difference), y=difference)
            squares = raw.Real(input=product, Tout=difference.dtype.real_dtype)
        else:
            squares = square(difference)
        return reduce_mean(squares, axis=axis, keepdims=keepdims)


@export("math.reduce_std")
def reduce_std(
    input_tensor: TensorLike, axis: TensorLike | None = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """Computes the standard deviation over axes: the square root of the variance.

    >>> tf.math.reduce_std([1.0, 2.0, 3.0, 4.0]).numpy()
    np.float32(1.1180...)

    Args:
      input_tensor: A `Tensor`: floating point or complex.
      axis: The axes to reduce, as for `tf.reduce_sum`. None reduces all.
      keepdims: Whether reduced axes stay, with size 1.
      name: A name for the operation (optional).

    Returns: A `Tensor` of the dtype of `input_tensor`; for complex numbers of the dtype of their parts.
    Raises: TypeError: for integers.
    """
    with name_scope(name, "reduce_std"):
        x = convert_to_tensor(input_tensor)
        return sqrt(reduce_variance(x, axis=axis, keepdims=keepdims))


@export("math.count_nonzero", v1=[])
def count_nonzero(
    input: TensorLike,
    axis: TensorLike | None = None,
    keepdims: bool | None = None,
    dtype: DType = int64,
    name: str | None = None,
) -> Tensor:
    """Counts the elements that are not zero, over axes; of strings, the elements that are not empty.

    >>> tf.math.count_nonzero([[0, 1, 0], [1, 1, 0]], axis=1).numpy()
    array([1, 2])

    Args:
      input: A `Tensor` of numbers, booleans or strings.
      axis: The axes to reduce, as for `tf.reduce_sum`. None reduces all.
      keepdims: Whether reduced axes stay, with size 1.
      dtype: The dtype of the result.
      name: A name for the operation (optional).

    Returns: A `Tensor` of dtype `dtype`.
    """
    with name_scope(name, "count_nonzero"):
        x = convert_to_tensor(input, name="input")
        if x.dtype is not bool_:
            zero: Any = "" if x.dtype is string else 0
            x = not_equal(x, convert_to_tensor(zero, dtype=x.dtype, name="zeros"))
        count = reduce_sum(cast(x, int64), axis=axis, keepdims=bool(keepdims))
        return cast(count, as_dtype(dtype))
