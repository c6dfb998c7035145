"""Metrics that are means: of values, of errors, of right answers.

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
    ratio_of,
    require_graph,
)
from millrace._src.compat_v1.weights import broadcast_weights, fit_weights, squeeze_like
from millrace._src.core import dtypes as d
from millrace._src.core.argument_types import TensorLike
from millrace._src.core.convert import convert_to_tensor
from millrace._src.ops import raw
from millrace._src.ops.array.filling import ones_like, zeros_like
from millrace._src.ops.array.selecting import where_select
from millrace._src.ops.array.shape_ops import size as size_of
from millrace._src.ops.math.casting import cast
from millrace._src.ops.math.reduce import reduce_sum
from millrace._src.util.export import export


@export(v1=["metrics.mean"])
def mean(
    values: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: Collections = None,
    updates_collections: Collections = None,
    name: str | None = None,
) -> Pair:
    """Computes the weighted mean of all values seen.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     value, update = tf.compat.v1.metrics.mean([1.0, 3.0])
    ...     session.run(tf.compat.v1.local_variables_initializer())
    ...     session.run(update).item(), session.run(value).item()
    (2.0, 2.0)

    Args:
      values: A tensor of numbers.
      weights: A tensor that broadcasts to `values`; None weighs all values alike.
      metrics_collections: Collections that the value is added to.
      updates_collections: Collections that the update is added to.
      name: The scope of the variables and operations.

    Returns: The value so far, and the update that gives the value behind the batch.
    Raises: RuntimeError: in eager mode.
    """
    with metric_scope("mean", name, "mean"):
        values = cast(values, d.float32)
        total, count = metric_variable([], "total"), metric_variable([], "count")
        if weights is None:
            number = cast(size_of(values), d.float32)
        else:
            weights = broadcast_weights(fit_weights(cast(weights, d.float32), values), values)
            values = raw.Mul(x=values, y=weights)
            number = reduce_sum(weights)
        updates = add(total, reduce_sum(values)), add(count, number)
        value = ratio_of(total, count, "value")
        return collect(value, ratio_of(*updates, "update_op"), metrics_collections, updates_collections)


@export(v1=["metrics.mean_tensor"])
def mean_tensor(
    values: Any,
    weights: TensorLike | None = None,
    metrics_collections: Collections = None,
    updates_collections: Collections = None,
    name: str | None = None,
) -> Pair:
    """Computes the weighted mean of all tensors seen, element by element.

    Args:
      values: A tensor of numbers, of a known shape.
      weights: A tensor that broadcasts to `values`; None weighs all values alike.
      metrics_collections: Collections that the value is added to.
      updates_collections: Collections that the update is added to.
      name: The scope of the variables and operations.

    Returns: The value so far, of the shape of `values`, and the update.
    Raises: RuntimeError: in eager mode.
    """
    with metric_scope("mean_tensor", name, "mean"):
        values = cast(values, d.float32)
        total = metric_variable(values.shape.as_list(), "total_tensor")
        count = metric_variable(values.shape.as_list(), "count_tensor")
        numbers = ones_like(values)
        if weights is not None:
            weights = broadcast_weights(fit_weights(cast(weights, d.float32), values), values)
            values = raw.Mul(x=values, y=weights)
            numbers = raw.Mul(x=numbers, y=weights)
        updates = add(total, values), add(count, numbers)
        value = ratio_of(total, count, "value")
        return collect(value, ratio_of(*updates, "update_op"), metrics_collections, updates_collections)


@export(v1=["metrics.accuracy"])
def accuracy(
    labels: Any,
    predictions: Any,
    weights: TensorLike | None = None,
    metrics_collections: Collections = None,
    updates_collections: Collections = None,
    name: str | None = None,
) -> Pair:
    """Computes how often predictions are equal to labels.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     value, update = tf.compat.v1.metrics.accuracy([1, 2, 3, 4], [1, 2, 3, 0])
    ...     session.run(tf.compat.v1.local_variables_initializer())
    ...     session.run(update).item()
    0.75

    Args:
      labels: A tensor.
      predictions: A tensor of the same shape.
      weights: A tensor that broadcasts to the labels; None weighs all alike.
      metrics_collections: Collections that the value is added to.
      updates_collections: Collections that the update is added to.
      name: The scope of the variables and operations.

    Returns: The value so far, and the update that gives the value behind the batch.
    Raises:
      RuntimeError: in eager mode.
      ValueError: if the shapes differ.
    """
    require_graph("accuracy")
    labels, predictions = squeeze_like(labels, predictions)
    predictions.shape.assert_is_compatible_with(labels.shape)
    if labels.dtype != predictions.dtype:
        predictions = cast(predictions, labels.dtype)
    is_correct = cast(raw.Equal(x=predictions, y=labels), d.float32)
    return mean(is_correct, weights, metrics_collections, updates_collections, name or "accuracy")


def _floats(labels: Any, predictions: Any) -> tuple[Any, Any]:
    """Returns labels and predictions as float32, without a last dimension of size 1 that one of them has alone.

    Raises: ValueError: if the shapes differ.
    """
    labels, predictions = squeeze_like(cast(labels, d.float32), cast(predictions, d.float32))
    predictions.shape.assert_is_compatible_with(labels.shape)
    return labels, predictions


@export(v1=["metrics.mean_absolute_error"])
def mean_absolute_error(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: Collections = None,
    updates_collections: Collections = None,
    name: str | None = None,
) -> Pair:
    """Computes the mean of `|predictions - labels|`.

    Args: labels: As all arguments, see `tf.compat.v1.metrics.accuracy`.
    """
    require_graph("mean_absolute_error")
    labels, predictions = _floats(labels, predictions)
    errors = raw.Abs(x=raw.Sub(x=predictions, y=labels))
    return mean(errors, weights, metrics_collections, updates_collections, name or "mean_absolute_error")


@export(v1=["metrics.mean_squared_error"])
def mean_squared_error(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: Collections = None,
    updates_collections: Collections = None,
    name: str | None = None,
) -> Pair:
    """Computes the mean of `(predictions - labels) ** 2`.

    Args: labels: As all arguments, see `tf.compat.v1.metrics.accuracy`.
    """
    require_graph("mean_squared_error")
    labels, predictions = _floats(labels, predictions)
    errors = raw.SquaredDifference(x=predictions, y=labels)
    return mean(errors, weights, metrics_collections, updates_collections, name or "mean_squared_error")


@export(v1=["metrics.root_mean_squared_error"])
def root_mean_squared_error(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: Collections = None,
    updates_collections: Collections = None,
    name: str | None = None,
) -> Pair:
    """Computes the root of the mean of `(predictions - labels) ** 2`.

    Args: labels: As all arguments, see `tf.compat.v1.metrics.accuracy`.
    """
    require_graph("root_mean_squared_error")
    found = mean_squared_error(labels, predictions, weights, name=name or "root_mean_squared_error")
    value, update = (raw.Sqrt(x=part) for part in found)
    return collect(value, update, metrics_collections, updates_collections)


@export(v1=["metrics.mean_relative_error"])
def mean_relative_error(
    labels: TensorLike,
    predictions: Any,
    normalizer: Any,
    weights: TensorLike | None = None,
    metrics_collections: Collections = None,
    updates_collections: Collections = None,
    name: str | None = None,
) -> Pair:
    """Computes the mean of `|predictions - labels| / normalizer`, where an error over 0 counts as 0.

    Args:
      labels: A tensor of numbers.
      predictions: A tensor of the same shape.
      normalizer: A tensor of the same shape.
      weights: As the other arguments, see `tf.compat.v1.metrics.accuracy`.
      metrics_collections: Collections that the value is added to.
      updates_collections: Collections that the update is added to.
      name: The scope of the variables and operations.
    """
    require_graph("mean_relative_error")
    labels, predictions = _floats(labels, predictions)
    predictions, normalizer = squeeze_like(predictions, convert_to_tensor(normalizer))
    predictions.shape.assert_is_compatible_with(normalizer.shape)
    ratios = raw.RealDiv(x=raw.Abs(x=raw.Sub(x=labels, y=predictions)), y=normalizer)
    errors = where_select(raw.Equal(x=normalizer, y=0.0), zeros_like(labels), ratios)
    return mean(errors, weights, metrics_collections, updates_collections, name or "mean_relative_error")


@export(v1=["metrics.mean_cosine_distance"])
def mean_cosine_distance(
    labels: TensorLike,
    predictions: TensorLike,
    dim: int,
    weights: TensorLike | None = None,
    metrics_collections: Collections = None,
    updates_collections: Collections = None,
    name: str | None = None,
) -> Pair:
    """Computes 1 less the mean of `sum(labels * predictions)` along an axis, for vectors of length 1.

    Args:
      labels: A tensor of vectors.
      predictions: A tensor of the same shape.
      dim: The axis of the vectors.
      weights: As the other arguments, see `tf.compat.v1.metrics.accuracy`.
      metrics_collections: Collections that the value is added to.
      updates_collections: Collections that the update is added to.
      name: The scope of the variables and operations.
    """
    require_graph("mean_cosine_distance")
    labels, predictions = _floats(labels, predictions)
    products = reduce_sum(raw.Mul(x=predictions, y=labels), [dim], keepdims=True)
    found = mean(products, weights, None, None, name or "mean_cosine_distance")
    value, update = (raw.Sub(x=1.0, y=part) for part in found)
    return collect(value, update, metrics_collections, updates_collections)


@export(v1=["metrics.percentage_below"])
def percentage_below(
    values: TensorLike,
    threshold: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: Collections = None,
    updates_collections: Collections = None,
    name: str | None = None,
) -> Pair:
    """Computes the part of the values that is below a threshold.

    Args:
      values: A tensor of numbers.
      threshold: A number.
      weights: As the other arguments, see `tf.compat.v1.metrics.mean`.
      metrics_collections: Collections that the value is added to.
      updates_collections: Collections that the update is added to.
      name: The scope of the variables and operations.
    """
    require_graph("percentage_below")
    is_below = cast(raw.Less(x=values, y=threshold), d.float32)
    return mean(is_below, weights, metrics_collections, updates_collections, name or "percentage_below_threshold")
