"""`FakeParam`, which represents values that no operation reads, and branches that return it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import Sample

SAMPLES = [
    Sample("FakeParam", [], {"dtype": dtype, "shape": shape})
    for dtype, shape in [
        (tf.float32, [2, 3]),
        (tf.int8, []),
        (tf.bool, [0]),
        (tf.bfloat16, [1, 2]),
        (tf.complex64, [2]),
        (tf.string, [2]),
    ]
]


@pytest.mark.parametrize(("shape", "sizes"), [([None, 3], (0, 3)), (None, ()), ([], ()), ([2], (2,))])
def test_unknown_dimensions_are_empty(shape: Any, sizes: tuple[int, ...]) -> None:
    assert tf.raw_ops.FakeParam(dtype=tf.float32, shape=shape).shape == sizes


def test_a_graph_knows_the_shape_as_it_is_declared() -> None:
    with tf.Graph().as_default():
        tensor = tf.raw_ops.FakeParam(dtype=tf.float32, shape=[None, 3])
        assert (tensor.name, tensor.shape.as_list()) == ("FakeParam:0", [None, 3])


def test_handles_are_refused() -> None:
    with pytest.raises(tf.errors.UnimplementedError, match="variant"):
        tf.raw_ops.FakeParam(dtype=tf.variant, shape=[])


def slope(function: Any, x: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    return tape.gradient(y, x)


def chosen(x: Any) -> Any:
    return tf.cond(tf.reduce_sum(x) > 0.0, lambda: tf.exp(x) * x, lambda: tf.sin(x * x))


def one_of_three(x: Any) -> Any:
    index = tf.cast(tf.reduce_sum(x), tf.int32)
    return tf.switch_case(index, [lambda: tf.exp(x) * x, lambda: tf.sin(x * x), lambda: chosen(x * 2.0)])


@pytest.mark.parametrize("jit_compile", [None, pytest.param(True, marks=pytest.mark.xla)])
@pytest.mark.parametrize("function", [chosen, one_of_three])
@pytest.mark.parametrize("total", [-1.5, 0.5, 1.5, 2.5])
def test_gradients_of_branches_in_a_trace_of_unknown_size(function: Any, total: float, jit_compile: Any) -> None:
    x = tf.constant([total - 0.25, 0.25])
    traced = tf.function(
        lambda x: slope(function, x),
        autograph=False,
        jit_compile=jit_compile,
        input_signature=[tf.TensorSpec([None], tf.float32)],
    )
    np.testing.assert_allclose(traced(x), slope(function, x), rtol=1e-5)


@pytest.mark.xla
def test_branches_of_other_shapes_are_an_error_that_names_the_choice() -> None:
    f = tf.function(lambda x: tf.cond(x[0] > 0.0, lambda: x, lambda: x[1:]), autograph=False, jit_compile=True)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"(?s)node cond.*shapes do not match"):
        f(tf.constant([1.0, 2.0]))
