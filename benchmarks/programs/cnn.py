"""A training step of a convolutional network on 128 images of 28x28: two 5x5 convolutions with pools, a dense layer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.rows import Row, tf_variants

ROWS = (Row("cnn_step", "training step of a CNN, 5x5 kernels, batch 128", "ms"),)
BATCH, CLASSES = 128, 10
SHAPES = ((5, 5, 1, 32), (5, 5, 32, 64), (7 * 7 * 64, CLASSES))
RATE = 0.01


def _arrays(np: Any) -> tuple[Any, Any, list[Any]]:
    """Images, labels, weights."""
    rng = np.random.RandomState(0)
    weights = [(0.05 * rng.randn(*shape)).astype("float32") for shape in SHAPES]
    return rng.rand(BATCH, 28, 28, 1).astype("float32"), rng.randint(0, CLASSES, BATCH).astype("int32"), weights


def tensorflow(tf: Any) -> dict[str, dict[str, Callable[[], Any]]]:
    import numpy as np

    images, labels, arrays = _arrays(np)
    x, y = tf.constant(images), tf.constant(labels)

    def loss_of(weights: Any, x: Any, y: Any) -> Any:
        for filters in weights[:2]:
            x = tf.nn.max_pool2d(tf.nn.relu(tf.nn.conv2d(x, filters, 1, "SAME")), 2, 2, "SAME")
        scores = tf.reshape(x, [BATCH, -1]) @ weights[2]
        return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(y, scores))

    def make(jit_compile: bool | None) -> Callable[[], Any]:
        weights = [tf.Variable(a) for a in arrays]

        @tf.function(jit_compile=jit_compile)
        def step(x: Any, y: Any) -> Any:
            with tf.GradientTape() as tape:
                loss = loss_of(weights, x, y)
            for variable, gradient in zip(weights, tape.gradient(loss, weights)):
                variable.assign_sub(RATE * gradient)
            return loss

        return lambda: step(x, y)

    return {"cnn_step": tf_variants(tf, make)}


def jax(jax: Any) -> dict[str, dict[str, Callable[[], Any]]]:
    import numpy as np

    jnp, lax = jax.numpy, jax.lax
    images, labels, arrays = _arrays(np)
    x, y, trained = jnp.asarray(images), jnp.asarray(labels), [jnp.array(a) for a in arrays]

    def layer(x: Any, filters: Any) -> Any:
        x = lax.conv_general_dilated(x, filters, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
        return lax.reduce_window(jax.nn.relu(x), -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "SAME")

    def loss_of(weights: Any, x: Any, y: Any) -> Any:
        scores = jax.nn.log_softmax(layer(layer(x, weights[0]), weights[1]).reshape(BATCH, -1) @ weights[2])
        return -scores[jnp.arange(BATCH), y].mean()

    def updated(weights: Any, x: Any, y: Any) -> Any:
        loss, found = jax.value_and_grad(loss_of)(weights, x, y)
        return loss, [a - RATE * g for a, g in zip(weights, found)]

    step = jax.jit(updated, donate_argnums=0)

    def train() -> Any:
        nonlocal trained
        loss, trained = step(trained, x, y)
        return loss

    return {"cnn_step": {"jit": train}}


def torch(torch: Any) -> dict[str, dict[str, Callable[[], Any]]]:
    import numpy as np

    functional = torch.nn.functional
    images, labels, arrays = _arrays(np)
    x, y = torch.tensor(images.transpose(0, 3, 1, 2).copy()), torch.tensor(labels).long()

    def loss_of(weights: Any, x: Any, y: Any) -> Any:
        for filters in weights[:2]:
            x = functional.max_pool2d(functional.relu(functional.conv2d(x, filters, padding=2)), 2)
        return functional.cross_entropy(x.reshape(BATCH, -1) @ weights[2], y)

    def trainer(loss_function: Callable[..., Any]) -> Callable[[], Any]:
        weights = [torch.tensor(a.transpose(3, 2, 0, 1).copy(), requires_grad=True) for a in arrays[:2]]
        weights.append(torch.tensor(arrays[2], requires_grad=True))

        def train() -> Any:
            loss = loss_function(weights, x, y)
            found = torch.autograd.grad(loss, weights)
            with torch.no_grad():
                for parameter, gradient in zip(weights, found):
                    parameter.sub_(gradient, alpha=RATE)
            return loss

        return train

    return {"cnn_step": {"eager": trainer(loss_of), "compile": trainer(torch.compile(loss_of))}}
