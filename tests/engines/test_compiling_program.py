"""Functions with `jit_compile=True`, whose calls do not wait for the compiler."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from millrace._src.core import errors
from millrace._src.core.dtypes import float32
from millrace._src.core.engine import Program
from millrace._src.core.resources import VariableStorage, resource_handle
from millrace._src.core.shapes import TensorShape
from millrace._src.engines.compiling_program import CompilingProgram
from tests.engines.tier_fakes import Caller, Engines

X = np.ones(3, np.float32)


@pytest.fixture
def engines():
    return Engines(numpy=1.0, xla=0.1)


def _compiling(engines, make=None, variables=None):
    numpy = engines.tiers().numpy
    make = make or (lambda: engines.programs["xla"])
    return CompilingProgram(lambda: numpy, make, engines.compiler, variables)


def test_calls_run_on_numpy_until_xla_is_ready_and_then_stay_there(engines):
    program = _compiling(engines).program()
    gate = threading.Event()

    def busy():
        gate.wait()
        yield

    engines.compiler.submit(busy)
    for _ in range(3):
        program.run(X)
    assert program.tiering.state()[0] == "numpy"
    gate.set()
    engines.compiler.wait()
    program.run(X)  # has an executable compiled for its shapes
    engines.compiler.wait()
    for _ in range(3):
        assert np.asarray(program.run(X)[0]).tolist() == [2, 2, 2]
    assert engines.calls == ["numpy"] * 4 + ["xla"] * 3
    assert program.tiering.state() == ("xla", "jit_compile is True.")


def test_holders_are_told_when_xla_is_ready(engines):
    compiling, caller = _compiling(engines), Caller()
    program = compiling.hold(caller)
    program.run(X)
    engines.compiler.wait()
    assert len(caller.programs) == 1
    caller.programs[0].run(X)
    engines.compiler.wait()
    caller.programs[0].run(X)
    assert engines.calls == ["numpy", "numpy", "xla"]
    assert compiling.hold(Caller()).run is caller.programs[0].run


def test_what_fails_to_compile_fails_as_a_call_of_xla_would(engines):
    def fail():
        raise errors.InvalidArgumentError(None, None, "cannot compile")

    program = _compiling(engines, fail).program()
    program.run(X)
    engines.compiler.wait()
    with pytest.raises(errors.InvalidArgumentError, match="cannot compile"):
        program.run(X)


def test_a_reason_to_leave_the_function_to_numpy_is_shown(engines):
    program = _compiling(engines).program()
    engines.programs["xla"].leave_to("numpy", "a size is unknown")
    program.run(X)
    engines.compiler.wait()
    tier, reason = program.tiering.state()
    assert tier == "numpy" and reason.endswith("XLA leaves the function to NumPy: a size is unknown")


def _storage(value):
    storage = VariableStorage(float32, TensorShape([]), "v")
    storage.value = np.float32(value) * np.ones((), np.float32)
    return storage


def _refusing(storage):
    """A NumPy program that changes a variable and then refuses its argument."""

    def run(x, handle):
        storage.value = storage.value + 1
        raise errors.InvalidArgumentError(None, None, "indices[0] = 9 is not in [0, 3)")

    return Program(run, "numpy")


def test_a_call_that_numpy_refuses_is_taken_back_and_carried_out_by_xla(engines):
    storage = _storage(5.0)
    seen = []

    def compiled(x, handle):
        seen.append(float(storage.value))
        return [x]

    compiling = CompilingProgram(lambda: _refusing(storage), lambda: Program(compiled, "xla"), engines.compiler, [1])
    results = compiling.program().run(X, resource_handle(storage)._eager_array)
    assert results[0] is X and seen == [5.0] and float(storage.value) == 5.0


def test_a_call_that_numpy_refuses_is_refused_where_xla_drops_no_check(engines):
    storage = _storage(5.0)
    compiling = CompilingProgram(lambda: _refusing(storage), lambda: 1 / 0, engines.compiler, None)
    with pytest.raises(errors.InvalidArgumentError, match="is not in"):
        compiling.program().run(X, resource_handle(storage)._eager_array)
    engines.compiler.wait()


def test_a_fork_stays_on_numpy(engines):
    compiling, caller = _compiling(engines), Caller()
    program = compiling.hold(caller)
    whole = compiling.program()
    whole.run(X)
    engines.compiler.wait()
    compiling.retire("forked")
    engines.calls.clear()
    for run in (program.run, whole.run, caller.programs[-1].run):
        run(X)
    assert engines.calls == ["numpy"] * 3
    assert compiling.state() == ("numpy", "jit_compile is True, but forked")


def test_where_calls_wait_the_first_call_runs_on_xla_and_a_fork_leaves_it(engines):
    numpy = engines.tiers().numpy
    compiling, caller = CompilingProgram(lambda: numpy, lambda: engines.programs["xla"], None), Caller()
    held, whole = compiling.hold(caller), compiling.program()
    held.run(X)
    whole.run(X)
    assert engines.calls == ["xla", "xla"] and compiling.state() == ("xla", "jit_compile is True.")
    compiling.retire("forked")
    engines.calls.clear()
    whole.run(X)
    caller.programs[-1].run(X)
    assert engines.calls == ["numpy", "numpy"]
