"""The gradient of least squares, which for a matrix of unknown shape is a conditional.

With at least as many equations as unknowns the solution comes from other normal equations than with fewer, and so does
the gradient. The op stands in `ops/linalg/least_squares.py`.
"""

from __future__ import annotations

import functools
from typing import Any

from millrace._src.control_flow.cond import cond
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.linalg.cholesky import cholesky_solve
from millrace._src.ops.linalg.least_squares import matrix_solve_ls
from millrace._src.ops.linalg.matrices import adjoint_of, identity_like, product
from millrace._src.ops.math.casting import cast


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
