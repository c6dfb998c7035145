"""Nets that read sequences: an LSTM and a transformer on tokens, recurrent layers on series of numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import keras
import numpy as np

WORDS = 5000


def _tokens(batch: int, steps: int) -> tuple[Any, Any]:
    """Returns token ids and one label in {0, 1} a row."""
    rng = np.random.default_rng(0)
    return rng.integers(0, WORDS, (batch, steps)), rng.integers(0, 2, (batch, 1)).astype("float32")


def lstm(steps: int = 100, batch: int = 32) -> Callable[[], Any]:
    x, y = _tokens(batch, steps)
    layers = keras.layers
    model = keras.Sequential(
        [keras.Input((steps,), dtype="int64"), layers.Embedding(WORDS, 64), layers.LSTM(64), layers.Dense(1, "sigmoid")]
    )
    model.compile("adam", "binary_crossentropy", metrics=["accuracy"])
    return lambda: model.train_on_batch(x, y)


def gru(steps: int = 50, batch: int = 64) -> Callable[[], Any]:
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(batch, steps, 8)).astype("float32"), rng.normal(size=(batch, 1)).astype("float32")
    layers = keras.layers
    recurrent = [layers.Bidirectional(layers.GRU(32, return_sequences=True)), layers.GRU(32)]
    model = keras.Sequential([keras.Input((steps, 8)), *recurrent, layers.Dense(1)])
    model.compile("adam", "mse", metrics=["mae"])
    return lambda: model.train_on_batch(x, y)


def _block(x: Any, width: int, heads: int) -> Any:
    layers = keras.layers
    attended = layers.MultiHeadAttention(heads, width // heads, dropout=0.1)(x, x)
    x = layers.LayerNormalization()(x + attended)
    wide = layers.Dense(width)(layers.Dense(4 * width, "gelu")(x))
    return layers.LayerNormalization()(x + layers.Dropout(0.1)(wide))


class _Positions(keras.layers.Layer):  # type: ignore[misc]  # Keras is seen as Any
    """Adds a trained vector to each position."""

    def build(self, shape: Any) -> None:
        self.positions = self.add_weight(shape=shape[1:], initializer="uniform")

    def call(self, x: Any) -> Any:
        return x + self.positions


def transformer(steps: int = 64, batch: int = 32, blocks: int = 2, width: int = 128) -> Callable[[], Any]:
    x, y = _tokens(batch, steps)
    layers = keras.layers
    inputs = keras.Input((steps,), dtype="int64")
    hidden = _Positions()(layers.Embedding(WORDS, width)(inputs))
    for _ in range(blocks):
        hidden = _block(hidden, width, 4)
    model = keras.Model(inputs, layers.Dense(1, "sigmoid")(layers.GlobalAveragePooling1D()(hidden)))
    model.compile("adam", "binary_crossentropy", metrics=["accuracy"])
    return lambda: model.train_on_batch(x, y)
