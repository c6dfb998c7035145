"""Two dense layers, 784 -> 128 -> 10 with a ReLU between, on a batch of 60: a model's forward pass."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

from benchmarks.rows import Row, tf_variants

ROWS = (
    Row("dense_eager", "two dense layers, batch 60, eager", "us", reach=130),
    Row("dense_forward", "two dense layers, batch 60, in a function", "us", reach=100),
)
SIZES = (784, 128, 10)
BATCH = 60


def _arrays(np: Any) -> tuple[Any, list[tuple[Any, Any]]]:
    rng = np.random.RandomState(0)
    layers = [
        (0.05 * rng.randn(inputs, outputs).astype("float32"), rng.randn(outputs).astype("float32"))
        for inputs, outputs in itertools.pairwise(SIZES)
    ]
    return rng.rand(BATCH, SIZES[0]).astype("float32"), layers


def tensorflow(tf: Any) -> dict[str, Callable[[], Any]]:
    import numpy as np

    batch, arrays = _arrays(np)

    class Dense(tf.Module):
        def __init__(self, w: Any, b: Any, activation: Any = None) -> None:
            super().__init__()
            self.w, self.b, self.activation = tf.Variable(w), tf.Variable(b), activation

        def __call__(self, x: Any) -> Any:
            y = tf.matmul(x, self.w) + self.b
            return y if self.activation is None else self.activation(y)

    class Model(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.hidden, self.scores = Dense(*arrays[0], tf.nn.relu), Dense(*arrays[1])

        def __call__(self, x: Any) -> Any:
            return self.scores(self.hidden(x))

    model, x = Model(), tf.constant(batch)

    def make(jit_compile: bool | None) -> Callable[[], Any]:
        function = tf.function(model.__call__, jit_compile=jit_compile)
        return lambda: function(x)

    return {"dense_eager": lambda: model(x), "dense_forward": tf_variants(tf, make)}


def jax(jax: Any) -> dict[str, Callable[[], Any]]:
    import numpy as np

    batch, arrays = _arrays(np)
    (w1, b1), (w2, b2) = layers = jax.tree.map(jax.numpy.asarray, arrays)
    x = jax.numpy.asarray(batch)

    @jax.jit
    def model(layers: Any, x: Any) -> Any:
        (w1, b1), (w2, b2) = layers
        return jax.nn.relu(x @ w1 + b1) @ w2 + b2

    return {
        "dense_eager": lambda: jax.nn.relu(x @ w1 + b1) @ w2 + b2,
        "dense_forward": {"jit": lambda: model(layers, x)},
    }


def torch(torch: Any) -> dict[str, Callable[[], Any]]:
    import numpy as np

    batch, arrays = _arrays(np)
    model = torch.nn.Sequential(
        torch.nn.Linear(SIZES[0], SIZES[1]), torch.nn.ReLU(), torch.nn.Linear(SIZES[1], SIZES[2])
    )
    for layer, (w, b) in zip((model[0], model[2]), arrays):
        layer.load_state_dict({"weight": torch.tensor(w.T), "bias": torch.tensor(b)})
    x, compiled = torch.tensor(batch), torch.compile(model)

    def without_gradients(function: Any) -> Callable[[], Any]:
        def call() -> Any:
            with torch.no_grad():
                return function(x)

        return call

    eager = without_gradients(model)
    return {"dense_eager": eager, "dense_forward": {"eager": eager, "compile": without_gradients(compiled)}}


def numpy(np: Any) -> dict[str, Callable[[], Any]]:
    x, ((w1, b1), (w2, b2)) = _arrays(np)
    return {"dense_eager": lambda: np.maximum(x @ w1 + b1, 0) @ w2 + b2}
