"""What is computed ahead, and what is left to the program."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.passes.tracing import COUNT, VECTOR, optimized, run, types


def test_constants_are_folded_by_call_and_not_by_function() -> None:
    inner = tf.function(lambda k: tf.sqrt(k) * 2.0, autograph=False)
    graph = optimized(lambda x: x * inner(tf.constant(4.0)) + inner(tf.constant(9.0)), VECTOR)
    assert types(graph) == ["Mul", "AddV2"]
    assert run(graph, np.float32([1, 2, 3])) == [[10.0, 14.0, 18.0]]


def test_an_error_is_raised_by_the_program_and_names_the_node() -> None:
    graph = optimized(
        lambda x: x + tf.raw_ops.GatherV2(params=[1.0], indices=tf.constant(5) + 1, axis=0, name="picked"), VECTOR
    )
    with pytest.raises(tf.errors.InvalidArgumentError, match="node picked"):
        run(graph, np.zeros(3, np.float32))


def test_what_is_large_is_made_in_each_call() -> None:
    assert types(optimized(lambda x: x[0] + tf.reduce_sum(tf.ones([300, 300]) * 2.0), VECTOR)).count("Mul") <= 1
    assert "Fill" in types(optimized(lambda x: tf.fill([1000, 1000], 2.0) * x[0], VECTOR))


def test_random_numbers_are_drawn_by_the_program() -> None:
    assert "RandomUniform" in types(optimized(lambda: tf.random.uniform([2])))


def test_folding_goes_on_inside_of_loops() -> None:
    def f(n: Any) -> Any:
        return tf.while_loop(lambda i, a, k: i < n, lambda i, a, k: (i + 1, a + k * 2, k), (0, 0, tf.constant(3)))[1]

    graph = optimized(f, COUNT)
    (loop,) = graph.nodes
    assert types(loop.graphs[1]).count("Mul") == 0
    assert run(graph, np.int32(4)) == [24]
