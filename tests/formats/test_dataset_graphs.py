"""Graphs of datasets written by real TensorFlow are read here, and the other way round."""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
from typing import Any

import pytest

import millrace as tf
from tests.formats.dataset_programs import PIPELINES, elements, pipeline, read, written

PYTHON = os.environ.get("MILLRACE_ORACLE_PYTHON")
ROOT = pathlib.Path(__file__).resolve().parents[2]
RECORDED: dict[str, Any] = json.loads((pathlib.Path(__file__).parent / "recorded" / "datasets.json").read_text("utf-8"))

_READ = """
import json, os, sys
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import tensorflow as tf
from tests.formats.dataset_programs import elements, read

graphs = json.load(sys.stdin)
print(json.dumps({name: elements(tf, read(tf, name, text)) for name, text in graphs.items()}))
"""


@pytest.mark.parametrize("name", PIPELINES)
def test_a_graph_that_tensorflow_wrote_has_its_elements(name: str) -> None:
    assert elements(tf, read(tf, name, RECORDED[name]["graph"])) == RECORDED[name]["elements"]


@pytest.mark.parametrize("name", PIPELINES)
def test_a_graph_written_here_has_the_elements_of_the_pipeline(name: str) -> None:
    found = elements(tf, read(tf, name, written(tf, name)))
    assert found == elements(tf, pipeline(tf, name)) == RECORDED[name]["elements"]


@pytest.fixture(scope="module")
def answers() -> dict[str, Any]:
    """The elements that TensorFlow finds in the graphs written here."""
    if not PYTHON:
        pytest.skip("MILLRACE_ORACLE_PYTHON is not set")
    graphs = json.dumps({name: written(tf, name) for name in PIPELINES})
    done = subprocess.run(
        [PYTHON, "-c", _READ], cwd=ROOT, input=graphs, capture_output=True, text=True, check=True, timeout=300
    )
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


@pytest.mark.oracle
@pytest.mark.parametrize("name", PIPELINES)
def test_tensorflow_reads_graphs_written_here(name: str, answers: dict[str, Any]) -> None:
    assert answers[name] == RECORDED[name]["elements"]
