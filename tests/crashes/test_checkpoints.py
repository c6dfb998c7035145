"""Checkpoints of objects: at each moment of a save, the newest whole checkpoint restores bit for bit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import millrace as tf
from millrace._src.checkpoint.bundle.reader import is_whole
from tests.crashes.simulated_disk import SimulatedDisk, registered_disk, run_and_crash
from tests.crashes.training import Training, check_state_file, found_step

disk = pytest.fixture(registered_disk)

_FOLDER = "disk://folder"


def test_a_written_checkpoint_is_there_or_not(disk: SimulatedDisk) -> None:
    disk.make_directory("folder")
    training = Training()
    training.go_to(1)
    path = f"{_FOLDER}/model"

    def check(is_end: bool) -> None:
        found = found_step(path if tf.compat.v1.train.checkpoint_exists(path) else None)
        assert found == 1 if is_end else found in (None, 1)

    assert run_and_crash(disk, lambda: training.checkpoint.write(path), check, byte_step=5, power=False) > 100


def test_a_checkpoint_that_is_written_again_is_the_old_or_the_new(disk: SimulatedDisk) -> None:
    disk.make_directory("folder")
    training, path = Training(), f"{_FOLDER}/model"
    training.go_to(1)
    training.checkpoint.write(path)
    training.go_to(2)

    def check(is_end: bool) -> None:
        assert found_step(path) in ((2,) if is_end else (1, 2))

    assert run_and_crash(disk, lambda: training.checkpoint.write(path), check, byte_step=7) > 100


def _saves(training: Training, save: Callable[[], Any], first: int, last: int) -> Callable[[], None]:
    def program() -> None:
        for step in range(first, last + 1):
            training.go_to(step)
            save()

    return program


def test_of_numbered_checkpoints_the_newest_whole_one_is_found(disk: SimulatedDisk) -> None:
    training = Training()
    save = lambda: training.checkpoint.save(f"{_FOLDER}/model")  # noqa: E731  # it is traced
    _saves(training, save, 1, 2)()

    def check(is_end: bool) -> None:
        check_state_file(_FOLDER)
        assert found_step(tf.train.latest_checkpoint(_FOLDER)) in ((4,) if is_end else (2, 3, 4))

    assert run_and_crash(disk, _saves(training, save, 3, 4), check, byte_step=11) > 200


def test_the_first_checkpoint_of_a_folder_is_there_or_not(disk: SimulatedDisk) -> None:
    training = Training()

    def check(is_end: bool) -> None:
        check_state_file(_FOLDER)
        found = found_step(tf.train.latest_checkpoint(_FOLDER))
        assert found == 1 if is_end else found in (None, 1)

    save = lambda: training.checkpoint.save(f"{_FOLDER}/model")  # noqa: E731  # it is traced
    assert run_and_crash(disk, _saves(training, save, 1, 1), check, byte_step=11) > 100


@pytest.mark.parametrize("max_to_keep", [1, 2])
def test_a_manager_never_names_what_is_missing(max_to_keep: int, disk: SimulatedDisk) -> None:
    training = Training()
    manager = tf.train.CheckpointManager(training.checkpoint, _FOLDER, max_to_keep)
    _saves(training, manager.save, 1, 3)()

    def check(is_end: bool) -> None:
        check_state_file(_FOLDER)
        assert found_step(tf.train.latest_checkpoint(_FOLDER)) in ((5,) if is_end else (3, 4, 5))
        later = Training()
        later_manager = tf.train.CheckpointManager(later.checkpoint, _FOLDER, max_to_keep)
        later_manager.restore_or_initialize()
        assert later.checked_step() >= 3
        later.go_to(9)
        later_manager.save()
        check_state_file(_FOLDER)
        assert found_step(later_manager.latest_checkpoint) == 9
        entries = disk.list_directory("folder")
        names = [entry.removesuffix(".index") for entry in entries if entry.endswith(".index")]
        assert len([name for name in names if is_whole(f"{_FOLDER}/{name}")]) <= max_to_keep + 1
        assert not [entry for entry in entries if ".part-" in entry or entry.endswith(".next")]

    assert run_and_crash(disk, _saves(training, manager.save, 4, 5), check, byte_step=11) > 200


def test_a_manager_leaves_no_data_without_an_index(disk: SimulatedDisk) -> None:
    training = Training()
    manager = tf.train.CheckpointManager(training.checkpoint, _FOLDER, max_to_keep=1)
    _saves(training, manager.save, 1, 2)()

    def check(is_end: bool) -> None:
        later = Training()
        later_manager = tf.train.CheckpointManager(later.checkpoint, _FOLDER, max_to_keep=1)
        later_manager.restore_or_initialize()
        later_manager.save()
        later_manager.save()
        # A whole checkpoint may be left over, which the state file does not name any more.
        whole = {entry.partition(".")[0] for entry in disk.list_directory("folder") if entry.endswith(".index")}
        files = {f"{name}{ending}" for name in whole for ending in (".index", ".data-00000-of-00001")}
        assert set(disk.list_directory("folder")) == {"checkpoint", *files} and len(whole) <= 2

    run_and_crash(disk, _saves(training, manager.save, 3, 4), check, byte_step=100, power=False)
