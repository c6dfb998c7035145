"""Single steps on large arrays: a normalization, an activation and its gradient, many products, an optimizer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.rows import Row, tf_variants

ROWS = (
    Row("layer_norm", "layer normalization of 4096 rows of 256 floats", "ms"),
    Row("gelu_gradient", "GELU of 1M floats and its gradient", "ms"),
    Row("softmax_rows", "softmax of 8192 rows of 128 floats", "ms"),
    Row("batched_matmul", "256 products of 128x64 by 64x128", "ms"),
    Row("adam_step", "step of Adam, 10M parameters", "ms"),
)
PARAMETERS = 10_000_000
Calls = dict[str, dict[str, Callable[[], Any]]]


def _arrays(np: Any) -> dict[str, Any]:
    rng = np.random.default_rng(0)
    shapes = {"rows": (4096, 256), "logits": (8192, 128), "a": (256, 128, 64), "b": (256, 64, 128)}
    arrays = {name: rng.standard_normal(shape, np.float32) for name, shape in shapes.items()}
    return arrays | {"gradient": rng.standard_normal(PARAMETERS, np.float32)}


def tensorflow(tf: Any) -> Calls:
    import numpy as np

    x = {name: tf.constant(array) for name, array in _arrays(np).items()}

    def layer_norm(x: Any) -> Any:
        mean, variance = tf.nn.moments(x, [-1], keepdims=True)
        return (x - mean) * tf.math.rsqrt(variance + 1e-5)

    def gelu_gradient(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.nn.gelu(x)
        return y, tape.gradient(y, x)

    def calling(function: Callable[..., Any], *inputs: Any) -> dict[str, Callable[[], Any]]:
        def make(jit_compile: bool | None) -> Callable[[], Any]:
            compiled = tf.function(function, jit_compile=jit_compile)
            return lambda: compiled(*inputs)

        return tf_variants(tf, make)

    def make_adam(jit_compile: bool | None) -> Callable[[], Any]:
        first, second, parameters = (tf.Variable(tf.zeros([PARAMETERS])) for _ in range(3))

        @tf.function(jit_compile=jit_compile)
        def step(gradient: Any) -> None:
            first.assign_add((gradient - first) * 0.1)
            second.assign_add((tf.square(gradient) - second) * 0.001)
            parameters.assign_sub(first * 0.001 / (tf.sqrt(second) + 1e-7))

        return lambda: step(x["gradient"])

    return {
        "layer_norm": calling(layer_norm, x["rows"]),
        "gelu_gradient": calling(gelu_gradient, x["rows"]),
        "softmax_rows": calling(tf.nn.softmax, x["logits"]),
        "batched_matmul": calling(tf.matmul, x["a"], x["b"]),
        "adam_step": tf_variants(tf, make_adam),
    }


def jax(jax: Any) -> Calls:
    import numpy as np

    jnp = jax.numpy
    x = {name: jnp.asarray(array) for name, array in _arrays(np).items()}
    state = (jnp.zeros(PARAMETERS), jnp.zeros(PARAMETERS), jnp.zeros(PARAMETERS))

    def layer_norm(x: Any) -> Any:
        return (x - x.mean(-1, keepdims=True)) * jax.lax.rsqrt(x.var(-1, keepdims=True) + 1e-5)

    def gelu_gradient(x: Any) -> Any:
        y, pull = jax.vjp(lambda x: jax.nn.gelu(x, approximate=False), x)
        return y, pull(jnp.ones_like(y))[0]

    def adam(state: Any, gradient: Any) -> Any:
        first, second, parameters = state
        first = first + (gradient - first) * 0.1
        second = second + (gradient * gradient - second) * 0.001
        return first, second, parameters - first * 0.001 / (jnp.sqrt(second) + 1e-7)

    step = jax.jit(adam, donate_argnums=0)

    def run_adam() -> Any:
        nonlocal state
        state = step(state, x["gradient"])
        return state

    def calling(function: Callable[..., Any], *inputs: Any) -> dict[str, Callable[[], Any]]:
        compiled = jax.jit(function)
        return {"jit": lambda: compiled(*inputs)}

    return {
        "layer_norm": calling(layer_norm, x["rows"]),
        "gelu_gradient": calling(gelu_gradient, x["rows"]),
        "softmax_rows": calling(jax.nn.softmax, x["logits"]),
        "batched_matmul": calling(jnp.matmul, x["a"], x["b"]),
        "adam_step": {"jit": run_adam},
    }


def torch(torch: Any) -> Calls:
    import numpy as np

    functional = torch.nn.functional
    x = {name: torch.tensor(array) for name, array in _arrays(np).items()}
    first, second, parameters = (torch.zeros(PARAMETERS) for _ in range(3))

    def gelu_gradient() -> Any:
        rows = x["rows"].detach().requires_grad_()
        y = functional.gelu(rows)
        return y, torch.autograd.grad(y, rows, torch.ones_like(y))[0]

    def adam() -> None:
        gradient = x["gradient"]
        first.lerp_(gradient, 0.1)
        second.mul_(0.999).addcmul_(gradient, gradient, value=0.001)
        parameters.addcdiv_(first, second.sqrt().add_(1e-7), value=-0.001)

    return {
        "layer_norm": {"eager": lambda: functional.layer_norm(x["rows"], (256,))},
        "gelu_gradient": {"eager": gelu_gradient},
        "softmax_rows": {"eager": lambda: functional.softmax(x["logits"], -1)},
        "batched_matmul": {"eager": lambda: torch.matmul(x["a"], x["b"])},
        "adam_step": {"eager": adam},
    }
