"""Single large kernels that libraries compute: a depthwise convolution, a pool and their gradients, a matrix product.

TensorFlow, PyTorch and Millrace compute them eagerly; JAX has no eager form of the gradients, and is left out there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.rows import Row

ROWS = (
    Row("depthwise", "depthwise 3x3 convolution of 32x32x32x32, eager", "ms"),
    Row("depthwise_step", "depthwise 3x3 convolution and its gradients, eager", "ms"),
    Row("pool_step", "2x2 pool of the largest of 128x28x28x32 and its gradient, eager", "ms"),
    Row("product", "product of 1024x1024 matrices, eager", "ms"),
)


def _arrays(np: Any) -> tuple[Any, Any, Any, Any]:
    """Images and filters of the depthwise convolution, images of the pool, a matrix."""
    rng = np.random.RandomState(0)
    shapes = ((32, 32, 32, 32), (3, 3, 32, 1), (128, 28, 28, 32), (1024, 1024))
    images, filters, pooled, matrix = (rng.randn(*shape).astype("float32") for shape in shapes)
    return images, filters, np.maximum(pooled, 0), matrix


def tensorflow(tf: Any) -> dict[str, Callable[[], Any]]:
    import numpy as np

    images, filters, pooled, matrix = map(tf.constant, _arrays(np))

    def depthwise() -> Any:
        return tf.nn.depthwise_conv2d(images, filters, [1, 1, 1, 1], "SAME")

    def depthwise_step() -> Any:
        with tf.GradientTape() as tape:
            tape.watch((images, filters))
            y = depthwise()
        return tape.gradient(y, (images, filters))

    def pool_step() -> Any:
        with tf.GradientTape() as tape:
            tape.watch(pooled)
            y = tf.nn.max_pool2d(pooled, 2, 2, "SAME")
        return tape.gradient(y, pooled)

    return {
        "depthwise": depthwise,
        "depthwise_step": depthwise_step,
        "pool_step": pool_step,
        "product": lambda: matrix @ matrix,
    }


def jax(jax: Any) -> dict[str, Callable[[], Any]]:
    import numpy as np

    images, filters, _, matrix = map(jax.numpy.asarray, _arrays(np))
    numbers = ("NHWC", "HWIO", "NHWC")
    joined = filters.reshape(3, 3, 1, 32)

    def depthwise() -> Any:
        return jax.lax.conv_general_dilated(
            images, joined, (1, 1), "SAME", dimension_numbers=numbers, feature_group_count=32
        )

    return {"depthwise": depthwise, "product": lambda: matrix @ matrix}


def torch(torch: Any) -> dict[str, Callable[[], Any]]:
    import numpy as np

    functional = torch.nn.functional
    images, filters, pooled, matrix = _arrays(np)
    x = torch.tensor(images.transpose(0, 3, 1, 2).copy(), requires_grad=True)
    w = torch.tensor(filters.transpose(2, 3, 0, 1).copy(), requires_grad=True)
    p = torch.tensor(pooled.transpose(0, 3, 1, 2).copy(), requires_grad=True)
    m = torch.tensor(matrix)

    def depthwise() -> Any:
        with torch.no_grad():
            return functional.conv2d(x, w, padding=1, groups=32)

    def depthwise_step() -> Any:
        y = functional.conv2d(x, w, padding=1, groups=32)
        return torch.autograd.grad(y, (x, w), torch.ones_like(y))

    def pool_step() -> Any:
        y = functional.max_pool2d(p, 2)
        return torch.autograd.grad(y, p, torch.ones_like(y))

    return {
        "depthwise": depthwise,
        "depthwise_step": depthwise_step,
        "pool_step": pool_step,
        "product": lambda: m @ m,
    }
