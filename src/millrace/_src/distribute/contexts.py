"""The contexts of distribution strategies that a thread has entered.

Problem: a program asks anywhere which strategy is in force, and whether it runs for one replica or for all. Inside a
`tf.function` the answer is that of the code around. Inside a graph of its own (`tf.Graph().as_default()`) nothing of
the code around holds. A program without strategies must not pay for the question.

Idea: a thread notes the contexts it entered in `entered_contexts`, each with the plain graph (None: eager mode) in
which it was entered. The context in force is the innermost one of the current plain graph. An empty tuple, which is one
test, means the default replica context.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any, NamedTuple

from millrace._src.core.context import outermost_context, state
from millrace._src.core.scoped_values import ScopedValue

_NEEDS_CROSS_REPLICA = "Method requires being in cross-replica context, use get_replica_context().merge_call()"


class Entered(NamedTuple):
    """A context of a strategy that a thread has entered.

    Attributes:
      strategy: The strategy in force.
      replica_context: The context of the replica that runs; None in a cross-replica context.
      graph: The plain graph in which the context was entered; None for eager mode.
    """

    strategy: Any
    replica_context: Any
    graph: Any


entered_contexts: ScopedValue[tuple[Entered, ...]] = ScopedValue(())
"""The contexts entered, outermost first; empty in the default replica context."""


def in_force() -> Entered | None:
    """Returns the context in force; None in the default replica context."""
    contexts = entered_contexts.value
    if not contexts:
        return None
    graph = _plain_graph()
    for entered in reversed(contexts):
        if entered.graph is graph:
            return entered
    return None


@contextlib.contextmanager
def entering(strategy: object, replica_context: object) -> Iterator[None]:
    """Enters a context of a strategy: that of a replica, or the cross-replica context if `replica_context` is None."""
    outer = entered_contexts.value
    push(strategy, replica_context)
    try:
        yield
    finally:
        leave_to(outer)


def push(strategy: object, replica_context: object) -> None:
    """Enters a context; the caller goes back with `leave_to`."""
    entered_contexts.value = (*entered_contexts.value, Entered(strategy, replica_context, _plain_graph()))
    state.set_between_replicas(replica_context is None)


def leave_to(contexts: tuple[Entered, ...]) -> None:
    """Goes back to the contexts that a thread had entered before."""
    entered_contexts.value = contexts
    state.set_between_replicas(bool(contexts) and contexts[-1].replica_context is None)


def _plain_graph() -> Any:
    return None if state.graph is None else outermost_context()


def require_cross_replica(strategy: object) -> None:
    """Checks that no replica runs; the default replica context will do.

    Raises: RuntimeError: if a replica runs, or another strategy is in force.
    """
    entered = in_force()
    if entered is None:
        return
    if entered.replica_context is not None:
        raise RuntimeError(_NEEDS_CROSS_REPLICA)
    if entered.strategy is not strategy:
        raise RuntimeError(f"Mixing different tf.distribute.Strategy objects: {entered.strategy} is not {strategy}")
