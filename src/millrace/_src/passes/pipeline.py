"""The optimizer: from a `FuncGraph` to the `OptimizedGraph` that engines compile.

`PASSES` is the table: each pass is a function from graph to graph in a file of its own. The passes stand in the order
in which they run, with the reasons for that order. A pass that raises is left out: the other passes start again from
the `FuncGraph`, and the log names the pass once.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from millrace._src.graph.function_factory import body_of
from millrace._src.passes import (
    arithmetic,
    batch_normalization,
    common_subexpressions,
    constant_folding,
    dead_code_elimination,
    epilogues,
    gradient_masks,
    known_operands,
    layer_normalization,
    optimizer_options,
    shape_folding,
    sparse_sums,
)
from millrace._src.passes.from_graph import from_graph
from millrace._src.passes.optimized_graph import Node, OptimizedGraph
from millrace._src.passes.rewrite import Rewriting, RuleError, rewrite
from millrace._src.util.logger import get_logger


class Pass(NamedTuple):
    """One row of the table."""

    name: str
    step: Rewriting | Callable[[OptimizedGraph], OptimizedGraph]
    """Rules for nodes, which share a walk with their neighbours in the table, or a function from graph to graph."""
    option: str
    """The option of `tf.config.optimizer` that turns the pass off."""


PASSES: tuple[Pass, ...] = (
    Pass("known_operands", known_operands.REWRITING, "loop_optimization"),  # so that folding goes on inside of loops
    Pass("shape_folding", shape_folding.REWRITING, "shape_optimization"),
    Pass("constant_folding", constant_folding.REWRITING, "constant_folding"),  # of shapes, too
    Pass("arithmetic", arithmetic.REWRITING, "arithmetic_optimization"),  # needs the constants that folding computes
    Pass("common_subexpressions", common_subexpressions.REWRITING, "common_subgraph_elimination"),
    Pass("batch_normalization", batch_normalization.run, "remapping"),  # leaves dead nodes, reads simplified ones
    Pass("layer_normalization", layer_normalization.run, "remapping"),  # as batch normalization
    # The passes above leave nodes that nothing reads.
    Pass("dead_code_elimination", dead_code_elimination.run, "dependency_optimization"),
    Pass("gradient_masks", gradient_masks.run, "remapping"),  # counts the readers of a value, as the next two do
    # Counts the readers of a value, so dead nodes must be gone; a batch normalization in inference is such steps.
    Pass("epilogues", epilogues.run, "remapping"),
    Pass("sparse_sums", sparse_sums.run, "remapping"),  # counts the readers of a value, so dead nodes must be gone
)
_failed: set[str] = set()
"""The passes that failed and that the log has named."""


def optimize(
    graph: Any,
    inputs: Sequence[Any] | None = None,
    outputs: Sequence[Any] | None = None,
    *,
    with_effects: bool = True,
    keep_clusters: bool = True,
) -> OptimizedGraph:
    """Returns the optimized graph of a function.

    Args:
      graph: a finished `FuncGraph`.
      inputs: the tensors that are given; by default the graph's inputs.
      outputs: the tensors to compute; by default the graph's outputs.
      with_effects: whether the result runs the effects of the function, too.
      keep_clusters: whether a called function with `jit_compile=True` stays a call; False for graphs to compile.
    """
    inputs = graph.inputs if inputs is None else inputs
    outputs = graph.outputs if outputs is None else outputs
    passes = _select_passes()
    runs_optimizer = not optimizer_options.is_disabled("disable_meta_optimizer")
    inline = runs_optimizer and optimizer_options.is_on("function_optimization")
    while True:
        optimized_graph = from_graph(
            graph, inputs, outputs, with_effects=with_effects, inline=inline, keep_clusters=keep_clusters
        )
        try:
            return run(passes, optimized_graph)
        except PassError as error:
            _complain(error)
            passes = [row for row in passes if row.step is not error.step]


class PassError(Exception):
    """A pass failed; the cause says how."""

    def __init__(self, step: Any) -> None:
        super().__init__(step)
        self.step = step


def run(passes: Sequence[Pass], graph: OptimizedGraph) -> OptimizedGraph:
    """Returns a graph after some passes.

    Raises: PassError: if a pass raises; the graph may then be half changed and must not be used.
    """
    for is_rewriting, rows in itertools.groupby(passes, lambda row: isinstance(row.step, Rewriting)):
        steps: list[Any] = [row.step for row in rows]
        try:
            if is_rewriting:
                rewrite(graph, steps)
            for step in [] if is_rewriting else steps:
                graph = step(graph)
        except RuleError as error:
            raise PassError(error.rewriting) from error.__cause__
        except Exception as error:
            raise PassError(step) from error
    return graph


def _complain(error: PassError) -> None:
    """Logs once that a pass failed."""
    name = next(row.name for row in PASSES if row.step is error.step)
    if name not in _failed:
        _failed.add(name)
        get_logger().warning("The graph optimizer goes on without its pass %s, which failed: %r", name, error.__cause__)


def _select_passes() -> Sequence[Pass]:
    """Returns the passes that are not turned off."""
    if not optimizer_options.are_set():
        return PASSES
    if optimizer_options.is_disabled("disable_meta_optimizer"):
        return ()
    unpruned = optimizer_options.is_disabled("disable_model_pruning")
    rows = [row for row in PASSES if optimizer_options.is_on(row.option)]
    return [row for row in rows if not (unpruned and row.step is dead_code_elimination.run)]


def optimize_held_graphs(node: Node) -> list[OptimizedGraph]:
    """Returns the graphs that a compiled node runs; the graph of a function that is still a call is optimized first."""
    return [optimize_function(function) for function in node.functions]


def optimize_function(function: object) -> OptimizedGraph:
    """Returns the optimized graph of a function to compile; an `OptimizedGraph` itself."""
    if isinstance(function, OptimizedGraph):
        return function
    return optimize(body_of(function), keep_clusters=False)
