"""Models that are written to files and read again, whole or their weights alone."""

from __future__ import annotations

import os
from typing import Any

from tests.keras.scenarios.catalogue import EAGER, Run, scenario
from tests.keras.scenarios.models import classifier, fitted, sequences, table, weights


@scenario("graph", "jit")
def training_that_goes_on_from_a_keras_file(run: Run) -> Any:
    model = classifier(run, optimizer=run.keras.optimizers.SGD(0.1, momentum=0.9))
    first = fitted(model, *table(), epochs=1)
    file = os.path.join(run.folder, "model.keras")
    model.save(file)
    again = run.keras.models.load_model(file)
    return first, fitted(model, *table(), epochs=1), fitted(again, *table(), epochs=1), weights(again)


@scenario(slow=("jit",))
def weights_alone(run: Run) -> Any:
    layers = run.keras.layers

    def made() -> Any:
        stack = [layers.Bidirectional(layers.LSTM(3)), layers.BatchNormalization(), layers.Dense(1)]
        model = run.keras.Sequential([run.keras.Input((6, 3)), *stack])
        return run.compile(model, "sgd", "mse")

    model, other = made(), made()
    first = fitted(model, *sequences())
    file = os.path.join(run.folder, "model.weights.h5")
    model.save_weights(file)
    other.load_weights(file)
    return first, other.evaluate(*sequences(), verbose=0), other.predict(sequences()[0][:2], verbose=0)


@scenario(*EAGER)
def architecture_as_json(run: Run) -> Any:
    layers = run.keras.layers
    a, b = run.keras.Input((4,), name="a"), run.keras.Input((4,), name="b")
    shared = layers.Dense(3, "tanh", name="shared")
    model = run.keras.Model([a, b], [layers.Add()([shared(a), shared(b)]), layers.Dense(1)(shared(a))])
    again = run.keras.models.model_from_json(model.to_json())
    again.set_weights(model.get_weights())
    x, _ = table()
    copy = run.keras.models.clone_model(model)
    copy.set_weights(model.get_weights())
    return again([x[:2], x[2:4]]), copy([x[:2], x[2:4]]), [len(m.weights) for m in (model, again, copy)]


@scenario("graph")
def a_class_of_ones_own_in_a_keras_file(run: Run) -> Any:
    keras = run.keras

    class Scaled(keras.layers.Layer):  # type: ignore[name-defined, misc]  # a class of the Keras at hand
        def __init__(self, factor: float, **arguments: Any) -> None:
            super().__init__(**arguments)
            self.factor = factor
            self.inner = keras.layers.Dense(3)

        def call(self, x: Any) -> Any:
            return self.inner(x) * self.factor

        def get_config(self) -> dict[str, Any]:
            return super().get_config() | {"factor": self.factor}

    model = keras.Sequential([keras.Input((4,)), Scaled(2.5), keras.layers.Softmax()])
    run.compile(model, "adam", "sparse_categorical_crossentropy")
    first = fitted(model, *table())
    file = os.path.join(run.folder, "own.keras")
    model.save(file)
    again = keras.models.load_model(file, custom_objects={"Scaled": Scaled})
    return first, again.predict(table()[0][:3], verbose=0), float(again.optimizer.iterations.numpy())


@scenario("graph")
def a_quantized_model_in_a_keras_file(run: Run) -> Any:
    model = classifier(run, columns=8)
    model.quantize("int8")
    file = os.path.join(run.folder, "small.keras")
    model.save(file)
    x, _ = table(4, 8)
    return model.predict(x, verbose=0), run.keras.models.load_model(file).predict(x, verbose=0)
