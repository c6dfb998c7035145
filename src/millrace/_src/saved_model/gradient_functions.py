"""The gradients of `tf.custom_gradient` as functions of a SavedModel.

Problem: such a gradient is Python code that belongs to one operation of a graph. A loaded model has no Python code.

Idea: the gradient is traced: a function from the gradients of the operation's outputs to those of its inputs. What the
code uses of the forward function's graph is captured; a SavedModel has a kind of object for that, a tensor of a graph.
The operation and the function are connected by a name in an attribute of the operation.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Sequence
from typing import Any

from millrace._src.autodiff.gradient_registry import ATTRIBUTE
from millrace._src.core import context
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.specs import TensorSpec
from millrace._src.core.tensor import SymbolicTensor
from millrace._src.function.captures import TracedGraph
from millrace._src.function.concrete_function import ConcreteFunction
from millrace._src.function.function_type import FunctionType, Parameter
from millrace._src.function.trace_builder import from_value
from millrace._src.function.tracing import FunctionTrace
from millrace._src.graph.control_deps import add_automatic_control_dependencies
from millrace._src.graph.function_def import graph_of
from millrace._src.graph.operation import Operation
from millrace._src.ops import raw
from millrace._src.saved_model.function_library import SavedFunctions

_NAME = "internal_grad_fn"


class GradientFunction:
    """The traced gradient of one operation.

    Args:
      function: the function whose graph has the operation.
      concrete: the gradient; the tensors of the function's graph that it uses are among its captures.
      wire_name: the name that connects operation and gradient in the file.
    """

    def __init__(self, function: Any, concrete: ConcreteFunction, wire_name: str) -> None:
        self.function = function
        self.concrete = concrete
        self.wire_name = wire_name


def gradient_functions(library: SavedFunctions) -> list[GradientFunction]:
    """Traces the gradients of all operations in a library that have one of their own; adds them to the library."""
    traced_gradients: list[GradientFunction] = []
    for function in library.functions():
        for operation in _with_gradients(graph_of(function)):
            wire_name = f"CustomGradient-{len(traced_gradients) + 1}"
            library.rename_gradient(operation.attrs[ATTRIBUTE], wire_name)
            concrete = _trace(operation)
            library.add([concrete.graph_function])
            traced_gradients.append(GradientFunction(function, concrete, wire_name))
    return traced_gradients


def _with_gradients(graph: Any) -> Iterator[Operation]:
    return (op for op in graph.get_operations() if op.gradient_override is not None and ATTRIBUTE in op.attrs)


def _trace(operation: Operation) -> ConcreteFunction:
    """Traces a gradient: from an unused argument and the gradients of the outputs to the gradients of the inputs."""
    graph = TracedGraph(_NAME)
    graph.outer_graph = operation.graph
    specs = [TensorSpec(t.shape, t.dtype, name=f"result_grads_{i}") for i, t in enumerate(operation.outputs)]
    with graph.as_default(), context.tapes_scope(()):
        for spec in specs:
            graph.inputs.append(graph.add_placeholder(spec.dtype, spec.shape, str(spec.name), spec.name))
        gradients = operation.gradient_override(operation, list(graph.inputs))
        results = [None if g is None else raw.Identity(input=graph.capture(convert_to_tensor(g))) for g in gradients]
        graph.outputs = [result for result in results if result is not None]
        graph.control_outputs = add_automatic_control_dependencies(graph)
    graph.structured_outputs = results
    graph.structured_input_signature = ((None, *specs), {})
    return ConcreteFunction(FunctionTrace(graph, _function_type(specs, results), len(specs)))


def _function_type(specs: Sequence[TensorSpec], results: Sequence[Any]) -> FunctionType:
    kind = inspect.Parameter.POSITIONAL_ONLY
    parameters = [Parameter("unused_op", kind, False, from_value(None))]
    parameters += [Parameter(str(spec.name), kind, False, spec) for spec in specs]
    kinds = [None if result is None else TensorSpec(result.shape, result.dtype) for result in results]
    return FunctionType(parameters).with_output(from_value(kinds), {})


def find_captures(gradient: GradientFunction) -> list[SymbolicTensor]:
    """Returns the tensors of the forward function's graph that a gradient captures."""
    graph = graph_of(gradient.function)
    return [t for t in gradient.concrete.captured_inputs if isinstance(t, SymbolicTensor) and t.graph is graph]


def wire_name_of(tensor: SymbolicTensor, definition: Any) -> str:
    """Returns the name by which a reader finds a tensor of a function that was written.

    Args:
      tensor: a tensor of the function's graph.
      definition: the function's `FunctionDef`, in which arguments and nodes may have other names than in the graph.
    """
    graph: Any = tensor.graph
    inputs = {id(t): index for index, t in enumerate(graph.inputs)}
    if id(tensor) in inputs:
        return f"{definition.signature.input_arg[inputs[id(tensor)]].name}:0"
    arguments = {t.op for t in graph.inputs}
    body = [operation for operation in graph.get_operations() if operation not in arguments]
    return f"{definition.node_def[body.index(tensor.op)].name}:{tensor.value_index}"
