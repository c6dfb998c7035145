"""`tf.nn.softmax_cross_entropy_with_logits` and `sparse_softmax_cross_entropy_with_logits`.

The ops take matrices. The functions here bring logits of any rank, with any class axis, into matrices, and the loss
back into the logits' shape.
"""

from __future__ import annotations

from typing import Any

from millrace._src.core import dtypes as d
from millrace._src.core.context import executing_eagerly, name_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.tensor import EagerTensor, Tensor
from millrace._src.ops import raw
from millrace._src.ops.array.concat import concat
from millrace._src.ops.array.ranges import range_
from millrace._src.ops.array.reshaping import reshape
from millrace._src.ops.array.shape_ops import rank as rank_of
from millrace._src.ops.array.shape_ops import shape as shape_of
from millrace._src.ops.array.transposing import transpose
from millrace._src.ops.math.casting import cast
from millrace._src.ops.nn.softmax import softmax_cross_entropy, sparse_softmax_cross_entropy
from millrace._src.util.export import export

_HALF = (d.float16, d.bfloat16)


@export("nn.softmax_cross_entropy_with_logits", v1=[])
def softmax_cross_entropy_with_logits(labels: Any, logits: Any, axis: int = -1, name: str | None = None) -> Any:
    """Computes the cross-entropy between label distributions and the softmax of logits.

    The formula is `-sum(labels * log_softmax(logits))` along `axis`.

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
        work = cast(logits, d.float32) if logits.dtype in _HALF else logits
        labels = cast(labels, work.dtype)
        rank = work.shape.rank
        is_last = axis == -1 or (rank is not None and axis % rank == rank - 1)
        if executing_eagerly() and rank == 2 and is_last and labels.shape == work.shape:
            loss = softmax_cross_entropy(work, labels)[0]
        else:
            loss = _any_rank(work, labels, axis, is_last, scope)
        return cast(loss, logits.dtype)


def _any_rank(logits: Tensor, labels: Tensor, axis: int, is_last: bool, scope: str) -> Tensor:
    """Computes the loss of logits of any rank, through matrices."""
    static = logits.shape
    rank = rank_of(logits)
    if not is_last:
        position = axis if axis >= 0 or static.rank is None else axis + static.rank
        logits = transpose(logits, _axis_last(position, rank))
        labels = transpose(labels, _axis_last(position, rank))
    shape = shape_of(logits)
    loss = softmax_cross_entropy(_as_matrix(logits), _as_matrix(labels), name=scope)[0]
    result = reshape(loss, raw.Slice(input=shape, begin=[0], size=[raw.Sub(x=rank, y=1)]))
    if static.rank is not None and not executing_eagerly():
        dims = static.as_list()
        del dims[axis]
        result.set_shape(dims)
    return result


def _axis_last(axis: int, rank: Tensor) -> Tensor:
    """Returns the permutation that moves `axis` to the end."""
    return concat([range_(axis), range_(axis + 1, rank), [axis]], 0)


def _as_matrix(x: Tensor) -> Tensor:
    rank = rank_of(x)
    last = raw.Slice(input=shape_of(x), begin=[raw.Sub(x=rank, y=1)], size=[1])
    return reshape(x, concat([[-1], last], 0))


@export("nn.sparse_softmax_cross_entropy_with_logits", v1=[])
def sparse_softmax_cross_entropy_with_logits(labels: Any, logits: Any, name: str | None = None) -> Any:
    """Computes the cross-entropy between class numbers and the softmax of logits, `-log_softmax(logits)[label]`.

    >>> tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[1], logits=[[1., 1.]]).numpy()
    array([0.6931472], dtype=float32)

    Args:
      labels: int32 or int64 class numbers, of the shape of `logits` without its last axis.
      logits: unnormalized log-probabilities, floating point, classes along the last axis.
      name: name of the operation in a graph.

    Returns: The loss, in the shape of `labels` and the dtype of `logits`.
    Raises:
      ValueError: if the shapes do not fit.
      tf.errors.InvalidArgumentError: if a label is not in [0, classes).
    """
    if type(labels) is type(logits) is EagerTensor and executing_eagerly() and logits.dtype not in _HALF:
        if logits._eager_array.ndim == 2 and logits._eager_array.shape[:1] == labels._eager_array.shape:
            return sparse_softmax_cross_entropy(logits, labels)[0]
    with name_scope(name, "SparseSoftmaxCrossEntropyWithLogits"):
        labels = convert_to_tensor(labels)
        logits = convert_to_tensor(logits)
        work = cast(logits, d.float32) if logits.dtype in _HALF else logits
        _check_shapes(labels, logits)
        if executing_eagerly() and logits.shape.rank == 2:
            return cast(sparse_softmax_cross_entropy(work, labels)[0], logits.dtype)
        static, labels_shape = labels.shape, shape_of(labels)
        if logits.shape.rank == 2:
            return cast(sparse_softmax_cross_entropy(work, labels)[0], logits.dtype)
        shape, last = shape_of(work), rank_of(work) - 1
        flat = reshape(work, [-1, shape[last]])
        loss = sparse_softmax_cross_entropy(flat, reshape(labels, [-1]))[0]
        result = reshape(loss, labels_shape)
        result.set_shape(static)
        return cast(result, logits.dtype)


def _check_shapes(labels: Tensor, logits: Tensor) -> None:
    if logits.shape.rank == 0:
        raise ValueError(f"`logits` cannot be a scalar. Received logits={logits}`")
    static = labels.shape
    if logits.shape.rank is not None and static.rank is not None and static.rank != logits.shape.rank - 1:
        raise ValueError(
            "`labels.shape.rank` must equal `logits.shape.rank - 1`. "
            f"Received: labels.shape={static} of rank {static.rank} and "
            f"logits.shape={logits.shape} of rank {logits.shape.rank}"
        )
    if static.is_fully_defined() and logits.shape[:-1].is_fully_defined() and static != logits.shape[:-1]:
        raise ValueError(
            "`labels.shape` must equal `logits.shape` except for the last dimension. "
            f"Received: labels.shape={static} and logits.shape={logits.shape}"
        )
