"""Checkpoints and SavedModels in memory and in a file system of `fsspec`, from the first save to the last restore."""

from __future__ import annotations

import secrets
from collections.abc import Iterator

import pytest

import millrace as tf


@pytest.fixture(params=["ram", "memory", "store"])
def folder(request: pytest.FixtureRequest) -> Iterator[str]:
    """Gives the name of a new folder."""
    if request.param != "ram":
        pytest.importorskip("fsspec")
    if request.param == "store":
        from tests.ops.io.object_store import ObjectStore

        pytest.importorskip("fsspec").register_implementation("store", ObjectStore, clobber=True)
    name = f"{request.param}://{secrets.token_hex(4)}/models"
    tf.io.gfile.makedirs(name)
    yield name
    tf.io.gfile.rmtree(name.removesuffix("/models"))


def test_checkpoints_are_written_and_overwritten(folder: str) -> None:
    value = tf.Variable([1.0, 2.0])
    checkpoint = tf.train.Checkpoint(value=value, text=tf.Variable(["a"]))
    path = checkpoint.write(f"{folder}/model")
    value.assign([3.0, 4.0])
    assert checkpoint.write(path) == path
    value.assign([0.0, 0.0])
    checkpoint.read(path).assert_consumed()
    assert value.numpy().tolist() == [3.0, 4.0]
    assert sorted(tf.io.gfile.listdir(folder)) == ["model.data-00000-of-00001", "model.index"]
    assert tf.train.list_variables(path)[-1] == ("value/.ATTRIBUTES/VARIABLE_VALUE", [2])


def test_the_newest_checkpoint_of_a_folder_is_found(folder: str) -> None:
    value = tf.Variable(0)
    checkpoint = tf.train.Checkpoint(value=value)
    for number in range(1, 4):
        value.assign(10 * number)
        checkpoint.save(f"{folder}/model")
    assert tf.train.latest_checkpoint(folder) == f"{folder}/model-3"
    checkpoint.restore(f"{folder}/model-2").assert_consumed()
    assert value.numpy() == 20


def test_a_manager_keeps_the_newest(folder: str) -> None:
    value = tf.Variable(0)
    manager = tf.train.CheckpointManager(tf.train.Checkpoint(value=value), folder, max_to_keep=2)
    for number in range(4):
        value.assign(number)
        manager.save()
    assert manager.checkpoints == [f"{folder}/ckpt-3", f"{folder}/ckpt-4"]
    assert len(tf.io.gfile.listdir(folder)) == 5
    value.assign(9)
    later_manager = tf.train.CheckpointManager(tf.train.Checkpoint(value=value), folder, max_to_keep=2)
    assert later_manager.restore_or_initialize() == f"{folder}/ckpt-4"
    assert value.numpy() == 3


def test_a_saved_model_is_saved_twice_and_loaded(folder: str) -> None:
    model = tf.Module()
    model.weight = tf.Variable(2.0)
    model.scaled = tf.function(lambda x: x * model.weight, input_signature=[tf.TensorSpec([None], tf.float32)])
    tf.saved_model.save(model, f"{folder}/scaling")
    model.weight.assign(3.0)
    tf.saved_model.save(model, f"{folder}/scaling")
    loaded = tf.saved_model.load(f"{folder}/scaling")
    assert loaded.scaled([1.0, 2.0]).numpy().tolist() == [3.0, 6.0]


def test_a_checkpoint_is_moved_to_this_machine(folder: str, tmp_path: object) -> None:
    path = tf.train.Checkpoint(value=tf.Variable(7)).write(f"{folder}/model")
    for name in tf.io.gfile.glob(f"{path}*"):
        tf.io.gfile.copy(name, f"{tmp_path}/{name.rpartition('/')[2]}")
    assert tf.train.load_variable(f"{tmp_path}/model", "value/.ATTRIBUTES/VARIABLE_VALUE") == 7
