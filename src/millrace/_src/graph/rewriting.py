"""The one door through which a finished operation changes.

A graph is written once, but for a few things that are known only later. A gradient makes the operation that it
differentiates return intermediates. Forward mode makes an operation take and return tangents. An operation with effects
waits for earlier effects. Others have noted the operation by then: tapes will go back through it, accumulators give
each output a tangent, the graph remembers the operation's effects. So only the functions below write to an `Operation`,
and these functions tell the others; a test holds this rule for all of the library.

An operation may get more attributes, inputs, outputs and control inputs. Nothing is taken away, and the outputs that
the operation had stay as they were. That is why a program that was compiled from the graph before remains right.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from millrace._src.core import context
from millrace._src.core.dtypes import DType
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import SymbolicTensor
from millrace._src.graph.operation import Operation


def extend(
    operation: Operation,
    attrs: Mapping[str, Any],
    inputs: Sequence[SymbolicTensor] = (),
    outputs: Sequence[tuple[DType, TensorShape]] = (),
    *,
    accumulator: Any = None,
) -> list[SymbolicTensor]:
    """Gives an operation other attributes, further inputs and further outputs.

    The attributes that list the dtypes of inputs and outputs follow from the new inputs and outputs. Tapes that
    recorded the operation take note of the additions.

    Args:
      operation: the operation.
      attrs: the attributes that change.
      inputs: tensors of the operation's graph, made before the operation.
      outputs: the dtypes and shapes of the further outputs.
      accumulator: the recorder that asks for the tangents: only the recorders around it follow the additions.

    Returns: The further outputs.
    """
    count = len(operation.outputs)
    pairs = enumerate(outputs, count)
    new_outputs = [SymbolicTensor(operation, index, dtype, shape) for index, (dtype, shape) in pairs]
    operation.inputs = (*operation.inputs, *inputs)
    operation.outputs.extend(new_outputs)
    signature = operation.op_def.signature
    change_attrs(operation, {**attrs, **signature.list_types(operation.inputs, operation.outputs)})
    operation.infer_handle_types()
    is_around = accumulator is None
    for recorder, entry in operation.recordings:
        if recorder is accumulator:
            is_around = True
        elif not recorder.is_forward:
            recorder.operation_extended(entry, inputs, new_outputs, follows=is_around)
    return new_outputs


def change_attrs(operation: Operation, attrs: Mapping[str, Any]) -> None:
    """Changes some attributes of an operation, which may be functions; a holder of the old functions keeps those."""
    operation.attrs = {**operation.attrs, **attrs}
    operation.graph.known_effects = operation.graph.known_writes = None


def forget_attr(operation: Operation, name: str) -> None:
    """Takes away an attribute that only says how to differentiate the operation."""
    operation.attrs = {key: value for key, value in operation.attrs.items() if key != name}


def set_gradient(operation: Operation, gradient: object) -> None:
    """Gives an operation a gradient function of its own."""
    operation.gradient_override = gradient


def carry_over(operation: Operation, new: Operation) -> None:
    """Gives the copy of an operation in another graph what the original carries besides its attributes."""
    new.gradient_override, new.device = operation.gradient_override, operation.device


def set_device(operation: Operation, device: str) -> None:
    """Sets the device that an operation requests."""
    operation.device = device


# --- who watches -----------------------------------------------------------------------------------------------------


def watch(operation: Operation, recorder: object, entry: object) -> None:
    """Notes that a recorder saw an operation; the innermost recorder comes first.

    Args:
      operation: the operation.
      recorder: a tape or an accumulator.
      entry: what the recorder noted; the recorder gets the entry back when the operation changes.
    """
    operation.recordings = (*operation.recordings, (recorder, entry))


def keep_plan(operation: Operation, plan: object) -> None:
    """Keeps the gradient for which an operation was extended; accumulators then give the new outputs tangents."""
    operation.gradient_plans = (*operation.gradient_plans, plan)
    give_tangents = operation.op_def.rules.operation_tangents
    for recorder, _ in operation.recordings:
        if give_tangents is not None and recorder.is_forward and not recorder.is_finished:
            give_tangents(operation, recorder)


# --- order -----------------------------------------------------------------------------------------------------------


def wait_for(operation: Operation, others: Iterable[Operation]) -> None:
    """Makes an operation run after others, too."""
    operation._add_control_inputs(others)


@contextlib.contextmanager
def inserting_before(operation: Operation, *, tapes: tuple[Any, ...] = ()) -> Iterator[list[Operation]]:
    """Builds the further inputs of an operation: the operations made within the scope stand before the operation.

    Args:
      operation: the operation.
      tapes: the recorders that see the operations made within.

    Returns: A scope that gives a list, which holds the operations made within once the scope is left.
    """
    graph = operation.graph
    start = len(graph._operations)
    new_operations: list[Operation] = []
    with graph.as_default(), context.tapes_scope(tapes), graph.control_dependencies(None):
        yield new_operations
    new_operations += graph._operations[start:]
    del graph._operations[start:]
    position = graph._operations.index(operation)
    graph._operations[position:position] = new_operations
