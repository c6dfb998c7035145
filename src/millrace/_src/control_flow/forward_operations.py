"""Forward mode through the operations that hold graphs: calls, branches and loops.

Such an operation is changed in place: each of its graphs becomes that graph's forward derivative, the tangents of the
inputs become further inputs, and the tangents of the outputs further outputs. The tangents of a loop are thus loop
variables: the loop runs once, keeps no intermediates, and may be of any length.

A tape inside of the accumulator will ask the operation for intermediates when the tape goes back. The intermediates
must have tangents too, so the operation is made to return intermediates before its graphs are replaced.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from millrace._src.autodiff.op_recording import is_trainable
from millrace._src.control_flow.call import (
    further_outputs,
    partitioned_call,
    prepare_call,
    stateful_partitioned_call,
)
from millrace._src.control_flow.cond import (
    case_,
    case_branches,
    if_,
    if_branches,
    prepare_case,
    prepare_if,
    stateless_case,
    stateless_if,
)
from millrace._src.control_flow.derivative import with_outputs
from millrace._src.control_flow.forward_graph import forward_mode_of
from millrace._src.control_flow.while_gradient import prepare_while
from millrace._src.control_flow.while_loop import stateless_while, while_
from millrace._src.core.dtypes import DType
from millrace._src.core.shapes import TensorShape
from millrace._src.graph import rewriting
from millrace._src.graph.captured_tensors import capture_into
from millrace._src.graph.func_graph import FuncGraph
from millrace._src.graph.function_factory import CallableFunction, make_function
from millrace._src.ops import raw


@partitioned_call.operation_tangents
@stateful_partitioned_call.operation_tangents
def call_tangents(operation: Any, accumulator: Any) -> None:
    """Makes a call take and return tangents: it becomes a call of the forward derivative."""
    _change(operation, accumulator, prepare_call, _forward_call)


@if_.operation_tangents
@stateless_if.operation_tangents
def if_tangents(operation: Any, accumulator: Any) -> None:
    """Makes an If take and return tangents, which come from the branch that runs."""
    _change(operation, accumulator, prepare_if, _forward_if)


@case_.operation_tangents
@stateless_case.operation_tangents
def case_tangents(operation: Any, accumulator: Any) -> None:
    """Makes a Case take and return tangents, which come from the branch that runs."""
    _change(operation, accumulator, prepare_case, _forward_case)


@while_.operation_tangents
@stateless_while.operation_tangents
def while_tangents(operation: Any, accumulator: Any) -> None:
    """Makes a loop take and return tangents, which are further loop variables."""
    _change(operation, accumulator, prepare_while, _forward_while)


def _change(
    operation: Any,
    accumulator: Any,
    prepare: Callable[[Any], Any],
    forward: Callable[[Any, Sequence[Any]], tuple[dict[str, Any], _Forward]],
) -> None:
    """Makes an operation take and return tangents.

    Args:
      operation: the operation.
      accumulator: knows the tangents of the inputs and is told the tangents of the outputs.
      prepare: makes the operation return what a tape needs to go back.
      forward: takes the operation and for each input whether it has a tangent; returns the attributes that change, and
        which tangents the operation then takes and returns.
    """
    if operation.recordings and not operation.gradient_plans:
        prepare(operation)
    if all(recorder is not accumulator for recorder, _ in operation.recordings):
        rewriting.watch(operation, accumulator, None)
    tangents = [accumulator.differentiable_tangent(t) for t in operation.inputs]
    attrs, how = forward(operation, _mask(operation.inputs, tangents))
    further_inputs = _tangents_before(operation, tangents, how.takes)
    outputs = operation.outputs[:]
    further = further_outputs(operation, how.graph)
    attrs |= _output_shapes(operation, how.returns, further)
    further_tensors = iter(rewriting.extend(operation, attrs, further_inputs, further, accumulator=accumulator))
    for output, is_returned in zip(outputs, how.returns, strict=False):
        if is_returned:
            _note_tangent(accumulator, output, next(further_tensors))


class _Forward(NamedTuple):
    """The tangents that an operation takes and returns in forward mode."""

    takes: Sequence[bool]
    """For each input whether the operation takes its tangent."""
    returns: Sequence[bool]
    """For each output whether the operation returns its tangent."""
    graph: FuncGraph
    """A graph whose outputs are those of the operation and the tangents."""


def _note_tangent(accumulator: Any, output: Any, tangent: Any) -> None:
    """Notifies an accumulator of the tangent of an output."""
    if output.dtype is tangent.dtype:
        tangent.set_shape(output.shape)
    if accumulator.tangent(output) is None:
        accumulator.set_tangent(output, tangent)


# --- the operations --------------------------------------------------------------------------------------------------


def _forward_call(operation: Any, mask: Sequence[bool]) -> tuple[dict[str, Any], _Forward]:
    function, has = forward_mode_of(operation.attrs["f"], tuple(mask))
    return {"f": function}, _Forward(mask, has, function.graph)


def _forward_if(operation: Any, mask: Sequence[bool]) -> tuple[dict[str, Any], _Forward]:
    branches = [operation.attrs["then_branch"], operation.attrs["else_branch"]]
    functions, how = _forward_branches(branches, mask)
    return if_branches(functions), how


def _forward_case(operation: Any, mask: Sequence[bool]) -> tuple[dict[str, Any], _Forward]:
    functions, how = _forward_branches(operation.attrs["branches"], mask)
    return case_branches(functions), how


def _forward_branches(
    branches: Sequence[CallableFunction], mask: Sequence[bool]
) -> tuple[list[CallableFunction], _Forward]:
    """Returns the forward derivatives of all branches, which return the same tangents."""
    operand_mask = tuple(mask[1:])  # the first input selects the branch
    output_masks = [forward_mode_of(branch, operand_mask)[1] for branch in branches]
    has = tuple(any(parts) for parts in zip(*output_masks, strict=True))
    functions = [forward_mode_of(branch, operand_mask, has)[0] for branch in branches]
    return functions, _Forward(mask, has, functions[0].graph)


def _forward_while(operation: Any, mask: Sequence[bool]) -> tuple[dict[str, Any], _Forward]:
    attrs = operation.attrs
    has_tangent = _find_carried(attrs["body"], tuple(mask))
    body, _ = forward_mode_of(attrs["body"], has_tangent, has_tangent)
    cond = _add_ignored_inputs(attrs["cond"], body.graph.inputs[len(operation.inputs) :])
    return {"cond": cond, "body": body}, _Forward(has_tangent, has_tangent, body.graph)


def _find_carried(body: CallableFunction, mask: tuple[bool, ...]) -> tuple[bool, ...]:
    """Returns for each loop variable whether it has a tangent at the start or gets one in some iteration."""
    while True:
        _, has = forward_mode_of(body, mask)
        larger_mask = tuple(a or b for a, b in zip(mask, has, strict=True))
        if larger_mask == mask:
            return mask
        mask = larger_mask


def _add_ignored_inputs(function: CallableFunction, extra: Sequence[Any]) -> CallableFunction:
    """Returns the same function with further inputs, which the function ignores."""
    graph: FuncGraph = function.graph
    view = with_outputs(graph, graph.outputs)
    placeholders = [graph.add_placeholder(t.dtype, TensorShape(None), f"{t.op.name}_tangent") for t in extra]
    view.inputs = [*graph.inputs, *placeholders]
    return make_function(view, f"{function.name}_forward", jit_compile=function.jit_compile)


# --- inputs and outputs ----------------------------------------------------------------------------------------------


def _mask(inputs: Sequence[Any], tangents: Sequence[Any]) -> tuple[bool, ...]:
    """Returns for each input whether it has a tangent that counts."""
    return tuple(g is not None and is_trainable(t.dtype) for t, g in zip(inputs, tangents, strict=True))


def _tangents_before(operation: Any, tangents: Sequence[Any], mask: Sequence[bool]) -> list[Any]:
    """Returns the tangents that an operation takes, zeros for a loop variable that gets one only in the loop."""
    graph = operation.graph
    input_tangents = []
    with rewriting.inserting_before(operation):
        for tensor, tangent, is_taken in zip(operation.inputs, tangents, mask, strict=True):
            if is_taken:
                value = raw.ZerosLike(x=tensor) if tangent is None else tangent
                input_tangents.append(capture_into(graph, value))
    return input_tangents


def _output_shapes(
    operation: Any, returns: Sequence[bool], further: Sequence[tuple[DType, TensorShape]]
) -> dict[str, Any]:
    """Returns the attribute that declares the output shapes, with the shapes of the tangents, if there is one.

    A tangent has the shape of its output, unless the output is the handle of a variable.
    """
    shapes = operation.attrs.get("output_shapes")
    if not shapes:
        return {}
    specs = iter(further)
    tangent_shapes = []
    for output, shape, is_returned in zip(operation.outputs, shapes, returns, strict=False):
        if is_returned:
            dtype, tangent_shape = next(specs)
            tangent_shapes.append(shape if dtype is output.dtype else tangent_shape)
    return {"output_shapes": (*shapes, *tangent_shapes)}
