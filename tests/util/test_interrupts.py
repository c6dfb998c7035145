"""Ctrl-C that waits for the end of a change."""

from __future__ import annotations

import signal
import threading
from types import FrameType

import pytest

from millrace._src.util.interrupts import interrupts_later


def test_ctrl_c_comes_at_the_end_of_the_block() -> None:
    halves = []
    with pytest.raises(KeyboardInterrupt):
        with interrupts_later():
            halves.append(1)
            signal.raise_signal(signal.SIGINT)
            halves.append(2)
        halves.append(3)
    assert halves == [1, 2]


def test_a_block_without_ctrl_c_leaves_the_handler_as_it_was() -> None:
    before = signal.getsignal(signal.SIGINT)
    with interrupts_later():
        assert signal.getsignal(signal.SIGINT) != before
    assert signal.getsignal(signal.SIGINT) is before


def test_a_handler_of_the_user_gets_the_signal_once_with_its_number(monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = []

    def note(number: int, _: FrameType | None) -> None:
        numbers.append(number)

    before = signal.signal(signal.SIGINT, note)
    try:
        with interrupts_later():
            signal.raise_signal(signal.SIGINT)
            signal.raise_signal(signal.SIGINT)
            assert not numbers
        assert numbers == [signal.SIGINT]
        assert signal.getsignal(signal.SIGINT) is note
    finally:
        signal.signal(signal.SIGINT, before)


def test_blocks_may_stand_in_each_other() -> None:
    done = []
    with pytest.raises(KeyboardInterrupt):
        with interrupts_later():
            with interrupts_later():
                signal.raise_signal(signal.SIGINT)
            done.append("outer")
    assert done == ["outer"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_an_error_in_the_block_is_the_context_of_the_interrupt() -> None:
    with pytest.raises(KeyboardInterrupt) as caught, interrupts_later():
        signal.raise_signal(signal.SIGINT)
        raise ValueError("in the block")
    assert isinstance(caught.value.__context__, ValueError)


def test_a_signal_that_the_user_ignores_stays_ignored() -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with interrupts_later():
            signal.raise_signal(signal.SIGINT)
    finally:
        signal.signal(signal.SIGINT, before)


def test_other_threads_leave_handlers_alone() -> None:
    handlers = []

    def look() -> None:
        with interrupts_later():
            handlers.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=look)
    thread.start()
    thread.join()
    assert handlers == [signal.getsignal(signal.SIGINT)]
