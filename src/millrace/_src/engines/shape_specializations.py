"""The life of a shape specialization: the calls of one function with one set of argument shapes.

A specialization begins on the NumPy tier, and adds up the time that its calls take. When that exceeds what compiling is
expected to take, the specialization is *hot*: the candidates, which are further programs of the same graph, are
compiled in the background for these shapes, while calls go on. Then calls take turns with all programs (`util.trials`)
until the fastest is known, and the specialization is committed. Each stage is a method that runs one call and moves the
specialization on where it is time to.
"""

from __future__ import annotations

import enum
import functools
import threading
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from millrace._src.core import errors
from millrace._src.core.engine import Holder, Program, Run
from millrace._src.core.tensor import PendingTensor, wait_for_array
from millrace._src.engines.background_compiler import BackgroundCompiler, CompilerStoppedError, Job
from millrace._src.engines.engine_table import HOST_ENGINE, JIT_ENGINE, candidate_engines
from millrace._src.engines.ready_run import ReadyRun
from millrace._src.engines.rollback import run_or_take_back
from millrace._src.engines.tier_settings import Pin, TierSettings
from millrace._src.util.autotuning import count_measured_calls
from millrace._src.util.logger import get_logger
from millrace._src.util.text import duration
from millrace._src.util.trials import Trial

NUMPY = HOST_ENGINE
_MAX_REHEARSALS = 200
"""The most calls after which a program that makes choices of its own takes part in a trial as it is."""


class Stage(enum.Enum):
    """How far a specialization has come."""

    COUNTING = "counting"
    COMPILING = "compiling"
    TRYING = "trying"
    COMMITTED = "committed"


@dataclass(slots=True)
class Candidates:
    """What might run a graph in place of the NumPy program.

    Attributes:
      programs: the further programs, by the name of the tier.
      reasons: why a tier is not a candidate, by its name.
      failures: the errors of programs that should have been made, by the name of the tier.
    """

    programs: dict[str, Program] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)
    failures: dict[str, Exception] = field(default_factory=dict)

    def add(self, tier: str, make: Callable[[], Program | None]) -> None:
        """Adds the program that `make` returns, unless there is none."""
        try:
            program = make()
        except Exception as error:
            self.failures[tier] = error
            return
        if program is None:
            return
        if program.left_because is None:
            self.programs[tier] = program
        else:
            self.reasons[tier] = program.left_because

    def list_reasons(self) -> str:
        """Returns why there are no candidates, as one text."""
        return "; ".join(f"{name}: {reason}" for name, reason in self.reasons.items()) or "no engine compiles it"


class FunctionTiers:
    """What the specializations of one function share.

    Args:
      name: the function, for messages.
      numpy: the program of the NumPy engine.
      node_count: the size of the graph.
      make_candidates: the steps that add further programs to `Candidates`; run once, in the background.
      settings: the numbers by which to decide.
      compiler: the background thread.
      pin: who chooses.
      resources: the positions of the arguments that are resources; None if a call cannot be taken back.
    """

    def __init__(
        self,
        name: str,
        numpy: Program,
        node_count: int,
        make_candidates: Callable[[Candidates], Iterator[None]],
        settings: TierSettings,
        compiler: BackgroundCompiler,
        pin: Pin = Pin.AUTO,
        resources: Sequence[int] | None = None,
    ) -> None:
        self.name = name
        self.numpy = numpy
        self.resources = resources
        self.on_numpy = reading_run(numpy)
        """Runs a call on the NumPy tier, whatever the arrays of its arguments."""
        self.node_count = node_count
        self.settings = settings
        self.compiler = compiler
        self.pin = pin
        self.candidates = Candidates()
        self._make_candidates = make_candidates
        self._lock = threading.Lock()
        self._job: Job | None = None
        self._complaints: set[str] = set()

    def candidates_job(self) -> Job:
        """Returns the job that makes the candidates, submitted on first use."""
        with self._lock:
            if self._job is None:
                self._job = self.submit(functools.partial(self._make_candidates, self.candidates))
        return self._job

    def submit(self, steps: Callable[[], Iterator[None]]) -> Job:
        """Submits a job, and waits for its end where calls wait for the compiler."""
        job = self.compiler.submit(steps)
        if self.settings.waits or self.pin is Pin.COMPILED:
            self.compiler.wait_for(job)
        return job

    def complain(self, tier: str, error: BaseException) -> str:
        """Tells the log, once for each tier, that the tier cannot run the function; returns the reason."""
        reason = error.message if isinstance(error, errors.OpError) else f"{type(error).__name__}: {error}"
        if tier not in self._complaints and not isinstance(error, CompilerStoppedError):
            self._complaints.add(tier)
            get_logger().warning("%s stays off the tier %r: %s", self.name, tier, reason.partition("\n")[0])
        return reason


class ShapeSpecialization:
    """The calls of a function with one set of argument shapes.

    Args:
      tiers: what all specializations of the function share.

    Attributes:
      stage: how far the specialization has come.
      tier: the name of the tier that runs the calls.
      spent: the seconds that counted calls have taken.
      chosen: the program that the specialization has committed to; None before.
    """

    def __init__(self, tiers: FunctionTiers) -> None:
        self.stage = Stage.COUNTING
        self.tier = NUMPY
        self.spent = 0.0
        self.chosen: Program | None = None
        self._tiers = tiers
        self._lock = threading.Lock()
        self._calls = 0
        self._least = float("inf")
        self._reason = ""
        self._rehearsals = 0
        self._tries = count_measured_calls()
        """How often kernels had tried implementations before the last call on the NumPy tier that was looked at."""
        self._job: Job | None = None
        self._next: _Move = ShapeSpecialization._make_ready
        self._failures: dict[str, Exception] = {}
        self._candidate_programs: dict[Any, Program] = {}
        self._unmet: Iterator[str] = iter(())
        self._trial: Trial | None = None
        self._holders: weakref.WeakSet[Holder] = weakref.WeakSet()
        self._act: _Act = ShapeSpecialization._count if tiers.pin is Pin.AUTO else ShapeSpecialization._get_hot

    def run(self, *arguments: Any) -> Sequence[Any]:
        """Runs one call."""
        return self._act(self, arguments)

    def hold(self, holder: Holder) -> Program:
        """Returns the program for the calls from now on, and tells the holder when that changes."""
        self._holders.add(holder)
        return self.chosen or either_program(self.run)

    def commit(self, tier: str, reason: str) -> None:
        """Stays with one program from now on, and tells the holders."""
        self.stage, self.tier, self._reason = Stage.COMMITTED, tier, reason
        self._job = self._trial = None
        if tier == NUMPY:
            self.chosen, self._act = self._tiers.numpy, ShapeSpecialization._run_numpy
        else:
            run = ReadyRun(self._candidate_programs[tier], self._tiers.on_numpy, self._tiers.submit).run
            self.chosen, self._act = either_program(run), ShapeSpecialization._run_chosen
        self._candidate_programs = {}
        for holder in list(self._holders):
            holder.use(self.chosen)

    def retire(self, reason: str) -> None:
        """Commits to the NumPy tier for good, in a fork: the parent's other threads may have held the locks."""
        self._lock = threading.Lock()
        self.commit(NUMPY, reason)

    # --- calls: each stage runs a call by a method -----------------------------------------------------

    def _run_numpy(self, arguments: Sequence[Any]) -> Sequence[Any]:
        return self._tiers.on_numpy(*arguments)

    def _run_chosen(self, arguments: Sequence[Any]) -> Sequence[Any]:
        assert self.chosen is not None  # by `commit`
        return self.chosen.run(*arguments)

    def _count(self, arguments: Sequence[Any]) -> Sequence[Any]:
        """Runs a call on the NumPy tier and adds up its time."""
        settings = self._tiers.settings
        start = settings.clock()
        results = self._tiers.on_numpy(*arguments)
        seconds = settings.clock() - start
        self._calls += 1
        self.spent += seconds
        self._least = min(self._least, seconds)
        if self._least < settings.call_seconds and settings.threshold:
            if self._calls == settings.small_calls:
                self.commit(NUMPY, f"a call takes {duration(self._least)}, too little for a compiler to help")
        elif self.spent >= settings.estimate_seconds(self._tiers.node_count):
            self._act = ShapeSpecialization._get_hot
        return results

    def _get_hot(self, arguments: Sequence[Any]) -> Sequence[Any]:
        """Submits the making of the candidates."""
        return self._move_on(ShapeSpecialization._ask_for_candidates, ShapeSpecialization._get_hot, arguments)

    def _wait(self, arguments: Sequence[Any]) -> Sequence[Any]:
        """Runs a call on the NumPy tier, or goes on where the job in the background has ended."""
        if self._job is not None and not self._job.is_done:
            return self._tiers.on_numpy(*arguments)
        return self._move_on(self._next, ShapeSpecialization._wait, arguments)

    def _rehearse(self, arguments: Sequence[Any]) -> Sequence[Any]:
        """Runs a call with a program that chooses among implementations of its own, until that program has chosen."""
        name = next((name for name, program in self._candidate_programs.items() if not _has_chosen(program)), None)
        self._rehearsals += 1
        tries, self._tries = self._tries, count_measured_calls()
        kernels_choose = self._tries != tries and self._tiers.pin is Pin.AUTO
        if self._rehearsals > _MAX_REHEARSALS or name is None and not kernels_choose:
            return self._move_on(ShapeSpecialization._begin_trial, ShapeSpecialization._rehearse, arguments)
        return self._tiers.on_numpy(*arguments) if name is None else self._run_carefully(name, arguments)

    def _meet(self, arguments: Sequence[Any]) -> Sequence[Any]:
        """Runs a call with a program that has to see a call before it can be compiled."""
        name = next(self._unmet, None)
        if name is None:
            return self._move_on(ShapeSpecialization._prepare, ShapeSpecialization._meet, arguments)
        return self._run_carefully(name, arguments)

    def _run_carefully(self, name: str, arguments: Sequence[Any]) -> Sequence[Any]:
        """Runs a call with a new program; a call that fails there alone shows that the program is no good."""
        program = self._candidate_programs.get(name)
        if program is None:
            return self._tiers.on_numpy(*arguments)
        if self._tiers.resources is None:
            return program.run(*arguments)

        def on_numpy(error: Exception) -> Sequence[Any]:
            results = self._tiers.on_numpy(*arguments)
            self._failures[name] = error
            self._candidate_programs = {
                other: program for other, program in self._candidate_programs.items() if other != name
            }
            return results

        return run_or_take_back(program.run, arguments, self._tiers.resources, on_numpy)

    def _try(self, arguments: Sequence[Any]) -> Sequence[Any]:
        """Runs a call with the program whose turn it is, timed."""
        trial, programs = self._trial, self._candidate_programs
        if trial is None:
            return self._act(self, arguments)  # another thread has committed meanwhile
        turn = trial.next_turn()
        program = programs.get(turn.candidate)
        run = self._tiers.on_numpy if turn.candidate == NUMPY or program is None else program.attempting_run()
        _wait_for_arrays(programs, arguments, arguments)
        clock = self._tiers.settings.clock
        start = clock()
        results = run(*arguments)
        if results is None:
            trial.drop(turn.candidate, "sizes in it depend on the values of arguments")
            results = self._tiers.on_numpy(*arguments)
        else:
            _wait_for_arrays(programs, arguments, results)
            trial.note(turn, clock() - start)
        if trial.is_over:
            self._move_on(ShapeSpecialization._end_trial, ShapeSpecialization._try)
        return results

    def _move_on(self, move: _Move, act: _Act, arguments: Sequence[Any] | None = None) -> Any:
        """Moves on from a stage unless another thread is about to; then runs the call."""
        if self._lock.acquire(blocking=False):
            try:
                if self._act is act:
                    move(self, arguments)
            finally:
                self._lock.release()
        if arguments is None:
            return None
        return self._act(self, arguments) if self._act is not act else self._tiers.on_numpy(*arguments)

    # --- moves: from one stage to the next -----------------------------------------------------------------------

    def _wait_for(self, job: Job, then: _Move) -> None:
        self.stage, self._job, self._next, self._act = Stage.COMPILING, job, then, ShapeSpecialization._wait

    def _ask_for_candidates(self, arguments: object) -> None:
        self._wait_for(self._tiers.candidates_job(), ShapeSpecialization._make_ready)

    def _make_ready(self, arguments: object) -> None:
        """Takes the candidates that can be made."""
        error = self._job.error if self._job is not None else None
        if error is not None:
            self.commit(NUMPY, self._tiers.complain(JIT_ENGINE, error))
            return
        candidates = self._tiers.candidates
        for name, failure in candidates.failures.items():
            candidates.reasons[name] = self._tiers.complain(name, failure)
        programs = {name: p for name, p in candidates.programs.items() if p.left_because is None}
        if not programs:
            self.commit(NUMPY, candidates.list_reasons())
            return
        self._candidate_programs = {NUMPY: self._tiers.numpy, **programs}
        self._unmet = iter([name for name, program in programs.items() if program.is_committed is not None])
        self._act = ShapeSpecialization._meet

    def _prepare(self, arguments: Any) -> None:
        """Submits the compiling of the candidates, for arguments like these."""
        thunks: dict[str, Callable[[], None]] = {}
        failures = self._failures
        for name, program in self._candidate_programs.items():
            try:
                if program.prepare is not None:
                    thunks[name] = program.prepare(arguments)
            except Exception as error:  # a variable without a value, which the call may be about to give
                failures[name] = error

        def steps() -> Iterator[None]:
            for name, compile_program in thunks.items():
                try:
                    compile_program()
                except Exception as error:
                    failures[name] = error
                yield

        self._wait_for(self._tiers.submit(steps), ShapeSpecialization._finish_preparation)

    def _finish_preparation(self, arguments: object) -> None:
        """Drops the candidates that could not be compiled."""
        if self._job is not None and self._job.error is not None:
            self.commit(NUMPY, self._tiers.complain(JIT_ENGINE, self._job.error))
            return
        candidates = {name: program for name, program in self._candidate_programs.items() if name != NUMPY}
        self._drop_failures({name: p.left_because for name, p in candidates.items() if p.left_because})
        if self.stage is not Stage.COMMITTED:
            self.stage, self._act = Stage.TRYING, ShapeSpecialization._rehearse

    def _drop_failures(self, reasons: Mapping[str, str]) -> None:
        """Drops the programs that have failed, and commits to NumPy if no other is left; tells the log."""
        reasons = {**reasons, **{name: self._tiers.complain(name, error) for name, error in self._failures.items()}}
        self._candidate_programs = {
            name: program for name, program in self._candidate_programs.items() if name not in reasons
        }
        if len(self._candidate_programs) == 1:
            self.commit(NUMPY, "; ".join(f"{name}: {reason}" for name, reason in reasons.items()))

    def _begin_trial(self, arguments: object) -> None:
        """Starts taking turns, or takes the only candidate where that is pinned."""
        self._drop_failures({})
        if self.stage is Stage.COMMITTED:
            return
        idle = [
            name
            for name, program in self._candidate_programs.items()
            if name != NUMPY and not program.has_compiled_parts
        ]
        self._candidate_programs = {
            name: program for name, program in self._candidate_programs.items() if name not in idle
        }
        if len(self._candidate_programs) == 1:
            self.commit(NUMPY, "no part of it is large enough for a compiler to help")
        elif self._tiers.pin is Pin.COMPILED:
            self.commit(
                next(
                    (name for name in candidate_engines() if name in self._candidate_programs),
                    list(self._candidate_programs)[1],
                ),
                "pinned",
            )
        else:
            settings = self._tiers.settings
            self._trial = Trial(list(self._candidate_programs), settings.trial_rules(), settings.clock)
            self._act = ShapeSpecialization._try

    def _end_trial(self, arguments: object) -> None:
        """Stays with the fastest program."""
        assert self._trial is not None  # its end brought us here
        winner, outcome = self._trial.winner or NUMPY, self._trial.outcome
        self.commit(str(winner), _comparison(str(winner), outcome.seconds, outcome.dropped))

    # --- what users are told -------------------------------------------------------------------------------------

    def reason(self) -> str:
        """Returns one sentence on why the tier runs the calls, and what comes next."""
        if self.stage is Stage.COUNTING:
            left = self._tiers.settings.estimate_seconds(self._tiers.node_count) - self.spent
            return f"calls have taken {duration(self.spent)}; a compiler is asked after {duration(max(left, 0.0))} more"
        if self.stage is Stage.COMPILING:
            return f"compiling: calls have taken {duration(self.spent)}"
        if self.stage is Stage.TRYING:
            trial = self._trial
            times = {} if trial is None else trial.outcome.seconds
            listed = ", ".join(f"{name} {duration(seconds)}" for name, seconds in times.items())
            return f"trying {', '.join(map(str, self._candidate_programs))}{': ' if listed else ''}{listed}"
        return self._reason


_Act = Callable[[ShapeSpecialization, Sequence[Any]], Sequence[Any]]
"""Runs a call."""
_Move = Callable[[ShapeSpecialization, Any], None]
"""Moves a specialization to another stage, given the arguments of the next call."""


def _has_chosen(program: Program) -> bool:
    """Returns whether a program has made all choices of its own."""
    return program.is_committed is None or program.is_committed()


def _wait_for_arrays(programs: Mapping[Any, Program], arguments: Sequence[Any], arrays: Sequence[Any]) -> None:
    """Waits until arrays, and the variables among the arguments of a call, are computed."""
    waits = [program.wait for program in programs.values() if program.wait is not None]
    for wait in waits:
        wait(arguments, arrays)
    for array in [] if waits else arrays:
        wait_for_array(array)


def _comparison(winner: str, seconds: Mapping[Any, float], dropped: Mapping[Any, str]) -> str:
    """Returns what a trial has found, as one sentence."""
    best = seconds.get(winner)
    parts = [
        f"{_factor(other / best)} as fast as {name}: {duration(best)} against {duration(other)}"
        for name, other in seconds.items()
        if name != winner and best
    ]
    parts += [f"{name} was given up: {reason}" for name, reason in dropped.items() if name not in seconds]
    return "; ".join(parts)


def _factor(ratio: float) -> str:
    return f"{ratio:.1f} times" if ratio < 100 else f"{ratio:.0f} times"


def either_program(run: Run) -> Program:
    """Returns a program whose results may be NumPy's arrays in one call and another engine's in the next."""
    return Program(run, "any", keeps_quiet=True, tensor_class=PendingTensor, takes_pending=True)


def reading_run(program: Program) -> Run:
    """Returns the run of a program, with NumPy's warnings off, for arrays of any engine."""
    run = program.quiet_run(pending=True)
    if program.takes_pending:
        return run
    return lambda *arguments: run(*[a if type(a) is np.ndarray else wait_for_array(a) for a in arguments])
