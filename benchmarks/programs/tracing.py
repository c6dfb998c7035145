"""How long it takes until a Python function is a graph, and whether that stays linear in the number of operations.

Where JAX has traced a function, its program is not yet there: the row of 6,000 operations counts lowering too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.rows import Row, is_millrace

ROWS = (
    Row("trace_100", "tracing a function of 100 ops", "ms", reach=8),
    Row("trace_1000", "tracing 1,000 ops, per op", "us", reach=80, per=1_000),
    Row("trace_6000", "tracing 6,000 ops, and lowering in JAX", "ms"),
    Row("trace_10000", "tracing 10,000 ops, per op", "us", reach=80, per=10_000),
    Row("trace_100000", "tracing 100,000 ops, per op", "us", reach=80, per=100_000),
)


def _chain(length: int) -> Callable[[Any], Any]:
    def chain(x: Any) -> Any:
        y = x
        for _ in range(length // 2):
            y = (y + x) * x
        return y

    return chain


def tensorflow(tf: Any) -> dict[str, Callable[[], Any]]:
    spec = tf.TensorSpec([10, 10], tf.float32)

    def trace(length: int) -> Callable[[], Any]:
        return lambda: tf.function(_chain(length), autograph=False).get_concrete_function(spec)

    # TensorFlow takes half a minute for 100,000, each time.
    lengths = (100, 1_000, 6_000, 10_000, *([100_000] if is_millrace(tf) else []))
    return {f"trace_{length}": trace(length) for length in lengths}


def jax(jax: Any) -> dict[str, Callable[[], Any]]:
    x = jax.numpy.ones([10, 10])

    def trace(length: int) -> Callable[[], Any]:
        return lambda: jax.jit(_chain(length)).trace(x)

    traced = {f"trace_{length}": trace(length) for length in (100, 1_000, 10_000)}
    return traced | {"trace_6000": lambda: jax.jit(_chain(6_000)).trace(x).lower()}
