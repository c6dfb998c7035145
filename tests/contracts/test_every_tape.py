"""The table of tapes is complete, and no gradient in the table is lost without a reason.

The programs of the table are the oracle's topic `tape_table`, whose answers `tests/oracle/test_oracle.py` compares.
Here the answers themselves are checked: a row that TensorFlow, or Millrace on purpose, answers with None must have a
reason to.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.oracle.corpus import recorded
from tests.oracle.differences import expected_answer
from tests.oracle.programs._tape_bindings import BINDINGS
from tests.oracle.programs._tape_kinds import KINDS
from tests.oracle.programs._tape_recorders import RECORDERS, SIDES
from tests.oracle.programs.tape_table import CELLS

_ROWS = set(CELLS.values())
_ANSWERS = recorded("tape_table")

_NOTHING_TO_FIND = {
    "not_watching": "the tape watches neither tensors nor variables",
    "unwatched": "the tape watches variables only, and frozen ones not at all",
    "custom_of_variables": "the function gives gradients by variables only",
    "py_inside": "a capture of a Python function is not an input of its operation",
}
"""Recorders that may answer None, by the reason."""

_NOT_PASSED = {
    "dataset": "gradients do not flow into the function of a dataset",
    "dataset_in_function": "gradients do not flow into the function of a dataset",
    "element": "gradients do not flow through the elements of a dataset",
    "py_function": "a capture of a Python function is not an input of its operation",
}
"""Ways that separate a recorder around them from the value, by the reason."""

_OTHERS = {
    ("inside", "jacobian", "argument", "ragged"): "a Jacobian is by dense sources",
    ("between", "watched_variables", "after_another", "vector_variable"): "the tape watches the other call's variable",
}


def _has_none(answer: Any) -> bool:
    return answer is None or isinstance(answer, list) and any(map(_has_none, answer))


def _lost_rows() -> dict[str, tuple[str, str, str, str]]:
    answers = {name: expected_answer("tape_table", name, _ANSWERS) for name in CELLS}
    return {name: CELLS[name] for name, answer in answers.items() if _has_none(answer)}


def _reason(cell: tuple[str, str, str, str]) -> str | None:
    side, recorder, binding, kind = cell
    if side == "inside" and kind == "array":
        return "the rows of a TensorArray are read anew, so that no tensor of them is a source"
    not_passed = _NOT_PASSED.get(binding) if side != "inside" else None
    return _NOTHING_TO_FIND.get(recorder) or not_passed or _OTHERS.get(cell)


def test_no_gradient_is_lost_without_a_reason() -> None:
    assert [name for name, cell in _lost_rows().items() if _reason(cell) is None] == []


@pytest.mark.parametrize("side", SIDES)
def test_every_side_meets_every_recorder_binding_and_kind(side: str) -> None:
    rows = [row[1:] for row in _ROWS if row[0] == side]
    assert {recorder for recorder, _, _ in rows} == set(RECORDERS)
    assert {binding for _, binding, _ in rows} == set(BINDINGS)
    assert {kind for _, _, kind in rows} == set(KINDS)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_meets_every_recorder_and_quick_binding(kind: str) -> None:
    assert {recorder for _, recorder, _, other in _ROWS if other == kind} == set(RECORDERS)
    bindings = {binding for _, _, binding, other in _ROWS if other == kind}
    assert bindings >= set(BINDINGS) - {"compiled", "loaded", "loaded_concrete"}


def test_every_binding_meets_tensors_and_variables_on_every_side() -> None:
    pairs = {(s, "tape", binding, kind) for s in SIDES for binding in BINDINGS for kind in ("tensor", "variable")}
    assert pairs <= _ROWS


def test_every_reason_is_needed() -> None:
    lost = _lost_rows().values()
    assert {recorder for _, recorder, _, _ in lost} >= set(_NOTHING_TO_FIND)
    assert {binding for side, _, binding, _ in lost if side != "inside"} >= set(_NOT_PASSED)
    assert set(lost) >= set(_OTHERS)
