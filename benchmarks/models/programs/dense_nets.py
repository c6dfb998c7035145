"""Dense nets trained by `fit`: a multilayer perceptron, and a table with columns of categories and of numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import keras
import numpy as np

CATEGORIES = {"city": 1000, "job": 200, "device": 50, "weekday": 7, "hour": 24}
"""Feature -> how many values it has."""
NUMBERS = 8


def mlp_fit(rows: int = 8192, batch: int = 128) -> Callable[[], Any]:
    """A step is an epoch."""
    rng = np.random.default_rng(0)
    x, y = rng.random((rows, 784), np.float32), rng.integers(0, 10, rows)
    layers = keras.layers
    hidden = [layers.Dense(256, "relu"), layers.Dense(256, "relu")]
    model = keras.Sequential([keras.Input((784,)), *hidden, layers.Dense(10, "softmax")])
    model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
    return lambda: model.fit(x, y, batch_size=batch, epochs=1, verbose=0)


def tabular_fit(rows: int = 8192, batch: int = 256) -> Callable[[], Any]:
    """A step is an epoch."""
    rng = np.random.default_rng(0)
    x = {name: rng.integers(0, count, (rows, 1)) for name, count in CATEGORIES.items()}
    x["numbers"] = rng.normal(size=(rows, NUMBERS)).astype("float32")
    y = rng.integers(0, 2, (rows, 1)).astype("float32")
    layers = keras.layers
    inputs = {name: keras.Input((1,), name=name, dtype="int64") for name in CATEGORIES}
    embedded = [layers.Flatten()(layers.Embedding(CATEGORIES[name], 16)(column)) for name, column in inputs.items()]
    inputs["numbers"] = keras.Input((NUMBERS,), name="numbers")
    hidden = layers.Concatenate()([*embedded, layers.BatchNormalization()(inputs["numbers"])])
    hidden = layers.Dropout(0.2)(layers.Dense(64, "relu")(hidden))
    outputs = layers.Dense(1, "sigmoid")(layers.Dense(32, "relu")(hidden))
    model = keras.Model(inputs, outputs)
    model.compile("adam", "binary_crossentropy", metrics=["AUC"])
    return lambda: model.fit(x, y, batch_size=batch, epochs=1, verbose=0)
