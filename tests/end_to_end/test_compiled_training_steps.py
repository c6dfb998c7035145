"""Training as Keras builds it: a compiled step on one batch, called in a plain function that takes an iterator.

The losses are real TensorFlow's, for the same program without compilation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.engines.compilations import compilation_count

LOSSES = [
    *[4.74553, 4.45949, 3.61667, 3.19598, 2.85157, 2.50509, 2.47842],
    *[0.46327, 0.38342, 0.31874, 0.27933, 0.2613, 0.23214, 0.2331],
]
"""The mean loss after each batch of two epochs; the last batch of an epoch has 2 rows instead of 8."""
WEIGHTS = [0.87660444, 1.8331472, -0.83221483, 0.41333205]


class Regression(tf.Module):
    """A linear model with the mean of its losses."""

    def __init__(self) -> None:
        super().__init__()
        self.weights = tf.Variable(tf.zeros([4, 1]))
        self.bias = tf.Variable([0.0])
        self.total, self.count = tf.Variable(0.0), tf.Variable(0.0)
        self.seen_shapes: list[Any] = []

    def step(self, data: Any) -> dict[str, Any]:
        x, y = data
        self.seen_shapes.append((x.shape.as_list(), y.shape.as_list()))
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((x @ self.weights + self.bias - y) ** 2)
        trained = [self.weights, self.bias]
        for variable, gradient in zip(trained, tape.gradient(loss, trained), strict=True):
            variable.assign_sub(0.1 * gradient)
        rows = tf.cast(tf.shape(x)[0], tf.float32)
        self.total.assign_add(loss * rows)
        self.count.assign_add(rows)
        return {"loss": self.total / self.count}


def several_steps(one_step: Callable[[Any], Any], iterator: Any, most: int) -> Any:
    """Runs up to so many steps in the graph, and returns the results of the last one, as Keras's trainer does."""
    empty = tf.experimental.Optional.empty(None)

    def condition(number: Any, results: Any, batch: Any) -> Any:
        return tf.logical_and(number < most, batch.has_value())

    def body(number: Any, results: Any, batch: Any) -> Any:
        def step() -> Any:
            new = tf.experimental.Optional.from_value(one_step(batch.get_value()))
            empty._element_spec = new.element_spec
            return new

        def keep() -> Any:
            results._element_spec = empty._element_spec
            return results

        results = tf.cond(tf.logical_and(number < most, batch.has_value()), step, keep)
        following = tf.cond(number + 1 < most, lambda: iterator.get_next_as_optional(), lambda: batch)
        return number + 1, results, following

    first = [tf.constant(0), empty, iterator.get_next_as_optional()]
    _, results, _ = tf.while_loop(condition, body, first)
    results._element_spec = empty.element_spec
    return results


def train_function(model: Regression, jit_compile: bool | None, steps: int) -> Callable[[Any], Any]:
    options = {"autograph": False, "reduce_retracing": True}
    one_step = tf.function(model.step, jit_compile=jit_compile, **options)

    def run(iterator: Any) -> Any:
        if steps == 1:
            return tf.experimental.Optional.from_value(one_step(iterator.get_next()))
        return several_steps(one_step, iterator, steps)

    return tf.function(run, **options)


def batches() -> Any:
    x = np.random.RandomState(0).randn(50, 4).astype(np.float32)
    y = x @ np.array([[1.0], [2.0], [-1.0], [0.5]], np.float32)
    return tf.data.Dataset.from_tensor_slices((x, y)).batch(8)


def losses(model: Regression, train: Callable[[Any], Any]) -> Iterator[float]:
    for _ in range(2):
        model.total.assign(0.0)
        model.count.assign(0.0)
        iterator = iter(batches())
        while True:
            try:
                results = train(iterator)
            except tf.errors.OutOfRangeError:
                break
            if not results.has_value():
                break
            yield float(results.get_value()["loss"])


@pytest.mark.parametrize("jit_compile", [None, pytest.param(True, marks=pytest.mark.xla)])
@pytest.mark.parametrize("steps", [1, 3])
def test_losses_and_weights_are_tensorflows(jit_compile: bool | None, steps: int) -> None:
    model = Regression()
    before = compilation_count()
    found = list(losses(model, train_function(model, jit_compile, steps)))
    expected = LOSSES if steps == 1 else [LOSSES[i] for i in (2, 5, 6, 9, 12, 13)]
    np.testing.assert_allclose(found, expected, atol=2e-5)
    np.testing.assert_allclose(np.ravel(model.weights), WEIGHTS, rtol=1e-5)
    assert compilation_count() - before == (2 if jit_compile else 0)  # for 8 rows, and for 2
    assert model.seen_shapes == [([None, 4], [None, 1])]


@pytest.mark.xla
def test_weights_that_are_set_between_compiled_steps_are_those_that_the_next_step_trains() -> None:
    model = Regression()
    train = train_function(model, True, 1)
    iterator = iter(batches().repeat())
    train(iterator)
    model.weights.assign(tf.ones([4, 1]))
    model.bias.assign_add([2.0])
    twin = Regression()
    twin.weights.assign(model.weights)
    twin.bias.assign(model.bias)
    x, y = next(iterator)
    other = iter(tf.data.Dataset.from_tensors((x, y)))
    again = iter(tf.data.Dataset.from_tensors((x, y)))
    train(other)
    train_function(twin, None, 1)(again)
    np.testing.assert_allclose(model.weights, twin.weights, rtol=1e-5)
    np.testing.assert_allclose(model.bias, twin.bias, rtol=1e-5)
