"""Gradients of two dense layers, 784 -> 128 -> 10, batch 60: by an eager tape, and in a training step as a graph."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

from benchmarks.rows import Row, tf_variants

ROWS = (
    Row("tape_eager", "gradients of two dense layers, batch 60, eager tape", "us", reach=233),
    Row("train_step", "training step of two dense layers, batch 60", "us", reach=198),
)
SIZES = (784, 128, 10)
BATCH = 60
RATE = 1e-4


def _arrays(np: Any) -> tuple[Any, Any, list[Any]]:
    """Images, labels, and weights and biases in turn."""
    rng = np.random.RandomState(0)
    layers = []
    for inputs, outputs in itertools.pairwise(SIZES):
        layers += [0.05 * rng.randn(inputs, outputs).astype("float32"), np.zeros(outputs, "float32")]
    return rng.rand(BATCH, SIZES[0]).astype("float32"), rng.randint(0, SIZES[-1], BATCH).astype("int32"), layers


def tensorflow(tf: Any) -> dict[str, Callable[[], Any]]:
    import numpy as np

    images, labels, arrays = _arrays(np)
    x, y = tf.constant(images), tf.constant(labels)

    def loss_of(layers: Any, x: Any, y: Any) -> Any:
        w1, b1, w2, b2 = layers
        scores = tf.matmul(tf.nn.relu(tf.matmul(x, w1) + b1), w2) + b2
        return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=scores))

    def gradients(layers: Any, x: Any, y: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = loss_of(layers, x, y)
        return loss, tape.gradient(loss, layers)

    def make(jit_compile: bool | None) -> Callable[[], Any]:
        trained = [tf.Variable(a) for a in arrays]

        @tf.function(jit_compile=jit_compile)
        def step(x: Any, y: Any) -> Any:
            loss, found = gradients(trained, x, y)
            for variable, gradient in zip(trained, found):
                variable.assign_sub(RATE * gradient)
            return loss

        return lambda: step(x, y)

    fixed = [tf.Variable(a) for a in arrays]
    return {"tape_eager": lambda: gradients(fixed, x, y), "train_step": tf_variants(tf, make)}


def jax(jax: Any) -> dict[str, Callable[[], Any]]:
    import numpy as np

    images, labels, arrays = _arrays(np)
    x, y, fixed = jax.numpy.asarray(images), jax.numpy.asarray(labels), [jax.numpy.asarray(a) for a in arrays]

    def loss_of(layers: Any, x: Any, y: Any) -> Any:
        w1, b1, w2, b2 = layers
        scores = jax.nn.relu(x @ w1 + b1) @ w2 + b2
        chosen = jax.numpy.take_along_axis(jax.nn.log_softmax(scores), y[:, None], axis=1)
        return -jax.numpy.mean(chosen)

    gradients = jax.value_and_grad(loss_of)

    def updated(layers: Any, x: Any, y: Any) -> Any:
        loss, found = gradients(layers, x, y)
        return loss, [a - RATE * g for a, g in zip(layers, found)]

    step = jax.jit(updated, donate_argnums=0)
    trained = [jax.numpy.array(a) for a in arrays]

    def train() -> Any:
        nonlocal trained
        loss, trained = step(trained, x, y)
        return loss

    return {"tape_eager": lambda: gradients(fixed, x, y), "train_step": {"jit": train}}


def torch(torch: Any) -> dict[str, Callable[[], Any]]:
    import numpy as np

    images, labels, arrays = _arrays(np)
    x, y = torch.tensor(images), torch.tensor(labels).long()

    def loss_of(layers: Any, x: Any, y: Any) -> Any:
        w1, b1, w2, b2 = layers
        return torch.nn.functional.cross_entropy(torch.relu(x @ w1 + b1) @ w2 + b2, y)

    def parameters() -> list[Any]:
        return [torch.tensor(a, requires_grad=True) for a in arrays]

    fixed, trained = parameters(), parameters()
    compiled = torch.compile(loss_of)

    def gradients() -> Any:
        loss = loss_of(fixed, x, y)
        return loss, torch.autograd.grad(loss, fixed)

    def trainer(loss_function: Callable[..., Any]) -> Callable[[], Any]:
        def train() -> Any:
            loss = loss_function(trained, x, y)
            found = torch.autograd.grad(loss, trained)
            with torch.no_grad():
                for parameter, gradient in zip(trained, found):
                    parameter.sub_(gradient, alpha=RATE)
            return loss

        return train

    return {"tape_eager": gradients, "train_step": {"eager": trainer(loss_of), "compile": trainer(compiled)}}
