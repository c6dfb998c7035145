"""Batching rules of lists of tensors: the lists of all rows are one list whose tensors have the rows first.

So the lists of all rows have one length. Lists that differ in length, as rows with loops of their own make such lists,
are a vector of lists (`BatchedValue.by_row`) and are left to the loop over the rows. A list of lists has lists with
the rows first.

Tests: tests/control_flow/test_batched_loops.py
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from millrace._src.core.shape_context import static_value
from millrace._src.graph.operation import Operation
from millrace._src.graph.replay import call
from millrace._src.ops import raw
from millrace._src.ops.batching import (
    BatchedRows,
    BatchedValue,
    any_batched,
    by_name,
    dimensions,
    element_with_rows,
    join,
    reshape_rows,
    stack,
    swap,
    unstack,
)


def _dtype(operation: Operation) -> Any:
    return operation.attrs["element_dtype"]


def _shape(operation: Operation, value: BatchedValue, rows: BatchedRows) -> Any:
    return element_with_rows(value.tensor, _dtype(operation), rows.count)


def _number(index: object, rows: BatchedRows) -> Any:
    """Returns the position of each row in the stacked tensors of a list: `[the row's index, the row's number]`."""
    return raw.Pack(values=[index, rows.numbers()], axis=1)


def get_item(operation: Operation, arguments: Sequence[BatchedValue], rows: BatchedRows) -> Sequence[Any] | None:
    """Reads the tensors of all rows at one index, or the tensor of each row at an index of its own."""
    handle, index, shape = arguments
    if shape.is_batched or index.is_batched and _dtype(operation).name == "variant":
        return None
    if not index.is_batched:
        return call(operation, [handle.tensor, index.tensor, _shape(operation, shape, rows)])
    if not handle.is_batched:
        attrs = {"element_dtype": _dtype(operation)}
        return [
            raw.TensorListGather(input_handle=handle.tensor, indices=index.tensor, element_shape=shape.tensor, **attrs)
        ]
    stacked = stack(handle.tensor)
    return [raw.GatherNd(params=stacked, indices=_number(index.tensor, rows))]


def set_item(operation: Operation, arguments: Sequence[BatchedValue], rows: BatchedRows) -> Sequence[Any] | None:
    """Writes for all rows at one index, or for each row at an index of its own, into the stacked tensors."""
    handle, index, item = arguments
    if not index.is_batched:
        return call(operation, [rows.spread(handle), index.tensor, rows.spread(item)])
    if operation.attrs["resize_if_index_out_of_bounds"] or _dtype(operation).name == "variant":
        return None
    stacked = stack(rows.spread(handle))
    written = raw.TensorScatterUpdate(tensor=stacked, indices=_number(index.tensor, rows), updates=rows.spread(item))
    return [unstack(written)]


def push_back(operation: Operation, arguments: Sequence[BatchedValue], rows: BatchedRows) -> Sequence[Any] | None:
    """Pushes one tensor with the rows first."""
    return call(operation, [rows.spread(a) for a in arguments])


def pop_back(operation: Operation, arguments: Sequence[BatchedValue], rows: BatchedRows) -> Sequence[Any] | None:
    """Pops one tensor with the rows first."""
    handle, shape = arguments
    return None if shape.is_batched else call(operation, [handle.tensor, _shape(operation, shape, rows)])


def stack_rows(operation: Operation, arguments: Sequence[BatchedValue], rows: BatchedRows) -> Sequence[Any] | None:
    """Stacks the elements and puts the rows in front of the elements."""
    handle, shape = arguments
    if shape.is_batched or _dtype(operation).name == "variant":
        return None
    (elements,) = call(operation, [handle.tensor, _shape(operation, shape, rows)])
    return [swap(elements)]


def from_tensor(operation: Operation, arguments: Sequence[BatchedValue], rows: BatchedRows) -> Sequence[Any] | None:
    """Puts the elements in front of the rows and makes a list of the elements."""
    tensor, shape = arguments
    if shape.is_batched or _dtype(operation).name == "variant":
        return None
    return call(operation, [swap(tensor.tensor), _shape(operation, shape, rows)])


def gather(operation: Operation, arguments: Sequence[BatchedValue], rows: BatchedRows) -> Sequence[Any] | None:
    """Gathers the tensors of all rows at the same indices."""
    handle, indices, shape = arguments
    if indices.is_batched or shape.is_batched or _dtype(operation).name == "variant":
        return None
    (elements,) = call(operation, [handle.tensor, indices.tensor, _shape(operation, shape, rows)])
    return [swap(elements)]


def scatter(operation: Operation, arguments: Sequence[BatchedValue], rows: BatchedRows) -> Sequence[Any] | None:
    """Writes tensors of all rows to the same indices, of a new list or of a given list."""
    named = by_name(operation, arguments)
    if _dtype(operation).name == "variant" or any(
        v.is_batched for n, v in named.items() if n not in ("input_handle", "tensor")
    ):
        return None
    made = {n: v.tensor for n, v in named.items()}
    made["tensor"] = swap(rows.spread(named["tensor"]))
    if "input_handle" in named:
        made["input_handle"] = rows.spread(named["input_handle"])
    else:
        made["element_shape"] = _shape(operation, named["element_shape"], rows)
    return call(operation, list(made.values()))


def length(operation: Operation, arguments: Sequence[BatchedValue], rows: BatchedRows) -> Sequence[Any] | None:
    """Returns the one length of the lists of all rows."""
    return [BatchedValue(t, False) for t in call(operation, [a.tensor for a in arguments])]


def element_shape(operation: Operation, arguments: Sequence[BatchedValue], rows: BatchedRows) -> Sequence[Any] | None:
    """Returns the element shape of one row: without the first dimension, where the rank is known; a scalar -1 stays."""
    (batch_shape,) = call(operation, [arguments[0].tensor])
    begin = raw.Minimum(x=raw.Shape(input=batch_shape), y=1)
    return [BatchedValue(raw.Slice(input=batch_shape, begin=begin, size=raw.Neg(x=begin)), False)]


def resize(operation: Operation, arguments: Sequence[BatchedValue], rows: BatchedRows) -> Sequence[Any] | None:
    """Gives the lists of all rows one length."""
    handle, size = arguments
    return None if size.is_batched else call(operation, [handle.tensor, size.tensor])


def join_elements(operation: Operation, arguments: Sequence[BatchedValue], rows: BatchedRows) -> Sequence[Any] | None:
    """Stacks elements of one length and merges their axis with the axis of the list."""
    named = by_name(operation, arguments)
    if any_batched(arguments[1:]) or _dtype(operation).name == "variant":
        return None
    handle, declared = named["input_handle"].tensor, named.get("element_shape")
    shape = -1 if declared is None else _shape(operation, declared, rows)
    elements = raw.TensorListStack(input_handle=handle, element_shape=shape, element_dtype=_dtype(operation))
    moved = swap(elements, None if operation.outputs[0].shape.rank is None else operation.outputs[0].shape.rank + 2)
    sizes = raw.Shape(input=moved)
    flat = reshape_rows(moved, join(rows.vector(), raw.Mul(x=sizes[1:2], y=sizes[2:3]), sizes[3:]))
    lengths = raw.Fill(dims=sizes[1:2], value=raw.Cast(x=sizes[2], DstT="int64"))
    return [flat, BatchedValue(lengths, False)]


def split_elements(operation: Operation, arguments: Sequence[BatchedValue], rows: BatchedRows) -> Sequence[Any] | None:
    """Splits a tensor into pieces of one length: the elements of a tensor with one axis more."""
    tensor, shape, lengths = arguments
    if shape.is_batched or lengths.is_batched:
        return None
    known = static_value(lengths.tensor)
    if known is not None and (known.size == 0 or (known != known[0]).any()):
        return None
    if known is None:
        is_one = raw.All(input=raw.Equal(x=lengths.tensor, y=lengths.tensor[:1]), reduction_indices=[0])
        complaint = "vectorized_map: the rows of a TensorArray can only be split into pieces of one length"
        raw.Assert(condition=is_one, data=[complaint, lengths.tensor])
    number, length = raw.Shape(input=lengths.tensor), raw.Cast(x=lengths.tensor[:1], DstT="int32")
    dims = dimensions(tensor.tensor)
    return [unstack(swap(reshape_rows(tensor.tensor, join(dims[:1], number, length, dims[2:]))))]


def two_lists(operation: Operation, arguments: Sequence[BatchedValue], rows: BatchedRows) -> Sequence[Any] | None:
    """Joins the tensors of both lists, with the rows first."""
    return call(operation, [rows.spread(a) for a in arguments])
