"""Tracing: runs a Python function once in a graph, and records what the function does.

Arguments are replaced by placeholders, the body runs with the graph as the target of its ops, and the result becomes
the graph's outputs. Two things are checked meanwhile: the body did not change the containers among its arguments, and
the body returned tensors.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any

from millrace._src.core import context
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.execute import execute
from millrace._src.core.op_registry import get_op
from millrace._src.core.tensor import SymbolicTensor, Tensor
from millrace._src.function.captures import TracedGraph, capture_sources, capture_types
from millrace._src.function.function_type import FunctionType
from millrace._src.function.placeholders import Placeholders
from millrace._src.function.signature import ArgumentLayout, CallSignature, structured_signature
from millrace._src.function.trace_builder import from_value
from millrace._src.function.tracing_context import TracingContext
from millrace._src.graph import rewriting
from millrace._src.graph.control_deps import add_automatic_control_dependencies, join_effects
from millrace._src.util import nest


class FunctionTrace:
    """A finished graph with the types of its arguments and results.

    Attributes:
        graph: The graph.
        function_type: Parameters, captures and output.
        argument_count: The number of the graph's inputs that are arguments; the other inputs are captures.
        captures: The sources of the other inputs, in order; by default, those that the graph noted.
    """

    def __init__(
        self, graph: Any, function_type: FunctionType, argument_count: int, captures: list[Any] | None = None
    ) -> None:
        self.graph = graph
        self.argument_count = argument_count
        self.captures = capture_sources(graph, argument_count) if captures is None else captures
        self.function_type = function_type.with_output(function_type.output, capture_types(self.captures))


def trace(
    function: Callable[..., Any],
    name: str,
    signature: CallSignature,
    layout: ArgumentLayout,
    types: Sequence[Any],
    values: Sequence[Any] | None = None,
    inline_integers: bool = False,
    original: Callable[..., Any] | None = None,
    orders_effects: bool = True,
) -> FunctionTrace:
    """Traces a Python function for arguments of the given types.

    Args:
        function: The function to run.
        name: The graph's name.
        signature: The function's parameters.
        layout: How the arguments are spread over the parameters.
        types: One trace type per argument.
        values: The arguments of the call that asks for the trace, of which objects and variables pass through; None
            when there is no call.
        inline_integers: See `TracedGraph`.
        original: The user's function, for messages, where `function` is made of it.
        orders_effects: Whether effects happen in the order of the program, and all of them; else only those on which
            the outputs depend, as in graphs of TensorFlow 1.

    Returns: The trace.
    Raises:
        TypeError: if the function returns something that is not a tensor.
        ValueError: if the function changes a container among its arguments.
    """
    function_type = signature.monomorphic(types, layout)
    graph = TracedGraph(name, inline_integers)
    with graph.as_default(), context.tapes_scope(()):
        placeholders = Placeholders(graph)
        given_values = values if values is not None else [None] * len(types)
        names = list(function_type.parameters)
        arguments = [placeholders.make(kind, value, n) for kind, value, n in zip(types, given_values, names)]
        argument_count = len(graph.inputs)
        before = [_snapshot(argument) for argument in arguments]
        result = signature.call_python(function, arguments, layout)
        _check_unchanged(getattr(function, "__qualname__", name), names, before, arguments)
        outputs = _outputs(result, original or function, graph)
        _finish(graph, outputs, orders_effects)
    graph.structured_outputs = outputs
    graph.describe_arguments = functools.partial(structured_signature, function_type)
    graph.forget_argument_captures()
    graph.release_outer_graph()
    output_type = from_value(outputs, TracingContext())
    return FunctionTrace(graph, function_type.with_output(output_type, {}), argument_count)


def _finish(graph: TracedGraph, outputs: object, orders_effects: bool) -> None:
    """Lists the outputs and puts the effects in order."""
    graph.outputs = [t for t in nest.flatten(outputs, expand_composites=True) if isinstance(t, SymbolicTensor)]
    if not orders_effects:
        return
    graph.control_outputs = add_automatic_control_dependencies(graph)
    if graph.outputs:
        joined_effects = join_effects(graph, graph.control_outputs)
        if joined_effects is not None:
            for tensor in graph.outputs:
                rewriting.wait_for(tensor.op, [joined_effects])


# --- outputs -----------------------------------------------------------------------------------------------------


def _outputs(result: object, function: Callable[..., Any], graph: TracedGraph) -> Any:
    """Returns the result of the function, with every leaf an `Identity` of a tensor of the graph, or None."""
    leaves = nest.flatten(result, expand_composites=True)
    identity = get_op("Identity")
    converted_leaves: list[Any] = []
    for leaf in leaves:
        if leaf is None:
            converted_leaves.append(None)
            continue
        tensor = graph.capture(_as_tensor(leaf, function))
        converted_leaves.append(execute(identity, (tensor,), {}))
    return nest.pack_sequence_as(result, converted_leaves, expand_composites=True)


def _as_tensor(leaf: Any, function: Callable[..., Any]) -> Any:
    if isinstance(leaf, Tensor):
        return leaf
    if inspect.iscoroutine(leaf):
        leaf.close()
    try:
        return convert_to_tensor(leaf)
    except (TypeError, ValueError):
        raise TypeError(
            "To be compatible with tf.function, Python functions must return zero or more Tensors or ExtensionTypes "
            "or None "
            f"values; in compilation of {function}, found return value of type {type(leaf).__name__}, which is not a "
            "Tensor "
            "or ExtensionType."
        ) from None


# --- arguments must not be changed -------------------------------------------------------------------------------


def _snapshot(argument: object) -> Any:
    """Notes the facts that show a change of a container: the type and keys, and the identity of the leaves."""
    if isinstance(argument, dict):
        return type(argument), tuple((key, _snapshot(value)) for key, value in argument.items())
    if isinstance(argument, (list, tuple)):
        return type(argument), tuple(_snapshot(item) for item in argument)
    return _Same(argument)


class _Same:
    """Equal to a snapshot of the very same object."""

    __slots__ = ("thing",)

    def __init__(self, thing: Any) -> None:
        self.thing = thing

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.thing is self.thing

    __hash__ = None  # type: ignore[assignment]  # only compared


def _check_unchanged(name: str, names: Sequence[str], before: Sequence[Any], arguments: Sequence[Any]) -> None:
    changed_names = [n for n, snapshot, argument in zip(names, before, arguments) if snapshot != _snapshot(argument)]
    if changed_names:
        raise ValueError(
            f"{name}({', '.join(names)}) should not modify its Python input arguments. Modifying a copy is allowed. "
            f"The following parameter(s) were modified: {', '.join(changed_names)}"
        )
