"""Systems of linear equations: `MatrixSolve` for square matrices, `MatrixTriangularSolve` for triangular ones.

A square system is factorized; its batches must agree. A triangular system is solved by substitution; its batches
broadcast, and its gradients are summed over the axes that were broadcast.
"""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from millrace._src.core import dtypes as d
from millrace._src.core import errors
from millrace._src.core.argument_types import TensorLike
from millrace._src.core.array_namespace import Array, CompilingXp, Xp
from millrace._src.core.context import name_scope
from millrace._src.core.kernel_part import kernel_part
from millrace._src.core.op_def import op
from millrace._src.core.op_signature import TypeSet
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.batching_rules import elementwise, leading
from millrace._src.ops.linalg.matrices import (
    LAPACK_TYPES,
    check_matrix,
    conjugate_transpose,
    guard,
    lower_part,
    matrix_dims,
    merge,
    product,
    same_dim,
    square_dims,
    upper_part,
    widen,
)
from millrace._src.ops.linalg.small_matrices import is_substituted_in_planes, triangular_solutions
from millrace._src.ops.math.broadcasting import shape_text, static_reduced_axes
from millrace._src.ops.shape_rules import broadcast_dims
from millrace._src.util.export import export

TRIANGULAR_TYPES = TypeSet([d.bfloat16, d.float64, d.float32, d.float16, d.complex64, d.complex128])


# --- square ----------------------------------------------------------------------------------------------------------


def solve_shape(c: ShapeContext) -> TensorShape:
    """Infers the shape of the solutions from square matrices and right-hand sides; batches must agree."""
    matrix, rhs = square_dims(c.shape("matrix")), matrix_dims(c.shape("rhs"))
    if matrix is None or rhs is None:
        return c.shape("rhs")
    batch = merge(TensorShape.of(matrix[0]), TensorShape.of(rhs[0]))
    same_dim(matrix[1], rhs[1])
    return TensorShape.of((*(batch.dim_sizes or ()), same_dim(rhs[1], matrix[1]), rhs[2]))


def check_equations(matrix: Array, rhs: Array, *, square: bool = True) -> None:
    """Checks that left- and right-hand sides fit each other.

    Raises: InvalidArgumentError: if the ranks, batches or sizes differ.
    """
    check_matrix(matrix)
    message = None
    if matrix.ndim != rhs.ndim:
        message = "All input tensors must have the same rank."
    elif matrix.shape[:-2] != rhs.shape[:-2]:
        message = "All input tensors must have the same outer dimensions."
    elif square and matrix.shape[-1] != matrix.shape[-2]:
        message = "First input (lhs) must be a square matrix."
    elif matrix.shape[-2] != rhs.shape[-2]:
        message = "Input matrix and rhs are incompatible."
    if message:
        raise errors.InvalidArgumentError(None, None, message)


@op(
    "MatrixSolve",
    "matrix: T, rhs: T -> output: T",
    T=LAPACK_TYPES,
    shape=solve_shape,
    batching=leading("matrix", "rhs"),
    library_bound=True,
    refuses=("matrix",),
)
def matrix_solve(xp: Xp, matrix: Array, rhs: Array, *, adjoint: bool = False) -> Array:
    """Solves `matrix @ x = rhs`, or with the adjoint of `matrix`; the op behind `tf.linalg.solve`.

    >>> tf.raw_ops.MatrixSolve(matrix=[[2.0, 0.0], [0.0, 4.0]], rhs=[[2.0], [2.0]]).numpy()
    array([[1. ],
           [0.5]], dtype=float32)
    """
    check_equations(matrix, rhs)
    a = widen(xp, matrix)
    if adjoint:
        a = conjugate_transpose(xp, a)
    solution = guard(xp, "Input matrix is not invertible.", xp.linalg.solve, a, widen(xp, rhs))
    return xp.astype(solution, rhs.dtype)


@matrix_solve.gradient
def matrix_solve_gradient(dy: Tensor, matrix: Tensor, output: Tensor, adjoint: bool) -> tuple[Tensor, Tensor]:
    drhs = raw.MatrixSolve(matrix=matrix, rhs=dy, adjoint=not adjoint)
    if adjoint:
        return -product(output, drhs, adj_b=True), drhs
    return -product(drhs, output, adj_b=True), drhs


@export("linalg.solve", v1=["linalg.solve", "matrix_solve"])
def solve(matrix: TensorLike, rhs: TensorLike, adjoint: bool = False, name: str | None = None) -> Tensor:
    """Solves systems of linear equations `matrix @ x = rhs`.

    >>> tf.linalg.solve([[2.0, 0.0], [0.0, 4.0]], [[2.0], [2.0]]).numpy()
    array([[1. ],
           [0.5]], dtype=float32)

    Args:
      matrix: A `Tensor` of shape `[..., M, M]`: floating point or complex.
      rhs: A `Tensor` of shape `[..., M, K]` and the same dtype.
      adjoint: Whether to solve with the adjoint of `matrix`.
      name: A name for the operation (optional).

    Returns: A `Tensor` of the shape of `rhs`.
    Raises: InvalidArgumentError: if a matrix is singular, or the shapes do not fit.
    """
    result: Tensor = matrix_solve(matrix, rhs, adjoint=adjoint, name=name)
    return result


# --- triangular ------------------------------------------------------------------------------------------------------


def triangular_solve_shape(c: ShapeContext) -> TensorShape:
    """Infers the shape of the solutions from square matrices and right-hand sides; batches broadcast."""
    matrix, rhs = square_dims(c.shape("matrix")), matrix_dims(c.shape("rhs"))
    if matrix is None or rhs is None:
        return TensorShape(None)
    batch = broadcast_dims(TensorShape.of(matrix[0]), TensorShape.of(rhs[0]))
    rows = same_dim(matrix[1], rhs[1])
    return TensorShape.of((*(batch.dim_sizes or ()), rows, rhs[2]))


def _check_triangular(matrix: Array, rhs: Array) -> None:
    message = None
    for i, x in enumerate((matrix, rhs)):
        if x.ndim < 2:
            raise errors.InvalidArgumentError(None, None, f"In[{i}] ndims must be >= 2: {x.ndim}")
    rows, columns = matrix.shape[-2:]
    if rows != columns:
        message = f"In[0] matrices in the last dimensions must be square ({columns} =/= {rows})"
    elif columns != rhs.shape[-2]:
        shapes = f"{shape_text(matrix.shape)} {shape_text(rhs.shape)}"
        message = f"In[0] mismatch In[1] shape: {columns} vs. {rhs.shape[-2]}: {shapes} 1 0"
    elif broadcast_batches(matrix, rhs) is None:
        shapes = f"{shape_text(matrix.shape)} vs. {shape_text(rhs.shape)}"
        message = f"In[0] and In[1] must have compatible batch dimensions: {shapes}"
    if message:
        raise errors.InvalidArgumentError(None, None, message)


def broadcast_batches(a: Array, b: Array) -> Any:
    """Returns the common batch dimensions of two stacks of matrices; None if they do not fit."""
    try:
        return np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    except ValueError:
        return None


@op(
    "MatrixTriangularSolve",
    "matrix: T, rhs: T -> output: T",
    T=TRIANGULAR_TYPES,
    shape=triangular_solve_shape,
    batching=elementwise,
    library_bound=True,
)
def matrix_triangular_solve(xp: Xp, matrix: Array, rhs: Array, *, lower: bool = True, adjoint: bool = False) -> Array:
    """Solves `matrix @ x = rhs` by substitution; the other triangle of `matrix` is not read.

    >>> tf.raw_ops.MatrixTriangularSolve(matrix=[[2.0, 9.0], [1.0, 1.0]], rhs=[[2.0], [3.0]]).numpy()
    array([[1.],
           [2.]], dtype=float32)
    """
    _check_triangular(matrix, rhs)
    a, b = widen(xp, matrix), widen(xp, rhs)
    batch = broadcast_batches(a, b)
    a, b = xp.broadcast_to(a, batch + a.shape[-2:]), xp.broadcast_to(b, batch + b.shape[-2:])
    if 0 in b.shape:
        return xp.zeros(b.shape, rhs.dtype)
    return xp.astype(substitute(xp, a, b, lower, adjoint), rhs.dtype)


@kernel_part
def substitute(xp: Xp, a: Array, b: Array, lower: bool, adjoint: bool) -> Array:
    """Calls BLAS's trsm for each matrix, which does not check the diagonal: zeros on it give infinities."""
    if is_substituted_in_planes(a, b):
        return triangular_solutions(a, b, lower, adjoint)
    blas = importlib.import_module("scipy.linalg.blas")  # heavy, and few programs need it
    trsm = getattr(blas, {"f": "s", "d": "d", "F": "c", "D": "z"}[a.dtype.char] + "trsm")
    solutions = np.empty(b.shape, b.dtype)
    for index in np.ndindex(b.shape[:-2]):
        solutions[index] = trsm(1.0, a[index], b[index], lower=lower, trans_a=2 if adjoint else 0)
    return solutions


@substitute.kernel_for("xla")
def _xla_substitute(xp: CompilingXp, a: Array, b: Array, lower: bool, adjoint: bool) -> Array:
    conjugate = adjoint and a.dtype.kind == "c"
    options = {"left_side": True, "lower": lower, "transpose_a": adjoint, "conjugate_a": conjugate}
    return xp.lax.linalg.triangular_solve(a, b, **options)


@matrix_triangular_solve.gradient
def matrix_triangular_solve_gradient(
    dy: Tensor, matrix: Tensor, rhs: Tensor, output: Tensor, lower: bool, adjoint: bool
) -> tuple[Tensor, Tensor]:
    drhs = raw.MatrixTriangularSolve(matrix=matrix, rhs=dy, lower=lower, adjoint=not adjoint)
    if adjoint:
        dmatrix = -product(output, drhs, adj_b=True)
    else:
        dmatrix = -product(drhs, output, adj_b=True)
    dmatrix = lower_part(dmatrix) if lower else upper_part(dmatrix)
    return sum_batches(matrix, rhs, dmatrix, drhs)


def sum_batches(matrix: Tensor, rhs: Tensor, dmatrix: Tensor, drhs: Tensor) -> tuple[Tensor, Tensor]:
    """Sums gradients over the batch dimensions that were broadcast."""
    m, r = matrix.shape.dim_sizes, rhs.shape.dim_sizes
    axes = static_reduced_axes(None if m is None else m[:-2], None if r is None else r[:-2])
    if axes is None:
        axes = raw.BroadcastGradientArgs(s0=raw.Shape(input=matrix)[:-2], s1=raw.Shape(input=rhs)[:-2])
    return _sum_to(matrix, dmatrix, axes[0]), _sum_to(rhs, drhs, axes[1])


def _sum_to(operand: Tensor, gradient: Tensor, axes: object) -> Tensor:
    if isinstance(axes, tuple):
        if not axes:
            return gradient
        axes = np.array(axes, np.int32)
    total = raw.Sum(input=gradient, reduction_indices=axes)
    return raw.Reshape(tensor=total, shape=raw.Shape(input=operand))


@export("linalg.triangular_solve", v1=["linalg.triangular_solve", "matrix_triangular_solve"])
def triangular_solve(
    matrix: TensorLike, rhs: TensorLike, lower: bool = True, adjoint: bool = False, name: str | None = None
) -> Tensor:
    """Solves systems of linear equations with triangular matrices by substitution.

    >>> tf.linalg.triangular_solve([[2.0, 0.0], [1.0, 1.0]], [[2.0], [3.0]]).numpy()
    array([[1.],
           [2.]], dtype=float32)

    Args:
      matrix: A `Tensor` of shape `[..., M, M]`: floating point or complex; one triangle is read.
      rhs: A `Tensor` of shape `[..., M, K]` and the same dtype; the batch dimensions broadcast.
      lower: Whether the lower triangle of `matrix` is meant, rather than the upper.
      adjoint: Whether to solve with the adjoint of `matrix`.
      name: A name for the operation (optional).

    Returns: A `Tensor` of shape `[..., M, K]`; a zero on the diagonal gives infinities or NaN.
    Raises: InvalidArgumentError: if the shapes do not fit.
    """
    with name_scope(name, "triangular_solve"):
        result: Tensor = matrix_triangular_solve(matrix, rhs, lower=lower, adjoint=adjoint)
        return result
