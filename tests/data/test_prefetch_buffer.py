"""Tests for buffers of elements that are made ahead."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from millrace._src.data.blocks import Block
from millrace._src.data.cursors import Cursor, State
from millrace._src.data.prefetch_buffer import AheadCursor
from tests.data.parallel import stable_count


class GatedCursor(Cursor):
    """Counts, once its gate is open."""

    def __init__(self) -> None:
        self.gate, self.begun = threading.Event(), threading.Event()
        self.count = 0

    def next_block(self, limit: int) -> Block | None:
        self.begun.set()
        assert self.gate.wait(10.0)
        self.count += 1
        return Block.of_row([np.array(self.count)])

    def save(self) -> State:
        return self.count

    def restore(self, state: State) -> None:
        self.count = state

    def close(self) -> None:
        pass


@pytest.mark.parametrize("room", [1, 3])
def test_a_buffer_that_is_saved_while_it_is_filled_is_filled_once(room: int) -> None:
    source = GatedCursor()
    buffer = AheadCursor(source)
    assert buffer.fill_once(room)
    assert source.begun.wait(10.0)
    threading.Timer(0.05, source.gate.set).start()
    items, has_ended, count = buffer.save()
    assert (len(items), has_ended, count) == (1, False, 1)
    assert stable_count(lambda: source.count) == room
    for _ in range(room):
        buffer.next_block(1)
    assert stable_count(lambda: source.count) == room and buffer.is_idle


class ExitingCursor(GatedCursor):
    """Counts, but asks for an exit instead of one number."""

    def next_block(self, limit: int) -> Block | None:
        self.count += 1
        if self.count == 2:
            raise SystemExit("asked for")
        return Block.of_row([np.array(self.count)])


def test_an_exit_that_a_function_asks_for_comes_once_and_at_its_element() -> None:
    buffer = AheadCursor(ExitingCursor(), room=2)
    found = []
    for _ in range(4):
        try:
            block = buffer.next_block(1)
        except SystemExit as error:
            found.append(error.code)
        else:
            found.append(None if block is None else int(block.columns[0][0]))
    buffer.close()
    assert found == [1, "asked for", 3, 4]
