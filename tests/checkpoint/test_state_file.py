"""The text file `checkpoint` of a folder."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

import millrace as tf

v1 = tf.compat.v1.train


def test_a_folder_without_the_file_has_no_state(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "none"):
        assert tf.train.get_checkpoint_state(folder) is None and tf.train.latest_checkpoint(folder) is None


def test_a_state_is_written_and_read(tmp_path: Path) -> None:
    folder = str(tmp_path)
    v1.update_checkpoint_state(
        folder,
        folder + "/a-2",
        [folder + "/a-1", folder + "/a-2"],
        latest_filename="other",
        all_model_checkpoint_timestamps=[1.0, 2.0],
        last_preserved_timestamp=0.5,
    )
    assert (tmp_path / "other").read_text() == (
        f'model_checkpoint_path: "{folder}/a-2"\nall_model_checkpoint_paths: "{folder}/a-1"\n'
        f'all_model_checkpoint_paths: "{folder}/a-2"\nall_model_checkpoint_timestamps: 1.0\n'
        "all_model_checkpoint_timestamps: 2.0\nlast_preserved_timestamp: 0.5\n"
    )
    state = tf.train.get_checkpoint_state(folder, "other")
    assert list(state.all_model_checkpoint_paths) == [folder + "/a-1", folder + "/a-2"]


def test_as_many_times_as_paths(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="Checkpoint timestamps, if provided, must match checkpoint paths"):
        v1.update_checkpoint_state(str(tmp_path), "a-2", ["a-1"], all_model_checkpoint_timestamps=[1.0])


def test_a_missing_folder_is_told(tmp_path: Path) -> None:
    with pytest.raises(tf.errors.NotFoundError):
        v1.update_checkpoint_state(str(tmp_path / "none"), "a-1")


@pytest.mark.parametrize("content", ["garbage", 'unknown: 3\nmodel_checkpoint_path: "a"'])
def test_what_is_no_state_is_passed_over_with_a_warning(
    tmp_path: Path, content: str, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "checkpoint").write_text(content)
    assert tf.train.get_checkpoint_state(tmp_path) is None


@pytest.mark.parametrize("content", ["", 'all_model_checkpoint_paths: "x"'])
def test_a_state_names_the_newest(tmp_path: Path, content: str) -> None:
    (tmp_path / "checkpoint").write_text(content)
    for ask in (tf.train.get_checkpoint_state, tf.train.latest_checkpoint):
        with pytest.raises(ValueError, match="Invalid checkpoint state loaded from"):
            ask(tmp_path)


def test_relative_paths_are_beside_the_file(tmp_path: Path) -> None:
    (tmp_path / "checkpoint").write_text('model_checkpoint_path: "a-1"\n')
    assert tf.train.get_checkpoint_state(tmp_path).model_checkpoint_path == str(tmp_path / "a-1")


@pytest.mark.parametrize(
    ("folder", "path", "others", "expected"),
    [
        ("d", "/d/x", None, ["/d/x"]),
        ("/d", "x", ["x", "y"], ["x", "y", "x"]),
        ("/d", "/d/x", ["y"], ["y", "/d/x"]),
        ("d", "d/x", ["d/y"], ["y", "x"]),
    ],
)
def test_paths_are_as_tensorflow_states_them(folder: str, path: str, others: Any, expected: list[str]) -> None:
    state = v1.generate_checkpoint_state_proto(folder, path, others)
    assert list(state.all_model_checkpoint_paths) == expected


def test_a_relative_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    checkpoint = tf.train.Checkpoint(v=tf.Variable(1.0))
    assert checkpoint.save("sub/c") == "sub/c-1" == tf.train.latest_checkpoint("sub")
    assert checkpoint.save("c") == "c-2" and tf.train.latest_checkpoint(".") == "./c-2"


def test_files_of_a_checkpoint_are_removed(tmp_path: Path) -> None:
    path = tf.train.Checkpoint(v=tf.Variable(1.0)).write(str(tmp_path / "c-1"))
    (tmp_path / "c-1.meta").write_text("")
    (tmp_path / "c-10.index").write_text("")
    assert v1.checkpoint_exists(path) and len(v1.get_checkpoint_mtimes([path, "none"])) == 1
    v1.remove_checkpoint(path)
    assert os.listdir(tmp_path) == ["c-10.index"] and not v1.checkpoint_exists(path)
    v1.remove_checkpoint(path)


def test_an_iterator_yields_each_newest_once(tmp_path: Path) -> None:
    checkpoint = tf.train.Checkpoint(v=tf.Variable(1.0))
    checkpoint.save(str(tmp_path / "c"))
    asked: list[int] = []

    def is_over() -> bool:
        asked.append(1)
        if len(asked) == 1:
            checkpoint.save(str(tmp_path / "c"))
        return len(asked) == 2

    paths = list(tf.train.checkpoints_iterator(tmp_path, timeout=0, timeout_fn=is_over))
    assert [os.path.basename(path) for path in paths] == ["c-1", "c-2"]
    assert list(tf.train.checkpoints_iterator(tmp_path / "none", timeout=0)) == []


@pytest.mark.parametrize("folder", ["models", "deep/models", ".", "ram://relative", "ram://relative/deep"])
def test_a_folder_that_is_not_absolute_names_its_checkpoints(
    folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = tf.train.Checkpoint(value=tf.Variable(1)).save(f"{folder}/model")
    state = tf.train.get_checkpoint_state(folder)
    assert list(state.all_model_checkpoint_paths) == [path]
    assert tf.train.latest_checkpoint(folder) == path == f"{folder}/model-1"
    assert b'"model-1"' in tf.io.read_file(f"{folder}/checkpoint").numpy()


def test_a_checkpoint_directly_below_a_scheme_is_kept_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    tf.train.Checkpoint(value=tf.Variable(1)).save("ram://directly")
    assert tf.train.latest_checkpoint("ram://") == "ram://directly-1"
    assert not list(tmp_path.iterdir())


def test_in_place_of_a_damaged_checkpoint_the_one_with_the_number_before_is_found(tmp_path: Path) -> None:
    checkpoint = tf.train.Checkpoint(value=tf.Variable(1))
    paths = [checkpoint.save(f"{tmp_path}/model") for _ in range(12)]
    for path in paths[9:]:
        tf.io.write_file(f"{path}.data-00000-of-00001", "torn")
    assert tf.train.latest_checkpoint(tmp_path) == paths[8]


@pytest.mark.parametrize("folder", ["run[1]", "a*", "q?"])
def test_what_a_folder_is_called_removes_no_more_and_no_less(folder: str, tmp_path: Path) -> None:
    path, other = tmp_path / folder, tmp_path / "ab"
    for name in (path, other):
        tf.train.Checkpoint(v=tf.Variable(1.0)).write(str(name / "ckpt-1"))
    tf.compat.v1.train.remove_checkpoint(str(path / "ckpt-1"))
    assert list(path.iterdir()) == []
    assert len(list(other.iterdir())) == 2
