"""Batching rules of products and of reductions.

The rows become one more axis of a stack of matrices, one more label of an einsum, or one more axis beside the reduced
axes. See `batching_rules` for what a rule is.

Tests: tests/contracts/test_every_batching.py, tests/autodiff/test_vectorize.py
"""

from __future__ import annotations

import string
from collections.abc import Sequence
from typing import Any

from millrace._src.graph.operation import Operation
from millrace._src.ops import raw
from millrace._src.ops.batching import BatchedRows, BatchedValue, dimensions, fold, join, reshape_rows, unfold


def matmul(operation: Operation, arguments: Sequence[BatchedValue], rows: BatchedRows) -> Sequence[Any] | None:
    """Multiplies stacks of matrices; with one right operand for all rows, in a single product."""
    attrs = operation.attrs
    a = _swap(arguments[0], attrs["transpose_a"])
    b = _swap(arguments[1], attrs["transpose_b"])
    if arguments[0].is_batched and not arguments[1].is_batched:
        return [unfold(raw.MatMul(a=fold(a), b=b), a)]
    return [raw.BatchMatMulV2(x=a, y=b)]


def sparse_matmul(operation: Operation, arguments: Sequence[BatchedValue], rows: BatchedRows) -> Sequence[Any] | None:
    """Multiplies stacks of matrices as float32, whatever the operands are."""
    floats = [BatchedValue(raw.Cast(x=a.tensor, DstT="float32"), a.is_batched) for a in arguments]
    return matmul(operation, floats, rows)


def _swap(value: BatchedValue, is_transposed: bool) -> Any:
    """Exchanges the last two axes of a matrix, or of a stack of matrices, if `is_transposed`."""
    if not is_transposed:
        return value.tensor
    return raw.Transpose(x=value.tensor, perm=[0, 2, 1] if value.is_batched else [1, 0])


def einsum(operation: Operation, arguments: Sequence[BatchedValue], rows: BatchedRows) -> Sequence[Any] | None:
    """Puts a label for the rows into the equation: `ij,jk->ik` of rows of the first operand is `Aij,jk->Aik`."""
    equation = operation.attrs["equation"]
    if "->" not in equation:
        return None
    label = next(c for c in string.ascii_letters if c not in equation)
    inputs, output = equation.split("->")
    parts = [label + p.strip() if a.is_batched else p for p, a in zip(inputs.split(","), arguments, strict=True)]
    return [raw.Einsum(inputs=[a.tensor for a in arguments], equation=f"{','.join(parts)}->{label}{output.strip()}")]


def accumulate(operation: Operation, arguments: Sequence[BatchedValue], rows: BatchedRows) -> Sequence[Any] | None:
    """Adds operands of one shape, which may be lists."""
    return [raw.AddN(inputs=[rows.spread(a) for a in arguments])]


def half_square(operation: Operation, arguments: Sequence[BatchedValue], rows: BatchedRows) -> Sequence[Any] | None:
    """Computes half the sum of squares of every row."""
    tensor = arguments[0].tensor
    flat_rows = reshape_rows(tensor, join(dimensions(tensor)[:1], _elements(tensor)))
    total = raw.Sum(input=raw.Square(x=flat_rows), reduction_indices=[1])
    return [raw.Mul(x=total, y=raw.Cast(x=0.5, DstT=tensor.dtype))]


def _elements(tensor: object) -> Any:
    """Returns the number of elements of a row, as a vector of one number."""
    dims = dimensions(tensor)[1:]
    if not isinstance(dims, list):
        return raw.Prod(input=dims, reduction_indices=[0], keep_dims=True)
    total = 1
    for n in dims:
        total *= n
    return [total]
