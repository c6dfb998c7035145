"""Metrics of curves: the area below, and one rate where the other has a given value.

Thresholds cut a curve into pieces; the rates at the thresholds are its corners.

Tests: tests/oracle/programs/v1_metrics.py
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from millrace._src.compat_v1.metrics.streaming import (
    Collections,
    Pair,
    collect,
    metric_scope,
)
from millrace._src.compat_v1.metrics.thresholds import EPSILON, counts_at_thresholds, even_thresholds
from millrace._src.core import dtypes as d
from millrace._src.core.argument_types import TensorLike
from millrace._src.ops import raw
from millrace._src.ops.array.filling import ones_like
from millrace._src.ops.array.selecting import where_select
from millrace._src.ops.math.arg_reductions import argmax, argmin
from millrace._src.ops.math.casting import cast
from millrace._src.ops.math.cumulative import cumsum
from millrace._src.ops.math.division import divide_no_nan
from millrace._src.ops.math.reduce import reduce_min, reduce_sum
from millrace._src.util.export import export

_KINDS = ("true_positives", "false_negatives", "true_negatives", "false_positives")
_METHODS = ("trapezoidal", "careful_interpolation", "minoring", "majoring")
_SMALL = 1e-6


@export(v1=["metrics.auc"])
def auc(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike | None = None,
    num_thresholds: int = 200,
    metrics_collections: Collections = None,
    updates_collections: Collections = None,
    curve: str = "ROC",
    name: str | None = None,
    summation_method: str = "trapezoidal",
    thresholds: Sequence[float] | None = None,
) -> Pair:
    """Approximates the area below the curve of rates.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     labels, scores = tf.constant([True, True, False, False]), tf.constant([0.9, 0.4, 0.5, 0.1])
    ...     value, update = tf.compat.v1.metrics.auc(labels, scores)
    ...     session.run(tf.compat.v1.local_variables_initializer())
    ...     round(session.run(update).item(), 3)
    0.75

    Args:
      labels: A tensor of truth values.
      predictions: A tensor of scores between 0 and 1, of the same shape.
      weights: A tensor that broadcasts to the labels; None counts each answer once.
      num_thresholds: How many thresholds are spread evenly.
      metrics_collections: Collections that the value is added to.
      updates_collections: Collections that the update is added to.
      curve: "ROC": true positives over false positives; "PR": precision over recall.
      name: The scope of the variables and operations.
      summation_method: "trapezoidal", "careful_interpolation" (for "PR"), "minoring" or "majoring".
      thresholds: The thresholds between 0 and 1, ascending, in index of `num_thresholds`.

    Returns: The value so far, and the update that gives the value behind the batch.
    Raises:
      RuntimeError: in eager mode.
      ValueError: if the curve or the method is unknown, or thresholds are not in order.
    """
    with metric_scope("auc", name, "auc"):
        if curve not in ("ROC", "PR"):
            raise ValueError(f"Curve must be either ROC or PR. Curve {curve} is unknown.")
        if summation_method not in _METHODS:
            raise ValueError(
                f"Invalid summation_method: {summation_method} summation_method should be 'trapezoidal', "
                "'careful_interpolation', 'minoring', or 'majoring'."
            )
        limits = even_thresholds(num_thresholds) if thresholds is None else _frame(thresholds)
        counts = counts_at_thresholds(labels, predictions, limits, weights, _KINDS)
        value, update = (
            _area(kinds, curve, summation_method, part) for kinds, part in zip(counts, ("value", "update_op"))
        )
        return collect(value, update, metrics_collections, updates_collections)


def _frame(thresholds: Sequence[float]) -> list[float]:
    limits = [-EPSILON, *sorted(thresholds), 1.0 + EPSILON]
    if list(thresholds) != limits[1:-1] or any(not 0.0 <= limit <= 1.0 for limit in thresholds):
        raise ValueError(f"thresholds must be ascending numbers between 0 and 1, not {list(thresholds)}.")
    return limits


def _area(counts: dict[str, Any], curve: str, method: str, name: str) -> Any:
    tp, fn, tn, fp = (counts[kind] for kind in _KINDS)
    if curve == "PR" and method == "careful_interpolation":
        return _interpolate_area(tp, fn, fp)
    recall = raw.RealDiv(x=tp + _SMALL, y=tp + fn + _SMALL)
    if curve == "ROC":
        x, y = raw.RealDiv(x=fp, y=fp + tn + _SMALL), recall
    else:
        x, y = recall, raw.RealDiv(x=tp + _SMALL, y=tp + fp + _SMALL)
    heights = {"minoring": raw.Minimum, "majoring": raw.Maximum}.get(method)
    height = (y[:-1] + y[1:]) / 2.0 if heights is None else heights(x=y[:-1], y=y[1:])
    return reduce_sum(raw.Mul(x=x[:-1] - x[1:], y=height), name=name)


def _interpolate_area(tp: Any, fn: Any, fp: Any) -> Any:
    """Returns the area below a curve of precision over recall whose pieces are hyperbolas.

    Davis & Goadrich, "The Relationship Between Precision-Recall and ROC Curves", 2006.
    """
    positive = tp + fp
    new_right = tp[:-1] - tp[1:]
    slope = divide_no_nan(new_right, raw.Maximum(x=positive[:-1] - positive[1:], y=0.0), name="prec_slope")
    intercept = tp[1:] - slope * positive[1:]
    has_both = raw.LogicalAnd(x=raw.Greater(x=positive[:-1], y=0.0), y=raw.Greater(x=positive[1:], y=0.0))
    ratio = divide_no_nan(positive[:-1], raw.Maximum(x=positive[1:], y=0.0), name="recall_relative_ratio")
    logarithm = raw.Log(x=where_select(has_both, ratio, ones_like(positive[1:])))
    piece = divide_no_nan(
        slope * (new_right + intercept * logarithm),
        raw.Maximum(x=tp[1:] + fn[1:], y=0.0),
        name="pr_auc_increment",
    )
    return reduce_sum(piece, name="interpolate_pr_auc")


@export(v1=["metrics.sensitivity_at_specificity"])
def sensitivity_at_specificity(
    labels: TensorLike,
    predictions: TensorLike,
    specificity: float,
    weights: TensorLike | None = None,
    num_thresholds: int = 200,
    metrics_collections: Collections = None,
    updates_collections: Collections = None,
    name: str | None = None,
) -> Pair:
    """Computes the part of positive labels that is found, at the threshold where a part of negatives is.

    Args:
      labels: A tensor of truth values.
      predictions: A tensor of scores between 0 and 1, of the same shape.
      specificity: The part of negative labels that is to be predicted as negative.
      weights: A tensor that broadcasts to the labels; None counts each answer once.
      num_thresholds: How many thresholds are spread evenly.
      metrics_collections: Collections that the value is added to.
      updates_collections: Collections that the update is added to.
      name: The scope of the variables and operations.

    Returns: The value so far, and the update that gives the value behind the batch.
    Raises:
      RuntimeError: in eager mode.
      ValueError: if `specificity` is not between 0 and 1.
    """
    with metric_scope("sensitivity_at_specificity", name, "sensitivity_at_specificity"):
        if not 0 <= specificity <= 1:
            raise ValueError(f"`specificity` must be in the range [0, 1]. Currently, `specificity` got {specificity}.")
        limits = even_thresholds(num_thresholds)
        counts = counts_at_thresholds(labels, predictions, limits, weights, _KINDS)
        value, update = (_sensitivity(kinds, specificity, part) for kinds, part in zip(counts, ("value", "update_op")))
        return collect(value, update, metrics_collections, updates_collections)


def _sensitivity(counts: dict[str, Any], specificity: float, name: str) -> Any:
    tp, fn, tn, fp = (counts[kind] for kind in _KINDS)
    rates = raw.RealDiv(x=tn, y=tn + fp + EPSILON)
    index = cast(argmin(raw.Abs(x=rates - specificity), 0), d.int32)
    return raw.RealDiv(x=tp[index], y=tp[index] + fn[index] + EPSILON, name=name)


@export(v1=["metrics.specificity_at_sensitivity"])
def specificity_at_sensitivity(
    labels: TensorLike,
    predictions: TensorLike,
    sensitivity: float,
    weights: TensorLike | None = None,
    num_thresholds: int = 200,
    metrics_collections: Collections = None,
    updates_collections: Collections = None,
    name: str | None = None,
) -> Pair:
    """Computes the part of negative labels that is found, at the threshold where a part of positives is.

    Args:
      labels: A tensor of truth values.
      predictions: A tensor of scores between 0 and 1, of the same shape.
      sensitivity: The part of positive labels that is to be predicted as positive.
      weights: A tensor that broadcasts to the labels; None counts each answer once.
      num_thresholds: How many thresholds are spread evenly.
      metrics_collections: Collections that the value is added to.
      updates_collections: Collections that the update is added to.
      name: The scope of the variables and operations.

    Returns: The value so far, and the update that gives the value behind the batch.
    Raises:
      RuntimeError: in eager mode.
      ValueError: if `sensitivity` is not between 0 and 1.
    """
    with metric_scope("specificity_at_sensitivity", name, "specificity_at_sensitivity"):
        if not 0 <= sensitivity <= 1:
            raise ValueError(f"`sensitivity` must be in the range [0, 1]. Currently, `sensitivity` is {sensitivity}.")
        limits = even_thresholds(num_thresholds)
        counts = counts_at_thresholds(labels, predictions, limits, weights, _KINDS)
        value, update = (_specificity(kinds, sensitivity, part) for kinds, part in zip(counts, ("value", "update_op")))
        return collect(value, update, metrics_collections, updates_collections)


def _specificity(counts: dict[str, Any], sensitivity: float, name: str) -> Any:
    """Returns the specificity at the last of the thresholds whose sensitivity is nearest."""
    tp, fn, tn, fp = (counts[kind] for kind in _KINDS)
    distances = raw.Abs(x=raw.RealDiv(x=tp, y=tp + fn + EPSILON) - sensitivity)
    is_nearest = cast(raw.Equal(x=distances, y=reduce_min(distances)), d.int64)
    index = cast(argmax(cumsum(is_nearest), 0), d.int32)
    return raw.RealDiv(x=tn[index], y=tn[index] + fp[index] + EPSILON, name=name)
