"""What a layer keeps for its own scopes, a value for each thread.

Problem: which session is the default one, which strategy is in force: a thread has an answer for each layer, and the
state that `execute` reads (`core/context.py`) is not the home of all of them.

Idea: a layer makes a `ScopedValue` where its scopes are. Reading one is one attribute.
"""

from __future__ import annotations

import threading
from typing import Generic, TypeVar

V = TypeVar("V")


class ScopedValue(threading.local, Generic[V]):
    """A value that scopes of a layer set, in each thread by itself.

    Args: default: the value of a new thread.

    Attributes:
      value: the value in this thread; only the scopes of the layer that made the object set it.
    """

    def __init__(self, default: V) -> None:
        self.value = default

    def set_to(self, value: V) -> _ValueScope[V]:
        """Returns a scope with another value."""
        return _ValueScope(self, value)


class _ValueScope(Generic[V]):
    __slots__ = ("_before", "_scoped", "_value")

    def __init__(self, scoped: ScopedValue[V], value: V) -> None:
        self._scoped, self._value = scoped, value

    def __enter__(self) -> V:
        self._before = self._scoped.value
        self._scoped.value = self._value
        return self._value

    def __exit__(self, *exc: object) -> None:
        self._scoped.value = self._before
