"""Programs saved here are loaded by TensorFlow, and look as TensorFlow would have saved them."""

from __future__ import annotations

import json
import os
import pathlib
import re
import subprocess
from typing import Any

import pytest

import millrace as tf
from millrace._src.proto import saved_model_pb2
from tests.saved_model.answers import answer_of
from tests.saved_model.saved_programs import PROGRAMS, Saved

PYTHON = os.environ.get("MILLRACE_ORACLE_PYTHON")
ROOT = pathlib.Path(__file__).resolve().parents[2]

pytestmark = [
    pytest.mark.oracle,
    pytest.mark.skipif(PYTHON is None, reason="MILLRACE_ORACLE_PYTHON names no Python with TensorFlow"),
]

OTHER_OBJECTS = {
    "assets": "reading a file counts as an effect here",
    "constants_that_are_captured": "the constants have other numbers",
    "nested_arguments": "the parts of a namedtuple are called `p`, `p_1`, not `p_left`, `p_right`",
    "objects_with_tensors_of_their_own": "TensorFlow cannot save it",
    "resources_of_the_user": "the shape of what is found is known",
    "tables": "the shape of what is found is known",
}
"""Programs whose objects differ from those that TensorFlow writes, and why."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    return tmp_path_factory.mktemp("saved_models")


@pytest.fixture(scope="module")
def answers(folder: pathlib.Path) -> dict[str, Any]:
    """What the calls of each program answer here, before saving, and in TensorFlow."""
    here = {}
    for name, make in PROGRAMS.items():
        target = folder / name
        target.mkdir()
        program = make(tf, target)
        save(program, target / "saved")
        here[name] = {key: answer_of(tf, call(program.root)) for key, call in program.calls.items()}
    command = [str(PYTHON), "-m", "tests.saved_model.check_with_tensorflow", str(folder), *PROGRAMS]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=600, check=True)
    there = json.loads(done.stdout.splitlines()[-1])
    return {name: (here[name], there[name]) for name in PROGRAMS}


def save(program: Saved, target: pathlib.Path) -> None:
    options = tf.saved_model.SaveOptions(**program.options)
    tf.saved_model.save(program.root, str(target), signatures=program.signatures, options=options)


@pytest.mark.parametrize("name", PROGRAMS)
def test_tensorflow_loads_the_program_and_its_calls_answer_the_same(name: str, answers: dict[str, Any]) -> None:
    here, there = answers[name]
    assert "error" not in there, there["error"]
    assert {key: there["calls"][key] for key in here} == here


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_session_runs_saves_and_restores_the_program(name: str, answers: dict[str, Any]) -> None:
    _, there = answers[name]
    assert there["session"] == {key: there["calls"][f"signature {key}"] for key in there["session"]}


@pytest.mark.parametrize("name", [name for name in PROGRAMS if name not in OTHER_OBJECTS])
def test_the_objects_are_those_that_tensorflow_writes(name: str, answers: dict[str, Any], folder: pathlib.Path) -> None:
    ours, theirs = (objects(folder / name / target) for target in ("saved", "tensorflow/saved"))
    assert ours == theirs


def objects(target: pathlib.Path) -> list[str]:
    """Returns the objects, signatures and collections of a SavedModel as text, names of functions without numbers."""
    meta_graph = saved_model_pb2.SavedModel.FromString((target / "saved_model.pb").read_bytes()).meta_graphs[0]
    graph = meta_graph.object_graph_def
    lines = [text(node) for node in graph.nodes]
    lines += sorted(text(name) + text(function) for name, function in graph.concrete_functions.items())
    for key in sorted(meta_graph.signature_def):
        signature = meta_graph.signature_def[key]
        for part in (signature.inputs, signature.outputs, signature.defaults):
            lines += [f"{key} {name} {text(part[name])}" for name in sorted(part)]
    lines += [text(asset) for asset in meta_graph.asset_file_def]
    lines += [f"{key} {text(value)}" for key, value in sorted(meta_graph.collection_def.items())]
    return lines


def text(message: Any) -> str:
    return re.sub(r"(__inference_[\w<>]*?)_\d+\b", r"\1", str(message))
