"""Batching rules that many ops share; an op names a rule in its declaration, `batching=leading("input")`.

Each rule says what a first axis for the rows means to an op. To an op that works element by element, nothing. To an op
on matrices, one more axis in front of the matrices. To an op on batches, more images in the batch. To an op along given
axes, a number to add to the axes. For the plainest ops the declared shape rule says enough: `derive_rule`.

Tests: tests/autodiff/test_vectorize.py, tests/contracts/test_every_batching.py
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.op_def import Effects, OpDef
from millrace._src.graph.operation import Operation
from millrace._src.graph.replay import call
from millrace._src.ops import raw
from millrace._src.ops.batching import (
    BatchedRows,
    BatchedValue,
    Rule,
    after_rows,
    after_rows_tensor,
    any_batched,
    argument_positions,
    dimensions,
    fold,
    pad_rank,
    rows_first,
    rows_last,
    unfold,
)
from millrace._src.ops.math.broadcasting import broadcast_shape
from millrace._src.ops.shape_rules import broadcast_shape as plain_broadcast_shape
from millrace._src.ops.shape_rules import merged_shape, same_shape


def rule_of(op: OpDef) -> Rule | None:
    """Returns the batching rule of an op: the declared rule, or the rule that follows from the shape rule."""
    return op.rules.batching or derive_rule(op)


@functools.cache  # finite: one entry an op
def derive_rule(op: OpDef) -> Rule | None:
    """Derives the rule of an op that works element by element from the shape rule."""
    signature = op.signature
    if any(a.is_list for a in (*signature.inputs, *signature.outputs)) or len(signature.outputs) != 1:
        return None
    if op.traits.not_batched is not None or op.holds_graphs or op.effects({}) is not Effects.NONE:
        return None
    if op.traits.host_only and op.rules.gradient is None:
        return None
    count = len(signature.inputs)
    if op.rules.shape in (broadcast_shape, plain_broadcast_shape) and count == 2:
        return elementwise
    if op.rules.shape is same_shape and count == 1:
        return as_it_is
    return alike if op.rules.shape is merged_shape else None


def is_exact_on_rows(op: OpDef) -> bool:
    """Returns whether the batching rule of an op gives each row the very bits that the op gives for the row alone."""
    return op.traits.exact_on_rows or op.rules.batching is None and derive_rule(op) is not None


# --- element by element ----------------------------------------------------------------------------------------------


def as_it_is(operation: Operation, arguments: Sequence[BatchedValue], rows: BatchedRows) -> Sequence[Any]:
    """Calls the op on the batch unchanged: each element of the result depends on the same axes of the operand."""
    return call(operation, [a.tensor if any_batched(arguments) else rows.spread(a) for a in arguments])


def each_as_it_is(operation: Operation, arguments: Sequence[BatchedValue], rows: BatchedRows) -> Sequence[Any]:
    """Calls the op on the batch unchanged: every operand becomes the result in the same position."""
    return [
        BatchedValue(t, *a[1:]) for t, a in zip(call(operation, [a.tensor for a in arguments]), arguments, strict=True)
    ]


def elementwise(operation: Operation, arguments: Sequence[BatchedValue], rows: BatchedRows) -> Sequence[Any] | None:
    """Puts axes of size 1 behind the rows of operands of smaller rank; broadcasting would put the axes in front."""
    ranks = [t.shape.rank for t in operation.inputs]
    if None in ranks:
        return None
    return call(operation, [pad_rank(a, max(ranks) - r) for a, r in zip(arguments, ranks, strict=True)])


def scalars_aside(operation: Operation, arguments: Sequence[BatchedValue], rows: BatchedRows) -> Sequence[Any] | None:
    """Repeats the scalars of the rows for each element; all other operands have one shape."""
    ranks = [t.shape.rank for t in operation.inputs]
    if None in ranks:
        return None
    widest_index = ranks.index(max(ranks))
    full_tensor = rows.spread(arguments[widest_index])
    spread = []
    for argument, rank in zip(arguments, ranks, strict=True):
        is_scalar = rank == 0 and ranks[widest_index] > 0
        tensor = pad_rank(argument, ranks[widest_index]) if is_scalar else rows.spread(argument)
        spread.append(raw.BroadcastTo(input=tensor, shape=dimensions(full_tensor)) if is_scalar else tensor)
    return call(operation, spread)


def alike(operation: Operation, arguments: Sequence[BatchedValue], rows: BatchedRows) -> Sequence[Any] | None:
    """Gives all operands the rows first: all have one shape, the shape of the result."""
    return call(operation, [rows.spread(a) for a in arguments])


def all_hold(operation: Operation, arguments: Sequence[BatchedValue], rows: BatchedRows) -> Sequence[Any]:
    """Asserts that the condition holds for every row."""
    condition, *data = arguments
    tensor = condition.tensor
    holds = raw.All(input=tensor, reduction_indices=[0]) if condition.is_batched else tensor
    return call(operation, [holds, *[a.tensor for a in data]])


# --- the last axes, the first axis -----------------------------------------------------------------------------------


def leading(*names: str) -> Rule:
    """Makes the rule of an op on the last axes: the named operands get the rows in front of those axes.

    The other operands are the same for all rows; else the rows are left to a loop.
    """

    def rule(operation: Operation, arguments: Sequence[BatchedValue], rows: BatchedRows) -> Sequence[Any] | None:
        spread = _only(operation, names, arguments, rows)
        if spread is None:
            return None
        results = zip(call(operation, spread), operation.outputs, strict=True)
        return [BatchedValue(t, not _is_left_out(t, row_result)) for t, row_result in results]

    return rule


def _is_left_out(tensor: Any, of_one: Any) -> bool:
    """Returns whether a result is the empty vector for an output that an attribute leaves out."""
    return bool(tensor.shape.rank == 1 and of_one.shape.rank == 1 and of_one.shape[0] == 0)


def _only(
    operation: Operation, names: Sequence[str], arguments: Sequence[BatchedValue], rows: BatchedRows
) -> list[Any] | None:
    """Returns the tensors of the arguments, the named ones with the rows first; None if another differs by row."""
    chosen_positions = argument_positions(operation, names)
    if any(a.is_batched for i, a in enumerate(arguments) if i not in chosen_positions):
        return None
    return [rows.spread(a) if i in chosen_positions else a.tensor for i, a in enumerate(arguments)]


def folding(*names: str, like: str | None = None) -> Rule:
    """Makes the rule of an op on a batch: the rows and the batch of the named operands become one batch.

    Args:
      names: the operands with a batch as their first axis, as all results have.
      like: the named operand that has the batch of the results; by default the first.
    """

    def rule(operation: Operation, arguments: Sequence[BatchedValue], rows: BatchedRows) -> Sequence[Any] | None:
        tensors = _only(operation, names, arguments, rows)
        if tensors is None:
            return None
        folded_positions = argument_positions(operation, names)
        results = call(operation, [fold(t) if i in folded_positions else t for i, t in enumerate(tensors)])
        (first,) = argument_positions(operation, [like or names[0]])
        return [unfold(t, tensors[first]) for t in results]

    return rule


def trailing(*names: str) -> Rule:
    """Makes the rule of an op along the first axes (picks, sums, orders): the rows of the named operands go last."""

    def rule(operation: Any, arguments: Sequence[BatchedValue], rows: BatchedRows) -> Sequence[Any] | None:
        spread_tensors = _only(operation, names, arguments, rows)
        moved_positions = argument_positions(operation, names)
        ranks = [t.shape.rank for t in operation.inputs]
        if (
            spread_tensors is None
            or any(ranks[i] is None for i in moved_positions)
            or any(t.shape.rank is None for t in operation.outputs)
        ):
            return None
        tensors = [rows_last(t, ranks[i]) if i in moved_positions else t for i, t in enumerate(spread_tensors)]
        results = zip(call(operation, tensors), operation.outputs, strict=True)
        return [rows_first(t, row_result.shape.rank + 1) for t, row_result in results]

    return rule


# --- axes ------------------------------------------------------------------------------------------------------------


def along(axis: str, *names: str) -> Rule:
    """Makes the rule of an op that takes an axis, or axes, of the named operands as an operand."""

    def rule(operation: Operation, arguments: Sequence[BatchedValue], rows: BatchedRows) -> Sequence[Any] | None:
        tensors = _only(operation, names, arguments, rows)
        if tensors is None:
            return None
        (position,) = argument_positions(operation, [axis])
        tensors[position] = after_rows_tensor(arguments[position])
        return call(operation, tensors)

    return rule


def along_attr(axis: str, *names: str) -> Rule:
    """Makes the rule of an op that takes an axis of the named operands as an attribute."""

    def rule(operation: Operation, arguments: Sequence[BatchedValue], rows: BatchedRows) -> Sequence[Any] | None:
        tensors = _only(operation, names, arguments, rows)
        return None if tensors is None else call(operation, tensors, **{axis: after_rows(operation.attrs[axis])})

    return rule


def preceding(operand: str, first: object, *names: str) -> Rule:
    """Makes the rule of an op that takes a value for each axis of the named operands; `first` is the value for rows."""

    def rule(operation: Operation, arguments: Sequence[BatchedValue], rows: BatchedRows) -> Sequence[Any] | None:
        tensors = _only(operation, names, arguments, rows)
        if tensors is None:
            return None
        (position,) = argument_positions(operation, [operand])
        numbers = tensors[position]
        tensors[position] = raw.ConcatV2(values=[convert_to_tensor([first], dtype=numbers.dtype), numbers], axis=0)
        return call(operation, tensors)

    return rule
