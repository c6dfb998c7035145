"""A loop inside a graph: a counter that runs to 10,000."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.rows import Row, tf_variants

ROWS = (
    Row(
        "while_loop",
        "while loop, 10,000 iterations",
        "us",
        reach=60,
        bound="The executable takes 6.3 us, called by JAX's public API; the call of a function in Python takes 2.1 us.",
    ),
)
ITERATIONS = 10_000


def tensorflow(tf: Any) -> dict[str, Callable[[], Any]]:
    def count(start: Any) -> Any:
        return tf.while_loop(lambda i: i < ITERATIONS, lambda i: [i + 1], [start])

    start = tf.constant(0)

    def make(jit_compile: bool | None) -> Callable[[], Any]:
        function = tf.function(count, jit_compile=jit_compile)
        return lambda: function(start)

    return {"while_loop": tf_variants(tf, make)}


def jax(jax: Any) -> dict[str, Callable[[], Any]]:
    @jax.jit
    def count(start: Any) -> Any:
        return jax.lax.while_loop(lambda i: i < ITERATIONS, lambda i: i + 1, start)

    start = jax.numpy.int32(0)
    return {"while_loop": {"jit": lambda: count(start)}}
