"""Small draws of one stream, made some calls ahead.

Problem: ten normal numbers take a hundred calls of NumPy on three blocks; thirty times as many numbers take as long.

Idea: an op that draws in a loop moves its stream on by the same number of blocks each time. Once a stream has been seen
to move on like this, the numbers of the next calls are drawn together, and later calls take a row of them. A row is a
pure function of its position in its stream. So no call can get other numbers than it would draw by itself, wherever
the stream was moved, saved, or started over in between, and whatever thread it is in: the threads of a parallel map
take rows of the same series. The call sites of stateful ops have series of their own: `repeated_draws`.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable

from millrace._src.core.array_namespace import Array
from millrace._src.ops.random.philox import Stream

MAX = 1024
"""The most numbers of a draw that is made ahead."""
_MAX_CALLS, _MAX_NUMBERS = 32, 8 * MAX
"""The most calls whose numbers are drawn together at first, and the most numbers of all of them."""
_CALLS_BEFORE = 2
"""How many calls at equal distances show that there will be more."""
_MAX_LEAD = 16
"""How many calls a thread may be ahead of another one."""
_MAX_SERIES = 64


def calls_ahead(size: int, most: int = _MAX_CALLS) -> int:
    """Returns how many calls' numbers, at most `most`, are drawn together, if a call draws `size` numbers."""
    return min(_MAX_NUMBERS // size, most)


class Series:
    """The calls of one kind on one stream.

    Threads share a series without a lock. What they may confuse is only when rows are drawn: the rows and their
    position are one tuple.

    Args:
      position: the position of the first call.

    Attributes:
      last: the position of the furthest call.
      regular: how many calls in a row came at the same distance, or nearly so.
      rows: the position of the first row and the numbers of some calls; None before.
    """

    __slots__ = ("last", "regular", "rows")

    def __init__(self, position: int) -> None:
        self.last, self.regular = position, 0
        self.rows: tuple[int, Array] | None = None

    def find(self, position: int, distance: int) -> Array | None:
        """Returns the numbers of the call at a position if they are drawn ahead, else None."""
        found = self.rows
        if found is None:
            return None
        row, off = divmod(position - found[0], distance)
        if off or not 0 <= row < len(found[1]):
            return None
        self.last = position
        return found[1][row, ...].copy()

    def numbers(self, position: int, distance: int, draw_rows: Callable[[], Array]) -> Array | None:
        """Returns the numbers of the call at a position; None if they are not drawn ahead, nor to be."""
        numbers = self.find(position, distance)
        if numbers is not None:
            return numbers
        calls, off = divmod(position - self.last, distance)
        if off or abs(calls) > _MAX_LEAD:
            self.regular, self.last = 0, position
            return None
        self.regular += calls > 0  # calls of other threads may come first
        self.last = max(position, self.last)
        if self.regular < _CALLS_BEFORE or calls <= 0:
            return None
        rows = draw_rows()
        self.rows = position, rows
        return rows[0, ...].copy()


_all_series: OrderedDict[Hashable, Series] = OrderedDict()
_lock = threading.Lock()


def take_prefetched(stream: Stream, kind: Hashable, distance: int, draw_rows: Callable[[], Array]) -> Array | None:
    """Returns the numbers of a call if they are drawn ahead, else None.

    Args:
      stream: where the call draws.
      kind: all that the numbers depend on, but for the stream.
      distance: by how many blocks such a call moves its stream on.
      draw_rows: draws the numbers of some calls, from the position of this call on: a row for each.
    """
    key, position = (kind, stream.key.item(), stream.high.item()), stream.low.item()
    series = _all_series.get(key)
    if series is not None:
        return series.numbers(position, distance, draw_rows)
    with _lock:
        _all_series[key] = Series(position)
        if len(_all_series) > _MAX_SERIES:
            _all_series.popitem(last=False)
    return None
