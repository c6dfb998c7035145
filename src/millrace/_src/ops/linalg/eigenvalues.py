"""Eigenvalues and eigenvectors, of self-adjoint matrices (`eigh`) and of any (`eig`).

The gradients come from perturbation theory. An eigenvalue moves by the part of the change that lies along its
eigenvector. An eigenvector turns towards the others in inverse proportion to the gaps between eigenvalues. Where two
eigenvalues agree, the term at fault is left out.
"""

from __future__ import annotations

from typing import Any

from millrace._src.core import dtypes as d
from millrace._src.core.argument_types import TensorLike
from millrace._src.core.array_namespace import Array, CompilingXp, Xp
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import DType
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
    column,
    diagonal_part,
    guard,
    lower_part,
    product,
    row,
    square_dims,
    widen,
)
from millrace._src.ops.math.casting import cast
from millrace._src.util.export import export

_SELF_ADJOINT_FAILED = "Self-adjoint eigen decomposition was not successful. The input might not be valid."
_FAILED = "Eigen decomposition was not successful. The input might not be valid."


def eigen_shape(c: ShapeContext) -> tuple[TensorShape, TensorShape]:
    """Infers the shapes of eigenvalues and eigenvectors from square matrices."""
    parts = square_dims(c.shape("input"))
    nothing = TensorShape([0])
    if parts is None:
        return TensorShape(None), TensorShape(None) if c.attr("compute_v") else nothing
    batch, n = parts
    return TensorShape.of((*batch, n)), TensorShape.of((*batch, n, n)) if c.attr("compute_v") else nothing


def _inverse_gaps(e: Tensor) -> Tensor:
    """Returns 1 / (e_j - e_i) at row i, column j; 0 where the eigenvalues agree."""
    gaps = row(e) - column(e)
    return raw.DivNoNan(x=raw.OnesLike(x=gaps), y=gaps)


# --- self-adjoint ----------------------------------------------------------------------------------------------------


@op(
    "SelfAdjointEigV2",
    "input: T -> e: T, v: T",
    T=LAPACK_TYPES,
    shape=eigen_shape,
    batching=leading("input"),
    library_bound=True,
    refuses=("input",),
)
def self_adjoint_eig(xp: Xp, input: Array, *, compute_v: bool = True) -> tuple[Array, Array]:
    """Computes the eigenvalues, in ascending order, and eigenvectors of self-adjoint matrices; the op behind
    `tf.linalg.eigh`.

    >>> tf.raw_ops.SelfAdjointEigV2(input=[[2.0, 0.0], [0.0, 1.0]], compute_v=False)[0].numpy()
    array([1., 2.], dtype=float32)
    """
    check_square(input)
    x = widen(xp, input)
    e, v = _decompose(xp, x, compute_v)
    return xp.astype(e, input.dtype), xp.astype(v, input.dtype)


@kernel_part
def _decompose(xp: Xp, x: Array, compute_v: bool) -> tuple[Array, Array]:
    """Computes eigenvalues and eigenvectors from the lower triangles; no vectors unless they are asked for."""
    if compute_v:
        e, v = guard(xp, _SELF_ADJOINT_FAILED, lambda x: xp.linalg.eigh(x, UPLO="L"), x)
        return e, v
    return guard(xp, _SELF_ADJOINT_FAILED, lambda x: xp.linalg.eigvalsh(x, UPLO="L"), x), xp.zeros((0,), x.dtype)


@_decompose.kernel_for("xla")
def _decompose_xla(xp: CompilingXp, x: Array, compute_v: bool) -> tuple[Array, Array]:
    e, v = xp.linalg.eigh(x, UPLO="L", symmetrize_input=False)
    return e, v if compute_v else xp.zeros((0,), x.dtype)


@self_adjoint_eig.gradient
def self_adjoint_eig_gradient(de: Tensor, dv: Tensor, input: Tensor, e: Tensor, v: Tensor, compute_v: bool) -> Tensor:
    if compute_v:
        core = raw.MatrixDiag(diagonal=de) + _inverse_gaps(e) * product(v, dv, adj_a=True)
    else:
        _, v = raw.SelfAdjointEigV2(input=input, compute_v=True)
        core = raw.MatrixDiag(diagonal=de)
    result = product(v, product(core, v, adj_b=True))
    # Only the lower triangle is read, so the upper triangle's gradient is added to the lower one's.
    both = lower_part(result + adjoint_of(result))
    return both - 0.5 * diagonal_part(both)


@export("linalg.eigh", v1=["linalg.eigh", "self_adjoint_eig"])
def eigh(tensor: TensorLike, name: str | None = None) -> tuple[Tensor, Tensor]:
    """Computes the eigenvalues and eigenvectors of one or more self-adjoint matrices.

    >>> e, v = tf.linalg.eigh([[2.0, 0.0], [0.0, 1.0]])
    >>> e.numpy()
    array([1., 2.], dtype=float32)

    Args:
      tensor: A `Tensor` of shape `[..., N, N]`: floating point or complex; only the lower triangle is read.
      name: A name for the operation (optional).

    Returns: `(e, v)`: eigenvalues `[..., N]` in ascending order; eigenvectors, the columns of `[..., N, N]`; both of
      the dtype of `tensor`.
    Raises: InvalidArgumentError: if the matrices are not square, or hold a NaN.
    """
    e, v = self_adjoint_eig(tensor, compute_v=True, name=name)
    return e, v


@export("linalg.eigvalsh", v1=["linalg.eigvalsh", "self_adjoint_eigvals"])
def eigvalsh(tensor: TensorLike, name: str | None = None) -> Tensor:
    """Computes the eigenvalues of one or more self-adjoint matrices.

    >>> tf.linalg.eigvalsh([[2.0, 0.0], [0.0, 1.0]]).numpy()
    array([1., 2.], dtype=float32)

    Args:
      tensor: A `Tensor` of shape `[..., N, N]`: floating point or complex; only the lower triangle is read.
      name: A name for the operation (optional).

    Returns: A `Tensor` of shape `[..., N]`, in ascending order.
    Raises: InvalidArgumentError: if the matrices are not square, or hold a NaN.
    """
    e, _ = self_adjoint_eig(tensor, compute_v=False, name=name)
    return e


# --- general ---------------------------------------------------------------------------------------------------------


@op(
    "Eig",
    "input: T -> e: Tout, v: Tout",
    T=TypeSet([d.float32, d.float64, d.complex64, d.complex128]),
    Tout=TypeSet([d.complex64, d.complex128]),
    shape=eigen_shape,
    batching=leading("input"),
    refuses=("input",),
)
def eig_op(xp: Xp, input: Array, *, compute_v: bool = True, Tout: DType) -> tuple[Array, Array]:
    """Computes complex eigenvalues and eigenvectors of any square matrices; the op behind `tf.linalg.eig`.

    >>> tf.raw_ops.Eig(input=[[0.0, -1.0], [1.0, 0.0]], Tout=tf.complex64, compute_v=False)[0].numpy()
    array([0.+1.j, 0.-1.j], dtype=complex64)
    """
    check_square(input)
    dtype = Tout.np_dtype
    if not compute_v:
        e = guard(xp, _FAILED, xp.linalg.eigvals, input)
        return xp.astype(_by_modulus(xp, input, e, e), dtype), xp.zeros((0,), dtype)
    e, v = guard(xp, _FAILED, xp.linalg.eig, input)
    ordered_v = _by_modulus(xp, input, e[..., None, :], v)
    return xp.astype(_by_modulus(xp, input, e, e), dtype), xp.astype(ordered_v, dtype)


def _by_modulus(xp: Xp, input: Array, e: Array, x: Array) -> Array:
    """Puts the columns of `x` in the order of the moduli of the eigenvalues, if the matrices are complex.

    So does TensorFlow. Eigenvalues of real matrices come as the algorithm finds them: LAPACK's here, Eigen's there.
    """
    if input.dtype.kind != "c":
        return x
    order = xp.argsort(xp.abs(e), axis=-1, stable=True)
    return xp.take_along_axis(x, xp.broadcast_to(order, x.shape), axis=-1)


@eig_op.gradient
def eig_gradient(de: Tensor, dv: Tensor, input: Tensor, e: Tensor, v: Tensor, compute_v: bool) -> Tensor:
    core = raw.MatrixDiag(diagonal=de)
    if compute_v:
        vdv = product(v, dv, adj_a=True)
        # Eigenvectors have unit length: the part that would change the length is taken out.
        length = raw.MatrixDiag(diagonal=_real_diagonal(vdv))
        core = core + raw.Conj(input=_inverse_gaps(e)) * (vdv - product(product(v, v, adj_a=True), length))
    else:
        _, v = raw.Eig(input=input, compute_v=True, Tout=e.dtype)
    result = raw.MatrixSolve(matrix=v, rhs=product(core, v, adj_b=True), adjoint=True)
    return result if input.dtype.is_complex else cast(raw.Real(input=result, Tout=e.dtype.real_dtype), input.dtype)


def _real_diagonal(x: Tensor) -> Tensor:
    diagonal = raw.MatrixDiagPart(input=x)
    return cast(raw.Real(input=diagonal, Tout=x.dtype.real_dtype), x.dtype)


def _complex_type(tensor: Any) -> tuple[Tensor, DType]:
    tensor = convert_to_tensor(tensor)
    if tensor.dtype in (d.float32, d.complex64):
        return tensor, d.complex64
    if tensor.dtype in (d.float64, d.complex128):
        return tensor, d.complex128
    raise TypeError(
        f"tf.linalg.eig: argument `tensor` is of dtype {tensor.dtype.name}; "
        "float32, float64, complex64 or complex128 is expected."
    )


@export("linalg.eig", "eig")
def eig(tensor: TensorLike, name: str | None = None) -> tuple[Tensor, Tensor]:
    """Computes the eigenvalues and (right) eigenvectors of one or more square matrices.

    >>> e, v = tf.linalg.eig([[2.0]])
    >>> e.numpy(), v.numpy()
    (array([2.+0.j], dtype=complex64), array([[1.+0.j]], dtype=complex64))

    Args:
      tensor: A `Tensor` of shape `[..., N, N]`: float32, float64 or complex.
      name: A name for the operation (optional).

    Returns: `(e, v)`, complex: eigenvalues `[..., N]`; eigenvectors of length 1, the columns of `[..., N, N]`. The
      eigenvalues of complex matrices ascend by modulus. Those of real ones are in no particular order, which differs
      from TensorFlow's. Each eigenvector is determined up to a factor of modulus 1 alone.
    Raises: InvalidArgumentError: if the matrices are not square, or hold a NaN.
    """
    tensor, dtype = _complex_type(tensor)
    e, v = eig_op(tensor, Tout=dtype, compute_v=True, name=name)
    return e, v


@export("linalg.eigvals", "eigvals")
def eigvals(tensor: TensorLike, name: str | None = None) -> Tensor:
    """Computes the eigenvalues of one or more square matrices.

    >>> tf.linalg.eigvals([[2.0]]).numpy()
    array([2.+0.j], dtype=complex64)

    Args:
      tensor: A `Tensor` of shape `[..., N, N]`: float32, float64 or complex.
      name: A name for the operation (optional).

    Returns: A complex `Tensor` of shape `[..., N]`: ascending by modulus for complex matrices; for real ones in no
      particular order, which differs from TensorFlow's.
    Raises: InvalidArgumentError: if the matrices are not square, or hold a NaN.
    """
    tensor, dtype = _complex_type(tensor)
    e, _ = eig_op(tensor, Tout=dtype, compute_v=False, name=name)
    return e
