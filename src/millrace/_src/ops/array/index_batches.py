"""Batching rules of ops that gather and scatter.

Where each row has indices of its own, the row's number is put in front of the indices, and one op serves all rows.

Tests: tests/contracts/test_every_batching.py, tests/autodiff/test_vectorize.py
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
    after_rows,
    after_rows_tensor,
    any_batched,
    dimensions,
    int32,
    join,
    known_value,
    reshape_rows,
    rows_first,
    rows_last,
)


def gather(operation: Operation, arguments: Sequence[BatchedValue], rows: BatchedRows) -> Sequence[Any] | None:
    """Gathers for every row from a table of its own, at indices of its own, or both."""
    table, indices = arguments[:2]
    batch_dims = operation.attrs.get("batch_dims", 0)
    axis_value = arguments[2] if len(arguments) > 2 else BatchedValue(convert_to_tensor(0), False)
    if axis_value.is_batched:
        return None
    if not indices.is_batched and not batch_dims:
        return [raw.GatherV2(params=table.tensor, indices=indices.tensor, axis=after_rows_tensor(axis_value))]
    axis = known_value(axis_value)
    if axis is None:
        return None
    at = int(axis.reshape(()))
    if not table.is_batched and not batch_dims and at == 0:
        return [raw.GatherV2(params=table.tensor, indices=indices.tensor, axis=0)]
    tables, spread_indices = rows.spread(table), rows.spread(indices)
    return [raw.GatherV2(params=tables, indices=spread_indices, axis=after_rows(at), batch_dims=after_rows(batch_dims))]


def resource_gather(operation: Operation, arguments: Sequence[BatchedValue], rows: BatchedRows) -> Sequence[Any] | None:
    """Gathers from a variable, which is the same for all rows, at indices of each row."""
    if arguments[0].is_batched or operation.attrs.get("batch_dims"):
        return None
    return call(operation, [a.tensor for a in arguments])


def gather_nd(operation: Operation, arguments: Sequence[BatchedValue], rows: BatchedRows) -> Sequence[Any] | None:
    """Moves the rows to the end where the indices are the same for all rows; else numbers the indices by rows."""
    table, indices = arguments
    rank, out = operation.inputs[0].shape.rank, operation.outputs[0].shape.rank
    if not table.is_batched:
        return call(operation, [table.tensor, indices.tensor])
    if not indices.is_batched and rank is not None and out is not None:
        (slices,) = call(operation, [rows_last(table.tensor, rank), indices.tensor])
        return [rows_first(slices, out + 1)]
    numbered_indices = _number(indices, rows, operation.inputs[1].shape.rank)
    return None if numbered_indices is None else call(operation, [table.tensor, numbered_indices])


def _number(indices: BatchedValue, rows: BatchedRows, rank: int | None) -> Any:
    """Puts the number of the row in front of indices `[..., k]`, which gives `[rows, ..., k + 1]`."""
    if rank is None:
        return None
    spread_indices = rows.spread(indices)
    dims = dimensions(spread_indices)
    numbers = raw.Cast(x=rows.numbers(), DstT=spread_indices.dtype)
    column = reshape_rows(numbers, join(rows.vector(), [1] * rank))
    row_numbers = raw.BroadcastTo(input=column, shape=join(dims[:-1], [1]))
    return raw.ConcatV2(values=[row_numbers, spread_indices], axis=rank)


def scatter_nd(operation: Operation, arguments: Sequence[BatchedValue], rows: BatchedRows) -> Sequence[Any] | None:
    """Scatters every row into zeros: the rows go to the end, or their numbers in front of the indices."""
    indices, updates, shape = arguments
    rank, out = operation.inputs[1].shape.rank, operation.inputs[2].shape.num_elements()
    if shape.is_batched or rank is None or out is None:
        return None
    row_shape = convert_to_tensor(shape.tensor)
    if not indices.is_batched:
        full_shape = raw.ConcatV2(
            values=[row_shape, raw.Cast(x=convert_to_tensor(rows.vector()), DstT=row_shape.dtype)], axis=0
        )
        (result,) = call(operation, [indices.tensor, rows_last(updates.tensor, rank), full_shape])
        return [rows_first(result, out + 1)]
    numbered_indices = _number(indices, rows, operation.inputs[0].shape.rank)
    full_shape = raw.ConcatV2(
        values=[raw.Cast(x=convert_to_tensor(rows.vector()), DstT=row_shape.dtype), row_shape], axis=0
    )
    return None if numbered_indices is None else call(operation, [numbered_indices, rows.spread(updates), full_shape])


def scatter_into(operation: Operation, arguments: Sequence[BatchedValue], rows: BatchedRows) -> Sequence[Any] | None:
    """Scatters every row into a tensor of its own: the rows go to the end, or their numbers in front of the indices."""
    tensor, indices, updates = arguments
    ranks = operation.inputs[0].shape.rank, operation.inputs[2].shape.rank
    if not indices.is_batched and None not in ranks:
        moved_inputs = rows_last(rows.spread(tensor), ranks[0]), rows_last(rows.spread(updates), ranks[1])
        (result,) = call(operation, [moved_inputs[0], indices.tensor, moved_inputs[1]])
        return [rows_first(result, ranks[0] + 1)]
    numbered_indices = _number(indices, rows, operation.inputs[1].shape.rank)
    return (
        None
        if numbered_indices is None
        else call(operation, [rows.spread(tensor), numbered_indices, rows.spread(updates)])
    )


def segments(operation: Any, arguments: Sequence[BatchedValue], rows: BatchedRows) -> Sequence[Any] | None:
    """Moves the rows to the end; numbers the segments of all rows through where segments differ from row to row."""
    data, ids, number = arguments
    rank, id_rank = operation.inputs[0].shape.rank, operation.inputs[1].shape.rank
    if number.is_batched or rank is None or id_rank is None:
        return None
    if not ids.is_batched:
        (totals,) = call(operation, [rows_last(data.tensor, rank), ids.tensor, number.tensor])
        return [rows_first(totals, rank - id_rank + 2)]
    count = int32(number.tensor)
    steps = raw.Mul(x=rows.numbers(), y=count)
    own = raw.Cast(x=reshape_rows(steps, join(rows.vector(), [1] * id_rank)), DstT=ids.tensor.dtype)
    zero = convert_to_tensor(0, dtype=ids.tensor.dtype)
    inside = raw.LogicalAnd(
        x=raw.GreaterEqual(x=ids.tensor, y=zero), y=raw.Less(x=ids.tensor, y=raw.Cast(x=count, DstT=ids.tensor.dtype))
    )
    through = raw.SelectV2(
        condition=inside, t=raw.AddV2(x=ids.tensor, y=own), e=convert_to_tensor(-1, dtype=ids.tensor.dtype)
    )
    tensor = rows.spread(data)
    flat_ids = reshape_rows(through, [-1])
    flat_data = reshape_rows(tensor, join([-1], dimensions(tensor)[1 + id_rank :]))
    total = raw.Mul(x=convert_to_tensor(rows.count, dtype="int32"), y=count)
    (totals,) = call(operation, [flat_data, flat_ids, raw.Cast(x=total, DstT=operation.inputs[2].dtype)])
    count_vector = raw.Reshape(tensor=count, shape=[1])
    return [reshape_rows(totals, join(rows.vector(), count_vector, dimensions(totals)[1:]))]


def stitch(operation: Operation, arguments: Sequence[BatchedValue], rows: BatchedRows) -> Sequence[Any] | None:
    """Moves the rows to the end; the indices must be the same for all rows."""
    half = len(arguments) // 2
    indices, data = arguments[:half], arguments[half:]
    ranks = [t.shape.rank for t in operation.inputs[half:]]
    if any_batched(indices) or None in ranks or operation.outputs[0].shape.rank is None:
        return None
    moved_data = [rows_last(rows.spread(a), r) for a, r in zip(data, ranks, strict=True)]
    (stitched_data,) = call(operation, [*[a.tensor for a in indices], *moved_data])
    return [rows_first(stitched_data, operation.outputs[0].shape.rank + 1)]


def select(operation: Operation, arguments: Sequence[BatchedValue], rows: BatchedRows) -> Sequence[Any] | None:
    """Puts a condition that is a vector along the first axis of the values to choose from."""
    ranks = [t.shape.rank for t in operation.inputs]
    if None in ranks:
        return None
    condition = rows.spread(arguments[0])
    if ranks[0] < ranks[1]:
        condition = reshape_rows(condition, join(dimensions(condition), [1] * (ranks[1] - ranks[0])))
    return [raw.SelectV2(condition=condition, t=rows.spread(arguments[1]), e=rows.spread(arguments[2]))]
