"""Runs every program of the corpus on millrace and compares with what real TensorFlow answered.

The answers are recorded (tools/record_oracle.py), so these tests need no TensorFlow. `test_records_are_current`
checks the records themselves: it runs only where MILLRACE_ORACLE_PYTHON names a Python that has TensorFlow.
"""

from __future__ import annotations

import importlib
import os
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.oracle.corpus import FOLDER, programs, recorded, run, topics
from tests.oracle.differences import DIFFERENCES, expected_answer
from tests.oracle.encoding import differences
from tests.oracle.modes import needs_xla
from tests.oracle.pending import PENDING

_ALL = [(topic, name) for topic in topics() for name in programs(topic)]
_NEED_XLA = {("function_state", "jit_compile")} | {key for key in _ALL if key[1].startswith("compiled")}
_UNCONVERTED = {("data_pipelines", "generator_function_in_a_map")}
"""Programs in which AutoGraph leaves a function as it is, on TensorFlow too."""
_RECORDS: dict[str, dict[str, Any]] = {topic: recorded(topic) for topic in topics()}


@pytest.fixture(scope="session")
def millrace() -> Any:
    """The package under test, imported when the first test runs so that collection never fails."""
    try:
        return importlib.import_module("millrace")
    except ImportError as error:
        pytest.fail(f"millrace cannot be imported: {error}", pytrace=False)


def _compiles(key: tuple[str, str]) -> bool:
    return key in _NEED_XLA or needs_xla(key[1])


def _parameter(key: tuple[str, str]) -> Any:
    name = "::".join(key)
    marks = [pytest.mark.xla] if _compiles(key) else []
    if key in _UNCONVERTED:
        marks.append(pytest.mark.unconverted)
    if name in PENDING:
        marks.append(pytest.mark.xfail(reason=f"waits for {PENDING[name]}", strict=True))
    return pytest.param(*key, id=name, marks=marks)


@pytest.mark.parametrize(("topic", "name"), [_parameter(key) for key in _ALL])
def test_program_answers_as_tensorflow(topic: str, name: str, millrace: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "environ", os.environ.copy())  # importing jax writes into it
    if _compiles((topic, name)):
        pytest.importorskip("jax")
    if name not in _RECORDS[topic]:
        pytest.fail("no recorded answer; run tools/record_oracle.py", pytrace=False)
    expected = expected_answer(topic, name, _RECORDS[topic])
    found = list(differences(expected, run(programs(topic)[name], millrace, np)))
    if found:
        pytest.fail("\n".join(found), pytrace=False)


def test_lists_name_programs_that_exist() -> None:
    assert {*DIFFERENCES, *PENDING} <= {"::".join(key) for key in _ALL}


def test_every_record_has_a_program() -> None:
    stale = [f"{topic}::{name}" for topic in topics() for name in _RECORDS[topic] if (topic, name) not in set(_ALL)]
    assert not stale


@pytest.fixture(scope="session")
def live_records(tmp_path_factory: pytest.TempPathFactory) -> Path:
    python = os.environ.get("MILLRACE_ORACLE_PYTHON")
    if not python:
        pytest.skip("MILLRACE_ORACLE_PYTHON is not set")
    folder = tmp_path_factory.mktemp("oracle")
    recorder = FOLDER.parent.parent / "tools" / "record_oracle.py"
    subprocess.run([python, str(recorder), "--output", str(folder)], check=True, timeout=1800)
    return folder


@pytest.mark.oracle
@pytest.mark.parametrize("topic", topics())
def test_records_are_current(topic: str, live_records: Path) -> None:
    live = recorded(topic, live_records)
    assert list(live) == list(_RECORDS[topic])
    found = [line for name in live for line in differences(_RECORDS[topic][name], live[name], name)]
    assert not found, "\n".join(found)
