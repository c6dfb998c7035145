"""Named tables into which parts of the system enter themselves.

Problem: passes, engines, loop kinds and converters are added in their own files. A lookup of a wrong name should list
the names there are, and entering a name twice is a mistake that should be found at once.

Idea: one small dictionary class with those two manners.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

T = TypeVar("T")


class Registry(Generic[T]):
    """A table from names to things of one kind.

    >>> from millrace._src.util.registry import Registry
    >>> passes = Registry("pass")
    >>> passes.register("prune", len)
    <built-in function len>
    >>> passes.lookup("prune")
    <built-in function len>
    """

    def __init__(self, kind: str) -> None:
        """Makes an empty table of things called `kind` in messages."""
        self._kind = kind
        self._things: dict[str, T] = {}

    def register(self, name: str, thing: T) -> T:
        """Enters `thing` as `name` and returns it.

        Raises:
            KeyError: the name is taken by something else.
        """
        if self._things.setdefault(name, thing) is not thing:
            raise KeyError(f"Two things want to be the {self._kind} called {name!r}.")
        return thing

    def registers(self, name: str) -> Callable[[T], T]:
        """Returns a decorator that enters the decorated object as `name`."""
        return lambda thing: self.register(name, thing)

    def lookup(self, name: str) -> T:
        """Returns the thing called `name`.

        Raises:
            LookupError: there is none; the message suggests a similar name.
        """
        try:
            return self._things[name]
        except KeyError:
            pass
        similar = difflib.get_close_matches(name, self._things, n=1)
        hint = (
            f"; did you mean {similar[0]!r}?" if similar else f"; known: {', '.join(sorted(self._things)) or 'none'}."
        )
        raise LookupError(f"There is no {self._kind} called {name!r}{hint}")

    def __contains__(self, name: object) -> bool:
        return name in self._things

    def __iter__(self) -> Iterator[str]:
        return iter(self._things)

    def __len__(self) -> int:
        return len(self._things)
