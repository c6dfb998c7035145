"""What engines run: a graph of its own, made from a `FuncGraph` and then improved by the passes.

A `FuncGraph` belongs to the user: names, control inputs and gradients hang on its operations, and one function may be
called ten times. An engine wants the opposite: nodes in run order, each call written out where it happens,
constants known as constants. An `OptimizedGraph` is such a list of nodes. Every `Value` is an input of the graph, a
constant, or an output of one node, so that the findings of a pass hold for one call of a function and not for all its
calls. Each node remembers the operation that the node came from, the `origin`, for error messages. The bodies of loops
and choices are `OptimizedGraph`s too, among the attributes of their node.

Passes change a graph while they build it, by the rules in `optimized_graph_validation`; nothing changes it afterwards.

Tests: tests/passes/test_from_graph.py, tests/passes/test_rewrite.py
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from typing import Any

from millrace._src.core.dtypes import DType
from millrace._src.core.engine import Verdict
from millrace._src.core.op_def import Effects, OpDef
from millrace._src.core.shapes import TensorShape
from millrace._src.graph.operation import Operation


@functools.cache  # finite: one entry an op
def function_names(op: OpDef) -> tuple[str, ...]:
    """Returns the attributes of an op that are functions or lists of functions."""
    return tuple([name for name, kind in op.attr_kinds.items() if kind in ("func", "list[func]")])


class Value:
    """An array in a graph: an input, a constant, or an output of a node.

    Attributes:
      dtype: the dtype of the array.
      shape: the static shape of the array.
      node: the node that computes the array; None for an input and for a constant.
      value_index: the number of the array among the node's outputs.
      constant: the array itself, if it is known.
    """

    __slots__ = ("dtype", "shape", "node", "value_index", "constant")

    def __init__(
        self, dtype: DType, shape: TensorShape, node: Node | None = None, value_index: int = 0, constant: Any = None
    ) -> None:
        self.dtype = dtype
        self.shape = shape
        self.node = node
        self.value_index = value_index
        self.constant = constant

    def __repr__(self) -> str:
        if self.constant is not None:
            return f"<constant {self.constant!r}>"
        origin = "input" if self.node is None else f"{self.node.name}:{self.value_index}"
        return f"<Value {origin} {self.dtype.name} {self.shape}>"


class Node:
    """One step of a graph.

    Attributes:
      op_def: the op that the node runs.
      attrs: the op's attributes; where a loop or a choice holds functions, `OptimizedGraph`s.
      inputs: the values that the node reads.
      outputs: the values that the node computes.
      effects: what the node does besides computing.
      holds_functions: whether some attribute is a function or a graph.
      must_run: whether the node runs although nothing reads its outputs, for its effect or as a control input.
      added: for a sum, the nodes whose results the sum adds without making the results: see `sparse_sums`.
      origin: the operation that the node came from.
      only_checks: whether the node has no outputs and runs nothing but the op's `checks`: see `clustering`.
      is_checked_apart: whether another node runs the op's checks. Refused values give some result, as in compiled
        programs.
    """

    __slots__ = (
        "op_def",
        "attrs",
        "inputs",
        "outputs",
        "effects",
        "must_run",
        "holds_functions",
        "added",
        "origin",
        "only_checks",
        "is_checked_apart",
    )

    def __init__(
        self,
        op_def: OpDef,
        attrs: dict[str, Any],
        inputs: tuple[Value, ...],
        effects: Effects,
        origin: Operation,
        holds_functions: bool,
    ) -> None:
        self.op_def = op_def
        self.attrs = attrs
        self.inputs = inputs
        self.outputs: tuple[Value, ...] = ()
        self.effects = effects
        self.must_run = effects is not Effects.NONE and effects.must_run
        self.holds_functions = holds_functions
        self.added: tuple[Node, ...] = ()
        self.origin = origin
        self.only_checks = self.is_checked_apart = False

    @property
    def name(self) -> str:
        """The name of the operation, for messages."""
        return self.origin.name

    @property
    def type(self) -> str:
        """The name of the op."""
        return self.op_def.name

    @property
    def source(self) -> Any:
        """The user's line that made the operation."""
        return self.origin.source

    @property
    def functions(self) -> list[Any]:
        """The graphs, or functions outside of the graph, that the node runs, in the order of the op's attributes."""
        functions: list[Any] = []
        for name in function_names(self.op_def):
            value = self.attrs.get(name, ())
            functions += value if isinstance(value, (tuple, list)) else [value]
        return functions

    @property
    def graphs(self) -> list[OptimizedGraph]:
        """The graphs inside of the node: the bodies of a loop, the branches of a choice."""
        return [function for function in self.functions if isinstance(function, OptimizedGraph)]

    @property
    def calls_function(self) -> bool:
        """Whether the node calls a function that is a program of its own, perhaps of another engine."""
        return self.op_def.traits.control == "call"

    @property
    def is_pure(self) -> bool:
        """Whether the node only computes, always the same from the same inputs."""
        return self.effects is Effects.NONE

    def keep_running(self) -> None:
        """Makes the node run although nothing reads it: what waits for a loop or a choice waits for all its results."""
        if self.must_run:
            return
        self.must_run = True
        for graph in self.graphs if self.holds_functions and self.is_pure else ():
            for maker in {value.node for value in graph.outputs}:
                if maker is not None:
                    maker.keep_running()

    def become(self, op: OpDef, attrs: dict[str, Any], inputs: Sequence[Value], origin: Operation) -> None:
        """Computes the outputs in another way: by an op without effects."""
        self.op_def, self.attrs, self.inputs, self.origin = op, attrs, tuple(inputs), origin

    def set_operands(self, inputs: Sequence[Value], outputs: Sequence[Value]) -> None:
        """Gives a loop or a choice other inputs and outputs; the attributes say their dtypes."""
        self.inputs, self.outputs = tuple(inputs), tuple(outputs)
        self.attrs = {**self.attrs, **self.op_def.signature.list_types(self.inputs, self.outputs)}
        for index, value in enumerate(outputs):
            value.value_index = index

    def __repr__(self) -> str:
        return f"<Node {self.name!r} {self.type}>"


class OptimizedGraph:
    """Nodes in run order, from inputs to outputs.

    Attributes:
      name: the name of the function, for messages.
      inputs: the values that are given, each once.
      outputs: the values to compute; a value may occur several times, or be an input or a constant.
      nodes: the nodes to run, in run order.
      verdict: what the compiling engine found about the graph, for all that compile the same function.
    """

    __slots__ = ("name", "inputs", "outputs", "nodes", "verdict")

    def __init__(
        self,
        name: str,
        inputs: Sequence[Value],
        outputs: Sequence[Value],
        nodes: Sequence[Node],
        verdict: Verdict | None = None,
    ) -> None:
        self.name = name
        self.inputs = list(inputs)
        self.outputs = list(outputs)
        self.nodes = list(nodes)
        self.verdict = Verdict() if verdict is None else verdict

    @property
    def runs_python(self) -> bool:
        """Whether running the graph may call the user's Python code, print, or run a function of another engine."""
        return any(node.effects is Effects.IO or node.calls_function for node in all_nodes(self))

    def __repr__(self) -> str:
        return f"<OptimizedGraph {self.name!r}: {len(self.nodes)} nodes>"


def all_nodes(graph: OptimizedGraph) -> Iterator[Node]:
    """Yields the nodes of a graph and of the graphs inside of it."""
    for node in graph.nodes:
        yield node
        for inner in node.graphs:
            yield from all_nodes(inner)


def restrict(graph: OptimizedGraph, inputs: Sequence[Value], outputs: Sequence[Value]) -> OptimizedGraph:
    """Returns the part of a graph that computes `outputs` from `inputs`, without effects that nothing reads.

    Args:
      graph: the graph.
      inputs: values of the graph that are given, computed ones among them.
      outputs: values of the graph.
    """
    input_values, read_values = set(inputs), set(outputs)
    nodes: list[Node] = []
    for node in reversed(graph.nodes):
        if any(value in read_values and value not in input_values for value in node.outputs):
            read_values.update(node.inputs)
            nodes.append(node)
    return OptimizedGraph(graph.name, inputs, outputs, nodes[::-1])


def copy_graph(graph: OptimizedGraph) -> OptimizedGraph:
    """Returns a graph with nodes and values of its own, which may be changed; constants are shared."""
    return copy_part(graph.nodes, graph.inputs, graph.outputs, graph.name, graph.verdict)


def copy_part(
    nodes: Sequence[Node],
    inputs: Sequence[Value],
    outputs: Sequence[Value],
    name: str,
    verdict: Verdict | None = None,
) -> OptimizedGraph:
    """Returns a graph of copies of some nodes.

    Args:
      nodes: the nodes, in run order.
      inputs: what the nodes read and do not compute, but for constants.
      outputs: what the graph computes, among its inputs, constants and the outputs of its nodes.
      name: the name of the graph.
      verdict: what the compiling engine found about the graph.
    """
    values = {value: Value(value.dtype, value.shape) for value in inputs}
    made_nodes = []
    for node in nodes:
        made_nodes.append(_copy_node(node, [values.get(value, value) for value in node.inputs]))
        values.update(zip(node.outputs, made_nodes[-1].outputs, strict=True))
    return OptimizedGraph(name, [values[v] for v in inputs], [values.get(v, v) for v in outputs], made_nodes, verdict)


def _copy_node(node: Node, inputs: Sequence[Value]) -> Node:
    attrs = (
        {name: _copy_graphs_within(value) for name, value in node.attrs.items()} if node.holds_functions else node.attrs
    )
    made = Node(node.op_def, attrs, tuple(inputs), node.effects, node.origin, node.holds_functions)
    made.outputs = tuple([Value(v.dtype, v.shape, made, v.value_index) for v in node.outputs])
    made.must_run, made.added = node.must_run, node.added
    made.only_checks, made.is_checked_apart = node.only_checks, node.is_checked_apart
    return made


def _copy_graphs_within(value: object) -> object:
    if isinstance(value, tuple):
        return tuple([_copy_graphs_within(one) for one in value])
    return copy_graph(value) if isinstance(value, OptimizedGraph) else value
