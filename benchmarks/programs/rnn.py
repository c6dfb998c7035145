"""A training step of a recurrent net (batch 8, 32 units) over 100 steps: a dynamic loop that fills a `TensorArray`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.rows import Row, tf_variants

ROWS = (Row("rnn_step", "training step of an RNN, 100 steps of a loop", "ms", reach=1.5),)
STEPS, BATCH, INPUTS, UNITS = 100, 8, 16, 32
RATE = 1e-3


def _arrays(np: Any) -> tuple[Any, Any, list[Any]]:
    """The inputs, step by step; what is to come out; the weights."""
    rng = np.random.RandomState(0)
    shapes = [(INPUTS, UNITS), (UNITS, UNITS), (UNITS,)]
    weights = [(0.1 * rng.randn(*shape)).astype("float32") for shape in shapes]
    return rng.randn(STEPS, BATCH, INPUTS).astype("float32"), rng.rand(STEPS, BATCH, UNITS).astype("float32"), weights


def tensorflow(tf: Any) -> dict[str, Callable[[], Any]]:
    import numpy as np

    inputs, wanted, arrays = _arrays(np)
    x, y = tf.constant(inputs), tf.constant(wanted)

    def make(jit_compile: bool | None) -> Callable[[], Any]:
        weights = [tf.Variable(a) for a in arrays]

        @tf.function(jit_compile=jit_compile)
        def step(x: Any, y: Any) -> Any:
            with tf.GradientTape() as tape:
                w, u, b = weights
                state = tf.zeros([BATCH, UNITS])
                states = tf.TensorArray(tf.float32, size=STEPS)
                for t in tf.range(STEPS):
                    state = tf.tanh(tf.matmul(x[t], w) + tf.matmul(state, u) + b)
                    states = states.write(t, state)
                loss = tf.reduce_mean(tf.square(states.stack() - y))
            for variable, gradient in zip(weights, tape.gradient(loss, weights)):
                variable.assign_sub(RATE * gradient)
            return loss

        return lambda: step(x, y)

    return {"rnn_step": tf_variants(tf, make)}


def jax(jax: Any) -> dict[str, Callable[[], Any]]:
    import numpy as np

    inputs, wanted, arrays = _arrays(np)
    x, y, trained = jax.numpy.asarray(inputs), jax.numpy.asarray(wanted), [jax.numpy.array(a) for a in arrays]

    def loss_of(weights: Any, x: Any, y: Any) -> Any:
        w, u, b = weights

        def advance(state: Any, now: Any) -> Any:
            state = jax.numpy.tanh(now @ w + state @ u + b)
            return state, state

        _, states = jax.lax.scan(advance, jax.numpy.zeros([BATCH, UNITS]), x)
        return jax.numpy.mean(jax.numpy.square(states - y))

    def updated(weights: Any, x: Any, y: Any) -> Any:
        loss, found = jax.value_and_grad(loss_of)(weights, x, y)
        return loss, [a - RATE * g for a, g in zip(weights, found)]

    step = jax.jit(updated, donate_argnums=0)

    def train() -> Any:
        nonlocal trained
        loss, trained = step(trained, x, y)
        return loss

    return {"rnn_step": {"jit": train}}


def torch(torch: Any) -> dict[str, Callable[[], Any]]:
    import numpy as np

    inputs, wanted, arrays = _arrays(np)
    x, y, weights = torch.tensor(inputs), torch.tensor(wanted), [torch.tensor(a, requires_grad=True) for a in arrays]

    def train() -> Any:
        w, u, b = weights
        state = torch.zeros(BATCH, UNITS)
        states = []
        for now in x:
            state = torch.tanh(now @ w + state @ u + b)
            states.append(state)
        loss = torch.mean(torch.square(torch.stack(states) - y))
        found = torch.autograd.grad(loss, weights)
        with torch.no_grad():
            for parameter, gradient in zip(weights, found):
                parameter.sub_(gradient, alpha=RATE)
        return loss

    return {"rnn_step": {"eager": train}}
