"""Batching rules of ops that tell or change the shape of a tensor: all rows have one shape.

The shape of a row is the shape of the batch without the first dimension. An op that changes shapes keeps the rows
first; axes that count from the left move one to the right.

Tests: tests/contracts/test_every_batching.py, tests/autodiff/test_vectorize.py
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.shapes import TensorShape
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
    pad_rank,
    product,
    reshape_rows,
)


def shapes(operation: Operation, arguments: Sequence[BatchedValue], rows: BatchedRows) -> Sequence[Any] | None:
    """Returns the shapes of the rows: the shapes of the batches without the first dimension."""
    batch_shapes = call(operation, [a.tensor for a in arguments])
    return [BatchedValue(t[1:] if a.is_batched else t, False) for t, a in zip(batch_shapes, arguments, strict=True)]


def size(operation: Operation, arguments: Sequence[BatchedValue], rows: BatchedRows) -> Sequence[Any] | None:
    """Returns the number of elements of one row."""
    dims = raw.Shape(input=arguments[0].tensor, out_type=operation.attrs["out_type"])[1:]
    return [BatchedValue(raw.Prod(input=dims, reduction_indices=[0]), False)]


def rank(operation: Operation, arguments: Sequence[BatchedValue], rows: BatchedRows) -> Sequence[Any] | None:
    """Returns the rank of one row, which is the rank of the batch less one."""
    return [BatchedValue(raw.Sub(x=raw.Rank(input=arguments[0].tensor), y=1), False)]


def reshape(operation: Operation, arguments: Sequence[BatchedValue], rows: BatchedRows) -> Sequence[Any] | None:
    """Keeps the rows a dimension of their own; works out an unknown dimension of a row from the shape of one row."""
    tensor, shape = arguments
    if shape.is_batched:
        return None
    wanted_dims = known_value(shape)
    dims = [int(n) for n in wanted_dims] if wanted_dims is not None else int32(shape.tensor)
    if isinstance(dims, list) and -1 in dims:
        static_shape = operation.outputs[0].shape
        dims = static_shape.as_list() if static_shape.is_fully_defined() else dims
    if isinstance(dims, list) and -1 not in dims or isinstance(rows.count, int) and rows.count > 0:
        return [reshape_rows(tensor.tensor, join(rows.vector(), dims))]
    row = raw.Prod(input=dimensions(tensor.tensor)[1:], reduction_indices=[0], keep_dims=True)
    dims = convert_to_tensor(dims, dtype="int32")
    is_free = raw.Equal(x=dims, y=-1)
    other_product = raw.Prod(input=raw.SelectV2(condition=is_free, t=1, e=dims), reduction_indices=[0])
    full_dims = raw.SelectV2(
        condition=is_free, t=raw.FloorDiv(x=int32(row), y=raw.Maximum(x=other_product, y=1)), e=dims
    )
    return [reshape_rows(tensor.tensor, join(rows.vector(), full_dims))]


def expand(operation: Operation, arguments: Sequence[BatchedValue], rows: BatchedRows) -> Sequence[Any] | None:
    """Inserts the new axis one further to the right."""
    tensor, axis = arguments
    return None if axis.is_batched else [raw.ExpandDims(input=tensor.tensor, dim=after_rows_tensor(axis))]


def squeeze(operation: Operation, arguments: Sequence[BatchedValue], rows: BatchedRows) -> Sequence[Any] | None:
    """Removes axes of size 1, one further to the right; a batch of one row stays a batch."""
    axes, shape = operation.attrs["squeeze_dims"], operation.inputs[0].shape
    tensor = arguments[0].tensor
    if axes:
        return call(operation, [tensor], squeeze_dims=[after_rows(a) for a in axes])
    if not shape.is_fully_defined():
        return None
    dims = [n for n in shape.as_list() if n != 1]
    return [reshape_rows(tensor, join(dimensions(tensor)[:1], dims))]


def broadcast_to(operation: Operation, arguments: Sequence[BatchedValue], rows: BatchedRows) -> Sequence[Any] | None:
    """Puts axes of size 1 between the rows and the axes of a row, and broadcasts."""
    tensor, shape = arguments
    rank_, wanted_rank = operation.inputs[0].shape.rank, operation.inputs[1].shape.num_elements()
    if shape.is_batched or rank_ is None or wanted_rank is None:
        return None
    full_shape = join(rows.vector(), int32(shape.tensor))
    return [raw.BroadcastTo(input=pad_rank(tensor, wanted_rank - rank_), shape=full_shape)]


def fill(operation: Operation, arguments: Sequence[BatchedValue], rows: BatchedRows) -> Sequence[Any] | None:
    """Fills every row with a value of its own."""
    dims, value = arguments
    wanted_rank = operation.inputs[0].shape.num_elements()
    if dims.is_batched or wanted_rank is None:
        return None
    full_shape = join(rows.vector(), int32(dims.tensor))
    return [raw.BroadcastTo(input=pad_rank(value, wanted_rank), shape=full_shape)]


def transpose(operation: Operation, arguments: Sequence[BatchedValue], rows: BatchedRows) -> Sequence[Any] | None:
    """Reorders the axes of the rows; the rows stay first."""
    tensor, order = arguments
    if order.is_batched:
        return None
    known_order = known_value(order)
    if known_order is not None:
        return call(operation, [tensor.tensor, [0, *[int(i) + 1 for i in known_order]]])
    moved_order = raw.AddV2(x=order.tensor, y=convert_to_tensor(1, dtype=order.tensor.dtype))
    first = convert_to_tensor([0], dtype=order.tensor.dtype)
    return call(operation, [tensor.tensor, raw.ConcatV2(values=[first, moved_order], axis=0)])


def of_a_shape(operation: Operation, arguments: Sequence[BatchedValue], rows: BatchedRows) -> Sequence[Any] | None:
    """Puts the rows first in the operand's shape, which is an attribute of the op."""
    first = TensorShape([rows.count if isinstance(rows.count, int) else None])
    return call(operation, [arguments[0].tensor], shape=first.concatenate(operation.attrs["shape"]))


def one_hot(operation: Operation, arguments: Sequence[BatchedValue], rows: BatchedRows) -> Sequence[Any] | None:
    """Inserts the new axis one further to the right."""
    if any_batched(arguments[1:]):
        return None
    return call(operation, [a.tensor for a in arguments], axis=after_rows(operation.attrs["axis"]))


def diagonal(operation: Operation, arguments: Sequence[BatchedValue], rows: BatchedRows) -> Sequence[Any] | None:
    """Puts the axes of a row together, makes a diagonal matrix, and takes the axes apart again."""
    dims = dimensions(arguments[0].tensor)
    flat_rows = reshape_rows(arguments[0].tensor, join(dims[:1], product(dims[1:])))
    return [reshape_rows(raw.MatrixDiag(diagonal=flat_rows), join(dims[:1], dims[1:], dims[1:]))]


def diagonal_part(operation: Operation, arguments: Sequence[BatchedValue], rows: BatchedRows) -> Sequence[Any] | None:
    """Puts each half of the axes of a row together, takes the diagonal, and takes the axes apart again."""
    rank = operation.inputs[0].shape.rank
    if rank is None:
        return None
    dims = dimensions(arguments[0].tensor)
    half = dims[1 : 1 + rank // 2]
    matrices = reshape_rows(arguments[0].tensor, join(dims[:1], product(half), product(half)))
    return [reshape_rows(raw.MatrixDiagPart(input=matrices), join(dims[:1], half))]
