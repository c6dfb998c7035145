"""`tf.train.CheckpointOptions`."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import pytest

import millrace as tf


def test_callbacks_take_the_path_or_nothing(tmp_path: Path) -> None:
    seen: list[Any] = []
    options = tf.train.CheckpointOptions(experimental_write_callbacks=[seen.append, lambda: seen.append("done")])
    path = tf.train.Checkpoint(v=tf.Variable(1.0)).write(str(tmp_path / "c"), options)
    assert seen == [path, "done"]


def test_callbacks_of_save_come_before_the_folder_knows(tmp_path: Path) -> None:
    seen: list[Any] = []
    options = tf.train.CheckpointOptions(
        experimental_write_callbacks=[lambda: seen.append(tf.train.latest_checkpoint(tmp_path))]
    )
    tf.train.Checkpoint(v=tf.Variable(1.0)).save(str(tmp_path / "c"), options)
    assert seen == [None]


@pytest.mark.parametrize(
    ("callbacks", "error"),
    [([1], TypeError), (3, TypeError), ([lambda a, b: 1], AssertionError)],
    ids=["a number", "no list", "two arguments"],
)
def test_what_cannot_be_called_so_is_refused(callbacks: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        tf.train.CheckpointOptions(experimental_write_callbacks=callbacks)


def test_the_older_name_of_enable_async_means_the_same() -> None:
    for options in (
        tf.train.CheckpointOptions(enable_async=True),
        tf.train.CheckpointOptions(experimental_enable_async_checkpoint=True),
    ):
        assert options.enable_async and options.experimental_enable_async_checkpoint


@pytest.mark.parametrize("device", ["/job:localhost", "/cpu:0"])
def test_a_device_of_this_process_reads_and_writes(tmp_path: Path, device: str) -> None:
    options = tf.train.CheckpointOptions(experimental_io_device=device)
    checkpoint = tf.train.Checkpoint(v=tf.Variable(1.0))
    checkpoint.read(checkpoint.write(str(tmp_path / "c"), options), options).assert_consumed()


def test_what_is_no_device_is_refused(tmp_path: Path) -> None:
    options = tf.train.CheckpointOptions(experimental_io_device="bad")
    checkpoint = tf.train.Checkpoint(v=tf.Variable(1.0))
    path = checkpoint.write(str(tmp_path / "c"))
    for act in (checkpoint.write, checkpoint.read):
        with pytest.raises(ValueError, match="Unknown attribute"):
            act(path, options)


def test_a_device_of_another_process_is_refused(tmp_path: Path) -> None:
    options = tf.train.CheckpointOptions(experimental_io_device="/job:worker")
    with pytest.raises(tf.errors.InvalidArgumentError, match="unknown device"):
        tf.train.Checkpoint(v=tf.Variable(1.0)).write(str(tmp_path / "c"), options)


def test_callbacks_in_a_function_get_a_tensor_as_it_is_traced(tmp_path: Path) -> None:
    paths: list[Any] = []
    options = tf.train.CheckpointOptions(experimental_write_callbacks=[paths.append])
    checkpoint = tf.train.Checkpoint(v=tf.Variable(1.0))
    write = tf.function(lambda: checkpoint.write(str(tmp_path / "c"), options))
    assert write().numpy() == str(tmp_path / "c").encode()
    write()
    (path,) = paths
    assert isinstance(path, tf.Tensor)
    assert path.dtype is tf.string


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy])
def test_options_can_be_copied(copied: Any) -> None:
    seen: list[Any] = []
    policy = tf.train.experimental.MaxShardSizePolicy(max_shard_size=10)
    options = tf.train.CheckpointOptions("/cpu:0", True, [seen.append], True, True, policy)
    other = copied(options)
    assert other is not options
    assert (other.experimental_io_device, other.enable_async, other.experimental_skip_slot_variables) == (
        "/cpu:0",
        True,
        True,
    )
    assert (other.experimental_sharding_callback is policy) == (copied is copy.copy)
    assert other.experimental_write_callbacks is not options.experimental_write_callbacks
    other.experimental_write_callbacks[0]("path")
    assert seen == ["path"]


def test_options_can_be_pickled() -> None:
    assert pickle.loads(pickle.dumps(tf.train.CheckpointOptions("/cpu:0"))).experimental_io_device == "/cpu:0"
