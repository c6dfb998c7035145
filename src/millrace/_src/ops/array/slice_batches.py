"""Batching rules of ops that cut parts out of a tensor, or put parts together.

The rows stay whole: a slice takes all of the first axis, and axes that count from the left move one to the right. Where
each row has bounds of its own, the slice becomes a gather.

Tests: tests/contracts/test_every_batching.py, tests/autodiff/test_vectorize.py
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from millrace._src.core.convert import convert_to_tensor
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
    pad_rank,
    prepend,
)


def cut(operation: Any, arguments: Sequence[BatchedValue], rows: BatchedRows) -> Sequence[Any] | None:
    """Slices every row: the same slice of each row, or slices that start at an index of each row."""
    tensor, begin, size = arguments
    if size.is_batched:
        return None
    if not begin.is_batched:
        return [raw.Slice(input=tensor.tensor, begin=prepend(0, begin.tensor), size=prepend(-1, size.tensor))]
    lengths = known_value(size)
    if lengths is None or (lengths < 0).any():
        return None
    slices = rows.spread(tensor)
    for axis, length in enumerate(lengths.tolist()):
        starts = raw.Slice(input=begin.tensor, begin=[0, axis], size=[-1, 1])
        spots = raw.AddV2(x=starts, y=convert_to_tensor(list(range(length)), dtype=starts.dtype))
        slices = raw.GatherV2(params=slices, indices=spots, axis=axis + 1, batch_dims=1)
    return [slices]


def strided_slice(operation: Any, arguments: Sequence[BatchedValue], rows: BatchedRows) -> Sequence[Any] | None:
    """Takes the whole first axis, then the slice of each row."""
    if any_batched(arguments[1:]):
        return _select(operation, arguments, rows)
    begin, end, strides = (prepend(n, a.tensor) for n, a in zip((0, 0, 1), arguments[1:], strict=True))
    return call(operation, [arguments[0].tensor, begin, end, strides], **_masks(operation))


def _masks(operation: Any) -> dict[str, int]:
    masks = {name: value << 1 for name, value in operation.attrs.items() if name.endswith("_mask")}
    masks["begin_mask"] |= 1
    masks["end_mask"] |= 1
    return masks


def _select(operation: Any, arguments: Sequence[BatchedValue], rows: BatchedRows) -> Sequence[Any] | None:
    """Takes `x[i, j]` with indices of each row: gathers one axis after the other."""
    tensor, begin = arguments[:2]
    count = operation.inputs[1].shape.num_elements()
    attrs = operation.attrs
    is_plain = not any(attrs[f"{kind}_mask"] for kind in ("begin", "end", "ellipsis", "new_axis"))
    if not is_plain or count is None or attrs["shrink_axis_mask"] != (1 << count) - 1:
        return None
    picked_values, begins = rows.spread(tensor), rows.spread(begin)
    for axis in range(count):
        spot = raw.StridedSlice(
            input=begins,
            begin=[0, axis],
            end=[0, axis + 1],
            strides=[1, 1],
            begin_mask=1,
            end_mask=1,
            shrink_axis_mask=2,
        )
        length = raw.Cast(x=raw.Shape(input=picked_values)[1], DstT=spot.dtype)
        zero = convert_to_tensor(0, dtype=spot.dtype)
        spot = raw.SelectV2(condition=raw.Less(x=spot, y=zero), t=raw.AddV2(x=spot, y=length), e=spot)
        picked_values = raw.GatherV2(params=picked_values, indices=spot, axis=1, batch_dims=1)
    return [picked_values]


def strided_slice_grad(operation: Any, arguments: Sequence[BatchedValue], rows: BatchedRows) -> Sequence[Any] | None:
    """Differentiates the slice of a batch, whose shape has the rows first."""
    if any_batched(arguments[:4]):
        return None
    begin, end, strides = (int32(prepend(n, a.tensor)) for n, a in zip((0, 0, 1), arguments[1:4], strict=True))
    shape = convert_to_tensor(join(rows.vector(), int32(arguments[0].tensor)), dtype="int32")
    return call(operation, [shape, begin, end, strides, rows.spread(arguments[4])], **_masks(operation))


def strided_slice_update(operation: Any, arguments: Sequence[BatchedValue], rows: BatchedRows) -> Sequence[Any] | None:
    """Replaces a part of every row; axes of size 1 come before the axes of a value that is broadcast."""
    if any_batched(arguments[1:4]):
        return None
    begin, end, strides = (prepend(n, a.tensor) for n, a in zip((0, 0, 1), arguments[1:4], strict=True))
    value = arguments[4]
    if value.is_batched:
        part = raw.StridedSlice(
            input=arguments[0].tensor if arguments[0].is_batched else rows.spread(arguments[0]),
            begin=begin,
            end=end,
            strides=strides,
            **_masks(operation),
        )
        if part.shape.rank is None or operation.inputs[4].shape.rank is None:
            return None
        value = BatchedValue(pad_rank(value, part.shape.rank - 1 - operation.inputs[4].shape.rank), True)
    return call(operation, [rows.spread(arguments[0]), begin, end, strides, value.tensor], **_masks(operation))


def dynamic_update_slice(operation: Any, arguments: Sequence[BatchedValue], rows: BatchedRows) -> Sequence[Any] | None:
    """Updates a block of every row: the same position in each row, counted from the first row."""
    tensor, update, positions = arguments
    if positions.is_batched:
        return None
    return call(operation, [rows.spread(tensor), rows.spread(update), prepend(0, positions.tensor)])


def dynamic_slice(operation: Any, arguments: Sequence[BatchedValue], rows: BatchedRows) -> Sequence[Any] | None:
    """Takes a block of every row: all rows, and the same position in each row."""
    tensor, positions, sizes = arguments
    if positions.is_batched or sizes.is_batched:
        return None
    size = convert_to_tensor(join(rows.vector(), int32(sizes.tensor)), dtype="int32")
    return call(operation, [tensor.tensor, prepend(0, int32(positions.tensor)), size])


# --- joining ---------------------------------------------------------------------------------------------------------


def pack(operation: Any, arguments: Sequence[BatchedValue], rows: BatchedRows) -> Sequence[Any] | None:
    """Stacks along an axis one further to the right."""
    return call(operation, [rows.spread(a) for a in arguments], axis=after_rows(operation.attrs["axis"]))


def unpack(operation: Any, arguments: Sequence[BatchedValue], rows: BatchedRows) -> Sequence[Any] | None:
    """Takes apart an axis one further to the right."""
    return call(operation, [arguments[0].tensor], axis=after_rows(operation.attrs["axis"]))


def concat(operation: Any, arguments: Sequence[BatchedValue], rows: BatchedRows) -> Sequence[Any] | None:
    """Joins along an axis one further to the right."""
    if operation.op_def.signature.input_names[0] == "values":
        *values, axis = arguments
    else:
        axis, *values = arguments
    if axis.is_batched:
        return None
    return [raw.ConcatV2(values=[rows.spread(a) for a in values], axis=after_rows_tensor(axis))]


def parallel_concat(operation: Any, arguments: Sequence[BatchedValue], rows: BatchedRows) -> Sequence[Any] | None:
    """Joins rows of one element each, along what is then the second axis."""
    return [raw.ConcatV2(values=[rows.spread(a) for a in arguments], axis=1)]


def reverse_sequence(operation: Any, arguments: Sequence[BatchedValue], rows: BatchedRows) -> Sequence[Any] | None:
    """Reverses with both axes one further to the right.

    Lengths that differ from row to row belong to one batch together with the rows.
    """
    tensor, lengths = arguments
    seq, batch = operation.attrs["seq_dim"], operation.attrs["batch_dim"]
    rank = operation.inputs[0].shape.rank
    if not lengths.is_batched:
        return call(operation, [tensor.tensor, lengths.tensor], seq_dim=after_rows(seq), batch_dim=after_rows(batch))
    if rank is None:
        return None
    order = [0, batch % rank + 1, *[i + 1 for i in range(rank) if i != batch % rank]]
    moved_tensor = raw.Transpose(x=rows.spread(tensor), perm=order)
    dims = dimensions(moved_tensor)
    flat_batch = raw.Reshape(tensor=moved_tensor, shape=join([-1], dims[2:]))
    reversed_batch = raw.ReverseSequence(
        input=flat_batch,
        seq_lengths=raw.Reshape(tensor=lengths.tensor, shape=[-1]),
        seq_dim=order.index(seq % rank + 1) - 1,
        batch_dim=0,
    )
    back = [order.index(i) for i in range(rank + 1)]
    return [raw.Transpose(x=raw.Reshape(tensor=reversed_batch, shape=dims), perm=back)]
