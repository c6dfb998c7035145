"""Trainings that are interrupted and resumed with new objects: losses go on bit for bit as if nothing had happened.

Objects are restored before they are built, as TensorFlow's guide to checkpoints does. Three pieces make one training.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import millrace as tf

INPUTS = np.random.RandomState(0).randn(32, 2).astype(np.float32)
LABELS = np.random.RandomState(1).randn(32, 1).astype(np.float32)


@pytest.fixture(autouse=True)
def keras_may_change_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "environ", os.environ.copy())
    pytest.importorskip("keras")


# --- models --------------------------------------------------------------------------------------------------------


def subclassed() -> Any:
    class Net(tf.keras.Model):
        def __init__(self) -> None:
            super().__init__()
            self.first, self.norm = tf.keras.layers.Dense(3), tf.keras.layers.BatchNormalization()
            self.drop, self.recur = tf.keras.layers.Dropout(0.5), tf.keras.layers.LSTM(2, dropout=0.2)
            self.last = tf.keras.layers.Dense(1)

        def call(self, x: Any, training: bool = False) -> Any:
            x = self.drop(self.norm(self.first(x), training=training), training=training)
            return self.last(self.recur(x[:, None], training=training))

    return Net()


def layers_in_containers() -> Any:
    class Net(tf.keras.Model):
        def __init__(self) -> None:
            super().__init__()
            dense = tf.keras.layers.Dense
            self.stages = [dense(3), tf.keras.layers.BatchNormalization(), [dense(2)]]
            self.heads, self.pair = {"a": dense(1), "b": [dense(1)]}, (dense(2),)
            self.mean = tf.keras.metrics.Mean()

        def call(self, x: Any, training: bool = False) -> Any:
            x = self.stages[2][0](self.stages[1](self.stages[0](x), training=training))
            x = self.pair[0](x)
            self.mean.update_state(x)
            return self.heads["a"](x) + self.heads["b"][0](x) + self.mean.result()

    return Net()


def layers_made_in_build() -> Any:
    class Net(tf.keras.Model):
        def __init__(self) -> None:
            super().__init__()
            self.stages: list[Any] = []

        def build(self, shape: Any) -> None:
            for units in (3, 1):
                self.stages.append(tf.keras.layers.Dense(units))
                self.stages[-1].build(shape)
                shape = (*shape[:-1], units)
            self.weights_of_build = [self.add_weight(shape=(1,), name="w")]

        def call(self, x: Any, training: bool = False) -> Any:
            return self.stages[1](self.stages[0](x)) * self.weights_of_build[0]

    return Net()


def sequential() -> Any:
    layers = tf.keras.layers
    return tf.keras.Sequential(
        [layers.Dense(3), layers.BatchNormalization(), layers.Dropout(0.5), layers.GaussianNoise(0.1), layers.Dense(1)]
    )


def functional() -> Any:
    layers = tf.keras.layers
    inputs = tf.keras.Input([2])
    return tf.keras.Model(inputs, layers.Dense(1)(layers.Dropout(0.5)(layers.Dense(3)(inputs))))


def module_with_layers() -> Any:
    class Net(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.stages = [tf.keras.layers.Dense(3), {"last": tf.keras.layers.Dense(1)}]

        @property
        def trainable_variables(self) -> Any:
            return [v for layer in (self.stages[0], self.stages[1]["last"]) for v in layer.trainable_variables]

        def __call__(self, x: Any, training: bool = False) -> Any:
            return self.stages[1]["last"](self.stages[0](x))

    return Net()


# --- training ------------------------------------------------------------------------------------------------------


def decaying(momentum: float) -> Any:
    schedule = tf.keras.optimizers.schedules.ExponentialDecay(0.05, 2, 0.5)
    return tf.keras.optimizers.SGD(schedule, momentum=momentum)


OPTIMIZERS: dict[str, Callable[[], Any]] = {
    "adam": lambda: tf.keras.optimizers.Adam(0.05),
    "sgd": lambda: tf.keras.optimizers.SGD(0.1),
    "momentum": lambda: decaying(0.9),
    "averaged": lambda: tf.keras.optimizers.AdamW(0.05, use_ema=True, gradient_accumulation_steps=2),
    "scaled": lambda: tf.keras.optimizers.LossScaleOptimizer(tf.keras.optimizers.RMSprop(0.05)),
}


class Training:
    """The objects of one piece of a training."""

    def __init__(self, make: Callable[[], Any], optimizer: str, seed: int) -> None:
        tf.keras.utils.set_random_seed(seed)
        self.net, self.optimizer = make(), OPTIMIZERS[optimizer]()
        self.batches = iter(tf.data.Dataset.from_tensor_slices((INPUTS, LABELS)).shuffle(32, 5).repeat().batch(4))
        self.checkpoint = tf.train.Checkpoint(
            step=tf.Variable(0), net=self.net, optimizer=self.optimizer, batches=self.batches
        )

    def step(self, x: Any, y: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((self.net(x, training=True) - y) ** 2)
        variables = self.net.trainable_variables
        self.optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
        self.checkpoint.step.assign_add(1)
        return loss

    def losses(self, mode: str, count: int) -> list[float]:
        if mode == "fit":
            if not self.net.compiled:
                self.net.compile(self.optimizer, "mse")
            return [float(self.net.train_on_batch(*next(self.batches))) for _ in range(count)]
        step = tf.function(self.step) if mode == "function" else self.step
        return [float(step(*next(self.batches))) for _ in range(count)]


def check(make: Callable[[], Any], optimizer: str, mode: str, folder: Path) -> None:
    expected = Training(make, optimizer, 1).losses(mode, 5)
    found = []
    for piece, count in ((1, 2), (2, 2), (3, 1)):
        training = Training(make, optimizer, piece)
        manager = tf.train.CheckpointManager(training.checkpoint, str(folder), max_to_keep=3)
        status = training.checkpoint.restore(manager.latest_checkpoint)
        found += training.losses(mode, count)
        if manager.latest_checkpoint:
            status.assert_consumed().assert_existing_objects_matched()
            assert not status.report().missing
        manager.save()
    assert found == expected


MODELS = (subclassed, layers_in_containers, layers_made_in_build, sequential, functional)


@pytest.mark.parametrize("mode", ["eager", "function", "fit"])
@pytest.mark.parametrize("make", MODELS)
def test_a_model_goes_on(make: Callable[[], Any], mode: str, tmp_path: Path) -> None:
    if make is layers_in_containers and mode == "fit":
        pytest.skip("a model with a metric of its own reports that metric too")
    check(make, "adam", mode, tmp_path)


@pytest.mark.parametrize("optimizer", [name for name in OPTIMIZERS if name != "adam"])
def test_an_optimizer_goes_on(optimizer: str, tmp_path: Path) -> None:
    check(functional, optimizer, "function", tmp_path)


def test_a_module_with_layers_goes_on(tmp_path: Path) -> None:
    check(module_with_layers, "adam", "eager", tmp_path)


def test_whole_epochs_of_fit_go_on(tmp_path: Path) -> None:
    def epochs(training: Training, count: int) -> list[float]:
        if not training.net.compiled:
            training.net.compile(training.optimizer, "mse", metrics=["mae"])
        history = training.net.fit(INPUTS, LABELS, batch_size=8, epochs=count, shuffle=False, verbose=0)
        return [float(loss) for loss in history.history["loss"]]

    expected = epochs(Training(sequential, "adam", 1), 3)
    first, second = Training(sequential, "adam", 1), Training(sequential, "adam", 2)
    found = epochs(first, 1)
    second.checkpoint.read(first.checkpoint.write(str(tmp_path / "c")))
    assert found + epochs(second, 2) == expected


# --- what does not fit ---------------------------------------------------------------------------------------------


def test_before_anything_is_built_the_assertion_says_what_to_build(tmp_path: Path) -> None:
    saved, fresh = Training(subclassed, "adam", 1), Training(subclassed, "adam", 2)
    saved.losses("eager", 1)
    status = fresh.checkpoint.read(saved.checkpoint.write(str(tmp_path / "c")))
    with pytest.raises(AssertionError) as raised:
        status.assert_consumed()
    text = str(raised.value)
    assert "values wait for objects that are not made yet" in text
    assert "`model.build(input_shape)`" in text and "`optimizer.build(model.trainable_variables)`" in text
    assert "waits for _kernel" in text and "waits for _variables/2" in text


def test_a_layer_of_another_size_is_an_error_at_the_first_call_and_at_the_next(tmp_path: Path) -> None:
    class Net(tf.keras.Model):
        def __init__(self, units: int) -> None:
            super().__init__()
            self.first = tf.keras.layers.Dense(units)

        def call(self, x: Any, training: bool = False) -> Any:
            return self.first(x)[:, :1]

    saved, fresh = Training(lambda: Net(3), "adam", 1), Training(lambda: Net(4), "adam", 2)
    saved.losses("eager", 1)
    fresh.checkpoint.read(saved.checkpoint.write(str(tmp_path / "c")))
    message = r"(?s)incompatible tensor with shape \(2, 3\).*wrong shape +net/first/_kernel"
    for _ in range(2):
        with pytest.raises(ValueError, match=message):
            fresh.losses("eager", 1)


def test_layers_in_lists_of_a_file_of_tensorflow_come_late_with_a_warning(tmp_path: Path) -> None:
    """TensorFlow's files have such layers only in the optimizer's list, which is made by the first step."""
    saved = Training(layers_made_in_build, "sgd", 1)
    saved.losses("eager", 2)
    stripped = tf.train.Checkpoint(optimizer=saved.optimizer, net=tf.Module()).write(str(tmp_path / "c"))
    fresh = Training(layers_made_in_build, "sgd", 2)
    fresh.checkpoint.read(stripped)
    with pytest.warns(UserWarning, match=r"5 objects existed before the values of a checkpoint .*kernel, bias"):
        fresh.losses("eager", 1)
    again = Training(layers_made_in_build, "sgd", 3)
    again.net(INPUTS[:4])
    again.optimizer.build(again.net.trainable_variables)
    again.checkpoint.read(stripped)
    for ours, theirs in zip(again.net.weights, saved.net.weights, strict=True):
        np.testing.assert_array_equal(ours, theirs)
