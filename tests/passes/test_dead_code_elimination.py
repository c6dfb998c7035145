"""What nothing needs: nodes, variables of loops, results and operands of choices."""

from __future__ import annotations

from typing import Any

import numpy as np

import millrace as tf
from tests.passes.tracing import COUNT, VECTOR, optimized, run, types


def test_a_counter_that_nobody_asks_for_is_gone() -> None:
    def f(n: Any) -> Any:
        start = (0, tf.constant(0.0), tf.constant(0.0), tf.constant(1.0))
        return tf.while_loop(lambda i, *_: i < n, lambda i, a, b, c: (i + 1, a + b, b + 1.0, c * 2.0), start)[1]

    graph = optimized(f, COUNT)
    (loop,) = graph.nodes
    assert len(loop.outputs) == 4  # i, a, b and the bound n, but no c and no counter of the loop
    assert run(graph, np.int32(4)) == [6.0]


def test_variables_that_only_a_dead_variable_of_an_inner_loop_needs_are_gone() -> None:
    def f(x: Any) -> Any:
        def outer(i: Any, a: Any, b: Any) -> Any:
            _, a, _ = tf.while_loop(lambda j, *_: j < 2, lambda j, c, d: (j + 1, c + 1.0, d * b), (0, a, x))
            return i + 1, a, b + 1.0

        return tf.while_loop(lambda i, *_: i < 3, outer, (0, x, x))[1]

    graph = optimized(f, VECTOR)
    assert len(graph.nodes[-1].outputs) == 2
    assert run(graph, np.zeros(3, np.float32)) == [[6.0, 6.0, 6.0]]


def test_results_and_operands_that_nobody_reads_are_gone() -> None:
    def f(x: Any, n: Any) -> Any:
        return tf.cond(n > 0, lambda: (x * 2.0, tf.exp(x), n), lambda: (x, x, n))[0]

    graph = optimized(f, VECTOR, COUNT)
    (choice,) = [node for node in graph.nodes if node.graphs]
    assert (len(choice.inputs), len(choice.outputs)) == (2, 1)
    assert [types(branch) for branch in choice.graphs] == [["Mul"], []]


def test_effects_stay_where_nobody_reads_results() -> None:
    v = tf.Variable(0.0)

    @tf.function(autograph=False)
    def f(n: Any) -> Any:
        tf.while_loop(lambda i: i < n, lambda i: (v.assign_add(1.0), i + 1)[1:], (tf.constant(0),))
        return n

    f(tf.constant(3))
    assert v.numpy() == 3.0
