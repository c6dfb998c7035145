"""The one door through which a finished operation changes.

A graph is written once, but for a few things that are known only later. A gradient makes the operation in front of it
return intermediates. Forward mode makes an operation take and return tangents. What has effects waits for what had
effects before. Others have noted the operation by then: tapes, which will go back through it; accumulators, which give
each output its tangent; the graph, which remembers its effects. So nobody writes to an `Operation` but the functions
below, which tell those who watch; a test holds this for all of the library.

An operation may be given more: attributes, inputs, outputs, things to wait for. Nothing is taken away, and the outputs
that it had stay what they were. That is why a program that was made of the graph before remains right.
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

    The attributes that list the dtypes of inputs and outputs follow by themselves. Tapes that recorded the operation
    take note of what was added.

    Args:
      operation: the operation.
      attrs: the attributes that change.
      inputs: tensors of the operation's graph, made before the operation.
      outputs: the dtypes and shapes of the further outputs.
      accumulator: the recorder for whom this is done: only the recorders around it follow what was added.

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
    """Changes some attributes of an operation, its functions among them; whoever holds the old ones keeps these."""
    operation.attrs = {**operation.attrs, **attrs}
    operation.graph.known_effects = None


def set_gradient(operation: Operation, gradient: Any) -> None:
    """Gives an operation a gradient function of its own."""
    operation.gradient_override = gradient


def carry_over(operation: Operation, new: Operation) -> None:
    """Gives an operation that is made anew in another graph what the old one carries besides its attributes."""
    new.gradient_override, new.device = operation.gradient_override, operation.device


def place(operation: Operation, device: str) -> None:
    """Sets the device that an operation requests."""
    operation.device = device


# --- who watches -----------------------------------------------------------------------------------------------------


def watch(operation: Operation, recorder: Any, entry: Any) -> None:
    """Notes that a recorder saw an operation; the innermost recorder comes first.

    Args:
      operation: the operation.
      recorder: a tape or an accumulator.
      entry: what the recorder noted; it is given back to the recorder when the operation changes.
    """
    operation.recordings.append((recorder, entry))


def keep_plan(operation: Operation, plan: Any) -> None:
    """Notes how to go back through an operation that was extended for this; accumulators give the outputs tangents."""
    operation.gradient_plans = (*operation.gradient_plans, plan)
    give_tangents = operation.op_def.rules.operation_tangents
    for recorder, _ in operation.recordings[:]:
        if give_tangents is not None and recorder.is_forward and not recorder.is_finished:
            give_tangents(operation, recorder)


# --- order -----------------------------------------------------------------------------------------------------------


def wait_for(operation: Operation, others: Iterable[Operation]) -> None:
    """Makes an operation run after others, too."""
    operation._add_control_inputs(others)


@contextlib.contextmanager
def inserting_before(operation: Operation, *, tapes: tuple[Any, ...] = ()) -> Iterator[list[Operation]]:
    """Builds in the graph of an operation what the operation will take: the operations made within come before it.

    Args:
      operation: the operation.
      tapes: the recorders that see what is made.

    Returns: A scope that gives a list, which holds the operations that were made once the scope is left.
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
