"""Threads and processes that save under one name at the same time, while others read."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

import millrace as tf
from millrace._src.checkpoint.bundle.reader import BundleReader
from millrace._src.checkpoint.bundle.writer import BundleWriter
from tests.crashes.training import Training, check_state_file, found_step
from tests.interop.process import python

_SAVES = 15
_SAVERS = 4


def _while_reading(read: Callable[[], bool], *savers: Callable[[], Any]) -> int:
    """Runs functions at the same time, each in a thread, and reads until all have ended.

    Args:
      read: reads what is there, and says whether anything is there.
      *savers: the functions.

    Returns: How often something was read.
    """
    count = 0
    with ThreadPoolExecutor(len(savers)) as pool:
        running = [pool.submit(saver) for saver in savers]
        while not all(future.done() for future in running):
            count += read()
        for future in running:
            future.result()
    return count


def _save(prefix: str, saver: int) -> None:
    for _ in range(_SAVES):
        with BundleWriter(prefix, 1 + saver % 2) as writer:
            for key in "ab":
                writer.add(key, np.full(1000, saver, np.int32), shard=saver % 2)


def _read(prefix: str) -> bool:
    """Reads a checkpoint, and says whether there was one."""
    try:
        with BundleReader(prefix) as reader:
            values = np.concatenate([reader.read("a"), reader.read("b")])
    except tf.errors.NotFoundError:  # nothing is saved yet
        return False
    assert (values == values[0]).all(), "one checkpoint holds values of two savers"
    return True


def _check_end(folder: Path) -> None:
    """Checks that one of the checkpoints is there, and nothing else."""
    assert _read(str(folder / "model"))
    data_file_count = 2 if (folder / "model.data-00001-of-00002").exists() else 1
    assert len(os.listdir(folder)) == data_file_count + 1


def test_readers_see_whole_checkpoints_while_threads_overwrite_them(tmp_path: Path) -> None:
    prefix = str(tmp_path / "model")
    savers = [lambda saver=saver: _save(prefix, saver) for saver in range(_SAVERS)]
    assert _while_reading(lambda: _read(prefix), *savers) > 0
    _check_end(tmp_path)


def test_readers_see_whole_checkpoints_while_processes_overwrite_them(tmp_path: Path) -> None:
    prefix = str(tmp_path / "model")
    program = "import sys; from tests.crashes.test_concurrent_savers import _save; _save(sys.argv[1], int(sys.argv[2]))"
    savers = [lambda saver=saver: _succeeds("-c", program, prefix, str(saver)) for saver in range(_SAVERS)]
    assert _while_reading(lambda: _read(prefix), *savers) > 0
    _check_end(tmp_path)


def _save_models(folder: str, saver: int) -> None:
    for number in range(_SAVES):
        step = 1000 * saver + number
        model = tf.Module()
        model.step = tf.Variable(step, dtype=tf.int64)
        model.number = tf.function(lambda step=step: tf.constant(step, tf.int64), input_signature=[])
        tf.saved_model.save(model, folder)


def _load_model(folder: str) -> bool:
    """Loads a SavedModel, and says whether there was one."""
    if not tf.saved_model.contains_saved_model(folder):
        return False
    try:
        loaded = tf.saved_model.load(folder)
    except tf.errors.UnavailableError:  # it was replaced each time that it was read
        return False
    assert int(loaded.number()) == int(loaded.step), "the graph is of one saver and the values of another"
    return True


def test_loaders_see_whole_models_while_threads_overwrite_them(tmp_path: Path) -> None:
    folder = str(tmp_path / "model")
    savers = [lambda saver=saver: _save_models(folder, saver) for saver in range(_SAVERS)]
    assert _while_reading(lambda: _load_model(folder), *savers) > 0
    assert _load_model(folder)
    assert sorted(os.listdir(folder)) == ["assets", "fingerprint.pb", "saved_model.pb", "variables"]


def _save_managed(folder: str, saver: int) -> None:
    training = Training()
    manager = tf.train.CheckpointManager(training.checkpoint, folder, max_to_keep=2)
    for number in range(_SAVES):
        training.go_to(1000 * saver + number)
        manager.save()


def test_managers_of_one_folder_leave_whole_checkpoints(tmp_path: Path) -> None:
    with ThreadPoolExecutor(_SAVERS) as pool:
        list(pool.map(lambda saver: _save_managed(str(tmp_path), saver), range(_SAVERS)))
    assert found_step(tf.train.latest_checkpoint(tmp_path)) % 1000 == _SAVES - 1
    check_state_file(str(tmp_path))
    assert not any(".part-" in entry or entry.endswith(".next") for entry in os.listdir(tmp_path))


def _succeeds(*arguments: str) -> None:
    result = python(*arguments)
    assert result.returncode == 0, result.stderr
