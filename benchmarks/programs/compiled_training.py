"""A compiled step of Adam on three dense layers, 64 -> 128 -> 128 -> 10, batch 32: alone, and where Keras calls it.

Keras compiles the step on one batch and calls it in a plain function, which takes the batch from an iterator.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

from benchmarks.rows import Row

ROWS = (
    Row("adam_compiled", "compiled Adam step of three dense layers, batch 32", "us", reach=20, beyond="jax"),
    Row("adam_nested", "the same, called in a function that is not compiled", "us", reach=25, beyond="jax"),
    Row("adam_iterator", "the same, with batches of an iterator", "us", reach=40, beyond="jax"),
)
SIZES = (64, 128, 128, 10)
BATCH = 32
RATE, MEAN_DECAY, SQUARE_DECAY = 1e-3, 0.9, 0.999


def _arrays(np: Any) -> tuple[Any, Any, list[Any]]:
    """Features, labels, and weights and biases in turn."""
    rng = np.random.RandomState(0)
    layers = []
    for inputs, outputs in itertools.pairwise(SIZES):
        layers += [0.1 * rng.randn(inputs, outputs).astype("float32"), np.zeros(outputs, "float32")]
    return rng.randn(BATCH, SIZES[0]).astype("float32"), rng.randint(0, SIZES[-1], BATCH).astype("int32"), layers


def tensorflow(tf: Any) -> dict[str, Callable[[], Any]]:
    import numpy as np

    features, labels, arrays = _arrays(np)
    x, y = tf.constant(features), tf.constant(labels)

    def make_step() -> Callable[[Any, Any], Any]:
        layers = [tf.Variable(a) for a in arrays]
        means, squares = ([tf.Variable(np.zeros_like(a)) for a in arrays] for _ in range(2))
        count = tf.Variable(0, dtype=tf.int64)

        @tf.function(jit_compile=True)
        def step(x: Any, y: Any) -> Any:
            w1, b1, w2, b2, w3, b3 = layers
            with tf.GradientTape() as tape:
                hidden = tf.nn.relu(tf.matmul(tf.nn.relu(tf.matmul(x, w1) + b1), w2) + b2)
                scores = tf.matmul(hidden, w3) + b3
                loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=scores))
            number = tf.cast(count.assign_add(1), tf.float32)
            rate = RATE * tf.sqrt(1.0 - SQUARE_DECAY**number) / (1.0 - MEAN_DECAY**number)
            for layer, mean, square, g in zip(layers, means, squares, tape.gradient(loss, layers)):
                mean.assign_add((g - mean) * (1.0 - MEAN_DECAY))
                square.assign_add((g * g - square) * (1.0 - SQUARE_DECAY))
                layer.assign_sub(rate * mean / (tf.sqrt(square) + 1e-7))
            return loss

        return step

    alone, inner, fed = make_step(), make_step(), make_step()
    nested = tf.function(lambda x, y: inner(x, y), autograph=False)  # noqa: PLW0108  (a function that calls another)
    iterator = iter(tf.data.Dataset.from_tensors((x, y)).repeat())
    from_iterator = tf.function(lambda iterator: fed(*next(iterator)), autograph=False)
    return {
        "adam_compiled": lambda: alone(x, y).numpy(),
        "adam_nested": lambda: nested(x, y).numpy(),
        "adam_iterator": lambda: from_iterator(iterator).numpy(),
    }


def jax(jax: Any) -> dict[str, Callable[[], Any]]:
    import numpy as np

    features, labels, arrays = _arrays(np)
    jnp = jax.numpy

    def loss_of(layers: Any, x: Any, y: Any) -> Any:
        w1, b1, w2, b2, w3, b3 = layers
        scores = jax.nn.relu(jax.nn.relu(x @ w1 + b1) @ w2 + b2) @ w3 + b3
        return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(scores), y[:, None], axis=1))

    def updated(state: Any, x: Any, y: Any) -> Any:
        layers, means, squares, count = state
        loss, gradients = jax.value_and_grad(loss_of)(layers, x, y)
        number = (count + 1).astype("float32")
        rate = RATE * jnp.sqrt(1.0 - SQUARE_DECAY**number) / (1.0 - MEAN_DECAY**number)
        means = [m + (g - m) * (1.0 - MEAN_DECAY) for m, g in zip(means, gradients)]
        squares = [s + (g * g - s) * (1.0 - SQUARE_DECAY) for s, g in zip(squares, gradients)]
        layers = [a - rate * m / (jnp.sqrt(s) + 1e-7) for a, m, s in zip(layers, means, squares)]
        return loss, (layers, means, squares, count + 1)

    step = jax.jit(updated, donate_argnums=0)
    zeros = [np.zeros_like(a) for a in arrays]
    state = jax.tree.map(jnp.array, (arrays, zeros, zeros, np.int32(0)))

    def train() -> Any:
        nonlocal state
        loss, state = step(state, features, labels)
        return float(loss)

    return dict.fromkeys([row.key for row in ROWS], train)


def torch(torch: Any) -> dict[str, Callable[[], Any]]:
    import numpy as np

    features, labels, arrays = _arrays(np)
    x, y = torch.tensor(features), torch.tensor(labels).long()
    layers = [torch.tensor(a, requires_grad=True) for a in arrays]
    optimizer = torch.optim.Adam(layers, lr=RATE, fused=True)

    @torch.compile
    def loss_of(layers: Any, x: Any, y: Any) -> Any:
        w1, b1, w2, b2, w3, b3 = layers
        return torch.nn.functional.cross_entropy(torch.relu(torch.relu(x @ w1 + b1) @ w2 + b2) @ w3 + b3, y)

    def train() -> Any:
        optimizer.zero_grad()
        loss = loss_of(layers, x, y)
        loss.backward()
        optimizer.step()
        return loss.item()

    return {"adam_compiled": train}
