"""Gradients of composites: of ragged tensors, and of the user's own types."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf
from millrace._src.core.composite_gradients import (
    CompositeTensorGradient,
    WithValuesCompositeTensorGradient,
    gradient_parts,
    gradients_of_leaves,
)


class Numbers(tf.experimental.ExtensionType):
    values: tf.Tensor
    label: tf.Tensor

    __composite_gradient__ = WithValuesCompositeTensorGradient()

    def with_values(self, values: Any) -> Numbers:
        return Numbers(values, self.label)


class Both(tf.experimental.ExtensionType):
    numbers: Numbers
    scale: tf.Tensor

    class Rule(CompositeTensorGradient):
        def get_gradient_components(self, value: Any) -> Any:
            return {"n": value.numbers, "s": value.scale}

        def replace_gradient_components(self, value: Any, component_grads: Any) -> Any:
            return Both(component_grads["n"], component_grads["s"])

    __composite_gradient__ = Rule()


class Plain(tf.experimental.ExtensionType):
    x: tf.Tensor


def ragged(*values: float) -> Any:
    return tf.RaggedTensor.from_row_lengths(tf.constant(values), [1, 0, len(values) - 1])


def test_the_gradient_of_a_ragged_tensor_has_the_same_rows() -> None:
    x = ragged(1.0, 2.0, 3.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x.with_values(x.values * x.values)
        total = tf.reduce_sum(y.values)
    assert tape.gradient(total, x).to_list() == tape.gradient(y, x).to_list() == [[2.0], [], [4.0, 6.0]]
    weighted = tape.gradient(y, {"x": x}, output_gradients=ragged(1.0, 0.0, 10.0))
    assert weighted["x"].to_list() == [[2.0], [], [0.0, 60.0]]


def test_a_ragged_tensor_that_is_not_used_has_no_gradient() -> None:
    x, other = ragged(1.0, 2.0), ragged(1.0, 2.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([x, other])
        y = x.values * 2.0
    assert tape.gradient(y, other) is None
    zeros = tape.gradient(y, other, unconnected_gradients=tf.UnconnectedGradients.ZERO)
    assert zeros.to_list() == [[0.0], [], [0.0]]


def test_gradients_in_a_graph_are_ragged_too() -> None:
    @tf.function
    def f(x: Any) -> Any:
        return tf.gradients(x.with_values(x.values * x.values), [x, x.values])

    first, second = f(ragged(1.0, 2.0, 3.0))
    assert first.to_list() == [[2.0], [], [4.0, 6.0]] and second.numpy().tolist() == [2.0, 4.0, 6.0]


def test_functions_of_ragged_tensors_have_gradients() -> None:
    f = tf.function(lambda x: x.with_values(x.values * 3.0))
    x = ragged(1.0, 2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    assert tape.gradient(y, x).to_list() == [[3.0], [], [3.0]]


def test_a_type_may_state_which_parts_have_gradients() -> None:
    value = Both(Numbers([1.0, 2.0], "a"), 3.0)
    with tf.GradientTape() as tape:
        tape.watch(value)
        y = tf.reduce_sum(value.numbers.values) * value.scale
    gradient = tape.gradient(y, value)
    assert gradient.numbers.values.numpy().tolist() == [3.0, 3.0] and gradient.scale.numpy() == 3.0
    assert gradient.numbers.label.numpy() == b"a"


def test_other_composites_are_refused() -> None:
    sparse = tf.SparseTensor([[0]], [1.0], [2])
    for value in (Plain(1.0), sparse):
        message = f"Type {type(value).__name__} is not supported as a gradient source or gradient target"
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(value)
            y = tf.constant(1.0)
        with pytest.raises(ValueError, match=message):
            tape.gradient(y, value)
        with pytest.raises(ValueError, match=message):
            tape.gradient(value, y)


def test_tensors_alone_stay_as_they_are() -> None:
    leaves = [tf.constant(1.0), tf.Variable(2.0)]
    assert gradient_parts(leaves) is leaves and gradients_of_leaves(leaves, [1, 2]) == [1, 2]


def test_forward_mode_carries_tangents_of_ragged_tensors() -> None:
    x = ragged(1.0, 2.0, 3.0)
    with tf.autodiff.ForwardAccumulator(x, ragged(1.0, 0.0, 10.0)) as accumulator:
        y = x.with_values(x.values * x.values)
    assert accumulator.jvp(y).to_list() == [[2.0], [], [0.0, 60.0]]
    assert accumulator.jvp(y.values).numpy().tolist() == [2.0, 0.0, 60.0]
    assert accumulator.jvp(ragged(5.0, 6.0)) is None
    with pytest.raises(ValueError, match="Type Plain is not supported"):
        tf.autodiff.ForwardAccumulator(Plain(1.0), Plain(1.0))


def test_dlpack_and_variables_take_no_composites() -> None:
    for value in (ragged(1.0, 2.0), tf.SparseTensor([[0]], [1.0], [2]), Plain(1.0)):
        with pytest.raises(tf.errors.InvalidArgumentError, match="must be a TF tensor, not Python object"):
            tf.experimental.dlpack.to_dlpack(value)
        with pytest.raises((ValueError, TypeError), match="unsupported type"):
            tf.Variable(value)
