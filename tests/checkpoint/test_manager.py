"""`tf.train.CheckpointManager`: what is kept, removed, taken over and restored."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import pytest

import millrace as tf


def checkpoint(value: float = 1.0) -> Any:
    return tf.train.Checkpoint(v=tf.Variable(value))


def names(paths: Any) -> list[str]:
    return [os.path.basename(path) for path in paths]


def indexes(folder: Path) -> list[str]:
    return sorted(entry for entry in os.listdir(folder) if entry.endswith(".index"))


def test_only_the_newest_are_kept(tmp_path: Path) -> None:
    manager = tf.train.CheckpointManager(checkpoint(), tmp_path, max_to_keep=2)
    assert names(manager.save() for _ in range(4)) == ["ckpt-1", "ckpt-2", "ckpt-3", "ckpt-4"]
    assert names(manager.checkpoints) == ["ckpt-3", "ckpt-4"]
    assert indexes(tmp_path) == ["ckpt-3.index", "ckpt-4.index"] and len(os.listdir(tmp_path)) == 5


def test_all_are_kept_without_a_bound(tmp_path: Path) -> None:
    manager = tf.train.CheckpointManager(checkpoint(), str(tmp_path), None)
    for _ in range(3):
        manager.save()
    assert names(manager.checkpoints) == ["ckpt-1", "ckpt-2", "ckpt-3"]


def test_the_folder_is_made_by_the_first_save(tmp_path: Path) -> None:
    manager = tf.train.CheckpointManager(checkpoint(), tmp_path / "a" / "b", max_to_keep=1)
    assert manager.latest_checkpoint is None and manager.checkpoints == [] and not os.listdir(tmp_path)
    assert manager.save() == str(tmp_path / "a" / "b" / "ckpt-1") == manager.latest_checkpoint


@pytest.mark.parametrize("number", [100, tf.Variable(100), tf.constant(100)], ids=["int", "variable", "tensor"])
def test_a_number_may_be_given(tmp_path: Path, number: Any) -> None:
    manager = tf.train.CheckpointManager(checkpoint(), tmp_path, max_to_keep=3, checkpoint_name="model")
    assert names([manager.save(checkpoint_number=number)]) == ["model-100"]
    assert manager.checkpoint.save_counter.numpy() == 1


def test_a_number_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TypeError):
        tf.train.CheckpointManager(checkpoint(), tmp_path, 1).save("x")


@pytest.mark.parametrize("count", [0, -1])
def test_at_least_one_is_kept(tmp_path: Path, count: int) -> None:
    with pytest.raises(ValueError, match="Expected a positive integer or `None` for `max_to_keep`, got"):
        tf.train.CheckpointManager(checkpoint(), tmp_path, count)


def test_an_interval_needs_a_counter(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="`step_counter` should be passed if `checkpoint_interval` is not None"):
        tf.train.CheckpointManager(checkpoint(), tmp_path, 1, checkpoint_interval=5)


def test_a_new_manager_takes_over_what_is_there(tmp_path: Path) -> None:
    manager = tf.train.CheckpointManager(checkpoint(), tmp_path, max_to_keep=2)
    for _ in range(3):
        manager.save()
    fresh = checkpoint(0.0)
    another = tf.train.CheckpointManager(fresh, tmp_path, max_to_keep=2)
    assert names(another.checkpoints) == ["ckpt-2", "ckpt-3"]
    assert another.restore_or_initialize() == manager.latest_checkpoint
    assert fresh.v.numpy() == 1.0
    another.save()
    assert names(another.checkpoints) == ["ckpt-3", "ckpt-4"]


def test_a_folder_may_be_moved(tmp_path: Path) -> None:
    tf.train.CheckpointManager(checkpoint(), tmp_path / "a", max_to_keep=2).save()
    os.rename(tmp_path / "a", tmp_path / "b")
    assert tf.train.CheckpointManager(checkpoint(), tmp_path / "b", 2).latest_checkpoint == str(
        tmp_path / "b" / "ckpt-1"
    )


def test_a_number_that_comes_again_is_the_newest(tmp_path: Path) -> None:
    manager = tf.train.CheckpointManager(checkpoint(), tmp_path, max_to_keep=2)
    for number in (1, 2, 1):
        manager.save(number)
    assert names(manager.checkpoints) == ["ckpt-2", "ckpt-1"]
    assert manager.latest_checkpoint == str(tmp_path / "ckpt-1")


def test_checkpoints_are_saved_at_intervals(tmp_path: Path) -> None:
    step = tf.Variable(0, dtype=tf.int64)
    manager = tf.train.CheckpointManager(checkpoint(), tmp_path, None, step_counter=step, checkpoint_interval=5)
    saved = []
    for _ in range(12):
        saved.append(manager.save() is not None)
        step.assign_add(1)
    assert [index for index, was_saved in enumerate(saved) if was_saved] == [0, 5, 10]
    assert manager.checkpoint_interval == 5
    assert manager.save(check_interval=False) is not None
    assert manager.save(check_interval=False) is None  # nothing has happened since


def test_the_last_step_may_be_given(tmp_path: Path) -> None:
    step = tf.Variable(12)
    manager = tf.train.CheckpointManager(
        checkpoint(), tmp_path, None, step_counter=step, checkpoint_interval=5, last_checkpoint_step=10
    )
    assert manager.save() is None
    step.assign(15)
    assert manager.save() is not None


def test_the_interval_counts_from_a_restored_step(tmp_path: Path) -> None:
    step = tf.Variable(7)
    saved = tf.train.Checkpoint(step=step)
    tf.train.CheckpointManager(saved, tmp_path, None).save()
    step.assign(0)
    manager = tf.train.CheckpointManager(saved, tmp_path, None, step_counter=step, checkpoint_interval=5)
    manager.restore_or_initialize()
    step.assign(11)
    assert manager.save() is None
    step.assign(12)
    assert manager.save() is not None


def test_without_a_checkpoint_the_program_initializes(tmp_path: Path) -> None:
    calls: list[int] = []
    manager = tf.train.CheckpointManager(checkpoint(), tmp_path, 1, init_fn=lambda: calls.append(1))
    assert manager.restore_or_initialize() is None and calls == [1]
    path = manager.save()
    assert manager.restore_or_initialize() == path and calls == [1]
    assert tf.train.CheckpointManager(checkpoint(), tmp_path / "none", 1).restore_or_initialize() is None


def test_some_are_kept_for_good(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [1000.0]
    monkeypatch.setattr(time, "time", lambda: now[0])
    manager = tf.train.CheckpointManager(checkpoint(), tmp_path, 1, keep_checkpoint_every_n_hours=1.0)
    for _ in range(6):
        now[0] += 1800.0
        manager.save()
    assert indexes(tmp_path) == ["ckpt-2.index", "ckpt-4.index", "ckpt-6.index"]
    assert names(manager.checkpoints) == ["ckpt-6"]
    state = tf.train.get_checkpoint_state(tmp_path)
    assert state.last_preserved_timestamp == 1000.0 + 4 * 1800.0
    again = tf.train.CheckpointManager(checkpoint(), tmp_path, 1, keep_checkpoint_every_n_hours=1.0)
    now[0] += 1800.0
    again.save(7)
    assert indexes(tmp_path) == ["ckpt-2.index", "ckpt-4.index", "ckpt-6.index", "ckpt-7.index"]


def test_the_state_names_times(tmp_path: Path) -> None:
    before = time.time()
    tf.train.CheckpointManager(checkpoint(), tmp_path, 1).save()
    (saved,) = tf.train.get_checkpoint_state(tmp_path).all_model_checkpoint_timestamps
    assert before <= saved <= time.time()


def test_asynchronous_checkpoints_are_noted_when_they_are_written(tmp_path: Path) -> None:
    manager = tf.train.CheckpointManager(checkpoint(), tmp_path, 2)
    options = tf.train.CheckpointOptions(enable_async=True)
    for _ in range(4):
        manager.save(options=options)
    manager.sync()
    assert names(manager.checkpoints) == ["ckpt-3", "ckpt-4"] and len(indexes(tmp_path)) == 2


def test_a_damaged_newest_checkpoint_is_passed_over(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    manager = tf.train.CheckpointManager(checkpoint(), tmp_path, 3)
    for _ in range(3):
        manager.save()
    os.truncate(tmp_path / "ckpt-3.data-00000-of-00001", 3)
    assert manager.latest_checkpoint == str(tmp_path / "ckpt-2") == tf.train.latest_checkpoint(tmp_path)
    another = tf.train.CheckpointManager(checkpoint(), tmp_path, 3)
    assert another.latest_checkpoint == str(tmp_path / "ckpt-2")
    for number in (1, 2):
        os.remove(tmp_path / f"ckpt-{number}.index")
    assert manager.latest_checkpoint is None


def test_what_a_killed_process_left_of_a_removal_is_removed(tmp_path: Path) -> None:
    (tmp_path / "ckpt-1.data-00000-of-00001").write_bytes(b"left")
    (tmp_path / "other-1.data-00000-of-00001").write_bytes(b"not ours")
    tf.train.CheckpointManager(checkpoint(), tmp_path, 1).save(5)
    assert sorted(os.listdir(tmp_path)) == [
        "checkpoint",
        "ckpt-5.data-00000-of-00001",
        "ckpt-5.index",
        "other-1.data-00000-of-00001",
    ]


def test_saving_within_a_function_is_refused(tmp_path: Path) -> None:
    manager = tf.train.CheckpointManager(checkpoint(), tmp_path, 1)
    with pytest.raises(NotImplementedError, match="from a function is not supported"):
        tf.function(lambda: manager.save())()


def test_a_graph_of_tensorflow_1_needs_a_session(tmp_path: Path) -> None:
    with tf.Graph().as_default():
        manager = tf.train.CheckpointManager(checkpoint(), tmp_path, 1)
        with pytest.raises(RuntimeError, match="without a default session"):
            manager.save()
