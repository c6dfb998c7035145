"""Walks over graphs: the operations that a set of outputs needs, and an order in which they can run."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from millrace._src.graph.operation import Operation


def find_required_operations(
    operations: Sequence[Operation],
    roots: Iterable[Operation],
    stop: Iterable[Operation] = (),
    *,
    with_effects: bool = True,
) -> list[Operation]:
    """Returns the operations that must run for `roots` and for the effects of the graph, in an order they can run in.

    `operations` is the whole graph. An operation with an effect (an assignment, a print) is needed even if no root
    depends on the operation, unless `with_effects` is False. The results of operations in `stop` are given: the inputs
    of such an operation are not needed.
    """
    stopped, roots = set(stop), list(roots)
    operations_in_order = _in_given_order(operations, roots, stopped, with_effects)
    if operations_in_order is None:
        needed_operations = _find_needed(operations, roots, stopped, with_effects)
        operations_in_order = topological_order([op for op in operations if op in needed_operations], stopped)
    return operations_in_order


def _in_given_order(
    operations: Sequence[Operation], roots: Iterable[Operation], stopped: set[Operation], with_effects: bool
) -> list[Operation] | None:
    """Returns the needed operations in the order of the graph; None if they cannot run in that order, which is rare."""
    missing_operations, passed_operations = set(roots), set()
    ordered_operations: list[Operation] = []
    for operation in reversed(operations):
        passed_operations.add(operation)
        if operation in stopped:
            continue
        if operation in missing_operations or with_effects and operation.effects.must_run:
            ordered_operations.append(operation)
            sources = [t.op for t in operation.inputs]
            sources += operation.control_inputs
            for source in sources:
                if source in passed_operations and source not in stopped:
                    return None
            missing_operations.update(sources)
    ordered_operations.reverse()
    return ordered_operations


def _find_needed(
    operations: Sequence[Operation], roots: Iterable[Operation], stopped: set[Operation], with_effects: bool
) -> set[Operation]:
    """Returns the operations on which roots and effects depend."""
    needed_operations: set[Operation] = set()
    stack = [*roots, *(op for op in operations if with_effects and op.effects.must_run)]
    while stack:
        operation = stack.pop()
        if operation not in needed_operations and operation not in stopped:
            needed_operations.add(operation)
            stack.extend(t.op for t in operation.inputs)
            stack.extend(operation.control_inputs)
    return needed_operations


def topological_order(operations: Sequence[Operation], given: Iterable[Operation] = ()) -> list[Operation]:
    """Orders operations so that each comes after its inputs and control inputs, and else in the given order.

    Raises: ValueError: if the operations depend on each other in a circle.
    """
    members = set(operations)
    done_operations = set(given)
    result: list[Operation] = []
    for start in operations:
        stack: list[tuple[Operation, Any]] = [(start, None)] if start not in done_operations else []
        path: set[Operation] = set()
        while stack:
            operation, predecessors = stack.pop()
            if operation in done_operations:
                continue
            if predecessors is None:
                path.add(operation)
                predecessors = iter([*(t.op for t in operation.inputs), *operation.control_inputs])
            for dependency in predecessors:
                if dependency in members and dependency not in done_operations:
                    if dependency in path:
                        raise ValueError(f"The graph has a cycle through '{dependency.name}'.")
                    stack += [(operation, predecessors), (dependency, None)]
                    break
            else:
                path.discard(operation)
                done_operations.add(operation)
                result.append(operation)
    return result
