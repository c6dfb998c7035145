"""Waiting that can be called off: of kernels that wait for another thread.

A dequeue waits for an element that another thread enqueues. The session of the dequeue may be closed meanwhile, or the
time that its caller grants may be over. Code that runs kernels sets `state.cancellation` in its thread; kernels wait by
`wait_for`, which raises the error of the cancellation.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator

from millrace._src.core.context import state


class Cancellation:
    """Calls off what the kernels of one run wait for."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._conditions: list[threading.Condition] = []
        self._children: list[Cancellation] = []
        self.error: Exception | None = None
        """What the waiting kernels raise; None as long as nothing is called off."""

    def cancel(self, error: Exception) -> None:
        """Lets all kernels that wait, now or later, raise an error."""
        with self._lock:
            self.error = self.error or error
            conditions, children = list(self._conditions), list(self._children)
        for child in children:
            child.cancel(error)
        for condition in conditions:
            with condition:
                condition.notify_all()

    def child(self) -> Cancellation:
        """Returns a cancellation of its own, which this one calls off, too, until `forget_child`."""
        child = Cancellation()
        with self._lock:
            child.error = self.error
            self._children.append(child)
        return child

    def forget_child(self, child: Cancellation) -> None:
        """Lets go of a child."""
        with self._lock:
            self._children.remove(child)

    @contextlib.contextmanager
    def notify(self, condition: threading.Condition) -> Iterator[None]:
        """Lets a cancellation within the scope notify a condition."""
        with self._lock:
            self._conditions.append(condition)
        try:
            yield
        finally:
            with self._lock:
                self._conditions.remove(condition)


def wait_for(condition: threading.Condition, is_over: Callable[[], bool]) -> None:
    """Waits until `is_over()`, which is asked whenever the condition is notified; the caller holds the condition.

    Raises: OpError: the error of the cancellation in force, if there is one.
    """
    if is_over():
        return
    cancellation: Cancellation | None = state.cancellation
    if cancellation is None:
        condition.wait_for(is_over)
        return
    with cancellation.notify(condition):
        condition.wait_for(lambda: cancellation.error is not None or is_over())
    if cancellation.error is not None and not is_over():
        raise cancellation.error
