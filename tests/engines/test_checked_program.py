"""Checks run before a program, and what they refuse is the NumPy tier's."""

from __future__ import annotations

from typing import Any

from millrace._src.core import errors
from millrace._src.core.engine import Program
from millrace._src.engines.checked_program import put_checks_first


def refuse_negative(x: int) -> tuple[()]:
    if x < 0:
        raise errors.InvalidArgumentError(None, None, "negative")
    return ()


def program_of(calls: list[Any]) -> Program:
    def run(x: int) -> list[Any]:
        calls.append(x)
        return ["xla"]

    return Program(run, "xla", attempt=lambda x: run(x) if x < 10 else None, for_caller=lambda: program_of(calls))


def test_what_passes_runs_and_what_is_refused_goes_to_numpy() -> None:
    calls: list[int] = []
    program = program_of(calls)
    put_checks_first(program, refuse_negative, lambda x: ["numpy"])
    assert program.run(1) == ["xla"]
    assert program.run(-1) == ["numpy"]
    assert calls == [1]


def test_an_attempt_makes_the_checks_too() -> None:
    calls: list[int] = []
    program = program_of(calls)
    put_checks_first(program, refuse_negative, lambda x: ["numpy"])
    attempt = program.attempting_run()
    assert attempt(1) == ["xla"]
    assert attempt(-1) == ["numpy"]
    assert attempt(11) is None
    assert calls == [1]


def test_a_program_with_checks_is_not_shared() -> None:
    program = program_of([])
    put_checks_first(program, refuse_negative, lambda x: ["numpy"])
    assert program.for_caller is None
