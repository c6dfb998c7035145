"""Metrics that count right and wrong answers: true and false positives and negatives, precision, recall.

Tests: tests/oracle/programs/v1_metrics.py, tests/compat_v1/metrics/test_metrics.py
"""

from __future__ import annotations

from typing import Any

from millrace._src.compat_v1.metrics.streaming import (
    Collections,
    Pair,
    accumulate_count,
    collect,
    metric_scope,
)
from millrace._src.compat_v1.weights import squeeze_like
from millrace._src.core import dtypes as d
from millrace._src.core.argument_types import TensorLike
from millrace._src.ops import raw
from millrace._src.ops.array.selecting import where_select
from millrace._src.ops.math.casting import cast
from millrace._src.util.export import export


def _count(
    kind: tuple[str, bool, bool], labels: Any, predictions: Any, weights: Any, collections: Any, name: str | None
) -> Pair:
    """Counts the answers with given truth values of label and prediction."""
    function, label, prediction = kind
    with metric_scope(function, name, function):
        labels, predictions = squeeze_like(cast(labels, d.bool_), cast(predictions, d.bool_))
        predictions.shape.assert_is_compatible_with(labels.shape)
        values = raw.LogicalAnd(x=raw.Equal(x=labels, y=label), y=raw.Equal(x=predictions, y=prediction))
        return accumulate_count(values, weights, *collections)


@export(v1=["metrics.true_positives"])
def true_positives(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: Collections = None,
    updates_collections: Collections = None,
    name: str | None = None,
) -> Pair:
    """Sums the weights of true positives.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     value, update = tf.compat.v1.metrics.true_positives([True, True, False], [True, False, True])
    ...     session.run(tf.compat.v1.local_variables_initializer())
    ...     session.run(update).item()
    1.0

    Args:
      labels: A tensor of truth values.
      predictions: A tensor of truth values, of the same shape.
      weights: A tensor that broadcasts to the labels; None counts each answer once.
      metrics_collections: Collections that the value is added to.
      updates_collections: Collections that the update is added to.
      name: The scope of the variables and operations.

    Returns: The value so far, and the update that gives the value behind the batch.
    Raises: RuntimeError: in eager mode.
    """
    collections = metrics_collections, updates_collections
    return _count(("true_positives", True, True), labels, predictions, weights, collections, name)


@export(v1=["metrics.false_positives"])
def false_positives(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: Collections = None,
    updates_collections: Collections = None,
    name: str | None = None,
) -> Pair:
    """Sums the weights of false positives.

    Args: labels: As all arguments, see `tf.compat.v1.metrics.true_positives`.
    """
    collections = metrics_collections, updates_collections
    return _count(("false_positives", False, True), labels, predictions, weights, collections, name)


@export(v1=["metrics.true_negatives"])
def true_negatives(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: Collections = None,
    updates_collections: Collections = None,
    name: str | None = None,
) -> Pair:
    """Sums the weights of true negatives.

    Args: labels: As all arguments, see `tf.compat.v1.metrics.true_positives`.
    """
    collections = metrics_collections, updates_collections
    return _count(("true_negatives", False, False), labels, predictions, weights, collections, name)


@export(v1=["metrics.false_negatives"])
def false_negatives(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: Collections = None,
    updates_collections: Collections = None,
    name: str | None = None,
) -> Pair:
    """Sums the weights of false negatives.

    Args: labels: As all arguments, see `tf.compat.v1.metrics.true_positives`.
    """
    collections = metrics_collections, updates_collections
    return _count(("false_negatives", True, False), labels, predictions, weights, collections, name)


def _share(positives: Any, others: Any, name: str) -> Any:
    """Returns `positives / (positives + others)`, 0 where both are 0."""
    total = positives + others
    return where_select(raw.Greater(x=total, y=0.0), raw.RealDiv(x=positives, y=total), 0.0 * total, name=name)


@export(v1=["metrics.precision"])
def precision(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: Collections = None,
    updates_collections: Collections = None,
    name: str | None = None,
) -> Pair:
    """Computes the part of positive predictions that is right.

    Args: labels: As all arguments, see `tf.compat.v1.metrics.true_positives`.
    """
    with metric_scope("precision", name, "precision"):
        right, update_right = true_positives(labels, predictions, weights)
        wrong, update_wrong = false_positives(labels, predictions, weights)
        value, update = _share(right, wrong, "value"), _share(update_right, update_wrong, "update_op")
        return collect(value, update, metrics_collections, updates_collections)


@export(v1=["metrics.recall"])
def recall(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: Collections = None,
    updates_collections: Collections = None,
    name: str | None = None,
) -> Pair:
    """Computes the part of positive labels that is found.

    Args: labels: As all arguments, see `tf.compat.v1.metrics.true_positives`.
    """
    with metric_scope("recall", name, "recall"):
        right, update_right = true_positives(labels, predictions, weights)
        missed, update_missed = false_negatives(labels, predictions, weights)
        value, update = _share(right, missed, "value"), _share(update_right, update_missed, "update_op")
        return collect(value, update, metrics_collections, updates_collections)
