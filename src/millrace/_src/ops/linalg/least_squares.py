"""Least squares: the x that comes nearest to `matrix @ x = rhs`, and the smallest such x if there are many.

The fast path solves the normal equations by Cholesky, which squares the condition number of the matrix. The slow path
goes through singular values. With regularization L2 the fast path minimizes |A x - b|^2 + L2 |x|^2.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from millrace._src.core import errors
from millrace._src.core.argument_types import TensorLike
from millrace._src.core.array_namespace import Array, CompilingXp, Xp
from millrace._src.core.context import name_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.kernel_part import kernel_part
from millrace._src.core.op_def import op
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.batching_rules import leading
from millrace._src.ops.control_flow import cond
from millrace._src.ops.linalg.cholesky import cholesky, cholesky_solve
from millrace._src.ops.linalg.matrices import (
    LAPACK_TYPES,
    adjoint_of,
    check_matrix,
    conjugate_transpose,
    identity_like,
    matrix_dims,
    merge,
    product,
    same_dim,
    widen,
)
from millrace._src.ops.linalg.solving import check_equations
from millrace._src.ops.math.casting import cast
from millrace._src.ops.math.matmul import matmul
from millrace._src.util.export import export


def least_squares_shape(c: ShapeContext) -> TensorShape:
    """Infers the shape of the solutions from matrices and right-hand sides; batches must agree."""
    matrix, rhs = matrix_dims(c.shape("matrix")), matrix_dims(c.shape("rhs"))
    if matrix is None or rhs is None:
        return TensorShape(None)
    batch = merge(TensorShape.of(matrix[0]), TensorShape.of(rhs[0]))
    same_dim(matrix[1], rhs[1])
    return TensorShape.of((*(batch.dim_sizes or ()), matrix[2], rhs[2]))


@op(
    "MatrixSolveLs",
    "matrix: T, rhs: T, l2_regularizer: double -> output: T",
    T=LAPACK_TYPES,
    shape=least_squares_shape,
    batching=leading("matrix", "rhs"),
    library_bound=True,
)
def matrix_solve_ls(xp: Xp, matrix: Array, rhs: Array, l2_regularizer: Array, *, fast: bool = True) -> Array:
    """Solves linear least squares problems; the op behind `tf.linalg.lstsq` where `fast` is False.

    >>> tf.raw_ops.MatrixSolveLs(matrix=[[1.0], [1.0]], rhs=[[1.0], [2.0]], l2_regularizer=0.0).numpy()
    array([[1.5]], dtype=float32)
    """
    check_matrix(matrix)
    check_equations(matrix, rhs, square=False)
    m, n = matrix.shape[-2:]
    if 0 in (m, n, rhs.shape[-1]) or 0 in rhs.shape:
        return xp.zeros((*matrix.shape[:-2], n, rhs.shape[-1]), rhs.dtype)
    a, b = widen(xp, matrix), widen(xp, rhs)
    if not fast:
        precision = float(np.finfo(a.dtype).eps) * max(m, n)
        return xp.astype(xp.matmul(xp.linalg.pinv(a, precision), b), rhs.dtype)
    adjoint = conjugate_transpose(xp, a)
    small = xp.matmul(adjoint, a) if m >= n else xp.matmul(a, adjoint)
    small = small + xp.astype(l2_regularizer, a.dtype) * xp.eye(min(m, n), dtype=a.dtype)
    if m >= n:
        return xp.astype(_solve(xp, small, xp.matmul(adjoint, b)), rhs.dtype)
    return xp.astype(xp.matmul(adjoint, _solve(xp, small, b)), rhs.dtype)


@kernel_part
def _solve(xp: Xp, a: Array, b: Array) -> Array:
    try:
        np.linalg.cholesky(a)
        return np.linalg.solve(a, b)
    except np.linalg.LinAlgError:
        raise errors.InvalidArgumentError(
            None,
            None,
            "Input matrix was rank deficient or ill-conditioned. Try setting fast=False or provide a larger "
            "l2_regularizer > 0.",
        ) from None


@_solve.kernel_for("xla")
def _xla_solve(xp: CompilingXp, a: Array, b: Array) -> Array:
    return xp.linalg.solve(a, b)


@export("linalg.lstsq", v1=["linalg.lstsq", "matrix_solve_ls"])
def lstsq(
    matrix: Any, rhs: TensorLike, l2_regularizer: Any = 0.0, fast: bool = True, name: str | None = None
) -> Tensor:
    """Solves one or more linear least squares problems.

    >>> tf.linalg.lstsq([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]], [[1.0], [3.0], [5.0]]).numpy().round(4)
    array([[1.],
           [2.]], dtype=float32)

    Args:
      matrix: A `Tensor` of shape `[..., M, N]`: floating point or complex.
      rhs: A `Tensor` of shape `[..., M, K]` and the same dtype.
      l2_regularizer: How much the squares of the solution count; not used if `fast` is False.
      fast: Whether to solve the normal equations by Cholesky, rather than more accurately and slower.
      name: A name for the operation (optional).

    Returns: A `Tensor` of shape `[..., N, K]`; if M < N, the smallest of the exact solutions.
    Raises: InvalidArgumentError: if the shapes do not fit.
    """
    matrix = convert_to_tensor(matrix, name="matrix")
    dims = matrix.shape.dim_sizes
    if not fast or dims is None or len(dims) < 2 or dims[-2] is None or dims[-1] is None:
        result: Tensor = matrix_solve_ls(matrix, rhs, l2_regularizer, fast=fast, name=name)
        return result
    with name_scope(name, "matrix_solve_ls"):
        if dims[-2] >= dims[-1]:
            factor = _gramian_factor(matrix, l2_regularizer, first=True)
            return cholesky_solve(factor, matmul(matrix, rhs, adjoint_a=True))
        factor = _gramian_factor(matrix, l2_regularizer, first=False)
        return matmul(matrix, cholesky_solve(factor, rhs), adjoint_a=True)


def _gramian_factor(matrix: Tensor, l2_regularizer: Any, *, first: bool) -> Tensor:
    gramian = matmul(matrix, matrix, adjoint_a=first, adjoint_b=not first)
    if isinstance(l2_regularizer, Tensor) or l2_regularizer != 0:
        gramian = gramian + cast(l2_regularizer, matrix.dtype) * identity_like(gramian)
    result: Tensor = cholesky(gramian)
    return result


@matrix_solve_ls.gradient
def matrix_solve_ls_gradient(
    dx: Tensor, matrix: Tensor, rhs: Tensor, l2_regularizer: Tensor, output: Tensor, fast: bool
) -> tuple[Tensor, Tensor, None]:
    """Differentiates the normal equations; of a matrix of unknown shape a branch tells which ones these are."""
    if not fast:
        raise ValueError("Gradient not defined for fast=False")
    dims = matrix.shape.dim_sizes
    rules = (_overdetermined_gradient, _underdetermined_gradient)
    tall, wide = (functools.partial(rule, dx, matrix, rhs, l2_regularizer, output) for rule in rules)
    if dims is not None and dims[-2] is not None and dims[-1] is not None:
        return (*(tall() if dims[-2] >= dims[-1] else wide()), None)
    sizes = raw.Shape(input=matrix)
    dmatrix, drhs = cond(sizes[-2] >= sizes[-1], tall, wide)
    return dmatrix, drhs, None


def _overdetermined_gradient(
    dx: Tensor, matrix: Tensor, rhs: Tensor, l2_regularizer: Tensor, output: Tensor
) -> tuple[Tensor, Tensor]:
    """Computes the gradients for at least as many equations as unknowns: x = (A^H A + rI)^-1 A^H b."""
    z = cholesky_solve(_factor(matrix, l2_regularizer, first=True), dx)
    xz = product(output, z, adj_b=True)
    return product(rhs, z, adj_b=True) - product(matrix, xz + adjoint_of(xz)), product(matrix, z)


def _underdetermined_gradient(
    dx: Tensor, matrix: Tensor, rhs: Tensor, l2_regularizer: Tensor, output: Tensor
) -> tuple[Tensor, Tensor]:
    """Computes the gradients for fewer equations than unknowns: x = A^H (A A^H + rI)^-1 b."""
    small = _factor(matrix, l2_regularizer, first=False)
    drhs = cholesky_solve(small, product(matrix, dx))
    tmp = cholesky_solve(small, rhs)
    first = -product(drhs, product(tmp, matrix, adj_a=True))
    second = product(tmp, dx - product(matrix, drhs, adj_a=True), adj_b=True)
    return first + second, drhs


def _factor(matrix: Tensor, l2_regularizer: Tensor, *, first: bool) -> Any:
    """Computes the Cholesky factor of the regularized Gramian, as `_gramian_factor` does, in terms of ops."""
    gramian = product(matrix, matrix, adj_a=first, adj_b=not first)
    return raw.Cholesky(input=gramian + cast(l2_regularizer, matrix.dtype) * identity_like(gramian))
