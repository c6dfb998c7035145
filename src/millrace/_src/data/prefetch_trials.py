"""Trials: whether a stage that may work ahead does.

Problem: a thread that makes the next elements helps when an element takes long and the work lets go of Python's lock:
decoding, reading, large arrays. For cheap elements, and for work that holds the lock, it costs more than it gives. No
rule distinguishes the two.

Idea: measure. A stage works inline first. If its elements take long, it works ahead for a while, and stays with
whatever took less time for an element, all work of the consumer included. The first elements of a pass take longer than
the later ones, so a stage of quick elements works inline once more before it stays ahead. Threads that have lost in one
pass are not tried at the beginning of the next.
"""

from __future__ import annotations

import math
from time import perf_counter

_SLOW_ELEMENT = 1e-4
"""The seconds that an element takes at least, for threads to be tried."""
_LONG_CALL = 5e-4
"""The seconds after which an inline call should pass on what it has."""
_IDLE = 1.1
"""The time an element takes at least, as a multiple of what this stage is busy, for a consumer to be idle at times."""
_GAIN = 0.95
"""The part of the inline time that an element may take at most, for threads to be kept."""
_LONG_ELEMENT = 1e-3
"""The seconds that an element takes at least, for a thread to be worth its cost whenever the consumer leaves time."""
_LOSS = 1.1
"""The part of the inline time that an element may take at most in such a case: other programs disturb the clock."""
_SHORTEST_WINDOW = 3
_LOOK_SECONDS = 0.05
"""The seconds after which an inline window ends: a consumer that turns slow is noticed soon."""
_FIRST_PAUSE, _MAX_PAUSE = 0.5, 32.0
"""The seconds until threads that have lost are tried again; the pause doubles each time."""


class TrialRecord:
    """What the passes over a dataset have found out: until when threads are not tried again, since they have lost.

    Attributes:
      rests_until: the time at which threads may be tried again.
      pause: the seconds until then, if they lose once more.
    """

    __slots__ = ("pause", "rests_until")

    def __init__(self) -> None:
        self.rests_until, self.pause = -math.inf, _FIRST_PAUSE


class AheadTrial:
    """Decides between working inline and working ahead; the stage reports each call.

    Args:
      most_ahead: how many elements are in the making at a time.
      needs_idle_consumer: whether working ahead gains only what overlaps with the consumer's work.
      is_seen: whether somebody can tell when elements are made, so that only those that take long are made ahead.
      looks_again: whether elements of less than a millisecond are timed inline again before threads are kept.
      record: what earlier passes have found out.

    Attributes:
      is_ahead: whether to work ahead.
      inline_limit: how many elements an inline call should make at most.
      least: the seconds that an element takes at least, for working ahead to be tried.
      inline_time: the seconds that an element has taken inline, when that was last measured.
    """

    __slots__ = (
        "is_ahead",
        "inline_limit",
        "inline_time",
        "_needs_idle_consumer",
        "_most_ahead",
        "_has_missed",
        "_looks_again",
        "_ahead_time",
        "_is_committed",
        "_window",
        "_window_seconds",
        "least",
        "_gain",
        "_record",
        "_began",
        "_window_began",
        "_elements",
        "_busy",
    )

    def __init__(
        self,
        most_ahead: int,
        needs_idle_consumer: bool = False,
        is_seen: bool = False,
        looks_again: bool = False,
        record: TrialRecord | None = None,
    ) -> None:
        self.is_ahead = self._is_committed = self._has_missed = False
        self.inline_limit = 1
        self._needs_idle_consumer = needs_idle_consumer
        self.least = _LONG_ELEMENT if is_seen else _SLOW_ELEMENT
        self._gain = _GAIN
        self._looks_again, self._ahead_time = looks_again, 0.0
        self._most_ahead = most_ahead
        self._window: float = _SHORTEST_WINDOW  # elements, until the next decision
        self._window_seconds = _LOOK_SECONDS
        self._record = TrialRecord() if record is None else record
        seconds = self._record.rests_until - perf_counter() if record is not None else 0.0
        if seconds > 0:
            self._window, self._window_seconds = math.inf, seconds
        self._elements = -1  # what comes before the first element of a window is not counted
        self._busy = self._began = self._window_began = self.inline_time = 0.0

    @property
    def rests(self) -> bool:
        """Whether the stage works inline for a while, after threads have lost."""
        return not self.is_ahead and self._window == math.inf

    def start(self) -> None:
        """Notes that the consumer asks."""
        if not self._is_committed:
            self._began = perf_counter()

    def stop(self, count: int) -> None:
        """Notes that the consumer is given elements, and decides when there have been enough of them."""
        if self._is_committed:
            return
        self.note(count, self._began, perf_counter())

    def note(self, count: int, began: float, now: float) -> None:
        """Notes elements, which the consumer has got, and when the call for the last ones began and ended."""
        if self._is_committed:
            return
        taken = now - began
        if self._elements < 0:
            self._elements = min(self._elements + count, 0)
            self._window_began, self._busy = now, 0.0
        else:
            self._elements += count
            self._busy += taken
        if not self.is_ahead:
            self._set_inline_limit(count, taken)
        if self._elements >= self._window or (
            self._elements >= _SHORTEST_WINDOW and now - self._window_began >= self._window_seconds
        ):
            self._decide((now - self._window_began) / self._elements, self._busy / self._elements)
            self._elements, self._busy, self._window_began = min(self._elements, 0), 0.0, now

    def _set_inline_limit(self, count: int, taken: float) -> None:
        if taken < _LONG_CALL:
            self.inline_limit = min(4 * max(self.inline_limit, 1), 1 << 30)
        elif taken > 4 * _LONG_CALL:
            self.inline_limit = max(count // 2, 1)

    def _decide(self, time: float, busy: float) -> None:
        """Chooses whether to work ahead, given the time an element takes, and how much of that this stage is busy."""
        if self.is_ahead:
            if time <= self._gain * self.inline_time:
                self._prefer_ahead(time)
            elif not self._has_missed:
                self._has_missed = True  # other programs may have had the processors: look once more, the first time
            else:
                self._rest()
        elif self._ahead_time:
            self.inline_time = time
            self.is_ahead = self._is_committed = self._ahead_time <= self._gain * time
            self._ahead_time = 0.0
            if not self.is_ahead:
                self._rest()
        elif busy >= self.least and (not self._needs_idle_consumer or time >= _IDLE * busy):
            self.is_ahead = True
            self.inline_time = time
            self._gain = _LOSS if self._needs_idle_consumer and busy >= _LONG_ELEMENT else _GAIN
            self._window, self._window_seconds = 2 * self._most_ahead + 4, math.inf
            self._elements = -self._most_ahead - 1
        else:
            self._window, self._window_seconds = min(2 * self._window, 1024), _LOOK_SECONDS

    def _prefer_ahead(self, time: float) -> None:
        """Stays ahead, where an element takes less time; or times quick elements inline once more."""
        if not self._looks_again or self.inline_time >= _LONG_ELEMENT:
            self._is_committed = True
            return
        self.is_ahead, self._ahead_time = False, time
        self._window, self._window_seconds = _SHORTEST_WINDOW, _LOOK_SECONDS
        self._elements = -1

    def _rest(self) -> None:
        """Works inline for a while."""
        self.is_ahead = False
        record = self._record
        self._window, self._window_seconds = math.inf, record.pause
        record.rests_until = perf_counter() + record.pause
        record.pause = min(2 * record.pause, _MAX_PAUSE)
