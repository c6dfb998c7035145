"""The random numbers of a compiled call, which NumPy kernels draw on the host: `docs/decisions/random-under-xla.md`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax

from millrace._src.core.context import eager_engine
from millrace._src.core.engine import Run
from millrace._src.core.tensor import wait_for_array
from millrace._src.engines.xla.unsupported_ops import is_draw
from millrace._src.passes.optimized_graph import Node, OptimizedGraph, Value, restrict


class Draws:
    """The part of a graph that draws random numbers, as a function of the arguments of a call.

    Args:
      graph: the graph.
      draws: the random numbers, values of the graph.
    """

    def __init__(self, graph: OptimizedGraph, draws: Sequence[Value]) -> None:
        self._drawing = restrict(graph, [v for v in graph.inputs if not v.dtype.is_resource], draws)
        read_values = {value for node in self._drawing.nodes for value in node.inputs}
        self._positions = [i for i, value in enumerate(graph.inputs) if value in read_values]
        self._drawing.inputs = [graph.inputs[i] for i in self._positions]
        self._run = _program(self._drawing)

    def __call__(self, arguments: Sequence[Any]) -> Sequence[Any]:
        """Draws the random numbers of one call."""
        return self._run(*[wait_for_array(arguments[i]) for i in self._positions])

    def types(self, arguments: Sequence[Any]) -> Sequence[Any]:
        """Returns shapes and dtypes of the random numbers of a call, and draws none from the graph's streams."""
        draws = self._drawing.outputs
        if all(draw.shape.is_fully_defined() for draw in draws):
            return [jax.ShapeDtypeStruct(draw.shape.as_list(), draw.dtype.np_dtype) for draw in draws]
        rehearsal = OptimizedGraph(
            self._drawing.name, self._drawing.inputs, draws, list(map(_with_own_stream, self._drawing.nodes))
        )
        results = _program(rehearsal)(*[wait_for_array(arguments[i]) for i in self._positions])
        return [jax.ShapeDtypeStruct(result.shape, result.dtype) for result in results]


def _program(drawing: OptimizedGraph) -> Run:
    return eager_engine().compile(drawing).quiet_run()


def _with_own_stream(node: Node) -> Node:
    """Returns a node like a given one, whose attributes, to which a stream belongs, are its own."""
    if not is_draw(node):
        return node
    copied_node = Node(node.op_def, dict(node.attrs), node.inputs, node.effects, node.origin, node.holds_functions)
    copied_node.outputs = node.outputs
    return copied_node
