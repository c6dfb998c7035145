"""What a user waits for the first time: the first call of new functions, with default settings and pinned to an engine.

A compiler that is at work in the background makes a first call no longer; where one core does all the work its time
is counted in the calls that come meanwhile. The functions are a training step of two dense layers, and a loop.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.rows import Row, tf_variants

ROWS = (
    Row("first_train_step", "first call of a training step of two dense layers", "ms"),
    Row("first_while_loop", "first call of a while loop of 10,000 iterations", "ms"),
)
ITERATIONS, RATE = 10_000, 1e-3


def _arrays(np: Any) -> tuple[Any, Any, list[Any]]:
    rng = np.random.RandomState(0)
    weights = [(0.05 * rng.randn(*shape)).astype("float32") for shape in ((784, 128), (128, 10))]
    return rng.rand(60, 784).astype("float32"), rng.rand(60, 10).astype("float32"), weights


def tensorflow(tf: Any) -> dict[str, dict[str, Callable[[], Any]]]:
    import numpy as np

    inputs, wanted, arrays = _arrays(np)
    x, y, start = tf.constant(inputs), tf.constant(wanted), tf.constant(0)
    weights = [tf.Variable(a) for a in arrays]

    def train(jit_compile: bool | None) -> Callable[[], Any]:
        def step(x: Any, y: Any) -> Any:
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((tf.nn.relu(x @ weights[0]) @ weights[1] - y) ** 2)
            for variable, gradient in zip(weights, tape.gradient(loss, weights)):
                variable.assign_sub(RATE * gradient)
            return loss

        return lambda: tf.function(lambda x, y: step(x, y), jit_compile=jit_compile, autograph=False)(x, y)  # noqa: PLW0108  (a new one)

    def count(jit_compile: bool | None) -> Callable[[], Any]:
        def loop(start: Any) -> Any:
            return tf.while_loop(lambda i: i < ITERATIONS, lambda i: [i + 1], [start])

        return lambda: tf.function(lambda i: loop(i), jit_compile=jit_compile, autograph=False)(start)  # noqa: PLW0108  (a new one)

    tf.get_logger().setLevel("ERROR")  # both warn of functions that are made anew
    return {"first_train_step": tf_variants(tf, train), "first_while_loop": tf_variants(tf, count)}


def jax(jax: Any) -> dict[str, dict[str, Callable[[], Any]]]:
    import numpy as np

    inputs, wanted, arrays = _arrays(np)
    x, y, *weights = (jax.numpy.asarray(a) for a in (inputs, wanted, *arrays))

    def train() -> Any:
        def loss_of(weights: Any, x: Any, y: Any) -> Any:
            return (((jax.nn.relu(x @ weights[0]) @ weights[1]) - y) ** 2).mean()

        def step(weights: Any, x: Any, y: Any) -> Any:
            loss, found = jax.value_and_grad(loss_of)(weights, x, y)
            return loss, [a - RATE * g for a, g in zip(weights, found)]

        return jax.jit(step)(weights, x, y)

    def count() -> Any:
        return jax.jit(lambda start: jax.lax.while_loop(lambda i: i < ITERATIONS, lambda i: i + 1, start))(0)

    return {"first_train_step": {"jit": train}, "first_while_loop": {"jit": count}}
