"""From a `FuncGraph` to an `OptimizedGraph`, with each call written out where it happens.

Control inputs become the order of the nodes, which is the order of the operations. An operation that only passes its
input on (Identity) or only joins control inputs (NoOp) disappears. A function that is called becomes part of its
caller, once per call, so that later passes see its nodes; the bodies of loops and choices become graphs inside of their
node. Four kinds of functions stay calls, which the engine compiles on its own: a function that (indirectly) calls
itself, a function that is nested very deep, a function called in a graph that is very long already, and, unless the
whole graph is compiled, a function with `jit_compile=True`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from millrace._src.core.dispatch import out_of_memory
from millrace._src.core.op_def import Effects
from millrace._src.graph.control_deps import function_attrs, list_called_functions
from millrace._src.graph.func_graph import FuncGraph
from millrace._src.graph.function_factory import body_of, must_compile
from millrace._src.graph.graph import Graph
from millrace._src.graph.operation import Operation
from millrace._src.graph.traversal import find_required_operations
from millrace._src.passes.optimized_graph import Node, OptimizedGraph, Value, function_names

_DEEPEST = 12
"""The most functions that are nested into each other; Python itself allows 20 nested blocks."""
_MAX_NODES = 20_000
"""The most nodes of a graph into which functions are written; a longer graph calls further functions."""


def from_graph(
    graph: Graph,
    inputs: Sequence[Any],
    outputs: Sequence[Any],
    *,
    with_effects: bool = True,
    inline: bool = True,
    keep_clusters: bool = True,
) -> OptimizedGraph:
    """Returns the graph that computes `outputs` from `inputs`.

    Args:
      graph: a finished `FuncGraph`.
      inputs: the tensors that are given.
      outputs: the tensors to compute.
      with_effects: whether the result runs the effects of the graph, too.
      inline: whether called functions become part of the result.
      keep_clusters: whether a called function with `jit_compile=True` stays a call all the same.
    """
    return _Importer(inline, keep_clusters).graph(graph, inputs, outputs, (), with_effects=with_effects)


class _Importer:
    """Translates operations into nodes, and counts them."""

    def __init__(self, inline: bool, keep_clusters: bool) -> None:
        self.inline = inline
        self.keep_clusters = keep_clusters
        self.count = 0

    def graph(
        self,
        graph: Graph,
        inputs: Sequence[Any],
        outputs: Sequence[Any],
        around: tuple[Any, ...],
        *,
        with_effects: bool = True,
    ) -> OptimizedGraph:
        """Returns a graph as an `OptimizedGraph`; `around` are the graphs inside of which the graph stands."""
        input_values = [Value(t.dtype, t.shape) for t in inputs]
        nodes: list[Node] = []
        with graph.lock:  # a gradient that another thread asks for may change the operations
            output_values = self._write(graph, inputs, input_values, outputs, around, nodes, with_effects=with_effects)
        name, verdict = (graph.name, graph.verdict) if isinstance(graph, FuncGraph) else ("", None)
        return OptimizedGraph(name, input_values, output_values, nodes, verdict)

    def _write(
        self,
        graph: Graph,
        inputs: Sequence[Any],
        given: Sequence[Value],
        outputs: Sequence[Any],
        around: tuple[Any, ...],
        nodes: list[Node],
        *,
        with_effects: bool = True,
    ) -> list[Value]:
        """Adds the nodes that compute `outputs`, with `given` instead of `inputs`; returns the outputs' values."""
        operations = find_required_operations(
            graph.get_operations(), [t.op for t in outputs], stop=[t.op for t in inputs], with_effects=with_effects
        )
        self.count += len(operations)
        values = {id(t): value for t, value in zip(inputs, given, strict=True)}
        awaited = {waited for operation in operations for waited in operation.control_inputs}
        read_tensors: set[int] = set()
        if any(operation.op_def.traits.control == "call" for operation in operations):
            read_tensors = {id(t) for operation in operations for t in operation.inputs} | {id(t) for t in outputs}
        start = len(nodes)
        for operation in operations:
            op = operation.op_def
            if operation.static_values and not operation.effects.must_run:
                pairs = zip(operation.outputs, operation.static_values, strict=True)
                values.update({id(t): Value(t.dtype, t.shape, constant=_in_one_piece(array)) for t, array in pairs})
            elif op.traits.returns_input:
                values[id(operation.outputs[0])] = value = values[id(operation.inputs[0])]
                if operation in awaited and value.node is not None:
                    value.node.keep_running()
            elif not function_names(op):
                _add(operation, operation.attrs, values, nodes)
            elif not self._contain(operation, values, read_tensors, awaited, (*around, graph), nodes):
                _add(operation, operation.attrs, values, nodes, holds_functions=True)
        for node in nodes[start:] if awaited else ():
            if node.origin in awaited:
                node.keep_running()
        return [values[id(t)] for t in outputs]

    def _contain(
        self,
        operation: Operation,
        values: dict[int, Value],
        read: set[int],
        awaited: set[Operation],
        around: tuple[Any, ...],
        nodes: list[Node],
    ) -> bool:
        """Writes out the graphs that an operation holds, within the limits; returns whether they were written out."""
        graphs = function_attrs(operation)
        if operation.op_def.traits.keeps_functions:
            return False
        if len(around) > _DEEPEST or self.count > _MAX_NODES or any(graph in around for graph in graphs):
            return False
        if operation.op_def.traits.control == "call":
            if self.keep_clusters and any(map(must_compile, list_called_functions(operation))):
                return False
            return self._call(operation, graphs[0], values, read, awaited, around, nodes)
        attrs = dict(operation.attrs)
        for name in function_names(operation.op_def):
            attrs[name] = self._bodies(attrs[name], around)
        _add(operation, attrs, values, nodes, holds_functions=True)
        return True

    def _bodies(self, function: object, around: tuple[Any, ...]) -> Any:
        """Returns the graph of a function, or the graphs of several."""
        if isinstance(function, (tuple, list)):
            return tuple([self._bodies(one, around) for one in function])
        graph = body_of(function)
        return self.graph(graph, graph.inputs, graph.outputs, around)

    def _call(
        self,
        operation: Operation,
        graph: Any,
        values: dict[int, Value],
        read: set[int],
        awaited: set[Operation],
        around: tuple[Any, ...],
        nodes: list[Node],
    ) -> bool:
        """Writes out a called function, with the outputs that are read."""
        if not self.inline or len(graph.inputs) != len(operation.inputs):
            return False
        is_kept = operation in awaited and operation.effects is Effects.NONE
        output_positions = [i for i, t in enumerate(operation.outputs) if is_kept or id(t) in read]
        arguments = [values[id(t)] for t in operation.inputs]
        with graph.lock:
            results = self._write(
                graph, graph.inputs, arguments, [graph.outputs[i] for i in output_positions], around, nodes
            )
        for i, value in zip(output_positions, results, strict=True):
            values[id(operation.outputs[i])] = value
            if is_kept and value.node is not None:
                value.node.keep_running()
        return True


def _in_one_piece(array: object) -> Any:
    """Returns a constant that kernels read fast: one that a file states once for all elements is written out.

    Raises: ResourceExhaustedError: if it does not fit into memory.
    """
    if not isinstance(array, np.ndarray) or array.flags.c_contiguous:
        return array
    try:
        return np.array(array, order="C")
    except MemoryError as error:
        raise out_of_memory("Const", error) from None


def _add(
    operation: Operation,
    attrs: dict[str, Any],
    values: dict[int, Value],
    nodes: list[Node],
    *,
    holds_functions: bool = False,
) -> None:
    """Adds the node of one operation, unless the operation only joins control inputs."""
    inputs = tuple([values[id(t)] for t in operation.inputs])
    node = Node(operation.op_def, attrs, inputs, operation.effects, operation, holds_functions)
    outputs = []
    for tensor in operation.outputs:
        values[id(tensor)] = value = Value(tensor.dtype, tensor.shape, node, tensor.value_index)
        outputs.append(value)
    if outputs or node.must_run:
        node.outputs = tuple(outputs)
        nodes.append(node)
