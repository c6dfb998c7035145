"""What a legal `OptimizedGraph` is.

Passes may rely on these rules and must keep them; the tests check them after every pass. Each rule is one small
function, which says what is wrong with a graph or with one of its nodes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from millrace._src.passes.optimized_graph import Node, OptimizedGraph, Value


class IllegalOptimizedGraphError(Exception):
    """A graph breaks a rule."""


def check(graph: OptimizedGraph) -> None:
    """Checks a graph and the graphs inside of it.

    Raises: IllegalOptimizedGraphError: if a rule is broken; the message lists all faults.
    """
    faults = list(_faults(graph))
    if faults:
        raise IllegalOptimizedGraphError("\n".join(faults))


def _faults(graph: OptimizedGraph) -> Iterator[str]:
    known_values = set(graph.inputs)
    if len(known_values) < len(graph.inputs):
        yield f"{graph}: an input stands there twice"
    yield from (f"{graph}: input {v} is a constant" for v in graph.inputs if v.constant is not None)
    for node in graph.nodes:
        yield from (
            f"{graph}: {node} reads {v} before it is there" for v in node.inputs if not _is_there(v, known_values)
        )
        yield from _faults_of_node(node)
        for inner in node.graphs:
            yield from _faults(inner)
        yield from (f"{graph}: {v} is computed twice" for v in node.outputs if v in known_values)
        known_values.update(node.outputs)
    yield from (f"{graph}: {v} is an output and not there" for v in graph.outputs if not _is_there(v, known_values))


def _is_there(value: Value, known: set[Value]) -> bool:
    return value in known or value.constant is not None


def _faults_of_node(node: Node) -> Iterator[str]:
    """Lists what is wrong with a node by itself."""
    if node.effects.must_run and not node.must_run:
        yield f"{node} has an effect and need not run"
    for index, value in enumerate(node.outputs):
        if value.node is not node or value.value_index != index or value.constant is not None:
            yield f"{node}: output {index} is {value}"
    if not node.added and not node.only_checks:
        yield from _faults_of_types(node)
    if node.graphs:
        yield from _faults_of_bodies(node)


def _faults_of_types(node: Node) -> Iterator[str]:
    """Lists where inputs and outputs differ from the signature and the attributes."""
    signature = node.op_def.signature
    for kind, args, values in (("inputs", signature.inputs, node.inputs), ("outputs", signature.outputs, node.outputs)):
        declared_types = [dtype for arg in args for dtype in arg.dtypes(node.attrs)]
        if declared_types != _dtypes(values):
            yield f"{node}: {kind} are {_dtypes(values)}, declared as {declared_types}"


def _faults_of_bodies(node: Node) -> Iterator[str]:
    """Lists where the graphs inside of a node do not fit the node's inputs and outputs."""
    if node.calls_function:
        yield from _faults_of_cluster(node)
        return
    is_loop = node.op_def.traits.control == "loop"
    operands = _dtypes(node.inputs if is_loop else node.inputs[1:])
    for number, graph in enumerate(node.graphs):
        if _dtypes(graph.inputs) != operands:
            yield f"{node}: {graph} takes {_dtypes(graph.inputs)}, not {operands}"
        is_test = is_loop and number == 0
        if is_test and len(graph.outputs) != 1:
            yield f"{node}: the condition has {len(graph.outputs)} results"
        elif not is_test and _dtypes(graph.outputs) != _dtypes(node.outputs):
            yield f"{node}: {graph} returns {_dtypes(graph.outputs)}, not {_dtypes(node.outputs)}"


def _faults_of_cluster(node: Node) -> Iterator[str]:
    """Lists where the graph of a cluster does not fit the cluster's inputs and outputs."""
    (graph,) = node.graphs
    if (_dtypes(graph.inputs), _dtypes(graph.outputs)) != (_dtypes(node.inputs), _dtypes(node.outputs)):
        yield f"{node}: {graph} takes {_dtypes(graph.inputs)} and returns {_dtypes(graph.outputs)}"


def _dtypes(values: Sequence[Value]) -> list[object]:
    return [value.dtype for value in values]
