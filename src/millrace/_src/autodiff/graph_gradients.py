"""Gradients inside a graph: the sweep over operations instead of tape entries.

The forward pass is a list of operations; the common sweep gets an entry for each operation, made when the sweep comes
to it. Tensors of another graph are captured where the gradient's nodes use them, so the same code serves `tf.gradients`
in one graph and the backward function of a `FuncGraph`.

Tests: tests/oracle/programs/gradient_control_flow.py, tests/autodiff/test_gradients.py
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from typing import Any

from millrace._src.autodiff.backprop import sweep
from millrace._src.autodiff.gradient_plan import gather_values, gradient_plan
from millrace._src.autodiff.gradient_registry import operation_rule
from millrace._src.autodiff.op_recording import is_trainable
from millrace._src.autodiff.tape import TapeEntry
from millrace._src.core.tensor import tape_id
from millrace._src.graph.operation import Operation


def graph_gradients(
    operations: Sequence[Operation],
    targets: Sequence[Any],
    target_gradients: Sequence[Any],
    sources: Sequence[Any],
    stopped: Container[int] = frozenset(),
    scope_of: Callable[[Operation], contextlib.AbstractContextManager[Any]] = contextlib.nullcontext,
) -> list[Any]:
    """Computes the gradients of `targets`, weighted, with respect to `sources`; all tensors of one graph.

    Args:
      operations: the operations of that graph in an order they can run in.
      targets: tensors to differentiate.
      target_gradients: the gradient of each target, or None to leave the target out.
      sources: tensors to differentiate by.
      stopped: ids of tensors through which nothing flows.
      scope_of: gives the scope in which the gradient of an operation is made.

    Returns: A gradient, or None, for each source.
    """
    gradients: dict[int, Any] = {}
    for target, gradient in zip(targets, target_gradients, strict=True):
        if gradient is None:
            continue
        number = tape_id(target)
        gradients[number] = gradients[number] + gradient if number in gradients else gradient
    reached_numbers = find_reached(operations, sources, stopped)
    source_numbers = [tape_id(s) for s in sources]
    blocked = frozenset(source_numbers)
    results = sweep(_entries(operations, reached_numbers, gradients, stopped, scope_of), gradients, blocked)
    return [results.get(n) for n in source_numbers]


def find_reached(
    operations: Iterable[Operation], sources: Sequence[Any], stopped: Container[int] = frozenset()
) -> set[int]:
    """Returns the numbers of the tensors that depend on a source through differentiable values."""
    numbers = {tape_id(s) for s in sources}
    for operation in operations:
        if any(getattr(t, "_tape_id", 0) in numbers and is_trainable(t.dtype) for t in operation.inputs):
            numbers.update(tape_id(t) for t in operation.outputs if is_trainable(t.dtype) and id(t) not in stopped)
    return numbers


def _entries(
    operations: Sequence[Operation],
    reached: set[int],
    gradients: dict[int, Any],
    stopped: Container[int],
    scope_of: Callable[[Operation], contextlib.AbstractContextManager[Any]],
) -> Iterator[TapeEntry]:
    """Yields entries for the operations between sources and targets, the last first, each in its own scope."""
    for operation in reversed(operations):
        if any(getattr(t, "_tape_id", 0) in gradients and id(t) not in stopped for t in operation.outputs):
            input_ids = tuple(
                i if (i := getattr(t, "_tape_id", 0)) in reached and is_trainable(t.dtype) else 0
                for t in operation.inputs
            )
            if any(input_ids):
                with scope_of(operation):
                    yield _entry(operation, input_ids)


def _entry(operation: Operation, input_ids: tuple[int, ...]) -> TapeEntry:
    op = operation.op_def
    output_ids = tuple(tape_id(t) if is_trainable(t.dtype) else 0 for t in operation.outputs)
    specs = (
        tuple((t.shape, t.dtype) if t.shape.is_fully_defined() else t for t in operation.outputs)
        if len(output_ids) > 1
        else (None,)
    )
    scope = f"{operation.name}_grad"
    rule = operation_rule(op, operation.outputs[0], lambda: input_ids)
    if rule is not None:
        return TapeEntry(op, operation.attrs, input_ids, output_ids, specs, {}, rule, scope)
    plan = gradient_plan(op)
    if plan is None and op.traits.not_differentiable is not None:
        return TapeEntry(op, operation.attrs, (), (), (), {})
    values = {} if plan is None else gather_values(op, plan.names, operation.inputs, operation.outputs, operation.attrs)
    return TapeEntry(op, operation.attrs, input_ids, output_ids, specs, values, scope=scope)
