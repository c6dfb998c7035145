"""The optimizer: from a `FuncGraph` to the `OptimizedGraph` that engines compile.

`PASSES` is the table: each pass is a function from graph to graph in a file of its own, and stands in the order in
which it runs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from millrace._src.passes import constant_folding, dead_code
from millrace._src.passes.from_graph import from_graph
from millrace._src.passes.optimized_graph import Node, OptimizedGraph

PASSES: tuple[Callable[[OptimizedGraph], OptimizedGraph], ...] = (constant_folding.run, dead_code.run)


def optimize(
    graph: Any, inputs: Sequence[Any] | None = None, outputs: Sequence[Any] | None = None, *, with_effects: bool = True
) -> OptimizedGraph:
    """Returns the optimized graph of a function.

    Args:
      graph: a finished `FuncGraph`.
      inputs: the tensors that are given; its inputs by default.
      outputs: the tensors to compute; its outputs by default.
      with_effects: whether the graph carries out the effects of the function, too.
    """
    inputs = graph.inputs if inputs is None else inputs
    outputs = graph.outputs if outputs is None else outputs
    found = from_graph(graph, inputs, outputs, with_effects=with_effects)
    for run in PASSES:
        found = run(found)
    return found


def held_graphs(node: Node) -> list[OptimizedGraph]:
    """Returns the graphs that a node runs; those of functions that stay outside are optimized for the answer."""
    return [f if isinstance(f, OptimizedGraph) else optimize(getattr(f, "graph", f)) for f in node.functions]
