"""The losses: each computes a loss for every element, and reduces them as `compute_weighted_loss` does."""

from __future__ import annotations

from typing import Any

from millrace._src.compat_v1.losses.reduction import (
    LOSSES,
    Reduction,
    add_loss,
    compute_weighted_loss,
    count_weighted,
)
from millrace._src.compat_v1.v1_wrappers import v1_arguments
from millrace._src.compat_v1.weights import squeeze_like
from millrace._src.core import dtypes as d
from millrace._src.core.argument_types import TensorLike
from millrace._src.core.context import name_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.array.filling import ones_like, zeros_like
from millrace._src.ops.array.ranges import range_ as range_op
from millrace._src.ops.array.selecting import where_select
from millrace._src.ops.array.shape_ops import rank as rank_of
from millrace._src.ops.array.shape_ops import shape as shape_of
from millrace._src.ops.math.casting import cast
from millrace._src.ops.math.division import divide_no_nan
from millrace._src.ops.math.reduce import reduce_sum
from millrace._src.ops.nn.cross_entropy import (
    softmax_cross_entropy_with_logits,
)
from millrace._src.ops.nn.cross_entropy import (
    sparse_softmax_cross_entropy_with_logits as sparse_cross_entropy,
)
from millrace._src.ops.nn.losses import sigmoid_cross_entropy_with_logits
from millrace._src.util.export import export

_MEAN = Reduction.SUM_BY_NONZERO_WEIGHTS


def _require(**arguments: object) -> None:
    for name, value in arguments.items():
        if value is None:
            raise ValueError(f"Argument `{name}` must not be None.")


def _floats(predictions: Any, labels: Any) -> tuple[Any, Any]:
    """Returns predictions and labels as float32.

    Raises: ValueError: if their shapes differ.
    """
    predictions, labels = cast(predictions, d.float32), cast(labels, d.float32)
    predictions.shape.assert_is_compatible_with(labels.shape)
    return predictions, labels


@export(v1=["losses.absolute_difference"])
def absolute_difference(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike = 1.0,
    scope: str | None = None,
    loss_collection: str | None = LOSSES,
    reduction: str = _MEAN,
) -> Tensor:
    """Computes the loss `|predictions - labels|`.

    >>> tf.compat.v1.losses.absolute_difference([1.0, 2.0], [2.0, 4.0]).numpy()
    np.float32(1.5)

    Args:
      labels: A tensor of numbers.
      predictions: A tensor of the same shape.
      weights: As for `compute_weighted_loss`.
      scope: A name for the operations.
      loss_collection: The collection that the loss is added to.
      reduction: A value of `Reduction`.

    Returns: The loss, float32.
    Raises: ValueError: if shapes do not fit, or labels or predictions are None.
    """
    _require(labels=labels, predictions=predictions)
    with name_scope(scope, "absolute_difference") as scope:
        predictions, labels = _floats(predictions, labels)
        losses = raw.Abs(x=raw.Sub(x=predictions, y=labels))
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


@export(v1=["losses.cosine_distance"])
@v1_arguments(
    "labels, predictions, axis=None, weights=1.0, scope=None, loss_collection=LOSSES, reduction=MEAN, dim=None",
    renamed={"dim": "axis"},
    required={"axis": "You must specify argument `axis`."},
    names={"LOSSES": LOSSES, "MEAN": _MEAN},
)
def cosine_distance(
    labels: TensorLike,
    predictions: TensorLike,
    axis: int,
    weights: TensorLike,
    scope: str | None,
    loss_collection: str | None,
    reduction: str,
) -> Tensor:
    """Computes the loss `1 - sum(labels * predictions)` along an axis, for vectors of length 1.

    >>> tf.compat.v1.losses.cosine_distance([[1.0, 0.0]], [[0.0, 1.0]], axis=1).numpy()
    np.float32(1.0)

    Args:
      labels: A tensor of vectors of length 1.
      predictions: A tensor of the same shape.
      axis: The axis of the vectors.
      weights: As for `compute_weighted_loss`.
      scope: A name for the operations.
      loss_collection: The collection that the loss is added to.
      reduction: A value of `Reduction`.

    Returns: The loss, float32.
    Raises: ValueError: if shapes do not fit, or the axis is missing or given twice.
    """
    _require(labels=labels, predictions=predictions)
    with name_scope(scope, "cosine_distance_loss") as scope:
        predictions, labels = _floats(predictions, labels)
        products = raw.Mul(x=predictions, y=labels)
        losses = 1 - reduce_sum(products, axis=(axis,), keepdims=True)
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


@export(v1=["losses.hinge_loss"])
def hinge_loss(
    labels: Any,
    logits: TensorLike,
    weights: TensorLike = 1.0,
    scope: str | None = None,
    loss_collection: str | None = LOSSES,
    reduction: str = _MEAN,
) -> Tensor:
    """Computes the loss `max(0, 1 - (2 labels - 1) logits)`.

    >>> tf.compat.v1.losses.hinge_loss([1.0, 0.0], [0.5, 0.5]).numpy()
    np.float32(1.0)

    Args:
      labels: A tensor of zeros and ones.
      logits: A tensor of the same shape; positive numbers mean the label 1.
      weights: As for `compute_weighted_loss`.
      scope: A name for the operations.
      loss_collection: The collection that the loss is added to.
      reduction: A value of `Reduction`.

    Returns: The loss, float32.
    Raises: ValueError: if shapes do not fit, or labels or logits are None.
    """
    _require(labels=labels, logits=logits)
    with name_scope(scope, "hinge_loss") as scope:
        logits, labels = _floats(logits, labels)
        ones = ones_like(labels)
        signs = raw.Sub(x=2 * labels, y=ones)
        losses = raw.Relu(features=raw.Sub(x=ones, y=raw.Mul(x=signs, y=logits)))
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


@export(v1=["losses.huber_loss"])
def huber_loss(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike = 1.0,
    delta: float = 1.0,
    scope: str | None = None,
    loss_collection: str | None = LOSSES,
    reduction: str = _MEAN,
) -> Tensor:
    """Computes half the squared error up to an error of `delta`, from there on a line.

    >>> tf.compat.v1.losses.huber_loss([0.0, 0.0], [1.0, 3.0]).numpy()
    np.float32(1.5)

    Args:
      labels: A tensor of numbers.
      predictions: A tensor of the same shape.
      weights: As for `compute_weighted_loss`.
      delta: Where the square becomes a line.
      scope: A name for the operations.
      loss_collection: The collection that the loss is added to.
      reduction: A value of `Reduction`.

    Returns: The loss, float32.
    Raises: ValueError: if shapes do not fit, or labels or predictions are None.
    """
    _require(labels=labels, predictions=predictions)
    with name_scope(scope, "huber_loss") as scope:
        predictions, labels = _floats(predictions, labels)
        error = raw.Abs(x=raw.Sub(x=predictions, y=labels))
        quadratic = raw.Minimum(x=error, y=delta)
        linear = raw.Sub(x=error, y=quadratic)
        squares = raw.Mul(x=convert_to_tensor(0.5, dtype=quadratic.dtype), y=raw.Mul(x=quadratic, y=quadratic))
        losses = raw.AddV2(x=squares, y=raw.Mul(x=delta, y=linear))
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


@export(v1=["losses.log_loss"])
def log_loss(
    labels: Any,
    predictions: Any,
    weights: TensorLike = 1.0,
    epsilon: float = 1e-7,
    scope: str | None = None,
    loss_collection: str | None = LOSSES,
    reduction: str = _MEAN,
) -> Tensor:
    """Computes the loss `-labels log(predictions) - (1 - labels) log(1 - predictions)`.

    >>> tf.compat.v1.losses.log_loss([1.0], [0.5]).numpy()
    np.float32(0.69314694)

    Args:
      labels: A tensor of numbers from 0 to 1.
      predictions: A tensor of probabilities, of the same shape.
      weights: As for `compute_weighted_loss`.
      epsilon: A small number that keeps the logarithms finite.
      scope: A name for the operations.
      loss_collection: The collection that the loss is added to.
      reduction: A value of `Reduction`.

    Returns: The loss, float32.
    Raises: ValueError: if shapes do not fit, or labels or predictions are None.
    """
    _require(labels=labels, predictions=predictions)
    with name_scope(scope, "log_loss") as scope:
        predictions, labels = _floats(predictions, labels)
        positive = raw.Neg(x=raw.Mul(x=labels, y=raw.Log(x=predictions + epsilon)))
        negative = raw.Mul(x=1 - labels, y=raw.Log(x=1 - predictions + epsilon))
        return compute_weighted_loss(positive - negative, weights, scope, loss_collection, reduction)


@export(v1=["losses.mean_pairwise_squared_error"])
def mean_pairwise_squared_error(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike = 1.0,
    scope: str | None = None,
    loss_collection: str | None = LOSSES,
) -> Tensor:
    """Computes the mean squared difference of pairwise differences, within each row of the batch.

    >>> tf.compat.v1.losses.mean_pairwise_squared_error([[1.0, 2.0, 4.0]], [[2.0, 4.0, 3.0]]).numpy()
    np.float32(4.6666665)

    Args:
      labels: A tensor `[batch, ...]`.
      predictions: A tensor of the same shape.
      weights: A number, a tensor `[batch]`, or one of the rank of `labels`.
      scope: A name for the operations.
      loss_collection: The collection that the loss is added to.

    Returns: The loss, a float32 scalar.
    Raises: ValueError: if shapes do not fit, or labels or predictions are None.
    """
    _require(labels=labels, predictions=predictions)
    with name_scope(scope, "mean_pairwise_squared_error"):
        weights = cast(weights, d.float32)
        predictions, labels = _floats(predictions, labels)
        differences = raw.Sub(x=predictions, y=labels)
        axes = range_op(1, rank_of(differences))
        squares = reduce_sum(raw.Square(x=differences), axes, keepdims=True)
        count = count_weighted(differences, weights, per_row=True)
        first = 2.0 * divide_no_nan(squares, raw.Maximum(x=count - 1, y=0.0), name="value")
        total = reduce_sum(differences, axes, keepdims=True)
        pairs = raw.Maximum(x=raw.Mul(x=count, y=count - 1), y=0.0)
        second = 2.0 * divide_no_nan(raw.Square(x=total), pairs, name="value")
        loss = reduce_sum(raw.Mul(x=first - second, y=weights))
        mean: Tensor = where_select(raw.Greater(x=reduce_sum(count), y=0.0), loss, zeros_like(loss), name="value")
        add_loss(mean, loss_collection)
        return mean


@export(v1=["losses.mean_squared_error"])
def mean_squared_error(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike = 1.0,
    scope: str | None = None,
    loss_collection: str | None = LOSSES,
    reduction: str = _MEAN,
) -> Tensor:
    """Computes the loss `(predictions - labels) ** 2`.

    >>> tf.compat.v1.losses.mean_squared_error([1.0, 2.0], [2.0, 4.0]).numpy()
    np.float32(2.5)

    Args:
      labels: A tensor of numbers.
      predictions: A tensor of the same shape.
      weights: As for `compute_weighted_loss`.
      scope: A name for the operations.
      loss_collection: The collection that the loss is added to.
      reduction: A value of `Reduction`.

    Returns: The loss, float32.
    Raises: ValueError: if shapes do not fit, or labels or predictions are None.
    """
    _require(labels=labels, predictions=predictions)
    with name_scope(scope, "mean_squared_error") as scope:
        predictions, labels = _floats(predictions, labels)
        losses = raw.SquaredDifference(x=predictions, y=labels)
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


@export(v1=["losses.sigmoid_cross_entropy"])
def sigmoid_cross_entropy(
    multi_class_labels: Any,
    logits: Any,
    weights: TensorLike = 1.0,
    label_smoothing: float = 0,
    scope: str | None = None,
    loss_collection: str | None = LOSSES,
    reduction: str = _MEAN,
) -> Tensor:
    """Computes the cross-entropy of yes-or-no predictions.

    >>> tf.compat.v1.losses.sigmoid_cross_entropy([[1.0, 0.0]], [[0.0, 0.0]]).numpy()
    np.float32(0.6931472)

    Args:
      multi_class_labels: A tensor of numbers from 0 to 1.
      logits: A tensor of the same shape.
      weights: As for `compute_weighted_loss`.
      label_smoothing: How far labels move towards 1/2.
      scope: A name for the operations.
      loss_collection: The collection that the loss is added to.
      reduction: A value of `Reduction`.

    Returns: The loss, of the dtype of `logits`.
    Raises: ValueError: if shapes do not fit, or labels or logits are None.
    """
    _require(multi_class_labels=multi_class_labels, logits=logits)
    with name_scope(scope, "sigmoid_cross_entropy_loss") as scope:
        logits = convert_to_tensor(logits)
        labels = cast(multi_class_labels, logits.dtype)
        logits.shape.assert_is_compatible_with(labels.shape)
        if label_smoothing > 0:
            labels = labels * (1 - label_smoothing) + 0.5 * label_smoothing
        losses = sigmoid_cross_entropy_with_logits(labels=labels, logits=logits, name="xentropy")
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


@export(v1=["losses.softmax_cross_entropy"])
def softmax_cross_entropy(
    onehot_labels: Any,
    logits: Any,
    weights: TensorLike = 1.0,
    label_smoothing: float = 0,
    scope: str | None = None,
    loss_collection: str | None = LOSSES,
    reduction: str = _MEAN,
) -> Tensor:
    """Computes the cross-entropy between class probabilities and the softmax of logits.

    >>> tf.compat.v1.losses.softmax_cross_entropy([[0.0, 1.0]], [[1.0, 1.0]]).numpy()
    np.float32(0.6931472)

    Args:
      onehot_labels: A tensor `[batch, classes]` of probabilities.
      logits: A tensor of the same shape.
      weights: A number or a tensor `[batch]`.
      label_smoothing: How far labels move towards equal probabilities.
      scope: A name for the operations.
      loss_collection: The collection that the loss is added to.
      reduction: A value of `Reduction`.

    Returns: The loss, of the dtype of `logits`.
    Raises: ValueError: if shapes do not fit, or labels or logits are None.
    """
    _require(onehot_labels=onehot_labels, logits=logits)
    with name_scope(scope, "softmax_cross_entropy_loss") as scope:
        logits = convert_to_tensor(logits)
        labels = cast(onehot_labels, logits.dtype)
        logits.shape.assert_is_compatible_with(labels.shape)
        if label_smoothing > 0:
            classes = cast(shape_of(labels)[-1], logits.dtype)
            even = label_smoothing / classes
            labels = labels * (1.0 - label_smoothing) + even
        labels = raw.StopGradient(input=labels, name="labels_stop_gradient")
        losses = softmax_cross_entropy_with_logits(labels=labels, logits=logits, name="xentropy")
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


@export(v1=["losses.sparse_softmax_cross_entropy"])
def sparse_softmax_cross_entropy(
    labels: Any,
    logits: TensorLike,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: str | None = LOSSES,
    reduction: str = _MEAN,
) -> Tensor:
    """Computes the cross-entropy between classes and the softmax of logits.

    >>> tf.compat.v1.losses.sparse_softmax_cross_entropy([1], [[1.0, 1.0]]).numpy()
    np.float32(0.6931472)

    Args:
      labels: Class indices, integers `[batch]` or `[batch, 1]`.
      logits: A tensor `[batch, classes]`.
      weights: A number, or a tensor `[batch]` or `[batch, 1]`.
      scope: A name for the operations.
      loss_collection: The collection that the loss is added to.
      reduction: A value of `Reduction`.

    Returns: The loss, of the dtype of `logits`.
    Raises: ValueError: if shapes do not fit, or an argument is None.
    """
    _require(labels=labels, logits=logits)
    with name_scope(scope, "sparse_softmax_cross_entropy_loss") as scope:
        labels, logits = squeeze_like(labels, logits, expected_rank_diff=1)
        weights = convert_to_tensor(weights)
        if weights.shape.rank and labels.shape.rank is not None and weights.shape.rank - labels.shape.rank == 1:
            weights = raw.Squeeze(input=weights, axis=[-1])
        losses = sparse_cross_entropy(labels=labels, logits=logits, name="xentropy")
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)
