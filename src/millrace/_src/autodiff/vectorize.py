"""Vectorization: a traced function of one row, run on a batch of rows at once.

The graph of the function is visited operation by operation. A value is either the same for every row or
*batched*: it has the rows along a new first axis. An operation without batched inputs is run once, unless it
has an effect or draws random numbers. Any other operation follows the batching rule of its op (`ops.batching`). Where
the op has no rule, or the rule does not cover the case, the operation is left to the caller's loop over the rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.op_def import Effects
from millrace._src.core.shapes import TensorShape
from millrace._src.graph.graph import Graph
from millrace._src.graph.operation import Operation
from millrace._src.graph.replay import call
from millrace._src.graph.traversal import find_required_operations
from millrace._src.ops.batching import BatchedRows, BatchedValue
from millrace._src.ops.batching_rules import rule_of

Loop = Callable[[Any, Sequence[BatchedValue], Any], list[Any]]
"""`(operation, inputs, count) -> outputs with the rows first`: runs an operation once per row."""


def vectorize(
    graph: Graph, given: dict[int, BatchedValue], outputs: Sequence[Any], count: object, loop: Loop
) -> list[BatchedValue]:
    """Runs a graph on a batch.

    Args:
      graph: the traced function of one row.
      given: the values of the graph's inputs, by the id of the input's operation.
      outputs: the tensors to compute.
      count: the number of rows, an int or a tensor.
      loop: runs the operations without a rule.

    Returns: The values of `outputs`.
    """
    return _run_on_rows(graph, given, outputs, _rows(count, loop))


def _rows(count: object, loop: Loop, *, is_trial: bool = False) -> BatchedRows:
    def carry(graph: Any, arguments: Sequence[BatchedValue], outputs: Sequence[Any]) -> list[BatchedValue]:
        arrays = {id(t.op): a for t, a in zip(graph.inputs, arguments, strict=True)}
        return _run_on_rows(graph, arrays, outputs, rows)

    rows = BatchedRows(count, loop, carry, lambda other: _rows(count, other, is_trial=True), is_trial)
    return rows


def _run_on_rows(
    graph: Graph, given: dict[int, BatchedValue], outputs: Sequence[Any], rows: BatchedRows
) -> list[BatchedValue]:
    values: dict[tuple[int, int], BatchedValue] = {}
    inputs = [op for op in graph.get_operations() if id(op) in given]
    for operation in inputs:
        values[id(operation), 0] = given[id(operation)]
    operations = find_required_operations(graph.get_operations(), [t.op for t in outputs], stop=inputs)
    used_keys = {(id(t.op), t.value_index) for t in (*outputs, *(t for op in operations for t in op.inputs))}
    for operation in operations:
        rows.used = used_keys
        arguments = [values[id(t.op), t.value_index] for t in operation.inputs]
        for tensor, value in zip(operation.outputs, _one(operation, arguments, rows), strict=True):
            values[id(operation), tensor.value_index] = value
    return [values[id(t.op), t.value_index] for t in outputs]


def _one(operation: Operation, arguments: Sequence[BatchedValue], rows: BatchedRows) -> list[BatchedValue]:
    """Returns the results of one operation."""
    if operation.static_values and not operation.effects.must_run:
        constants = zip(operation.static_values, operation.outputs, strict=True)
        return [BatchedValue(convert_to_tensor(v, dtype=t.dtype), False) for v, t in constants]
    rule = rule_of(operation.op_def)
    if not any(a.is_batched for a in arguments) and _is_the_same(operation, rule is not None):
        return [BatchedValue(t, False) for t in call(operation, [a.tensor for a in arguments])]
    results: Sequence[Any] | None
    if rule is None or any(a.is_uneven for a in arguments) and not _takes_uneven(operation, arguments):
        results = _pass_through(operation, arguments)
    else:
        results = rule(operation, arguments, rows)
    if results is None:
        results = rows.loop(operation, arguments, rows.count)
    return [_set_shape(f, t, rows.count) for f, t in zip(results, operation.outputs, strict=True)]


def _is_the_same(operation: Operation, has_rule: bool) -> bool:
    """Returns whether an operation on values that are the same for all rows happens once for all rows.

    A check (an assertion) has a rule; other effects happen once per row.
    """
    if operation.op_def.traits.control is not None or operation.op_def.holds_graphs:
        return operation.effects in (Effects.NONE, Effects.READS)
    if operation.effects is Effects.RANDOM:
        return False
    return has_rule or not operation.effects.must_run


def _takes_uneven(operation: Operation, arguments: Sequence[BatchedValue]) -> bool:
    """Returns whether the rule of an operation copes with lists of different lengths: a call's, in part a loop's."""
    control = operation.op_def.traits.control
    return control == "call" or control == "loop" and not any(a.by_row for a in arguments)


def _pass_through(operation: Operation, arguments: Sequence[BatchedValue]) -> list[BatchedValue] | None:
    """Returns the argument of an identity, batched or not."""
    return [arguments[0]] if operation.op_def.traits.returns_input else None


def _set_shape(found: object, of_one: Any, count: object) -> BatchedValue:
    """Returns a result of a rule as a BatchedValue, with the shape known from the operation of one row."""
    value = found if isinstance(found, BatchedValue) else BatchedValue(found, True)
    tensor = value.tensor
    if tensor.dtype.is_handle or getattr(tensor, "graph", None) is None:
        return value
    if of_one.shape.rank is not None:
        rows = [count if isinstance(count, int) else None] if value.is_batched else []
        tensor.set_shape(TensorShape(rows).concatenate(of_one.shape))
    return value
