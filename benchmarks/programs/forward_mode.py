"""Derivatives along a direction: two dense layers, 784 -> 128 -> 10 with a ReLU between, batch 60, all weights moving.

The second row is a product with the Hessian of the sum of squares, by forward over reverse mode.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.rows import Row, tf_variants

ROWS = (
    Row("jvp_eager", "jvp of two dense layers, batch 60, eager", "us"),
    Row("jvp", "jvp of two dense layers, batch 60, in a function", "us"),
    Row("hvp_eager", "Hessian-vector product of two dense layers, eager", "us"),
    Row("hvp", "Hessian-vector product of two dense layers, in a function", "us"),
)
SIZES = (784, 128, 10)
BATCH = 60


def _arrays(np: Any) -> tuple[Any, list[Any], list[Any]]:
    rng = np.random.RandomState(0)
    shapes = [(784, 128), (128,), (128, 10), (10,)]
    weights = [0.05 * rng.randn(*shape).astype("float32") for shape in shapes]
    return rng.rand(BATCH, SIZES[0]).astype("float32"), weights, [rng.randn(*s).astype("float32") for s in shapes]


def tensorflow(tf: Any) -> dict[str, Callable[[], Any]]:
    import numpy as np

    batch, weights, directions = _arrays(np)
    x, variables = tf.constant(batch), [tf.Variable(w) for w in weights]
    tangents = [tf.constant(d) for d in directions]

    def net() -> Any:
        w1, b1, w2, b2 = variables
        return tf.matmul(tf.nn.relu(tf.matmul(x, w1) + b1), w2) + b2

    def jvp() -> Any:
        with tf.autodiff.ForwardAccumulator(variables, tangents) as acc:
            y = net()
        return acc.jvp(y)

    def hvp() -> Any:
        with tf.autodiff.ForwardAccumulator(variables, tangents) as acc:
            with tf.GradientTape() as tape:
                y = tf.reduce_sum(net() ** 2)
            gradients = tape.gradient(y, variables)
        return acc.jvp(gradients)

    def variants(program: Any) -> dict[str, Callable[[], Any]]:
        return tf_variants(tf, lambda jit_compile: tf.function(program, jit_compile=jit_compile))

    return {"jvp_eager": jvp, "jvp": variants(jvp), "hvp_eager": hvp, "hvp": variants(hvp)}


def jax(jax: Any) -> dict[str, Callable[[], Any]]:
    import numpy as np

    batch, weights, directions = (jax.tree.map(jax.numpy.asarray, part) for part in _arrays(np))

    def net(weights: Any) -> Any:
        w1, b1, w2, b2 = weights
        return jax.nn.relu(batch @ w1 + b1) @ w2 + b2

    def jvp(weights: Any, directions: Any) -> Any:
        return jax.jvp(net, (weights,), (directions,))[1]

    def hvp(weights: Any, directions: Any) -> Any:
        gradient = jax.grad(lambda w: (net(w) ** 2).sum())
        return jax.jvp(gradient, (weights,), (directions,))[1]

    compiled_jvp, compiled_hvp = jax.jit(jvp), jax.jit(hvp)
    return {
        "jvp_eager": lambda: jvp(weights, directions),
        "jvp": {"jit": lambda: compiled_jvp(weights, directions)},
        "hvp_eager": lambda: hvp(weights, directions),
        "hvp": {"jit": lambda: compiled_hvp(weights, directions)},
    }


def torch(torch: Any) -> dict[str, Callable[[], Any]]:
    import numpy as np

    batch, weights, directions = _arrays(np)
    x, ws, ts = torch.tensor(batch), tuple(map(torch.tensor, weights)), tuple(map(torch.tensor, directions))

    def net(w1: Any, b1: Any, w2: Any, b2: Any) -> Any:
        return torch.relu(x @ w1 + b1) @ w2 + b2

    gradient = torch.func.grad(lambda *w: (net(*w) ** 2).sum(), argnums=(0, 1, 2, 3))

    def jvp() -> Any:
        return torch.func.jvp(net, ws, ts)[1]

    def hvp() -> Any:
        return torch.func.jvp(gradient, ws, ts)[1]

    return {"jvp_eager": jvp, "jvp": {"eager": jvp}, "hvp_eager": hvp, "hvp": {"eager": hvp}}
