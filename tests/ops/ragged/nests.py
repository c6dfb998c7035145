"""Random nested lists, and the plain-list forms of what ragged tensors do."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st


@dataclass(frozen=True)
class Nest:
    """A nested list with lists of any lengths.

    Args:
        rows: the nested list.
        depth: how deep lists are nested.
    """

    rows: list[Any]
    depth: int

    @property
    def levels(self) -> list[list[Any]]:
        """The items of all lists of each level, end to end."""
        levels = [self.rows]
        for _ in range(self.depth - 1):
            levels.append(list(itertools.chain.from_iterable(levels[-1])))
        return levels

    @property
    def flat(self) -> Any:
        """The scalars, as an array."""
        return np.array(self.levels[-1], np.int32)

    @property
    def nested_splits(self) -> list[Any]:
        """The row splits of all levels but the first."""
        return [np.int64([0, *itertools.accumulate(map(len, level))]) for level in self.levels[:-1]]

    def bounding_shape(self) -> tuple[int, ...]:
        """The shape of the smallest dense tensor around the nest."""
        sizes = (max(map(len, level), default=0) for level in self.levels[:-1])
        return (len(self.rows), *sizes)

    def padded(self, default: int, shape: Sequence[int] | None = None) -> list[Any]:
        """The nest as lists of equal lengths."""
        return _padded(self.rows, shape or self.bounding_shape(), default)

    def item(self, key: tuple[Any, ...]) -> Any:
        """What `ragged[key]` means for ints and slices; an int may only stand before the first slice."""
        return _item(self.rows, key)


def _padded(rows: Any, shape: Sequence[int], default: int) -> Any:
    if len(shape) == 1:
        return [*rows[: shape[0]], *[default] * (shape[0] - len(rows))]
    items = [_padded(row, shape[1:], default) for row in rows[: shape[0]]]
    return items + [_padded([], shape[1:], default) for _ in range(shape[0] - len(rows))]


def _item(rows: Any, key: tuple[Any, ...]) -> Any:
    if not key:
        return rows
    if isinstance(key[0], int):
        return _item(rows[key[0]], key[1:])
    return [_item(row, key[1:]) for row in rows[key[0]]]


@st.composite
def nests(draw: st.DrawFn, min_depth: int = 2, max_depth: int = 4, min_rows: int = 0) -> Nest:
    """Nested lists of distinct integers, two to four deep."""
    depth = draw(st.integers(min_depth, max_depth))
    numbers = itertools.count(1)

    def rows(level: int) -> list[Any]:
        size = draw(st.integers(min_rows if level == depth else 0, 4))
        return [next(numbers) if level == 1 else rows(level - 1) for _ in range(size)]

    return Nest(rows(depth), depth)


@st.composite
def slices(draw: st.DrawFn) -> slice:
    """Slices with bounds in and out of range, forwards and backwards."""
    bounds = st.none() | st.integers(-6, 6)
    return slice(draw(bounds), draw(bounds), draw(st.none() | st.integers(-3, 3).filter(bool)))
