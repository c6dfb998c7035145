"""Waiting that is called off: by an error that is there before, by one that comes, by the parent's."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator

import pytest

from millrace._src.core.context import state
from millrace._src.core.waiting import Cancellation, wait_for


@contextlib.contextmanager
def cancelled_by(cancellation: Cancellation) -> Iterator[None]:
    """Lets a cancellation call off what kernels wait for in this thread, as a session does."""
    state.cancellation = cancellation
    try:
        yield
    finally:
        state.cancellation = None


def test_without_a_cancellation_a_condition_is_waited_for() -> None:
    condition = threading.Condition()
    with condition:
        wait_for(condition, lambda: True)


def test_what_was_called_off_before_raises_at_once() -> None:
    cancellation, condition = Cancellation(), threading.Condition()
    cancellation.cancel(KeyError("first"))
    cancellation.cancel(KeyError("second"))
    with cancelled_by(cancellation), condition:
        wait_for(condition, lambda: True)
        with pytest.raises(KeyError, match="first"):
            wait_for(condition, lambda: False)


def test_a_parent_calls_off_what_its_children_wait_for() -> None:
    parent, condition = Cancellation(), threading.Condition()
    child = parent.child()
    caught: list[Exception] = []

    def wait() -> None:
        with cancelled_by(child), condition:
            try:
                wait_for(condition, lambda: False)
            except KeyError as error:
                caught.append(error)

    thread = threading.Thread(target=wait)
    thread.start()
    while not child._conditions:
        time.sleep(0.001)
    parent.cancel(KeyError("over"))
    thread.join()
    assert [error.args for error in caught] == [("over",)]
    parent.forget_child(child)
    assert child._conditions == []
