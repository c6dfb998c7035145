"""The cases of one function."""

from __future__ import annotations

import numpy as np

from millrace._src.engines import tiered_program
from millrace._src.engines.tier_selection import Stage
from millrace._src.engines.tiered_program import TieredProgram
from tests.engines.tier_fakes import Caller, Engines


def _array(size):
    return np.ones(size, np.float32)


def test_each_set_of_shapes_moves_on_its_own():
    engines = Engines(numpy=1.0, xla=0.1)
    tiered = TieredProgram(engines.tiers(), has_fixed_shapes=False)
    program = tiered.program()
    for _ in range(60):
        program.run(_array(3))
    program.run(_array(4))
    assert [case.tier for case in tiered.specializations()] == ["xla", "numpy"]
    assert engines.is_made == 1
    tier, reason = tiered.state()
    assert tier == "xla" and reason.endswith("(of 2 sets of argument shapes 1 left the NumPy tier)")


def test_a_graph_with_fixed_shapes_has_one_case():
    tiered = TieredProgram(Engines(numpy=1.0, xla=0.1).tiers(), has_fixed_shapes=True)
    assert tiered.state() == ("numpy", "calls have taken 0 us; a compiler is asked after 10 s more")
    assert len(tiered.specializations()) == 1
    assert tiered.specialization_of([_array(2)]) is tiered.specialization_of([_array(3)])


def test_a_function_that_was_not_called_says_so():
    tiered = TieredProgram(Engines().tiers(), has_fixed_shapes=False)
    assert tiered.state() == ("numpy", "it has not been called")


def test_a_holder_of_some_shapes_gets_the_program_of_their_case():
    engines = Engines(numpy=1.0, xla=0.1)
    tiered = TieredProgram(engines.tiers(), has_fixed_shapes=False)
    small, large, any_shapes = Caller(), Caller(), Caller()
    program = tiered.hold(small, [_array(3)])
    tiered.hold(large, [_array(4)])
    everything = tiered.hold(any_shapes)
    while not small.programs:
        program.run(_array(3))
    assert not large.programs and not any_shapes.programs
    engines.calls.clear()
    everything.run(_array(3))
    everything.run(_array(4))
    assert engines.calls == ["xla", "numpy"]


def test_the_number_of_cases_is_bounded_and_fast_ones_are_kept(monkeypatch):
    monkeypatch.setattr(tiered_program, "_MAX_SPECIALIZATIONS", 8)
    engines = Engines(numpy=1.0, xla=0.1)
    tiered = TieredProgram(engines.tiers(), has_fixed_shapes=False)
    program = tiered.program()
    while tiered.specialization_of([_array(3)]).stage is not Stage.COMMITTED:
        program.run(_array(3))
    for size in range(4, 100):
        program.run(_array(size))
        assert len(tiered.specializations()) <= 8
    assert tiered.specialization_of([_array(3)]).tier == "xla"
    for size in range(200, 240):
        tiered.specialization_of([_array(size)]).tier = "xla"
    assert len(tiered.specializations()) <= 8


def test_a_fork_retires_every_case(monkeypatch):
    engines = Engines(numpy=1.0, xla=0.1)
    tiered = TieredProgram(engines.tiers(), has_fixed_shapes=False)
    program = tiered.program()
    for _ in range(60):
        program.run(_array(3))
    program.run(_array(4))
    tiered.retire("forked")
    engines.calls.clear()
    for size in (3, 4, 5) * 60:  # 5 comes for the first time
        program.run(_array(size))
    assert set(engines.calls) == {"numpy"}
    assert {case.stage for case in tiered.specializations()} == {Stage.COMMITTED}
