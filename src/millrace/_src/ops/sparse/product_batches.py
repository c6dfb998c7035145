"""The batching rule of sparse times dense: many such products in one.

Where only the dense matrix differs from row to row, the matrices of all rows are put side by side. Where the elements
of the sparse matrix differ, the sparse matrices become the blocks of a larger one: one below the other if they have one
dense matrix in common, else along the diagonal.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from millrace._src.core.argument_types import ShapeLike
from millrace._src.core.dtypes import int64
from millrace._src.graph.operation import Operation
from millrace._src.ops import raw
from millrace._src.ops.batching import BatchedRows, BatchedValue


def sparse_times_dense(
    operation: Operation, arguments: Sequence[BatchedValue], rows: BatchedRows
) -> Sequence[Any] | None:
    """Multiplies sparse matrices with common coordinates by dense matrices."""
    indices, values, shape, dense = arguments
    if indices.is_batched or shape.is_batched:
        return None
    b = _normal_form(dense, operation.attrs["adjoint_b"])
    if not values.is_batched:
        return [_side_by_side(operation, [argument.tensor for argument in arguments[:3]], b)]
    return [_blocks(operation, arguments, b, rows)]


def _multiply(operation: Operation, indices: object, values: object, shape: ShapeLike, b: object) -> Any:
    return raw.SparseTensorDenseMatMul(
        a_indices=indices, a_values=values, a_shape=shape, b=b, adjoint_a=operation.attrs["adjoint_a"]
    )


def _normal_form(dense: BatchedValue, is_adjoint: bool) -> Any:
    """Returns the dense matrices as they are multiplied from the right."""
    if not is_adjoint:
        return dense.tensor
    transpose = raw.ConjugateTranspose if dense.tensor.dtype.is_complex else raw.Transpose
    return transpose(x=dense.tensor, perm=[0, 2, 1] if dense.is_batched else [1, 0])


def _side_by_side(operation: Operation, sparse_parts: Sequence[Any], b: object) -> Any:
    """Multiplies one sparse matrix by dense matrices `[rows, inner, columns]`."""
    count, inner, columns = (raw.Shape(input=b, out_type=int64)[i] for i in range(3))
    wide = raw.Reshape(tensor=raw.Transpose(x=b, perm=[1, 0, 2]), shape=raw.Pack(values=[inner, count * columns]))
    indices, values, shape = sparse_parts
    product = _multiply(operation, indices, values, shape, wide)
    height = raw.Shape(input=product, out_type=int64)[0]
    return raw.Transpose(x=raw.Reshape(tensor=product, shape=raw.Pack(values=[height, count, columns])), perm=[1, 0, 2])


def _blocks(operation: Operation, arguments: Sequence[BatchedValue], b: object, rows: BatchedRows) -> Any:
    """Multiplies sparse matrices of values `[rows, n]`, as blocks of one matrix."""
    indices, values, shape, dense = arguments
    numbers = raw.Cast(x=rows.numbers(), DstT=int64)
    count = raw.Shape(input=values.tensor, out_type=int64)[0]
    out_axis = 1 if operation.attrs["adjoint_a"] else 0
    is_repeated = [axis == out_axis or dense.is_batched for axis in range(2)]
    steps = shape.tensor * raw.Cast(x=is_repeated, DstT=int64)
    offsets = raw.Reshape(tensor=numbers, shape=[-1, 1, 1]) * steps
    coordinates = raw.Reshape(tensor=raw.Cast(x=indices.tensor, DstT=int64) + offsets, shape=[-1, 2])
    sizes = raw.Pack(values=[shape.tensor[axis] * (count if is_repeated[axis] else 1) for axis in range(2)])
    if dense.is_batched:
        _, inner, width = (raw.Shape(input=b, out_type=int64)[i] for i in range(3))
        b = raw.Reshape(tensor=b, shape=raw.Pack(values=[count * inner, width]))
    product = _multiply(operation, coordinates, raw.Reshape(tensor=values.tensor, shape=[-1]), sizes, b)
    columns = raw.Shape(input=product, out_type=int64)[1]
    return raw.Reshape(tensor=product, shape=raw.Pack(values=[count, shape.tensor[out_axis], columns]))
