"""A 3x3 convolution, and a training step of a small convolutional network on a batch of 64 images of 28x28.

The network: convolution (32 features), pool, convolution (64 features), pool, dense layer; gradient descent. The graph
row is the fastest each framework offers: TensorFlow and Millrace with `jit_compile=True`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.rows import Row

ROWS = (
    Row("convolution_eager", "3x3 convolution, 32x32x32x32 to 32 features, eager", "ms"),
    Row("cnn_step_eager", "training step of a CNN, batch 64, eager", "ms"),
    Row("cnn_step_graph", "training step of a CNN, batch 64, compiled", "ms"),
)
BATCH, CLASSES = 64, 10
SHAPES = ((3, 3, 1, 32), (3, 3, 32, 64), (7 * 7 * 64, CLASSES))


def _arrays(np: Any) -> tuple[Any, Any, Any, list[Any]]:
    rng = np.random.RandomState(0)
    weights = [(0.05 * rng.randn(*shape)).astype("float32") for shape in SHAPES]
    return (
        rng.rand(32, 32, 32, 32).astype("float32"),
        rng.rand(BATCH, 28, 28, 1).astype("float32"),
        rng.randint(0, CLASSES, BATCH).astype("int32"),
        weights,
    )


def tensorflow(tf: Any) -> dict[str, Callable[[], Any]]:
    import numpy as np

    features, images, labels, arrays = _arrays(np)
    x, filters = tf.constant(features), tf.constant(np.ones((3, 3, 32, 32), "float32"))
    batch, classes = tf.constant(images), tf.constant(labels)
    variables = [tf.Variable(w) for w in arrays]

    def step() -> Any:
        with tf.GradientTape() as tape:
            y = tf.nn.max_pool2d(tf.nn.relu(tf.nn.conv2d(batch, variables[0], 1, "SAME")), 2, 2, "SAME")
            y = tf.nn.max_pool2d(tf.nn.relu(tf.nn.conv2d(y, variables[1], 1, "SAME")), 2, 2, "SAME")
            logits = tf.reshape(y, [BATCH, -1]) @ variables[2]
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(classes, logits))
        for v, g in zip(variables, tape.gradient(loss, variables)):
            v.assign_sub(0.01 * g)
        return loss

    compiled = tf.function(step, jit_compile=True)
    return {
        "convolution_eager": lambda: tf.nn.conv2d(x, filters, 1, "SAME"),
        "cnn_step_eager": step,
        "cnn_step_graph": lambda: compiled().numpy(),
    }


def jax(jax: Any) -> dict[str, Callable[[], Any]]:
    import numpy as np

    features, images, labels, arrays = _arrays(np)
    jnp, lax = jax.numpy, jax.lax
    x, filters, batch, classes = (
        jnp.asarray(a) for a in (features, np.ones((3, 3, 32, 32), "float32"), images, labels)
    )
    numbers = ("NHWC", "HWIO", "NHWC")
    state = [[jnp.asarray(w) for w in arrays]]

    def convolve(x: Any, filters: Any) -> Any:
        return lax.conv_general_dilated(x, filters, (1, 1), "SAME", dimension_numbers=numbers)

    def pool(x: Any) -> Any:
        return lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "SAME")

    def loss_of(weights: Any) -> Any:
        y = pool(jax.nn.relu(convolve(batch, weights[0])))
        y = pool(jax.nn.relu(convolve(y, weights[1])))
        scores = jax.nn.log_softmax(y.reshape(BATCH, -1) @ weights[2])
        return -scores[jnp.arange(BATCH), classes].mean()

    def step(weights: Any) -> Any:
        loss, gradients = jax.value_and_grad(loss_of)(weights)
        return loss, [w - 0.01 * g for w, g in zip(weights, gradients)]

    compiled = jax.jit(step, donate_argnums=0)

    def run(function: Any) -> Callable[[], Any]:
        def call() -> Any:
            loss, state[0] = function(state[0])
            return loss.block_until_ready()

        return call

    return {
        "convolution_eager": lambda: convolve(x, filters).block_until_ready(),
        "cnn_step_eager": run(step),
        "cnn_step_graph": run(compiled),
    }


def torch(torch: Any) -> dict[str, Callable[[], Any]]:
    import numpy as np

    features, images, labels, arrays = _arrays(np)
    functional = torch.nn.functional
    x, filters = torch.tensor(features.transpose(0, 3, 1, 2).copy()), torch.ones(32, 32, 3, 3)
    batch, classes = torch.tensor(images.transpose(0, 3, 1, 2).copy()), torch.tensor(labels.astype("int64"))
    weights = [torch.tensor(w.transpose(3, 2, 0, 1).copy(), requires_grad=True) for w in arrays[:2]]
    weights.append(torch.tensor(arrays[2], requires_grad=True))

    def loss_of() -> Any:
        y = functional.max_pool2d(functional.relu(functional.conv2d(batch, weights[0], padding=1)), 2)
        y = functional.max_pool2d(functional.relu(functional.conv2d(y, weights[1], padding=1)), 2)
        return functional.cross_entropy(y.reshape(BATCH, -1) @ weights[2], classes)

    def run(function: Any) -> Callable[[], Any]:
        def step() -> Any:
            loss = function()
            for w, g in zip(weights, torch.autograd.grad(loss, weights)):
                w.data -= 0.01 * g
            return loss

        return step

    def convolution() -> Any:
        with torch.no_grad():
            return functional.conv2d(x, filters, padding=1)

    return {
        "convolution_eager": convolution,
        "cnn_step_eager": run(loss_of),
        "cnn_step_graph": run(torch.compile(loss_of)),
    }
