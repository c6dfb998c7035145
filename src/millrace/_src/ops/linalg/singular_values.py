"""The singular value decomposition, A = U S V^H.

The gradient is found by differentiating A = U S V^H under the constraints U^H U = 1 and V^H V = 1 (Townsend 2016,
"Differentiating the singular value decomposition"; Wan and Zhang 2019 for complex matrices). Where two singular values
agree the gradient does not exist; the terms at fault are left out, as in TensorFlow.
"""

from __future__ import annotations

from typing import Any

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
    column,
    conjugate_transpose,
    matrix_dims,
    minimum,
    nan_where_not_finite,
    product,
    row,
    widen,
)
from millrace._src.ops.math.complex_numbers import real
from millrace._src.util.export import export


def svd_shape(c: ShapeContext) -> tuple[TensorShape, TensorShape, TensorShape]:
    """Infers the shapes of singular values and two orthonormal bases."""
    parts = matrix_dims(c.shape("input"))
    nothing = TensorShape([0])
    if parts is None:
        unknown = TensorShape(None)
        return (unknown, unknown, unknown) if c.attr("compute_uv") else (unknown, nothing, nothing)
    batch, m, n = parts
    k = minimum(m, n)
    values = TensorShape.of((*batch, k))
    if not c.attr("compute_uv"):
        return values, nothing, nothing
    full = c.attr("full_matrices")
    return values, TensorShape.of((*batch, m, m if full else k)), TensorShape.of((*batch, n, n if full else k))


@op(
    "Svd",
    "input: T -> s: T, u: T, v: T",
    T=LAPACK_TYPES,
    shape=svd_shape,
    batching=leading("input"),
    library_bound=True,
)
def svd_op(xp: Xp, input: Array, *, compute_uv: bool = True, full_matrices: bool = False) -> tuple[Array, Array, Array]:
    """Computes the singular value decomposition of one or more matrices; the op behind `tf.linalg.svd`.

    >>> tf.raw_ops.Svd(input=[[3.0, 0.0], [0.0, 4.0]], compute_uv=False)[0].numpy()
    array([4., 3.], dtype=float32)
    """
    check_matrix(input)

    def decompose(x: Array) -> tuple[Array, ...]:
        if not compute_uv:
            return (xp.linalg.svd(x, compute_uv=False),)
        u, s, vh = xp.linalg.svd(x, full_matrices=full_matrices)
        return s, u, conjugate_transpose(xp, vh)

    x = widen(xp, input)
    results = [xp.astype(r, input.dtype) for r in nan_where_not_finite(xp, decompose, x)]
    empty = xp.zeros((0,), input.dtype)
    return (results[0], results[1], results[2]) if compute_uv else (results[0], empty, empty)


@svd_op.gradient
def svd_gradient(
    ds: Tensor,
    du: Tensor,
    dv: Tensor,
    input: Tensor,
    s: Tensor,
    u: Tensor,
    v: Tensor,
    compute_uv: bool,
    full_matrices: bool,
) -> Tensor:
    if ds.dtype.is_complex:  # singular values are real, whatever their dtype
        ds = raw.Cast(x=real(ds), DstT=ds.dtype)
    if not compute_uv:
        _, u, v = raw.Svd(input=input, compute_uv=True, full_matrices=False)
        return product(u * row(ds), v, adj_b=True)
    if full_matrices:
        u, v, du, dv = _thin(input, u, v, du, dv)
    return _thin_gradient(ds, du, dv, s, u, v)


def _thin(input: Tensor, u: Tensor, v: Tensor, du: Tensor, dv: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Returns the first columns of the bases and their gradients.

    A single further column is fixed, up to sign, by the others: dp = -V dV^H p.

    Raises: NotImplementedError: if there are several further columns, which are not fixed, or if their number is
    unknown.
    """
    dims = input.shape.dim_sizes
    if dims is None or dims[-2] is None or dims[-1] is None:
        raise NotImplementedError(
            f"SVD gradient has not been implemented for input with unknown inner matrix shape. Received: input={input}"
        )
    m, n = dims[-2], dims[-1]
    if abs(m - n) > 1:
        raise NotImplementedError(
            "svd gradient is not implemented for abs(m - n) > 1 when full_matrices is True. "
            f"Received: m={min(m, n)} and n={max(m, n)} from op input={input} with shape={input.shape}."
        )
    k = min(m, n)
    if n > k:
        v, dv = v[..., :k], dv[..., :k] - product(v[..., k:], product(dv[..., k:], v[..., :k], adj_a=True))
    if m > k:
        u, du = u[..., :k], du[..., :k] - product(u[..., k:], product(du[..., k:], u[..., :k], adj_a=True))
    return u, v, du, dv


def _thin_gradient(ds: Tensor, du: Tensor, dv: Tensor, s: Tensor, u: Tensor, v: Tensor) -> Tensor:
    # The squares' differences as products: where XLA contracts s * s - s * s, the diagonal would not be exactly 0.
    gap = (row(s) - column(s)) * (row(s) + column(s))
    inverse_gap = raw.DivNoNan(x=raw.OnesLike(x=gap), y=gap)
    inverse = raw.DivNoNan(x=raw.OnesLike(x=s), y=s)
    u_part, v_part = product(u, du, adj_a=True), product(v, dv, adj_a=True)
    # The core of U (...) V^H: rotations within the bases, and the singular values.
    core = (u_part - adjoint_of(u_part)) * inverse_gap * row(s)
    core = core + column(s) * ((v_part - adjoint_of(v_part)) * inverse_gap)
    core = core + raw.MatrixDiag(diagonal=ds)
    if s.dtype.is_complex:  # a phase common to a column of U and of V
        phase = raw.MatrixDiagPart(input=u_part - adjoint_of(u_part)) * inverse
        core = core + raw.MatrixDiag(diagonal=phase) * 0.5
    result = product(product(u, core), v, adj_b=True)
    # The part that leaves the spaces that U and V span.
    result = result + product((du - product(u, u_part)) * row(inverse), v, adj_b=True)
    return result + product(u * row(inverse), dv - product(v, v_part), adj_b=True)


@export("linalg.svd", v1=["svd", "linalg.svd"])
def svd(tensor: TensorLike, full_matrices: bool = False, compute_uv: bool = True, name: str | None = None) -> Any:
    """Computes the singular value decomposition of one or more matrices: `tensor = u @ diag(s) @ adjoint(v)`.

    >>> s, u, v = tf.linalg.svd([[3.0, 0.0], [0.0, 4.0], [0.0, 0.0]])
    >>> s.numpy(), u.shape, v.shape
    (array([4., 3.], dtype=float32), TensorShape([3, 2]), TensorShape([2, 2]))

    Args:
      tensor: A `Tensor` of shape `[..., M, N]`: floating point or complex. Let K be the lesser of M and N.
      full_matrices: Whether `u` is `[..., M, M]` and `v` is `[..., N, N]`, rather than `[..., M, K]` and `[..., N, K]`.
      compute_uv: Whether to compute `u` and `v`.
      name: A name for the operation (optional).

    Returns: `(s, u, v)`, or `s` alone: the singular values, `[..., K]`, real, largest first.
    Raises: InvalidArgumentError: if `tensor` has fewer than two dimensions.
    """
    s, u, v = svd_op(tensor, compute_uv=compute_uv, full_matrices=full_matrices, name=name)
    return (real(s), u, v) if compute_uv else real(s)
