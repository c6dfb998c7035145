"""The losses against their formulas in NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf

losses = tf.compat.v1.losses
LABELS = np.array([[0.0, 1.0, 0.5], [1.0, 0.25, 0.0]], np.float32)
PREDICTIONS = np.array([[0.3, 0.6, 0.5], [0.9, 0.75, 0.1]], np.float32)
ERRORS = np.abs(PREDICTIONS - LABELS)


@pytest.mark.parametrize(
    ("loss", "expected"),
    [
        (losses.absolute_difference, ERRORS),
        (losses.mean_squared_error, ERRORS**2),
        (losses.huber_loss, ERRORS**2 / 2),
        (losses.hinge_loss, np.maximum(0, 1 - (2 * LABELS - 1) * PREDICTIONS)),
        (losses.log_loss, -LABELS * np.log(PREDICTIONS) - (1 - LABELS) * np.log(1 - PREDICTIONS)),
        (losses.sigmoid_cross_entropy, np.log1p(np.exp(PREDICTIONS)) - LABELS * PREDICTIONS),
    ],
)
def test_a_loss_is_the_mean_of_its_formula(loss: Any, expected: Any) -> None:
    assert loss(LABELS, PREDICTIONS).numpy() == pytest.approx(expected.mean(), rel=1e-5)


def test_pairwise_errors_are_those_of_all_pairs() -> None:
    differences = PREDICTIONS - LABELS
    pairs = [(row[i] - row[j]) ** 2 for row in differences for i in range(3) for j in range(i)]
    found = losses.mean_pairwise_squared_error(LABELS, PREDICTIONS)
    assert found.numpy() == pytest.approx(sum(pairs) / 3, rel=1e-5)
