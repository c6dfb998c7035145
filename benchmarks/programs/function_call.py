"""What it costs to call a function that has been traced: two scalars added inside."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.rows import Row

ROWS = (
    Row("function_call", "call of a tf.function, scalar add", "us", reach=6),
    Row("compiled_call", "call of a compiled function, scalar add", "us"),
)


def _add(a: Any, b: Any) -> Any:
    return a + b


def tensorflow(tf: Any) -> dict[str, Any]:
    function = tf.function(_add)
    compiled = tf.function(_add, jit_compile=True)
    a, b = tf.constant(1.0), tf.constant(2.0)
    return {"function_call": lambda: function(a, b), "compiled_call": {"jit": lambda: compiled(a, b)}}


def jax(jax: Any) -> dict[str, Any]:
    function = jax.jit(_add)
    a, b = jax.numpy.asarray(1.0), jax.numpy.asarray(2.0)
    return {"function_call": lambda: function(a, b), "compiled_call": {"jit": lambda: function(a, b)}}


def torch(torch: Any) -> dict[str, Callable[[], Any]]:
    function = torch.compile(_add)
    a, b = torch.tensor(1.0), torch.tensor(2.0)
    return {"function_call": lambda: function(a, b)}
