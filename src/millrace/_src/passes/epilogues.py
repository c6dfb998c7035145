"""Makes one node of a convolution and the steps on its result: bias, scale, residual connection, rectifier.

Each step reads an array from memory and writes it again; a kernel of the whole runs the steps before it writes an
element (`ops.nn.epilogues`). Ops declare what they are: `Traits.epilogue_op` of a convolution names the op that takes
steps, `Traits.epilogue_step` is the step that an op is.

    relu(bias_add(conv2d(x, filters), bias))    ->    conv2d_with_epilogue(x, filters, [bias], ["add", "relu"])

A step belongs to a convolution if the step alone reads the result before it. Another operand is a vector of channels,
or an array like the result that was computed before the convolution: so the node takes the position of the convolution,
and no array lives longer. Of two convolutions that are added, the later one takes the sum.
"""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from millrace._src.core.dtypes import float32
from millrace._src.core.op_algebra import EpilogueStep
from millrace._src.core.op_def import Effects
from millrace._src.core.op_registry import get_op
from millrace._src.passes import dead_code_elimination
from millrace._src.passes.insertions import Insertions
from millrace._src.passes.optimized_graph import Node, OptimizedGraph, Value


class _Step(NamedTuple):
    """A step of an epilogue."""

    node: Node
    step: EpilogueStep
    operand: Value | None


def run(graph: OptimizedGraph) -> OptimizedGraph:
    """Returns the graph with convolutions and the steps that follow them as single nodes."""
    for node in graph.nodes:
        for inner in node.graphs if node.holds_functions else ():
            run(inner)
    if not any(node.op_def.traits.epilogue_op for node in graph.nodes):
        return graph
    search = _StepSearch(graph)
    insertions = Insertions(graph)
    for node in graph.nodes:
        steps = search.steps_after(node) if node.op_def.traits.epilogue_op else []
        if steps:
            fused = _fuse(node, steps)
            insertions.add(fused, {steps[-1].node.outputs[0]: fused.outputs[0]})
            search.note_fused(node, steps)
    insertions.apply()
    return dead_code_elimination.run(graph)


class _StepSearch:
    """Finds the steps that follow convolutions.

    Args:
      graph: the graph, without nodes that nothing needs.
    """

    def __init__(self, graph: OptimizedGraph) -> None:
        self._positions = {node: position for position, node in enumerate(graph.nodes)}
        self._read_counts = Counter(graph.outputs)
        self._readers: dict[Value, Node] = {}
        """A node that reads a value: the only one where the value is read once."""
        for node in graph.nodes:
            for value in [*node.inputs, *[value for part in node.added for value in part.inputs]]:
                self._read_counts[value] += 1
                self._readers[value] = node

    def steps_after(self, node: Node) -> list[_Step]:
        """Returns the steps that belong to a convolution."""
        value, steps = node.outputs[0], list[_Step]()
        if value.dtype is not float32 or not node.is_pure or node.must_run:
            return steps
        while self._read_counts[value] == 1 and value in self._readers:
            step = self._step(self._readers[value], value, node)
            if step is None:
                break
            steps.append(step)
            value = step.node.outputs[0]
        return steps

    def note_fused(self, node: Node, steps: list[_Step]) -> None:
        """Notes that the result of steps is computed where the convolution is."""
        self._positions[steps[-1].node] = self._positions[node]

    def _step(self, reader: Node, value: Value, convolution: Node) -> _Step | None:
        """Returns the step that a node is which reads the result of a convolution so far; None if it is none."""
        fact = reader.op_def.traits.epilogue_step
        step = fact(reader.attrs) if callable(fact) else fact
        if step is None or not reader.is_pure or reader.must_run or reader.added:
            return None
        if not step.has_operand:
            return _Step(reader, step, None)
        others = [other for other in reader.inputs if other is not value]
        if len(others) != 1 or not self._fits(others[0], value, convolution):
            return None
        return _Step(reader, step, others[0])

    def _fits(self, operand: Value, value: Value, convolution: Node) -> bool:
        """Returns whether an operand is a vector of channels, or an array like the result from before."""
        sizes, wanted = operand.shape.dim_sizes, value.shape.dim_sizes
        if operand.dtype is not float32 or not sizes or not wanted or wanted[-1] is None:
            return False
        if sizes[-1] == wanted[-1] and len(sizes) <= len(wanted) and set(sizes[:-1]) <= {1}:
            return True
        is_before = operand.node is None or self._positions[operand.node] < self._positions[convolution]
        return sizes == wanted and is_before


def _fuse(convolution: Node, steps: list[_Step]) -> Node:
    """Makes the node of a convolution and its steps."""
    name = convolution.op_def.traits.epilogue_op
    assert name is not None
    operands = [step.operand for step in steps if step.operand is not None]
    attrs = {**convolution.attrs, "N": len(operands), "steps": tuple([step.step.value for step in steps])}
    inputs = (*convolution.inputs, *operands)
    node = Node(get_op(name), attrs, inputs, Effects.NONE, convolution.origin, False)
    last = steps[-1].node.outputs[0]
    node.outputs = (Value(last.dtype, last.shape, node),)
    return node
