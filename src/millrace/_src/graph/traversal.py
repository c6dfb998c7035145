"""Walks over graphs: what a set of outputs needs, and in which order it can run."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from millrace._src.graph.operation import Operation


def required_operations(
    operations: Sequence[Operation],
    roots: Iterable[Operation],
    stop: Iterable[Operation] = (),
    *,
    with_effects: bool = True,
) -> list[Operation]:
    """The operations that must run for `roots` and for the effects of the graph, in an order they can run in.

    `operations` is the whole graph. An operation with an effect (an assignment, a print) is needed even if no
    root depends on it, unless `with_effects` is False. Operations in `stop` are given: nothing they depend on
    is needed.
    """
    stopped = set(stop)
    needed: set[Operation] = set()
    stack = [*roots, *(op for op in operations if with_effects and op.effects.must_run)]
    while stack:
        operation = stack.pop()
        if operation in needed or operation in stopped:
            continue
        needed.add(operation)
        stack.extend(t.op for t in operation.inputs)
        stack.extend(operation.control_inputs)
    ordered = [op for op in operations if op in needed]
    return ordered if _is_topological(ordered, stopped) else topological_order(ordered, stopped)


def _is_topological(ordered: Sequence[Operation], given: set[Operation]) -> bool:
    seen = set(given)
    for operation in ordered:
        if any(t.op not in seen for t in operation.inputs) or any(c not in seen for c in operation.control_inputs):
            return False
        seen.add(operation)
    return True


def topological_order(operations: Sequence[Operation], given: Iterable[Operation] = ()) -> list[Operation]:
    """Orders operations so that each comes after its inputs and control inputs, otherwise as given.

    Raises: ValueError: if the operations depend on each other in a circle.
    """
    members = set(operations)
    done = set(given)
    result: list[Operation] = []
    for start in operations:
        stack: list[tuple[Operation, Any]] = [(start, None)] if start not in done else []
        path: set[Operation] = set()
        while stack:
            operation, pending = stack.pop()
            if operation in done:
                continue
            if pending is None:
                path.add(operation)
                pending = iter([*(t.op for t in operation.inputs), *operation.control_inputs])
            for dependency in pending:
                if dependency in members and dependency not in done:
                    if dependency in path:
                        raise ValueError(f"The graph has a cycle through '{dependency.name}'.")
                    stack += [(operation, pending), (dependency, None)]
                    break
            else:
                path.discard(operation)
                done.add(operation)
                result.append(operation)
    return result
