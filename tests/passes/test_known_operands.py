"""What is known of an operand is known inside of loops and choices."""

from __future__ import annotations

from typing import Any

import numpy as np

import millrace as tf
from tests.passes.tracing import COUNT, VECTOR, optimized, run, types


def loop(n: Any, x: Any) -> Any:
    return tf.while_loop(lambda i, a, k: i < n, lambda i, a, k: (i + 1, a * k, k), (0, x, tf.constant(2.0)))


def test_the_body_of_a_loop_reads_constants() -> None:
    graph = optimized(lambda x: loop(3, x)[1], VECTOR)
    (node,) = graph.nodes
    assert len(node.inputs) == 2
    assert run(graph, np.float32([1, 2, 3])) == [[8.0, 16.0, 24.0]]


def test_a_variable_that_a_loop_hands_on_is_known_after_it() -> None:
    graph = optimized(lambda x: tf.exp(loop(3, x)[2]) + loop(3, x)[1], VECTOR)
    assert types(graph) in (["While", "AddV2"], ["StatelessWhile", "AddV2"])


def test_branches_read_constants() -> None:
    def f(n: Any) -> Any:
        k = tf.constant(2)
        return tf.cond(n > 0, lambda: k + 1 + n, lambda: n)

    (node,) = [node for node in optimized(f, COUNT).nodes if node.graphs]
    assert types(node.graphs[0]).count("AddV2") <= 2
    assert run(optimized(f, COUNT), np.int32(4)) == [7]
