"""Keras 3 at work: steps of `fit` for four nets, `predict`, and one call of a model, on each backend that is there.

The text is the same for all: `tf.keras` is Keras on Millrace or on TensorFlow, else the backend is chosen before Keras
is imported. *graph* is `jit_compile=False`, which is torch's own mode with Keras; *compiled* is `jit_compile=True`,
which is JAX's.
"""

from __future__ import annotations

import functools
import importlib
import os
from collections.abc import Callable, Iterable
from typing import Any

from benchmarks.rows import Row

BATCH = 32
STEPS = {"mlp": 64, "cnn": 16, "lstm": 16, "transformer": 16}
"""How many steps an epoch has: one call is an epoch of `fit`, a cell is one step of it."""
TITLES = {
    "mlp": "Keras fit, MLP 64-128-128-10, batch 32",
    "cnn": "Keras fit, CNN with batch norm and dropout, batch 32",
    "lstm": "Keras fit, LSTM of 32 units over 20 steps, batch 32",
    "transformer": "Keras fit, transformer block of 32 units, 20 steps, batch 32",
}
REACHES = {("mlp", "graph"): 0.7, ("mlp", "jit"): 0.7}
_MODES = {"graph": "graph", "jit": "compiled"}
ROWS = (
    *(
        Row(f"keras_{net}_{mode}", f"{title}, {words}", "ms", REACHES.get((net, mode)), per=STEPS[net])
        for net, title in TITLES.items()
        for mode, words in _MODES.items()
    ),
    *(Row(f"keras_predict_{mode}", f"Keras predict, 10,000 rows, {words}", "ms") for mode, words in _MODES.items()),
    Row("keras_call", "Keras model(x), MLP, one row, eager", "us"),
)


def _mlp(keras: Any) -> tuple[Any, tuple[int, ...]]:
    layers = keras.layers
    hidden = [layers.Dense(128, "relu"), layers.Dense(128, "relu")]
    return keras.Sequential([keras.Input((64,)), *hidden, layers.Dense(10)]), (64,)


def _cnn(keras: Any) -> tuple[Any, tuple[int, ...]]:
    layers = keras.layers
    stack = [keras.Input((28, 28, 1))]
    for filters in (32, 64):
        stack += [layers.Conv2D(filters, 3, padding="same", use_bias=False), layers.BatchNormalization()]
        stack += [layers.Activation("relu"), layers.MaxPooling2D()]
    return keras.Sequential([*stack, layers.Flatten(), layers.Dropout(0.5), layers.Dense(10)]), (28, 28, 1)


def _lstm(keras: Any) -> tuple[Any, tuple[int, ...]]:
    layers = keras.layers
    return keras.Sequential([keras.Input((20, 16)), layers.LSTM(32), layers.Dense(10)]), (20, 16)


def _transformer(keras: Any) -> tuple[Any, tuple[int, ...]]:
    layers = keras.layers
    x = inputs = keras.Input((20, 32))
    x = layers.LayerNormalization()(x + layers.MultiHeadAttention(4, 8)(x, x))
    x = layers.LayerNormalization()(x + layers.Dense(32)(layers.Dense(64, "relu")(x)))
    return keras.Model(inputs, layers.Dense(10)(layers.GlobalAveragePooling1D()(x))), (20, 32)


_NETS = {"mlp": _mlp, "cnn": _cnn, "lstm": _lstm, "transformer": _transformer}


def _compiled(keras: Any, net: str, mode: str) -> tuple[Any, tuple[int, ...]]:
    keras.utils.set_random_seed(0)
    model, shape = _NETS[net](keras)
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile("adam", loss, metrics=["accuracy"], jit_compile=mode == "jit")
    return model, shape


def _epoch(keras: Any, net: str, mode: str) -> Callable[[], Any]:
    import numpy as np

    model, shape = _compiled(keras, net, mode)
    rng = np.random.RandomState(0)
    rows = BATCH * STEPS[net]
    x, y = rng.rand(rows, *shape).astype("float32"), rng.randint(0, 10, rows)
    return lambda: model.fit(x, y, batch_size=BATCH, epochs=1, verbose=0)


def _prediction(keras: Any, mode: str) -> Callable[[], Any]:
    import numpy as np

    model, shape = _compiled(keras, "mlp", mode)
    x = np.random.RandomState(0).rand(10_000, *shape).astype("float32")
    return lambda: model.predict(x, verbose=0)


def _call(keras: Any) -> Callable[[], Any]:
    import numpy as np

    model, shape = _compiled(keras, "mlp", "graph")
    x = keras.ops.convert_to_tensor(np.random.RandomState(0).rand(1, *shape).astype("float32"))
    return lambda: model(x)


def _later(make: Callable[..., Callable[[], Any]], *arguments: Any) -> Callable[[], Any]:
    """What is measured, set up when it is first called."""
    made = functools.cache(functools.partial(make, *arguments))

    def call() -> Any:
        return made()()

    return call


def _calls(keras: Any, modes: Iterable[str]) -> dict[str, Callable[[], Any]]:
    calls = {f"keras_{net}_{mode}": _later(_epoch, keras, net, mode) for mode in modes for net in _NETS}
    calls.update({f"keras_predict_{mode}": _later(_prediction, keras, mode) for mode in modes})
    return calls | {"keras_call": _later(_call, keras)}


def _keras_on(backend: str) -> Any:
    os.environ["KERAS_BACKEND"] = backend
    return importlib.import_module("keras")


def tensorflow(tf: Any) -> dict[str, Callable[[], Any]]:
    os.environ["KERAS_BACKEND"] = "tensorflow"
    return _calls(tf.keras, _MODES)


def jax(_: Any) -> dict[str, Callable[[], Any]]:
    return _calls(_keras_on("jax"), ["jit"])


def torch(_: Any) -> dict[str, Callable[[], Any]]:
    return _calls(_keras_on("torch"), ["graph"])
