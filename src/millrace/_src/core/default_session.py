"""Which session `Tensor.eval` and `Operation.run` mean: the one they are given, or the default session.

Sessions are a layer far above tensors; here they are objects with a graph, in a stack of the thread.

Tests: tests/compat_v1/session/test_session.py
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any, NamedTuple

from millrace._src.core.scoped_values import ScopedValue

_entered: ScopedValue[tuple[Any, ...]] = ScopedValue(())
"""The default sessions entered, outermost first."""


class Use(NamedTuple):
    """The words for a use of a session.

    Attributes:
      does: what cannot be done.
      method: the method that was called.
      thing: what it was called on.
      default_scope: how a default session is made.
    """

    does: str
    method: str
    thing: str
    default_scope: str


EVALUATION = Use("evaluate tensor", "eval", "tensor", "`with sess.as_default()`")
EXECUTION = Use("execute operation", "run", "operation", "`with sess.as_default():`")


def default_session() -> Any:
    """Returns the innermost default session of this thread, or None."""
    return _entered.value[-1] if _entered.value else None


@contextlib.contextmanager
def default_session_scope(session: Any) -> Iterator[Any]:
    """Makes a session the default session of this thread within the scope.

    Raises: AssertionError: if another scope that began later is still open at the end.
    """
    before = _entered.value
    sessions = (*before, session)
    _entered.value = sessions
    try:
        yield session
    finally:
        if _entered.value is not sessions:  # a forgotten scope may be ended by the collector, even in another thread
            raise AssertionError(f"Nesting violated for default stack of {type(session)} objects")
        _entered.value = before


def session_of(graph: Any, session: Any, use: Use) -> Any:
    """Returns the session that runs a part of `graph`.

    Args:
      graph: the graph of the tensor or operation.
      session: the session that the caller gave, or None for the default session.
      use: what for.

    Raises: ValueError: if there is no session, or it runs another graph.
    """
    chosen = default_session() if session is None else session
    if chosen is None:
        raise ValueError(
            f"Cannot {use.does} using `{use.method}()`: No default session is registered. Use {use.default_scope} or "
            f"pass an explicit session to `{use.method}(session=sess)`"
        )
    if chosen.graph is not graph:
        which = "default" if session is None else "given"
        advice = f" Pass an explicit session to `{use.method}(session=sess)`." if session is None else ""
        raise ValueError(
            f"Cannot use the {which} session to {use.does}: the {use.thing}'s graph is different from the session's "
            f"graph.{advice}"
        )
    return chosen
