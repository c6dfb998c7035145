"""Forward mode through the operations that hold graphs: calls, branches and loops.

Such an operation is changed in place: each of its graphs becomes its forward derivative, the tangents of the inputs
become inputs, and the tangents of the outputs further outputs. A loop so carries its tangents along as variables of
their own: it runs once, keeps nothing, and may be of any length.

A tape inside of the accumulator will ask the operation for intermediate values when it goes back. They must have
tangents too, so the operation is made to return them first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from millrace._src.autodiff.recording import is_trainable
from millrace._src.control_flow.call import (
    GraphFunction,
    add_outputs,
    partitioned_call,
    prepare_call,
    stateful_partitioned_call,
)
from millrace._src.control_flow.cond import case_, if_, prepare_case, prepare_if, stateless_case, stateless_if
from millrace._src.control_flow.derivative import with_outputs
from millrace._src.control_flow.while_gradient import prepare_while
from millrace._src.control_flow.while_loop import stateless_while, while_
from millrace._src.core.context import tapes_scope
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import tape_id
from millrace._src.graph.func_graph import FuncGraph
from millrace._src.ops import raw


@partitioned_call.operation_tangents
@stateful_partitioned_call.operation_tangents
def call_tangents(operation: Any, accumulator: Any) -> None:
    """The tangents of a call: of a call of the forward derivative."""
    _change(operation, accumulator, prepare_call, _forward_call)


@if_.operation_tangents
@stateless_if.operation_tangents
def if_tangents(operation: Any, accumulator: Any) -> None:
    """The tangents of an If: of the branch that runs."""
    _change(operation, accumulator, prepare_if, _forward_if)


@case_.operation_tangents
@stateless_case.operation_tangents
def case_tangents(operation: Any, accumulator: Any) -> None:
    """The tangents of a Case: of the branch that runs."""
    _change(operation, accumulator, prepare_case, _forward_case)


@while_.operation_tangents
@stateless_while.operation_tangents
def while_tangents(operation: Any, accumulator: Any) -> None:
    """The tangents of a loop, which carries them from iteration to iteration."""
    _change(operation, accumulator, prepare_while, _forward_while)


def _change(
    operation: Any,
    accumulator: Any,
    prepare: Callable[[Any], Any],
    forward: Callable[[Any, Sequence[Any]], Sequence[Any]],
) -> None:
    """Makes an operation take and return tangents.

    Args:
      operation: the operation.
      accumulator: knows the tangents of the inputs and is told those of the outputs.
      prepare: makes the operation return what a tape needs to go back.
      forward: changes the operation; from the tangents of its inputs to those of its outputs.
    """
    if operation.recordings and not operation.gradient_plan:
        prepare(operation)
    inside, around = _inside_and_around(operation, accumulator)
    inputs, outputs = len(operation.inputs), len(operation.outputs)
    tangents = [accumulator.differentiable_tangent(t) for t in operation.inputs]
    found = forward(operation, tangents)
    for _, entry in inside:
        added = len(operation.outputs) - outputs
        entry.output_ids += (0,) * added
        entry.output_specs += (None,) * added
    for tape, entry in around:
        taken = operation.inputs[inputs:]
        # Tapes do not know the lists that a loop takes since it was differentiated.
        entry.input_ids += (0,) * (inputs - len(entry.input_ids))
        entry.input_ids += tuple(tape_id(t) if tape_id(t) in tape.watched else 0 for t in taken)
        tape.follow_added_outputs(entry, operation.outputs[outputs:])
    for tensor, tangent in zip(operation.outputs, found, strict=False):
        if tangent is not None and accumulator.tangent(tensor) is None:
            accumulator.set_tangent(tensor, tangent)


def _inside_and_around(operation: Any, accumulator: Any) -> tuple[list[Any], list[Any]]:
    """The tapes that recorded the operation: those inside of the accumulator and those around it."""
    recorders = [recorder for recorder, _ in operation.recordings]
    if accumulator not in recorders:
        recorders.append(accumulator)
        operation.recordings.append((accumulator, None))
    place = recorders.index(accumulator)
    taped = [[r for r in part if not r[0].is_forward] for part in _split(operation.recordings, place)]
    return taped[0], taped[1]


def _split(items: Sequence[Any], place: int) -> tuple[Sequence[Any], Sequence[Any]]:
    return items[:place], items[place + 1 :]


# --- the operations --------------------------------------------------------------------------------------------------


def _forward_call(operation: Any, tangents: Sequence[Any]) -> Sequence[Any]:
    mask = _mask(operation.inputs, tangents)
    function, has = operation.attrs["f"].forward_mode(mask)
    _take_tangents(operation, tangents, mask)
    operation.attrs["Tin"] = tuple(t.dtype for t in operation.inputs)
    return _return_tangents(operation, "f", function, has)


def _forward_if(operation: Any, tangents: Sequence[Any]) -> Sequence[Any]:
    attrs = operation.attrs
    functions, has = _forward_branches(operation, [attrs["then_branch"], attrs["else_branch"]], tangents)
    attrs["else_branch"] = functions[1]
    return _return_tangents(operation, "then_branch", functions[0], has)


def _forward_case(operation: Any, tangents: Sequence[Any]) -> Sequence[Any]:
    functions, has = _forward_branches(operation, operation.attrs["branches"], tangents)
    operation.attrs["branches"] = tuple(functions)
    found = _return_tangents(operation, "_first_branch", functions[0], has)
    del operation.attrs["_first_branch"]
    return found


def _forward_branches(
    operation: Any, branches: Sequence[GraphFunction], tangents: Sequence[Any]
) -> tuple[list[GraphFunction], Sequence[bool]]:
    """The forward derivatives of all branches, which return the same tangents; and which outputs have one."""
    mask = _mask(operation.inputs, tangents)
    found = [branch.forward_mode(mask[1:])[1] for branch in branches]
    has = tuple(any(parts) for parts in zip(*found, strict=True))
    functions = [branch.forward_mode(mask[1:], has)[0] for branch in branches]
    _take_tangents(operation, tangents, mask)
    operation.attrs["Tin"] = tuple(t.dtype for t in operation.inputs[1:])
    return functions, has


def _forward_while(operation: Any, tangents: Sequence[Any]) -> Sequence[Any]:
    attrs = operation.attrs
    mask = _carried(attrs["body"], _mask(operation.inputs, tangents))
    body, _ = attrs["body"].forward_mode(mask, mask)
    attrs["cond"] = _with_ignored_inputs(attrs["cond"], body.graph.inputs[len(operation.inputs) :])
    _take_tangents(operation, tangents, mask)
    found = _return_tangents(operation, "body", body, mask)
    attrs["T"] = tuple(t.dtype for t in operation.inputs)
    attrs.pop("Tout", None)
    return found


def _carried(body: GraphFunction, mask: tuple[bool, ...]) -> tuple[bool, ...]:
    """The loop variables that have a tangent at the start or get one in some iteration."""
    while True:
        _, has = body.forward_mode(mask)
        grown = tuple(a or b for a, b in zip(mask, has, strict=True))
        if grown == mask:
            return mask
        mask = grown


def _with_ignored_inputs(function: GraphFunction, extra: Sequence[Any]) -> GraphFunction:
    """The same function with further inputs of which it makes no use."""
    graph: FuncGraph = function.graph
    view = with_outputs(graph, graph.outputs)
    placeholders = [graph.add_placeholder(t.dtype, TensorShape(None), f"{t.op.name}_tangent") for t in extra]
    view.inputs = [*graph.inputs, *placeholders]
    return GraphFunction(view, f"{function.name}_forward", jit_compile=function.jit_compile)


# --- inputs and outputs ----------------------------------------------------------------------------------------------


def _mask(inputs: Sequence[Any], tangents: Sequence[Any]) -> tuple[bool, ...]:
    """Which inputs have a tangent that counts."""
    return tuple(g is not None and is_trainable(t.dtype) for t, g in zip(inputs, tangents, strict=True))


def _take_tangents(operation: Any, tangents: Sequence[Any], mask: Sequence[bool]) -> None:
    """Gives the operation the tangents as inputs, zeros for a loop variable that gets one only in the loop."""
    graph = operation.graph
    start = len(graph.get_operations())
    taken = []
    with graph.as_default(), tapes_scope(()), graph.control_dependencies(None):
        for tensor, tangent, wanted in zip(operation.inputs, tangents, mask, strict=True):
            if wanted:
                value = raw.ZerosLike(x=tensor) if tangent is None else tangent
                taken.append(value if getattr(value, "graph", None) is graph else graph.capture(value))
    graph.move_before(operation, start)
    operation.inputs = (*operation.inputs, *taken)


def _return_tangents(operation: Any, attr: str, function: GraphFunction, has: Sequence[bool]) -> list[Any]:
    """Makes the operation return the tangents; gives one or None per output."""
    known = len(operation.outputs)
    add_outputs(operation, attr, function)
    added: Iterator[Any] = iter(operation.outputs[known:])
    found = [next(added) if one else None for one in has]
    shapes = operation.attrs.get("output_shapes")
    if shapes:
        own = map(_tangent_shape, operation.outputs, shapes, found)
        operation.attrs["output_shapes"] = (*shapes, *[shape for shape in own if shape is not None])
    for output, tangent in zip(operation.outputs, found, strict=False):
        if tangent is not None and output.dtype is tangent.dtype:
            tangent.set_shape(output.shape)
    return found


def _tangent_shape(output: Any, shape: TensorShape, tangent: Any) -> Any:
    """The shape of the tangent of an output, which is that of the output but for the handle of a variable."""
    if tangent is None:
        return None
    return shape if output.dtype is tangent.dtype else tangent.shape
