"""Metrics of scores: what is counted where the scores above a threshold are positive, for many thresholds at once.

Tests: tests/oracle/programs/v1_metrics.py, tests/compat_v1/metrics/test_metrics.py
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from millrace._src.compat_v1.debugging.assertions import assert_greater_equal, assert_less_equal
from millrace._src.compat_v1.metrics.streaming import (
    Collections,
    Pair,
    add,
    collect,
    metric_scope,
    metric_variable,
)
from millrace._src.compat_v1.weights import broadcast_weights, fit_weights, squeeze_like
from millrace._src.core import dtypes as d
from millrace._src.core.argument_types import TensorLike
from millrace._src.core.convert import convert_to_tensor
from millrace._src.graph.scopes import control_dependencies
from millrace._src.ops import raw
from millrace._src.ops.array.reshaping import reshape
from millrace._src.ops.math.casting import cast
from millrace._src.ops.math.reduce import reduce_sum
from millrace._src.util.export import export

EPSILON = 1e-7
"""How far the first and the last of evenly spaced thresholds are outside of the range of scores."""


def counts_at_thresholds(
    labels: Any, predictions: Any, thresholds: Sequence[float], weights: Any, kinds: Sequence[str]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Keeps the sums of weights of some kinds of answers, for each threshold.

    Args:
      labels: A tensor of truth values.
      predictions: A tensor of scores between 0 and 1, of the same shape.
      thresholds: The scores from which on, exclusively, the prediction is positive.
      weights: A tensor that broadcasts to the labels, or None.
      kinds: "true_positives", "false_negatives", "true_negatives", "false_positives", or some of them.

    Returns: By kind, the values so far, and the updates.
    """
    labels, scores = squeeze_like(cast(labels, d.bool_), cast(predictions, d.float32))
    scores.shape.assert_is_compatible_with(labels.shape)
    if weights is not None:
        weights = broadcast_weights(fit_weights(cast(weights, d.float32), scores), scores)
        weights = reshape(weights, [1, -1])
    is_label = reshape(labels, [1, -1])
    limits = convert_to_tensor(list(thresholds), d.float32)
    with control_dependencies(_checks(scores)):
        is_above = raw.Greater(x=reshape(scores, [1, -1]), y=reshape(limits, [-1, 1]))
    answers = {
        "true_positives": (is_label, is_above),
        "false_negatives": (is_label, raw.LogicalNot(x=is_above)),
        "true_negatives": (raw.LogicalNot(x=is_label), raw.LogicalNot(x=is_above)),
        "false_positives": (raw.LogicalNot(x=is_label), is_above),
    }
    values, updates = {}, {}
    for kind in kinds:
        variable = metric_variable([len(thresholds)], kind)
        numbers = cast(raw.LogicalAnd(x=answers[kind][0], y=answers[kind][1]), d.float32)
        numbers = numbers if weights is None else numbers * weights
        updates[kind] = add(variable, reduce_sum(numbers, 1))
        values[kind] = convert_to_tensor(variable)
    return values, updates


def _checks(scores: Any) -> list[Any]:
    message = "predictions must be in [0, 1]"
    return [assert_greater_equal(scores, 0.0, message=message), assert_less_equal(scores, 1.0, message=message)]


def even_thresholds(count: int) -> list[float]:
    """Returns evenly spaced thresholds, of which the first and the last are just outside of the range of scores."""
    return [-EPSILON, *((i + 1) / (count - 1) for i in range(count - 2)), 1.0 + EPSILON]


def _kind_at_thresholds(
    kind: str, labels: Any, predictions: Any, thresholds: Any, weights: Any, collections: Any, name: str | None
) -> Pair:
    with metric_scope(f"{kind}_at_thresholds", name, kind):
        values, updates = counts_at_thresholds(labels, predictions, thresholds, weights, [kind])
        return collect(raw.Identity(input=values[kind]), updates[kind], *collections)


@export(v1=["metrics.true_positives_at_thresholds"])
def true_positives_at_thresholds(
    labels: TensorLike,
    predictions: TensorLike,
    thresholds: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: Collections = None,
    updates_collections: Collections = None,
    name: str | None = None,
) -> Pair:
    """Sums the weights of true positives, for each threshold.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     value, update = tf.compat.v1.metrics.true_positives_at_thresholds([True, True], [0.3, 0.8], [0.2, 0.5])
    ...     session.run(tf.compat.v1.local_variables_initializer())
    ...     session.run(update)
    array([2., 1.], dtype=float32)

    Args:
      labels: A tensor of truth values.
      predictions: A tensor of scores between 0 and 1, of the same shape.
      thresholds: A list of numbers; a score above counts as positive.
      weights: A tensor that broadcasts to the labels; None counts each answer once.
      metrics_collections: Collections that the value is added to.
      updates_collections: Collections that the update is added to.
      name: The scope of the variables and operations.

    Returns: The values so far, and the update that gives the values behind the batch.
    Raises: RuntimeError: in eager mode.
    """
    collections = metrics_collections, updates_collections
    return _kind_at_thresholds("true_positives", labels, predictions, thresholds, weights, collections, name)


@export(v1=["metrics.false_positives_at_thresholds"])
def false_positives_at_thresholds(
    labels: TensorLike,
    predictions: TensorLike,
    thresholds: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: Collections = None,
    updates_collections: Collections = None,
    name: str | None = None,
) -> Pair:
    """Sums the weights of false positives, for each threshold.

    Args: labels: As all arguments, see `tf.compat.v1.metrics.true_positives_at_thresholds`.
    """
    collections = metrics_collections, updates_collections
    return _kind_at_thresholds("false_positives", labels, predictions, thresholds, weights, collections, name)


@export(v1=["metrics.true_negatives_at_thresholds"])
def true_negatives_at_thresholds(
    labels: TensorLike,
    predictions: TensorLike,
    thresholds: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: Collections = None,
    updates_collections: Collections = None,
    name: str | None = None,
) -> Pair:
    """Sums the weights of true negatives, for each threshold.

    Args: labels: As all arguments, see `tf.compat.v1.metrics.true_positives_at_thresholds`.
    """
    collections = metrics_collections, updates_collections
    return _kind_at_thresholds("true_negatives", labels, predictions, thresholds, weights, collections, name)


@export(v1=["metrics.false_negatives_at_thresholds"])
def false_negatives_at_thresholds(
    labels: TensorLike,
    predictions: TensorLike,
    thresholds: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: Collections = None,
    updates_collections: Collections = None,
    name: str | None = None,
) -> Pair:
    """Sums the weights of false negatives, for each threshold.

    Args: labels: As all arguments, see `tf.compat.v1.metrics.true_positives_at_thresholds`.
    """
    collections = metrics_collections, updates_collections
    return _kind_at_thresholds("false_negatives", labels, predictions, thresholds, weights, collections, name)


def _share(counts: dict[str, Any], other: str, name: str) -> Any:
    right = counts["true_positives"]
    return raw.RealDiv(x=right, y=EPSILON + right + counts[other], name=name)


@export(v1=["metrics.precision_at_thresholds"])
def precision_at_thresholds(
    labels: Any,
    predictions: Any,
    thresholds: Any,
    weights: Any = None,
    metrics_collections: Collections = None,
    updates_collections: Collections = None,
    name: str | None = None,
) -> Pair:
    """Computes the part of positive predictions that is right, for each threshold.

    Args: labels: As all arguments, see `tf.compat.v1.metrics.true_positives_at_thresholds`.
    """
    with metric_scope("precision_at_thresholds", name, "precision_at_thresholds"):
        kinds = ("true_positives", "false_positives")
        values, updates = counts_at_thresholds(labels, predictions, thresholds, weights, kinds)
        value, update = (
            _share(values, kinds[1], "precision_value"),
            _share(updates, kinds[1], "precision_update_op"),
        )
        return collect(value, update, metrics_collections, updates_collections)


@export(v1=["metrics.recall_at_thresholds"])
def recall_at_thresholds(
    labels: Any,
    predictions: Any,
    thresholds: Any,
    weights: Any = None,
    metrics_collections: Collections = None,
    updates_collections: Collections = None,
    name: str | None = None,
) -> Pair:
    """Computes the part of positive labels that is found, for each threshold.

    Args: labels: As all arguments, see `tf.compat.v1.metrics.true_positives_at_thresholds`.
    """
    with metric_scope("recall_at_thresholds", name, "recall_at_thresholds"):
        kinds = ("true_positives", "false_negatives")
        values, updates = counts_at_thresholds(labels, predictions, thresholds, weights, kinds)
        value, update = _share(values, kinds[1], "recall_value"), _share(updates, kinds[1], "recall_update_op")
        return collect(value, update, metrics_collections, updates_collections)
