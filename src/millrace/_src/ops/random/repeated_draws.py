"""Draws of one call site, again and again with the same inputs.

Problem: a function that a pipeline maps draws a few single numbers for each element. To read the requested shape, to
make a stream and to find numbers that are drawn ahead takes 7 us for each of them.

Idea: the call site keeps the numbers of the next calls itself (`draws_ahead.Series`). A call compares the bytes of its
inputs with those of the last call, moves the stream on, and takes the row of its position.
"""

from __future__ import annotations

from collections.abc import Callable

from millrace._src.core.array_namespace import Array
from millrace._src.ops.random.draws_ahead import MAX, Series, calls_ahead
from millrace._src.ops.random.philox import Stream
from millrace._src.ops.random.seeds import KernelStream, stream_at

_FIRST_CALLS, _MAX_CALLS = 32, 256
"""How many calls are drawn together at first, and at most: as many as may follow after as many calls as there were."""


class _LastCall:
    """What the next call of a call site is compared with, and the series of calls with these inputs.

    Attributes:
      inputs: the bytes and the rank of each input.
      begin: the beginning of the stream.
      blocks: by how many blocks the call moved the stream on.
      size: how many numbers the call drew.
      most_ahead: how many calls are drawn together next: 256 single numbers take as long as 32.
      series: the calls.
    """

    __slots__ = ("begin", "blocks", "inputs", "most_ahead", "series", "size")

    def __init__(self, inputs: list[tuple[bytes, int]], begin: Stream, position: int, blocks: int, size: int) -> None:
        self.inputs, self.begin, self.blocks, self.size = inputs, begin, blocks, size
        self.most_ahead = _FIRST_CALLS
        self.series = Series(position)


class RepeatedDraw:
    """A kernel that draws from the stream of one call site; several threads may call it.

    Args:
      stream: the stream.
      draw: `draw(take, *inputs)` draws the numbers of a call; `take(blocks)` gives the stream, and moves it on.
      draw_rows: `draw_rows(stream, calls, *inputs)` draws the numbers of consecutive calls, a row for each.
    """

    __slots__ = ("_draw", "_draw_rows", "_last", "_stream")

    def __init__(self, stream: KernelStream, draw: Callable[..., Array], draw_rows: Callable[..., Array]) -> None:
        self._stream, self._draw, self._draw_rows = stream, draw, draw_rows
        self._last: _LastCall | None = None

    def __call__(self, *inputs: Array) -> Array:
        """Draws the numbers of a call."""
        last = self._last
        given = [(array.tobytes(), array.ndim) for array in inputs]
        if last is None or last.inputs != given:
            return self._draw_others(given, inputs)
        begin, position = self._stream.advance(last.blocks)
        if begin is not last.begin:  # the stream has started over
            self._last = last = _LastCall(given, begin, position, last.blocks, last.size)
        numbers = last.series.find(position, last.blocks)
        return self._draw_next(last, position, inputs) if numbers is None else numbers

    def _draw_next(self, last: _LastCall, position: int, inputs: tuple[Array, ...]) -> Array:
        """Draws the numbers of a call that are not drawn ahead, and perhaps those of the calls after it."""

        def draw_rows() -> Array:
            calls = calls_ahead(last.size, last.most_ahead)
            last.most_ahead = min(2 * last.most_ahead, _MAX_CALLS)
            return self._draw_rows(stream_at(last.begin, position), calls, *inputs)

        numbers = last.series.numbers(position, last.blocks, draw_rows)
        return self._draw(lambda blocks: stream_at(last.begin, position), *inputs) if numbers is None else numbers

    def _draw_others(self, given: list[tuple[bytes, int]], inputs: tuple[Array, ...]) -> Array:
        """Draws the numbers of a call whose inputs are not those of the last call."""
        taken: list[tuple[Stream, int, int]] = []

        def take(blocks: int) -> Stream:
            begin, position = self._stream.advance(blocks)
            taken.append((begin, position, blocks))
            return stream_at(begin, position)

        numbers = self._draw(take, *inputs)
        size = numbers.size
        self._last = _LastCall(given, *taken[0], size) if 0 < size <= MAX else None
        return numbers
