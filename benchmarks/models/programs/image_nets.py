"""Convolutional nets: of MNIST's tutorials, two of `keras.applications`, and a U-Net for segmentation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import keras
import numpy as np


def _batch(size: int, batch: int, channels: int) -> tuple[Any, Any]:
    """Returns images and labels."""
    rng = np.random.default_rng(0)
    return rng.random((batch, size, size, channels), np.float32), rng.integers(0, 10, batch)


def mnist_cnn(batch: int = 128) -> Callable[[], Any]:
    x, y = _batch(28, batch, 1)
    layers = keras.layers
    stack = [keras.Input((28, 28, 1))]
    for filters in (32, 64):
        stack += [layers.Conv2D(filters, 3, activation="relu"), layers.MaxPooling2D()]
    stack += [layers.Flatten(), layers.Dense(128, "relu"), layers.Dropout(0.5), layers.Dense(10, "softmax")]
    model = keras.Sequential(stack)
    model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
    return lambda: model.train_on_batch(x, y)


def mobilenet_v2(size: int = 96, batch: int = 16) -> Callable[[], Any]:
    x, y = _batch(size, batch, 3)
    model = keras.applications.MobileNetV2((size, size, 3), weights=None, classes=10)
    model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
    return lambda: model.train_on_batch(x, y)


def resnet50_predict(size: int = 160, batch: int = 8) -> Callable[[], Any]:
    x, _ = _batch(size, batch, 3)
    model = keras.applications.ResNet50(weights=None, input_shape=(size, size, 3), classes=10)
    model.compile()
    return lambda: model.predict_on_batch(x)


def _block(x: Any, filters: int) -> Any:
    layers = keras.layers
    for _ in range(2):
        x = layers.BatchNormalization()(layers.Conv2D(filters, 3, padding="same", use_bias=False)(x))
        x = layers.Activation("relu")(x)
    return x


def unet(size: int = 64, batch: int = 8, filters: tuple[int, ...] = (16, 32, 64)) -> Callable[[], Any]:
    x, _ = _batch(size, batch, 3)
    y = np.random.default_rng(1).integers(0, 4, (batch, size, size))
    layers = keras.layers
    inputs = keras.Input((size, size, 3))
    hidden, skipped = inputs, []
    for width in filters:
        skipped.append(_block(hidden, width))
        hidden = layers.MaxPooling2D()(skipped[-1])
    hidden = _block(hidden, 2 * filters[-1])
    for width, skip in zip(reversed(filters), reversed(skipped)):
        hidden = layers.Conv2DTranspose(width, 2, strides=2)(hidden)
        hidden = _block(layers.Concatenate()([hidden, skip]), width)
    model = keras.Model(inputs, layers.Conv2D(4, 1, activation="softmax")(hidden))
    model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
    return lambda: model.train_on_batch(x, y)
