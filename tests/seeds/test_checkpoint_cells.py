"""The frames of programs with checkpoints in the seed documents: train and save, restore and use, the last few kept."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

import millrace as tf
from tests.interop.process import output_of


class MyModel(tf.Module):
    """A linear model; its variables are made by the first call, as layers of Keras make theirs."""

    def __call__(self, x: Any) -> Any:
        if not hasattr(self, "kernel"):
            self.kernel = tf.Variable(tf.zeros([x.shape[-1], 1]))
            self.bias = tf.Variable(tf.zeros([1]))
        return x @ self.kernel + self.bias


X, Y = tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]), tf.constant([[10.0], [20.0]])


def train(model: Any, steps: int = 20) -> None:
    for _ in range(steps):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(model(X) - Y))
        variables = [model.kernel, model.bias]
        for variable, gradient in zip(variables, tape.gradient(loss, variables)):
            variable.assign_sub(0.005 * gradient)


def test_a_model_is_saved_by_one_program_and_used_by_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    model = MyModel()
    train(model)
    checkpoint = tf.train.Checkpoint(myModel=model)
    assert checkpoint.save("./save/model.ckpt") == "./save/model.ckpt-1"
    assert sorted(os.listdir("save")) == ["checkpoint", "model.ckpt-1.data-00000-of-00001", "model.ckpt-1.index"]

    restored = MyModel()
    checkpoint = tf.train.Checkpoint(myModel=restored)
    status = checkpoint.restore(tf.train.latest_checkpoint("./save"))
    assert (restored(X).numpy() == model(X).numpy()).all()  # the variables appear here, with their values
    status.assert_consumed()


def test_the_newest_of_ten_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    model = MyModel()
    model(X)
    checkpoint = tf.train.Checkpoint(myAwesomeModel=model)
    for _ in range(10):
        checkpoint.save("./save/model.ckpt")
    assert tf.train.latest_checkpoint("./save") == "./save/model.ckpt-10"


def test_a_manager_keeps_the_last_three_under_numbers_of_batches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    model = MyModel()
    checkpoint = tf.train.Checkpoint(myAwesomeModel=model)
    manager = tf.train.CheckpointManager(checkpoint, directory="./save", checkpoint_name="model.ckpt", max_to_keep=3)
    paths = []
    for batch_index in range(1, 501):
        train(model, 1)
        if batch_index % 100 == 0:
            paths.append(manager.save(checkpoint_number=batch_index))
    assert paths == [f"./save/model.ckpt-{number}" for number in (100, 200, 300, 400, 500)]
    assert manager.checkpoints == paths[-3:]
    assert sorted(name for name in os.listdir("save") if name.endswith("index")) == [
        f"model.ckpt-{number}.index" for number in (300, 400, 500)
    ]
    assert tf.train.latest_checkpoint("./save") == "./save/model.ckpt-500"


KERAS = """
import tempfile
import numpy as np
import tensorflow as tf

class MLP(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.dense1 = tf.keras.layers.Dense(units=8, activation=tf.nn.relu)
        self.dense2 = tf.keras.layers.Dense(units=2)

    def call(self, inputs):
        return self.dense2(self.dense1(inputs))

x, y = np.ones([4, 3], np.float32), np.zeros([4], np.int64)
folder = tempfile.mkdtemp()
model, optimizer = MLP(), tf.keras.optimizers.Adam(learning_rate=0.1)
checkpoint = tf.train.Checkpoint(myAwesomeModel=model, myAwesomeOptimizer=optimizer)
for _ in range(3):
    with tf.GradientTape() as tape:
        losses = tf.keras.losses.sparse_categorical_crossentropy(y_true=y, y_pred=model(x), from_logits=True)
        loss = tf.reduce_mean(losses)
    grads = tape.gradient(loss, model.variables)
    optimizer.apply_gradients(grads_and_vars=zip(grads, model.variables))
path = checkpoint.save(folder + "/model.ckpt")
print([name for name, shape in tf.train.list_variables(path) if name.startswith("myAwesomeModel")])

restored = MLP()
restored(x)  # Keras 3 tracks variables when a layer is built
checkpoint = tf.train.Checkpoint(myAwesomeModel=restored)
status = checkpoint.restore(tf.train.latest_checkpoint(folder))
status.assert_existing_objects_matched()
print((restored(x).numpy() == model(x).numpy()).all(), len(status.report().unused))
"""


def test_a_keras_model_and_its_optimizer() -> None:
    lines = output_of(KERAS).splitlines()
    assert lines[0] == str(
        [
            f"myAwesomeModel/dense{number}/{name}/.ATTRIBUTES/VARIABLE_VALUE"
            for number in (1, 2)
            for name in ("_kernel", "bias")
        ]
    )
    assert lines[1] == "True 10"  # counter, rate, and two moments of each variable
