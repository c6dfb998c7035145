"""Determinants and their logarithms.

A determinant over- or underflows already for matrices of moderate size. So there are three forms: the number itself,
the sign and the logarithm of its absolute value, and the logarithm for Hermitian positive definite matrices, which
Cholesky's factor gives.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from millrace._src.core.argument_types import TensorLike
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.context import name_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.op_def import op
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.array.diagonals import matrix_diag_part
from millrace._src.ops.batching_rules import leading
from millrace._src.ops.linalg.matrices import DETERMINANT_TYPES, check_square, column, matrix_dims, same_dim, widen
from millrace._src.ops.math.complex_numbers import real
from millrace._src.ops.math.reduce import reduce_sum
from millrace._src.util.export import export


def determinant_shape(c: ShapeContext) -> TensorShape:
    """Infers the shape of one number for each square matrix."""
    parts = matrix_dims(c.shape("input"))
    if parts is None:
        return TensorShape(None)
    same_dim(parts[2], parts[1])
    return TensorShape.of(parts[0])


@export("linalg.det", v1=["linalg.det", "matrix_determinant"])
@op(
    "MatrixDeterminant",
    "input: T -> output: T",
    T=DETERMINANT_TYPES,
    shape=determinant_shape,
    batching=leading("input"),
    library_bound=True,
)
def matrix_determinant(xp: Xp, input: Array) -> Array:
    """Computes the determinant of one or more square matrices.

    >>> tf.linalg.det([[1.0, 2.0], [3.0, 5.0]]).numpy().round(4)
    np.float32(-1.0)

    Args:
      input: A `Tensor` of shape `[..., N, N]`: floating point or complex.
      name: A name for the operation (optional).

    Returns: A `Tensor` of shape `[...]` and the dtype of `input`.
    Raises: InvalidArgumentError: if the matrices are not square.
    """
    check_square(input)
    return xp.astype(xp.linalg.det(widen(xp, input)), input.dtype)


@matrix_determinant.gradient
def matrix_determinant_gradient(dy: Tensor, input: Tensor, output: Tensor) -> Tensor:
    # d det(A) = det(A) tr(A^-1 dA). TensorFlow leaves out the conjugate: its gradient of complex matrices differs.
    factor = dy * raw.Conj(input=output) if output.dtype.is_complex else dy * output
    return column(column(factor)) * raw.MatrixInverse(input=input, adjoint=True)


def log_determinant_shape(c: ShapeContext) -> tuple[TensorShape, TensorShape]:
    """Infers the shapes of two numbers for each square matrix."""
    shape = determinant_shape(c)
    return shape, shape


@op(
    "LogMatrixDeterminant",
    "input: T -> sign: T, log_abs_determinant: T",
    T=DETERMINANT_TYPES,
    shape=log_determinant_shape,
    batching=leading("input"),
    library_bound=True,
)
def log_matrix_determinant(xp: Xp, input: Array) -> tuple[Array, Array]:
    """Computes the sign and the logarithm of the absolute value of determinants; the op behind `tf.linalg.slogdet`.

    >>> [t.numpy().round(4) for t in tf.raw_ops.LogMatrixDeterminant(input=[[0.0, 1.0], [1.0, 0.0]])]
    [np.float32(-1.0), np.float32(0.0)]
    """
    check_square(input)
    sign, logarithm = xp.linalg.slogdet(widen(xp, input))
    return xp.astype(sign, input.dtype), xp.astype(logarithm, input.dtype)


@log_matrix_determinant.gradient
def log_matrix_determinant_gradient(dsign: Tensor, dlog: Tensor, input: Tensor, sign: Tensor) -> Tensor:
    # d log|det A| = Re tr(A^-1 dA); a complex sign exp(i t) turns by dt = Im tr(A^-1 dA).
    factor = dlog
    if sign.dtype.is_complex:
        turn = raw.Imag(input=raw.Conj(input=sign) * dsign, Tout=sign.dtype.real_dtype)
        factor = raw.Complex(real=raw.Real(input=dlog, Tout=turn.dtype), imag=turn, Tout=sign.dtype)
    return column(column(factor)) * raw.MatrixInverse(input=input, adjoint=True)


class LogMatrixDeterminant(NamedTuple):
    """The pair that `tf.linalg.slogdet` returns."""

    sign: Any
    log_abs_determinant: Any


@export("linalg.slogdet")
def slogdet(input: TensorLike, name: str | None = None) -> LogMatrixDeterminant:
    """Computes the sign and the logarithm of the absolute value of the determinant of one or more square matrices.

    >>> sign, logarithm = tf.linalg.slogdet([[0.0, 1.0], [1.0, 0.0]])
    >>> sign.numpy(), logarithm.numpy()
    (np.float32(-1.0), np.float32(0.0))

    Args:
      input: A `Tensor` of shape `[..., N, N]`: floating point or complex.
      name: A name for the operation (optional).

    Returns: `(sign, log_abs_determinant)`, of shape `[...]`; 0 and minus infinity for a singular matrix.
    Raises: InvalidArgumentError: if the matrices are not square.
    """
    return LogMatrixDeterminant(*log_matrix_determinant(input, name=name))


@export("linalg.logdet")
def logdet(matrix: TensorLike, name: str | None = None) -> Tensor:
    """Computes the logarithm of the determinant of Hermitian positive definite matrices.

    >>> tf.linalg.logdet([[4.0, 0.0], [0.0, 1.0]]).numpy().round(4)
    np.float32(1.3863)

    Args:
      matrix: A `Tensor` of shape `[..., N, N]`: floating point or complex; only its lower triangle is read.
      name: A name for the operation (optional).

    Returns: A `Tensor` of shape `[...]`, real; NaN for a matrix that is not positive definite.
    Raises: InvalidArgumentError: if the matrices are not square.
    """
    with name_scope(name, "logdet"):
        factor = raw.Cholesky(input=convert_to_tensor(matrix))
        return 2.0 * reduce_sum(raw.Log(x=real(matrix_diag_part(factor))), axis=[-1])
