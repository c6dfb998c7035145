"""SavedModels that real TensorFlow wrote are read here, and answer as they do there; so do those written here."""

from __future__ import annotations

import json
import os
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from google.protobuf import text_format

import millrace as tf
from millrace._src.proto import saved_model_pb2
from tests.formats.pending_files import marks_of, parameters
from tests.formats.saved_model_differences import ANSWERS, OWN_ANSWERS, REFUSALS
from tests.formats.saved_models.answers import answers_of, refusal
from tests.formats.saved_models.archive import files_below, unpack
from tests.formats.saved_models.comparison import differing, unexplained
from tests.formats.saved_models.corpus import MODELS, REFUSED
from tests.formats.saved_models.old_styles import age, aged_models, without_shortcuts

RECORDED = Path(__file__).parent / "recorded" / "saved_models"
OF_TENSORFLOW_2 = [name for name, model in MODELS.items() if "session" not in model.needs]
NEED_XLA = [name for name, model in MODELS.items() if "xla" in model.needs]


@cache
def recorded() -> dict[str, Any]:
    """The answers of TensorFlow about its own files."""
    answers: dict[str, Any] = json.loads((RECORDED / "answers.json").read_text(encoding="utf-8"))
    return answers


def _answers(name: str, folder: Path, saved: Any) -> dict[str, Any]:
    return answers_of(tf, MODELS[name], str(folder), saved.meta_graphs[0].object_graph_def)


def _message(folder: Path) -> Any:
    return saved_model_pb2.SavedModel.FromString((folder / "saved_model.pb").read_bytes())


def test_every_model_has_its_record() -> None:
    assert list(recorded()) == list(MODELS)
    assert sorted(path.stem for path in RECORDED.glob("*.zip")) == sorted(MODELS)


@pytest.mark.parametrize("name", parameters("theirs", MODELS, NEED_XLA))
def test_model_of_tensorflow_answers_as_it_does_there(name: str, tmp_path: Path) -> None:
    unpack(RECORDED / f"{name}.zip", tmp_path)
    expected = {**recorded()[name], "files": None}
    found = {"files": None, **_answers(name, tmp_path, _message(tmp_path))}
    assert not unexplained(name, differing(expected, found), ANSWERS)


def _aged() -> list[Any]:
    return [
        pytest.param(style, name, id=f"{style}-{name}", marks=marks_of("aged", name, NEED_XLA))
        for style, name in aged_models(OF_TENSORFLOW_2)
    ]


@pytest.mark.parametrize(("style", "name"), _aged())
def test_model_of_an_earlier_release_answers_alike(style: str, name: str, tmp_path: Path) -> None:
    unpack(RECORDED / f"{name}.zip", tmp_path)
    message = saved_model_pb2.SavedModel()
    age(tf, tmp_path, style, message, text_format)
    found = {"files": None, **_answers(name, tmp_path, message)}
    expected = {**recorded()[name], "files": None}
    assert not unexplained(name, without_shortcuts(differing(expected, found)), ANSWERS)


@pytest.mark.parametrize("name", parameters("own", OF_TENSORFLOW_2, NEED_XLA))
def test_own_model_answers_as_that_of_tensorflow(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if "keras" in MODELS[name].needs:
        monkeypatch.setattr(os, "environ", os.environ.copy())  # importing Keras writes into it
        pytest.importorskip("keras")
    MODELS[name].write(tf, str(tmp_path / "saved"))
    found = {
        "files": files_below(tmp_path / "saved"),
        **_answers(name, tmp_path / "saved", _message(tmp_path / "saved")),
    }
    assert not unexplained(name, differing(recorded()[name], found), OWN_ANSWERS)


@pytest.mark.parametrize("name", parameters("refused", REFUSED))
def test_what_tensorflow_refuses_to_save_is_refused(name: str) -> None:
    expected = json.loads((RECORDED / "refused.json").read_text(encoding="utf-8"))[name]
    found = differing({"refusal": {"": expected}}, {"refusal": {"": refusal(tf, REFUSED[name])}})
    assert not unexplained(name, found, REFUSALS)
