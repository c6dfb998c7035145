"""Automatic control dependencies: effects of a function body happen in program order.

A dataflow graph orders two operations only if one needs the other's output. An assignment followed by a read of the
same variable has no such tie. So after a body is traced this pass adds control inputs: a read waits for the last write
of its resource, a write for the last write and the reads since. Effects outside of the program (prints, assertions,
host functions) that touch no resource happen one after the other. All effects together are joined in one `NoOp` for
which the outputs wait, as TensorFlow builds it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from millrace._src.core.op_def import Effects
from millrace._src.core.op_registry import get_op
from millrace._src.graph import rewriting
from millrace._src.graph.func_graph import FuncGraph
from millrace._src.graph.function_factory import body_of
from millrace._src.graph.operation import Operation


def add_automatic_control_dependencies(graph: FuncGraph, start: int = 0) -> list[Operation]:
    """Orders the effects among the operations added since index `start`; returns the operations that must run."""
    last_write: dict[int, Operation] = {}
    reads: dict[int, list[Operation]] = {}
    must_run: list[Operation] = []
    last_outside: list[Operation] = []
    for operation in graph.get_operations()[start:]:
        effects = operation.effects
        if effects in (Effects.NONE, Effects.RANDOM):
            continue
        must_run.append(operation)
        waits: list[Operation] = []
        uses = resource_uses(operation)
        if effects is Effects.IO and not uses:
            rewriting.wait_for(operation, last_outside)
            last_outside = [operation]
        for tensor, writes in uses:
            resource = id(tensor)
            previous_write = last_write.get(resource)
            if previous_write is not None:
                waits.append(previous_write)
            if writes:
                waits.extend(reads.pop(resource, ()))
                last_write[resource] = operation
            else:
                reads.setdefault(resource, []).append(operation)
        ancestors = {t.op for t in operation.inputs}
        predecessors = (w for w in dict.fromkeys(waits) if w not in ancestors and w is not operation)
        rewriting.wait_for(operation, predecessors)
    return must_run


def join_effects(graph: FuncGraph, must_run: Iterable[Operation]) -> Operation | None:
    """Adds the `NoOp` that runs after all effects of the body, or None if there are none."""
    controls = list(must_run)
    if not controls:
        return None
    return graph.add_operation(get_op("NoOp"), (), {}, graph.unique_name("NoOp"), shapes=(), control_inputs=controls)


def resource_uses(operation: Operation) -> list[tuple[Any, bool]]:
    """Lists the resources among an operation's inputs, each with whether the operation may write the resource."""
    uses: list[tuple[Any, bool]] = []
    for index, tensor in enumerate(operation.inputs):
        if tensor.dtype.is_resource:
            uses.append((tensor, _may_write(operation, index)))
    return uses


def _may_write(operation: Operation, index: int) -> bool:
    bodies = function_attrs(operation)
    if not bodies:
        return operation.effects is not Effects.READS
    return any(body_writes(body, index - (len(operation.inputs) - len(body.inputs))) for body in bodies)


def function_attrs(operation: Operation) -> list[FuncGraph]:
    """Lists the graphs among an operation's attributes."""
    return [body_of(function) for function in list_called_functions(operation)]


def list_called_functions(operation: Operation) -> list[Any]:
    """Lists the functions, or bare bodies, among an operation's attributes, in the order that the op declares."""
    functions: list[Any] = []
    for name, kind in operation.op_def.attr_kinds.items():
        value = operation.attrs.get(name)
        if kind == "func" and value is not None:
            functions.append(value)
        elif kind == "list[func]" and value is not None:
            functions.extend(value)
    return functions


def body_writes(body: FuncGraph, index: int) -> bool:
    """Returns whether a function body may write the resource that is its input `index`."""
    if not 0 <= index < len(body.inputs):
        return False
    return id(body.inputs[index]) in _find_written_resources(body)


def _find_written_resources(graph: FuncGraph) -> frozenset[int]:
    """Returns the identities of the resources that a graph may write; kept until the graph gets further operations."""
    operations = graph.get_operations()
    known_writes = graph.known_writes
    if known_writes is None or known_writes[0] != len(operations):
        uses = [use for operation in operations for use in resource_uses(operation)]
        known_writes = len(operations), frozenset(id(tensor) for tensor, writes in uses if writes)
        graph.known_writes = known_writes
    return known_writes[1]


def body_effects(bodies: Iterable[Any]) -> Effects:
    """Returns the effects of an op that runs any of some function bodies."""
    return _strongest({_graph_effects(body_of(body)) for body in bodies})


def _graph_effects(graph: Any) -> Effects:
    """Returns the effects of a graph's operations; the graph keeps the answer until it gets further operations."""
    operations = graph.get_operations()
    known_effects = graph.known_effects
    if known_effects is None or known_effects[0] != len(operations):
        sources = {t.op for t in graph.inputs}
        known_effects = len(operations), _strongest({op.effects for op in operations if op not in sources})
        graph.known_effects = known_effects
    effects: Effects = known_effects[1]
    return effects


def effects_beyond_checks(graph: FuncGraph) -> Effects:
    """Returns the effects of a graph's operations, but for operations that only refuse values (assertions)."""
    sources = {t.op for t in graph.inputs}
    found: set[Effects] = set()
    for operation in graph.get_operations():
        if operation in sources or _only_checks(operation):
            continue
        if operation.op_def.traits.control is None:
            found.add(operation.effects)
        else:
            found.update(map(effects_beyond_checks, function_attrs(operation)))
    return _strongest(found)


def _only_checks(operation: Operation) -> bool:
    """Returns whether an operation does nothing but refuse values."""
    op = operation.op_def
    return operation.effects is Effects.IO and not op.signature.outputs and bool(op.traits.refuses)


def _strongest(found: set[Effects]) -> Effects:
    """Returns, of the effects of several operations, the effect that says most."""
    for effect in (Effects.IO, Effects.WRITES, Effects.READS, Effects.RANDOM):
        if effect in found:
            return effect
    return Effects.NONE
