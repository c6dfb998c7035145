"""The QR decomposition, A = Q R.

The gradient follows from dA = dQ R + Q dR with Q^H Q = 1 and R triangular with a real diagonal: Q^H dQ is
skew-Hermitian, and fixed by the strict lower triangle of Q^H dA R^-1 (Walter and Lehmann 2010; here also for complex
matrices).
"""

from __future__ import annotations

from typing import Any, NamedTuple

from millrace._src.core.argument_types import TensorLike
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.op_def import op
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.batching_rules import leading
from millrace._src.ops.linalg.matrices import (
    LAPACK_TYPES,
    adjoint_of,
    check_matrix,
    diagonal_part,
    matrix_dims,
    minimum,
    product,
    strictly_lower_part,
    widen,
)
from millrace._src.util.export import export


def qr_shape(c: ShapeContext) -> tuple[TensorShape, TensorShape]:
    """Infers the shapes of an orthonormal basis and a triangular matrix."""
    parts = matrix_dims(c.shape("input"))
    if parts is None:
        return TensorShape(None), TensorShape(None)
    batch, m, n = parts
    k = m if c.attr("full_matrices") else minimum(m, n)
    return TensorShape.of((*batch, m, k)), TensorShape.of((*batch, k, n))


@op("Qr", "input: T -> q: T, r: T", T=LAPACK_TYPES, shape=qr_shape, batching=leading("input"), library_bound=True)
def qr_op(xp: Xp, input: Array, *, full_matrices: bool = False) -> tuple[Array, Array]:
    """Computes the QR decomposition of one or more matrices; the op behind `tf.linalg.qr`.

    >>> q, r = tf.raw_ops.Qr(input=[[3.0], [4.0]])
    >>> abs(r.numpy())
    array([[5.]], dtype=float32)
    """
    check_matrix(input)
    m, n = input.shape[-2:]
    if 0 in (m, n):  # NumPy and jax.numpy differ in what a full basis of nothing is
        k = m if full_matrices else 0
        q = xp.broadcast_to(xp.eye(m, k, dtype=input.dtype), (*input.shape[:-2], m, k))
        return q, xp.zeros((*input.shape[:-2], k, n), input.dtype)
    q, r = xp.linalg.qr(widen(xp, input), mode="complete" if full_matrices else "reduced")
    return xp.astype(q, input.dtype), xp.astype(r, input.dtype)


@qr_op.gradient
def qr_gradient(dq: Tensor, dr: Tensor, input: Tensor, q: Tensor, r: Tensor, full_matrices: bool) -> Tensor:
    dims = input.shape.dim_sizes
    if dims is None or dims[-2] is None or dims[-1] is None:
        raise NotImplementedError(f"QrGrad not implemented with dynamic shapes. Received: r.shape={r.shape}")
    m, n = dims[-2], dims[-1]
    if full_matrices and m > n:
        raise NotImplementedError(
            "QrGrad not implemented when nrows > ncols and full_matrices is true. "
            f"Received r.shape={r.shape} with nrows={m}and ncols={n}."
        )
    if m >= n:
        return _deep_gradient(dq, dr, q, r)
    # A = [X Y] with X square: X = Q U, and Y = Q V gives V = Q^H Y.
    y, dv = input[..., m:], dr[..., m:]
    dx = _deep_gradient(dq + product(y, dv, adj_b=True), dr[..., :m], q, r[..., :m])
    return raw.ConcatV2(values=[dx, product(q, dv)], axis=-1)


def _deep_gradient(dq: Tensor, dr: Tensor, q: Tensor, r: Tensor) -> Tensor:
    qdq, drr = product(q, dq, adj_a=True), product(dr, r, adj_b=True)
    turning = qdq - drr
    inner = drr + strictly_lower_part(turning - adjoint_of(turning))
    if q.dtype.is_complex:
        inner = inner + 0.5 * diagonal_part(turning - adjoint_of(turning))
    total = dq + product(q, inner - qdq)
    # total @ R^-H
    return adjoint_of(raw.MatrixTriangularSolve(matrix=r, rhs=adjoint_of(total), lower=False, adjoint=False))


class Qr(NamedTuple):
    """The pair that `tf.linalg.qr` returns."""

    q: Any
    r: Any


@export("linalg.qr", v1=["linalg.qr", "qr"])
def qr(input: TensorLike, full_matrices: bool = False, name: str | None = None) -> Qr:
    """Computes the QR decomposition of one or more matrices: `input = q @ r`, `q` orthonormal, `r` upper triangular.

    >>> q, r = tf.linalg.qr([[3.0, 1.0], [4.0, 1.0]])
    >>> (q @ r).numpy().round(4)
    array([[3., 1.],
           [4., 1.]], dtype=float32)

    Args:
      input: A `Tensor` of shape `[..., M, N]`: floating point or complex. Let K be the lesser of M and N.
      full_matrices: Whether `q` is `[..., M, M]` and `r` is `[..., M, N]`, rather than `[..., M, K]` and `[..., K, N]`.
      name: A name for the operation (optional).

    Returns: `(q, r)`.
    Raises: InvalidArgumentError: if `input` has fewer than two dimensions.
    """
    return Qr(*qr_op(input, full_matrices=full_matrices, name=name))
