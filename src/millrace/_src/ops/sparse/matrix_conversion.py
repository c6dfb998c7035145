"""Conversions between sparse matrices (CSR) and tensors: sparse tensors, dense tensors, the parts of the format.

A gradient of a sparse matrix is a sparse matrix whose coordinates need not be those of the matrix. `values_at`
reads a gradient at given coordinates: a binary search in the sorted coordinates of the gradient.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.dtypes import DType, as_dtype, complex64, complex128, float32, float64, int64, runtime_name
from millrace._src.core.errors import invalid
from millrace._src.core.handle_types import MatrixHandle
from millrace._src.core.op_def import op
from millrace._src.core.op_signature import TypeSet
from millrace._src.core.shape_complaint import ShapeComplaint
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.array.shape_checks import dims_text, with_rank
from millrace._src.ops.array.sorting import argsort
from millrace._src.ops.shape_rules import SCALAR
from millrace._src.ops.sparse.matrix_value import MatrixValue, box, from_coordinates, matrix_in, shape_in

MATRIX_TYPES = TypeSet((float32, float64, complex64, complex128))
NOT_BATCHED = "a batch of sparse matrices has an own rank"


def _require_rank(rank: int | None, traced: str, running: str) -> None:
    if rank not in (None, 2, 3):
        message = f"{traced}: {rank}.  Expected a known rank of either 2 or 3."
        raise ShapeComplaint(message, running=running)


# --- from a sparse tensor --------------------------------------------------------------------------------------------


def _from_sparse_shape(c: ShapeContext) -> TensorShape:
    indices, values = with_rank(c.shape("indices"), 2), with_rank(c.shape("values"), 1)
    (rank,) = with_rank(c.shape("dense_shape"), 1)
    rank = indices[1] if rank is None else rank
    _require_rank(rank, "Invalid rank", f"SparseTensor must have rank 2 or 3; but indices has rank: {rank}")
    if None not in (indices[0], values[0]) and indices[0] != values[0]:
        traced = f"Number of elements in index ({indices[0]}) and values ({values[0]}) do not match."
        running = f"Number of elements in indices ({indices[0]}) and values ({values[0]}) do not match"
        raise ShapeComplaint(traced, running=running)
    return SCALAR


def _from_sparse_handle(c: ShapeContext) -> MatrixHandle:
    return MatrixHandle(c.attr("T"), c.value_as_shape("dense_shape"))


@op(
    "SparseTensorToCSRSparseMatrix",
    "indices: int64, values: T, dense_shape: int64 -> sparse_matrix: variant",
    T=MATRIX_TYPES,
    shape=_from_sparse_shape,
    handles=_from_sparse_handle,
    host_only=True,
    not_batched=NOT_BATCHED,
)
def sparse_tensor_to_csr_sparse_matrix(xp: Xp, indices: Array, values: Array, dense_shape: Array) -> Array:
    """Makes a sparse matrix, or a batch of sparse matrices, from the parts of a sparse tensor of rank 2 or 3."""
    rank = indices.shape[1] if indices.ndim == 2 else 0
    if rank not in (2, 3) or len(dense_shape) != rank or len(indices) != len(values):
        raise ValueError("the parts do not fit together")
    is_outside = ((indices < 0) | (indices >= dense_shape)).any(axis=1)
    if is_outside.any():
        row = int(is_outside.argmax())
        raise invalid(f"Sparse index tuple indices[{row}, :] = {indices[row].tolist()} is out of bounds")
    return box(from_coordinates(indices, values, tuple(dense_shape.tolist())))


@sparse_tensor_to_csr_sparse_matrix.gradient
def sparse_tensor_to_csr_sparse_matrix_gradient(
    dsparse_matrix: Tensor, indices: Tensor, values: Tensor
) -> tuple[None, Tensor, None]:
    return None, values_at(dsparse_matrix, indices, values.dtype), None


def values_at(matrix: Tensor, indices: object, dtype: DType) -> Tensor:
    """Reads a sparse matrix at the rows of `indices`; 0 where the matrix has no value."""
    found_indices, found_values, dense_shape = raw.CSRSparseMatrixToSparseTensor(sparse_matrix=matrix, type=dtype)
    strides = raw.Cumprod(x=dense_shape, axis=0, exclusive=True, reverse=True)
    keys = raw.Sum(input=indices * strides, reduction_indices=1)
    found_keys = raw.Sum(input=found_indices * strides, reduction_indices=1)
    order = argsort(found_keys)
    sorted_keys = raw.GatherV2(params=found_keys, indices=order, axis=0)
    sorted_values = raw.GatherV2(params=found_values, indices=order, axis=0)
    found = raw.LowerBound(sorted_inputs=[sorted_keys], values=[keys], out_type=int64)[0]
    padded_keys = raw.ConcatV2(values=[sorted_keys, np.array([-1], np.int64)], axis=0)
    padded_values = raw.ConcatV2(values=[sorted_values, np.zeros(1, dtype.np_dtype)], axis=0)
    is_found = raw.Equal(x=raw.GatherV2(params=padded_keys, indices=found, axis=0), y=keys)
    values = raw.GatherV2(params=padded_values, indices=found, axis=0)
    return raw.SelectV2(condition=is_found, t=values, e=raw.ZerosLike(x=values))


# --- to a sparse tensor ----------------------------------------------------------------------------------------------


def _to_sparse_shapes(c: ShapeContext) -> Sequence[TensorShape]:
    rank = shape_in(c.inputs[0]).rank
    return TensorShape.of((None, rank)), TensorShape.of((None,)), TensorShape.of((rank,))


def require_dtype(matrix: MatrixValue, expected: DType, text: str) -> None:
    """Refuses a matrix of another dtype; `text` has fields for the expected and the actual dtype."""
    actual = as_dtype(matrix.values.dtype)
    if actual is not expected:
        raise invalid(text.format(runtime_name(expected), runtime_name(actual)))


@op(
    "CSRSparseMatrixToSparseTensor",
    "sparse_matrix: variant -> indices: int64, values: type, dense_shape: int64",
    type=MATRIX_TYPES,
    shape=_to_sparse_shapes,
    host_only=True,
    not_batched=NOT_BATCHED,
)
def csr_sparse_matrix_to_sparse_tensor(xp: Xp, sparse_matrix: Array, *, type: DType) -> tuple[Array, Array, Array]:
    """Makes the parts of a sparse tensor from a sparse matrix."""
    matrix = matrix_in(sparse_matrix)
    require_dtype(matrix, type, "dtype of input is not equal to 'type': {1} vs. {0}")
    return matrix.indices(), matrix.values, np.array(matrix.shape, np.int64)


@csr_sparse_matrix_to_sparse_tensor.gradient
def csr_sparse_matrix_to_sparse_tensor_gradient(
    dindices: object, dvalues: Tensor, ddense_shape: object, indices: Tensor, dense_shape: Tensor
) -> Tensor:
    return raw.SparseTensorToCSRSparseMatrix(indices=indices, values=dvalues, dense_shape=dense_shape)


# --- dense -----------------------------------------------------------------------------------------------------------


def _to_dense_shape(c: ShapeContext) -> TensorShape:
    return shape_in(c.inputs[0])


@op(
    "CSRSparseMatrixToDense",
    "sparse_input: variant -> dense_output: type",
    type=MATRIX_TYPES,
    shape=_to_dense_shape,
    host_only=True,
    not_batched=NOT_BATCHED,
)
def csr_sparse_matrix_to_dense(xp: Xp, sparse_input: Array, *, type: DType) -> Array:
    """Makes the dense array of a sparse matrix."""
    matrix = matrix_in(sparse_input)
    require_dtype(matrix, type, "Asked for a CSRSparseMatrix of type {0} but saw dtype: {1}")
    return matrix.dense()


@csr_sparse_matrix_to_dense.gradient
def csr_sparse_matrix_to_dense_gradient(ddense_output: Tensor, sparse_input: Tensor, type: DType) -> Tensor:
    parts = raw.CSRSparseMatrixToSparseTensor(sparse_matrix=sparse_input, type=type)
    return raw.DenseToCSRSparseMatrix(dense_input=ddense_output, indices=parts[0])


def _from_dense_shape(c: ShapeContext) -> TensorShape:
    dense, indices = c.shape("dense_input"), c.shape("indices")
    _require_rank(
        dense.rank, "Invalid rank of dense", f"params must have rank == 2 or 3; but saw shape: {dims_text(dense)}"
    )
    depth = with_rank(indices, 2)[1]
    if None not in (depth, dense.rank) and depth != dense.rank:
        raise ShapeComplaint(
            f"indices.shape[1] must match rank of dense; saw: {depth} vs. {dense.rank}",
            running=f"indices.shape[1] must be equal to the rank of params, but saw: {depth} vs. {dense.rank}",
        )
    return SCALAR


def _from_dense_handle(c: ShapeContext) -> MatrixHandle:
    return MatrixHandle(c.attr("T"), c.shape("dense_input"))


@op(
    "DenseToCSRSparseMatrix",
    "dense_input: T, indices: int64 -> sparse_output: variant",
    T=MATRIX_TYPES,
    shape=_from_dense_shape,
    handles=_from_dense_handle,
    host_only=True,
    not_batched=NOT_BATCHED,
)
def dense_to_csr_sparse_matrix(xp: Xp, dense_input: Array, indices: Array) -> Array:
    """Makes a sparse matrix of the elements of a dense matrix at `indices`."""
    if dense_input.ndim not in (2, 3) or indices.ndim != 2 or indices.shape[1] != dense_input.ndim:
        raise ValueError("the indices do not fit")
    is_outside = ((indices < 0) | (indices >= dense_input.shape)).any(axis=1)
    if is_outside.any():
        row = int(is_outside.argmax())
        where = f"param shape {dims_text(dense_input.shape)}, node name: DenseToCSRSparseMatrix"
        raise invalid(f"indices[{row}] = {indices[row].tolist()} does not index into {where}")
    return box(from_coordinates(indices, dense_input[tuple(indices.T)], dense_input.shape))


@dense_to_csr_sparse_matrix.gradient
def dense_to_csr_sparse_matrix_gradient(
    dsparse_output: Tensor, dense_input: Tensor, indices: Tensor
) -> tuple[Tensor, None]:
    values = values_at(dsparse_output, indices, dense_input.dtype)
    shape = raw.Shape(input=dense_input, out_type=int64)
    return raw.ScatterNd(indices=indices, updates=values, shape=shape), None


# --- the parts -------------------------------------------------------------------------------------------------------


def _component_shapes(c: ShapeContext) -> Sequence[TensorShape]:
    dims = shape_in(c.inputs[0]).dim_sizes
    if c.shape("index").rank not in (None, 0):
        raise ValueError(f"Shape must be rank 0 but is rank {c.shape('index').rank}")
    rows = None if dims is None else dims[-2]
    return TensorShape.of((None if rows is None else rows + 1,)), TensorShape.of((None,)), TensorShape.of((None,))


@op(
    "CSRSparseMatrixComponents",
    "csr_sparse_matrix: variant, index: int32 -> row_ptrs: int32, col_inds: int32, values: type",
    type=MATRIX_TYPES,
    shape=_component_shapes,
    host_only=True,
    no_gradient="TensorFlow declares none",
    not_batched=NOT_BATCHED,
)
def csr_sparse_matrix_components(
    xp: Xp, csr_sparse_matrix: Array, index: Array, *, type: DType
) -> tuple[Array, Array, Array]:
    """Reads row pointers, columns and values of one matrix of a batch."""
    matrix = matrix_in(csr_sparse_matrix)
    require_dtype(matrix, type, "dtype of input is not equal to 'type': {1} vs. {0}")
    if index.ndim:
        raise ValueError("index must be a scalar")
    if not 0 <= index < matrix.batch:
        raise invalid(f"index ({int(index)}) not in [0, {matrix.batch})")
    rows = matrix.shape[-2]
    pointers = matrix.pointers[int(index) * rows : (int(index) + 1) * rows + 1]
    part = slice(pointers[0], pointers[-1])
    return (pointers - pointers[0]).astype(np.int32), matrix.columns[part].astype(np.int32), matrix.values[part]


def _count_shape(c: ShapeContext) -> TensorShape:
    shape = shape_in(c.inputs[0])
    return TensorShape(None) if shape.dim_sizes is None else shape[:-2]


@op(
    "SparseMatrixNNZ",
    "sparse_matrix: variant -> nnz: int32",
    shape=_count_shape,
    host_only=True,
    not_differentiable="a number of elements depends on no value",
    not_batched=NOT_BATCHED,
)
def sparse_matrix_nnz(xp: Xp, sparse_matrix: Array) -> Array:
    """Counts the values of a sparse matrix, or of each matrix of a batch."""
    matrix = matrix_in(sparse_matrix)
    bounds = matrix.pointers[:: max(matrix.shape[-2], 1)] if matrix.shape[-2] else np.zeros(matrix.batch + 1, np.int64)
    return np.diff(bounds).astype(np.int32).reshape(matrix.shape[:-2])
