"""Gradients of rectifiers go before those of pools: where, where not, and equal results."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.core.context import eager_engine
from tests.passes.tracing import optimized, types

IMAGES = tf.TensorSpec([None, 9, 8, 3], tf.float32)
PLAIN = "constant_folding dead_code_elimination"


def gradient_of(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def run(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
            loss = tf.reduce_sum(y * tf.math.sin(3.0 * y))
        return tape.gradient(loss, x)

    return run


def order(function: Callable[[Any], Any], array: Any) -> list[str]:
    """The gradient ops in run order; the results are those without the pass."""
    spec = tf.TensorSpec([None, *array.shape[1:]], array.dtype)
    graph = optimized(gradient_of(function), spec)
    other = optimized(gradient_of(function), spec, passes=PLAIN)
    with np.errstate(all="ignore"):
        found, wanted = (eager_engine().compile(g).run(array)[0] for g in (graph, other))
    np.testing.assert_allclose(found, wanted, rtol=1e-5)
    return [name for name in types(graph) if name in ("ReluGrad", "Relu6Grad", "MaxPoolGrad", "MaxPool3DGrad")]


def images(batch: int = 2, seed: int = 0) -> Any:
    return np.random.RandomState(seed).normal(0.5, 3, (batch, 9, 8, 3)).round(0).astype(np.float32)


@pytest.mark.parametrize("batch", [0, 1, 2])
@pytest.mark.parametrize(("size", "stride", "padding"), [(2, 2, "VALID"), (3, 2, "SAME"), (3, 1, "VALID")])
def test_the_mask_goes_before_the_pool(batch: int, size: int, stride: int, padding: str) -> None:
    found = order(lambda x: tf.nn.max_pool2d(tf.nn.relu(x), size, stride, padding), images(batch))
    assert found == ["ReluGrad", "MaxPoolGrad"]
    found = order(lambda x: tf.nn.max_pool2d(tf.nn.relu6(x), size, stride, padding), images(batch))
    assert found == ["Relu6Grad", "MaxPoolGrad"]


def test_many_elements_go_through_the_library() -> None:
    x = np.tile(images(), (8, 4, 4, 4))
    assert order(lambda x: tf.nn.max_pool2d(tf.nn.relu(x), 2, 2, "VALID"), x) == ["ReluGrad", "MaxPoolGrad"]


@pytest.mark.parametrize("repeats", [1, 8])
def test_nan_and_infinities_are_masked_alike(repeats: int) -> None:
    x = np.tile(images(), (repeats, 4, 4, 4))
    x[0, 0, 0], x[0, 3, 3], x[1, 5, 5], x[1, :4, :4, 1] = np.nan, np.inf, -np.inf, -np.inf
    assert order(lambda x: tf.nn.max_pool2d(tf.nn.relu(x), 2, 2, "VALID"), x) == ["ReluGrad", "MaxPoolGrad"]


def test_volumes_are_pooled_too() -> None:
    x = np.random.RandomState(0).normal(size=(2, 4, 4, 4, 3)).astype(np.float32)
    assert order(lambda x: tf.nn.max_pool3d(tf.nn.relu(x), 2, 2, "VALID"), x) == ["ReluGrad", "MaxPool3DGrad"]


def test_a_gradient_that_others_read_stays() -> None:
    def f(x: Any) -> Any:
        y = tf.nn.relu(x)
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(y)
            z = tf.nn.max_pool2d(y, 2, 2, "VALID")
        dy = tape.gradient(z, y)
        return dy, tf.raw_ops.ReluGrad(gradients=dy, features=y)

    assert types(optimized(f, IMAGES))[-2:] == ["MaxPoolGrad", "ReluGrad"]


def test_two_paths_from_a_rectifier_stay() -> None:
    def f(x: Any) -> Any:
        y = tf.nn.relu(x)
        return tf.nn.max_pool2d(y, 2, 2, "VALID") * tf.reduce_sum(y)

    assert order(f, images()) == ["MaxPoolGrad", "ReluGrad"]


@pytest.mark.parametrize("selected", ["other_windows", "other_array"])
def test_results_of_other_pools_stay(selected: str) -> None:
    def f(x: Any) -> Any:
        y = tf.nn.relu(x)
        attrs: dict[str, Any] = {"ksize": [1, 2, 2, 1], "strides": [1, 2, 2, 1], "padding": "VALID"}
        other = {**attrs, "ksize": [1, 1, 1, 1]} if selected == "other_windows" else attrs
        pool = tf.raw_ops.MaxPool(input=x if selected == "other_array" else y, **other)[:, :4]
        gradient = tf.raw_ops.MaxPoolGrad(orig_input=y, orig_output=pool, grad=pool, **attrs)
        return tf.raw_ops.ReluGrad(gradients=gradient, features=y)

    assert types(optimized(f, IMAGES))[-2:] == ["MaxPoolGrad", "ReluGrad"]
