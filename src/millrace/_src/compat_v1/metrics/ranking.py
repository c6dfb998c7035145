"""Metrics of rankings: how many of the first `k` predictions of a row are among its labels.

Rows of labels are sets of classes, dense or sparse, so what is counted are the sizes of intersections and differences.

Tests: tests/oracle/programs/v1_metrics.py
"""

from __future__ import annotations

from typing import Any

from millrace._src.compat_v1.metrics.streaming import (
    Collections,
    Pair,
    add,
    collect,
    metric_scope,
    metric_variable,
    require_graph,
    scope_name,
)
from millrace._src.compat_v1.weights import broadcast_weights, check_broadcast
from millrace._src.core import dtypes as d
from millrace._src.core.argument_types import TensorLike
from millrace._src.core.context import name_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.ops import raw
from millrace._src.ops.array.filling import ones_like
from millrace._src.ops.array.reshaping import expand_dims
from millrace._src.ops.array.selecting import where
from millrace._src.ops.array.shape_ops import shape as shape_of
from millrace._src.ops.array.shape_ops import size as size_of
from millrace._src.ops.array.sorting import top_k
from millrace._src.ops.math.casting import cast
from millrace._src.ops.math.cumulative import cumsum
from millrace._src.ops.math.division import divide_no_nan
from millrace._src.ops.math.reduce import reduce_any, reduce_sum
from millrace._src.ops.sparse.dense_conversion import to_dense
from millrace._src.ops.sparse.reshaping import sparse_expand_dims
from millrace._src.ops.sparse.sets import set_difference, set_intersection, set_size
from millrace._src.ops.sparse.sparse_tensor import SparseTensor
from millrace._src.util.export import export


def _name(name: str, k: int | None, class_id: int | None) -> str:
    """Returns the name of a metric with its `k` and class."""
    name = f"{name}_at_{'k' if k is None else k}"
    return name if class_id is None else f"{name}_class{class_id}"


def _label_sets(labels: Any, predictions: Any) -> Any:
    """Returns labels with a row of classes for each row of predictions."""
    if not isinstance(labels, SparseTensor):
        labels = convert_to_tensor(labels)
    labels = cast(labels, d.int64)
    rank, expected = labels.shape.rank, predictions.shape.rank
    if rank is None or expected is None or rank == expected:
        return labels
    if rank != expected - 1:
        raise ValueError(f"Unexpected labels shape {labels.shape} for predictions shape {predictions.shape}.")
    return sparse_expand_dims(labels, -1) if isinstance(labels, SparseTensor) else expand_dims(labels, -1)


def _of_class(ids: Any, class_id: int | None) -> Any:
    """Returns the sets without the classes but one."""
    if class_id is None:
        return ids
    if isinstance(ids, SparseTensor):
        rows = where(raw.Equal(x=ids.values, y=cast(class_id, d.int64)))[:, 0]
        indices = raw.GatherV2(params=ids.indices, indices=rows, axis=0)
        return SparseTensor(indices, raw.GatherV2(params=ids.values, indices=rows, axis=0), ids.dense_shape)
    indices = where(raw.Equal(x=ids, y=cast(class_id, ids.dtype)))
    return SparseTensor(indices, raw.GatherNd(params=ids, indices=indices), shape_of(ids, out_type=d.int64))


def _sizes(sets: Any, weights: Any) -> Any:
    sizes = cast(set_size(sets), d.float64)
    if weights is None:
        return sizes
    with check_broadcast(weights, sizes):
        return raw.Mul(x=sizes, y=cast(weights, d.float64))


def _stream(kind: tuple[str, int | None, int | None], sets: object, weights: object) -> Pair:
    """Keeps the sum of the sizes of sets in a variable; returns the value so far and the update."""
    name = _name(*kind)
    variable = metric_variable([], name, d.float64)
    return convert_to_tensor(variable), add(variable, reduce_sum(_sizes(sets, weights)))


def _top_classes(predictions: Any, k: int) -> Any:
    return cast(top_k(convert_to_tensor(predictions), k)[1], d.int64)


@export(v1=["metrics.precision_at_top_k"])
def precision_at_top_k(
    labels: TensorLike,
    predictions_idx: TensorLike,
    k: int | None = None,
    class_id: int | None = None,
    weights: TensorLike | None = None,
    metrics_collections: Collections = None,
    updates_collections: Collections = None,
    name: str | None = None,
) -> Pair:
    """Computes the part of predicted classes that is among the labels.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     labels, predicted = tf.constant([[0], [2]], tf.int64), tf.constant([[0, 1], [1, 0]], tf.int64)
    ...     value, update = tf.compat.v1.metrics.precision_at_top_k(labels, predicted)
    ...     session.run(tf.compat.v1.local_variables_initializer())
    ...     session.run(update).item()
    0.25

    Args:
      labels: Class indices, int64 `[..., labels]` or `[...]`, a tensor or a `tf.SparseTensor`.
      predictions_idx: The predicted classes of each row, int64 `[..., k]`.
      k: The `k` in the names of the variables.
      class_id: The one class that counts; None counts all.
      weights: A tensor that broadcasts to the rows; None weighs all alike.
      metrics_collections: Collections that the value is added to.
      updates_collections: Collections that the update is added to.
      name: The scope of the variables and operations.

    Returns: The value so far, and the update that gives the value behind the batch.
    Raises: RuntimeError: in eager mode.
    """
    collections = metrics_collections, updates_collections
    with _scope("precision_at_top_k", name, "precision", k, class_id):
        predicted = cast(convert_to_tensor(predictions_idx), d.int64)
        return _precision(labels, predicted, (k, class_id), weights, collections)


def _scope(function: str, name: str | None, default_name: str, k: int | None, class_id: int | None) -> Any:
    return metric_scope(function, name, _name(default_name, k, class_id))


def _precision(labels: Any, predicted: Any, kind: tuple[Any, Any], weights: Any, collections: Any) -> Pair:
    labels = _of_class(_label_sets(labels, predicted), kind[1])
    predicted = _of_class(predicted, kind[1])
    tp, update_tp = _stream(("true_positive", *kind), set_intersection(predicted, labels), weights)
    fp, update_fp = _stream(("false_positive", *kind), set_difference(predicted, labels), weights)
    value = raw.RealDiv(x=tp, y=tp + fp, name=scope_name())
    update = raw.RealDiv(x=update_tp, y=update_tp + update_fp, name="update")
    return collect(value, update, *collections)


@export(v1=["metrics.precision_at_k"])
def precision_at_k(
    labels: TensorLike,
    predictions: TensorLike,
    k: int,
    class_id: int | None = None,
    weights: TensorLike | None = None,
    metrics_collections: Collections = None,
    updates_collections: Collections = None,
    name: str | None = None,
) -> Pair:
    """Computes the part of the `k` classes with the highest scores that is among the labels.

    Args:
      labels: Class indices, int64 `[..., labels]` or `[...]`, a tensor or a `tf.SparseTensor`.
      predictions: The scores of all classes, `[..., classes]`.
      k: How many classes are predicted.
      class_id: The one class that counts; None counts all.
      weights: A tensor that broadcasts to the rows; None weighs all alike.
      metrics_collections: Collections that the value is added to.
      updates_collections: Collections that the update is added to.
      name: The scope of the variables and operations.

    Returns: The value so far, and the update that gives the value behind the batch.
    Raises: RuntimeError: in eager mode.
    """
    collections = metrics_collections, updates_collections
    with _scope("sparse_precision_at_k", name, "precision", k, class_id):
        return _precision(labels, _top_classes(predictions, k), (k, class_id), weights, collections)


@export(v1=["metrics.sparse_precision_at_k"])
def sparse_precision_at_k(
    labels: TensorLike,
    predictions: TensorLike,
    k: int,
    class_id: int | None = None,
    weights: TensorLike | None = None,
    metrics_collections: Collections = None,
    updates_collections: Collections = None,
    name: str | None = None,
) -> Pair:
    """Computes `tf.compat.v1.metrics.precision_at_k`, whose older name this is.

    Args: labels: As all arguments, see `tf.compat.v1.metrics.precision_at_k`.
    """
    return precision_at_k(labels, predictions, k, class_id, weights, metrics_collections, updates_collections, name)


@export(v1=["metrics.recall_at_top_k"])
def recall_at_top_k(
    labels: TensorLike,
    predictions_idx: TensorLike,
    k: int | None = None,
    class_id: int | None = None,
    weights: TensorLike | None = None,
    metrics_collections: Collections = None,
    updates_collections: Collections = None,
    name: str | None = None,
) -> Pair:
    """Computes the part of the labels that is among the predicted classes.

    Args: labels: As all arguments, see `tf.compat.v1.metrics.precision_at_top_k`.
    """
    collections = metrics_collections, updates_collections
    with _scope("recall_at_top_k", name, "recall", k, class_id):
        predicted = cast(convert_to_tensor(predictions_idx), d.int64)
        return _recall(labels, predicted, (k, class_id), weights, collections)


def _recall(labels: Any, predicted: Any, kind: tuple[Any, Any], weights: Any, collections: Any) -> Pair:
    labels = _of_class(_label_sets(labels, predicted), kind[1])
    predicted = _of_class(predicted, kind[1])
    tp, update_tp = _stream(("true_positive", *kind), set_intersection(predicted, labels), weights)
    missed = set_difference(predicted, labels, aminusb=False)
    fn, update_fn = _stream(("false_negative", *kind), missed, weights)
    value = raw.RealDiv(x=tp, y=tp + fn, name=scope_name())
    update = raw.RealDiv(x=update_tp, y=update_tp + update_fn, name="update")
    return collect(value, update, *collections)


@export(v1=["metrics.recall_at_k"])
def recall_at_k(
    labels: TensorLike,
    predictions: TensorLike,
    k: int,
    class_id: int | None = None,
    weights: TensorLike | None = None,
    metrics_collections: Collections = None,
    updates_collections: Collections = None,
    name: str | None = None,
) -> Pair:
    """Computes the part of the labels that is among the `k` classes with the highest scores.

    Args: labels: As all arguments, see `tf.compat.v1.metrics.precision_at_k`.
    """
    collections = metrics_collections, updates_collections
    with _scope("recall_at_k", name, "recall", k, class_id):
        return _recall(labels, _top_classes(predictions, k), (k, class_id), weights, collections)


@export(v1=["metrics.average_precision_at_k"])
def average_precision_at_k(
    labels: TensorLike,
    predictions: TensorLike,
    k: int,
    weights: TensorLike | None = None,
    metrics_collections: Collections = None,
    updates_collections: Collections = None,
    name: str | None = None,
) -> Pair:
    """Computes the mean over rows of the precision at each of the first `k` ranks that holds a label.

    Args:
      labels: Class indices, int64 `[..., labels]` or `[...]`, a tensor or a `tf.SparseTensor`.
      predictions: The scores of all classes, `[..., classes]`.
      k: How many classes are predicted.
      weights: A tensor that broadcasts to the rows; None weighs all alike.
      metrics_collections: Collections that the value is added to.
      updates_collections: Collections that the update is added to.
      name: The scope of the variables and operations.

    Returns: The value so far, and the update that gives the value behind the batch.
    Raises:
      RuntimeError: in eager mode.
      ValueError: if `k` is below 1.
    """
    require_graph("sparse_average_precision_at_k")
    if k < 1:
        raise ValueError(f"Invalid k={k}. `k` should be >= 1.")
    with metric_scope("sparse_average_precision_at_k", name, _name("average_precision", k, None)):
        predictions = convert_to_tensor(predictions)
        predicted = _top_classes(predictions, k)
        precision = _average_precision(_label_sets(labels, predicted), predicted, shape_of(predictions)[-1], k)
        return _mean(precision, weights, (metrics_collections, updates_collections))


@export(v1=["metrics.sparse_average_precision_at_k"])
def sparse_average_precision_at_k(
    labels: TensorLike,
    predictions: TensorLike,
    k: int,
    weights: TensorLike | None = None,
    metrics_collections: Collections = None,
    updates_collections: Collections = None,
    name: str | None = None,
) -> Pair:
    """Computes `tf.compat.v1.metrics.average_precision_at_k`, whose older name this is.

    Args: labels: As all arguments, see `tf.compat.v1.metrics.average_precision_at_k`.
    """
    return average_precision_at_k(labels, predictions, k, weights, metrics_collections, updates_collections, name)


def _average_precision(labels: Any, predicted: Any, classes: Any, k: int) -> Any:
    """Returns the average precision of each row; labels that are not a class count for nothing."""
    with name_scope(None, "average_precision"):
        dense = to_dense(labels, default_value=-1) if isinstance(labels, SparseTensor) else labels
        is_class = raw.LogicalAnd(
            x=raw.GreaterEqual(x=dense, y=cast(0, d.int64)), y=raw.Less(x=dense, y=cast(classes, d.int64))
        )
        dense = where(is_class, dense, cast(-1, d.int64))
        is_label = raw.Equal(x=expand_dims(predicted, -1), y=expand_dims(dense, -2))
        relevant = cast(reduce_any(is_label, -1), d.float64)
        right = cumsum(relevant, axis=-1)
        ranks = cumsum(ones_like(relevant), axis=-1)
        total = reduce_sum(raw.Mul(x=raw.RealDiv(x=right, y=ranks), y=relevant), -1)
        count = raw.Minimum(x=reduce_sum(cast(is_class, d.int32), -1), y=k)
        return raw.RealDiv(x=total, y=cast(count, d.float64))


def _mean(precision: Any, weights: Any, collections: Any) -> Pair:
    if weights is not None:
        weights = broadcast_weights(cast(weights, d.float64), precision)
        precision = raw.Mul(x=precision, y=weights)
    most = metric_variable([], "max_1", d.float64)
    batch = cast(size_of(precision), d.float64) if weights is None else reduce_sum(weights)
    total = metric_variable([], "total", d.float64)
    updates = add(total, reduce_sum(precision)), add(most, batch)
    value = divide_no_nan(total, most, name="mean")
    return collect(value, divide_no_nan(*updates, name=scope_name()), *collections)
