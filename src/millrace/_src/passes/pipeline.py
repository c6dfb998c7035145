"""The optimizer: from a `FuncGraph` to the `OptimizedGraph` that engines compile.

`PASSES` is the table: each pass is a function from graph to graph in a file of its own. The passes stand in the order
in which they run, with the reason where there is one. A pass that raises is left out: the others start again from the
`FuncGraph`, and the log says so once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from millrace._src.passes import (
    arithmetic,
    common_subexpressions,
    constant_folding,
    dead_code,
    known_operands,
    shape_folding,
    sparse_sums,
    switches,
)
from millrace._src.passes.from_graph import from_graph
from millrace._src.passes.optimized_graph import Node, OptimizedGraph
from millrace._src.util.logger import get_logger


class Pass(NamedTuple):
    """One row of the table."""

    name: str
    run: Callable[[OptimizedGraph], OptimizedGraph]
    option: str
    """The option of `tf.config.optimizer` that turns the pass off."""


PASSES: tuple[Pass, ...] = (
    Pass("known_operands", known_operands.run, "loop_optimization"),  # so that folding goes on inside of loops
    Pass("shape_folding", shape_folding.run, "shape_optimization"),
    Pass("constant_folding", constant_folding.run, "constant_folding"),  # of shapes, too
    Pass("arithmetic", arithmetic.run, "arithmetic_optimization"),  # with constants that were computed
    Pass("common_subexpressions", common_subexpressions.run, "common_subgraph_elimination"),
    Pass("sparse_sums", sparse_sums.run, "remapping"),  # only what is left is worth taking apart
    Pass("dead_code", dead_code.run, "dependency_optimization"),  # last: the others leave what nobody reads
)
_failed: set[str] = set()
"""The passes of which the log has said that they failed."""


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
    passes = _chosen()
    inline = switches.is_on("function_optimization") and not switches.is_disabled("disable_meta_optimizer")
    while True:
        found = from_graph(graph, inputs, outputs, with_effects=with_effects, inline=inline)
        failed = _run(passes, found)
        if failed is None:
            return found
        passes = [row for row in passes if row is not failed]


def _chosen() -> list[Pass]:
    """Returns the passes that are not turned off."""
    if switches.is_disabled("disable_meta_optimizer"):
        return []
    unpruned = switches.is_disabled("disable_model_pruning")
    return [row for row in PASSES if switches.is_on(row.option) and not (unpruned and row.run is dead_code.run)]


def _run(passes: Sequence[Pass], graph: OptimizedGraph) -> Pass | None:
    """Changes a graph by some passes; returns the one that failed, if one did."""
    for row in passes:
        try:
            row.run(graph)
        except Exception as error:
            if row.name not in _failed:
                _failed.add(row.name)
                get_logger().warning(
                    "The graph optimizer goes on without %s, which failed on %s: %r", row.name, graph.name, error
                )
            return row
    return None


def held_graphs(node: Node) -> list[OptimizedGraph]:
    """Returns the graphs that a node runs; those of functions that stay outside are optimized for the answer."""
    return [f if isinstance(f, OptimizedGraph) else optimize(getattr(f, "graph", f)) for f in node.functions]
