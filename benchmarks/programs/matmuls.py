"""100 products of small integer matrices in a chain: many operations, each of which does little."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.rows import Row, tf_variants

ROWS = (
    Row(
        "matmuls_eager",
        "100 int32 10x10 matmuls, eager",
        "us",
        reach=200,
        bound="NumPy multiplies int32 without BLAS: 1.0 us of the 1.8 us of a product, by `ndarray.dot`.",
    ),
    Row("matmuls", "100 int32 10x10 matmuls", "us", reach=75),
    Row("matmuls_read", "100 int32 10x10 matmuls, the result read", "us"),
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

    def make(jit_compile: bool | None) -> Callable[[], Any]:
        function = tf.function(power, jit_compile=jit_compile)
        return lambda: function(x, eye)

    def make_read(jit_compile: bool | None) -> Callable[[], Any]:
        function = tf.function(power, jit_compile=jit_compile)
        return lambda: function(x, eye).numpy()

    return {
        "matmuls_eager": lambda: power(x, eye),
        "matmuls": tf_variants(tf, make),
        "matmuls_read": tf_variants(tf, make_read),
    }


def jax(jax: Any) -> dict[str, Callable[[], Any]]:
    import numpy as np

    x, eye = jax.numpy.asarray(_matrix(np)), jax.numpy.eye(10, dtype="int32")
    power = _power(jax.numpy.matmul)
    jit = jax.jit(power)
    return {
        "matmuls_eager": lambda: power(x, eye),
        "matmuls": {"jit": lambda: jit(x, eye)},
        "matmuls_read": {"jit": lambda: np.asarray(jit(x, eye))},
    }


def torch(torch: Any) -> dict[str, Callable[[], Any]]:
    import numpy as np

    x, eye = torch.tensor(_matrix(np)), torch.eye(10, dtype=torch.int32)
    power = _power(torch.matmul)
    compiled = torch.compile(power)
    return {
        "matmuls_eager": lambda: power(x, eye),
        "matmuls": {"eager": lambda: power(x, eye), "compile": lambda: compiled(x, eye)},
    }


def numpy(np: Any) -> dict[str, Callable[[], Any]]:
    x, eye = _matrix(np), np.eye(10, dtype="int32")
    power = _power(np.matmul)
    return {"matmuls_eager": lambda: power(x, eye)}
