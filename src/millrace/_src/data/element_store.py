"""A store of elements in slots, in columns: what a stage keeps that hands its elements out in another order."""

from __future__ import annotations

from typing import Any

import numpy as np

from millrace._src.core.aligned_memory import take
from millrace._src.data.blocks import Block, Column, rows_of_column


class ElementStore:
    """Elements in slots: columns that grow, whose free slots are used again."""

    __slots__ = ("_columns", "_free", "_size")

    def __init__(self) -> None:
        self._columns: list[Column] = []
        self._free: list[int] = []
        self._size = 0

    def add(self, block: Block) -> list[int]:
        """Copies the elements of a block; returns their slots."""
        if not self._size:
            self._columns = [[] if type(c) is list else np.empty((0, *c.shape[1:]), c.dtype) for c in block.columns]
        if block.count > len(self._free):
            self._grow(max(block.count - len(self._free), self._size))
        slots = self._free[-block.count :]
        del self._free[-block.count :]
        for index, column in enumerate(block.columns):
            self._put(index, slots, column)
        return slots

    def _put(self, index: int, slots: list[int], column: Column) -> None:
        held = self._columns[index]
        if type(held) is not list and (type(column) is list or column.shape[1:] != held.shape[1:]):
            held = self._columns[index] = rows_of_column(held)
        if type(held) is not list:
            held[slots] = column
            return
        for slot, array in zip(slots, rows_of_column(column), strict=True):
            held[slot] = array

    def _grow(self, count: int) -> None:
        """Adds slots."""
        for index, column in enumerate(self._columns):
            if type(column) is list:
                column += [None] * count
            else:
                self._columns[index] = grown = np.empty((self._size + count, *column.shape[1:]), column.dtype)
                grown[: self._size] = column
        self._free += range(self._size + count - 1, self._size - 1, -1)
        self._size += count

    def remove(self, slots: list[int]) -> Block:
        """Takes the elements in slots out."""
        block = self._at(slots)
        self._free += slots
        for column in self._columns:
            if type(column) is list:
                for slot in slots:
                    column[slot] = None
        return block

    def _at(self, slots: list[int]) -> Block:
        indices = np.array(slots)
        columns = [[c[p] for p in slots] if type(c) is list else take(c, indices) for c in self._columns]
        return Block(columns, len(slots))

    def save(self, slots: list[int]) -> Any:
        """Returns the elements in slots as a state; None if there are none."""
        return self._at(slots).save() if slots else None
