"""A small net that answers one request: called eagerly, by `predict`, and as the signature of a SavedModel."""

from __future__ import annotations

import itertools
import tempfile
from collections.abc import Callable
from typing import Any

import keras
import numpy as np
import tensorflow as tf


def _net() -> Any:
    layers = keras.layers
    hidden = [layers.Dense(128, "relu"), layers.Dense(128, "relu")]
    return keras.Sequential([keras.Input((64,)), *hidden, layers.Dense(10)])


def _row() -> Any:
    return np.random.default_rng(0).random((1, 64), np.float32)


def call_mlp() -> Callable[[], Any]:
    net, x = _net(), tf.constant(_row())
    return lambda: net(x)


def predict_mlp() -> Callable[[], Any]:
    net, x = _net(), _row()
    net.compile()
    return lambda: net.predict(x, verbose=0)


class _Module(tf.Module):  # type: ignore[misc]  # TensorFlow is seen as Any
    """The same net of variables."""

    def __init__(self) -> None:
        super().__init__()
        rng, sizes = np.random.default_rng(0), (64, 128, 128, 10)
        self.weights = [tf.Variable(0.1 * rng.normal(size=s).astype("float32")) for s in itertools.pairwise(sizes)]
        self.biases = [tf.Variable(tf.zeros([size])) for size in sizes[1:]]

    @tf.function(input_signature=[tf.TensorSpec([None, 64])])
    def serve(self, x: Any) -> Any:
        for weight, bias in zip(self.weights[:-1], self.biases[:-1]):
            x = tf.nn.relu(x @ weight + bias)
        return {"scores": x @ self.weights[-1] + self.biases[-1]}


def saved_model() -> Callable[[], Any]:
    """A step is one request; saving and loading belong to the first."""
    module = _Module()
    with tempfile.TemporaryDirectory() as folder:
        tf.saved_model.save(module, folder, signatures=module.serve)
        loaded = tf.saved_model.load(folder)
    signature, x = loaded.signatures["serving_default"], tf.constant(_row())

    def step(_: Any = loaded) -> Any:  # a signature does not keep the variables
        return signature(x=x)["scores"]

    return step
