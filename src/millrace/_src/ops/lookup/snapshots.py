"""Rows of many keys at once: what a table looks like to a large lookup.

A dict finds a key in 50 to 200 ns, most of it waiting for memory and making Python objects. A *snapshot* of a table
that has not changed since is a few NumPy arrays in which many keys are found together: integers that lie close together
are positions in an array; others, and texts, go to slots by their hash, and those that meet another key there go one
slot further, all in the same step. A text becomes a number by its bytes, filled up with zeros; texts of one number are
compared as a whole.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np

from millrace._src.core.array_namespace import Array

ABSENT = -1
"""The row of a key that is not in the table."""
_SPREAD = 4
"""How many times the number of keys the range of integers may be that are positions."""
_MAX_TEXT_LENGTH = 127
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
"""2**64 divided by the golden ratio: the factor of Fibonacci hashing (Knuth, The Art of Computer Programming, 6.4)."""


class Snapshot(ABC):
    """The keys of a table at one time, with their rows."""

    @abstractmethod
    def find(self, keys: Array) -> Array:
        """Returns the row of each key of a vector, `ABSENT` for keys that are not there."""


class Positions(Snapshot):
    """Integers that lie close together: the rows stand in an array at indices that are the integers less the least.

    Args:
      keys: the integers, a vector of int64.
      rows: their rows.
    """

    def __init__(self, keys: Array, rows: Array) -> None:
        self._least = keys.min()
        self._span = np.uint64(int(keys.max()) - int(self._least) + 1)
        self._rows = np.full(int(self._span) + 1, ABSENT)  # the last element is that of all other integers
        self._rows[keys - self._least] = rows

    def find(self, keys: Array) -> Array:
        """Returns the row of each key."""
        offsets = (keys.astype(np.int64, copy=False) - self._least).view(np.uint64)
        found: Array = self._rows.take(np.minimum(offsets, self._span).view(np.int64))
        return found


class Slots(Snapshot):
    """Integers anywhere: slots by hash, at least twice as many as integers.

    Args:
      keys: the integers, a vector of int64, each once.
      rows: their rows.
    """

    def __init__(self, keys: Array, rows: Array) -> None:
        bits = max(int(2 * len(keys) - 1).bit_length(), 4)
        self._shift = np.uint64(64 - bits)
        self._last = (1 << bits) - 1
        self._keys = np.zeros(1 << bits, np.int64)
        self._rows = np.full(1 << bits, ABSENT)
        self._fill(keys, rows)

    def _home_slots(self, keys: Array) -> Array:
        slots: Array = (keys.view(np.uint64) * _GOLDEN >> self._shift).view(np.int64)
        return slots

    def _fill(self, keys: Array, rows: Array) -> None:
        """Gives each key the first free slot from its own on; of keys that ask together one gets the slot."""
        waiting, slots = np.arange(len(keys)), self._home_slots(keys)
        while len(waiting):
            is_free = self._rows[slots] == ABSENT
            self._rows[slots[is_free]] = rows[waiting[is_free]]
            is_settled = self._rows[slots] == rows[waiting]
            settled = waiting[is_settled]
            self._keys[slots[is_settled]] = keys[settled]
            waiting, slots = waiting[~is_settled], (slots[~is_settled] + 1) & self._last

    def find(self, keys: Array) -> Array:
        """Returns the row of each key."""
        keys = keys.astype(np.int64, copy=False)
        slots = self._home_slots(keys)
        found = self._rows.take(slots)
        is_other = (self._keys.take(slots) != keys) & (found != ABSENT)
        waiting = np.flatnonzero(is_other)
        slots = slots[waiting]
        while len(waiting):
            slots = (slots + 1) & self._last
            rows = self._rows.take(slots)
            is_other = (self._keys.take(slots) != keys[waiting]) & (rows != ABSENT)
            found[waiting] = rows
            waiting, slots = waiting[is_other], slots[is_other]
        return found


class Texts(Snapshot):
    """Texts of up to 127 bytes.

    Args:
      keys: the texts, a vector of bytes objects, each once.
      rows: their rows.
      width: one more than the length of the longest text, or more.
      find_one: the row of one text, for texts that only begin alike.
    """

    def __init__(self, keys: Array, rows: Array, width: int, find_one: Callable[[Any], int]) -> None:
        self._width = -(-width // 8) * 8
        self._find_one = find_one
        self._keys = np.empty(int(rows.max()) + 1, object)
        self._keys[rows] = keys
        numbers = self._numbers(keys)
        _, first = np.unique(numbers, return_index=True)  # of texts with one number, one; others take the slow path
        self._slots = Slots(numbers[first], rows[first])

    def _numbers(self, texts: Array) -> Array:
        """Returns a number for each text: equal texts have equal ones."""
        words = texts.astype(f"S{self._width}").view(np.uint64).reshape(len(texts), -1)
        numbers = words[:, 0]
        for column in range(1, words.shape[1]):
            numbers = numbers * _GOLDEN ^ words[:, column]
        return np.ascontiguousarray(numbers).view(np.int64)

    def find(self, keys: Array) -> Array:
        """Returns the row of each key."""
        found = self._slots.find(self._numbers(keys))
        candidates = self._keys.take(np.maximum(found, 0))
        is_wrong = np.asarray(candidates != keys) & (found != ABSENT)
        for i in np.flatnonzero(is_wrong).tolist():
            found[i] = self._find_one(keys[i])
        return found


def snapshot_of(keys: Array, rows: Array, find_one: Callable[[Any], int]) -> Snapshot | None:
    """Returns the snapshot of a table; None if its keys are too long.

    Args:
      keys: the keys, a vector of integers or bytes objects that is not empty.
      rows: the row of each key.
      find_one: a function that returns the row of one key.
    """
    if keys.dtype == object:
        longest = max(map(len, keys.tolist()))
        return Texts(keys, rows, longest + 1, find_one) if longest <= _MAX_TEXT_LENGTH else None
    keys = keys.astype(np.int64)
    if int(keys.max()) - int(keys.min()) < _SPREAD * len(keys):
        return Positions(keys, rows)
    return Slots(keys, rows)
