"""The variable scope in force, and the variables by name: what a graph knows of `tf.compat.v1.variable_scope`.

Each graph has one store of variables, and for each thread a scope in force. A function that is built shares both with
the graph around it; eager code shares both with the default graph at top level. Both live with the graph, in a
collection that programs do not see.

Tests: tests/compat_v1/variables/test_scope_opening.py
"""

from __future__ import annotations

import contextlib
import dataclasses
import threading
from collections.abc import Iterator
from typing import Any

from millrace._src.compat_v1.variables.variable_scope import VariableScope
from millrace._src.core.context import state
from millrace._src.graph.scopes import top_level_graph

_KEY = ("variables by name",)
"""The collection that holds the state; as the name is not a string, `Graph.collections` leaves it out."""


@dataclasses.dataclass
class VariableStore:
    """The variables that `get_variable` made, by their full names.

    Args: keeps_eager_variables: Whether eager variables are found again by their names; only templates' are.
    """

    keeps_eager_variables: bool = False
    variables: dict[str, Any] = dataclasses.field(default_factory=dict)
    partitioned: dict[str, Any] = dataclasses.field(default_factory=dict)


class _Scopes(threading.local):
    """The scope in force in a thread, and how often scopes of each name were opened."""

    def __init__(self) -> None:
        self.current: VariableScope = VariableScope(reuse=False)
        self.counts: dict[str, int] = {}


class GraphVariables:
    """What a graph knows of variables by name."""

    def __init__(self) -> None:
        self.store = VariableStore()
        self._scopes = _Scopes()

    @property
    def scope(self) -> VariableScope:
        """The scope in force in this thread."""
        return self._scopes.current

    @contextlib.contextmanager
    def store_in_force(self, store: VariableStore) -> Iterator[None]:
        """Replaces the store of the graph."""
        previous, self.store = self.store, store
        try:
            yield
        finally:
            self.store = previous

    @contextlib.contextmanager
    def open(self, scope: VariableScope, anew: bool) -> Iterator[VariableScope]:
        """Puts a scope in force.

        Args:
          scope: The scope.
          anew: Whether this counts as another opening of the scope's name, after which the scopes within are counted
            from the beginning. A scope that is opened as an object leaves all counts as they were.
        """
        scopes = self._scopes
        previous, counts = scopes.current, dict(scopes.counts)
        if anew:
            scopes.counts[scope.name] = counts.get(scope.name, 0) + 1
        scopes.current = scope
        try:
            yield scope
        finally:
            scopes.current = previous
            scopes.counts = _without_below(scope.name, scopes.counts) if anew else counts

    def unique_scope_name(self, prefix: str) -> str:
        """Returns the prefix, with `_1`, `_2`, ... if the scope in force has had a scope of that name."""
        outer = f"{self.scope.name}/" if self.scope.name else ""
        name, number = prefix, 0
        while self._scopes.counts.get(outer + name, 0):
            number += 1
            name = f"{prefix}_{number}"
        return name


def _without_below(name: str, counts: dict[str, int]) -> dict[str, int]:
    """Returns the counts without those of the scopes within a scope."""
    return {inner: count for inner, count in counts.items() if not inner.startswith(name + "/")}


def variables_of_graph() -> GraphVariables:
    """Returns what the current graph, or the graph around the function being built, knows of variables by name."""
    graph = state.graph
    while graph is not None and graph.building_function:
        graph = graph.outer_graph
    held = (top_level_graph() if graph is None else graph).get_collection_ref(_KEY)
    if not held:
        held.append(GraphVariables())
    known: GraphVariables = held[0]
    return known


def current_scope() -> VariableScope:
    """Returns the variable scope in force."""
    return variables_of_graph().scope
