"""A warning about Python loops that put very many operations into a graph."""

from __future__ import annotations

from millrace._src.core.context import state
from millrace._src.core.source_trace import user_frame
from millrace._src.util.logger import get_logger

_ITERATIONS = 3000
_OPERATIONS_EACH = 1


class Unrolling:
    """Counts the iterations of one Python loop while a graph is built; warns once."""

    __slots__ = ("graph", "iterations", "operations")

    def __init__(self) -> None:
        self.graph = state.graph
        self.iterations = 0
        self.operations = 0 if self.graph is None else len(self.graph.get_operations())

    def count(self) -> None:
        """Notes one iteration."""
        self.iterations += 1
        if self.iterations != _ITERATIONS or self.graph is None:
            return
        added = len(self.graph.get_operations()) - self.operations
        if added >= _ITERATIONS * _OPERATIONS_EACH:
            get_logger().warning(
                "Large unrolled loop detected. Did you mean to use a TF loop? The loop at %s has put %d operations "
                "into the graph in %d iterations. Iterate over tf.range(n) instead of range(n), or over a Tensor, to "
                "make it a loop of the graph.",
                user_frame(),
                added,
                self.iterations,
            )
