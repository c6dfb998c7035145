"""Weights that broadcast to values, and labels without a last dimension of size 1."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.compat_v1.weights import broadcast_weights, check_broadcast, fit_weights, squeeze_like

VALUES = np.ones([2, 3], np.float32)


@pytest.mark.parametrize("weights", [2.0, [[1.0], [3.0]], [[1.0, 2.0, 3.0]], VALUES])
def test_weights_take_the_shape_of_the_values(weights: Any) -> None:
    expected = np.broadcast_to(np.asarray(weights, np.float32), VALUES.shape)
    assert np.array_equal(broadcast_weights(weights, VALUES).numpy(), expected)


@pytest.mark.parametrize(
    ("weights", "words"),
    [([1.0, 2.0, 3.0], "values.rank=2. weights.rank=1"), ([[1.0], [1.0], [1.0]], "Mismatch at dim 0")],
)
def test_weights_of_another_shape_are_refused(weights: Any, words: str) -> None:
    with pytest.raises(ValueError, match=f"weights can not be broadcast to values.*{words}"):
        broadcast_weights(weights, VALUES)


def test_shapes_that_are_not_known_are_checked_when_the_graph_runs() -> None:
    @tf.function(input_signature=[tf.TensorSpec(None), tf.TensorSpec(None)])
    def f(weights: Any, values: Any) -> Any:
        with check_broadcast(weights, values):
            return weights * values

    assert f(tf.constant([[1.0], [2.0]]), VALUES).numpy().sum() == 9
    for refused in ([1.0, 2.0, 3.0], [[1.0, 2.0]]):
        with pytest.raises(tf.errors.InvalidArgumentError, match="weights can not be broadcast to values"):
            f(tf.constant(refused), VALUES)


@pytest.mark.parametrize("is_known", [True, False])
def test_a_last_dimension_of_one_is_dropped(is_known: bool) -> None:
    spec = tf.TensorSpec([2, 1] if is_known else None)

    @tf.function(input_signature=[spec])
    def f(labels: Any) -> Any:
        return squeeze_like(labels, tf.constant([1.0, 2.0]))[0]

    assert f(tf.constant([[1.0], [2.0]])).shape.as_list() == [2]


@pytest.mark.parametrize("is_known", [True, False])
@pytest.mark.parametrize(("shape", "expected"), [([2, 3, 1], [2, 3]), ([2], [2, 1]), ([2, 1], [2, 1]), ([], [])])
def test_weights_get_the_rank_of_the_values(shape: list[int], expected: list[int], is_known: bool) -> None:
    @tf.function(input_signature=[tf.TensorSpec(shape if is_known else None)])
    def f(weights: Any) -> Any:
        return fit_weights(weights, tf.constant(VALUES))

    assert f(tf.ones(shape)).shape.as_list() == expected
