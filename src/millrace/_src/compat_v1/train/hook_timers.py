"""Timers of hooks: whether it is time again, by seconds or by steps."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable

from millrace._src.util.class_homes import tensorflow_home
from millrace._src.util.export import export

Elapsed = tuple[float | None, int | None]
"""The seconds and the steps between two times; None and None before the second one."""


class HookTimer(ABC):
    """Decides for a hook whether it is time again."""

    @abstractmethod
    def should_trigger_for_step(self, step: int) -> bool:
        """Returns whether it is time at a step."""

    @abstractmethod
    def update_last_triggered_step(self, step: int) -> Elapsed:
        """Notes that the hook did its work at a step; returns what passed since it did the last time."""

    @abstractmethod
    def last_triggered_step(self) -> int | None:
        """Returns the step at which the hook did its work last; None if it never did."""

    @abstractmethod
    def reset(self) -> None:
        """Forgets when the hook did its work."""


@export(v1=["train.SecondOrStepTimer"])
@tensorflow_home("python.training.basic_session_run_hooks")
class SecondOrStepTimer(HookTimer):
    """A timer that triggers every so many seconds or steps, and at the first step.

    >>> timer = tf.compat.v1.train.SecondOrStepTimer(every_steps=3)
    >>> timer.should_trigger_for_step(1), timer.update_last_triggered_step(1)
    (True, (None, None))
    >>> timer.should_trigger_for_step(3), timer.should_trigger_for_step(4)
    (False, True)

    Args:
      every_secs: the seconds between two times.
      every_steps: the steps between two times.

    Raises: ValueError: unless exactly one of both is given.
    """

    def __init__(self, every_secs: float | None = None, every_steps: int | None = None) -> None:
        if every_secs is None and every_steps is None:
            raise ValueError("Either every_secs or every_steps should be provided.")
        if every_secs is not None and every_steps is not None:
            raise ValueError("Can not provide both every_secs and every_steps.")
        self._every_secs = every_secs
        self._every_steps = every_steps
        self._clock: Callable[[], float] = time.monotonic
        self.reset()

    def reset(self) -> None:
        """Forgets when the hook did its work."""
        self._last_triggered_step: int | None = None
        self._last_triggered_time: float | None = None

    def should_trigger_for_step(self, step: int) -> bool:
        """Returns whether it is time at a step; at the step of the last time it is not.

        Args: step: the step.
        """
        if self._last_triggered_step is None or self._last_triggered_time is None:
            return True
        if self._last_triggered_step == step:
            return False
        if self._every_secs is not None:
            return self._clock() >= self._last_triggered_time + self._every_secs
        return step >= self._last_triggered_step + (self._every_steps or 0)

    def update_last_triggered_step(self, step: int) -> Elapsed:
        """Notes that the hook did its work at a step.

        Args: step: the step.
        Returns: The seconds and the steps since the last time; None and None the first time.
        """
        now = self._clock()
        elapsed: Elapsed = (None, None)
        if self._last_triggered_time is not None and self._last_triggered_step is not None:
            elapsed = now - self._last_triggered_time, step - self._last_triggered_step
        self._last_triggered_time, self._last_triggered_step = now, step
        return elapsed

    def last_triggered_step(self) -> int | None:
        """Returns the step at which the hook did its work last; None if it never did."""
        return self._last_triggered_step


class NeverTimer(HookTimer):
    """A timer that never triggers."""

    def should_trigger_for_step(self, step: int) -> bool:
        """Says no."""
        return False

    def update_last_triggered_step(self, step: int) -> Elapsed:
        """Notes nothing."""
        return None, None

    def last_triggered_step(self) -> int | None:
        """Returns None."""
        return None

    def reset(self) -> None:
        """Does nothing."""
