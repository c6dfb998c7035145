"""`freeze` writes a signature of a SavedModel as a graph that needs no variables."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest
from google.protobuf import text_format

import millrace as tf
from millrace._src.command_line.freeze import freeze
from millrace._src.proto import graph_pb2
from tests.command_line.corpus import ARCHIVES


@pytest.fixture
def model(tmp_path: Path) -> str:
    with zipfile.ZipFile(ARCHIVES / "runs.zip") as archive:
        archive.extractall(tmp_path / "model")
    return str(tmp_path / "model")


def _run(graph_def: object, **feeds: object) -> list[object]:
    @tf.function
    def run() -> object:
        names = {f"{name}:0": tf.constant(value) for name, value in feeds.items()}
        return tf.graph_util.import_graph_def(graph_def, names, ["Identity:0", "Identity_1:0"])

    return [tensor.numpy().tolist() for tensor in run()]


@pytest.mark.parametrize("name", ["frozen.pb", "frozen.pbtxt"])
def test_the_graph_computes_what_the_signature_computes(
    name: str, model: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / name
    assert freeze([model, str(target)]) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert lines[0][0] == "wrote"
    assert lines[4:] == [
        ["in", "x:0", "float32", "[?,2]"],
        ["out", "Identity:0", "int64", "[]"],
        ["out", "Identity_1:0", "float32", "[?,2]"],
    ]
    content = target.read_bytes()
    is_text = name.endswith("txt")
    graph_def = text_format.Parse(content, graph_pb2.GraphDef()) if is_text else graph_pb2.GraphDef.FromString(content)
    assert _run(graph_def, x=[[1.0, 1.0]]) == [3, [[4.0, 6.0]]]


def test_another_signature_is_chosen_by_its_key(model: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert freeze([model, str(tmp_path / "a.pb"), "--signature_def", "two", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert [tensor["name"] for tensor in data["tensors"] if tensor["kind"] == "in"] == ["a:0", "b:0"]
    assert data["bytes"] == (tmp_path / "a.pb").stat().st_size


def test_a_file_that_is_there_is_kept(model: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "a.pb"
    target.write_bytes(b"mine")
    assert freeze([model, str(target)]) == 2
    assert capsys.readouterr().err == f"millrace freeze: {target} is there already; --overwrite replaces it.\n"
    assert target.read_bytes() == b"mine"
    assert freeze([model, str(target), "--overwrite"]) == 0


def test_signatures_that_change_variables_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    module = tf.Module()
    module.steps = tf.Variable(0)
    module.step = tf.function(lambda: module.steps.assign_add(1), input_signature=[])
    tf.saved_model.save(module, str(tmp_path / "model"), signatures=module.step)
    assert freeze([str(tmp_path / "model"), str(tmp_path / "a.pb")]) == 2
    assert "millrace freeze: The function cannot be frozen: operation" in capsys.readouterr().err
    assert not (tmp_path / "a.pb").exists()


def test_what_is_not_there_is_refused(model: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert freeze([str(tmp_path / "none"), str(tmp_path / "a.pb")]) == 2
    assert "SavedModel file does not exist at" in capsys.readouterr().err
    assert freeze([model, str(tmp_path / "a.pb"), "--signature_def", "none"]) == 2
    assert 'Could not find signature "none"' in capsys.readouterr().err
