"""Metrics over several batches, against NumPy over all of them at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import millrace as tf

v1 = tf.compat.v1
RNG = np.random.default_rng(3)
LABELS = RNG.random([4, 20]) < 0.4
SCORES = np.clip(RNG.random([4, 20]) * 0.6 + LABELS * 0.3, 0, 1).astype(np.float32)


def streamed(make: Callable[..., Any]) -> Any:
    with tf.Graph().as_default(), v1.Session() as session:
        labels, scores = v1.placeholder(tf.bool, [None]), v1.placeholder(tf.float32, [None])
        value, update = make(labels, scores)
        session.run(v1.local_variables_initializer())
        for batch in zip(LABELS, SCORES):
            last = session.run(update, {labels: batch[0], scores: batch[1]})
        found = session.run(value)
        np.testing.assert_allclose(found, last)
        return found


def test_the_area_below_a_fine_curve_is_the_part_of_pairs_in_order() -> None:
    positive, negative = SCORES[LABELS], SCORES[~LABELS]
    expected = np.mean(positive[:, None] > negative)
    assert streamed(lambda x, y: v1.metrics.auc(x, y, num_thresholds=2000)) == pytest.approx(expected, abs=5e-3)


@pytest.mark.parametrize("threshold", [0.2, 0.5, 0.8])
def test_rates_at_a_threshold_are_those_of_all_batches(threshold: float) -> None:
    guesses = threshold < SCORES
    precision = (guesses & LABELS).sum() / guesses.sum()
    recall = (guesses & LABELS).sum() / LABELS.sum()
    assert streamed(lambda x, y: v1.metrics.precision(x, y > threshold)) == pytest.approx(precision)
    assert streamed(lambda x, y: v1.metrics.recall_at_thresholds(x, y, [threshold])) == pytest.approx([recall])


def test_a_mean_counts_all_values_alike() -> None:
    assert streamed(lambda x, y: v1.metrics.mean(y)) == pytest.approx(SCORES.mean(), rel=1e-6)


def test_metrics_need_a_graph() -> None:
    with pytest.raises(RuntimeError, match=r"tf\.metrics\.mean is not supported when eager execution is enabled"):
        v1.metrics.mean([1.0])
