"""Letting somebody see each operation that is added to a graph.

Nothing asks for the observer: adding an operation is most of the time of tracing. While there is an observer, the class
of graphs has another method instead of its own.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from millrace._src.graph.graph import Graph
from millrace._src.graph.operation import Operation

_add_operation = Graph.add_operation


def observe_operations(observer: Callable[[Graph, Operation], None] | None) -> None:
    """Calls a function for each operation that is added to any graph; with None, ends that."""
    if observer is None:
        Graph.add_operation = _add_operation  # type: ignore[method-assign]  # see the module
        return

    @functools.wraps(_add_operation)
    def add_and_tell(self: Graph, *args: Any, **kwargs: Any) -> Operation:
        operation = _add_operation(self, *args, **kwargs)
        observer(self, operation)
        return operation

    Graph.add_operation = add_and_tell  # type: ignore[method-assign]  # see the module
