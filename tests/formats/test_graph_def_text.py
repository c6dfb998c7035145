"""Graphs built here have TensorFlow's `GraphDef`, word for word (recorded by `record_formats.py`)."""

from __future__ import annotations

from pathlib import Path

import pytest

import millrace as tf
from tests.formats.canonical_text import graph_text, parse_graph_text
from tests.formats.program import Program
from tests.formats.programs import PROGRAMS

RECORDED = Path(__file__).parent / "recorded" / "graphs.txt"


def _recorded() -> dict[str, str]:
    parts = RECORDED.read_text(encoding="utf-8").split("== ")[1:]
    return {name: text for name, _, text in (part.partition("\n") for part in parts)}


GRAPHS = _recorded()


def test_every_program_is_recorded() -> None:
    assert list(GRAPHS) == [program.name for program in PROGRAMS]


_GRADIENTS = "gradients are written in other ops than TensorFlow's, without its `gradient_tape` scope"
DIFFERENCES = {
    "gradient_in_a_function": _GRADIENTS,
    "training_step": _GRADIENTS,
}
"""Programs whose graphs still differ, and how. Take out what is mended; nothing is to be added."""


def _marked(program: Program) -> object:
    reason = DIFFERENCES.get(program.name)
    marks = [] if reason is None else [pytest.mark.xfail(reason=reason, strict=False)]
    return pytest.param(program, marks=marks, id=program.name)


@pytest.mark.parametrize("program", [_marked(program) for program in PROGRAMS])
def test_graph_def_is_tensorflows(program: Program) -> None:
    assert graph_text(program.graph_def(tf)).splitlines() == GRAPHS[program.name].splitlines()


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_graph_def_survives_import_and_export(program: Program) -> None:
    first = program.graph_def(tf)
    graph = tf.Graph()
    with graph.as_default():
        tf.import_graph_def(first, name="")
    again = graph_text(graph.as_graph_def(add_shapes=program.add_shapes))
    assert sorted(again.splitlines()) == sorted(graph_text(first).splitlines())


@pytest.mark.parametrize("name", GRAPHS)
def test_recorded_graph_is_read_and_written_unchanged(name: str) -> None:
    proto = parse_graph_text(GRAPHS[name], tf.compat.v1.GraphDef())
    assert graph_text(proto) == GRAPHS[name]
    graph = tf.Graph()
    with graph.as_default():
        tf.import_graph_def(proto, name="")
    add_shapes = "_output_shapes" in proto.node[0].attr
    again = graph_text(graph.as_graph_def(add_shapes=add_shapes))
    assert sorted(again.splitlines()) == sorted(GRAPHS[name].splitlines())  # imported nodes come in topological order
