"""Softmax, and the ops of the losses built on it, which stay finite where the formulas overflow.

All kernels subtract the largest logit first. The cross-entropy ops also return the gradient, which costs little beside
the loss, as TensorFlow's kernels do.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from millrace._src.core import dtypes as d
from millrace._src.core import errors
from millrace._src.core.argument_types import TensorLike
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.context import executing_eagerly
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import DType
from millrace._src.core.op_def import op
from millrace._src.core.shape_context import ShapeContext, static_value
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import EagerTensor, Tensor
from millrace._src.ops import raw
from millrace._src.ops.array.concat import concat
from millrace._src.ops.array.ranges import range_
from millrace._src.ops.array.shape_ops import rank as rank_of
from millrace._src.ops.array.transposing import transpose
from millrace._src.ops.batching_rules import as_it_is, folding
from millrace._src.ops.gradient_rules import unbroadcast
from millrace._src.ops.nn import image_batches, softmax_rows
from millrace._src.ops.shape_rules import UNKNOWN, broadcast_dims
from millrace._src.ops.type_sets import INDEX, TypeSet
from millrace._src.util.export import export

_FLOAT = TypeSet((d.float16, d.bfloat16, d.float32, d.float64))


def _softmax_shape(c: ShapeContext) -> TensorShape:
    shape = c.inputs[0].shape
    if shape.rank == 0:
        raise ValueError("Shape must be at least rank 1 but is rank 0")
    return shape


def _wide(xp: Xp, x: Array) -> Array:
    """Converts small floats to float32, in which sums of exponentials are accurate."""
    return xp.astype(x, np.float32) if x.dtype.itemsize < 4 else x


def _shift(xp: Xp, logits: Array) -> Array:
    """Subtracts from logits the largest logit of their row."""
    if not logits.shape or 0 in logits.shape:
        return logits
    return logits - xp.max(logits, axis=-1, keepdims=True)


def _check_rank(x: Array) -> None:
    if not x.ndim:
        raise errors.InvalidArgumentError(None, None, "logits must have >= 1 dimension, got []")


@op(
    "Softmax",
    "logits: T -> softmax: T",
    T=_FLOAT,
    shape=_softmax_shape,
    batching=as_it_is,
    flops=5,
)
def softmax_op(xp: Xp, logits: Array) -> Array:
    """Computes `exp(logits) / sum(exp(logits))` along the last axis."""
    _check_rank(logits)
    exponentials = xp.exp(_shift(xp, _wide(xp, logits)))
    return xp.astype(exponentials / xp.sum(exponentials, axis=-1, keepdims=True), logits.dtype)


@softmax_op.specialize
def _specialize_softmax(xp: Xp, dtypes: tuple[DType, ...], attrs: dict[str, Any]) -> Any:
    return _for_many_rows(softmax_rows.softmax, softmax_op.op_def.kernel, xp)


def _for_many_rows(function: Callable[..., Any], kernel: Callable[..., Any], xp: Xp) -> Callable[..., Any]:
    """Returns a callable on arrays: `function` for large arrays, the kernel for others."""

    def run(x: Array, *operands: Array) -> Any:
        if x.size < softmax_rows.FEWEST:
            return kernel(xp, x, *operands)
        return function(xp, x, *operands)

    return run


@softmax_op.gradient
def softmax_gradient(dy: Tensor, softmax: Tensor) -> Tensor:
    total = raw.Sum(input=dy * softmax, reduction_indices=-1, keep_dims=True)
    return (dy - total) * softmax


@op("LogSoftmax", "logits: T -> logsoftmax: T", T=_FLOAT, shape=_softmax_shape, batching=as_it_is)
def log_softmax_op(xp: Xp, logits: Array) -> Array:
    """Computes `logits - log(sum(exp(logits)))` along the last axis."""
    _check_rank(logits)
    shifted = _shift(xp, _wide(xp, logits))
    return xp.astype(shifted - xp.log(xp.sum(xp.exp(shifted), axis=-1, keepdims=True)), logits.dtype)


@log_softmax_op.specialize
def _specialize_log_softmax(xp: Xp, dtypes: tuple[DType, ...], attrs: dict[str, Any]) -> Any:
    return _for_many_rows(softmax_rows.log_softmax, log_softmax_op.op_def.kernel, xp)


@log_softmax_op.gradient
def log_softmax_gradient(dy: Tensor, logsoftmax: Tensor) -> Tensor:
    probabilities = raw.Exp(x=logsoftmax)
    return dy - raw.Sum(input=dy, reduction_indices=-1, keep_dims=True) * probabilities


@export("nn.softmax", "math.softmax", v1=[])
def softmax(logits: TensorLike, axis: int | None = None, name: str | None = None) -> Any:
    """Computes `exp(logits) / sum(exp(logits))` along an axis.

    >>> tf.nn.softmax([1., 1.]).numpy()
    array([0.5, 0.5], dtype=float32)

    Args:
      logits: a floating point Tensor of at least one dimension.
      axis: the axis that sums to 1; default the last.
      name: name of the operation in a graph.

    Returns: A Tensor of the same shape and dtype.
    Raises: tf.errors.InvalidArgumentError: if `logits` is a scalar or not floating point, or `axis` is out of range.
    """
    return _along(softmax_op, logits, axis, name)


@export("nn.log_softmax", "math.log_softmax", v1=[])
def log_softmax(logits: TensorLike, axis: int | None = None, name: str | None = None) -> Any:
    """Computes `logits - log(sum(exp(logits)))` along an axis.

    >>> tf.nn.log_softmax([1., 1.]).numpy()
    array([-0.6931472, -0.6931472], dtype=float32)

    Args:
      logits: a floating point Tensor of at least one dimension.
      axis: the axis to normalize along; default the last.
      name: name of the operation in a graph.

    Returns: A Tensor of the same shape and dtype.
    Raises: tf.errors.InvalidArgumentError: if `logits` is a scalar or not floating point, or `axis` is out of range.
    """
    return _along(log_softmax_op, logits, axis, name)


def _along(function: Any, logits: Any, axis: Any, name: str | None) -> Any:
    """Applies an op of the last axis along another axis."""
    logits = convert_to_tensor(logits)
    axis = -1 if axis is None else axis
    rank = logits.shape.rank
    if axis == -1 or (rank is not None and axis == rank - 1):
        return function(logits, name=name)
    if rank is None:
        raise ValueError("softmax along an axis other than the last needs logits of known rank.")
    if not -rank <= axis < rank:
        raise errors.InvalidArgumentError(
            None,
            None,
            f"`dim` must be in the range [{-rank}, {rank}) where {rank} is the number of dimensions in the input. "
            f"Received: dim={axis}",
        )
    axis = axis % rank
    if executing_eagerly():
        order = _swap(rank, axis)
        return raw.Transpose(x=function(raw.Transpose(x=logits, perm=order)), perm=order)
    rank_of(logits)  # TensorFlow's graphs have one more Rank node, which no operation reads
    size = rank_of(logits)
    last_axis_logits = transpose(logits, _swap_order(size, axis))
    return transpose(function(last_axis_logits), _swap_order(size, axis), name=name or "transpose")


def _swap(rank: int, axis: int) -> list[int]:
    """Returns the permutation that exchanges `axis` and the last one."""
    order = list(range(rank))
    order[axis], order[-1] = order[-1], order[axis]
    return order


def _swap_order(rank: Tensor, axis: int) -> Tensor:
    """Builds the permutation that exchanges `axis` and the last one as nodes of a graph."""
    last = raw.Sub(x=rank, y=1)
    return concat([range_(0, axis), [last], range_(axis + 1, last), [axis]], 0)


# --- cross-entropy ---------------------------------------------------------------------------------------------------


def _cross_entropy_shape(c: ShapeContext) -> list[TensorShape]:
    shape = broadcast_dims(c.shape("features"), c.shape("labels"))
    if shape.rank is None:
        return [UNKNOWN, UNKNOWN]
    if shape.rank != 2:
        raise ValueError(f"Shape must be rank 2 but is rank {shape.rank}")
    return [TensorShape(shape.as_list()[:1]), shape]


@op(
    "SoftmaxCrossEntropyWithLogits",
    "features: T, labels: T -> loss: T, backprop: T",
    T=_FLOAT,
    shape=_cross_entropy_shape,
    batching=image_batches.cross_entropy,
)
def softmax_cross_entropy(xp: Xp, features: Array, labels: Array) -> tuple[Array, Array]:
    """Computes the cross-entropy of each row, and its gradient with respect to `features`."""
    if features.shape != labels.shape:
        features, labels = _broadcast(xp, features, labels)
    shifted = _shift(xp, _wide(xp, features))
    exponentials = xp.exp(shifted)
    total = xp.sum(exponentials, axis=-1, keepdims=True)
    targets = _wide(xp, labels)
    loss = xp.sum(targets * (xp.log(total) - shifted), axis=-1)
    return xp.astype(loss, features.dtype), xp.astype(exponentials / total - targets, features.dtype)


@softmax_cross_entropy.specialize
def _specialize_cross_entropy(xp: Xp, dtypes: tuple[DType, ...], attrs: dict[str, Any]) -> Any:
    kernel = softmax_cross_entropy.op_def.kernel

    def run(features: Array, labels: Array) -> tuple[Array, Array]:
        if features.size < softmax_rows.FEWEST or features.shape != labels.shape or features.ndim != 2:
            result: tuple[Array, Array] = kernel(xp, features, labels)
            return result
        return softmax_rows.cross_entropy(xp, features, labels)

    return run


def _broadcast(xp: Xp, features: Array, labels: Array) -> tuple[Array, Array]:
    try:
        wide_features, wide_labels = xp.broadcast_arrays(features, labels)
    except ValueError:
        sizes = [f"[{','.join(map(str, a.shape))}]" for a in (features, labels)]
        raise errors.InvalidArgumentError(
            None, None, f"logits and labels must be broadcastable: logits_size={sizes[0]} labels_size={sizes[1]}"
        ) from None
    return wide_features, wide_labels


@softmax_cross_entropy.gradient(accepts_none=["backprop"])
def softmax_cross_entropy_gradient(
    dloss: Tensor, dbackprop: Tensor | None, features: Tensor, labels: Tensor, backprop: Tensor
) -> tuple[Tensor, Any]:
    """Computes the gradients from both outputs; that of `backprop = softmax - labels` matters for second derivatives.

    One row of logits or labels may represent all rows.
    """
    to_features = raw.ExpandDims(input=dloss, dim=-1) * backprop
    backprop_gradient = None if dbackprop is None or _is_zero(dbackprop) else dbackprop
    if backprop_gradient is not None:
        to_features = to_features + _through_softmax(backprop_gradient, features)

    def to_labels() -> Any:
        through_loss = raw.ExpandDims(input=dloss, dim=-1) * -log_softmax_op(features)
        return unbroadcast(through_loss if backprop_gradient is None else through_loss - backprop_gradient, labels)

    return unbroadcast(to_features, features), to_labels


def _through_softmax(gradient: Tensor, features: Tensor) -> Tensor:
    probabilities = softmax_op(features)
    total = raw.Sum(input=gradient * probabilities, reduction_indices=-1, keep_dims=True)
    return (gradient - total) * probabilities


def _is_zero(gradient: Tensor) -> bool:
    """Returns whether a gradient is known to be 0, as it is where an op's second output is not used."""
    if isinstance(gradient, EagerTensor):
        return not gradient._eager_array.any()
    operation: Any = getattr(gradient, "op", None)
    if operation.type == "Fill":
        value = static_value(operation.inputs[1])
        return value is not None and not value.any()
    return bool(operation.type == "ZerosLike")


def _sparse_shape(c: ShapeContext) -> list[TensorShape]:
    shape, labels = c.shape("features"), c.shape("labels")
    if shape.rank is None:
        return [labels, UNKNOWN]
    if shape.rank != 2:
        raise ValueError(f"Shape must be rank 2 but is rank {shape.rank}")
    if labels.rank is not None and labels.rank != 1:
        raise ValueError(f"Shape must be rank 1 but is rank {labels.rank}")
    rows = TensorShape(shape.as_list()[:1]).merge_with(labels)
    return [rows, shape]


def _refuse_labels_outside(features: Array, labels: Array) -> None:
    classes = features.shape[-1] if features.ndim else 0
    fit = labels.ndim == 1 and labels.shape[:1] == features.shape[:1]
    if fit and labels.size and (labels.min() < 0 or labels.max() >= classes):
        wrong = labels[(labels < 0) | (labels >= classes)][0]
        raise errors.InvalidArgumentError(
            None,
            None,
            f"Received a label value of {wrong} which is outside the valid range of [0, {classes}).  Label values: "
            f"{' '.join(map(str, labels.tolist()))}",
        )


@op(
    "SparseSoftmaxCrossEntropyWithLogits",
    "features: T, labels: Tlabels -> loss: T, backprop: T",
    T=_FLOAT,
    Tlabels=INDEX.with_default(d.int64),
    shape=_sparse_shape,
    checks=_refuse_labels_outside,
    batching=folding("features", "labels"),
    refuses=("labels",),
)
def sparse_softmax_cross_entropy(xp: Xp, features: Array, labels: Array) -> tuple[Array, Array]:
    """Computes the cross-entropy of each row for a class number, and its gradient with respect to `features`."""
    classes = features.shape[-1]
    if labels.ndim != 1 or labels.shape[0] != features.shape[0]:
        raise errors.InvalidArgumentError(
            None,
            None,
            "logits and labels must have the same first dimension, got logits shape "
            f"[{','.join(map(str, features.shape))}] and labels shape [{','.join(map(str, labels.shape))}]",
        )
    shifted = _shift(xp, _wide(xp, features))
    exponentials = xp.exp(shifted)
    total = xp.sum(exponentials, axis=-1, keepdims=True)
    rows = xp.arange(labels.shape[0])
    loss = xp.log(total[:, 0]) - shifted[rows, labels]
    backprop = exponentials / total
    hot = (xp.arange(classes) == labels[:, None]).astype(backprop.dtype)
    return xp.astype(loss, features.dtype), xp.astype(backprop - hot, features.dtype)


@sparse_softmax_cross_entropy.kernel_for("xla")
def _sparse_in_xla(xp: Xp, features: Array, labels: Array) -> tuple[Array, Array]:
    """Returns NaN for the rows whose labels are out of range, which XLA cannot refuse; as TensorFlow's XLA does."""
    loss, backprop = sparse_softmax_cross_entropy.op_def.kernel(xp, features, labels)
    is_class, nan = (labels >= 0) & (labels < features.shape[-1]), features.dtype.type(np.nan)
    return xp.where(is_class, loss, nan), xp.where(is_class[:, None], backprop, nan)


@sparse_softmax_cross_entropy.specialize
def _specialize_sparse(xp: Xp, dtypes: tuple[DType, ...], attrs: dict[str, Any]) -> Any:
    """Returns a kernel with the same arithmetic in as few NumPy calls as possible."""
    if dtypes[0].size < 4:
        return None
    exp, divide, log = np.exp, np.divide, np.log
    largest: Callable[..., Array] = np.maximum.reduce  # its stubs know no positional `keepdims`
    add: Callable[..., Array] = np.add.reduce
    unsigned = np.dtype(f"u{dtypes[1].size}")

    def cross_entropy(features: Array, labels: Array) -> tuple[Array, Array]:
        count, classes = features.shape
        # As unsigned numbers negative labels are the largest ones.
        if labels.shape != (count,) or not count or not largest(labels.view(unsigned)) < classes:
            _refuse_labels_outside(features, labels)
            return sparse_softmax_cross_entropy.op_def.kernel(xp, features, labels)
        if features.size >= softmax_rows.FEWEST:
            return softmax_rows.sparse_cross_entropy(xp, features, labels)
        hot = labels + _row_starts(count, classes)
        shifted = features - largest(features, -1, None, None, True)
        exponentials = exp(shifted)
        total = add(exponentials, -1, None, None, True)
        loss = log(total[:, 0]) - shifted.reshape(-1)[hot]
        backprop = divide(exponentials, total, exponentials)
        backprop.reshape(-1)[hot] -= 1
        return loss, backprop

    return cross_entropy


@functools.lru_cache(maxsize=64)
def _row_starts(rows: int, columns: int) -> Any:
    """Returns the positions at which the rows of a matrix begin in the matrix's flat form."""
    return np.arange(0, rows * columns, columns)


@sparse_softmax_cross_entropy.gradient(accepts_none=["backprop"])
def sparse_softmax_cross_entropy_gradient(
    dloss: Tensor, dbackprop: Tensor | None, features: Tensor, backprop: Tensor
) -> tuple[Tensor, None]:
    to_features = raw.ExpandDims(input=dloss, dim=-1) * backprop
    if dbackprop is not None and not _is_zero(dbackprop):
        to_features = to_features + _through_softmax(dbackprop, features)
    return to_features, None
