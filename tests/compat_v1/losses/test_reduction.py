"""How the losses of elements become one number."""

from __future__ import annotations

import numpy as np
import pytest

import millrace as tf

v1 = tf.compat.v1
LOSSES = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]
WEIGHTS = [[1.0, 0.0, 2.0], [0.0, 0.0, 3.0]]


@pytest.mark.parametrize(
    ("reduction", "expected"),
    [
        (v1.losses.Reduction.SUM, 25.0),
        (v1.losses.Reduction.MEAN, 25.0 / 6),
        (v1.losses.Reduction.SUM_OVER_BATCH_SIZE, 25.0 / 6),
        (v1.losses.Reduction.SUM_BY_NONZERO_WEIGHTS, 25.0 / 3),
    ],
)
def test_losses_are_reduced(reduction: str, expected: float) -> None:
    found = v1.losses.compute_weighted_loss(LOSSES, WEIGHTS, reduction=reduction)
    assert found.numpy() == pytest.approx(expected)


def test_losses_that_are_not_reduced_keep_their_shape() -> None:
    found = v1.losses.compute_weighted_loss(LOSSES, WEIGHTS, reduction=v1.losses.Reduction.NONE)
    assert np.array_equal(found.numpy(), np.multiply(LOSSES, WEIGHTS))


def test_no_weight_means_no_loss() -> None:
    assert v1.losses.compute_weighted_loss(LOSSES, 0.0).numpy() == 0


def test_a_graph_collects_losses_and_eager_mode_does_not() -> None:
    v1.losses.add_loss(tf.constant(1.0))
    with tf.Graph().as_default():
        assert v1.losses.get_losses() == []
        loss = v1.losses.mean_squared_error([1.0], [2.0])
        assert v1.losses.get_losses() == [loss]
