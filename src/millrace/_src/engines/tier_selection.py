"""The life of a shape specialization: the calls of one function with one set of argument shapes.

A specialization begins on the NumPy tier, and adds up the time that its calls take. When that exceeds what compiling is
expected to take, the specialization is *hot*: a candidate, which is a further program of the same graph, is compiled in
the background for these shapes, while calls go on. Then calls take turns with the program in use and the candidate
(`util.trials`). A candidate that wins clearly ends the search; else the next one follows, as far as the budget goes
(`trial_budget`), and the fastest is committed to. What a trial has found is kept on disk (`tier_records`): the next
process commits to the winner without a trial. Each stage is a method that runs one call and moves the specialization on
where it is time to.
"""

from __future__ import annotations

import enum
import functools
import threading
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from millrace._src.core.engine import Holder, Program, Run
from millrace._src.core.tensor import wait_for_array
from millrace._src.engines.background_compiler import Job
from millrace._src.engines.compilations import compilation_count
from millrace._src.engines.engine_table import JIT_ENGINE
from millrace._src.engines.function_tiers import NUMPY, FunctionTiers, either_program
from millrace._src.engines.ready_run import ReadyRun
from millrace._src.engines.rollback import run_or_take_back
from millrace._src.engines.tier_reasons import comparison
from millrace._src.engines.tier_records import TierRecord, describe_arguments
from millrace._src.engines.tier_settings import Pin, TierChoice
from millrace._src.engines.trial_budget import TrialBudget
from millrace._src.util.autotuning import count_measured_calls, seconds_in_kernels
from millrace._src.util.text import duration
from millrace._src.util.trials import Trial

_MAX_REHEARSALS = 200
"""The most calls after which a program that makes choices of its own takes part in a trial as it is."""
_MIN_REHEARSALS = 5
"""The calls after which such a program is given up if all of them were clearly slower than usual."""
_CLEAR_FACTOR = 1.3
"""How many times as fast a program is that wins clearly: no further candidate is tried."""
_MEASURED_FIRST, _MEASURED_EVERY = 3, 16
"""The calls that measure the share of libraries: the third, when kernels are warm, and then each sixteenth."""
_LOOKUP_SECONDS, _LOOKUP_NODE_SECONDS = 0.05, 1e-4
"""The seconds that calls must have taken before a record is looked up: ten times what the digest of the graph takes."""


class Stage(enum.Enum):
    """How far a specialization has come."""

    COUNTING = "counting"
    COMPILING = "compiling"
    TRYING = "trying"
    COMMITTED = "committed"


class ShapeSpecialization:
    """The calls of a function with one set of argument shapes.

    Args:
      tiers: what all specializations of the function share.

    Attributes:
      stage: how far the specialization has come.
      tier: the name of the tier that runs the calls.
      budget: what calls have taken, and lost to the search for a faster program.
      chosen: the program that the specialization has committed to; None before.
    """

    def __init__(self, tiers: FunctionTiers) -> None:
        self.stage = Stage.COUNTING
        self.tier = NUMPY
        self.budget = TrialBudget()
        self.chosen: Program | None = None
        self._tiers = tiers
        self._lock = threading.Lock()
        self._calls = 0
        self._least = float("inf")
        self._reason = ""
        self._rehearsals = 0
        self._best_rehearsal = float("inf")
        self._failed_rehearsal = ""
        self._unmet: str | None = None
        """The candidate that has not seen a call."""
        self._tries = count_measured_calls()
        """How often kernels had tried implementations before the last call on the NumPy tier that was looked at."""
        self._job: Job | None = None
        self._next: _Move = ShapeSpecialization._list_challengers
        self._failures: dict[str, Exception] = {}
        self._champion = NUMPY
        """The fastest tier so far, which runs the calls between two trials."""
        self._run_champion: Run = tiers.on_numpy
        self._challengers: list[str] | None = None
        """The tiers that are not tried yet; None until it is known which there are."""
        self._candidate_programs: dict[Any, Program] = {}
        """The programs of the trial: the champion's and the challenger's."""
        self._seconds: dict[Any, float] = {}
        self._dropped: dict[Any, str] = {}
        self._lookup: Job | None = None
        self._record: TierRecord | None = None
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
            self.chosen, self._act = either_program(self._ready_run(tier)), ShapeSpecialization._run_chosen
        self._candidate_programs = {}
        for holder in list(self._holders):
            holder.use(self.chosen)

    def retire(self, reason: str) -> None:
        """Commits to the NumPy tier for good, in a fork: the parent's other threads may have held the locks."""
        self._lock = threading.Lock()
        self.commit(NUMPY, reason)

    def _ready_run(self, tier: str) -> Run:
        """Returns what runs the calls of a tier; the NumPy tier runs a call that is not compiled."""
        if tier == NUMPY:
            return self._tiers.on_numpy
        return ReadyRun(self._tiers.candidates.programs[tier], self._tiers.on_numpy, self._tiers.submit).run

    # --- calls: each stage runs a call by a method -----------------------------------------------------

    def _run_numpy(self, arguments: Sequence[Any]) -> Sequence[Any]:
        return self._tiers.on_numpy(*arguments)

    def _run_chosen(self, arguments: Sequence[Any]) -> Sequence[Any]:
        assert self.chosen is not None  # by `commit`
        return self.chosen.run(*arguments)

    def _count(self, arguments: Sequence[Any]) -> Sequence[Any]:
        """Runs a call by the fastest program so far and adds up its time."""
        settings = self._tiers.settings
        self._calls += 1
        start = settings.clock()
        if self._calls % _MEASURED_EVERY == _MEASURED_FIRST:
            with seconds_in_kernels() as measured:
                results = self._run_champion(*arguments)
            seconds = settings.clock() - start
            self.budget.library_share = min(measured.seconds / max(seconds, 1e-9), 1.0)
        else:
            results = self._run_champion(*arguments)
            seconds = settings.clock() - start
        self.budget.note_usual(seconds)
        self._least = min(self._least, seconds)
        if self._least < settings.call_seconds and settings.threshold and self._champion == NUMPY:
            if self._calls == settings.small_calls:
                self.commit(NUMPY, f"a call takes {duration(self._least)}, too little for a compiler to help")
            return results
        if self._tiers.keeps_records and not self._is_looked_up(arguments):
            return results
        if not self._is_waiting_for_budget():
            self._act = ShapeSpecialization._get_hot
        return results

    def _is_looked_up(self, arguments: Sequence[Any]) -> bool:
        """Returns whether it is known what an earlier process has recorded; asks once calls have taken long enough."""
        if self._lookup is None:
            tiers = self._tiers
            if self.budget.spent >= _LOOKUP_SECONDS + _LOOKUP_NODE_SECONDS * tiers.node_count:
                described = describe_arguments(arguments)
                self._lookup = tiers.submit(functools.partial(self._look_up, described))
            return False
        if self._lookup.is_done and self._record is not None and self._challengers is None:
            if self._record.fits(self._least, NUMPY):
                self._act = ShapeSpecialization._take_record
                return False
            self._record = None
        return self._lookup.is_done

    def _look_up(self, described: str) -> Iterator[None]:
        tiers = self._tiers
        if tiers.settings.records is not None and tiers.digest is not None:
            self._record = tiers.settings.records.read(tiers.digest, described)
        yield

    def _take_record(self, arguments: Sequence[Any]) -> Sequence[Any]:
        """Goes to the winner of an earlier process."""
        return self._move_on(ShapeSpecialization._follow_record, ShapeSpecialization._take_record, arguments)

    def _get_hot(self, arguments: Sequence[Any]) -> Sequence[Any]:
        """Submits the search for candidates, or goes on to the next one."""
        return self._move_on(ShapeSpecialization._ask_for_candidates, ShapeSpecialization._get_hot, arguments)

    def _wait(self, arguments: Sequence[Any]) -> Sequence[Any]:
        """Runs a call by the fastest program so far, or goes on where the job in the background has ended."""
        if self._job is not None and not self._job.is_done:
            clock = self._tiers.settings.clock
            start = clock()
            results = self._run_champion(*arguments)
            self.budget.note_disturbed(clock() - start)
            return results
        return self._move_on(self._next, ShapeSpecialization._wait, arguments)

    def _rehearse(self, arguments: Sequence[Any]) -> Sequence[Any]:
        """Runs a call with a program that chooses among implementations of its own, until that program has chosen.

        A program whose calls stay clearly behind those of the NumPy tier is not waited for.
        """
        name = next((name for name, program in self._candidate_programs.items() if not _has_chosen(program)), None)
        self._rehearsals += 1
        tries, self._tries = self._tries, count_measured_calls()
        kernels_choose = self._tries != tries and self._tiers.pin is Pin.AUTO
        if self._rehearsals > _MAX_REHEARSALS or name is None and not kernels_choose:
            return self._move_on(ShapeSpecialization._begin_trial, ShapeSpecialization._rehearse, arguments)
        if name is None:
            return self._tiers.on_numpy(*arguments)
        clock = self._tiers.settings.clock
        start = clock()
        results = self._run_carefully(name, arguments)
        seconds = clock() - start
        self.budget.note_disturbed(seconds)
        self._best_rehearsal = min(self._best_rehearsal, seconds)
        is_behind = self._best_rehearsal > _CLEAR_FACTOR * self.budget.usual
        if self._rehearsals >= _MIN_REHEARSALS and is_behind and self._tiers.pin is Pin.AUTO:
            self._failed_rehearsal = f"{self._best_rehearsal / self.budget.usual:.1f} times as slow as before"
            self._act = ShapeSpecialization._give_up
        return results

    def _give_up(self, arguments: Sequence[Any]) -> Sequence[Any]:
        """Goes on without a candidate that stays behind."""
        return self._move_on(ShapeSpecialization._drop_challenger, ShapeSpecialization._give_up, arguments)

    def _meet(self, arguments: Sequence[Any]) -> Sequence[Any]:
        """Runs a call with a program that has to see a call before it can be compiled."""
        name = self._unmet
        if name is None:
            return self._move_on(ShapeSpecialization._prepare, ShapeSpecialization._meet, arguments)
        self._unmet = None
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
            seconds = clock() - start
            trial.note(turn, seconds)
            self.budget.note_disturbed(seconds)
        if trial.is_over:
            self._move_on(ShapeSpecialization._end_trial, ShapeSpecialization._try, moved_by=arguments)
        return results

    def _move_on(
        self, move: _Move, act: _Act, arguments: Sequence[Any] | None = None, moved_by: Sequence[Any] = ()
    ) -> Any:
        """Moves on from a stage unless another thread is about to; then runs the call, if there are arguments."""
        is_moved = self._act is not act
        if self._lock.acquire(blocking=False):
            try:
                if self._act is act:
                    move(self, moved_by if arguments is None else arguments)
                    is_moved = True
            finally:
                self._lock.release()
        if arguments is None:
            return None
        return self._act(self, arguments) if is_moved else self._tiers.on_numpy(*arguments)

    # --- moves: from one stage to the next -----------------------------------------------------------------------

    def _wait_for(self, job: Job, then: _Move) -> None:
        self.stage, self._job, self._next, self._act = Stage.COMPILING, job, then, ShapeSpecialization._wait

    def _follow_record(self, arguments: object) -> None:
        """Commits to the NumPy tier, or compiles the program that was the fastest."""
        assert self._record is not None  # it brought us here
        if self._record.winner == NUMPY:
            self.commit(NUMPY, self._tell_record())
        else:
            self._ask_for_candidates(arguments)

    def _tell_record(self) -> str:
        assert self._record is not None
        return f"{comparison(self._record.winner, self._record.seconds, {})} (recorded by an earlier run)"

    def _ask_for_candidates(self, arguments: object) -> None:
        if self._challengers is None:
            self._wait_for(self._tiers.candidates_job(), ShapeSpecialization._list_challengers)
        else:
            self._challenge(arguments)

    def _list_challengers(self, arguments: object) -> None:
        """Notes which candidates there are, and begins with the first."""
        error = self._job.error if self._job is not None else None
        if error is not None:
            self.commit(NUMPY, self._tiers.complain(JIT_ENGINE, error))
            return
        self._challengers = list(self._tiers.candidates.makers)
        if self._record is not None and self._record.winner in self._challengers:
            self._challengers = [self._record.winner]
        else:
            self._record = None
        self._challenge(arguments)

    def _challenge(self, arguments: object) -> None:
        """Goes on to the next candidate; commits to the fastest program where there is none left."""
        tiers, challengers = self._tiers, self._challengers
        assert challengers is not None  # listed before
        if not challengers:
            self._conclude(arguments)
        elif self._is_waiting_for_budget():
            self.stage, self._act = Stage.COUNTING, ShapeSpecialization._count
        else:
            self._unmet = challengers.pop(0)
            self._wait_for(tiers.candidate_job(self._unmet), ShapeSpecialization._take_challenger)

    def _is_waiting_for_budget(self) -> bool:
        """Returns whether calls must take longer yet before the next candidate may be compiled."""
        tiers = self._tiers
        is_free = tiers.pin is not Pin.AUTO or self._record is not None or not tiers.settings.threshold
        return not is_free and self.budget.seconds_until(tiers.expected_seconds()) > 0

    def _conclude(self, arguments: object) -> None:
        """Commits to the fastest program."""
        if len(self._candidate_programs) > 1:  # all programs take turns, for good
            self._begin_turns()
            return
        if self._seconds:
            reason = comparison(self._champion, self._seconds, self._dropped)
        else:
            reason = self._tiers.candidates.list_reasons(self._dropped)
        self.commit(self._champion, reason)
        if self._seconds and self._tiers.keeps_records:
            self._keep_record(arguments)

    def _keep_record(self, arguments: Any) -> None:
        """Writes what the trials have found, in the background."""
        tiers, record = self._tiers, TierRecord(self._champion, {str(k): v for k, v in self._seconds.items()})
        described = describe_arguments(arguments)

        def steps() -> Iterator[None]:
            if tiers.settings.records is not None and tiers.digest is not None:
                tiers.settings.records.write(tiers.digest, described, record)
            yield

        tiers.compiler.submit(steps)

    def _take_challenger(self, arguments: object) -> None:
        """Takes the program of a candidate, if it could be made."""
        name, candidates = self._unmet, self._tiers.candidates
        assert name is not None  # by `_challenge`
        failure = candidates.failures.get(name) or (self._job.error if self._job is not None else None)
        if failure is not None:
            candidates.reasons[name] = self._tiers.complain(name, failure)
        program = candidates.programs.get(name)
        if failure is not None or program is None or program.left_because is not None:
            self._challenge(arguments)
            return
        if not self._candidate_programs:
            self._candidate_programs = {self._champion: self._tiers.program_of(self._champion)}
        self._candidate_programs = {**self._candidate_programs, name: program}
        if program.is_committed is None:
            self._unmet = None
        self._act = ShapeSpecialization._meet

    def _prepare(self, arguments: Any) -> None:
        """Submits the compiling of the candidate, for arguments like these."""
        name, program = self._challenger
        failures, budget, tiers = self._failures, self.budget, self._tiers
        try:
            compile_program = program.prepare(arguments) if program.prepare is not None else None
        except Exception as error:  # a variable without a value, which the call may be about to give
            failures[name] = error
            compile_program = None

        def steps() -> Iterator[None]:
            before, start = compilation_count(), tiers.settings.clock()
            try:
                if compile_program is not None:
                    compile_program()
            except Exception as error:
                failures[name] = error
            seconds = tiers.settings.clock() - start
            budget.note_compiled(seconds)
            if compilation_count() > before:
                tiers.settings.costs.note(tiers.node_count, seconds)
            yield

        self._wait_for(tiers.submit(steps), ShapeSpecialization._finish_preparation)

    def _finish_preparation(self, arguments: object) -> None:
        """Drops the candidate if it could not be compiled."""
        if self._job is not None and self._job.error is not None:
            self.commit(NUMPY, self._tiers.complain(JIT_ENGINE, self._job.error))
            return
        name, program = self._challenger
        if not self._drop_failures({name: program.left_because} if program.left_because else {}, arguments):
            self._rehearsals, self._best_rehearsal = 0, float("inf")
            self.stage, self._act = Stage.TRYING, ShapeSpecialization._rehearse

    @property
    def _challenger(self) -> tuple[str, Program]:
        """The name and the program of the candidate that is tried at present."""
        return list(self._candidate_programs.items())[-1]

    def _drop_failures(self, reasons: Mapping[str, str], arguments: object) -> bool:
        """Drops the programs that have failed, and goes on without these; returns whether there are any."""
        failed = {name: self._tiers.complain(name, error) for name, error in self._failures.items()}
        reasons = {**reasons, **failed}
        self._failures.clear()
        if not reasons:
            return False
        self._dropped.update(reasons)
        self._candidate_programs = {
            name: program for name, program in self._candidate_programs.items() if name not in reasons
        }
        self._challenge(arguments)
        return True

    def _drop_challenger(self, arguments: object) -> None:
        name, _ = self._challenger
        self._drop_failures({name: self._failed_rehearsal}, arguments)

    def _begin_trial(self, arguments: object) -> None:
        """Starts taking turns, or takes the candidate where that is pinned or recorded."""
        if self._drop_failures({}, arguments):
            return
        name, program = self._challenger
        if len(self._candidate_programs) == 1:  # the candidate has failed in a call on another thread
            self._challenge(arguments)
        elif not program.has_compiled_parts:
            self._drop_failures({name: "no part of it is large enough for a compiler to help"}, arguments)
        elif self._tiers.pin is Pin.COMPILED:
            self.commit(name, "pinned")
        elif self._record is not None:
            self.commit(name, self._tell_record())
        elif self._tiers.settings.choice is TierChoice.ALTERNATE and self._challengers:
            self._challenge(arguments)
        else:
            self._begin_turns()

    def _begin_turns(self) -> None:
        settings = self._tiers.settings
        self._trial = Trial(list(self._candidate_programs), settings.trial_rules(), settings.clock)
        self.stage, self._act = Stage.TRYING, ShapeSpecialization._try

    def _end_trial(self, arguments: object) -> None:
        """Keeps the faster program, for good where it is clearly faster than NumPy's."""
        assert self._trial is not None  # its end brought us here
        winner, outcome = str(self._trial.winner or NUMPY), self._trial.outcome
        for name, seconds in outcome.seconds.items():
            self._seconds[name] = min(seconds, self._seconds.get(name, seconds))
        self._dropped.update({str(name): reason for name, reason in outcome.dropped.items()})
        self._trial, self._candidate_programs = None, {}
        if winner != self._champion:
            self._champion, self._run_champion = winner, self._ready_run(winner)
        is_clear = self._seconds.get(NUMPY, 0.0) > _CLEAR_FACTOR * self._seconds.get(winner, float("inf"))
        if is_clear and self._challengers:
            self._challengers.clear()
        self._challenge(arguments)

    # --- what users are told -------------------------------------------------------------------------------------

    def reason(self) -> str:
        """Returns one sentence on why the tier runs the calls, and what comes next."""
        if self.stage is Stage.COUNTING:
            left = self.budget.seconds_until(self._tiers.expected_seconds())
            found = f"{comparison(self._champion, self._seconds, self._dropped)}; " if self._seconds else ""
            spent = duration(self.budget.spent)
            return f"{found}calls have taken {spent}; a compiler is asked after {duration(left)} more"
        if self.stage is Stage.COMPILING:
            return f"compiling: calls have taken {duration(self.budget.spent)}"
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
