"""Checkpoints that real TensorFlow wrote are read here; those written here hold the same, and mostly the same bytes."""

from __future__ import annotations

import json
import os
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import millrace as tf
from tests.formats.checkpoint_differences import ANSWERS, BYTES, OWN_ANSWERS
from tests.formats.checkpoints.answers import answers_of
from tests.formats.checkpoints.corpus import CASES
from tests.formats.pending_files import parameters
from tests.formats.saved_models.archive import unpack
from tests.formats.saved_models.comparison import differing, unexplained

RECORDED = Path(__file__).parent / "recorded" / "checkpoints"
WRITTEN_HERE = [name for name, case in CASES.items() if "session" not in case.needs]


@cache
def recorded() -> dict[str, Any]:
    """What TensorFlow reads from its own files."""
    answers: dict[str, Any] = json.loads((RECORDED / "answers.json").read_text(encoding="utf-8"))
    return answers


@pytest.fixture(autouse=True)
def keras_may_change_the_environment(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    name = request.node.callspec.params["name"] if hasattr(request.node, "callspec") else ""
    if name and "keras" in CASES[name].needs:
        monkeypatch.setattr(os, "environ", os.environ.copy())
        pytest.importorskip("keras")


def _content(folder: Path) -> dict[str, bytes]:
    """Returns the files of a checkpoint, but for the state file, which holds times."""
    files = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    return {name: path.read_bytes() for name, path in sorted(files.items()) if name != "checkpoint"}


def test_every_case_has_its_record() -> None:
    assert list(recorded()) == list(CASES)
    assert sorted(path.stem for path in RECORDED.glob("*.zip")) == sorted(CASES)


@pytest.mark.parametrize("name", parameters("checkpoint", CASES))
def test_checkpoint_of_tensorflow_is_read_as_there(name: str, tmp_path: Path) -> None:
    unpack(RECORDED / f"{name}.zip", tmp_path)
    found = answers_of(tf, CASES[name], str(tmp_path / recorded()[name]["path"]))
    assert not unexplained(name, differing(recorded()[name], found), ANSWERS)


@pytest.mark.parametrize("name", parameters("own_checkpoint", WRITTEN_HERE))
def test_own_checkpoint_is_read_as_that_of_tensorflow(name: str, tmp_path: Path) -> None:
    path = CASES[name].written(tf, str(tmp_path / "ckpt"))
    assert not unexplained(name, differing(recorded()[name], answers_of(tf, CASES[name], path)), OWN_ANSWERS)


@pytest.mark.parametrize("name", parameters("bytes", WRITTEN_HERE))
def test_own_checkpoint_has_the_bytes_of_tensorflow(name: str, tmp_path: Path) -> None:
    for folder in ("theirs", "ours"):
        (tmp_path / folder).mkdir()
    unpack(RECORDED / f"{name}.zip", tmp_path / "theirs")
    CASES[name].written(tf, str(tmp_path / "ours" / "ckpt"))
    theirs, ours = _content(tmp_path / "theirs"), _content(tmp_path / "ours")
    found = {file: "other bytes" for file in theirs if theirs[file] != ours.get(file)}
    found |= dict.fromkeys(ours.keys() - theirs.keys(), "written here only")
    assert not unexplained(name, found, BYTES)
