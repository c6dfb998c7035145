"""Graphs written here are read, and functions run, by real TensorFlow."""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
from typing import Any

import pytest

import millrace as tf
from tests.formats.canonical_text import graph_text
from tests.formats.program import Program
from tests.formats.programs import PROGRAMS

PYTHON = os.environ.get("MILLRACE_ORACLE_PYTHON")
ROOT = pathlib.Path(__file__).resolve().parents[2]
INPUT = 0.75

_READ = """
import json, os, pathlib, sys
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import tensorflow as tf
from tests.formats.canonical_text import graph_text

def run(proto, outputs):
    function = tf.compat.v1.wrap_function(lambda: tf.import_graph_def(proto, name=""), [])
    graph = function.graph
    pruned = function.prune(graph.get_tensor_by_name("x:0"), [graph.get_tensor_by_name(name) for name in outputs])
    return [value.numpy().tolist() for value in pruned(tf.constant(float(sys.argv[2])))]

answers = {}
for path in sorted(pathlib.Path(sys.argv[1]).glob("*.pb")):
    proto = tf.compat.v1.GraphDef.FromString(path.read_bytes())
    graph = tf.Graph()
    try:
        with graph.as_default():
            tf.import_graph_def(proto, name="")
        add_shapes = any("_output_shapes" in node.attr for node in proto.node)
        answer = {"text": graph_text(graph.as_graph_def(add_shapes=add_shapes))}
        outputs = json.loads(path.with_suffix(".json").read_text())
        if outputs:
            answer["values"] = run(proto, outputs)
    except Exception as error:
        answer = {"error": f"{type(error).__name__}: {error}"}
    answers[path.stem] = answer
print(json.dumps(answers))
"""


def _is_runnable(program: Program) -> bool:
    """Whether the program is a function of the number `x` alone: no variable, which the file does not hold."""
    return (
        program.specs is not None
        and [s.name for s in _flat(program.specs(tf))] == ["x"]
        and (program.specs(tf)[0].shape.rank == 0 and "variable" not in program.name)
    )


def _flat(specs: Any) -> list[Any]:
    return [spec for spec in specs if isinstance(spec, tf.TensorSpec)]


def _traced(program: Program) -> Any:
    return tf.function(lambda x: program.body(tf, x), autograph=False)


def _write(program: Program, folder: pathlib.Path) -> None:
    """Writes a program's graph and the names of what it returns."""
    outputs: list[str] = []
    if _is_runnable(program):
        graph = _traced(program).get_concrete_function(*program.specs(tf)).graph
        outputs = [tensor.name for tensor in graph.outputs]
        proto = graph.as_graph_def()
    else:
        proto = program.graph_def(tf)
    (folder / f"{program.name}.pb").write_bytes(proto.SerializeToString())
    (folder / f"{program.name}.json").write_text(json.dumps(outputs))


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("graphs")
    result: dict[str, Any] = {}
    for program in PROGRAMS:
        try:
            _write(program, folder)
        except Exception as error:  # reported by the program's own test
            result[program.name] = {"error": f"not built: {error}"}
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [str(PYTHON), "-c", _READ, str(folder), str(INPUT)], env=environment, capture_output=True, text=True, check=True
    )
    return result | json.loads(done.stdout.splitlines()[-1])


@pytest.mark.oracle
@pytest.mark.skipif(PYTHON is None, reason="MILLRACE_ORACLE_PYTHON names no Python with TensorFlow")
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_tensorflow_reads_the_graph(program: Program, answers: dict[str, Any]) -> None:
    answer = answers[program.name]
    assert "error" not in answer, answer["error"]
    if "values" not in answer:
        assert sorted(answer["text"].splitlines()) == sorted(graph_text(program.graph_def(tf)).splitlines())
        return
    expected = tf.nest.flatten(_traced(program)(tf.constant(INPUT)))
    assert answer["values"] == pytest.approx([value.numpy().tolist() for value in expected], rel=1e-6)
