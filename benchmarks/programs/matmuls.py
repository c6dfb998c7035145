"""100 products of small integer matrices in a chain: many operations, each of which does little."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.rows import Row

ROWS = (
    Row("matmuls_eager", "100 int32 10x10 matmuls, eager", "us", reach=200),
    Row("matmuls_graph", "100 int32 10x10 matmuls, graph", "us", reach=150),
    Row("matmuls_jit", "100 int32 10x10 matmuls, compiled", "us", reach=75),
    Row("matmuls_jit_read", "100 int32 10x10 matmuls, compiled, the result read", "us"),
)
STEPS = 100


def _power(matmul: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def power(x: Any, result: Any) -> Any:
        for _ in range(STEPS):
            result = matmul(x, result)
        return result

    return power


def _matrix(np: Any) -> Any:
    return np.random.RandomState(0).randint(-1, 2, (10, 10)).astype("int32")


def tensorflow(tf: Any) -> dict[str, Callable[[], Any]]:
    import numpy as np

    x, eye = tf.constant(_matrix(np)), tf.eye(10, dtype=tf.int32)
    power = _power(tf.matmul)
    graph, jit = tf.function(power, jit_compile=False), tf.function(power, jit_compile=True)
    return {
        "matmuls_eager": lambda: power(x, eye),
        "matmuls_graph": lambda: graph(x, eye),
        "matmuls_jit": lambda: jit(x, eye),
        "matmuls_jit_read": lambda: jit(x, eye).numpy(),
    }


def jax(jax: Any) -> dict[str, Callable[[], Any]]:
    import numpy as np

    x, eye = jax.numpy.asarray(_matrix(np)), jax.numpy.eye(10, dtype="int32")
    power = _power(jax.numpy.matmul)
    jit = jax.jit(power)
    return {
        "matmuls_eager": lambda: power(x, eye),
        "matmuls_jit": lambda: jit(x, eye),
        "matmuls_jit_read": lambda: np.asarray(jit(x, eye)),
    }


def torch(torch: Any) -> dict[str, Callable[[], Any]]:
    import numpy as np

    x, eye = torch.tensor(_matrix(np)), torch.eye(10, dtype=torch.int32)
    power = _power(torch.matmul)
    return {"matmuls_eager": lambda: power(x, eye)}


def numpy(np: Any) -> dict[str, Callable[[], Any]]:
    x, eye = _matrix(np), np.eye(10, dtype="int32")
    power = _power(np.matmul)
    return {"matmuls_eager": lambda: power(x, eye)}
