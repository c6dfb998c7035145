"""Which tensors of a checkpoint go to which of its data files."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

import millrace as tf
from millrace._src.checkpoint.bundle.reader import BundleReader


def options(callback: Any) -> Any:
    return tf.train.CheckpointOptions(experimental_sharding_callback=callback)


def sizes(folder: Path) -> list[int]:
    return [os.path.getsize(folder / name) for name in sorted(os.listdir(folder)) if ".data-" in name]


def slices(path: str, key: str) -> list[str]:
    with BundleReader(path) as reader:
        return [str(part) for part in reader.entry(f"{key}/.ATTRIBUTES/VARIABLE_VALUE").slices]


# What real TensorFlow makes of a variable of shape (5, 4), float32.
CUTS = {
    16: ["0,1:0,4", "1,1:0,4", "2,1:0,4", "3,1:0,4", "4,1:0,4"],
    20: ["0,5:0,1", "0,5:1,1", "0,5:2,1", "0,5:3,1"],
    24: ["0,5:0,1", "0,2:1,3", "2,2:1,3", "4,1:1,3"],
    36: ["0,2:0,4", "2,2:0,4", "4,1:0,1", "4,1:1,3"],
    40: ["0,5:0,2", "0,5:2,2"],
    48: ["0,3:0,4", "3,2:0,4"],
    64: ["0,3:0,4", "3,1:0,4", "4,1:0,4"],
    72: ["0,3:0,4", "3,1:0,4", "4,1:0,2", "4,1:2,2"],
    80: [],
}


@pytest.mark.parametrize("size", CUTS)
def test_a_variable_is_cut_as_tensorflow_cuts_it(tmp_path: Path, size: int) -> None:
    v = tf.Variable(tf.reshape(tf.range(20.0), [5, 4]))
    policy = tf.train.experimental.MaxShardSizePolicy(size)
    path = tf.train.Checkpoint(v=v).write(str(tmp_path / "c"), options(policy))
    assert slices(path, "v") == CUTS[size]
    fresh = tf.Variable(tf.zeros([5, 4]))
    tf.train.Checkpoint(v=fresh).read(path).assert_consumed()
    assert (fresh.numpy() == v.numpy()).all()


@pytest.mark.parametrize("shape", [[3, 2, 5], [7], [1, 9], [2, 2, 2, 2]], ids=str)
@pytest.mark.parametrize("size", [1, 4, 7, 12, 50])
def test_any_size_will_do(tmp_path: Path, shape: list[int], size: int) -> None:
    """TensorFlow goes on for ever where no slice along one axis fits into a file."""
    v = tf.Variable(tf.random.normal(shape))
    objects = {"v": v, "texts": tf.Variable(["a", "bb"]), "scalar": tf.Variable(1)}
    policy = tf.train.experimental.MaxShardSizePolicy(size)
    path = tf.train.Checkpoint(**objects).write(str(tmp_path / "c"), options(policy))
    fresh = {name: tf.Variable(tf.zeros_like(variable)) for name, variable in objects.items()}
    tf.train.Checkpoint(**fresh).read(path).assert_consumed()
    assert all((fresh[name].numpy() == variable.numpy()).all() for name, variable in objects.items())
    if size >= 4:
        with BundleReader(path) as reader:
            stored = [entry for entry in reader.stored_entries() if entry.dtype == tf.float32 and not entry.slices]
        assert max(entry.size for entry in stored) <= size


def test_tensors_share_a_file_while_there_is_room(tmp_path: Path) -> None:
    objects = {name: tf.Variable(tf.zeros([3])) for name in "xyz"}
    tf.train.Checkpoint(**objects).write(str(tmp_path / "c"), options(tf.train.experimental.MaxShardSizePolicy(24)))
    assert len(sizes(tmp_path)) == 2 and sizes(tmp_path)[0] == 24


@pytest.mark.parametrize("size", [0, -1])
def test_a_size_is_positive(size: int) -> None:
    with pytest.raises(ValueError, match="must be positive"):
        tf.train.experimental.MaxShardSizePolicy(size)


def test_by_task_is_one_file(tmp_path: Path) -> None:
    policy = tf.train.experimental.ShardByTaskPolicy()
    plain = tf.train.Checkpoint(v=tf.Variable([1.0, 2.0], name="v"), w=tf.Variable("x", name="w"))
    plain.write(str(tmp_path / "a"))
    plain.write(str(tmp_path / "b"), options(policy))
    assert (tmp_path / "a.index").read_bytes() == (tmp_path / "b.index").read_bytes()
    assert policy.description == "Split tensors into shards based on their device spec task."


class Each(tf.train.experimental.ShardingCallback):
    """Puts each tensor into a file of its own."""

    def __init__(self) -> None:
        self.seen: list[Any] = []

    @property
    def description(self) -> str:
        return "each alone"

    def __call__(self, shardable_tensors: Any) -> Any:
        self.seen = list(shardable_tensors)
        return [{one.checkpoint_key: {one.slice_spec: one.tensor}} for one in self.seen]


def test_a_callback_of_the_user_is_asked(tmp_path: Path) -> None:
    callback, v = Each(), tf.Variable([1.0, 2.0])
    tf.train.Checkpoint(v=v).write(str(tmp_path / "c"), options(callback))
    assert len(sizes(tmp_path)) == 2
    first = callback.seen[0]
    assert first.checkpoint_key == "v/.ATTRIBUTES/VARIABLE_VALUE" and first.trackable is v
    assert first.dtype == tf.float32 and first.shape == [2] and first.device.device_type == "CPU"


def test_a_callback_that_loses_a_tensor_is_refused(tmp_path: Path) -> None:
    class Nothing(Each):
        def __call__(self, shardable_tensors: Any) -> Any:
            return []

    with pytest.raises(ValueError, match="left out the tensors"):
        tf.train.Checkpoint(v=tf.Variable(1.0)).write(str(tmp_path / "c"), options(Nothing()))


def test_what_is_no_callback_is_refused() -> None:
    with pytest.raises(ValueError, match="must be of type ShardingCallback"):
        options(lambda tensors: [])
