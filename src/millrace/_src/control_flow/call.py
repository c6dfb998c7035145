"""The ops that call a function: `PartitionedCall` and `StatefulPartitionedCall`, and their gradient.

The attribute of a call node is the function. The gradient makes the node call the forward function of the pair in
`derivative.py`, which also returns intermediates, and then calls the backward function. How a function runs, in eager
mode or under a tape, is in `function/graph_function.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from millrace._src.control_flow.derivative import derivative_of, reaching, zeros_if_missing
from millrace._src.core.array_namespace import Xp
from millrace._src.core.dtypes import DType
from millrace._src.core.handle_types import HandleType
from millrace._src.core.op_attributes import FunctionAttr
from millrace._src.core.op_def import Effects, op
from millrace._src.core.op_signature import TypeList
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.graph import rewriting
from millrace._src.graph.control_deps import body_effects
from millrace._src.graph.func_graph import FuncGraph
from millrace._src.ops.batching import scatter_results
from millrace._src.ops.type_sets import ANY


def _call_shape(c: ShapeContext) -> Sequence[TensorShape]:
    return [t.shape for t in c.attr("f").graph.outputs]


def _call_handles(c: ShapeContext) -> list[HandleType | None]:
    return [t.handle_type for t in c.attr("f").graph.outputs]


def _call_effects(attrs: dict[str, Any]) -> Effects:
    return body_effects([attrs["f"]])


@op(
    "PartitionedCall",
    "args: Tin -> output: Tout",
    Tin=TypeList(ANY),
    Tout=TypeList(ANY),
    shape=_call_shape,
    handles=_call_handles,
    effects=_call_effects,
    control="call",
)
def partitioned_call(
    xp: Xp, args: list[Any], *, f: FunctionAttr, config: str = "", config_proto: str = "", executor_type: str = ""
) -> Any:
    """Calls a function without effects."""
    return list(f(*args))


@op(
    "StatefulPartitionedCall",
    "args: Tin -> output: Tout",
    Tin=TypeList(ANY),
    Tout=TypeList(ANY),
    shape=_call_shape,
    handles=_call_handles,
    effects=_call_effects,
    control="call",
)
def stateful_partitioned_call(
    xp: Xp, args: list[Any], *, f: FunctionAttr, config: str = "", config_proto: str = "", executor_type: str = ""
) -> Any:
    """Calls a function that may read or write variables, draw random numbers or print."""
    return list(f(*args))


@partitioned_call.operation_gradient
@stateful_partitioned_call.operation_gradient
def call_gradient(operation: Any, output_gradients: Sequence[Any], wanted: frozenset[int]) -> Sequence[Any]:
    """Makes the call node return the intermediates, then calls the backward function."""
    derivative = reaching(operation.gradient_plans, output_gradients, operation.outputs, wanted)
    if derivative is None:
        derivative = prepare_call(operation, wanted)
    dys = [*output_gradients, *[None] * (len(operation.outputs) - len(output_gradients))]
    gradients = [zeros_if_missing(dys[p], operation.outputs[p]) for p in range(len(derivative.forward.graph.outputs))]
    return derivative.input_gradients(gradients, operation.inputs, operation.outputs)


def prepare_call(operation: Any, wanted: frozenset[int] | None = None) -> Any:
    """Makes a call node return the intermediates of its function; returns how to go back to the wanted inputs."""
    derivative = derivative_of(operation.attrs["f"], closed=True, wanted=wanted, copies_constants=False)
    further = further_outputs(operation, derivative.forward.graph)
    rewriting.extend(operation, {"f": derivative.forward}, outputs=further)
    rewriting.keep_plan(operation, derivative)
    return derivative


def further_outputs(operation: Any, graph: FuncGraph) -> list[tuple[DType, TensorShape]]:
    """Returns dtypes and shapes of the outputs that a graph has beyond the outputs of the operation that runs it."""
    return [(t.dtype, t.shape) for t in graph.outputs[len(operation.outputs) :]]


@partitioned_call.batching
@stateful_partitioned_call.batching
def _call_batching(operation: Any, arguments: Sequence[Any], rows: Any) -> Any:
    """Runs the function's graph on all rows."""
    graph, used_outputs = operation.attrs["f"].graph, rows.used_outputs(operation)
    results = rows.carry(graph, arguments, [graph.outputs[i] for i in used_outputs])
    return scatter_results(results, used_outputs, operation)
