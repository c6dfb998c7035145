"""What is known of sizes that are unknown but equal: gradients of broadcasting ops without questions at run time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import millrace as tf
from millrace._src.core.context import eager_engine
from millrace._src.ops.array.broadcasting import _axes_of_sizes, broadcast_gradient_args
from tests.passes.tracing import optimized, types

ANY = tf.TensorSpec([None, 3], tf.float32)
ANY_SIZES = tf.TensorSpec([None, None, 3], tf.float32)
QUESTION = "BroadcastGradientArgs"


def gradients(function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns the function that gives the result, and the gradients of its sum of squares."""

    def run(*inputs: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(inputs)
            y = function(*inputs)
            loss = tf.reduce_sum(y * y)
        return [y, *tape.gradient(loss, inputs)]

    return run


def check(function: Callable[..., Any], specs: list[Any], inputs: list[Any], questions: int) -> None:
    """Compares the optimized graph with eager execution, and counts what is asked at run time."""
    graph = optimized(gradients(function), *specs)
    assert types(graph).count(QUESTION) == questions
    found = eager_engine().compile(graph).run(*inputs)
    for array, wanted in zip(found, gradients(function)(*map(tf.constant, inputs)), strict=True):
        assert array.shape == tuple(wanted.shape)
        np.testing.assert_allclose(array, wanted, rtol=1e-5, atol=1e-5)


def numbers(*shape: int, seed: int = 0) -> Any:
    return np.random.RandomState(seed).normal(size=shape).astype(np.float32)


def centered(x: Any) -> Any:
    return x - tf.reduce_mean(x, -1, keepdims=True)


def scaled_by_softmax(x: Any) -> Any:
    return x * tf.exp(x - tf.reduce_max(x, -1, keepdims=True)) / (1.0 + tf.reduce_sum(x * x, 0))


@pytest.mark.parametrize("function", [centered, scaled_by_softmax, lambda x: tf.tanh(x) * x + tf.identity(x)])
@pytest.mark.parametrize("batch", [0, 1, 4])
def test_what_comes_from_one_array_is_not_asked(function: Any, batch: int) -> None:
    check(function, [ANY], [numbers(batch, 3)], 0)


@pytest.mark.parametrize("sizes", [(2, 5), (1, 5), (1, 1)])
def test_several_unknown_sizes(sizes: tuple[int, int]) -> None:
    check(lambda x: centered(x) * tf.sigmoid(x), [ANY_SIZES], [numbers(*sizes, 3)], 0)


@pytest.mark.parametrize(("first", "second"), [(4, 4), (1, 4), (4, 1), (1, 1)])
def test_two_arrays_are_asked(first: int, second: int) -> None:
    check(lambda x, y: x * y, [ANY, ANY], [numbers(first, 3), numbers(second, 3, seed=1)], 1)


def test_an_array_that_two_others_decide_has_sizes_of_its_own() -> None:
    for first, second in ((4, 4), (1, 4), (4, 1)):
        check(lambda x, y: (x + y) * x, [ANY, ANY], [numbers(first, 3), numbers(second, 3, seed=1)], 2)


def test_a_reshape_to_the_own_shape_goes_and_an_impossible_one_stays_an_error() -> None:
    graph = optimized(lambda x, y: [tf.reshape(tf.tanh(x), tf.shape(x)) + tf.reduce_sum(x * tf.tanh(x))], ANY, ANY)
    assert "Reshape" in types(graph)  # nothing here asks for sizes, so nothing is looked at
    function = gradients(lambda x, y: centered(x) + tf.reduce_sum(tf.reshape(y, tf.shape(x))))
    compiled = eager_engine().compile(optimized(function, ANY, ANY))
    with pytest.raises(tf.errors.InvalidArgumentError, match="reshape"):
        compiled.run(numbers(4, 3), numbers(5, 3))


def test_loops_and_branches_keep_their_own_sizes() -> None:
    def function(x: Any) -> Any:
        y = tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a * tf.reduce_mean(a, -1, keepdims=True)), [0, x])[1]
        return tf.cond(tf.reduce_sum(x) > 0.0, lambda: y * tf.reduce_max(y, -1, keepdims=True), lambda: y - x)

    spec = tf.function(gradients(function), input_signature=[ANY])
    for batch in (1, 4):
        x = tf.constant(numbers(batch, 3))
        for found, wanted in zip(spec(x), gradients(function)(x), strict=True):
            np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.integers(1, 3), max_size=4), st.lists(st.integers(1, 3), max_size=4), st.data())
def test_axes_of_unknown_sizes_are_those_of_any_numbers(a: list[int], b: list[int], data: st.DataObject) -> None:
    """Hides some sizes that are equal at both ends, and compares sums over the axes."""
    rank = max(len(a), len(b))
    first, second = [1] * (rank - len(a)) + a, [1] * (rank - len(b)) + b
    if any(x != y and 1 not in (x, y) for x, y in zip(first, second, strict=True)):
        return
    hidden = [x == y and data.draw(st.booleans()) for x, y in zip(first, second, strict=True)]
    names = [[f"size {i}" if hidden[i] else n for i, n in enumerate(sizes)] for sizes in (first, second)]
    found = _axes_of_sizes(names[0][rank - len(a) :], names[1][rank - len(b) :])
    real = broadcast_gradient_args(s0=np.array(a, np.int32), s1=np.array(b, np.int32))
    assert found is not None
    for axes, wanted, sizes in zip(found, real, (first, second), strict=True):
        # Sums over axes of size 1 of the result change nothing.
        widths = [max(x, y) for x, y in zip(first, second, strict=True)]
        assert {i for i in axes if widths[i] > 1} == {int(i) for i in wanted.numpy() if widths[int(i)] > 1}
        assert all(sizes[i] == 1 for i in axes)
