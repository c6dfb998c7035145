"""Small draws of one stream, made some calls ahead.

Problem: ten normal numbers take a hundred calls of NumPy on three blocks; thirty times as many numbers take as long.

Idea: an op that draws in a loop moves its stream on by the same number of blocks each time. Once a stream has been seen
to move on like this, the numbers of the next calls are drawn together, and later calls take a row of them. A row is a
pure function of its position in its stream. So no call can get other numbers than it would draw by itself, wherever
the stream was moved, saved, or started over in between, and whatever thread it is in: the threads of a parallel map
take rows of the same series.
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
"""The most calls whose numbers are drawn together, and the most numbers of all of them."""
_CALLS_BEFORE = 2
"""How many calls at equal distances show that there will be more."""
_MAX_LEAD = 16
"""How many calls a thread may be ahead of another one."""
_MAX_SERIES = 64


def calls_ahead(size: int) -> int:
    """Returns how many calls' numbers are drawn together, if a call draws `size` numbers."""
    return min(_MAX_NUMBERS // size, _MAX_CALLS)


class _Series:
    """The calls of one kind on one stream.

    Threads share a series without a lock. What they may confuse is only when rows are drawn: the rows and their
    position are one tuple.

    Attributes:
      last: the position of the furthest call.
      regular: how many calls in a row came at the same distance, or nearly so.
      rows: the position of the first row and the numbers of some calls; None before.
    """

    __slots__ = ("last", "regular", "rows")

    def __init__(self, position: int) -> None:
        self.last, self.regular = position, 0
        self.rows: tuple[int, Array] | None = None

    def numbers(self, position: int, distance: int, draw_rows: Callable[[], Array]) -> Array | None:
        """Returns the numbers of the call at a position; None if they are not drawn ahead."""
        found = self.rows
        if found is not None:
            row, off = divmod(position - found[0], distance)
            if not off and 0 <= row < len(found[1]):
                self.last = position
                return found[1][row].copy()
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
        return rows[0].copy()


_all_series: OrderedDict[Hashable, _Series] = OrderedDict()
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
        _all_series[key] = _Series(position)
        if len(_all_series) > _MAX_SERIES:
            _all_series.popitem(last=False)
    return None
