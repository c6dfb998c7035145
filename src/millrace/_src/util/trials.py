"""Choosing the fastest of several ways to do the same thing, by timing the calls that a program makes anyway.

Problem: which way is fastest depends on the machine, the shapes and the load, so it has to be measured; but calls have
effects, so nothing may run twice for a measurement, and a single measurement is worth little.

Idea: the ways take turns with the program's own calls. A turn is a few calls in a row. Its first calls are not counted:
they move data to where the way wants the data, and fill caches. What counts of a way is its shortest call: other
programs can only make a call longer. The first way is the one that is in use; another way must be faster by a margin.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Rules:
    """How thorough a trial is.

    Attributes:
      warm_up: the calls at the beginning of each turn that are not counted.
      counted: the calls of each turn that are counted; two at least, so that one slow call decides nothing.
      least: the counted calls that each way gets at least.
      most: the counted calls after which a way is known well enough, however short the calls are.
      seconds: the time in counted calls after which a way is known well enough.
      margin: how many times as fast as the first way another way must be.
      clear: a way that is so many times as fast as all others has won without further turns.
      hopeless: a way all of whose calls take so many times as long as the best call of another way gets no more turns.
      long_call: the seconds from which one hopeless call is enough: who waits so long need not wait again.
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


class Turn(NamedTuple):
    """One call of a trial.

    Attributes:
      way: the name of the way that the call takes.
      counts: whether the time of the call counts.
    """

    way: Hashable
    counts: bool


@dataclass(slots=True)
class _Way:
    """What is known of one way."""

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
      seconds: the shortest counted call of each way that has been measured, by name.
      dropped: why ways were given up, by name.
    """

    seconds: dict[Hashable, float] = field(default_factory=dict)
    dropped: dict[Hashable, str] = field(default_factory=dict)


class Trial:
    """Chooses among several ways; threads may share a trial.

    Each call asks for a turn and reports its time:

    >>> import itertools
    >>> from millrace._src.util.trials import Trial
    >>> trial = Trial(["slow", "fast"])
    >>> for _ in range(100):
    ...     turn = trial.next_turn()
    ...     trial.note(turn, 2.0 if turn.way == "slow" else 1.0)
    >>> trial.winner
    'fast'

    `run` does both. A call that raises an error is not reported: the error is the caller's, and says nothing of
    the way. Who finds that a way does not work at all tells `drop`.

    Args:
      ways: the names of the ways; the first is the one in use, which wins where no other way is faster by a margin.
      rules: how thorough the trial is.
      clock: returns the time in seconds; only `run` asks the clock.

    Attributes:
      winner: the name of the fastest way once the trial is over; None before.
      outcome: the times, and the reasons of ways that were dropped.
    """

    def __init__(
        self, ways: Sequence[Hashable], rules: Rules | None = None, clock: Callable[[], float] = time.perf_counter
    ) -> None:
        self.rules = rules or Rules()
        self.outcome = Outcome()
        self.winner: Hashable | None = None
        self._clock = clock
        self._lock = threading.Lock()
        self._ways = [_Way(name) for name in ways]
        self._first = self._ways[0]
        self._place = 0  # of the way whose turn it is
        self._end_if_decided()

    @property
    def is_over(self) -> bool:
        """Whether nothing is left to find out: there is a winner, or every way was dropped."""
        return self.winner is not None or not self._ways

    def run(self, ways: Mapping[Any, Callable[..., Result]], *arguments: Any) -> Result:
        """Makes one call by the way whose turn it is, timed; returns the result of the call.

        Args:
          ways: the ways by their names.
          *arguments: what the ways are called with.
        """
        turn = self.next_turn()
        start = self._clock()
        result = ways[turn.way](*arguments)
        self.note(turn, self._clock() - start)
        return result

    def next_turn(self) -> Turn:
        """Returns which way the next call goes; the winner's once the trial is over.

        Raises: LookupError: if every way was dropped.
        """
        with self._lock:
            if self.winner is not None:
                return Turn(self.winner, False)
            if not self._ways:
                raise LookupError(f"Every way was given up: {self.outcome.dropped}")
            way = self._ways[self._place]
            if way.given == self.rules.warm_up + self.rules.counted:
                way.given = 0
                self._place = (self._place + 1) % len(self._ways)
                way = self._ways[self._place]
            way.given += 1
            return Turn(way.name, way.given > self.rules.warm_up)

    def note(self, turn: Turn, seconds: float) -> None:
        """Notes how long the call of a turn took; a call that ends after the trial changes nothing."""
        if not turn.counts and seconds < self.rules.long_call:
            return
        with self._lock:
            way = next((w for w in self._ways if w.name == turn.way), None)
            if way is None or self.winner is not None:
                return
            if turn.counts:
                way.calls += 1
                way.total += seconds
                way.best = self.outcome.seconds[way.name] = min(way.best, seconds)
            self._drop_if_hopeless(way, seconds)
            self._end_if_decided()

    def drop(self, name: Hashable, reason: str) -> None:
        """Gives up a way that does not work; the last way that is left wins."""
        with self._lock:
            self._remove(name, reason)
            self._end_if_decided()

    def _remove(self, name: Hashable, reason: str) -> None:
        removed_place = next((place for place, way in enumerate(self._ways) if way.name == name), len(self._ways))
        self._ways = [way for way in self._ways if way.name != name]
        self._place -= removed_place < self._place
        self._place %= max(len(self._ways), 1)
        self.outcome.dropped[name] = reason
        if self.winner == name:
            self.winner = None

    def _drop_if_hopeless(self, way: _Way, seconds: float) -> None:
        """Gives a way up whose calls take too long; `seconds` are the last call's."""
        measured_ways = [other.best for other in self._ways if other.calls >= self.rules.counted]
        best = min(measured_ways, default=0.0)  # zero: the clock is too coarse to tell
        least = way.best if way.calls >= self.rules.counted else 0.0
        if seconds >= self.rules.long_call:
            least = min(way.best, seconds)
        if least > self.rules.hopeless * best > 0:
            self._remove(way.name, f"{least / best:.1f} times as slow as the best")

    def _end_if_decided(self) -> None:
        """Ends the trial, with a winner, if there is no more to find out."""
        if len(self._ways) == 1:
            self.winner = self._ways[0].name
        elif self._ways and all(way.calls >= self.rules.least for way in self._ways):
            ranked = sorted(self._ways, key=lambda way: way.best)
            is_clear = ranked[1].best > self.rules.clear * ranked[0].best
            if is_clear or all(map(self._is_known, self._ways)):
                self.winner = self._preferred(ranked[0]).name

    def _is_known(self, way: _Way) -> bool:
        return way.calls >= self.rules.most or way.total >= self.rules.seconds

    def _preferred(self, fastest: _Way) -> _Way:
        """Returns the way in use unless the fastest way beats it by the margin."""
        first = self._first
        return first if first in self._ways and first.best <= fastest.best * self.rules.margin else fastest
