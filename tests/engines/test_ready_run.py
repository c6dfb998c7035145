"""Calls that never wait for the compiler."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from millrace._src.core import errors
from millrace._src.engines.ready_run import ReadyRun
from tests.engines.tier_fakes import Engines

X, Y = np.ones(3, np.float32), np.ones(4, np.float32)


@pytest.fixture
def engines():
    return Engines(numpy=1.0, xla=0.1)


def _run(engines, **options):
    tiers = engines.tiers()
    return ReadyRun(engines.programs["xla"], tiers.on_numpy, tiers.submit, **options).run


def test_each_set_of_shapes_runs_on_numpy_until_it_is_compiled(engines):
    engines.settings.waits = False
    run = _run(engines)
    for x in (X, Y):
        run(x)
        engines.compiler.wait()
        run(x)
    assert engines.calls == ["numpy", "xla"] * 2


def test_where_calls_wait_the_first_call_is_compiled(engines):
    run = _run(engines)
    run(X)
    assert engines.calls == ["xla"]


def test_calls_meanwhile_ask_for_nothing_again(engines):
    engines.settings.waits = False
    gate = threading.Event()
    asked = []
    prepare = engines.programs["xla"].prepare

    def counted(arguments):
        asked.append(1)
        compile_program = prepare(arguments)
        return lambda: (gate.wait(), compile_program())

    engines.programs["xla"].prepare = counted
    run = _run(engines)
    for _ in range(5):
        run(X)
    gate.set()
    engines.compiler.wait()
    assert asked == [1] and engines.calls == ["numpy"] * 5
    run(X)
    assert engines.calls[-1] == "xla"


def test_a_program_that_compiles_again_and_again_is_given_to_the_run_for_that(engines):
    engines.programs["xla"].attempt = lambda x: None
    engines.settings.waits = False
    unready = []
    run = _run(engines, unready_run=lambda x: unready.append(1) or [x])
    for _ in range(30):
        run(X)
        engines.compiler.wait()
    assert len(unready) == 21 and engines.calls == ["numpy"] * 9


def test_a_program_that_does_not_compile_stays_on_numpy(engines):
    engines.settings.waits = False
    engines.failures["xla"] = errors.InternalError(None, None, "no")
    run = _run(engines)
    for _ in range(5):
        run(X)
        engines.compiler.wait()
    assert engines.calls == ["numpy"] * 5


def test_a_program_without_a_compiler_of_its_own_just_runs(engines):
    program = engines.programs["xla"]
    program.attempt = program.prepare = None
    run = _run(engines)
    run(X)
    assert engines.calls == ["xla"]
