"""Every function of the corpus gives one answer: as plain Python, on eager tensors, as a graph, and compiled.

Where real TensorFlow makes a graph of a function, its recorded answer (`python -m tests.autograph.record`) has the
same values, dtypes and shapes. What it refuses is marked in the corpus, and the marks are checked against the records.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import warnings
from pathlib import Path
from typing import Any

import pytest

from tests.autograph import answers, corpus, modes
from tests.autograph.framework import NAME, tf
from tests.oracle.encoding import differences

CASES = corpus.cases()
RECORDS = {theme: answers.recorded(theme) for theme in corpus.themes()}


def _converts() -> bool:
    if NAME != "millrace":
        return True
    try:
        return importlib.util.find_spec("millrace._src.autograph.api") is not None
    except ModuleNotFoundError:
        return False


OURS = pytest.mark.skipif(NAME != "millrace", reason="TensorFlow refuses it")
needs_autograph = pytest.mark.skipif(not _converts(), reason="AutoGraph (millrace._src.autograph) is not there yet")


def _each(mode: str) -> Any:
    chosen = [case for case in CASES.values() if not modes.refusal(case, mode)]
    return pytest.mark.parametrize("name", [pytest.param(case.name, marks=_marks(case, mode)) for case in chosen])


def _marks(case: corpus.Case, mode: str) -> list[pytest.MarkDecorator]:
    marks = [needs_autograph] if case.autograph else []
    if modes.against_tensorflow(case, mode):
        marks.append(OURS)
    return marks


def _assert_same_as_plain(name: str, mode: str) -> None:
    case = CASES[name]
    expected = modes.run(case, "plain", tf)
    for index, (left, right) in enumerate(zip(expected, modes.run(case, mode, tf), strict=True)):
        modes.assert_same_value(left, right, f"call {index}")


@_each("eager")
def test_eager_tensors_give_the_answer_of_plain_python(name: str) -> None:
    _assert_same_as_plain(name, "eager")


@needs_autograph
@_each("graph")
def test_a_graph_gives_the_answer_of_plain_python(name: str) -> None:
    _assert_same_as_plain(name, "graph")


@needs_autograph
@pytest.mark.xla
@_each("xla")
def test_a_compiled_graph_gives_the_answer_of_plain_python(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "environ", os.environ.copy())  # importing jax writes into it
    _assert_same_as_plain(name, "xla")


@needs_autograph
@pytest.mark.parametrize("name", [name for name, case in CASES.items() if not case.superset and not case.wrong])
def test_a_graph_answers_and_prints_as_tensorflow(name: str) -> None:
    case = CASES[name]
    found = list(differences(RECORDS[case.theme][name], answers.form_of(*modes.attempt(case, "graph", tf), tf), name))
    assert not found, "\n".join(found)


@pytest.mark.parametrize("theme", corpus.themes())
def test_every_case_has_a_record_and_every_record_a_case(theme: str) -> None:
    assert list(RECORDS[theme]) == list(corpus.cases(theme))


@pytest.mark.parametrize("name", list(CASES))
def test_a_case_is_marked_exactly_when_tensorflow_refuses_it(name: str) -> None:
    case = CASES[name]
    assert answers.is_refused(RECORDS[case.theme][name]) == (case.superset is not None)


@_each("plain")
def test_plain_python_answers_without_a_warning(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        first, again = (modes.run(CASES[name], "plain", tf) for _ in range(2))
    for left, right in zip(first, again, strict=True):
        modes.assert_same_value(left, right)


@pytest.mark.oracle
def test_the_records_are_what_tensorflow_says_today(tmp_path: Path) -> None:
    python = os.environ.get("MILLRACE_ORACLE_PYTHON")
    if not python:
        pytest.skip("MILLRACE_ORACLE_PYTHON is not set")
    command = [python, "-m", "tests.autograph.record", "--output", str(tmp_path)]
    environment = {**os.environ, "MILLRACE_AUTOGRAPH_CORPUS": "tensorflow"}
    subprocess.run(command, check=True, timeout=1800, cwd=answers.RECORDED.parents[2], env=environment)
    for theme in corpus.themes():
        found = list(differences(RECORDS[theme], answers.recorded(theme, tmp_path), theme))
        assert not found, "\n".join(found)
    assert answers.recorded("messages", tmp_path) == answers.recorded("messages")


def test_the_corpus_is_as_large_as_it_should_be() -> None:
    assert len(CASES) >= 420
    assert len({case.function.__code__.co_code for case in CASES.values()}) >= 420
