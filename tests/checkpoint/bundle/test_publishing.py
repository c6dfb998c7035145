"""Checkpoints that replace others: whatever the moment of a crash, one of the two is whole."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

import millrace as tf
from millrace._src.checkpoint.bundle.bundle_merging import merge_bundles
from millrace._src.checkpoint.bundle.publishing import finish_overwriting, sync_files
from millrace._src.checkpoint.bundle.reader import BundleReader
from millrace._src.checkpoint.bundle.writer import BundleWriter
from tests.checkpoint.bundle.dying_files import Death, dying_after
from tests.ops.array.answers import check_refusal

_TWO_SHARDS = {"model.data-00000-of-00002", "model.data-00001-of-00002", "model.index"}


def _save(prefix: str, value: float, shard_count: int = 1) -> None:
    with BundleWriter(prefix, shard_count) as writer:
        for number in range(3):
            writer.add(f"v{number}", np.full(50, value + number), shard=number % shard_count)


def _value(prefix: str) -> float | None:
    """Returns what was saved; None if nothing was."""
    try:
        with BundleReader(prefix) as reader:
            values = [reader.read(f"v{number}") - number for number in range(3)]
    except tf.errors.NotFoundError:
        return None
    assert np.ptp(values) == 0
    return float(values[0][0])


@pytest.mark.parametrize(("old_shards", "new_shards"), [(1, 1), (1, 3), (3, 1), (2, 2), (0, 1), (0, 2)])
def test_a_crash_leaves_the_old_or_the_new_checkpoint(tmp_path: Path, old_shards: int, new_shards: int) -> None:
    outcomes = []
    for steps in range(1, 100):
        folder = tmp_path / str(steps)
        folder.mkdir()
        prefix = f"{folder}/model"
        if old_shards:
            _save(prefix, 1, old_shards)
        try:
            with dying_after(steps):
                _save(f"dying://{prefix}", 2, new_shards)
        except Death:
            outcomes.append(_value(prefix))
        else:
            break
        _save(prefix, 3, 2)
        assert _value(prefix) == 3
        assert set(os.listdir(folder)) == _TWO_SHARDS
    assert steps < 99
    assert set(outcomes) == {1 if old_shards else None, 2}
    assert outcomes == sorted(outcomes, key=lambda value: value or 0)
    assert _value(prefix) == 2


def test_a_crash_in_the_next_save_after_a_crash(tmp_path: Path) -> None:
    prefix = f"{tmp_path}/model"
    for steps in range(1, 40):
        _save(prefix, 1)
        for later_steps in (steps, 3, 1):
            before = _value(prefix)
            assert before is not None
            try:
                with dying_after(later_steps):
                    _save(f"dying://{prefix}", before + 10)
            except Death:
                assert _value(prefix) in (before, before + 10)


def test_an_overwriting_that_stopped_is_read_and_finished(tmp_path: Path) -> None:
    _save(f"{tmp_path}/new", 2, 2)
    _save(f"{tmp_path}/model", 1, 1)
    for name in ("data-00000-of-00002", "index"):
        os.rename(tmp_path / f"new.{name}", tmp_path / f"model.{name}.next")
    os.rename(tmp_path / "new.data-00001-of-00002", tmp_path / "model.data-00001-of-00002")  # moved already
    assert _value(f"{tmp_path}/model") == 2
    finish_overwriting(f"{tmp_path}/model")
    assert _value(f"{tmp_path}/model") == 2
    assert set(os.listdir(tmp_path)) == _TWO_SHARDS


def test_data_without_an_index_do_not_count(tmp_path: Path) -> None:
    _save(f"{tmp_path}/model", 1)
    _save(f"{tmp_path}/other", 2)
    os.rename(tmp_path / "other.data-00000-of-00001", tmp_path / "model.data-00000-of-00001.next")
    assert _value(f"{tmp_path}/model") == 1
    finish_overwriting(f"{tmp_path}/model")
    assert _value(f"{tmp_path}/model") == 1
    _save(f"{tmp_path}/model", 3)
    assert _value(f"{tmp_path}/model") == 3


def test_a_writer_that_fails_leaves_nothing(tmp_path: Path) -> None:
    prefix = f"{tmp_path}/model"
    with pytest.raises(tf.errors.InvalidArgumentError), BundleWriter(prefix) as writer:
        writer.add("a", np.zeros(3))
        writer.add("a", np.zeros(3))
    assert os.listdir(tmp_path) == []
    os.mkdir(f"{prefix}.index")
    check_refusal(lambda: _save(prefix, 1), tf.errors.FailedPreconditionError, f"{prefix}.index; Is a")
    assert os.listdir(tmp_path) == ["model.index"]


def test_files_are_brought_to_the_disk(tmp_path: Path) -> None:
    _save(f"{tmp_path}/model", 1, 2)
    sync_files(f"{tmp_path}/model")
    os.remove(tmp_path / "model.data-00001-of-00002")
    check_refusal(lambda: sync_files(f"{tmp_path}/model"), tf.errors.NotFoundError, f"{tmp_path}/model.data-00001-of-")


def test_files_are_not_moved_between_file_systems(tmp_path: Path) -> None:
    _save(f"{tmp_path}/part", 1)
    words = f"{tmp_path}/part.data-00000-of-00001 cannot be moved to ram://"
    tf.io.gfile.makedirs("ram://test_publishing")
    check_refusal(
        lambda: merge_bundles([f"{tmp_path}/part"], "ram://test_publishing/model"), tf.errors.UnimplementedError, words
    )
    assert _value(f"{tmp_path}/part") == 1


def test_leftovers_are_removed_if_they_are_not_needed(tmp_path: Path) -> None:
    _save(f"{tmp_path}/model", 1, 2)
    os.remove(tmp_path / "model.index")
    (tmp_path / "model.data-temp").write_text("")
    _save(f"{tmp_path}/model", 3)
    assert sorted(os.listdir(tmp_path)) == ["model.data-00000-of-00001", "model.data-temp", "model.index"]
    assert _value(f"{tmp_path}/model") == 3
