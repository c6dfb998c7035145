"""The Cholesky factor of Hermitian positive definite matrices, A = L L^H, and the systems solved with the factor.

Only the lower triangle of A is read. A matrix that is not positive definite gives NaN in its lower triangle, on every
engine. The gradient is that of Murray 2016, "Differentiation of the Cholesky decomposition".
"""

from __future__ import annotations

import numpy as np

from millrace._src.core import dtypes as d
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
from millrace._src.ops.batching_rules import leading
from millrace._src.ops.linalg.matrices import (
    LAPACK_TYPES,
    adjoint_of,
    check_square,
    conjugate_transpose,
    diagonal_part,
    identity_like,
    lower_part,
    merge,
    product,
    square_shape,
    widen,
)
from millrace._src.ops.linalg.small_matrices import cholesky_factors, is_factored_in_planes
from millrace._src.util.export import export


@kernel_part
def _factor(xp: Xp, x: Array) -> Array:
    """Computes the lower triangular factors; NaN for a matrix that is not positive definite."""
    if is_factored_in_planes(x):
        return cholesky_factors(x)
    try:
        return np.linalg.cholesky(x)
    except np.linalg.LinAlgError:
        factors = np.array(x, copy=True).reshape(-1, *x.shape[-2:])
        for i, matrix in enumerate(factors):
            try:
                factors[i] = np.linalg.cholesky(matrix)
            except np.linalg.LinAlgError:
                factors[i] = np.where(np.tri(len(matrix), dtype=bool), np.nan, 0)
        return factors.reshape(x.shape)


@_factor.kernel_for("xla")
def _xla_factor(xp: CompilingXp, x: Array) -> Array:
    return xp.tril(xp.lax.linalg.cholesky(x, symmetrize_input=False))


@export("linalg.cholesky", v1=["cholesky", "linalg.cholesky"])
@op(
    "Cholesky",
    "input: T -> output: T",
    T=LAPACK_TYPES,
    shape=square_shape,
    batching=leading("input"),
    library_bound=True,
)
def cholesky(xp: Xp, input: Array) -> Array:
    """Computes the lower triangular factor of Hermitian positive definite matrices: `input = L @ adjoint(L)`.

    >>> tf.linalg.cholesky([[4.0, 2.0], [2.0, 5.0]]).numpy()
    array([[2., 0.],
           [1., 2.]], dtype=float32)

    Args:
      input: A `Tensor` of shape `[..., N, N]`: floating point or complex; only its lower triangle is read.
      name: A name for the operation (optional).

    Returns: A `Tensor` of the shape and dtype of `input`; NaN for a matrix that is not positive definite.
    Raises: InvalidArgumentError: if the matrices are not square.
    """
    check_square(input)
    x = widen(xp, input)
    return xp.astype(_factor(xp, x), input.dtype)


@cholesky.gradient
def cholesky_gradient(dy: Tensor, output: Tensor) -> Tensor:
    middle = lower_part(product(output, dy, adj_a=True))
    middle = middle - 0.5 * diagonal_part(middle)
    inverse = raw.MatrixTriangularSolve(matrix=output, rhs=identity_like(output), lower=True, adjoint=False)
    result = product(inverse, product(middle, inverse), adj_a=True)
    return 0.5 * (result + adjoint_of(result))


def _gradient_shape(c: ShapeContext) -> TensorShape:
    return merge(c.shape("l"), c.shape("grad"))


@op(
    "CholeskyGrad",
    "l: T, grad: T -> output: T",
    T=TypeSet([d.float16, d.float32, d.float64]),
    shape=_gradient_shape,
    no_gradient="it is the gradient of Cholesky as one kernel; that of tf.linalg.cholesky is made of ops that have one",
    batching=leading("l", "grad"),
    library_bound=True,
)
def cholesky_grad(xp: Xp, l: Array, grad: Array) -> Array:
    """Computes the gradient of `Cholesky` with respect to its input, from its output `l` and that output's gradient.

    >>> tf.raw_ops.CholeskyGrad(l=[[2.0]], grad=[[1.0]]).numpy()
    array([[0.25]], dtype=float32)
    """
    check_square(l)
    factor, dy = widen(xp, l), widen(xp, grad)
    middle = xp.tril(xp.matmul(conjugate_transpose(xp, factor), dy))
    middle = middle - 0.5 * xp.tril(xp.triu(middle))
    inverse = xp.linalg.inv(factor)
    result = xp.matmul(conjugate_transpose(xp, inverse), xp.matmul(middle, inverse))
    return xp.astype(0.5 * (result + conjugate_transpose(xp, result)), l.dtype)


@export("linalg.cholesky_solve", v1=["cholesky_solve", "linalg.cholesky_solve"])
def cholesky_solve(chol: TensorLike, rhs: TensorLike, name: str | None = None) -> Tensor:
    """Solves `A @ x = rhs`, given the Cholesky factor of `A`.

    >>> chol = tf.linalg.cholesky([[4.0, 0.0], [0.0, 1.0]])
    >>> tf.linalg.cholesky_solve(chol, [[8.0], [3.0]]).numpy()
    array([[2.],
           [3.]], dtype=float32)

    Args:
      chol: A `Tensor` of shape `[..., M, M]`: the output of `tf.linalg.cholesky`.
      rhs: A `Tensor` of shape `[..., M, K]` and the same dtype.
      name: A name for the operation (optional).

    Returns: A `Tensor` of shape `[..., M, K]`.
    Raises: InvalidArgumentError: if the shapes do not fit.
    """
    with name_scope(name, "cholesky_solve"):
        y = raw.MatrixTriangularSolve(matrix=chol, rhs=rhs, adjoint=False, lower=True)
        result: Tensor = raw.MatrixTriangularSolve(matrix=chol, rhs=y, adjoint=True, lower=True)
        return result
