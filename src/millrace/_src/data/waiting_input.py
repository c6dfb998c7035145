"""Inputs of datasets that are made of several datasets: elements that were taken and are not used yet.

Such a dataset asks each input for as many elements as a block needs. Where another input ends or fails before, the rest
waits.
"""

from __future__ import annotations

from millrace._src.data.blocks import Block, join_blocks
from millrace._src.data.cursors import Cursor, State, restore_error, save_error


class WaitingInput:
    """One input of several: elements that wait, and an error or the end behind them.

    Args:
      cursor: a pass over the input.
    """

    __slots__ = ("_cursor", "_error", "_has_ended", "_waiting")

    def __init__(self, cursor: Cursor) -> None:
        self._cursor = cursor
        self._waiting: Block | None = None
        self._error: Exception | None = None
        self._has_ended = False

    def fill(self, wanted: int) -> int:
        """Lets elements wait, `wanted` in all unless an error or the end comes first; returns how many wait."""
        blocks = [] if self._waiting is None else [self._waiting]
        count = sum(block.count for block in blocks)
        while count < wanted and self._error is None and not self._has_ended:
            try:
                block = self._cursor.next_block(wanted - count)
            except Exception as error:
                self._error = error
                break
            if block is None:
                self._has_ended = True
            else:
                blocks.append(block)
                count += block.count
        self._waiting = join_blocks(blocks) if blocks else None
        return min(count, wanted)

    def take(self, count: int) -> Block:
        """Returns elements that wait."""
        waiting = self._waiting
        assert waiting is not None
        self._waiting = waiting.part(count, waiting.count) if count < waiting.count else None
        return waiting.part(0, count)

    def pass_one(self) -> Exception | bool:
        """Passes over one element; returns the error that takes its index, or whether the input has ended."""
        if self.fill(1):
            self.take(1)
            return False
        if self._error is None:
            return True
        error, self._error = self._error, None
        return error

    def save(self) -> State:
        """Returns the state of the cursor, and what was taken from it."""
        waiting = None if self._waiting is None else self._waiting.save()
        error = None if self._error is None else save_error(self._error)
        return self._cursor.save(), waiting, error, self._has_ended

    def restore(self, state: State) -> None:
        """Goes on from a state."""
        cursor, waiting, error, self._has_ended = state
        self._cursor.restore(cursor)
        self._waiting = None if waiting is None else Block.from_state(waiting)
        self._error = None if error is None else restore_error(error)

    def close(self) -> None:
        """Closes the cursor."""
        self._cursor.close()
