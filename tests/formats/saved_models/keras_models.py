"""SavedModels that Keras makes: `model.export` and `tf.saved_model.save` of layers and models."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.formats.saved_models.model import Models

KERAS = Models("keras")


def _filled(model: Any) -> Any:
    """Gives each weight numbers that depend on its index alone."""
    for index, weight in enumerate(model.weights):
        if np.dtype(weight.dtype).kind == "f":
            numbers = np.linspace(0.1, 0.9, int(np.prod(weight.shape))).reshape(weight.shape)
            weight.assign(numbers * (-1) ** index if len(weight.shape) > 1 else numbers)
    return model


def _served(*shape: int) -> Any:
    def call(tf: Any, m: Any) -> Any:
        inputs = tf.reshape(tf.range(float(np.prod(shape))) / 10.0, shape)
        return m.serve(inputs)

    return call


def _inputs(tf: Any, *shape: int) -> Any:
    return tf.reshape(tf.range(float(np.prod(shape))) / 10.0, shape)


def _counts(tf: Any, m: Any) -> Any:
    return [len(m.variables), len(m.trainable_variables), len(m.non_trainable_variables)]


@KERAS(needs="keras", writes_files=True, served=_served(3, 4), other_size=_served(1, 4), counts=_counts)
def dense_layers(tf: Any, folder: str) -> None:
    keras = tf.keras
    keras.utils.clear_session()
    layers = [keras.Input([4]), keras.layers.Dense(3, activation="relu"), keras.layers.Dense(2, activation="softmax")]
    _filled(keras.Sequential(layers)).export(folder, verbose=False)


@KERAS(
    needs="keras",
    writes_files=True,
    served=_served(2, 8, 8, 1),
    counts=_counts,
    by_signature=lambda tf, m: m.signatures["serving_default"](_inputs(tf, 2, 8, 8, 1)),
)
def convolutions(tf: Any, folder: str) -> None:
    keras = tf.keras
    keras.utils.clear_session()
    layers = [
        keras.Input([8, 8, 1]),
        keras.layers.Conv2D(2, 3, activation="relu"),
        keras.layers.BatchNormalization(),
        keras.layers.MaxPooling2D(2),
        keras.layers.Flatten(),
        keras.layers.Dropout(0.5),
        keras.layers.Dense(3),
    ]
    _filled(keras.Sequential(layers)).export(folder, verbose=False)


@KERAS(needs="keras", writes_files=True, served=_served(2, 5, 3), counts=_counts)
def lstm(tf: Any, folder: str) -> None:
    keras = tf.keras
    keras.utils.clear_session()
    layers = [keras.Input([5, 3]), keras.layers.LSTM(4, return_sequences=True), keras.layers.GRU(2)]
    _filled(keras.Sequential(layers)).export(folder, verbose=False)


@KERAS(
    needs="keras",
    writes_files=True,
    served=lambda tf, m: m.serve([_inputs(tf, 2, 3), _inputs(tf, 2, 4)]),
    by_signature=lambda tf, m: m.signatures["serving_default"](left=_inputs(tf, 2, 3), right=_inputs(tf, 2, 4)),
)
def several_inputs(tf: Any, folder: str) -> None:
    keras = tf.keras
    keras.utils.clear_session()
    left, right = keras.Input([3], name="left"), keras.Input([4], name="right")
    joined = keras.layers.Concatenate()([keras.layers.Dense(2)(left), keras.layers.Dense(2)(right)])
    outputs = {"sum": keras.layers.Dense(1, name="sum")(joined), "joined": joined}
    _filled(keras.Model([left, right], outputs)).export(folder, verbose=False)


@KERAS(needs="keras", writes_files=True, served=lambda tf, m: m.serve(_inputs(tf, 2, 3)), counts=_counts)
def subclassed(tf: Any, folder: str) -> None:
    keras = tf.keras
    keras.utils.clear_session()

    class Residual(keras.Model):
        def __init__(self):
            super().__init__(name="residual")
            self.inner = [keras.layers.Dense(3, activation="tanh", name=f"inner_{i}") for i in range(2)]
            self.norm = keras.layers.LayerNormalization()

        def call(self, x):
            for layer in self.inner:
                x = x + layer(x)
            return self.norm(x)

    model = Residual()
    model(tf.ones([1, 3]))
    _filled(model).export(folder, verbose=False)


@KERAS(
    needs="keras",
    writes_files=True,
    served=lambda tf, m: m.serve(tf.constant([[1, 2, 0], [3, 0, 0]])),
    attended=lambda tf, m: m.signatures["serving_default"](tf.constant([[1, 1, 1]])),
)
def embedding_and_attention(tf: Any, folder: str) -> None:
    keras = tf.keras
    keras.utils.clear_session()
    tokens = keras.Input([3], dtype="int32", name="tokens")
    x = keras.layers.Embedding(5, 4)(tokens)
    x = keras.layers.MultiHeadAttention(2, 2)(x, x)
    x = keras.layers.GlobalAveragePooling1D()(x)
    _filled(keras.Model(tokens, keras.layers.Dense(2)(x))).export(folder, verbose=False)


@KERAS(
    needs="keras",
    writes_files=True,
    loss_falls=lambda tf, m: m.serve(_inputs(tf, 2, 2)),
    variables=lambda tf, m: [v.shape for v in m.variables],
)
def trained(tf: Any, folder: str) -> None:
    keras = tf.keras
    keras.utils.clear_session()
    model = _filled(keras.Sequential([keras.Input([2]), keras.layers.Dense(1)]))
    model.compile(optimizer=keras.optimizers.Adam(0.1), loss="mse")
    model.fit(np.ones([4, 2], "float32"), np.ones([4, 1], "float32"), epochs=2, verbose=0, shuffle=False)
    model.export(folder, verbose=False)


@KERAS(
    needs="keras",
    writes_files=True,
    first=lambda tf, m: m.first(_inputs(tf, 1, 2)),
    second=lambda tf, m: m.second(_inputs(tf, 1, 2)),
    signatures=lambda tf, m: sorted(m.signatures),
)
def export_archive(tf: Any, folder: str) -> None:
    keras = tf.keras
    keras.utils.clear_session()
    model = _filled(keras.Sequential([keras.Input([2]), keras.layers.Dense(1)]))
    archive = keras.export.ExportArchive()
    archive.track(model)
    spec = [keras.InputSpec(shape=(None, 2), dtype="float32")]
    archive.add_endpoint("first", model.__call__, spec)
    archive.add_endpoint("second", lambda x: model(x) * 2.0, spec)
    archive.add_variable_collection("optimizer_variables", model.variables)
    archive.write_out(folder, verbose=False)


@KERAS(
    needs="keras",
    signature=lambda tf, m: m.f(_inputs(tf, 1, 2)),
)
def layer_in_a_module(tf: Any) -> Any:
    keras = tf.keras
    keras.utils.clear_session()
    root = tf.Module()
    root.layer = keras.layers.Dense(2, name="dense_of_module")
    root.layer.build([None, 2])
    _filled(root.layer)
    root.f = tf.function(lambda x: root.layer(x), input_signature=[tf.TensorSpec([None, 2])])
    return root


@KERAS(
    needs="keras",
    signature=lambda tf, m: m.signatures["serving_default"](_inputs(tf, 2, 3)),
    names=lambda tf, m: sorted(m.signatures["serving_default"].structured_outputs),
)
def saved_by_tensorflow(tf: Any) -> Any:
    keras = tf.keras
    keras.utils.clear_session()
    inputs = keras.Input([3], name="features")
    return _filled(keras.Model(inputs, keras.layers.Dense(2, name="scores")(inputs), name="whole"))


@KERAS(
    needs="keras",
    signature=lambda tf, m: m.signatures["serving_default"](_inputs(tf, 2, 3)),
    parts=lambda tf, m: len(m._layers),
)
def saved_by_tensorflow_after_training(tf: Any) -> Any:
    keras = tf.keras
    keras.utils.clear_session()
    layers = [keras.Input([3]), keras.layers.Dense(2, name="hidden"), keras.layers.BatchNormalization(name="norm")]
    model = _filled(keras.Sequential(layers, name="trained"))
    model.compile(optimizer=keras.optimizers.SGD(0.1, momentum=0.5), loss="mse", metrics=["mae"])
    model.fit(np.ones([4, 3], "float32"), np.ones([4, 2], "float32"), verbose=0, shuffle=False)
    return model


@KERAS(needs="keras", writes_files=True, served=lambda tf, m: m.serve(tf.constant([["b"], ["z"]])))
def string_lookup(tf: Any, folder: str) -> None:
    keras = tf.keras
    keras.utils.clear_session()
    layers = [keras.Input([1], dtype="string"), keras.layers.StringLookup(vocabulary=["a", "b"])]
    keras.Sequential(layers).export(folder, verbose=False)
