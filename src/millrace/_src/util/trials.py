"""Choosing the fastest of several candidates to do the same thing, by timing the calls that a program makes anyway.

Problem: which candidate is fastest depends on the machine, the shapes and the load, so it has to be measured; but
calls have effects, so nothing may run twice for a measurement, and a single measurement is worth little.

Idea: the candidates take turns with the program's own calls. A turn is a few calls in a row. Its first calls are not
counted: they move data to where the candidate wants the data, and fill caches. What counts of a candidate is its
shortest call: other programs can only make a call longer. The first candidate is the one that is in use; another
candidate must be faster by a margin.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class TrialRules:
    """How thorough a trial is.

    Attributes:
      warm_up: the calls at the beginning of each turn that are not counted.
      counted: the calls of each turn that are counted; two at least, so that one slow call decides nothing.
      least: the counted calls that each candidate gets at least.
      most: the counted calls after which a candidate is known well enough, however short the calls are.
      seconds: the time in counted calls after which a candidate is known well enough.
      margin: how many times as fast as the first candidate another candidate must be.
      clear: a candidate that is this many times as fast as all others has won without further turns.
      hopeless: a candidate all of whose calls take this many times as long as the best call of another candidate gets
        no more turns.
      long_call: the seconds from which one hopeless call is enough: a caller that waits so long need not wait again.
    """

    warm_up: int = 1
    counted: int = 2
    least: int = 4
    most: int = 16
    seconds: float = 0.02
    margin: float = 1.03
    clear: float = 1.3
    hopeless: float = 3.0
    long_call: float = 0.5


class TrialTurn(NamedTuple):
    """One call of a trial.

    Attributes:
      candidate: the name of the candidate that the call takes.
      counts: whether the time of the call counts.
    """

    candidate: Hashable
    counts: bool


@dataclass(slots=True)
class _Candidate:
    """What is known of one candidate."""

    name: Hashable
    calls: int = 0
    best: float = float("inf")
    total: float = 0.0
    given: int = 0
    """The calls of the present turn that have been given out."""


@dataclass(slots=True)
class Outcome:
    """What a trial has found so far.

    Attributes:
      seconds: the shortest counted call of each candidate that has been measured, by name.
      dropped: why candidates were given up, by name.
    """

    seconds: dict[Hashable, float] = field(default_factory=dict)
    dropped: dict[Hashable, str] = field(default_factory=dict)


class Trial:
    """Chooses among several candidates; threads may share a trial.

    Each call asks for a turn and reports its time:

    >>> import itertools
    >>> from millrace._src.util.trials import Trial
    >>> trial = Trial(["slow", "fast"])
    >>> for _ in range(100):
    ...     turn = trial.next_turn()
    ...     trial.note(turn, 2.0 if turn.candidate == "slow" else 1.0)
    >>> trial.winner
    'fast'

    `run` does both. A call that raises an error is not reported: the error is the caller's, and says nothing of
    the candidate. Who finds that a candidate does not work at all tells `drop`.

    Args:
      candidates: the names of the candidates; the first is the one in use, which wins where no other candidate is
        faster by a margin.
      rules: how thorough the trial is.
      clock: returns the time in seconds; only `run` asks the clock.

    Attributes:
      winner: the name of the fastest candidate once the trial is over; None before.
      outcome: the times, and the reasons of candidates that were dropped.
    """

    def __init__(
        self,
        candidates: Sequence[Hashable],
        rules: TrialRules | None = None,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self.rules = rules or TrialRules()
        self.outcome = Outcome()
        self.winner: Hashable | None = None
        self._clock = clock
        self._lock = threading.Lock()
        self._candidates = [_Candidate(name) for name in candidates]
        self._first = self._candidates[0]
        self._turn_index = 0  # of the candidate whose turn it is
        self._end_if_decided()

    @property
    def is_over(self) -> bool:
        """Whether nothing is left to find out: there is a winner, or every candidate was dropped."""
        return self.winner is not None or not self._candidates

    def run(self, candidates: Mapping[Any, Callable[..., Result]], *arguments: Any) -> Result:
        """Makes one call by the candidate whose turn it is, timed; returns the result of the call.

        Args:
          candidates: the candidates by their names.
          *arguments: what the candidates are called with.
        """
        turn = self.next_turn()
        start = self._clock()
        result = candidates[turn.candidate](*arguments)
        self.note(turn, self._clock() - start)
        return result

    def next_turn(self) -> TrialTurn:
        """Returns which candidate the next call goes; the winner's once the trial is over.

        Raises: LookupError: if every candidate was dropped.
        """
        with self._lock:
            if self.winner is not None:
                return TrialTurn(self.winner, False)
            if not self._candidates:
                raise LookupError(f"Every candidate was given up: {self.outcome.dropped}")
            candidate = self._candidates[self._turn_index]
            if candidate.given == self.rules.warm_up + self.rules.counted:
                candidate.given = 0
                self._turn_index = (self._turn_index + 1) % len(self._candidates)
                candidate = self._candidates[self._turn_index]
            candidate.given += 1
            return TrialTurn(candidate.name, candidate.given > self.rules.warm_up)

    def note(self, turn: TrialTurn, seconds: float) -> None:
        """Notes how long the call of a turn took; a call that ends after the trial changes nothing."""
        if not turn.counts and seconds < self.rules.long_call:
            return
        with self._lock:
            candidate = next((w for w in self._candidates if w.name == turn.candidate), None)
            if candidate is None or self.winner is not None:
                return
            if turn.counts:
                candidate.calls += 1
                candidate.total += seconds
                candidate.best = self.outcome.seconds[candidate.name] = min(candidate.best, seconds)
            self._drop_if_hopeless(candidate, seconds)
            self._end_if_decided()

    def drop(self, name: Hashable, reason: str) -> None:
        """Gives up a candidate that does not work; the last candidate that is left wins."""
        with self._lock:
            self._remove(name, reason)
            self._end_if_decided()

    def _remove(self, name: Hashable, reason: str) -> None:
        removed_index = next(
            (index for index, candidate in enumerate(self._candidates) if candidate.name == name), len(self._candidates)
        )
        self._candidates = [candidate for candidate in self._candidates if candidate.name != name]
        self._turn_index -= removed_index < self._turn_index
        self._turn_index %= max(len(self._candidates), 1)
        self.outcome.dropped[name] = reason
        if self.winner == name:
            self.winner = None

    def _drop_if_hopeless(self, candidate: _Candidate, seconds: float) -> None:
        """Gives a candidate up whose calls take too long; `seconds` are the last call's."""
        measured_candidates = [other.best for other in self._candidates if other.calls >= self.rules.counted]
        best = min(measured_candidates, default=0.0)  # zero: the clock is too coarse to tell
        least = candidate.best if candidate.calls >= self.rules.counted else 0.0
        if seconds >= self.rules.long_call:
            least = min(candidate.best, seconds)
        if least > self.rules.hopeless * best > 0:
            self._remove(candidate.name, f"{least / best:.1f} times as slow as the best")

    def _end_if_decided(self) -> None:
        """Ends the trial, with a winner, if there is no more to find out."""
        if len(self._candidates) == 1:
            self.winner = self._candidates[0].name
        elif self._candidates and all(candidate.calls >= self.rules.least for candidate in self._candidates):
            ranked = sorted(self._candidates, key=lambda candidate: candidate.best)
            is_clear = ranked[1].best > self.rules.clear * ranked[0].best
            if is_clear or all(map(self._is_known, self._candidates)):
                self.winner = self._prefer(ranked[0]).name

    def _is_known(self, candidate: _Candidate) -> bool:
        return candidate.calls >= self.rules.most or candidate.total >= self.rules.seconds

    def _prefer(self, fastest: _Candidate) -> _Candidate:
        """Returns the candidate in use unless the fastest candidate beats it by the margin."""
        first = self._first
        return first if first in self._candidates and first.best <= fastest.best * self.rules.margin else fastest
