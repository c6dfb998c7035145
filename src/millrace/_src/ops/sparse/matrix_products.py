"""Products of sparse matrices (CSR), with dense and with sparse matrices, and transposes."""

from __future__ import annotations

from typing import Any

import numpy as np

from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.dtypes import DType, as_dtype, runtime_name
from millrace._src.core.errors import invalid
from millrace._src.core.handle_types import MatrixHandle
from millrace._src.core.op_def import op
from millrace._src.core.shape_complaint import ShapeComplaint
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.array.shape_checks import dims_text, merge_dims, with_rank_at_least
from millrace._src.ops.shape_rules import SCALAR, UNKNOWN
from millrace._src.ops.sparse.matrix_conversion import MATRIX_TYPES, NOT_BATCHED, require_dtype
from millrace._src.ops.sparse.matrix_value import MatrixValue, box, from_blocks, matrix_in, shape_in
from millrace._src.ops.type_sets import ANY


def _require_one(transpose: bool, adjoint: bool, operand: str) -> None:
    if transpose and adjoint:
        raise invalid(f"Only one of adjoint_{operand} and transpose_{operand} may be true.")


def _swap(dims: tuple[Any, ...], swap: bool) -> tuple[Any, ...]:
    return (*dims[:-2], dims[-1], dims[-2]) if swap else dims


def _product_dims(c: ShapeContext, a: TensorShape, b: TensorShape) -> tuple[int | None, ...] | None:
    for operand in "ab":
        _require_one(c.attr(f"transpose_{operand}"), c.attr(f"adjoint_{operand}"), operand)
    left, right = with_rank_at_least(a, 2), with_rank_at_least(b, 2)
    if left is None or right is None:
        return None
    left = _swap(left, c.attr("transpose_a") or c.attr("adjoint_a"))
    right = _swap(right, c.attr("transpose_b") or c.attr("adjoint_b"))
    batch = merge_dims(left[:-2], right[:-2])
    if None not in (left[-1], right[-2]) and left[-1] != right[-2]:
        raise ValueError(f"Dimensions must be equal, but are {left[-1]} and {right[-2]}")
    return (*(batch or ()), left[-2], right[-1])


def _dense_product_shape(c: ShapeContext) -> TensorShape:
    try:
        dims = _product_dims(c, shape_in(c.inputs[0]), c.shape("b"))
    except ValueError as fault:  # the kernel has its own words
        raise ShapeComplaint(str(fault)) from None
    return UNKNOWN if dims is None else TensorShape.of(_swap(dims, c.attr("transpose_output")))


def _apply(array: Any, transpose: bool, adjoint: bool) -> Any:
    """Transposes a matrix, or the last two dimensions of a dense array, if asked, and conjugates it for an adjoint."""
    if not (transpose or adjoint):
        return array
    turned = np.swapaxes(array, -1, -2) if isinstance(array, np.ndarray) else array.T
    return turned.conj() if adjoint and turned.dtype.kind == "c" else turned


def _require_fit(a: MatrixValue, b_shape: tuple[int, ...], left: tuple[int, ...], right: tuple[int, ...]) -> None:
    if left[-1] != right[-2] or left[:-2] != right[:-2]:
        shapes = f"{dims_text(left)} vs. {dims_text(right)}"
        raise invalid(f"Inner product dimensions of A and B do not agree. Shapes are: {shapes}")


@op(
    "SparseMatrixMatMul",
    "a: variant, b: T -> output: T",
    T=ANY,
    shape=_dense_product_shape,
    host_only=True,
    not_batched=NOT_BATCHED,
)
def sparse_matrix_mat_mul(
    xp: Xp,
    a: Array,
    b: Array,
    *,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    transpose_output: bool = False,
    conjugate_output: bool = False,
) -> Array:
    """Multiplies a sparse matrix by a dense matrix, or a batch by a batch."""
    _require_one(transpose_a, adjoint_a, "a")
    _require_one(transpose_b, adjoint_b, "b")
    matrix = matrix_in(a)
    if matrix.values.dtype != b.dtype:
        names = runtime_name(as_dtype(matrix.values.dtype)), runtime_name(as_dtype(b.dtype))
        raise invalid(f"Input types don't match.  a.dtype == {names[0]} vs. b.dtype == {names[1]}")
    if len(matrix.shape) != b.ndim:
        raise invalid(f"Ranks of a and b must match, saw: {len(matrix.shape)} vs. {b.ndim}.")
    turns_a = transpose_a or adjoint_a
    dense = _apply(b, transpose_b, adjoint_b)
    left = _swap(matrix.shape, turns_a)
    _require_fit(matrix, b.shape, left, dense.shape)
    stacked_product = _apply(matrix.blocks, transpose_a, adjoint_a) @ dense.reshape(-1, dense.shape[-1])
    product = stacked_product.reshape(*left[:-1], dense.shape[-1])
    product = np.swapaxes(product, -1, -2) if transpose_output else product
    return np.ascontiguousarray(product.conj() if conjugate_output and product.dtype.kind == "c" else product)


@sparse_matrix_mat_mul.gradient
def sparse_matrix_mat_mul_gradient(
    doutput: Tensor,
    a: Tensor,
    b: Tensor,
    transpose_a: bool,
    transpose_b: bool,
    adjoint_a: bool,
    adjoint_b: bool,
    transpose_output: bool,
    conjugate_output: bool,
) -> tuple[Tensor, Tensor]:
    grad = _conj(doutput) if conjugate_output else doutput
    grad = _turn(grad) if transpose_output else grad
    dense = _turn(b) if transpose_b or adjoint_b else b
    dense = _conj(dense) if adjoint_b else dense
    da = _matrix_gradient(a, grad, dense, b.dtype, transpose_a or adjoint_a, adjoint_a)
    return da, _dense_gradient(a, grad, transpose_a, adjoint_a, transpose_b or adjoint_b, adjoint_b)


def _dense_gradient(
    a: Tensor, grad: Tensor, transpose_a: bool, adjoint_a: bool, turns_output: bool, conjugates_output: bool
) -> Tensor:
    """Multiplies the adjoint of the first operand by the gradient; turned as the second operand was."""
    conjugates = transpose_a and grad.dtype.is_complex  # the adjoint of a transpose is the conjugate
    return raw.SparseMatrixMatMul(
        a=a,
        b=_conj(grad) if conjugates else grad,
        adjoint_a=not (transpose_a or adjoint_a),
        transpose_output=turns_output,
        conjugate_output=conjugates != conjugates_output,
    )


def _matrix_gradient(a: Tensor, grad: Tensor, dense: Tensor, dtype: DType, turns: bool, conjugates: bool) -> Tensor:
    """Computes the product of the gradient and the second operand's adjoint at the coordinates of the sparse matrix."""
    indices, _, dense_shape = raw.CSRSparseMatrixToSparseTensor(sparse_matrix=a, type=dtype)
    leading, row, column = _split_indices(indices)
    row_indices = raw.ConcatV2(values=[leading, column if turns else row], axis=1)
    column_indices = raw.ConcatV2(values=[leading, row if turns else column], axis=1)
    rows_of_grad = raw.GatherNd(params=grad, indices=row_indices)
    rows_of_dense = raw.GatherNd(params=dense, indices=column_indices)
    values = raw.Sum(input=rows_of_grad * _conj(rows_of_dense), reduction_indices=1)
    values = _conj(values) if conjugates else values
    return raw.SparseTensorToCSRSparseMatrix(indices=indices, values=values, dense_shape=dense_shape)


def _split_indices(indices: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Splits indices into those of the batch (no column for a single matrix), of the row and of the column."""
    return indices[:, :-2], indices[:, -2:-1], indices[:, -1:]


def _conj(tensor: Tensor) -> Tensor:
    return raw.Conj(input=tensor) if tensor.dtype.is_complex else tensor


def _turn(tensor: Tensor) -> Tensor:
    """Swaps the last two dimensions of a tensor of any rank."""
    axes = raw.Range(start=0, limit=raw.Rank(input=tensor), delta=1)
    order = raw.ConcatV2(values=[axes[:-2], axes[-1:], axes[-2:-1]], axis=0)
    if tensor.shape.rank is not None:
        order = np.array([*range(tensor.shape.rank - 2), tensor.shape.rank - 1, tensor.shape.rank - 2], np.int32)
    return raw.Transpose(x=tensor, perm=order)


# --- sparse times sparse ---------------------------------------------------------------------------------------------


def _sparse_product_dims(c: ShapeContext) -> tuple[int | None, ...] | None:
    return _product_dims(c, shape_in(c.inputs[0]), shape_in(c.inputs[1]))


def _sparse_product_shape(c: ShapeContext) -> TensorShape:
    if None not in (shape_in(c.inputs[0]).rank, shape_in(c.inputs[1]).rank):
        _sparse_product_dims(c)
    return SCALAR


def _sparse_product_handle(c: ShapeContext) -> MatrixHandle:
    dims = _sparse_product_dims(c)
    return MatrixHandle(c.attr("type"), UNKNOWN if dims is None else TensorShape.of(dims))


@op(
    "SparseMatrixSparseMatMul",
    "a: variant, b: variant -> c: variant",
    type=MATRIX_TYPES,
    shape=_sparse_product_shape,
    handles=_sparse_product_handle,
    host_only=True,
    not_batched=NOT_BATCHED,
)
def sparse_matrix_sparse_mat_mul(
    xp: Xp,
    a: Array,
    b: Array,
    *,
    type: DType,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
) -> Array:
    """Multiplies two sparse matrices, or two batches; the product is sparse."""
    _require_one(transpose_a, adjoint_a, "a")
    _require_one(transpose_b, adjoint_b, "b")
    first, second = matrix_in(a), matrix_in(b, 1)
    for operand, matrix in (("a", first), ("b", second)):
        require_dtype(matrix, type, f"dtype of {operand} is not equal to 'type': {{1}} vs. {{0}}")
    left = _swap(first.shape, transpose_a or adjoint_a)
    right = _swap(second.shape, transpose_b or adjoint_b)
    if left[-1] != right[-2] or left[:-2] != right[:-2]:
        shapes = f"{dims_text(left)} vs. {dims_text(right)}"
        raise invalid(f"Inner product dimensions of A and B do not agree.  Shapes are: {shapes}")
    blocks = _apply(first.blocks, transpose_a, adjoint_a) @ _apply(second.blocks, transpose_b, adjoint_b)
    return box(from_blocks(blocks, (*left[:-1], right[-1])))


@sparse_matrix_sparse_mat_mul.gradient
def sparse_matrix_sparse_mat_mul_gradient(
    dc: Tensor,
    a: Tensor,
    b: Tensor,
    type: DType,
    transpose_a: bool,
    transpose_b: bool,
    adjoint_a: bool,
    adjoint_b: bool,
) -> tuple[Tensor, Tensor]:
    left = _turn_matrix(a, type, transpose_a or adjoint_a, adjoint_a)
    right = _turn_matrix(b, type, transpose_b or adjoint_b, adjoint_b)
    dleft = raw.SparseMatrixSparseMatMul(a=dc, b=right, type=type, adjoint_b=True)
    dright = raw.SparseMatrixSparseMatMul(a=left, b=dc, type=type, adjoint_a=True)
    da = _turn_matrix(dleft, type, transpose_a or adjoint_a, adjoint_a)
    return da, _turn_matrix(dright, type, transpose_b or adjoint_b, adjoint_b)


def _turn_matrix(matrix: Tensor, dtype: DType, turns: bool, conjugates: bool) -> Tensor:
    return raw.SparseMatrixTranspose(input=matrix, type=dtype, conjugate=conjugates) if turns else matrix


# --- transpose -------------------------------------------------------------------------------------------------------


def _transposed_shape(c: ShapeContext) -> TensorShape:
    return SCALAR


def _transpose_handle(c: ShapeContext) -> MatrixHandle:
    dims = shape_in(c.inputs[0]).dim_sizes
    return MatrixHandle(c.attr("type"), UNKNOWN if dims is None else TensorShape.of(_swap(dims, True)))


@op(
    "SparseMatrixTranspose",
    "input: variant -> output: variant",
    type=MATRIX_TYPES,
    shape=_transposed_shape,
    handles=_transpose_handle,
    host_only=True,
    not_batched=NOT_BATCHED,
)
def sparse_matrix_transpose(xp: Xp, input: Array, *, conjugate: bool = False, type: DType) -> Array:
    """Transposes a sparse matrix, or each matrix of a batch, and conjugates the values if asked."""
    matrix = matrix_in(input)
    require_dtype(matrix, type, "dtype of input is not equal to 'type': {1} vs. {0}")
    return box(from_blocks(_apply(matrix.blocks, True, conjugate), _swap(matrix.shape, True)))


@sparse_matrix_transpose.gradient
def sparse_matrix_transpose_gradient(doutput: Tensor, conjugate: bool, type: DType) -> Tensor:
    return raw.SparseMatrixTranspose(input=doutput, conjugate=conjugate, type=type)
