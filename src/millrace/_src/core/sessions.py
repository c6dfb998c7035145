"""Which session `Tensor.eval` and `Operation.run` mean: the one they are given, or the default session.

Sessions are a layer far above tensors; here they are objects with a graph, in the thread's stack `state.sessions`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from millrace._src.core.context import state


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
    return state.sessions[-1] if state.sessions else None


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
