"""What all cursors share: errors that wait, collecting, passes by position."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.core import errors
from millrace._src.data.blocks import Block
from millrace._src.data.cursors import (
    Cursor,
    DeferredError,
    PositionCursor,
    collect,
    restore_error,
    save_error,
)


class Scripted(Cursor):
    """Gives the blocks and raises the errors of a list, in turn."""

    def __init__(self, *script: Any) -> None:
        self.script, self.limits = list(script), list[int]()

    def next_block(self, limit: int) -> Block | None:
        self.limits.append(limit)
        if not self.script:
            return None
        result = self.script.pop(0)
        if isinstance(result, Exception):
            raise result
        return Block([np.zeros(result)], result)

    def save(self) -> Any:
        return len(self.script)

    def restore(self, state: Any) -> None:
        del self.script[: len(self.script) - state]

    def close(self) -> None:
        self.script.clear()


def damaged(message: str = "damaged") -> Exception:
    return errors.DataLossError(None, None, message)


def test_collecting_asks_for_what_is_missing_and_stops_at_the_end() -> None:
    cursor = Scripted(2, 1)
    assert [block.count for block in collect(cursor, 5, DeferredError())] == [2, 1]
    assert cursor.limits == [5, 3, 2]
    assert collect(cursor, 5, DeferredError()) == []


def test_an_error_behind_elements_waits_and_is_raised_once() -> None:
    cursor, error = Scripted(2, damaged(), 1), DeferredError()
    assert [block.count for block in collect(cursor, 5, error)] == [2]
    assert error.waits
    with pytest.raises(tf.errors.DataLossError, match="damaged"):
        error.check()
    error.check()
    assert [block.count for block in collect(cursor, 5, error)] == [1]


def test_an_error_before_all_elements_is_raised_at_once() -> None:
    error = DeferredError()
    with pytest.raises(tf.errors.DataLossError):
        collect(Scripted(damaged(), 1), 5, error)
    assert not error.waits


def test_errors_are_saved_with_class_and_message() -> None:
    waiting, restored = DeferredError(), DeferredError()
    waiting.put(damaged("cut off"))
    restored.restore(waiting.save())
    with pytest.raises(tf.errors.DataLossError, match="cut off"):
        restored.check()
    restored.restore(DeferredError().save())
    assert not restored.waits
    assert isinstance(restore_error(save_error(KeyError("a"))), tf.errors.UnknownError)


def test_a_skip_counts_the_elements_that_there_were() -> None:
    assert Scripted(1, 1).skip(5) == 2


class Squares:
    """A node whose elements can be had by position; one of them fails."""

    def __init__(self, size: int, bad: int = -1) -> None:
        self.size, self.bad = size, bad

    def cardinality(self) -> int:
        return self.size

    def slice(self, start: int, stop: int) -> Block:
        if start <= self.bad < stop:
            raise damaged()
        return Block([np.arange(start, stop) ** 2], stop - start)


def test_a_pass_by_position_is_a_number() -> None:
    cursor = PositionCursor(Squares(5))
    assert cursor.next_block(2).columns[0].tolist() == [0, 1]  # type: ignore[union-attr]  # there are five elements
    again = PositionCursor(Squares(5))
    again.restore(cursor.save())
    assert cursor.save() == 2 and again.skip(2) == 2
    assert again.next_block(9).columns[0].tolist() == [16]  # type: ignore[union-attr]  # one is left
    assert again.next_block(9) is None and again.next_block(9) is None and again.skip(1) == 0


def test_a_pass_by_position_goes_on_behind_an_element_that_fails() -> None:
    cursor, seen = PositionCursor(Squares(5, bad=1)), list[Any]()
    for _ in range(6):
        try:
            block = cursor.next_block(4)
            seen.append(None if block is None else block.columns[0].tolist())
        except tf.errors.DataLossError:
            seen.append("error")
    assert seen == [[0], "error", [4, 9, 16], None, None, None]


def test_a_dataset_without_end_has_positions() -> None:
    cursor = PositionCursor(Squares(-1))
    assert cursor.skip(10**6) == 10**6
    assert cursor.next_block(1).columns[0].tolist() == [10**12]  # type: ignore[union-attr]  # there is no end
