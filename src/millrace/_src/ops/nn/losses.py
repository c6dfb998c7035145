"""`tf.nn.l2_loss`, the logistic and Poisson losses, and averages over a batch.

The losses are written with elementary ops, in forms that do not overflow; their gradients follow.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from millrace._src.core import dtypes as d
from millrace._src.core.argument_types import TensorLike
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.context import name_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.errors import InvalidArgumentError
from millrace._src.core.kernel_part import kernel_part
from millrace._src.core.op_def import op
from millrace._src.core.tensor import EagerTensor, Tensor
from millrace._src.ops import flops, raw
from millrace._src.ops.array.constant import constant
from millrace._src.ops.array.filling import ones_like, zeros_like
from millrace._src.ops.array.reshaping import expand_dims, squeeze
from millrace._src.ops.array.selecting import where_select
from millrace._src.ops.array.shape_ops import shape as shape_of
from millrace._src.ops.math import matrix_batches
from millrace._src.ops.math.casting import cast
from millrace._src.ops.math.division import divide_no_nan
from millrace._src.ops.math.precision import in_single
from millrace._src.ops.math.reduce import reduce_sum
from millrace._src.ops.shape_rules import scalar
from millrace._src.ops.type_sets import TypeSet
from millrace._src.util.export import export

_FLOAT = TypeSet((d.float16, d.bfloat16, d.float32, d.float64))


_BLOCK = 1 << 11


@export("nn.l2_loss")
@op(
    "L2Loss",
    "t: T -> output: T",
    T=_FLOAT,
    shape=scalar,
    batching=matrix_batches.half_square,
    flops=flops.half_sum_of_squares,
)
def l2_loss(xp: Xp, t: Array) -> Array:
    """Computes half the sum of squares, `sum(t ** 2) / 2`.

    >>> tf.nn.l2_loss([3., 4.]).numpy()
    np.float32(12.5)

    Args: t: A floating point Tensor of any shape.
    Returns: A scalar of the dtype of `t`.
    """
    return in_single(xp, lambda x: _sum_of_squares(xp, x) * xp.asarray(0.5, x.dtype), t)


@kernel_part
def _sum_of_squares(xp: Xp, x: Array) -> Array:
    """Sums squares, in blocks so that few are added to a large sum: BLAS multiplies each block by itself."""
    elements = x.reshape(-1)
    rest = elements[x.size // _BLOCK * _BLOCK :]
    total = rest.dot(rest)
    if x.size < _BLOCK:
        return total
    blocks = elements[: x.size - rest.size].reshape(-1, _BLOCK)
    return xp.sum(np.vecdot(blocks, blocks)) + total


@_sum_of_squares.kernel_for("xla")
def _xla_sum_of_squares(xp: Xp, x: Array) -> Array:
    return xp.sum(x * x)


@l2_loss.gradient
def l2_loss_gradient(dy: Tensor, t: Tensor) -> Tensor:
    return t * dy


def _require_same_shape(first: Tensor, second: Tensor, names: str) -> None:
    if not first.shape.is_compatible_with(second.shape):
        raise ValueError(f"{names} must have the same shape, received ({first.shape} vs {second.shape}).")


@export("nn.sigmoid_cross_entropy_with_logits", elementwise="binary")
def sigmoid_cross_entropy_with_logits(labels: Any = None, logits: Any = None, name: str | None = None) -> Tensor:
    """Computes the cross-entropy of independent yes-or-no predictions: `max(x, 0) - x * z + log(1 + exp(-abs(x)))`.

    The loss is `-z * log(sigmoid(x)) - (1 - z) * log(1 - sigmoid(x))` for logits `x` and labels `z`, without overflow.

    >>> tf.nn.sigmoid_cross_entropy_with_logits(labels=[1., 0.], logits=[0., 2.]).numpy()
    array([0.6931472, 2.126928 ], dtype=float32)

    Args:
      labels: A Tensor between 0 and 1.
      logits: A floating point Tensor of the same shape and dtype.
      name: A name for the operation (optional).

    Returns: A Tensor of the shape of `logits`.
    Raises: ValueError: if an argument is missing, or the shapes differ.
    """
    if labels is None or logits is None:
        raise ValueError(
            "Both `labels` and `logits` must be provided for sigmoid_cross_entropy_with_logits"
            f"Received: labels={labels} and logits={logits}"
        )
    with name_scope(name, "logistic_loss") as scope:
        logits = convert_to_tensor(logits, name="logits")
        labels = convert_to_tensor(labels, name="labels")
        _require_same_shape(logits, labels, "`logits` and `labels`")
        zeros = zeros_like(logits)
        positive = logits >= zeros
        # where, not max and abs: the gradient at 0 is that of the formula
        positive_part = where_select(positive, logits, zeros)
        negated = where_select(positive, -logits, logits)
        rest = positive_part - logits * labels
        return raw.AddV2(x=rest, y=raw.Log1p(x=raw.Exp(x=negated)), name=scope)


@export("nn.weighted_cross_entropy_with_logits", v1=[])
def weighted_cross_entropy_with_logits(labels: Any, logits: Any, pos_weight: Any, name: str | None = None) -> Tensor:
    """Computes the cross-entropy of yes-or-no predictions where a missed positive costs `pos_weight` times as much.

    For `pos_weight` 1 the loss is that of `tf.nn.sigmoid_cross_entropy_with_logits`.

    >>> tf.nn.weighted_cross_entropy_with_logits(labels=[1., 0.], logits=[0., 0.], pos_weight=2.).numpy()
    array([1.3862944, 0.6931472], dtype=float32)

    Args:
      labels: A Tensor between 0 and 1.
      logits: A floating point Tensor of the same shape and dtype.
      pos_weight: the weight of positives, a number or a Tensor that broadcasts with `logits`.
      name: A name for the operation (optional).

    Returns: A Tensor of the shape of `logits`.
    Raises: ValueError: if the shapes differ.
    """
    with name_scope(name, "logistic_loss") as scope:
        logits = convert_to_tensor(logits, name="logits")
        labels = convert_to_tensor(labels, name="labels")
        _require_same_shape(logits, labels, "`logits` and `labels`")
        weight = 1 + (pos_weight - 1) * labels
        rest = (1 - labels) * logits
        flat = raw.Log1p(x=raw.Exp(x=-raw.Abs(x=logits)))
        return raw.AddV2(x=rest, y=weight * (flat + raw.Relu(features=-logits)), name=scope)


@export("nn.log_poisson_loss")
def log_poisson_loss(targets: Any, log_input: Any, compute_full_loss: bool = False, name: str | None = None) -> Tensor:
    """Computes the negative log-likelihood of counts under a Poisson distribution, `exp(c) - z * c`, up to a constant.

    >>> tf.nn.log_poisson_loss([2.], [0.]).numpy()
    array([1.], dtype=float32)

    Args:
      targets: the counts `z`, a floating point Tensor.
      log_input: the logarithm `c` of the predicted rate, of the same shape and dtype.
      compute_full_loss: whether to add the rest, `log(z!)`, by Stirling's approximation (0 for z in [0, 1]).
      name: A name for the operation (optional).

    Returns: A Tensor of the shape of `log_input`.
    Raises: ValueError: if the shapes differ.
    """
    with name_scope(name, "log_poisson_loss"):
        log_input = convert_to_tensor(log_input, name="log_input")
        targets = convert_to_tensor(targets, name="targets")
        _require_same_shape(log_input, targets, "`log_input` and `targets`")
        result: Tensor = raw.Exp(x=log_input) - log_input * targets
        if not compute_full_loss:
            return result
        return result + _stirling(targets)


def _stirling(targets: Tensor) -> Any:
    """Computes `z log z - z + log(2 pi z) / 2`, and 0 for z in [0, 1]."""
    half, two_pi = constant(0.5, dtype=targets.dtype), constant(2 * math.pi, dtype=targets.dtype)
    value = targets * raw.Log(x=targets) - targets + half * raw.Log(x=two_pi * targets)
    zeros, ones = zeros_like(targets), ones_like(targets)
    small = raw.LogicalAnd(x=targets >= zeros, y=targets <= ones)
    return where_select(small, zeros, value)


@export("nn.compute_average_loss")
def compute_average_loss(
    per_example_loss: TensorLike,
    sample_weight: TensorLike | None = None,
    global_batch_size: TensorLike | None = None,
) -> Tensor:
    """Divides the sum of a batch's losses by the size of the whole batch, over all replicas.

    >>> tf.nn.compute_average_loss([1., 3.], global_batch_size=8).numpy()
    np.float32(0.5)

    Args:
      per_example_loss: A Tensor of rank 1 or more.
      sample_weight: weights of the examples, of the same rank, or one less or more; None weighs all the same.
      global_batch_size: the size of the whole batch, an integer scalar; None takes the first dimension.

    Returns: A scalar.
    Raises:
      ValueError: if `per_example_loss` is a scalar or `global_batch_size` is not.
      TypeError: if `global_batch_size` is not an integer.
      tf.errors.InvalidArgumentError: if `global_batch_size` is negative.
    """
    loss = convert_to_tensor(per_example_loss)
    if loss.shape.rank == 0:
        raise ValueError(
            "Invalid value passed for `per_example_loss`. Expected a tensor with at least rank 1. "
            f"Received per_example_loss={loss} with rank {loss.shape.rank}"
        )
    if sample_weight is not None:
        weight = cast(convert_to_tensor(sample_weight), loss.dtype)
        if weight.shape.rank is not None and loss.shape.rank is not None:
            if loss.shape.rank == weight.shape.rank + 1:
                weight = expand_dims(weight, [-1])
            elif weight.shape.rank == loss.shape.rank + 1:
                weight = squeeze(weight, [-1])
        loss = raw.Mul(x=loss, y=weight)
    size = shape_of(loss)[0] * 1 if global_batch_size is None else _batch_size(global_batch_size)
    total = reduce_sum(loss)
    return divide_no_nan(total, cast(size, total.dtype))


def _batch_size(value: Any) -> Any:
    size = convert_to_tensor(value)
    if size.shape.rank not in (None, 0):
        raise ValueError(f"global_batch_size must be scalar..  Expected scalar shape, saw shape: {size.shape}.")
    if not size.dtype.is_integer:
        actual = f"tensor of dtype {size.dtype}"
        raise TypeError(f'global_batch_size must be an integer..  Expected "x" to be integer type.  Found: {actual}')
    if isinstance(size, EagerTensor) and int(size._eager_array) < 0:
        description = f"x (shape=() dtype={size.dtype.name}) = \n{int(size._eager_array)}"
        raise InvalidArgumentError(
            None,
            None,
            f"global_batch_size must be non-negative..  \nCondition x >= 0 did not hold element-wise:\n{description}",
        )
    return size


@export("nn.scale_regularization_loss")
def scale_regularization_loss(regularization_loss: TensorLike) -> Tensor:
    """Divides the sum of regularization losses by the number of replicas, which is 1 here.

    >>> tf.nn.scale_regularization_loss([1., 2.]).numpy()
    np.float32(3.0)

    Args: regularization_loss: A Tensor of losses.
    Returns: A scalar.
    """
    return reduce_sum(regularization_loss) / 1.0
