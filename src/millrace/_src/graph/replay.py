"""Running an operation of one graph again, on other tensors, in the current context.

A transformation of a graph that keeps most of the graph goes through the operations in order and replays each on the
tensors that now represent its inputs: as a node of the graph being built, or at once in eager mode. What an operation
carries besides its attributes (a gradient of its own, the variable behind a handle, its device) goes along.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from millrace._src.core.context import state
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dispatch import record
from millrace._src.core.execute import execute
from millrace._src.core.tensor import tape_id
from millrace._src.graph import rewriting
from millrace._src.graph.captured_tensors import capture_into
from millrace._src.graph.operation import Operation


def replay(operation: Operation, known: dict[tuple[int, int], Any], *, same_numbers: bool = False) -> Operation | None:
    """Runs `operation` on the tensors that represent its inputs.

    Args:
      operation: an operation of some graph.
      known: from `(id(tensor.op), tensor.value_index)` of each tensor of that graph to the tensor that represents it;
        the outputs are added.
      same_numbers: whether tapes shall know the new tensors under the numbers of the old tensors. The operation may
        carry a user's gradient function, which may watch the old tensors and compute with them.

    Returns: The new operation; None in eager mode and where constants represent the outputs.
    """
    new_operation = None
    if operation.static_values and not operation.effects.must_run:
        pairs = zip(operation.static_values, operation.outputs, strict=True)
        name = name_alone(operation) if not operation.inputs else None
        outputs = [convert_to_tensor(value, dtype=t.dtype, name=name) for value, t in pairs]
    elif state.graph is None:
        outputs = call(operation, [known[id(t.op), t.value_index] for t in operation.inputs])
    else:
        new_operation = _add(operation, [known[id(t.op), t.value_index] for t in operation.inputs], same_numbers)
        outputs = new_operation.outputs
    known.update({(id(operation), index): tensor for index, tensor in zip(range(len(operation.outputs)), outputs)})
    return new_operation


def call(operation: Operation, tensors: Sequence[Any], **changed_attrs: Any) -> list[Any]:
    """Calls an operation's op on other tensors, with the operation's attributes but for the changed ones.

    Returns: The outputs, as a flat list.
    """
    op = operation.op_def
    inferred = op.signature.inferred_attrs
    attrs = {n: v for n, v in operation.attrs.items() if n not in inferred and not n.startswith("_")} | changed_attrs
    results = execute(op, op.signature.split_inputs(tensors, operation.attrs), attrs)
    if not op.signature.outputs:
        return []
    parts = results if isinstance(results, list) else [results]
    return [t for part in parts for t in (part if isinstance(part, list) else [part])]


def name_alone(operation: Operation) -> str:
    """Returns the last part of an operation's name, as the name can stand outside of a scope."""
    return operation.name.rpartition("/")[2].lstrip("_-") or operation.type


def _add(operation: Operation, tensors: Sequence[Any], same_numbers: bool) -> Operation:
    """Adds a node to the current graph and tells the tapes."""
    graph, op = state.graph, operation.op_def
    inputs = [capture_into(graph, t) for t in tensors]
    attrs = dict(operation.attrs)
    new_operation: Operation = graph.add_operation(op, inputs, attrs, graph.unique_name(name_alone(operation)))
    rewriting.carry_over(operation, new_operation)
    for original, tensor in zip(operation.outputs, new_operation.outputs, strict=True):
        tensor.set_shape(original.shape)
        if same_numbers:
            tensor._tape_id = tape_id(original)
    if state.tapes and new_operation.outputs:
        record(op, inputs, new_operation.outputs, attrs)
    return new_operation
