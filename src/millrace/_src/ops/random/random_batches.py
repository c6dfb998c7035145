"""Batching rules of random ops: every row draws numbers of its own, all in one call.

An op that draws a shape draws that shape with the rows first. An op whose parameters differ from row to row takes the
rows as further parameters.

Tests: tests/contracts/test_every_batching.py
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from millrace._src.core.convert import convert_to_tensor
from millrace._src.graph.operation import Operation
from millrace._src.graph.replay import call
from millrace._src.ops import raw
from millrace._src.ops.batching import (
    BatchedRows,
    BatchedValue,
    any_batched,
    fold,
    int32,
    join,
    unfold,
)


def of_shape(operation: Operation, arguments: Sequence[BatchedValue], rows: BatchedRows) -> Sequence[Any] | None:
    """Draws as many numbers for each row, by the same parameters, for ops `(shape, parameters...)`."""
    if any_batched(arguments):
        return None
    return call(operation, [_more(arguments[0], rows), *[a.tensor for a in arguments[1:]]])


def _more(shape: BatchedValue, rows: BatchedRows) -> Any:
    """Returns a shape with the rows first, of the shape's own dtype."""
    full = convert_to_tensor(join(rows.vector(), int32(shape.tensor)), dtype="int32")
    return full if shape.tensor.dtype.name == "int32" else raw.Cast(x=full, DstT=shape.tensor.dtype)


def of_shape_and_rate(
    operation: Operation, arguments: Sequence[BatchedValue], rows: BatchedRows
) -> Sequence[Any] | None:
    """Draws for all rows, for ops that draw `shape` numbers for each rate.

    The rows of the rates come behind the shape in the op's result, and are moved to the front.
    """
    shape, rate = arguments
    if shape.is_batched:
        return None
    if not rate.is_batched:
        return call(operation, [_more(shape, rows), rate.tensor])
    count, rank = operation.inputs[0].shape.num_elements(), operation.inputs[1].shape.rank
    if count is None or rank is None:
        return None
    (numbers,) = call(operation, [shape.tensor, rate.tensor])
    return [raw.Transpose(x=numbers, perm=[count, *range(count), *range(count + 1, count + 1 + rank)])]


def of_logits(operation: Operation, arguments: Sequence[BatchedValue], rows: BatchedRows) -> Sequence[Any] | None:
    """Draws for all rows; the rows of logits of all rows are one matrix."""
    logits, number = arguments
    if number.is_batched:
        return None
    spread = rows.spread(logits)
    return [unfold(call(operation, [fold(spread), number.tensor])[0], spread)]
