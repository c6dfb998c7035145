"""What a legal graph is.

Engines, passes and gradients rely on these rules, and `rewriting` must keep them; tests check them. Each rule is one
small function, which says what is wrong with a graph or with one of its operations.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from millrace._src.graph.control_deps import function_attrs
from millrace._src.graph.operation import Operation
from millrace._src.graph.traversal import topological_order

if TYPE_CHECKING:
    from millrace._src.graph.graph import Graph


class IllegalGraphError(Exception):
    """A graph breaks a rule."""


def check(graph: Graph) -> None:
    """Checks a graph and the graphs that its operations hold.

    Raises: IllegalGraphError: if a rule is broken; the message lists all faults.
    """
    faults = list(_faults(graph, set()))
    if faults:
        raise IllegalGraphError("\n".join(faults))


def _faults(graph: Any, seen: set[int]) -> Iterator[str]:
    seen.add(id(graph))
    operations = graph.get_operations()
    members = set(operations)
    if len({operation.name for operation in operations}) < len(operations):
        yield f"{graph!r}: a name represents two operations"
    for operation in operations:
        yield from _faults_of_sources(operation, members)
        yield from _faults_of_types(operation)
        for body in function_attrs(operation):
            if id(body) not in seen:
                yield from _faults(body, seen)
    try:
        topological_order(operations)
    except ValueError as error:
        yield f"{graph!r}: {error}"
    for tensor in (*graph.inputs, *graph.outputs):
        if tensor.op not in members:
            yield f"{graph!r}: {tensor!r} is an input or output and belongs to another graph"


def _faults_of_sources(operation: Operation, members: set[Operation]) -> Iterator[str]:
    """Yields the inputs and control inputs outside of an operation's graph, and outputs of another operation."""
    for tensor in operation.inputs:
        if tensor.op not in members:
            yield f"{operation!r} reads {tensor!r} of another graph"
        elif tensor.op.outputs[tensor.value_index] is not tensor:
            yield f"{operation!r} reads {tensor!r}, which is not an output of {tensor.op!r}"
    yield from (
        f"{operation!r} waits for {other!r} of another graph"
        for other in operation.control_inputs
        if other not in members
    )
    for index, tensor in enumerate(operation.outputs):
        if tensor.op is not operation or tensor.value_index != index:
            yield f"{operation!r}: output {index} is {tensor!r}"


def _faults_of_types(operation: Operation) -> Iterator[str]:
    """Yields the inputs and outputs whose dtypes differ from the signature and the attributes."""
    signature, attrs = operation.op_def.signature, operation.attrs
    sides = (("inputs", signature.inputs, operation.inputs), ("outputs", signature.outputs, operation.outputs))
    for kind, args, tensors in sides:
        declared_types = [dtype for arg in args for dtype in arg.dtypes(attrs)]
        if declared_types != _dtypes(tensors):
            yield f"{operation!r}: {kind} are {_dtypes(tensors)}, declared as {declared_types}"


def _dtypes(tensors: Sequence[Any]) -> list[object]:
    return [tensor.dtype for tensor in tensors]
