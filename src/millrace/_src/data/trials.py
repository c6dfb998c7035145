"""Trials: whether a stage that may work ahead does.

Problem: a thread that makes the next elements helps when an element takes long and the work lets go of Python's lock:
decoding, reading, large arrays. For cheap elements, and for work that holds the lock, it costs more than it gives. No
rule tells the two apart.

Idea: measure. A stage works inline first. If its elements take long, it works ahead for a while, and stays with
whatever took less time for an element, all work of the consumer included.
"""

from __future__ import annotations

from time import perf_counter

_SLOW_ELEMENT = 1e-4
"""The seconds that an element takes at least, for threads to be tried."""
_LONG_CALL = 5e-4
"""The seconds after which an inline call should hand on what it has."""
_IDLE = 1.1
"""The time an element takes at least, as a multiple of what this stage is busy, for a consumer to be idle at times."""
_GAIN = 0.95
"""The part of the inline time that an element may take at most, for threads to be kept."""


class Trial:
    """Decides between working inline and working ahead; the stage reports each call.

    Args:
      most_ahead: how many elements are in the making at a time.
      needs_idle_consumer: whether working ahead gains only what overlaps with the consumer's work.

    Attributes:
      is_ahead: whether to work ahead.
      inline_limit: how many elements an inline call should make at most.
      inline_time: the seconds that an element has taken inline, when that was last measured.
    """

    __slots__ = (
        "is_ahead",
        "inline_limit",
        "inline_time",
        "_needs_idle_consumer",
        "_most_ahead",
        "_has_missed",
        "_is_settled",
        "_window",
        "_began",
        "_window_began",
        "_elements",
        "_busy",
    )

    def __init__(self, most_ahead: int, needs_idle_consumer: bool = False) -> None:
        self.is_ahead = self._is_settled = self._has_missed = False
        self.inline_limit = 1
        self._needs_idle_consumer = needs_idle_consumer
        self._most_ahead = most_ahead
        self._window = 3  # elements, until the next decision
        self._elements = -1  # what comes before the first element of a window is not counted
        self._busy = self._began = self._window_began = self.inline_time = 0.0

    def start(self) -> None:
        """Notes that the consumer asks."""
        if not self._is_settled:
            self._began = perf_counter()

    def stop(self, count: int) -> None:
        """Notes that the consumer is given elements, and decides when there have been enough of them."""
        if self._is_settled:
            return
        now = perf_counter()
        taken = now - self._began
        if self._elements < 0:
            self._elements = min(self._elements + count, 0)
            self._window_began, self._busy = now, 0.0
        else:
            self._elements += count
            self._busy += taken
        if not self.is_ahead:
            self._set_inline_limit(count, taken)
        if self._elements >= self._window:
            self._decide((now - self._window_began) / self._elements, self._busy / self._elements)
            self._elements, self._busy, self._window_began = min(self._elements, 0), 0.0, now

    def _set_inline_limit(self, count: int, taken: float) -> None:
        if taken < _LONG_CALL:
            self.inline_limit = min(4 * max(self.inline_limit, 1), 1 << 30)
        elif taken > 4 * _LONG_CALL:
            self.inline_limit = max(count // 2, 1)

    def _decide(self, time: float, busy: float) -> None:
        """Sets the way to work, given the time an element takes, and how much of that this stage is busy."""
        if self.is_ahead:
            if time <= _GAIN * self.inline_time:
                self._is_settled = True
            elif not self._has_missed:
                self._has_missed = True  # other programs may have had the processors: look once more, the first time
            else:
                self.is_ahead = False
                self._window = 16 * self._most_ahead + 64
        elif busy >= _SLOW_ELEMENT and (not self._needs_idle_consumer or time >= _IDLE * busy):
            self.is_ahead = True
            self.inline_time = time
            self._window = 2 * self._most_ahead + 4
            self._elements = -self._most_ahead - 1
        else:
            self._window = min(2 * self._window, 1024)
