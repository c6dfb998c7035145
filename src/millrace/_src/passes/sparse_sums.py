"""Adds arrays that are mostly zeros, without making the arrays.

The gradient of `x[i]` is zeros but for the slice. A loop that reads `x` row by row adds one such gradient in each
iteration; with all the zeros the loop takes quadratic time. Where sums alone read such an array, the node that makes
the array disappears and the sum takes the node's inputs: the sum adds to the slice alone. `Node.added` names the nodes
that disappeared; an engine adds their results by the op's rule `added_to`.

    s + strided_slice_grad(shape, i, dy)    ->    s plus dy in row i
"""

from __future__ import annotations

from collections.abc import Sequence

from millrace._src.passes.optimized_graph import Node, OptimizedGraph, Value


def run(graph: OptimizedGraph) -> OptimizedGraph:
    """Returns the graph with sums that add arrays which are mostly zeros without making the arrays."""
    for node in graph.nodes:
        for inner in node.graphs if node.holds_functions else ():
            run(inner)
    if any(node.op_def.rules.added_to is not None for node in graph.nodes):
        _take_apart_all(graph)
    return graph


def _take_apart_all(graph: OptimizedGraph) -> None:
    """Takes the mostly-zero operands of sums apart; removes the nodes that nothing reads any more."""
    sums = [node for node in graph.nodes if _is_sum(node)]
    elsewhere = set(graph.outputs)
    elsewhere.update(value for node in graph.nodes if not _is_sum(node) for value in node.inputs)
    for node in sums:
        _take_apart(node, elsewhere)
    read_values = elsewhere.union(*[node.inputs for node in sums])
    parts = {maker for node in sums for maker in node.added}
    graph.nodes = [n for n in graph.nodes if n not in parts or n.must_run or not read_values.isdisjoint(n.outputs)]


def _is_sum(node: Node) -> bool:
    return node.op_def.traits.is_sum and node.outputs[0].dtype.name != "variant"


def _take_apart(node: Node, elsewhere: set[Value]) -> None:
    """Makes a sum add the operands that are mostly zeros without making them, where only sums read the operand."""
    if node.added:
        return
    makers = [_maker(value) if value not in elsewhere else None for value in node.inputs]
    if None not in makers:
        makers[0] = None  # a sum needs at least one whole array
    node.added = tuple([maker for maker in makers if maker is not None])
    whole_values = [value for value, maker in zip(node.inputs, makers, strict=True) if maker is None]
    node.inputs = (*whole_values, *[value for maker in node.added for value in maker.inputs])


def _maker(value: Value) -> Node | None:
    """Returns the node that makes an array which is mostly zeros, or None for another array."""
    node = value.node
    return node if node is not None and node.op_def.rules.added_to is not None and node.is_pure else None


def split_summands(node: Node, arguments: Sequence[object]) -> tuple[Sequence[object], list[Sequence[object]]]:
    """Returns the whole arrays among a sum's arguments, and for each node of `added` the arguments of that node."""
    end = len(arguments)
    parts: list[Sequence[object]] = []
    for maker in reversed(node.added):
        parts.append(arguments[end - len(maker.inputs) : end])
        end -= len(maker.inputs)
    return arguments[:end], parts[::-1]
