"""A training step of a transformer block: self-attention and a GELU network, batch 16, 64 words, 256 units, 8 heads."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.rows import Row, tf_variants

ROWS = (Row("attention_step", "training step of a transformer block, 16x64 words of 256 units", "ms"),)
BATCH, WORDS, UNITS, HEADS = 16, 64, 256, 8
RATE = 1e-3


def _arrays(np: Any) -> tuple[Any, Any, list[Any]]:
    """Inputs; what is to come out; the weights of queries with keys and values, of the output, of the network."""
    rng = np.random.RandomState(0)
    shapes = [(UNITS, 3 * UNITS), (UNITS, UNITS), (UNITS, 4 * UNITS), (4 * UNITS, UNITS)]
    weights = [(0.05 * rng.randn(*shape)).astype("float32") for shape in shapes]
    x, y = (rng.randn(BATCH, WORDS, UNITS).astype("float32") for _ in range(2))
    return x, y, weights


def tensorflow(tf: Any) -> dict[str, dict[str, Callable[[], Any]]]:
    import numpy as np

    inputs, wanted, arrays = _arrays(np)
    x, y = tf.constant(inputs), tf.constant(wanted)

    def normalized(x: Any) -> Any:
        mean, variance = tf.nn.moments(x, [-1], keepdims=True)
        return (x - mean) * tf.math.rsqrt(variance + 1e-5)

    def block(x: Any, weights: Any) -> Any:
        mixed, out, up, down = weights
        parts = tf.reshape(normalized(x) @ mixed, [BATCH, WORDS, 3, HEADS, UNITS // HEADS])
        q, k, v = tf.unstack(tf.transpose(parts, [2, 0, 3, 1, 4]))
        attention = tf.nn.softmax(tf.matmul(q, k, transpose_b=True) * (UNITS // HEADS) ** -0.5)
        heads = tf.transpose(attention @ v, [0, 2, 1, 3])
        x += tf.reshape(heads, [BATCH, WORDS, UNITS]) @ out
        return x + tf.nn.gelu(normalized(x) @ up) @ down

    def make(jit_compile: bool | None) -> Callable[[], Any]:
        weights = [tf.Variable(a) for a in arrays]

        @tf.function(jit_compile=jit_compile)
        def step(x: Any, y: Any) -> Any:
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(tf.square(block(x, weights) - y))
            for variable, gradient in zip(weights, tape.gradient(loss, weights)):
                variable.assign_sub(RATE * gradient)
            return loss

        return lambda: step(x, y)

    return {"attention_step": tf_variants(tf, make)}


def jax(jax: Any) -> dict[str, dict[str, Callable[[], Any]]]:
    import numpy as np

    jnp = jax.numpy
    inputs, wanted, arrays = _arrays(np)
    x, y, trained = jnp.asarray(inputs), jnp.asarray(wanted), [jnp.array(a) for a in arrays]

    def normalized(x: Any) -> Any:
        return (x - x.mean(-1, keepdims=True)) * jax.lax.rsqrt(x.var(-1, keepdims=True) + 1e-5)

    def loss_of(weights: Any, x: Any, y: Any) -> Any:
        mixed, out, up, down = weights
        parts = (normalized(x) @ mixed).reshape(BATCH, WORDS, 3, HEADS, UNITS // HEADS)
        q, k, v = parts.transpose(2, 0, 3, 1, 4)
        attention = jax.nn.softmax(q @ k.swapaxes(-1, -2) * (UNITS // HEADS) ** -0.5)
        x = x + (attention @ v).transpose(0, 2, 1, 3).reshape(BATCH, WORDS, UNITS) @ out
        x = x + jax.nn.gelu(normalized(x) @ up, approximate=False) @ down
        return jnp.mean(jnp.square(x - y))

    def updated(weights: Any, x: Any, y: Any) -> Any:
        loss, found = jax.value_and_grad(loss_of)(weights, x, y)
        return loss, [a - RATE * g for a, g in zip(weights, found)]

    step = jax.jit(updated, donate_argnums=0)

    def train() -> Any:
        nonlocal trained
        loss, trained = step(trained, x, y)
        return loss

    return {"attention_step": {"jit": train}}


def torch(torch: Any) -> dict[str, dict[str, Callable[[], Any]]]:
    import numpy as np

    functional = torch.nn.functional
    inputs, wanted, arrays = _arrays(np)
    x, y = torch.tensor(inputs), torch.tensor(wanted)

    def loss_of(weights: Any, x: Any, y: Any) -> Any:
        mixed, out, up, down = weights
        parts = (functional.layer_norm(x, (UNITS,)) @ mixed).reshape(BATCH, WORDS, 3, HEADS, UNITS // HEADS)
        q, k, v = parts.permute(2, 0, 3, 1, 4)
        heads = functional.scaled_dot_product_attention(q, k, v)
        x = x + heads.transpose(1, 2).reshape(BATCH, WORDS, UNITS) @ out
        x = x + functional.gelu(functional.layer_norm(x, (UNITS,)) @ up) @ down
        return functional.mse_loss(x, y)

    def trainer(loss_function: Callable[..., Any]) -> Callable[[], Any]:
        weights = [torch.tensor(a, requires_grad=True) for a in arrays]

        def train() -> Any:
            loss = loss_function(weights, x, y)
            found = torch.autograd.grad(loss, weights)
            with torch.no_grad():
                for parameter, gradient in zip(weights, found):
                    parameter.sub_(gradient, alpha=RATE)
            return loss

        return train

    return {"attention_step": {"eager": trainer(loss_of), "compile": trainer(torch.compile(loss_of))}}
