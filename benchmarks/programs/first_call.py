"""What the first call of a function costs: tracing, the passes, generated code or a compiler, and one run."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from benchmarks.rows import Row

ROWS = (
    Row("first_call", "first call of a new function of 4 ops", "us"),
    Row("first_call_1000", "first call of a new function of 1,000 ops, per op", "us", per=1_000),
    Row("retrace_500", "a call that traces anew, 500 traces kept", "us"),
)
_TRACES = 500


def _chain(x: Any) -> Any:
    for _ in range(500):
        x = x * 1.01 + x
    return x


def tensorflow(tf: Any) -> dict[str, Callable[[], Any]]:
    x = tf.constant(1.0)
    tf.get_logger().setLevel("ERROR")  # both warn of what is measured here

    def first_call() -> Any:
        return tf.function(lambda x: tf.reduce_sum(tf.nn.relu(x * 2.0 + 1.0)), autograph=False)(x)

    def first_call_1000() -> Any:
        return tf.function(_chain, autograph=False)(x)

    return {"first_call": first_call, "first_call_1000": first_call_1000, "retrace_500": _retraced(tf, x)}


def _retraced(tf: Any, x: Any) -> Callable[[], Any]:
    """Returns a call with a value that the function was not traced for; the first call makes the other traces."""
    function = tf.function(lambda x, factor: x * factor, autograph=False)
    values: list[int] = []

    def retrace() -> Any:
        for _ in range(_TRACES if not values else 1):
            values.append(len(values))
            result = function(x, values[-1])
        return result

    return retrace


def jax(jax: Any) -> dict[str, Callable[[], Any]]:
    x = jax.numpy.float32(1.0)

    def first_call() -> Any:
        return jax.jit(lambda x: jax.numpy.sum(jax.nn.relu(x * 2.0 + 1.0)))(x)

    def first_call_1000() -> Any:
        return jax.jit(functools.partial(_chain))(x)  # a function that jit has not seen

    return {"first_call": first_call, "first_call_1000": first_call_1000}
