"""A chain of elementwise operations on 4 million floats: memory and vector instructions are what it needs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.rows import Row, tf_variants

ROWS = (Row("elementwise_chain", "chain of 7 elementwise operations, 4M floats", "ms"),)
COUNT = 4_000_000


def _array(np: Any) -> Any:
    return np.random.default_rng(0).random(COUNT, np.float32)


def _chain(library: Any, x: Any) -> Any:
    y = x * 2.0 + 1.0
    return (y * x - 0.5) / (y * y + 1.0) + library.tanh(x)


def tensorflow(tf: Any) -> dict[str, dict[str, Callable[[], Any]]]:
    import numpy as np

    x = tf.constant(_array(np))

    def make(jit_compile: bool | None) -> Callable[[], Any]:
        function = tf.function(lambda x: _chain(tf, x), jit_compile=jit_compile)
        return lambda: function(x)

    return {"elementwise_chain": tf_variants(tf, make)}


def jax(jax: Any) -> dict[str, dict[str, Callable[[], Any]]]:
    import numpy as np

    x, function = jax.numpy.asarray(_array(np)), jax.jit(lambda x: _chain(jax.numpy, x))
    return {"elementwise_chain": {"jit": lambda: function(x)}}


def torch(torch: Any) -> dict[str, dict[str, Callable[[], Any]]]:
    import numpy as np

    x, compiled = torch.tensor(_array(np)), torch.compile(lambda x: _chain(torch, x))
    return {"elementwise_chain": {"eager": lambda: _chain(torch, x), "compile": lambda: compiled(x)}}
