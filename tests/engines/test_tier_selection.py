"""A case moves from counting calls to the fastest program."""

from __future__ import annotations

import gc
import logging
import threading
import weakref

import numpy as np
import pytest

from millrace._src.core import errors
from millrace._src.core.tensor import EagerTensor, PendingTensor
from millrace._src.engines import record_folder, tier_selection
from millrace._src.engines.compile_costs import CompileCosts
from millrace._src.engines.function_tiers import reading_run
from millrace._src.engines.record_folder import RecordFolder
from millrace._src.engines.tier_records import TierRecords
from millrace._src.engines.tier_selection import ShapeSpecialization, Stage
from millrace._src.engines.tier_settings import Pin, TierChoice
from tests.engines.tier_fakes import Arrays, Caller, Engines

X = np.ones(3, np.float32)


def _called(case, count):
    for _ in range(count):
        (result,) = case.run(X)
        np.testing.assert_array_equal(np.asarray(result), X * 2)


def _settled(case, limit=500):
    while case.stage is not Stage.COMMITTED:
        _called(case, 1)
        limit -= 1
        assert limit
    return case


def test_a_case_starts_on_numpy_and_asks_for_a_compiler_once_calls_have_taken_as_long_as_compiling_will():
    engines = Engines(numpy=1.0, xla=0.1)
    case = ShapeSpecialization(engines.tiers())
    _called(case, 9)
    assert engines.is_made == 0 and case.stage is Stage.COUNTING
    assert case.reason() == "calls have taken 9 s; a compiler is asked after 1 s more"
    _called(case, 2)
    assert engines.is_made == 1 and engines.calls[:10] == ["numpy"] * 10


@pytest.mark.parametrize(
    "seconds, tier",
    [
        ({"numpy": 1.0, "xla": 0.25}, "xla"),
        ({"numpy": 1.0, "xla": 2.0}, "numpy"),
        ({"numpy": 1.0, "xla": 0.9, "clusters": 0.25}, "clusters"),
        ({"numpy": 1.0, "xla": 0.5, "clusters": 0.25}, "xla"),
    ],
)
def test_the_fastest_program_is_kept(seconds, tier):
    engines = Engines(**seconds)
    case = _settled(ShapeSpecialization(engines.tiers()))
    assert case.tier == tier
    engines.calls.clear()
    _called(case, 5)
    assert engines.calls == [tier] * 5


def test_the_reason_shows_the_times():
    case = _settled(ShapeSpecialization(Engines(numpy=0.026, xla=0.0085).tiers()))
    assert case.reason() == "3.1 times as fast as numpy: 8.5 ms against 26 ms"
    case = _settled(ShapeSpecialization(Engines(numpy=1.0, xla=2.0).tiers()))
    assert case.reason() == "2.0 times as fast as xla: 1 s against 2 s"


def test_a_function_whose_calls_are_shorter_than_a_compiled_call_settles_after_a_few_calls():
    engines = Engines(numpy=1e-5, xla=1e-6)
    case = ShapeSpecialization(engines.tiers())
    _called(case, engines.settings.small_calls)
    assert case.stage is Stage.COMMITTED and case.tier == "numpy" and engines.is_made == 0
    assert case.reason() == "a call takes 10 us, too little for a compiler to help"


def test_one_short_call_among_long_ones_does_not_settle_a_case_that_is_hot_before():
    engines = Engines(numpy=20.0, xla=1.0)
    assert _settled(ShapeSpecialization(engines.tiers())).tier == "xla"


def test_holders_are_told_which_program_to_call_and_results_fit_its_tensors():
    engines = Engines(numpy=1.0, xla=0.1)
    case, caller = ShapeSpecialization(engines.tiers()), Caller()
    program = case.hold(caller)
    while not caller.programs:
        (result,) = program.run(X)
        tensor = program.make_tensor(result, None)
        assert type(tensor) is (EagerTensor if type(result) is np.ndarray else PendingTensor)
    assert caller.programs[0].tensor_class is PendingTensor
    (result,) = caller.programs[0].run(X)
    assert type(result) is Arrays


def test_a_holder_of_a_case_that_stays_on_numpy_gets_the_numpy_program_itself():
    engines = Engines(numpy=1e-5)
    tiers = engines.tiers()
    case, caller = ShapeSpecialization(tiers), Caller()
    case.hold(caller)
    _called(case, 10)
    assert caller.programs == [tiers.numpy]
    assert case.hold(Caller()) is tiers.numpy


def test_nobody_is_kept_alive_by_being_a_holder():
    case, caller = ShapeSpecialization(Engines(numpy=1.0, xla=0.1).tiers()), Caller()
    case.hold(caller)
    gone = weakref.ref(caller)
    del caller
    assert gone() is None
    _settled(case)


def test_a_case_is_no_part_of_a_reference_cycle():
    gc.collect()
    gc.disable()
    try:
        for engines in (Engines(numpy=1.0, xla=0.1), Engines(numpy=1e-5)):
            case = ShapeSpecialization(engines.tiers())
            for calls in (1, 500):
                _called(case, calls)
                gone = weakref.ref(case)
            del case
            assert gone() is None
    finally:
        gc.enable()


def test_calls_go_on_while_the_background_thread_compiles():
    engines = Engines(numpy=1.0, xla=0.1)
    engines.settings.waits = False
    gate = threading.Event()

    def busy():
        gate.wait()
        yield

    engines.compiler.submit(busy)
    case = ShapeSpecialization(engines.tiers())
    _called(case, 40)
    assert engines.calls == ["numpy"] * 40 and case.stage is Stage.COMPILING
    assert case.reason() == "compiling: calls have taken 40 s"
    gate.set()
    engines.compiler.wait()
    _called(case, 1)
    engines.compiler.wait()
    assert _settled(case).tier == "xla"


def test_without_candidates_a_case_stays_on_numpy_and_says_why():
    engines = Engines(numpy=1.0)
    engines.reasons["xla"] = "it prints"
    case = _settled(ShapeSpecialization(engines.tiers()))
    assert (case.tier, case.reason()) == ("numpy", "xla: it prints")


def test_a_candidate_that_does_not_compile_is_left_out_and_told_once(caplog):
    engines = Engines(numpy=1.0, xla=0.1, clusters=0.5)
    engines.failures["xla"] = errors.InternalError(None, None, "it cannot")
    tiers = engines.tiers()
    with caplog.at_level(logging.WARNING, "tensorflow"):
        assert [_settled(ShapeSpecialization(tiers)).tier for _ in range(2)] == ["clusters", "clusters"]
    assert [record.getMessage() for record in caplog.records] == ["f stays off the tier 'xla': it cannot"]


def test_a_candidate_that_cannot_be_prepared_is_left_out_and_calls_go_on():
    engines = Engines(numpy=1.0, xla=0.1, clusters=0.5)

    def fail(arguments):
        raise errors.FailedPreconditionError(None, None, "no value")

    engines.programs["xla"].prepare = fail
    assert _settled(ShapeSpecialization(engines.tiers())).tier == "clusters"
    engines.programs["clusters"].prepare = fail
    case = _settled(ShapeSpecialization(engines.tiers()))
    assert case.tier == "numpy" and "xla: no value" in case.reason()


def test_where_nothing_compiles_the_reason_is_shown():
    engines = Engines(numpy=1.0, xla=0.1)
    engines.failures["xla"] = ValueError("odd")
    case = _settled(ShapeSpecialization(engines.tiers()))
    assert (case.tier, case.reason()) == ("numpy", "xla: ValueError: odd")


def test_candidates_that_cannot_be_made_are_told_once(caplog):
    engines = Engines(numpy=1.0, xla=0.1)

    def fail(candidates):
        raise ImportError("no such module")
        yield

    engines.make = fail
    tiers = engines.tiers()
    with caplog.at_level(logging.WARNING, "tensorflow"):
        cases = [_settled(ShapeSpecialization(tiers)) for _ in range(2)]
    assert {case.tier for case in cases} == {"numpy"}
    assert len(caplog.records) == 1 and "no such module" in caplog.text


def test_a_program_that_the_engine_leaves_to_numpy_is_no_candidate():
    engines = Engines(numpy=1.0, xla=0.1)
    engines.programs["xla"].leave_to("numpy", "a size is unknown")
    assert _settled(ShapeSpecialization(engines.tiers())).reason() == "xla: a size is unknown"


def test_a_program_that_is_left_to_numpy_while_compiling_is_dropped():
    engines = Engines(numpy=1.0, xla=0.1)
    program = engines.programs["xla"]
    program.prepare = lambda arguments: lambda: program.leave_to("numpy", "a size is unknown")
    assert _settled(ShapeSpecialization(engines.tiers())).reason() == "xla: a size is unknown"


def test_a_program_whose_executables_depend_on_values_loses_the_trial():
    engines = Engines(numpy=1.0, xla=0.1)
    engines.programs["xla"].attempt = lambda x: None
    case = _settled(ShapeSpecialization(engines.tiers()))
    assert case.tier == "numpy" and "depend on the values of arguments" in case.reason()


def test_an_error_of_a_call_is_raised_once_and_the_trial_goes_on():
    engines = Engines(numpy=1.0, xla=0.1)
    case = ShapeSpecialization(engines.tiers())
    while case.stage is not Stage.TRYING:
        _called(case, 1)
    run = engines.run

    def fail(name, x):
        run(name, x)
        raise errors.InvalidArgumentError(None, None, "bad value")

    engines.run = fail
    count = len(engines.calls)
    with pytest.raises(errors.InvalidArgumentError, match="bad value"):
        case.run(X)
    assert len(engines.calls) == count + 1
    engines.run = run
    assert _settled(case).tier == "xla"


def test_a_pinned_case_runs_the_candidate_from_its_first_call():
    engines = Engines(numpy=1.0, xla=5.0)
    engines.pin = Pin.COMPILED
    engines.settings.waits = False
    case = ShapeSpecialization(engines.tiers())
    _called(case, 3)
    assert engines.calls == ["xla"] * 3 and (case.tier, case.reason()) == ("xla", "pinned")


def test_a_pinned_case_runs_the_first_candidate():
    engines = Engines(numpy=1.0, xla=5.0, clusters=0.1)
    engines.pin = Pin.COMPILED
    case = ShapeSpecialization(engines.tiers())
    _called(case, 2)
    assert engines.calls == ["xla"] * 2


def test_a_candidate_that_cannot_be_made_does_not_keep_others_away(caplog):
    engines = Engines(numpy=1.0, xla=0.9)
    engines.make_others = lambda candidates: candidates.makers.update(clusters=lambda: 1 / 0)
    case = _settled(ShapeSpecialization(engines.tiers()))
    assert case.tier == "xla"
    assert "f stays off the tier 'clusters': ZeroDivisionError" in caplog.text


def test_a_pinned_case_without_candidates_runs_on_numpy():
    engines = Engines(numpy=1.0)
    engines.pin = Pin.COMPILED
    case = ShapeSpecialization(engines.tiers())
    _called(case, 2)
    assert engines.calls == ["numpy"] * 2


def test_a_threshold_of_zero_makes_the_second_call_cross_the_swap():
    engines = Engines(numpy=1e-9, xla=1e-9)
    engines.settings.threshold = 0.0
    engines.settings.choice = TierChoice.ALTERNATE
    case = ShapeSpecialization(engines.tiers())
    _called(case, 7)
    assert engines.calls == ["numpy", "numpy", "xla", "numpy", "xla", "numpy", "xla"]
    assert case.reason() == "trying numpy, xla: numpy 0.001 us, xla 0.001 us"


class _Choosing:
    """A candidate that tries ways of its own, for some calls after it was prepared."""

    def __init__(self, engines, calls):
        self.left = calls
        self.program = engines.programs["clusters"]
        run, prepare = self.program.run, self.program.prepare
        self.met = 0

        def met(x):
            self.met += 1
            self.left -= 1
            return run(x)

        self.program.run = met
        self.program.attempt = None
        self.program.prepare = lambda arguments: prepare(arguments) if self.met else 1 / 0
        self.program.is_committed = lambda: self.left <= 0


def test_a_program_with_choices_of_its_own_sees_a_call_first_and_is_tried_when_it_has_chosen():
    engines = Engines(numpy=1.0, clusters=0.1)
    choosing = _Choosing(engines, 20)
    case = ShapeSpecialization(engines.tiers())
    while case.stage is not Stage.TRYING:
        _called(case, 1)
    assert choosing.met == 2  # before it was compiled, and after
    assert _settled(case).tier == "clusters"
    assert choosing.met > 20


def test_a_program_whose_own_fault_makes_a_call_fail_is_dropped_and_the_caller_sees_nothing(caplog):
    engines = Engines(numpy=1.0, clusters=0.1)
    _Choosing(engines, 20)

    def fail(x):
        raise errors.InternalError(None, None, "a value is None")

    engines.programs["clusters"].run = fail
    tiers = engines.tiers()
    tiers.resources = []
    case = _settled(ShapeSpecialization(tiers))
    assert (case.tier, case.reason()) == ("numpy", "clusters: a value is None")
    assert "f stays off the tier 'clusters': a value is None" in caplog.text


def test_an_error_of_the_call_itself_is_raised_and_blames_no_program():
    engines = Engines(numpy=1.0, clusters=0.1)
    _Choosing(engines, 3)
    tiers = engines.tiers()
    tiers.resources = []
    case = ShapeSpecialization(tiers)
    while case.stage is not Stage.COMPILING:
        _called(case, 1)
    run = engines.run

    def refuse(name, x):
        raise errors.InvalidArgumentError(None, None, "bad value")

    engines.run = refuse
    for _ in range(3):
        with pytest.raises(errors.InvalidArgumentError, match="bad value"):
            case.run(X)
    engines.run = run
    assert _settled(case).tier == "clusters"


def test_a_program_that_never_chooses_is_tried_as_it_is():
    engines = Engines(numpy=1.0, clusters=0.1)
    _Choosing(engines, 10**9)
    assert _settled(ShapeSpecialization(engines.tiers())).tier == "clusters"


def test_the_trial_waits_until_the_kernels_of_the_numpy_program_have_chosen_their_ways(monkeypatch):
    tries = iter([0, *range(1, 8), *[8] * 1000])
    monkeypatch.setattr(tier_selection, "count_measured_calls", lambda: next(tries))
    engines = Engines(numpy=1.0, xla=0.25)
    case = ShapeSpecialization(engines.tiers())
    _called(case, 10)
    engines.calls.clear()
    assert _settled(case).tier == "xla"
    assert engines.calls[:8] == ["numpy"] * 8


def test_a_program_in_which_nothing_was_worth_compiling_is_no_candidate():
    engines = Engines(numpy=1.0, clusters=0.1)
    _Choosing(engines, 1)
    engines.programs["clusters"].has_compiled_parts = False
    case = _settled(ShapeSpecialization(engines.tiers()))
    assert case.reason() == "clusters: no part of it is large enough for a compiler to help"


def test_retired_cases_stay_on_numpy_and_tell_their_holders():
    engines = Engines(numpy=1.0, xla=0.1)
    tiers = engines.tiers()
    case, caller = _settled(ShapeSpecialization(tiers)), Caller()
    assert case.hold(caller) is not tiers.numpy
    case.retire("forked")
    assert caller.programs == [tiers.numpy] and case.reason() == "forked"
    engines.calls.clear()
    _called(case, 3)
    assert engines.calls == ["numpy"] * 3


@pytest.mark.parametrize("xla", [0.25, 4.0])
def test_threads_that_call_during_trial_and_swap_get_right_results(xla):
    engines = Engines(numpy=1.0, xla=xla)
    engines.settings.waits = False
    case, failures = ShapeSpecialization(engines.tiers()), []

    def work():
        try:
            for i in range(300):
                x = np.full(3, i, np.float32)
                (result,) = case.run(x)
                np.testing.assert_array_equal(np.asarray(result), x * 2)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    engines.compiler.wait()
    assert not failures
    _settled(case)


def test_arrays_of_engines_are_fetched_for_a_program_that_takes_numpy_arrays_alone():
    engines = Engines()
    run = reading_run(engines.tiers().numpy)
    assert run(Arrays(X))[0].tolist() == [2, 2, 2]


# --- what the search costs ---------------------------------------------------------------------------


def lost_seconds(engines: Engines, count: int) -> float:
    """What so many calls took longer than on the NumPy tier."""
    case, start = ShapeSpecialization(engines.tiers()), engines.clock.now
    _called(case, count)
    return engines.clock.now - start - count * engines.seconds["numpy"]


@pytest.mark.parametrize("count", [10, 50, 100, 1000])
@pytest.mark.parametrize("slower", [1.1, 1.5, 2.5, 20.0])
def test_candidates_that_lose_cost_at_most_a_tenth_of_what_calls_took(slower, count):
    engines = Engines(numpy=1.0, xla=slower, clusters=slower, **{"narrow clusters": slower})
    spent = engines.clock.now
    lost = lost_seconds(engines, count)
    spent = engines.clock.now - spent
    # Two calls of a turn are the least that shows how slow a candidate is, and one where a call is long.
    assert lost <= 0.1 * spent + 3 * (slower - 1.0)


def test_compiling_that_slows_calls_down_delays_the_next_candidate_until_a_tenth_is_lost():
    engines = Engines(numpy=1.0, xla=1.1, clusters=1.1)
    case = ShapeSpecialization(engines.tiers())
    case.budget.lost = 7.0
    tried = []
    while case.stage is not Stage.COMMITTED:
        _called(case, 1)
        tried += [(name, case.budget.spent) for name in engines.compiled_shapes if engines.compiled_shapes[name]]
    first = {name: min(spent for other, spent in tried if other == name) for name in dict(tried)}
    assert first["xla"] >= 70.0 and first["clusters"] >= 10 * 7.0


def test_no_candidate_is_compiled_before_calls_took_as_long_as_all_of_them_cost():
    engines = Engines(numpy=1.0, xla=1.1, clusters=1.1)
    compile_slowly(engines, 10.0)
    case = ShapeSpecialization(engines.tiers())
    _called(case, 15)
    assert engines.compiled_shapes["xla"] and not engines.compiled_shapes["clusters"]
    while not engines.compiled_shapes["clusters"]:
        _called(case, 1)
    assert case.budget.spent >= case.budget.invested


def compile_slowly(engines: Engines, seconds: float) -> None:
    """Lets compiling take some seconds."""
    for program in engines.programs.values():
        prepare = program.prepare
        assert prepare is not None

        def slow(arguments, prepare=prepare):
            compile_program = prepare(arguments)

            def run() -> None:
                engines.clock.now += seconds
                compile_program()

            return run

        program.prepare = slow


def test_a_function_that_libraries_compute_is_compiled_five_times_later(monkeypatch):
    engines = Engines(numpy=1.0, xla=0.1)
    case = ShapeSpecialization(engines.tiers())

    class Measured:
        seconds = 0.9

        def __enter__(self):
            return self

        def __exit__(self, *error):
            return None

    monkeypatch.setattr(tier_selection, "seconds_in_kernels", Measured)
    _called(case, 45)
    assert engines.is_made == 0 and case.budget.library_share == 0.9
    _called(case, 30)
    assert engines.is_made == 1


def test_a_program_that_chooses_and_stays_behind_is_given_up():
    engines = Engines(numpy=1.0, clusters=1.5)
    _Choosing(engines, 100)
    case = _settled(ShapeSpecialization(engines.tiers()))
    assert (case.tier, case.reason()) == ("numpy", "clusters: 1.5 times as slow as before")
    assert engines.calls.count("clusters") == 6


# --- records ------------------------------------------------------------------------------------------


@pytest.fixture
def recording(tmp_path, monkeypatch):
    """Engines whose trials are kept in a folder; each call is another process."""
    (tmp_path / "cache").mkdir(mode=0o700)
    monkeypatch.setenv(record_folder.VARIABLE, str(tmp_path / "cache"))

    def start(digest="graph", **seconds):
        engines = Engines(**seconds)
        engines.settings.records = TierRecords(RecordFolder())
        engines.settings.costs = CompileCosts(10.0, 0.0)
        engines.digest = lambda: digest
        return engines, ShapeSpecialization(engines.tiers())

    return start


def test_the_next_process_stays_on_numpy_without_asking_a_compiler(recording):
    engines, case = recording(numpy=1.0, xla=2.0)
    assert _settled(case).tier == "numpy"
    engines.compiler.wait()
    engines, case = recording(numpy=1.0, xla=2.0)
    _called(case, 3)
    assert (case.stage, case.tier, engines.is_made) == (Stage.COMMITTED, "numpy", 0)
    assert case.reason() == "2.0 times as fast as xla: 1 s against 2 s (recorded by an earlier run)"


def test_the_next_process_compiles_the_winner_at_once_and_makes_no_trial(recording):
    engines, case = recording(numpy=1.0, xla=0.9, clusters=0.25)
    assert _settled(case).tier == "clusters"
    engines.compiler.wait()
    engines, case = recording(numpy=1.0, xla=0.9, clusters=0.25)
    _called(case, 6)
    assert (case.tier, engines.compiled_shapes["xla"]) == ("clusters", set())
    assert engines.calls[-3:] == ["clusters"] * 3
    assert engines.calls.count("xla") == 0


@pytest.mark.parametrize("change", ["graph", "shape", "winner"])
def test_a_record_of_something_else_does_not_count(recording, change):
    engines, case = recording(numpy=1.0, xla=0.25)
    assert _settled(case).tier == "xla"
    engines.compiler.wait()
    names = {"clusters": 0.25} if change == "winner" else {"xla": 0.25}
    engines, case = recording("other" if change == "graph" else "graph", numpy=1.0, **names)
    x = np.ones(4 if change == "shape" else 3, np.float32)
    for _ in range(9):
        case.run(x)
    assert case.stage is Stage.COUNTING or change == "winner"
    assert _settled(case).tier == next(iter(names))  # found by a trial


@pytest.mark.parametrize("numpy", [0.3, 4.0])
def test_a_record_is_not_believed_where_calls_take_another_time(recording, numpy):
    engines, case = recording(numpy=1.0, xla=2.0)
    assert _settled(case).tier == "numpy"
    engines.compiler.wait()
    engines, case = recording(numpy=numpy, xla=0.1)
    assert _settled(case).tier == "xla" and "recorded" not in case.reason()


def test_a_function_without_a_digest_is_tried_in_each_process(recording):
    for _ in range(2):
        engines, case = recording(None, numpy=1.0, xla=0.25)
        assert _settled(case).tier == "xla" and engines.is_made == 1
