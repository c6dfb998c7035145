"""Checkpoints of layers, models, optimizers and metrics of Keras."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.formats.checkpoints.case import Cases, Objects

KERAS = Cases()


def _fill_weights(tf: Any, objects: Objects) -> None:
    for name in ("model", "layer"):
        for index, weight in enumerate(objects[name].weights if name in objects else ()):
            if np.dtype(weight.dtype).kind == "f":
                weight.assign(np.full(weight.shape, index + 0.5))


def _weights(tf: Any, objects: Objects) -> Any:
    found = objects.get("model", objects.get("layer"))
    return [np.asarray(weight) for weight in found.weights if np.dtype(weight.dtype).kind == "f"]


@KERAS(needs="keras", fill=_fill_weights, read=_weights)
def dense_layers(tf: Any) -> Objects:
    keras = tf.keras
    keras.utils.clear_session()
    return {"model": keras.Sequential([keras.Input([2]), keras.layers.Dense(3), keras.layers.Dense(1)])}


@KERAS(needs="keras", fill=_fill_weights, read=_weights)
def convolutions(tf: Any) -> Objects:
    keras = tf.keras
    keras.utils.clear_session()
    layers = [
        keras.Input([6, 6, 1]),
        keras.layers.Conv2D(2, 3),
        keras.layers.BatchNormalization(),
        keras.layers.Dropout(0.5, seed=1),
        keras.layers.Flatten(),
        keras.layers.Dense(1),
    ]
    return {"model": keras.Sequential(layers)}


@KERAS(needs="keras", fill=_fill_weights, read=_weights)
def recurrent(tf: Any) -> Objects:
    keras = tf.keras
    keras.utils.clear_session()
    return {"model": keras.Sequential([keras.Input([4, 2]), keras.layers.LSTM(2), keras.layers.Dense(1)])}


@KERAS(needs="keras", fill=_fill_weights, read=_weights)
def functional(tf: Any) -> Objects:
    keras = tf.keras
    keras.utils.clear_session()
    left, right = keras.Input([2], name="left"), keras.Input([3], name="right")
    joined = keras.layers.Concatenate()([keras.layers.Dense(2, name="a")(left), keras.layers.Dense(2, name="b")(right)])
    return {"model": keras.Model([left, right], keras.layers.Dense(1, name="c")(joined))}


@KERAS(needs="keras", fill=_fill_weights, read=_weights)
def layer(tf: Any) -> Objects:
    keras = tf.keras
    keras.utils.clear_session()
    layer = keras.layers.Dense(2, name="alone")
    layer.build([None, 3])
    return {"layer": layer}


def _compiled(tf: Any, optimizer: Any) -> Objects:
    keras = tf.keras
    keras.utils.clear_session()
    model = keras.Sequential([keras.Input([2]), keras.layers.Dense(1)])
    optimizer = optimizer(keras)
    optimizer.build(model.trainable_variables)
    return {"model": model, "optimizer": optimizer, "step": tf.Variable(0)}


def _train(tf: Any, objects: Objects) -> None:
    _fill_weights(tf, objects)
    variables = objects["model"].trainable_variables
    for _ in range(3):
        objects["optimizer"].apply([tf.ones(v.shape) for v in variables], variables)
    objects["step"].assign(3)


def _state(tf: Any, objects: Objects) -> Any:
    return [objects["step"], *_weights(tf, objects), *(np.asarray(v) for v in objects["optimizer"].variables)]


@KERAS(needs="keras", fill=_train, read=_state)
def adam(tf: Any) -> Objects:
    return _compiled(tf, lambda keras: keras.optimizers.Adam(0.1))


@KERAS(needs="keras", fill=_train, read=_state)
def momentum(tf: Any) -> Objects:
    return _compiled(tf, lambda keras: keras.optimizers.SGD(0.1, momentum=0.9))


@KERAS(needs="keras", fill=_train, read=_state)
def rms_propagation(tf: Any) -> Objects:
    return _compiled(tf, lambda keras: keras.optimizers.RMSprop(0.1, centered=True, momentum=0.5))


def _subclass(tf: Any) -> Any:
    keras = tf.keras
    keras.utils.clear_session()

    class Model(keras.Model):
        def __init__(self):
            super().__init__(name="subclass")
            self.first = keras.layers.Dense(2, name="first")
            self.second = keras.layers.Dense(2, name="second")
            self.norm = keras.layers.LayerNormalization()

        def call(self, x):
            return self.norm(self.second(self.first(x)))

    model = Model()
    model(tf.ones([1, 3]))
    return model


@KERAS(needs="keras", fill=_fill_weights, read=_weights)
def subclassed(tf: Any) -> Objects:
    return {"model": _subclass(tf)}
