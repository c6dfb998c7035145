"""Passes constants among the operands of loops and choices on to the graphs inside.

A variable that every iteration passes on unchanged always has its first value: a reader of the variable after the loop
reads the first value instead. Where that value is a constant, the graphs inside of the loop read the constant; so do
the branches of a choice. The folding of constants then goes on inside.

    while(i, n=10): i < n; (i + 1, n)    ->    while(i): i < 10; (i + 1)     # dead_code_elimination takes n away
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from millrace._src.passes.optimized_graph import Node, OptimizedGraph, Value
from millrace._src.passes.rewrite import Rewriting, substitute


def _hand_on_constants(node: Node) -> None:
    """Makes the graphs inside of a node read the constants that always represent some of their inputs."""
    graphs = node.graphs
    if not graphs:
        return
    if node.op_def.traits.control == "loop":
        operands = node.inputs
        indices: Iterable[int] = _invariant(node)
    else:
        operands = node.inputs[len(node.inputs) - len(graphs[0].inputs) :]
        indices = range(len(operands))
    for inner in graphs:
        _take_constants(inner, operands, indices)


def _invariant(node: Node) -> list[int]:
    """Returns the positions of the variables that the body of a loop passes on unchanged."""
    body = node.graphs[1]
    return [i for i, value in enumerate(body.outputs) if value is body.inputs[i]]


def _take_constants(graph: OptimizedGraph, operands: Sequence[Value], indices: Iterable[int]) -> None:
    """Makes a graph read the constants among its operands; outputs that hand an operand on keep reading the operand."""
    constants = {graph.inputs[i]: operands[i] for i in indices if operands[i].constant is not None}
    if constants:
        outputs = graph.outputs
        substitute(graph, constants)
        pairs = zip(outputs, graph.outputs, strict=True)
        graph.outputs = [
            old if i < len(graph.inputs) and old is graph.inputs[i] else new for i, (old, new) in enumerate(pairs)
        ]


def _first_values(node: Node) -> Sequence[Value | None] | None:
    """Rewrites the last value of a variable that a loop passes on unchanged -> the variable's first value."""
    if node.op_def.traits.control != "loop" or not node.graphs:
        return None
    invariant = set(_invariant(node))
    return [node.inputs[i] if i in invariant else None for i in range(len(node.outputs))]


REWRITING = Rewriting(lambda _: _first_values, enter=_hand_on_constants)
