"""The forward derivative of a whole graph: it takes tangents beside the inputs and returns tangents beside the outputs.

The operations of the graph are replayed in a new graph while an accumulator follows the inputs; the accumulator knows
the tangents of every kind of operation. The new graph is called instead of the old one. So every value is computed
once, every effect happens once, and a loop stays a loop of as many iterations.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from millrace._src.autodiff.accumulator import TangentAccumulator
from millrace._src.core import context
from millrace._src.core.handle_types import VariableHandle
from millrace._src.core.tensor import EagerTensor, tape_id
from millrace._src.graph import rewriting
from millrace._src.graph.func_graph import FuncGraph
from millrace._src.graph.function_factory import CallableFunction, make_function
from millrace._src.graph.replay import name_alone, replay
from millrace._src.graph.traversal import find_required_operations
from millrace._src.ops import raw


class _ForwardGraph(FuncGraph):
    """A graph that knows which of its tensors represent tensors of the original graph."""

    def __init__(self, original: FuncGraph, name: str) -> None:
        super().__init__(name, outer_graph=original.outer_graph)
        self.outer_graph = original.outer_graph
        self.original = original
        self.known: dict[tuple[int, int], Any] = {}
        self._placeholders = {id(outer): inner for outer, inner in original.captures}
        numbers = [(getattr(t, "_tape_id", 0), t) for t in original.inputs]
        self._by_number = {number: tensor for number, tensor in reversed(numbers) if number}
        """The inputs of the original graph by tape number: an input serves all outer tensors of its number."""

    def capture(self, tensor: Any, name: str | None = None) -> Any:
        """Returns the tensor of this graph that represents `tensor`, without a further input for an eager tensor."""
        tensor = self._in_original(tensor)
        if isinstance(tensor, EagerTensor) and not tensor.dtype.is_resource:
            return self._inline(tensor, name or "Const")
        return super().capture(tensor, name)

    def stand_in(self, tensor: Any) -> Any:
        """Returns the replayed form of a tensor of the original graph, or of a graph behind the original graph."""
        replayed_tensor = self.known.get((id(tensor.op), tensor.value_index))
        if replayed_tensor is None:
            earlier = self.original._current(tensor)
            earlier = self._in_original(earlier)
            replayed_tensor = self.known.get((id(earlier.op), earlier.value_index))
        return replayed_tensor

    def _in_original(self, tensor: object) -> Any:
        """Returns the tensor of the original graph that represents an outer tensor, or the tensor itself."""
        inside = self._placeholders.get(id(tensor))
        if inside is None and isinstance(tensor, EagerTensor):
            inside = self._by_number.get(getattr(tensor, "_tape_id", 0))
        return tensor if inside is None else inside


def forward_mode_of(
    function: CallableFunction, has_tangent: tuple[bool, ...], wanted: tuple[bool, ...] | None = None
) -> tuple[CallableFunction, list[bool]]:
    """Returns the forward derivative of a function: from inputs and tangents to outputs and tangents.

    Args:
      function: the function to differentiate.
      has_tangent: for each input whether its tangent is given.
      wanted: for each output whether its tangent must be returned; None: only the tangents that there are.

    Returns: The function, and for each output whether it returns a tangent.
    """
    with function.lock:
        count = len(function.graph.outputs)
        key = (has_tangent, wanted, count)
        if key not in function.forward_modes:
            name = f"__jvp_{function.name}"
            graph, has = forward_graph(function.graph, has_tangent, wanted or (False,) * count, name)
            function.forward_modes[key] = make_function(graph, name, jit_compile=function.jit_compile), has
        return function.forward_modes[key]


def forward_graph(
    graph: FuncGraph, has_tangent: Sequence[bool], wanted: Sequence[bool], name: str
) -> tuple[FuncGraph, list[bool]]:
    """Builds the forward derivative of a graph.

    Args:
      graph: a finished graph.
      has_tangent: for each input of the graph whether a tangent is given.
      wanted: for each output of the graph whether a tangent must be returned, zeros if the output does not change.
      name: the name of the new graph.

    Returns: A graph from the inputs and the given tangents to the outputs and the tangents that the outputs have; and
      for each output whether its tangent is returned.
    """
    derivative = _ForwardGraph(graph, name)
    accumulator = TangentAccumulator()
    with derivative.as_default(), context.tapes_scope((accumulator,)), derivative.control_dependencies(None):
        derivative.inputs = [derivative.placeholder_like(t, t.shape, name_alone(t.op)) for t in graph.inputs]
        for tensor, placeholder in zip(graph.inputs, derivative.inputs, strict=True):
            derivative.known[id(tensor.op), tensor.value_index] = placeholder
            placeholder._tape_id = tape_id(tensor)
        for tensor, placeholder, is_given in zip(graph.inputs, list(derivative.inputs), has_tangent, strict=True):
            if is_given:
                tangent = _tangent_placeholder(derivative, tensor)
                derivative.inputs.append(tangent)
                accumulator.set_tangent(placeholder, tangent)
        _replay_all(graph, derivative)
        outputs = [derivative.known[id(t.op), t.value_index] for t in graph.outputs]
        tangents = [accumulator.differentiable_tangent(t) for t in outputs]
        tangents = [
            raw.ZerosLike(x=t) if tangent_of_output is None and want else tangent_of_output
            for t, tangent_of_output, want in zip(outputs, tangents, wanted, strict=True)
        ]
    accumulator.is_finished = True
    derivative.outputs = [*outputs, *[t for t in tangents if t is not None]]
    return derivative, [t is not None for t in tangents]


def _tangent_placeholder(graph: FuncGraph, tensor: Any) -> Any:
    """Adds a placeholder for the tangent of a tensor; the tangent of a variable's handle is like the value."""
    variable = tensor.handle_type
    if isinstance(variable, VariableHandle):
        return graph.add_placeholder(variable.dtype, variable.shape, name_alone(tensor.op))
    return graph.placeholder_like(tensor, tensor.shape, name_alone(tensor.op))


def _replay_all(graph: FuncGraph, new: _ForwardGraph) -> None:
    replayed_operations: dict[Any, Any] = {}
    sources = [t.op for t in graph.inputs]
    for operation in find_required_operations(graph.get_operations(), [t.op for t in graph.outputs], stop=sources):
        replayed = replayed_operations[operation] = replay(operation, new.known, same_numbers=True)
        if replayed is not None:
            waits = [replayed_operations.get(c) for c in operation.control_inputs]
            rewriting.wait_for(replayed, [w for w in waits if w is not None])
