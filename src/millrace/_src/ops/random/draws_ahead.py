"""Small draws of one stream, made some calls ahead.

Problem: ten normal numbers take a hundred calls of NumPy on three blocks; thirty times as many numbers take as long.

Idea: an op that draws in a loop moves its stream on by the same number of blocks each time. Once a thread has seen a
stream move on like this, it draws the numbers of the next calls together, and later calls take a row of them. A row is
a pure function of its position in its stream. So no call can get other numbers than it would draw by itself, wherever
the stream was moved, saved, or started over in between.
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
_MAX_SERIES = 32


def calls_ahead(size: int) -> int:
    """Returns how many calls' numbers are drawn together, if a call draws `size` numbers."""
    return min(_MAX_NUMBERS // size, _MAX_CALLS)


class _Series:
    """The calls of one kind on one stream.

    Attributes:
      last: the position of the last call.
      regular: how many calls in a row came at the same distance.
      first: the position of the first row.
      rows: the numbers of some calls, or None.
    """

    __slots__ = ("first", "last", "regular", "rows")

    def __init__(self, position: int) -> None:
        self.last, self.regular, self.first = position, 0, 0
        self.rows: Array | None = None

    def numbers(self, position: int, distance: int, draw_rows: Callable[[], Array]) -> Array | None:
        """Returns the numbers of the call at a position; None if they are not drawn ahead."""
        self.regular = self.regular + 1 if position == self.last + distance else 0
        self.last = position
        row, off = divmod(position - self.first, distance)
        if self.rows is None or off or not 0 <= row < len(self.rows):
            if self.regular < _CALLS_BEFORE:
                return None
            self.rows, self.first, row = draw_rows(), position, 0
        return self.rows[row].copy()


class _ThreadSeries(threading.local):
    def __init__(self) -> None:
        self.series: OrderedDict[Hashable, _Series] = OrderedDict()


_thread_series = _ThreadSeries()


def take_prefetched(stream: Stream, kind: Hashable, distance: int, draw_rows: Callable[[], Array]) -> Array | None:
    """Returns the numbers of a call if they are drawn ahead, else None.

    Args:
      stream: where the call draws.
      kind: all that the numbers depend on, but for the stream.
      distance: by how many blocks such a call moves its stream on.
      draw_rows: draws the numbers of some calls, from the position of this call on: a row for each.
    """
    all_series, key = _thread_series.series, (kind, int(stream.key[0]), int(stream.high[0]))
    position = int(stream.low[0])
    series = all_series.get(key)
    if series is None:
        all_series[key] = _Series(position)
        if len(all_series) > _MAX_SERIES:
            all_series.popitem(last=False)
        return None
    return series.numbers(position, distance, draw_rows)
