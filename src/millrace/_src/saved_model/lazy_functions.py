"""Concrete functions whose graphs are made when they are first used; names of functions that come from files."""

from __future__ import annotations

import re
import threading
from abc import abstractmethod
from typing import Any

from millrace._src.core.context import unique_id
from millrace._src.core.errors import OpError
from millrace._src.function.concrete_function import ConcreteFunction

_NUMBERED = re.compile(r"^(?:__inference_)?(.+?)(?:_\d+)?$")


def python_name(name: str) -> str:
    """Returns the name of the Python function behind the name of a graph: `f` for `__inference_f_12`."""
    match = _NUMBERED.match(name)
    return match[1] if match is not None else name


def fresh_name(name: str) -> str:
    """Returns a name for a function of a file that no other function of this process has."""
    return f"__inference_{python_name(name)}_{unique_id()}"


class LazyConcreteFunction(ConcreteFunction):
    """A concrete function that is empty at first.

    A subclass sets what is known from the start, and defines `_fill`, which makes the graph and then calls
    `ConcreteFunction.__init__`. The first attribute that is missing makes the graph.
    """

    _is_made = False
    _is_being_made = False
    _making = threading.RLock()

    @abstractmethod
    def _fill(self) -> None:
        """Makes the graph, and from it the attributes of a concrete function."""

    @property
    @abstractmethod
    def _origin(self) -> str:
        """Where the function comes from, for messages."""

    def __getattr__(self, attribute: str) -> Any:
        if self._is_made or attribute.startswith("__"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {attribute!r}")
        self._make()
        return getattr(self, attribute)

    def _make(self) -> None:
        with self._making:
            if self._is_made:
                return
            if self._is_being_made:
                raise ValueError(f"To make {self._origin}, which captures tensors, takes the function itself.")
            self._is_being_made = True
            try:
                self._fill()
            except (KeyError, OpError, TypeError, ValueError) as error:
                error.add_note(f"in {self._origin}")
                raise
            finally:
                self._is_being_made = False
            self._is_made = True
