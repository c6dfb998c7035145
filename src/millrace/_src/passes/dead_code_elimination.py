"""Removes what nothing needs: nodes, results of choices, and variables of loops.

A node is needed if it must run or if a needed node reads one of its outputs: one walk from the end finds the needed
nodes. A variable of a loop is needed if its last value is read, if the condition reads it, or if an iteration reads it
for the next value of a needed variable. So a counter that nothing asks for disappears, with the nodes that count. The
nodes in front of a loop or a choice that compute its operands still run, since such a node may fail.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from millrace._src.passes.optimized_graph import Node, OptimizedGraph, Value


def run(graph: OptimizedGraph) -> OptimizedGraph:
    """Returns the graph without the nodes that neither its outputs nor its effects need."""
    read_values = set(graph.outputs)
    live_nodes: list[Node] = []
    for node in reversed(graph.nodes):
        if node.must_run or not read_values.isdisjoint(node.outputs):
            shrink = _SHRINK.get(node.op_def.traits.control or "")
            if shrink is not None and node.graphs:
                shrink(node, read_values)
            read_values.update(node.inputs)
            live_nodes.append(node)
    graph.nodes = live_nodes[::-1]
    return graph


def values_read(nodes: Sequence[Node], outputs: Iterable[Value]) -> set[Value]:
    """Returns the values that some nodes read on the way to `outputs`, and the outputs."""
    read_values = set(outputs)
    for node in reversed(nodes):
        if node.must_run or not read_values.isdisjoint(node.outputs):
            read_values.update(node.inputs)
    return read_values


def _shrink_loop(node: Node, wanted: set[Value]) -> None:
    """Takes the variables that nothing needs out of a loop."""
    cond, body = node.graphs
    run(cond)
    run(body)
    while True:
        needed_variables = _needed_variables(node, wanted)
        if len(needed_variables) == len(node.inputs):
            return
        _keep_running(node.inputs, needed_variables)
        node.set_operands(_at(needed_variables, node.inputs), _at(needed_variables, node.outputs))
        cond.inputs, body.inputs, body.outputs = (
            _at(needed_variables, v) for v in (cond.inputs, body.inputs, body.outputs)
        )
        run(body)


def _needed_variables(node: Node, wanted: set[Value]) -> list[int]:
    """Returns the positions of the loop variables that are needed."""
    cond, body = node.graphs
    tested = values_read(cond.nodes, cond.outputs)
    variables = {i for i, value in enumerate(cond.inputs) if value in tested or node.outputs[i] in wanted}
    while True:
        results = [body.outputs[i] for i in variables if body.outputs[i] is not body.inputs[i]]
        read_values = values_read(body.nodes, results)
        more_variables = variables | {i for i, value in enumerate(body.inputs) if value in read_values}
        if more_variables == variables:
            return sorted(variables)
        variables = more_variables


def _shrink_choice(node: Node, wanted: set[Value]) -> None:
    """Takes results out of a choice that nothing reads, and operands that no branch reads."""
    results = [i for i, value in enumerate(node.outputs) if value in wanted]
    read_positions: set[int] = set()
    for branch in node.graphs:
        branch.outputs = _at(results, branch.outputs)
        run(branch)
        used_values = values_read(branch.nodes, branch.outputs)
        read_positions.update(i for i, value in enumerate(branch.inputs) if value in used_values)
    operands = sorted(read_positions)
    for branch in node.graphs:
        branch.inputs = _at(operands, branch.inputs)
    selector, *arguments = node.inputs
    _keep_running(arguments, operands)
    node.set_operands([selector, *_at(operands, arguments)], _at(results, node.outputs))


def _keep_running(operands: Sequence[Value], needed: Sequence[int]) -> None:
    """Keeps the nodes that compute the operands taken away: such a node may fail."""
    for value in {*operands}.difference(_at(needed, operands)):
        if value.node is not None:
            value.node.must_run = True


def _at(positions: Iterable[int], values: Sequence[Value]) -> list[Value]:
    return [values[i] for i in positions]


_SHRINK: dict[str, Callable[[Node, set[Value]], None]] = {"loop": _shrink_loop, "choice": _shrink_choice}
