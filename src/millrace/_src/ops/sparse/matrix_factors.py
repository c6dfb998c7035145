"""Cholesky factors of sparse matrices (CSR), and orders of rows that keep factors sparse.

Both come from SuperLU, which SciPy brings. Without pivoting, the triangular factors of a symmetric matrix are `L` and
`D L^H`, so `L sqrt(D)` is the Cholesky factor. SuperLU may follow the elimination tree in another order, which permutes
rows and columns of the factor alike; the permutation is undone.
"""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.dtypes import DType
from millrace._src.core.errors import invalid
from millrace._src.core.handle_types import MatrixHandle
from millrace._src.core.op_def import op
from millrace._src.core.shape_complaint import ShapeComplaint
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.ops.array.shape_checks import dims_text, merge_dims
from millrace._src.ops.shape_rules import SCALAR
from millrace._src.ops.sparse.matrix_conversion import MATRIX_TYPES, NOT_BATCHED, require_dtype
from millrace._src.ops.sparse.matrix_value import MatrixValue, box, from_blocks, matrix_in, scipy_sparse, shape_in


def _square_dims(shape: TensorShape) -> tuple[int | None, ...] | None:
    dims = shape.dim_sizes
    if dims is not None and None not in dims[-2:] and dims[-1] != dims[-2]:
        raise ShapeComplaint(
            f"Dimensions must be equal, but are {dims[-2]} and {dims[-1]}",
            running=f"sparse matrix must be square; got: {dims[-2]} != {dims[-1]}",
        )
    return dims


def _require_square(matrix: MatrixValue) -> None:
    rows, columns = matrix.shape[-2:]
    if rows != columns:
        raise invalid(f"sparse matrix must be square; got: {rows} != {columns}")


def _superlu(matrix: Any, ordering: str) -> Any:
    linalg = importlib.import_module("scipy.sparse.linalg")  # heavy, and few programs need it
    return linalg.splu(matrix.tocsc(), permc_spec=ordering, diag_pivot_thresh=0.0, options={"SymmetricMode": True})


# --- ordering --------------------------------------------------------------------------------------------------------


def _ordering_shape(c: ShapeContext) -> TensorShape:
    dims = _square_dims(shape_in(c.inputs[0]))
    return TensorShape(None) if dims is None else TensorShape.of(dims[:-1])


@op(
    "SparseMatrixOrderingAMD",
    "input: variant -> output: int32",
    shape=_ordering_shape,
    host_only=True,
    not_differentiable="an order depends on coordinates, not on values",
    not_batched=NOT_BATCHED,
)
def sparse_matrix_ordering_amd(xp: Xp, input: Array) -> Array:
    """Finds an order of the rows and columns, by minimum degree, that keeps the Cholesky factor sparse.

    The order need not be TensorFlow's, which comes from another implementation of the same heuristic.
    """
    matrix = matrix_in(input)
    _require_square(matrix)
    size = matrix.shape[-1]
    order = np.argsort(_superlu(_dominant(matrix), "MMD_AT_PLUS_A").perm_c) if matrix.batch * size else np.zeros(0)
    # Matrices of a batch do not meet in an elimination, so that their parts of the order may be taken apart.
    grouped_order = order[np.argsort(order // max(size, 1), kind="stable")] % max(size, 1)
    return grouped_order.astype(np.int32).reshape(matrix.shape[:-1])


def _dominant(matrix: MatrixValue) -> Any:
    """Makes a matrix with the same coordinates, made symmetric, that surely has a factor: its diagonal is dominant."""
    pattern = matrix.blocks.astype(np.float64, copy=True)
    pattern.data[:] = 1.0
    symmetric = pattern + pattern.T
    degrees = np.asarray(symmetric.sum(axis=1)).reshape(-1) + 1.0
    return scipy_sparse().diags_array(degrees) - symmetric * 0.5


# --- Cholesky --------------------------------------------------------------------------------------------------------


def _cholesky_shape(c: ShapeContext) -> TensorShape:
    dims = _square_dims(shape_in(c.inputs[0]))
    if dims is not None:
        merge_dims(dims[:-1], c.shape("permutation").dim_sizes)
    return SCALAR


def _cholesky_handle(c: ShapeContext) -> MatrixHandle:
    return MatrixHandle(c.attr("type"), shape_in(c.inputs[0]))


@op(
    "SparseMatrixSparseCholesky",
    "input: variant, permutation: int32 -> output: variant",
    type=MATRIX_TYPES,
    shape=_cholesky_shape,
    handles=_cholesky_handle,
    host_only=True,
    no_gradient="TensorFlow declares none",
    not_batched=NOT_BATCHED,
)
def sparse_matrix_sparse_cholesky(xp: Xp, input: Array, permutation: Array, *, type: DType) -> Array:
    """Computes the Cholesky factors of a sparse matrix, or of a batch, whose rows and columns are permuted first."""
    matrix = matrix_in(input)
    require_dtype(matrix, type, "dtype of input is not equal to 'type': {1} vs. {0}")
    _require_square(matrix)
    size = matrix.shape[-1]
    _require_permutation(permutation, matrix)
    order = (permutation.reshape(matrix.batch, size) + np.arange(matrix.batch)[:, None] * size).reshape(-1)
    permuted = matrix.blocks[order][:, order]
    return box(from_blocks(_cholesky_factor(permuted, size), matrix.shape))


def _require_permutation(permutation: Array, matrix: MatrixValue) -> None:
    if permutation.shape != matrix.shape[:-1]:
        shapes = f"{dims_text(matrix.shape[:-1])} vs. {dims_text(permutation.shape)}"
        raise invalid(f"permutation must have the shape of the rows of the matrix: {shapes}")
    if (np.sort(permutation, axis=-1) != np.arange(matrix.shape[-1])).any():
        raise invalid("permutation must hold each row number once")


def _cholesky_factor(matrix: Any, size: int) -> Any:
    """Computes the lower factor of a block diagonal matrix with blocks of `size` rows, from its lower triangle."""
    if not matrix.shape[0]:
        return matrix
    sparse = scipy_sparse()
    lower = sparse.tril(matrix, format="csr")
    symmetric = lower + sparse.tril(matrix, -1, format="csr").conj().T
    try:
        factors = _superlu(symmetric, "NATURAL")
    except RuntimeError:  # SciPy's word for a singular matrix, without the row
        raise invalid("Sparse Cholesky factorization failed. The input might not be valid.") from None
    pivots = factors.U.diagonal()[factors.perm_c]
    is_bad = ~((pivots.real > 0) & np.isfinite(pivots))
    if is_bad.any() or (factors.perm_r != factors.perm_c).any():
        batch = int(is_bad.argmax()) // max(size, 1)
        raise invalid(f"Sparse Cholesky factorization failed for batch index {batch}. The input might not be valid.")
    factor = (factors.L @ sparse.diags_array(np.sqrt(factors.U.diagonal()))).tocsr()
    return factor[factors.perm_c][:, factors.perm_c]
