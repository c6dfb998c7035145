"""What users write themselves: training steps, layers, losses, callbacks; a GAN and a VAE."""

from __future__ import annotations

import csv
import os
from typing import Any

import numpy as np

from tests.keras.scenarios.catalogue import UNCOMPILED, Run, scenario
from tests.keras.scenarios.models import classifier, fitted, images, regressor, sequences, table, targets, weights


@scenario()
def a_training_step_of_ones_own(run: Run) -> Any:
    tf, keras = run.tf, run.keras

    class Noted(keras.Model):  # type: ignore[name-defined, misc]  # a class of the Keras at hand
        def __init__(self, **arguments: Any) -> None:
            super().__init__(**arguments)
            self.largest = keras.metrics.Mean(name="largest")

        def train_step(self, data: Any) -> Any:
            x, y = data
            with tf.GradientTape() as tape:
                found = self(x, training=True)
                loss = self.compute_loss(x, y, found)
            gradients = tape.gradient(loss, self.trainable_variables)
            self.optimizer.apply_gradients(zip(gradients, self.trainable_variables))
            self.largest.update_state(tf.reduce_max([tf.reduce_max(tf.abs(g)) for g in gradients]))
            for metric in self.metrics:
                if metric.name == "loss":
                    metric.update_state(loss)
            return {metric.name: metric.result() for metric in self.metrics if metric.name in ("loss", "largest")}

        def test_step(self, data: Any) -> Any:
            x, y = data
            return {"error": tf.reduce_max(tf.abs(self(x, training=False) - y))}

        def predict_step(self, data: Any) -> Any:
            return 2.0 * self(data, training=False)

    inputs = keras.Input((4,))
    model = Noted(inputs=inputs, outputs=keras.layers.Dense(1)(keras.layers.Dense(8, "tanh")(inputs)))
    run.compile(model, keras.optimizers.SGD(0.1), "mse")
    x, y = targets()
    found = fitted(model, x, y), model.evaluate(x, y, verbose=0, return_dict=True)
    return found, model.predict(x[:3], verbose=0), weights(model)


@scenario()
def a_loss_that_the_model_computes(run: Run) -> Any:
    keras = run.keras

    class Model(keras.Model):  # type: ignore[name-defined, misc]  # a class of the Keras at hand
        def __init__(self) -> None:
            super().__init__()
            self.hidden, self.last = keras.layers.Dense(6, "tanh"), keras.layers.Dense(1)

        def call(self, x: Any, training: bool = False) -> Any:
            x = self.hidden(x)
            self.add_loss(0.01 * keras.ops.mean(keras.ops.abs(x)))
            return self.last(x * 0.9 if training else x)

        def compute_loss(self, x: Any, y: Any, y_pred: Any, sample_weight: Any = None, training: bool = True) -> Any:
            return keras.ops.mean(keras.ops.abs(y - y_pred) ** 1.5) + keras.ops.sum(keras.ops.stack(self.losses))

    model = run.compile(Model(), keras.optimizers.SGD(0.1))
    return fitted(model, *targets(), validation_split=0.2), weights(model)


@scenario()
def layers_that_are_built_while_a_step_is_traced(run: Run) -> Any:
    keras = run.keras

    class Late(keras.layers.Layer):  # type: ignore[name-defined, misc]  # a class of the Keras at hand
        def build(self, shape: Any) -> None:
            self.scale = self.add_weight(shape=(shape[-1],), initializer="ones")
            self.seen = self.add_weight(shape=(), initializer="zeros", trainable=False)
            self.inner = keras.layers.Dense(shape[-1])

        def call(self, x: Any, training: bool = False) -> Any:
            if training:
                self.seen.assign_add(keras.ops.cast(keras.ops.shape(x)[0], "float32"))
            return self.inner(x) * self.scale

    model = keras.Sequential([Late(), keras.layers.Dense(1)])  # of no shape before the first batch
    run.compile(model, keras.optimizers.SGD(0.1), "mse")
    return fitted(model, *targets()), weights(model), model.layers[0].seen.numpy()


@scenario(slow=("jit",))
def losses_and_metrics_of_ones_own(run: Run) -> Any:
    ops = run.keras.ops

    def loss(y: Any, found: Any) -> Any:
        return ops.mean(ops.log(ops.cosh(y - found)), axis=-1)

    class Worst(run.keras.metrics.Metric):  # type: ignore[name-defined, misc]  # a class of the Keras at hand
        def __init__(self) -> None:
            super().__init__(name="worst")
            self.worst = self.add_variable((), "zeros", name="worst")

        def update_state(self, y: Any, found: Any, sample_weight: Any = None) -> None:
            self.worst.assign(ops.maximum(self.worst, ops.max(ops.abs(y - found))))

        def result(self) -> Any:
            return self.worst

    def share(y: Any, found: Any) -> Any:
        return ops.cast(ops.abs(y - found) < 0.3, "float32")

    return fitted(regressor(run, loss=loss, metrics=[Worst(), share]), *targets(), validation_split=0.2)


@scenario("graph", "jit", slow=("jit",))
def callbacks(run: Run) -> Any:
    calls = run.keras.callbacks
    file = os.path.join(run.folder, "log.csv")
    best = os.path.join(run.folder, "best.weights.h5")
    noted: list[Any] = []
    kinds = [
        calls.EarlyStopping(monitor="loss", patience=1, min_delta=0.05, restore_best_weights=True),
        calls.ReduceLROnPlateau(monitor="loss", factor=0.5, patience=1, min_delta=0.2),
        calls.LearningRateScheduler(lambda epoch, rate: rate * (0.9 if epoch else 1.0)),
        calls.ModelCheckpoint(best, monitor="loss", save_best_only=True, save_weights_only=True),
        calls.CSVLogger(file),
        calls.TerminateOnNaN(),
        calls.LambdaCallback(on_train_batch_end=lambda batch, logs: noted.append([batch, logs["loss"]])),
        calls.BackupAndRestore(os.path.join(run.folder, "backup"), save_freq=2),
    ]
    model = classifier(run)
    history = fitted(model, *table(), epochs=8, callbacks=kinds)
    with open(file, encoding="utf-8") as lines:
        rows = [[float("nan" if n == "NA" else n) for n in row] for row in list(csv.reader(lines))[1:]]
    kept = weights(model)
    model.load_weights(best)
    return history, rows, noted, kept, weights(model)


@scenario("graph", "jit", slow=("jit",))
def a_callback_that_stops_training_and_one_that_changes_the_rate(run: Run) -> Any:
    class Stop(run.keras.callbacks.Callback):  # type: ignore[name-defined, misc]  # a class of the Keras at hand
        def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
            self.model.optimizer.learning_rate = 0.5 / (batch + 1)

        def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
            self.model.stop_training = epoch == 2

    model = classifier(run)
    return fitted(model, *table(), epochs=9, callbacks=[Stop()]), weights(model)


@scenario(jit_as_graph=True, slow=("jit",))
def loops_and_branches_in_a_layer(run: Run) -> Any:
    keras, ops = run.keras, run.keras.ops

    class Iterated(keras.layers.Layer):  # type: ignore[name-defined, misc]  # a class of the Keras at hand
        def build(self, shape: Any) -> None:
            self.w = self.add_weight(shape=(shape[-1], shape[-1]), initializer="orthogonal")

        def call(self, x: Any) -> Any:
            def step(state: Any, now: Any) -> Any:
                state = ops.tanh(ops.matmul(state, self.w) + now)
                return state, state * 2

            state, sums = ops.scan(step, ops.zeros_like(x[:, 0]), ops.transpose(x, (1, 0, 2)))
            folded = ops.fori_loop(0, 3, lambda i, value: value * 0.5 + ops.cast(i, value.dtype), state)
            chosen = ops.cond(ops.mean(x) > 0, lambda: folded, lambda: -folded)
            return ops.concatenate([chosen, sums[-1] - sums[0]], axis=-1)

    model = keras.Sequential([keras.Input((6, 3)), Iterated(), keras.layers.Dense(1)])
    run.compile(model, keras.optimizers.SGD(0.02), "mse")
    return fitted(model, *sequences()), weights(model)


@scenario()
def activations_that_are_computed_again(run: Run) -> Any:
    keras = run.keras

    class Thrifty(keras.layers.Layer):  # type: ignore[name-defined, misc]  # a class of the Keras at hand
        def build(self, shape: Any) -> None:
            self.w = self.add_weight(shape=(shape[-1], 8))

        def call(self, x: Any) -> Any:
            return keras.remat(lambda rows: keras.ops.tanh(keras.ops.matmul(rows, self.w)) ** 2)(x)

    model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(4), Thrifty(), keras.layers.Dense(1)])
    run.compile(model, keras.optimizers.SGD(0.1), "mse")
    return fitted(model, *targets()), weights(model)


@scenario()
def a_gradient_of_ones_own(run: Run) -> Any:
    keras, ops = run.keras, run.keras.ops

    @ops.custom_gradient
    def clipped(x: Any) -> Any:
        def gradient(*arguments: Any, upstream: Any = None) -> Any:
            (upstream,) = arguments if upstream is None else (upstream,)
            return ops.clip(upstream, -0.01, 0.01)

        return x * 1.0, gradient

    layers = keras.layers
    stack = [layers.Dense(8, "tanh"), layers.Lambda(clipped, output_shape=(8,)), layers.Dense(1)]
    model = run.compile(keras.Sequential([keras.Input((4,)), *stack]), keras.optimizers.SGD(0.1), "mse")
    return fitted(model, *targets()), weights(model)


@scenario(jit_as_graph=True)
def a_variational_autoencoder(run: Run) -> Any:
    keras, ops = run.keras, run.keras.ops

    class Sample(keras.layers.Layer):  # type: ignore[name-defined, misc]  # a class of the Keras at hand
        def __init__(self) -> None:
            super().__init__()
            self.seeds = keras.random.SeedGenerator(7)

        def call(self, parts: Any) -> Any:
            mean, spread = parts
            self.add_loss(-0.05 * ops.mean(1 + spread - mean**2 - ops.exp(spread)))
            return mean + ops.exp(0.5 * spread) * keras.random.normal(ops.shape(mean), seed=self.seeds)

    inputs = keras.Input((8, 8, 1))
    x = keras.layers.Dense(16, "relu")(keras.layers.Flatten()(inputs))
    code = Sample()([keras.layers.Dense(2)(x), keras.layers.Dense(2)(x)])
    x = keras.layers.Dense(64, "sigmoid")(keras.layers.Dense(16, "relu")(code))
    model = keras.Model(inputs, keras.layers.Reshape((8, 8, 1))(x))
    run.compile(model, keras.optimizers.SGD(0.5), "binary_crossentropy")
    x, _ = images()
    return fitted(model, x, x, batch_size=4), model.predict(x[:1], verbose=0)[0, 0]


@scenario(jit_as_graph=True)
def a_generative_adversarial_net(run: Run) -> Any:
    tf, keras = run.tf, run.keras

    class Gan(keras.Model):  # type: ignore[name-defined, misc]  # a class of the Keras at hand
        def __init__(self) -> None:
            super().__init__()
            layers = keras.layers
            self.judge = keras.Sequential([keras.Input((4,)), layers.Dense(8, "leaky_relu"), layers.Dense(1)])
            self.maker = keras.Sequential([keras.Input((2,)), layers.Dense(8, "relu"), layers.Dense(4, "sigmoid")])
            self.seeds = keras.random.SeedGenerator(5)
            self.built = True

        def compile(self, judging: Any, making: Any, **arguments: Any) -> None:
            super().compile(**arguments)
            self.judging, self.making = judging, making
            self.loss_of = keras.losses.BinaryCrossentropy(from_logits=True)

        def train_step(self, real: Any) -> Any:
            rows = tf.shape(real)[0]
            noise = keras.random.normal((rows, 2), seed=self.seeds)
            labels = tf.concat([tf.ones((rows, 1)), tf.zeros((rows, 1))], axis=0)
            with tf.GradientTape() as tape:
                mixed = tf.concat([real, self.maker(noise)], axis=0)
                judged = self.loss_of(labels, self.judge(mixed))
            gradients = tape.gradient(judged, self.judge.trainable_weights)
            self.judging.apply_gradients(zip(gradients, self.judge.trainable_weights))
            with tf.GradientTape() as tape:
                made = self.loss_of(tf.ones((rows, 1)), self.judge(self.maker(noise)))
            gradients = tape.gradient(made, self.maker.trainable_weights)
            self.making.apply_gradients(zip(gradients, self.maker.trainable_weights))
            return {"judged": judged, "made": made}

    sgd = keras.optimizers.SGD
    model = run.compile(Gan(), judging=sgd(0.1), making=sgd(0.2))
    return fitted(model, table()[0], None, epochs=3), weights(model)


@scenario(*UNCOMPILED)
def python_code_in_a_step(run: Run) -> Any:
    tf = run.tf

    def loss(y: Any, found: Any) -> Any:
        error = tf.numpy_function(lambda a, b: np.float32(np.abs(a - b).max()), [y, found], tf.float32)
        error.set_shape(())
        return tf.reduce_mean((y - found) ** 2) + 0.1 * tf.stop_gradient(error)

    return fitted(regressor(run, loss=loss, metrics=[lambda y, found: tf.reduce_max(y)]), *targets())
