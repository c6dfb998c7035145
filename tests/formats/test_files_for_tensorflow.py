"""SavedModels and checkpoints written here are read by real TensorFlow, and answer as those that TensorFlow wrote."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from google.protobuf import text_format

import millrace as tf
from millrace._src.proto import saved_model_pb2
from tests.formats import checkpoint_differences, saved_model_differences
from tests.formats.checkpoints.corpus import CASES
from tests.formats.pending_files import parameters
from tests.formats.saved_models.archive import unpack
from tests.formats.saved_models.comparison import differing, unexplained
from tests.formats.saved_models.corpus import MODELS
from tests.formats.saved_models.old_styles import STYLES, age, aged_models, without_shortcuts

PYTHON = os.environ.get("MILLRACE_ORACLE_PYTHON")
ROOT = Path(__file__).resolve().parents[2]
RECORDED = Path(__file__).parent / "recorded"
OF_MILLRACE = [name for name, model in MODELS.items() if "session" not in model.needs]
CHECKPOINTS = [name for name, case in CASES.items() if "session" not in case.needs]
_SET = re.compile(r"(?<=following ops: )\{(.*)\}")
SHOWN = ("signatures-several", "signatures-dtypes", "tables-table_in_a_signature", "variables-nested_modules")

pytestmark = [
    pytest.mark.oracle,
    pytest.mark.skipif(PYTHON is None, reason="MILLRACE_ORACLE_PYTHON names no Python with TensorFlow"),
]


def _run(python: str, *arguments: str) -> str:
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}/src:{ROOT}"}
    done = subprocess.run([python, *arguments], env=environment, capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def _json(python: str, module: str, folder: Path) -> dict[str, Any]:
    answers: dict[str, Any] = json.loads(_run(python, "-m", f"tests.formats.{module}", str(folder)).splitlines()[-1])
    return answers


def _recorded(kind: str) -> dict[str, Any]:
    answers: dict[str, Any] = json.loads((RECORDED / kind / "answers.json").read_text(encoding="utf-8"))
    return answers


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder where Millrace saved all programs."""
    folder = tmp_path_factory.mktemp("models")
    failures = _json(sys.executable, "write_saved_models", folder)
    (folder / "failures.json").write_text(json.dumps(failures))
    return folder


@pytest.fixture(scope="module")
def theirs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of what TensorFlow saved."""
    folder = tmp_path_factory.mktemp("theirs")
    for name in MODELS:
        unpack(RECORDED / "saved_models" / f"{name}.zip", folder / name)
    return folder


@pytest.fixture(scope="module")
def answers(models: Path) -> dict[str, Any]:
    failures = json.loads((models / "failures.json").read_text())
    return {name: {"error": error} for name, error in failures.items()} | _json(
        str(PYTHON), "read_saved_models", models
    )


@pytest.mark.parametrize("name", parameters("read", OF_MILLRACE))
def test_tensorflow_answers_about_our_model_as_about_its_own(name: str, answers: dict[str, Any]) -> None:
    assert "error" not in answers[name], answers[name]["error"]
    expected = _recorded("saved_models")[name]
    assert not unexplained(name, differing(expected, answers[name]), saved_model_differences.TENSORFLOW_ANSWERS)


@pytest.fixture(scope="module")
def aged(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """What TensorFlow answers about its models in the styles of earlier releases: style -> model -> answers."""
    folder = tmp_path_factory.mktemp("aged")
    for style, name in aged_models(OF_MILLRACE):
        unpack(RECORDED / "saved_models" / f"{name}.zip", folder / style / name)
        age(tf, folder / style / name, style, saved_model_pb2.SavedModel(), text_format)
    return {style: _json(str(PYTHON), "read_saved_models", folder / style) for style in STYLES}


@pytest.mark.parametrize(("style", "name"), aged_models(OF_MILLRACE))
def test_tensorflow_reads_the_styles_of_earlier_releases(style: str, name: str, aged: dict[str, Any]) -> None:
    found, expected = aged[style][name], _recorded("saved_models")[name]
    assert "error" not in found, found["error"]
    found["files"] = expected["files"]
    assert not without_shortcuts(differing(expected, found))


@pytest.fixture(scope="module")
def served(models: Path, theirs: Path) -> list[dict[str, Any]]:
    return [_json(str(PYTHON), "serve_saved_models", folder) for folder in (theirs, models)]


@pytest.mark.parametrize("name", parameters("served", OF_MILLRACE))
def test_session_of_tensorflow_serves_our_model_as_its_own(name: str, served: list[dict[str, Any]]) -> None:
    expected, found = (each[name] for each in served)
    assert not unexplained(name, differing(expected, found), saved_model_differences.SERVED)


@pytest.mark.parametrize("name", SHOWN)
def test_tool_of_tensorflow_shows_our_model_as_its_own(name: str, models: Path, theirs: Path) -> None:
    tool = ["-m", "tensorflow.python.tools.saved_model_cli", "show", "--all", "--dir"]
    assert _shown(_run(str(PYTHON), *tool, str(models / name))) == _shown(_run(str(PYTHON), *tool, str(theirs / name)))


def _shown(text: str) -> str:
    """Returns what the tool prints, with the set of ops in order."""
    return _SET.sub(lambda found: f"{{{', '.join(sorted(found[1].split(', ')))}}}", text)


def test_tool_of_tensorflow_runs_our_signature(models: Path, theirs: Path) -> None:
    tool = ["-m", "tensorflow.python.tools.saved_model_cli", "run", "--tag_set", "serve", "--signature_def", "b"]
    inputs = ["--input_exprs", "x=2.0;y=3.0"]
    found, expected = (
        _run(str(PYTHON), *tool, "--dir", str(folder / "signatures-several"), *inputs) for folder in (models, theirs)
    )
    assert found == expected
    assert "6.0" in found


@pytest.fixture(scope="module")
def checkpoints(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("checkpoints")
    failures = _json(sys.executable, "write_checkpoints", folder)
    return {name: {"error": error} for name, error in failures.items()} | _json(str(PYTHON), "read_checkpoints", folder)


@pytest.mark.parametrize("name", parameters("read_checkpoint", CHECKPOINTS))
def test_tensorflow_reads_our_checkpoint_as_its_own(name: str, checkpoints: dict[str, Any]) -> None:
    assert "error" not in checkpoints[name], checkpoints[name]["error"]
    expected = _recorded("checkpoints")[name]
    assert not unexplained(name, differing(expected, checkpoints[name]), checkpoint_differences.TENSORFLOW_ANSWERS)
