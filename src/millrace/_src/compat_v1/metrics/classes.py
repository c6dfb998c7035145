"""Metrics over classes: the mean accuracy of each class, the mean intersection over union.

Tests: tests/oracle/programs/v1_metrics.py
"""

from __future__ import annotations

from typing import Any

from millrace._src.compat_v1.math.arithmetic import confusion_matrix_v1
from millrace._src.compat_v1.metrics.streaming import (
    Collections,
    Pair,
    add,
    collect,
    metric_scope,
    metric_variable,
    ratio_of,
)
from millrace._src.compat_v1.weights import squeeze_like
from millrace._src.core import dtypes as d
from millrace._src.core.argument_types import TensorLike
from millrace._src.core.convert import convert_to_tensor
from millrace._src.graph.scopes import control_dependencies
from millrace._src.ops import raw
from millrace._src.ops.array.filling import ones, ones_like
from millrace._src.ops.array.reshaping import reshape
from millrace._src.ops.array.selecting import where_select
from millrace._src.ops.array.shape_ops import size as size_of
from millrace._src.ops.math.casting import cast
from millrace._src.ops.math.reduce import reduce_mean, reduce_sum
from millrace._src.util.export import export


def _flat(x: Any) -> Any:
    return reshape(x, [-1]) if x.shape.rank is None or x.shape.rank > 1 else x


@export(v1=["metrics.mean_per_class_accuracy"])
def mean_per_class_accuracy(
    labels: Any,
    predictions: Any,
    num_classes: int,
    weights: TensorLike | None = None,
    metrics_collections: Collections = None,
    updates_collections: Collections = None,
    name: str | None = None,
) -> Pair:
    """Computes the mean over all classes of how often the labels of a class are predicted.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     labels, predictions = tf.constant([0, 0, 1]), tf.constant([0, 1, 1])
    ...     value, update = tf.compat.v1.metrics.mean_per_class_accuracy(labels, predictions, 2)
    ...     session.run(tf.compat.v1.local_variables_initializer())
    ...     session.run(update)
    array([0.5, 1. ], dtype=float32)

    Args:
      labels: A tensor of class indices.
      predictions: A tensor of class indices.
      num_classes: How many classes there are.
      weights: A tensor of the shape of the labels; None weighs all alike.
      metrics_collections: Collections that the value is added to.
      updates_collections: Collections that the update is added to.
      name: The scope of the variables and operations.

    Returns: The value so far, and the update that gives the accuracy of each class behind the batch.
    Raises: RuntimeError: in eager mode.
    """
    with metric_scope("mean_per_class_accuracy", name, "mean_accuracy"):
        labels = _flat(cast(labels, d.int64))
        predictions = _flat(convert_to_tensor(predictions))
        labels, predictions = squeeze_like(labels, predictions)
        predictions.shape.assert_is_compatible_with(labels.shape)
        total, count = metric_variable([num_classes], "total"), metric_variable([num_classes], "count")
        numbers = ones([size_of(labels)], d.float32)
        if labels.dtype != predictions.dtype:
            predictions = cast(predictions, labels.dtype)
        is_correct = cast(raw.Equal(x=predictions, y=labels), d.float32)
        if weights is not None:
            weights = cast(_flat(convert_to_tensor(weights)), d.float32)
            is_correct, numbers = is_correct * weights, numbers * weights
        seen, right = _scatter(total, labels, numbers), _scatter(count, labels, is_correct)
        value = reduce_mean(ratio_of(count, total, None), name="mean_accuracy")
        return collect(value, ratio_of(right, seen, "update_op"), metrics_collections, updates_collections)


def _scatter(variable: Any, indices: Any, values: Any) -> Any:
    """Adds values to elements of a variable, and returns the variable's new value."""
    update = raw.ResourceScatterAdd(resource=variable.handle, indices=indices, updates=values)
    with control_dependencies([update]):
        return convert_to_tensor(variable)


@export(v1=["metrics.mean_iou"])
def mean_iou(
    labels: Any,
    predictions: Any,
    num_classes: int,
    weights: TensorLike | None = None,
    metrics_collections: Collections = None,
    updates_collections: Collections = None,
    name: str | None = None,
) -> Pair:
    """Computes the mean over classes of true positives over all that are labelled or predicted to be of the class.

    Args:
      labels: A tensor of class indices.
      predictions: A tensor of class indices.
      num_classes: How many classes there are.
      weights: A tensor of the shape of the labels; None weighs all alike.
      metrics_collections: Collections that the value is added to.
      updates_collections: Collections that the update is added to.
      name: The scope of the variables and operations.

    Returns: The value so far, and the update, which gives the confusion matrix.
    Raises: RuntimeError: in eager mode.
    """
    with metric_scope("mean_iou", name, "mean_iou"):
        labels, predictions = convert_to_tensor(labels), convert_to_tensor(predictions)
        predictions.shape.assert_is_compatible_with(labels.shape)
        matrix = metric_variable([num_classes, num_classes], "total_confusion_matrix", d.float64)
        flat = _flat(cast(labels, d.int64)), _flat(cast(predictions, d.int64))
        flat_weights = None if weights is None else _flat(convert_to_tensor(weights))
        batch = confusion_matrix_v1(*flat, num_classes, dtype=d.float64, weights=flat_weights)
        update = add(matrix, batch)
        return collect(_mean_of_ratios(convert_to_tensor(matrix)), update, metrics_collections, updates_collections)


def _mean_of_ratios(matrix: Any) -> Any:
    rows, columns = (cast(reduce_sum(matrix, axis), d.float32) for axis in (0, 1))
    diagonal = cast(raw.DiagPart(input=matrix), d.float32)
    union = rows + columns - diagonal
    count = reduce_sum(cast(raw.NotEqual(x=union, y=0.0), d.float32))
    divisor = where_select(raw.Greater(x=union, y=0.0), union, ones_like(union))
    total = reduce_sum(raw.RealDiv(x=diagonal, y=divisor), name="mean_iou")
    return where_select(raw.Greater(x=count, y=0.0), raw.RealDiv(x=total, y=count), convert_to_tensor(0.0))
