"""Sums, multiples, row-wise softmax and zeros of sparse matrices (CSR).

TensorFlow has kernels of these ops for GPUs only; here the ops run on any machine.
"""

from __future__ import annotations

import numpy as np

from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.dtypes import DType, as_dtype, float32, float64, int64, runtime_name
from millrace._src.core.errors import UnimplementedError, invalid
from millrace._src.core.handle_types import MatrixHandle
from millrace._src.core.op_def import op
from millrace._src.core.op_signature import TypeSet
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.array.shape_checks import dims_text, merge, require_scalar, with_rank
from millrace._src.ops.shape_rules import SCALAR, scalar
from millrace._src.ops.sparse.matrix_conversion import MATRIX_TYPES, NOT_BATCHED, require_dtype, values_at
from millrace._src.ops.sparse.matrix_value import (
    MatrixValue,
    box,
    from_blocks,
    matrix_in,
    same_matrix,
    shape_in,
    without_values,
)
from millrace._src.ops.type_sets import ANY

_REAL = TypeSet((float32, float64))


def _conj(tensor: Tensor) -> Tensor:
    return raw.Conj(input=tensor) if tensor.dtype.is_complex else tensor


# --- sums ------------------------------------------------------------------------------------------------------------


def _sum_shape(c: ShapeContext) -> TensorShape:
    merge(shape_in(c.inputs[0]), shape_in(c.inputs[1]))
    for factor in ("alpha", "beta"):
        require_scalar(c.shape(factor))
    return SCALAR


def _sum_handle(c: ShapeContext) -> MatrixHandle:
    return MatrixHandle(c.attr("T"), merge(shape_in(c.inputs[0]), shape_in(c.inputs[1])))


@op(
    "SparseMatrixAdd",
    "a: variant, b: variant, alpha: T, beta: T -> c: variant",
    T=MATRIX_TYPES,
    shape=_sum_shape,
    handles=_sum_handle,
    host_only=True,
    not_batched=NOT_BATCHED,
)
def sparse_matrix_add(xp: Xp, a: Array, b: Array, alpha: Array, beta: Array) -> Array:
    """Computes `alpha * a + beta * b` of two sparse matrices or batches."""
    if alpha.ndim or beta.ndim:
        raise ValueError("alpha and beta must be scalars")
    first, second = matrix_in(a), matrix_in(b, 1)
    for name, matrix in (("a", first), ("b", second)):
        require_dtype(matrix, as_dtype(alpha.dtype), f"dtype of {name} is not equal to 'type': {{1}} vs. {{0}}")
    if first.shape != second.shape:
        raise invalid(f"Shapes of a and b must match: {dims_text(first.shape)} vs. {dims_text(second.shape)}")
    return box(from_blocks(first.blocks * alpha[()] + second.blocks * beta[()], first.shape))


@sparse_matrix_add.gradient
def sparse_matrix_add_gradient(
    dc: Tensor, a: Tensor, b: Tensor, alpha: Tensor, beta: Tensor
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    da, db = raw.SparseMatrixMul(a=dc, b=_conj(alpha)), raw.SparseMatrixMul(a=dc, b=_conj(beta))
    return da, db, _inner_product(a, dc, alpha.dtype), _inner_product(b, dc, beta.dtype)


def _inner_product(matrix: Tensor, grad: Tensor, dtype: DType) -> Tensor:
    """Sums the products of a gradient and the conjugates of a matrix's values."""
    return raw.Sum(input=_scaled_gradient(matrix, grad, dtype)[1], reduction_indices=0)


def _scaled_gradient(matrix: Tensor, grad: Tensor, dtype: DType) -> tuple[Tensor, Tensor]:
    """Multiplies a gradient by the conjugates of a matrix's values; returns indices and products."""
    indices, values, _ = raw.CSRSparseMatrixToSparseTensor(sparse_matrix=matrix, type=dtype)
    return indices, values_at(grad, indices, dtype) * _conj(values)


# --- multiples -------------------------------------------------------------------------------------------------------

_FACTOR = "b must be a scalar or shaped [batch_size, 1, 1]"


def _multiple_shape(c: ShapeContext) -> TensorShape:
    dims = c.shape("b").dim_sizes
    if dims is not None and len(dims) not in (0, 3):
        raise UnimplementedError(None, None, _FACTOR)
    return SCALAR


@op(
    "SparseMatrixMul",
    "a: variant, b: T -> output: variant",
    T=ANY,
    shape=_multiple_shape,
    handles=same_matrix,
    host_only=True,
    not_batched=NOT_BATCHED,
)
def sparse_matrix_mul(xp: Xp, a: Array, b: Array) -> Array:
    """Multiplies a sparse matrix by a number, or each matrix of a batch by its own: `b` of shape `[batch, 1, 1]`."""
    matrix = matrix_in(a)
    if matrix.values.dtype != b.dtype:
        names = runtime_name(as_dtype(matrix.values.dtype)), runtime_name(as_dtype(b.dtype))
        raise invalid(f"Input types don't match.  a.dtype == {names[0]} vs. b.dtype == {names[1]}")
    if not b.ndim:
        return box(matrix.with_values(np.asarray(matrix.values * b)))
    if len(matrix.shape) != 3 or b.shape != (matrix.shape[0], 1, 1):
        raise UnimplementedError(None, None, _FACTOR)
    numbers = matrix.row_numbers // max(matrix.shape[1], 1)
    return box(matrix.with_values(matrix.values * b.reshape(-1)[numbers]))


@sparse_matrix_mul.gradient
def sparse_matrix_mul_gradient(doutput: Tensor, a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
    da = raw.SparseMatrixMul(a=doutput, b=_conj(b))
    indices, products = _scaled_gradient(a, doutput, b.dtype)
    is_batch = raw.Cast(x=raw.Minimum(x=raw.Rank(input=b), y=1), DstT=int64)
    numbers = indices[:, 0] * is_batch  # one factor belongs to all values
    sums = raw.UnsortedSegmentSum(data=products, segment_ids=numbers, num_segments=raw.Size(input=b))
    return da, raw.Reshape(tensor=sums, shape=raw.Shape(input=b))


# --- softmax ---------------------------------------------------------------------------------------------------------


def _row_sums(matrix: MatrixValue, values: Array) -> Array:
    """Sums the values of each row, as a value for each element of the matrix."""
    rows = matrix.row_numbers
    return np.bincount(rows, values, len(matrix.pointers) - 1)[rows]


@op(
    "SparseMatrixSoftmax",
    "logits: variant -> softmax: variant",
    type=_REAL,
    shape=scalar,
    handles=same_matrix,
    host_only=True,
    not_batched=NOT_BATCHED,
)
def sparse_matrix_softmax(xp: Xp, logits: Array, *, type: DType) -> Array:
    """Computes softmax of each row of a sparse matrix; elements without a value take no part."""
    matrix = matrix_in(logits)
    require_dtype(matrix, type, "dtype of logits is not equal to 'type': {1} vs. {0}")
    rows = matrix.row_numbers
    largest_values = np.full(len(matrix.pointers) - 1, -np.inf, matrix.values.dtype)
    np.maximum.at(largest_values, rows, matrix.values)
    powers = np.exp(matrix.values - largest_values[rows])
    return box(matrix.with_values((powers / _row_sums(matrix, powers)).astype(matrix.values.dtype)))


@sparse_matrix_softmax.gradient
def sparse_matrix_softmax_gradient(dsoftmax: Tensor, softmax: Tensor, type: DType) -> Tensor:
    return raw.SparseMatrixSoftmaxGrad(softmax=softmax, grad_softmax=dsoftmax, type=type)


@op(
    "SparseMatrixSoftmaxGrad",
    "softmax: variant, grad_softmax: variant -> gradient: variant",
    type=_REAL,
    shape=scalar,
    handles=same_matrix,
    host_only=True,
    no_gradient="TensorFlow declares none",
    not_batched=NOT_BATCHED,
)
def sparse_matrix_softmax_grad(xp: Xp, softmax: Array, grad_softmax: Array, *, type: DType) -> Array:
    """Computes the gradient of the logits of a softmax, at the coordinates of the softmax."""
    matrix, grad = matrix_in(softmax), matrix_in(grad_softmax, 1)
    for name, operand in (("softmax", matrix), ("grad_softmax", grad)):
        require_dtype(operand, type, f"dtype of {name} is not equal to 'type': {{1}} vs. {{0}}")
    if matrix.shape != grad.shape:
        shapes = f"{dims_text(matrix.shape)} vs. {dims_text(grad.shape)}"
        raise invalid(f"Shapes of softmax and grad_softmax must match: {shapes}")
    products = matrix.values * _values_at(grad, matrix)
    return box(matrix.with_values((products - matrix.values * _row_sums(matrix, products)).astype(products.dtype)))


def _values_at(source: MatrixValue, coordinates: MatrixValue) -> Array:
    """Reads a matrix at the coordinates of another; 0 where the matrix has no value."""
    keys, wanted_keys = (m.row_numbers * m.shape[-1] + m.columns for m in (source, coordinates))
    order = np.argsort(keys, kind="stable")
    sorted_keys = np.append(keys[order], -1)
    found = np.searchsorted(sorted_keys[:-1], wanted_keys)
    values = np.append(source.values[order], source.values.dtype.type(0))
    return np.where(sorted_keys[found] == wanted_keys, values[found], 0)


# --- zeros -----------------------------------------------------------------------------------------------------------


def _zeros_shape(c: ShapeContext) -> TensorShape:
    (rank,) = with_rank(c.shape("dense_shape"), 1)
    if rank not in (None, 2, 3):
        raise ValueError(f"Invalid rank: {rank}.  Expected a known rank of either 2 or 3.")
    return SCALAR


def _zeros_handle(c: ShapeContext) -> MatrixHandle:
    return MatrixHandle(c.attr("type"), c.value_as_shape("dense_shape"))


@op(
    "SparseMatrixZeros",
    "dense_shape: int64 -> sparse_matrix: variant",
    type=MATRIX_TYPES,
    shape=_zeros_shape,
    handles=_zeros_handle,
    host_only=True,
    not_differentiable="zeros depend on no value",
    not_batched=NOT_BATCHED,
)
def sparse_matrix_zeros(xp: Xp, dense_shape: Array, *, type: DType) -> Array:
    """Makes a sparse matrix, or a batch, without values."""
    if dense_shape.ndim != 1 or len(dense_shape) not in (2, 3):
        raise ValueError("wrong rank")
    if (dense_shape < 0).any():
        raise invalid(f"dense_shape must not be negative: {dims_text(dense_shape.tolist())}")
    return box(without_values(tuple(dense_shape.tolist()), type.np_dtype))
