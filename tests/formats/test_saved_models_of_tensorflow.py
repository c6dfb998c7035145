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
from tests.formats.saved_models.old_styles import STYLES, age

RECORDED = Path(__file__).parent / "recorded" / "saved_models"
OF_TENSORFLOW_2 = [name for name, model in MODELS.items() if "session" not in model.needs]
NEED_XLA = [name for name, model in MODELS.items() if "xla" in model.needs]
OF_MANY_KINDS = (
    "variables-every_dtype",
    "variables-nested_modules",
    "containers-lists",
    "functions-several_traces",
    "functions-functions_call_functions",
    "structures-structured_outputs",
    "composites-ragged",
    "control_flow-resources_in_branches",
    "tables-table_of_a_file",
    "tables-mutable_table",
    "signatures-several",
    "gradients-training_step",
    "keras-convolutions",
)
"""Models that are read in the style of every release; in the oldest style all are."""


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
    pairs = [("2.0", name) for name in OF_TENSORFLOW_2]
    pairs += [(style, name) for style in STYLES if style != "2.0" for name in OF_MANY_KINDS]
    return [pytest.param(*pair, id="-".join(pair), marks=marks_of("aged", pair[1], NEED_XLA)) for pair in pairs]


@pytest.mark.parametrize(("style", "name"), _aged())
def test_model_of_an_earlier_release_answers_alike(style: str, name: str, tmp_path: Path) -> None:
    unpack(RECORDED / f"{name}.zip", tmp_path)
    message = saved_model_pb2.SavedModel()
    age(tf, tmp_path, style, message, text_format)
    found = {"files": None, **_answers(name, tmp_path, message)}
    parts = differing({**recorded()[name], "files": None}, found)
    gone = {part: text for part, text in parts.items() if "trace_" in part or "capture_" in part}
    assert not unexplained(name, {part: text for part, text in parts.items() if part not in gone}, ANSWERS)


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
