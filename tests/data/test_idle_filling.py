"""Buffers that are filled when their consumer pauses."""

from __future__ import annotations

import time
from collections.abc import Callable

from millrace._src.data import idle_filling
from millrace._src.data.idle_filling import FilledWhenIdle, fill_when_idle


class Buffer(FilledWhenIdle):
    """A buffer that says how often it was looked at, and that is filled at a look of a certain number."""

    def __init__(self, filled_at: int) -> None:
        self.looks = 0
        self._filled_at = filled_at

    def fill_if_idle(self) -> bool:
        self.looks += 1
        return self.looks >= self._filled_at


def wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.002)


def test_a_buffer_is_looked_at_until_it_is_filled_and_the_thread_ends() -> None:
    first, second = Buffer(1), Buffer(4)
    fill_when_idle(first)
    fill_when_idle(second)
    wait_until(lambda: second.looks == 4 and not idle_filling._watch._is_running)
    assert (first.looks, second.looks) == (1, 4)
    third = Buffer(2)
    fill_when_idle(third)  # a thread looks again
    wait_until(lambda: third.looks == 2 and not idle_filling._watch._is_running)


def test_a_buffer_without_references_is_forgotten() -> None:
    fill_when_idle(Buffer(1000))
    wait_until(lambda: not idle_filling._watch._is_running)


def test_a_forked_process_looks_by_itself() -> None:
    before = idle_filling._watch
    try:
        idle_filling._forget_watch()
        buffer = Buffer(1)
        fill_when_idle(buffer)
        wait_until(lambda: buffer.looks == 1)
    finally:
        idle_filling._watch = before
