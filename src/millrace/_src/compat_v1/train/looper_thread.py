"""`tf.compat.v1.train.LooperThread`: a thread of a coordinator that calls a function again and again.

Tests: tests/state/test_coordinator.py
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from millrace._src.state.coordinator import Coordinator
from millrace._src.util.export import export


@export(v1=["train.LooperThread"])
class LooperThread(threading.Thread):
    """A thread that runs a function again and again, until its coordinator is asked to stop.

    >>> coordinator, rounds = tf.train.Coordinator(), []
    >>> def work():
    ...     rounds.append(1)
    ...     if len(rounds) == 3:
    ...         coordinator.request_stop()
    >>> thread = tf.compat.v1.train.LooperThread.loop(coordinator, None, work)
    >>> coordinator.join([thread])
    >>> len(rounds)
    3

    Args:
      coord: the coordinator.
      timer_interval_secs: the seconds from the beginning of a round to the next one; None to go on at once.
      target: the function; None for the method `run_loop`.
      args: its positional arguments.
      kwargs: its arguments by name.

    Raises: ValueError: if `coord` is not a coordinator, or there are arguments without a function.
    """

    def __init__(
        self,
        coord: Coordinator,
        timer_interval_secs: float | None,
        target: Callable[..., Any] | None = None,
        args: Sequence[Any] | None = None,
        kwargs: Mapping[str, Any] | None = None,
    ) -> None:
        if not isinstance(coord, Coordinator):
            raise ValueError(f"'coord' argument must be a Coordinator: {coord}")
        if target is None and (args or kwargs):
            raise ValueError("'args' and 'kwargs' arguments require that you also pass 'target'")
        super().__init__(daemon=True)
        self._coord = coord
        self._interval = timer_interval_secs
        self._function = target
        self._positional = tuple(args or ())
        self._named = dict(kwargs or {})
        coord.register_thread(self)

    @staticmethod
    def loop(
        coord: Coordinator,
        timer_interval_secs: float | None,
        target: Callable[..., Any],
        args: Sequence[Any] | None = None,
        kwargs: Mapping[str, Any] | None = None,
    ) -> LooperThread:
        """Makes a thread and starts it; the arguments are those of the class."""
        thread = LooperThread(coord, timer_interval_secs, target, args, kwargs)
        thread.start()
        return thread

    def run(self) -> None:
        """Runs the rounds; called in the thread."""
        with self._coord.stop_on_exception():
            self.start_loop()
            try:
                self._run_rounds()
            finally:
                self.stop_loop()

    def _run_rounds(self) -> None:
        next_time = time.monotonic()
        while not self._coord.should_stop():
            self.run_loop()
            if self._interval is not None:
                next_time += self._interval
                if self._coord.wait_for_stop(max(next_time - time.monotonic(), 0)):
                    break

    def start_loop(self) -> None:
        """Does what a subclass does before the first round."""

    def stop_loop(self) -> None:
        """Does what a subclass does after the last round."""

    def run_loop(self) -> None:
        """Runs one round: calls the function."""
        if self._function is not None:
            self._function(*self._positional, **self._named)
