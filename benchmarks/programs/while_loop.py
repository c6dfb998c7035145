"""A loop inside a graph: a counter that runs to 10,000."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.rows import Row

ROWS = (
    Row("while_graph", "while loop, 10,000 iterations, graph", "us", reach=26_500),
    Row("while_jit", "while loop, 10,000 iterations, compiled", "us", reach=60),
)
ITERATIONS = 10_000


def tensorflow(tf: Any) -> dict[str, Callable[[], Any]]:
    def count(start: Any) -> Any:
        return tf.while_loop(lambda i: i < ITERATIONS, lambda i: [i + 1], [start])

    start = tf.constant(0)
    graph, jit = tf.function(count, jit_compile=False), tf.function(count, jit_compile=True)
    return {"while_graph": lambda: graph(start), "while_jit": lambda: jit(start)}


def jax(jax: Any) -> dict[str, Callable[[], Any]]:
    @jax.jit
    def count(start: Any) -> Any:
        return jax.lax.while_loop(lambda i: i < ITERATIONS, lambda i: i + 1, start)

    start = jax.numpy.int32(0)
    return {"while_jit": lambda: count(start)}
