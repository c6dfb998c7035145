"""Softmax and the losses built on it: ops that stay finite where the formulas overflow.

All subtract the largest logit first. The cross-entropy ops also return the gradient,
which costs little beside the loss, as TensorFlow's kernels do.
"""

from __future__ import annotations

from typing import Any

from millrace._src.core import dtypes as d
from millrace._src.core import errors
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.context import name_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.op_def import op
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.shape_rules import UNKNOWN, broadcast_dims
from millrace._src.ops.type_sets import INDEX, TypeSet
from millrace._src.util.export import export

_FLOAT = TypeSet((d.float16, d.bfloat16, d.float32, d.float64), default=d.float32)


def _softmax_shape(c: ShapeContext) -> TensorShape:
    shape = c.inputs[0].shape
    if shape.rank == 0:
        raise ValueError("Shape must be at least rank 1 but is rank 0")
    return shape


def _wide(xp: Xp, x: Array) -> Array:
    """Small floats as float32, in which sums of exponentials are accurate."""
    return x.astype("float32") if x.dtype.itemsize < 4 else x


def _shifted(xp: Xp, logits: Array) -> Array:
    """Logits minus the largest of their row."""
    if not logits.shape or 0 in logits.shape:
        return logits
    return logits - xp.max(logits, axis=-1, keepdims=True)


def _check_rank(x: Array) -> None:
    if not x.ndim:
        raise errors.InvalidArgumentError(None, None, f"logits must have >= 1 dimension, got {x.shape}")


@op("Softmax", "logits: T -> softmax: T", T=_FLOAT, shape=_softmax_shape)
def softmax_op(xp: Xp, logits: Array) -> Array:
    """`exp(logits) / sum(exp(logits))` along the last axis."""
    _check_rank(logits)
    exponentials = xp.exp(_shifted(xp, _wide(xp, logits)))
    return (exponentials / xp.sum(exponentials, axis=-1, keepdims=True)).astype(logits.dtype)


@softmax_op.gradient
def softmax_gradient(dy: Tensor, softmax: Tensor) -> Tensor:
    total = raw.Sum(input=dy * softmax, reduction_indices=-1, keep_dims=True)
    return (dy - total) * softmax


@op("LogSoftmax", "logits: T -> logsoftmax: T", T=_FLOAT, shape=_softmax_shape)
def log_softmax_op(xp: Xp, logits: Array) -> Array:
    """`logits - log(sum(exp(logits)))` along the last axis."""
    _check_rank(logits)
    shifted = _shifted(xp, _wide(xp, logits))
    return (shifted - xp.log(xp.sum(xp.exp(shifted), axis=-1, keepdims=True))).astype(logits.dtype)


@log_softmax_op.gradient
def log_softmax_gradient(dy: Tensor, logsoftmax: Tensor) -> Tensor:
    return dy - raw.Sum(input=dy, reduction_indices=-1, keep_dims=True) * raw.Exp(x=logsoftmax)


@export("nn.softmax")
def softmax(logits: Any, axis: int | None = None, name: str | None = None) -> Any:
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


@export("nn.log_softmax", "math.log_softmax")
def log_softmax(logits: Any, axis: int | None = None, name: str | None = None) -> Any:
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
    """Applies an op of the last axis along another one."""
    logits = convert_to_tensor(logits)
    axis = -1 if axis is None else int(axis)
    rank = logits.shape.rank
    if axis == -1 or (rank is not None and axis == rank - 1):
        return function(logits, name=name)
    if rank is None:
        raise ValueError("softmax along an axis other than the last needs logits of known rank.")
    if not -rank <= axis < rank:
        raise errors.InvalidArgumentError(
            None,
            None,
            f"`dim` must be in the range [{-rank}, {rank}) where {rank} is the number of dimensions in the input. Received: dim={axis}",
        )
    order = _swapped(rank, axis % rank)
    return raw.Transpose(x=function(raw.Transpose(x=logits, perm=order)), perm=order, name=name)


def _swapped(rank: int, axis: int) -> list[int]:
    """The permutation that exchanges `axis` and the last one."""
    order = list(range(rank))
    order[axis], order[-1] = order[-1], order[axis]
    return order


# --- cross-entropy -------------------------------------------------------------------------------------------------------


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
)
def softmax_cross_entropy(xp: Xp, features: Array, labels: Array) -> tuple[Array, Array]:
    """The cross-entropy of each row, and its gradient with respect to `features`."""
    if features.shape != labels.shape:
        features, labels = _broadcast(xp, features, labels)
    shifted = _shifted(xp, _wide(xp, features))
    exponentials = xp.exp(shifted)
    total = xp.sum(exponentials, axis=-1, keepdims=True)
    targets = _wide(xp, labels)
    loss = xp.sum(targets * (xp.log(total) - shifted), axis=-1)
    return loss.astype(features.dtype), (exponentials / total - targets).astype(features.dtype)


def _broadcast(xp: Xp, features: Array, labels: Array) -> tuple[Array, Array]:
    try:
        wide_features, wide_labels = xp.broadcast_arrays(features, labels)
    except ValueError:
        sizes = [f"[{','.join(map(str, a.shape))}]" for a in (features, labels)]
        raise errors.InvalidArgumentError(
            None, None, f"logits and labels must be broadcastable: logits_size={sizes[0]} labels_size={sizes[1]}"
        ) from None
    return wide_features, wide_labels


@softmax_cross_entropy.gradient
def softmax_cross_entropy_gradient(
    dloss: Tensor, dbackprop: Tensor, features: Tensor, backprop: Tensor
) -> tuple[Tensor, Tensor]:
    """The second output's gradient matters for second derivatives: backprop = softmax - labels."""
    weight = raw.ExpandDims(input=dloss, dim=-1)
    probabilities = softmax_op(features)
    inner = raw.Sum(input=dbackprop * probabilities, reduction_indices=-1, keep_dims=True)
    from_backprop = (dbackprop - inner) * probabilities
    return weight * backprop + from_backprop, -weight * log_softmax_op(features) - dbackprop


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


@op(
    "SparseSoftmaxCrossEntropyWithLogits",
    "features: T, labels: Tlabels -> loss: T, backprop: T",
    T=_FLOAT,
    Tlabels=INDEX.with_default(d.int64),
    shape=_sparse_shape,
)
def sparse_softmax_cross_entropy(xp: Xp, features: Array, labels: Array) -> tuple[Array, Array]:
    """The cross-entropy of each row for a class number, and its gradient with respect to `features`."""
    classes = features.shape[-1]
    if not xp.is_xla and labels.size and (labels.min() < 0 or labels.max() >= classes):
        wrong = labels[(labels < 0) | (labels >= classes)][0]
        raise errors.InvalidArgumentError(
            None,
            None,
            f"Received a label value of {wrong} which is outside the valid range of [0, {classes}).  Label values: "
            f"{' '.join(map(str, labels.tolist()))}",
        )
    shifted = _shifted(xp, _wide(xp, features))
    exponentials = xp.exp(shifted)
    total = xp.sum(exponentials, axis=-1, keepdims=True)
    rows = xp.arange(labels.shape[0])
    loss = xp.log(total[:, 0]) - shifted[rows, labels]
    backprop = exponentials / total
    hot = (xp.arange(classes) == labels[:, None]).astype(backprop.dtype)
    return loss.astype(features.dtype), (backprop - hot).astype(features.dtype)


@sparse_softmax_cross_entropy.gradient
def sparse_softmax_cross_entropy_gradient(
    dloss: Tensor, dbackprop: Tensor, features: Tensor, backprop: Tensor
) -> tuple[Tensor, None]:
    probabilities = softmax_op(features)
    inner = raw.Sum(input=dbackprop * probabilities, reduction_indices=-1, keep_dims=True)
    return raw.ExpandDims(input=dloss, dim=-1) * backprop + (dbackprop - inner) * probabilities, None


@export("nn.softmax_cross_entropy_with_logits")
def softmax_cross_entropy_with_logits(labels: Any, logits: Any, axis: int = -1, name: str | None = None) -> Any:
    """Cross-entropy between label distributions and the softmax of logits: `-sum(labels * log_softmax(logits))`.

    >>> tf.nn.softmax_cross_entropy_with_logits(labels=[[0., 1.]], logits=[[1., 1.]]).numpy()
    array([0.6931472], dtype=float32)

    Args:
      labels: along `axis`, a probability distribution; differentiated too (use `tf.stop_gradient` if it must not be).
      logits: unnormalized log-probabilities, floating point, of a shape that broadcasts with `labels`.
      axis: the class axis.
      name: name of the operation in a graph.

    Returns: The loss; the shape of `logits` without the class axis, in its dtype.
    Raises: tf.errors.InvalidArgumentError: if the shapes do not fit.
    """
    with name_scope(name, "softmax_cross_entropy_with_logits") as scope:
        logits = convert_to_tensor(logits, name="logits")
        labels = convert_to_tensor(labels, name="labels")
        is_half = logits.dtype in (d.float16, d.bfloat16)
        work = raw.Cast(x=logits, DstT=d.float32) if is_half else logits
        labels = raw.Cast(x=labels, DstT=work.dtype) if labels.dtype is not work.dtype else labels
        rank = work.shape.rank
        if rank is not None and axis % rank != rank - 1:
            order = _swapped(rank, axis % rank)
            work, labels = raw.Transpose(x=work, perm=order), raw.Transpose(x=labels, perm=order)
        if rank == 2:
            loss = softmax_cross_entropy(work, labels, name=scope)[0]
        else:
            loss = _flattened_loss(work, labels, axis)
        return raw.Cast(x=loss, DstT=logits.dtype) if is_half else loss


def _flattened_loss(logits: Tensor, labels: Tensor, axis: int) -> Tensor:
    """The loss of logits of any rank, through matrices; the result has the axes that are left, in order."""
    shape = raw.Shape(input=logits)
    flat = [raw.Reshape(tensor=t, shape=raw.Pack(values=[-1, shape[-1]], axis=0)) for t in (logits, labels)]
    loss = raw.Reshape(tensor=softmax_cross_entropy(*flat)[0], shape=shape[:-1])
    rank = logits.shape.rank
    if rank is not None:
        loss.set_shape(logits.shape[:-1])
        position = axis % rank
        if position != rank - 1:
            # the last axis took the place of the class axis; move it back to the end
            order = [i for i in range(rank - 1) if i != position]
            order.insert(rank - 2, position)
            loss = raw.Transpose(x=loss, perm=order)
    return loss


@export("nn.sparse_softmax_cross_entropy_with_logits")
def sparse_softmax_cross_entropy_with_logits(labels: Any, logits: Any, name: str | None = None) -> Any:
    """Cross-entropy between class numbers and the softmax of logits: `-log_softmax(logits)[label]`.

    >>> tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[1], logits=[[1., 1.]]).numpy()
    array([0.6931472], dtype=float32)

    Args:
      labels: int32 or int64 class numbers, of the shape of `logits` without its last axis.
      logits: unnormalized log-probabilities, floating point, classes along the last axis.
      name: name of the operation in a graph.

    Returns: The loss, in the shape of `labels` and the dtype of `logits`.
    Raises:
      ValueError: if the ranks do not fit.
      tf.errors.InvalidArgumentError: if a label is not in [0, classes).
    """
    labels = convert_to_tensor(labels)
    logits = convert_to_tensor(logits)
    is_half = logits.dtype in (d.float16, d.bfloat16)
    work = raw.Cast(x=logits, DstT=d.float32) if is_half else logits
    static = labels.shape
    if logits.shape.rank == 0:
        raise ValueError(f"`logits` cannot be a scalar. Received logits={logits}`")
    if logits.shape.rank is not None and static.rank is not None and static.rank != logits.shape.rank - 1:
        raise ValueError(
            f"`labels.shape.rank` must equal `logits.shape.rank - 1`. Received: labels.shape={static} of rank {static.rank} and "
            f"logits.shape={logits.shape} of rank {logits.shape.rank}"
        )
    with name_scope(name, "SparseSoftmaxCrossEntropyWithLogits"):
        if logits.shape.rank == 2:
            loss = sparse_softmax_cross_entropy(work, labels)[0]
        else:
            shape = raw.Shape(input=labels)
            flat = raw.Reshape(tensor=work, shape=raw.Pack(values=[-1, raw.Shape(input=work)[-1]], axis=0))
            loss = raw.Reshape(
                tensor=sparse_softmax_cross_entropy(flat, raw.Reshape(tensor=labels, shape=[-1]))[0], shape=shape
            )
            loss.set_shape(static)
        return raw.Cast(x=loss, DstT=logits.dtype) if is_half else loss
