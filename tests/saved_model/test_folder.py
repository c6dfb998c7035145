"""The folder of a SavedModel while it is written, and after a save that was cut off."""

from __future__ import annotations

import pathlib
import shutil
from typing import Any

import pytest

import millrace as tf
from millrace._src.saved_model import folder as folder_module
from millrace._src.saved_model.folder import SavedModelFolder, finish_interrupted_save


def save(value: float, target: pathlib.Path | str) -> None:
    module = tf.Module()
    module.v = tf.Variable(value)
    tf.saved_model.save(module, str(target))


def value(target: pathlib.Path | str) -> float:
    return float(tf.saved_model.load(str(target)).v.numpy())


def names(target: pathlib.Path) -> list[str]:
    return sorted(path.name for path in target.iterdir())


def test_saving_over_a_model_leaves_nothing_of_it(tmp_path: pathlib.Path) -> None:
    save(1.0, tmp_path)
    (tmp_path / "variables" / "variables.data-00001-of-00002").write_bytes(b"of an older model")
    (tmp_path / "debug").mkdir()
    (tmp_path / "debug" / "saved_model_debug_info.pb").write_bytes(b"of an older model")
    (tmp_path / "notes.txt").write_text("of the user")
    save(2.0, tmp_path)
    assert value(tmp_path) == 2.0
    assert names(tmp_path) == ["assets", "debug", "fingerprint.pb", "notes.txt", "saved_model.pb", "variables"]
    assert names(tmp_path / "debug") == []
    assert names(tmp_path / "variables") == ["variables.data-00000-of-00001", "variables.index"]


def test_a_save_that_fails_leaves_the_old_model(tmp_path: pathlib.Path) -> None:
    save(1.0, tmp_path)
    with pytest.raises(RuntimeError, match="no more"), SavedModelFolder(str(tmp_path)) as folder:
        folder.write("assets/a", b"new")
        raise RuntimeError("no more")
    assert value(tmp_path) == 1.0
    assert names(tmp_path / "assets") == []


def test_a_save_that_was_cut_off_before_its_end_is_forgotten(tmp_path: pathlib.Path) -> None:
    save(1.0, tmp_path)
    (tmp_path / ".saved_model.next").mkdir()
    (tmp_path / ".saved_model.next" / "saved_model.pb").write_bytes(b"half")
    finish_interrupted_save(str(tmp_path))
    assert value(tmp_path) == 1.0
    save(2.0, tmp_path)
    assert value(tmp_path) == 2.0
    assert ".saved_model.next" not in names(tmp_path)


def test_a_save_that_was_cut_off_while_it_moved_files_is_finished(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save(1.0, tmp_path)
    moves: list[str] = []
    move = folder_module._move

    def move_two(source: str, target: str) -> None:
        if len(moves) == 2:
            raise KeyboardInterrupt
        moves.append(target)
        move(source, target)

    monkeypatch.setattr(folder_module, "_move", move_two)
    with pytest.raises(KeyboardInterrupt):
        save(2.0, tmp_path)
    monkeypatch.undo()
    finish_interrupted_save(str(tmp_path))
    assert value(tmp_path) == 2.0
    assert ".saved_model.next" not in names(tmp_path)


def test_saved_model_pb_comes_last_into_a_new_folder(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[str] = []
    write = SavedModelFolder.write

    def noted(self: SavedModelFolder, path: str, data: bytes) -> None:
        written.append(path)
        write(self, path, data)

    monkeypatch.setattr(SavedModelFolder, "write", noted)
    save(1.0, tmp_path / "new" / "folder")
    assert written == ["fingerprint.pb", "saved_model.pb"]


def test_other_file_systems_hold_models_too() -> None:
    save(1.0, "ram://models/a")
    save(3.0, "ram://models/a")
    assert value("ram://models/a") == 3.0


@pytest.mark.parametrize("name", ["model", "model/", pathlib.Path("model")])
def test_a_folder_has_any_name(name: Any, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    tf.saved_model.save(tf.Module(), name)
    assert (tmp_path / "model" / "saved_model.pb").exists()


def cut_off(target: pathlib.Path, listed: str) -> None:
    """Makes the folder look as if a save was cut off when it moved the listed file."""
    (target / ".saved_model.next").mkdir()
    (target / ".saved_model.next" / "complete").write_text(listed)


@pytest.mark.parametrize("listed", ["../../bait", "assets/../../../bait", "/bait", "c:bait", "..\\bait", ""])
def test_a_list_that_names_files_outside_moves_nothing(listed: str, tmp_path: pathlib.Path) -> None:
    model = tmp_path / "inner" / "model"
    save(1.0, model)
    (tmp_path / "inner" / "bait").write_text("bait")
    cut_off(model, listed)
    for touch in (value, lambda target: save(2.0, target)):
        with pytest.raises(tf.errors.DataLossError, match="lists a file that is not in the folder"):
            touch(model)
    assert names(tmp_path) == ["inner"]
    assert names(tmp_path / "inner") == ["bait", "model"]


@pytest.mark.parametrize("link", ["assets", "variables", ".saved_model.next/assets", "saved_model.pb.part-" + "0" * 16])
def test_a_link_out_of_the_folder_moves_and_removes_nothing(link: str, tmp_path: pathlib.Path) -> None:
    model, home = tmp_path / "model", tmp_path / "home"
    home.mkdir()
    (home / "variables.of_the_user").write_text("precious")
    (home / "key").write_text("precious")
    save(1.0, model)
    cut_off(model, "assets/key")
    (model / ".saved_model.next" / "assets").mkdir()
    (model / ".saved_model.next" / "assets" / "key").write_text("forged")
    if (model / link).is_dir():
        shutil.rmtree(model / link)
    (model / link).symlink_to(home if "part" not in link else home / "new")
    with pytest.raises(tf.errors.FailedPreconditionError, match="is a link to outside of the folder"):
        value(model)
    assert names(home) == ["key", "variables.of_the_user"]
    assert (home / "key").read_text() == "precious"


def test_a_folder_that_is_a_link_itself_is_finished(tmp_path: pathlib.Path) -> None:
    save(1.0, tmp_path / "model")
    cut_off(tmp_path / "model", "variables/variables.index\nvariables/variables.data-00000-of-00001\nsaved_model.pb")
    (tmp_path / "link").symlink_to(tmp_path / "model")
    assert value(tmp_path / "link") == 1.0
    assert ".saved_model.next" not in names(tmp_path / "model")


@pytest.mark.parametrize("name", ["", ".", "model/", pathlib.Path("model")], ids=repr)
def test_no_name_is_the_working_directory(name: Any, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    module = tf.Module()
    module.v = tf.Variable(2.0)
    tf.saved_model.save(module, name)
    folder = tmp_path / "model" if "model" in str(name) else tmp_path
    assert (folder / "saved_model.pb").exists() and (folder / "variables" / "variables.index").exists()
    assert tf.saved_model.contains_saved_model(name)
    assert float(tf.saved_model.load(name).v) == 2.0
    assert tf.saved_model.experimental.read_fingerprint(name).checkpoint_hash
