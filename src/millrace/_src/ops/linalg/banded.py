"""Banded matrices: triangular systems given by their bands, and eigenvalues of tridiagonal matrices.

Bands are rows of `[..., K, M]`, and element i of a band always stands in row i of the matrix. For a lower triangular
matrix the first band is the diagonal, and band k the k-th subdiagonal, whose first k elements are not used. For an
upper triangular matrix the last band is the diagonal; the k-th superdiagonal is k bands before it, and its last k
elements are not used.
"""

from __future__ import annotations

import importlib
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
from millrace._src.ops.array.diagonals import matrix_diag
from millrace._src.ops.batching_rules import elementwise
from millrace._src.ops.linalg.eigenvalues import eigh, eigvalsh
from millrace._src.ops.linalg.matrices import LAPACK_TYPES, matrix_dims, product, row, same_dim, widen
from millrace._src.ops.linalg.solving import broadcast_batches, substitute, sum_batches
from millrace._src.ops.math.broadcasting import shape_text
from millrace._src.ops.math.complex_numbers import conj_, real
from millrace._src.ops.shape_rules import broadcast_dims
from millrace._src.util.export import export

# --- triangular systems ----------------------------------------------------------------------------------------------


def banded_shape(c: ShapeContext) -> TensorShape:
    """Infers the shape of the solutions from bands and right-hand sides; batches broadcast."""
    bands, rhs = matrix_dims(c.shape("matrix")), matrix_dims(c.shape("rhs"))
    if bands is None or rhs is None:
        return TensorShape(None)
    if bands[1] is not None and bands[2] is not None and bands[1] > bands[2]:
        raise ValueError(f"Number of bands {bands[1]} cannot exceed the size of the matrix {bands[2]}")
    batch = broadcast_dims(TensorShape.of(bands[0]), TensorShape.of(rhs[0]))
    return TensorShape.of((*(batch.dim_sizes or ()), same_dim(bands[2], rhs[1]), rhs[2]))


def _check(bands: Array, rhs: Array) -> None:
    for i, x in enumerate((bands, rhs)):
        if x.ndim < 2:
            raise errors.InvalidArgumentError(None, None, f"In[{i}] ndims must be >= 2: {x.ndim}")
    count, size = bands.shape[-2:]
    message = None
    if count == 0 or size == 0:
        message = f"In[0] must not be an empty tensor: shape: {shape_text(bands.shape)}"
    elif count > size:
        message = f"Number of bands {count} cannot exceed the size of the matrix {size}"
    elif size != rhs.shape[-2]:
        shapes = f"{shape_text(bands.shape)} {shape_text(rhs.shape)}"
        message = f"In[0] mismatch In[1] shape: {size} vs. {rhs.shape[-2]}: {shapes} 1 0"
    elif broadcast_batches(bands, rhs) is None:
        shapes = f"{shape_text(bands.shape)} vs. {shape_text(rhs.shape)}"
        message = f"In[0] and In[1] must have compatible batch dimensions: {shapes}"
    if message:
        raise errors.InvalidArgumentError(None, None, message)


@op(
    "BandedTriangularSolve",
    "matrix: T, rhs: T -> output: T",
    T=LAPACK_TYPES,
    shape=banded_shape,
    batching=elementwise,
    library_bound=True,
    refuses=("matrix",),
)
def banded_triangular_solve_op(
    xp: Xp, matrix: Array, rhs: Array, *, lower: bool = True, adjoint: bool = False
) -> Array:
    """Solves triangular systems given by bands; the op behind `tf.linalg.banded_triangular_solve`.

    >>> tf.raw_ops.BandedTriangularSolve(matrix=[[2.0, 1.0], [0.0, 1.0]], rhs=[[2.0], [3.0]]).numpy()
    array([[1.],
           [2.]], dtype=float32)
    """
    _check(matrix, rhs)
    bands, b = widen(xp, matrix), widen(xp, rhs)
    batch = broadcast_batches(bands, b)
    bands = xp.broadcast_to(bands, (*batch, *bands.shape[-2:]))
    b = xp.broadcast_to(b, (*batch, *b.shape[-2:]))
    if 0 in b.shape:
        return xp.zeros(b.shape, rhs.dtype)
    return xp.astype(_solve(xp, bands, b, lower, adjoint), rhs.dtype)


def _whole(xp: Xp, bands: Array, lower: bool) -> Array:
    """Builds the matrices from their bands."""
    count, size = bands.shape[-2:]
    offset = xp.arange(size)[:, None] - xp.arange(size)[None, :]
    total = xp.zeros((*bands.shape[:-2], size, size), bands.dtype)
    for k in range(count):
        band = bands[..., k if lower else count - 1 - k, :, None]
        total = total + xp.where(offset == (k if lower else -k), band, xp.zeros((), bands.dtype))
    return total


@kernel_part
def _solve(xp: Xp, bands: Array, rhs: Array, lower: bool, adjoint: bool) -> Array:
    """Calls LAPACK's tbtrs for each system, with each band aligned by columns as tbtrs expects."""
    lapack = importlib.import_module("scipy.linalg.lapack")  # heavy, and few programs need it
    solve = getattr(lapack, {"f": "s", "d": "d", "F": "c", "D": "z"}[rhs.dtype.char] + "tbtrs")
    count, size = bands.shape[-2:]
    columns = np.zeros_like(bands)
    for k in range(count):
        if lower:
            columns[..., k, : size - k] = bands[..., k, k:]
        else:
            columns[..., count - 1 - k, k:] = bands[..., count - 1 - k, : size - k]
    solutions = np.empty_like(rhs)
    for index in np.ndindex(rhs.shape[:-2]):
        x, info = solve(columns[index], rhs[index], uplo="L" if lower else "U", trans="C" if adjoint else "N")
        if info > 0:
            raise errors.InvalidArgumentError(None, None, "Input matrix is not invertible.")
        solutions[index] = x
    return solutions


@_solve.kernel_for("xla")
def _solve_as_whole(xp: CompilingXp, bands: Array, rhs: Array, lower: bool, adjoint: bool) -> Array:
    return substitute(xp, _whole(xp, bands, lower), rhs, lower, adjoint)


@banded_triangular_solve_op.gradient
def banded_triangular_solve_gradient(
    dx: Tensor, matrix: Tensor, rhs: Tensor, output: Tensor, lower: bool, adjoint: bool
) -> tuple[Tensor, Tensor]:
    drhs = raw.BandedTriangularSolve(matrix=matrix, rhs=dx, lower=lower, adjoint=not adjoint)
    left, right = (output, drhs) if adjoint else (drhs, output)
    count = matrix.shape.as_list()[-2] if matrix.shape.rank is not None else None
    if count is None:
        return sum_batches(matrix, rhs, -_bands_of_product(left, right, matrix, lower), drhs)
    rows = [_band_of_product(left, conj_(right), k if lower else -k) for k in range(count)]
    dmatrix = -raw.ConcatV2(values=[row(x) for x in (rows if lower else rows[::-1])], axis=-2)
    return sum_batches(matrix, rhs, dmatrix, drhs)


def _bands_of_product(a: Tensor, b: Tensor, matrix: Tensor, lower: bool) -> Any:
    """Cuts all bands of `a @ adjoint(b)` out of the whole product, for a number of bands that is not known."""
    most = raw.Shape(input=matrix)[-2] - 1
    none = raw.ZerosLike(x=most)
    return raw.MatrixDiagPartV3(
        input=product(a, b, adj_b=True),
        k=raw.Pack(values=[-most, none] if lower else [none, most]),
        padding_value=raw.Cast(x=0, DstT=a.dtype),
        align="LEFT_RIGHT",
    )


def _band_of_product(a: Tensor, b: Tensor, offset: int) -> Tensor:
    """Computes the elements (i, i - offset) of `a @ transpose(b)` at i; 0 where there are none."""

    def dots(x: Tensor, y: Tensor) -> Tensor:
        total: Tensor = raw.Sum(input=x * y, reduction_indices=np.int32(-1))
        return total

    if offset == 0:
        return dots(a, b)
    if offset > 0:
        parts = [raw.ZerosLike(x=dots(a, b)[..., :offset]), dots(a[..., offset:, :], b[..., :-offset, :])]
    else:
        parts = [dots(a[..., :offset, :], b[..., -offset:, :]), raw.ZerosLike(x=dots(a, b)[..., offset:])]
    band: Tensor = raw.ConcatV2(values=parts, axis=-1)
    return band


@export("linalg.banded_triangular_solve", v1=[])
def banded_triangular_solve(
    bands: TensorLike, rhs: TensorLike, lower: bool = True, adjoint: bool = False, name: str | None = None
) -> Tensor:
    """Solves triangular systems of linear equations given by their bands.

    >>> tf.linalg.banded_triangular_solve([[2.0, 1.0], [0.0, 1.0]], [[2.0], [3.0]]).numpy()
    array([[1.],
           [2.]], dtype=float32)

    Args:
      bands: A `Tensor` of shape `[..., K, M]`: floating point or complex. For lower triangular matrices the diagonal
        comes first, and the first k elements of the k-th subdiagonal are not used. For upper triangular matrices the
        diagonal comes last, and the last k elements of the k-th superdiagonal are not used.
      rhs: A `Tensor` of shape `[..., M, N]` and the same dtype; the batch dimensions broadcast.
      lower: Whether the matrices are lower triangular.
      adjoint: Whether to solve with the adjoint matrices.
      name: A name for the operation (optional).

    Returns: A `Tensor` of shape `[..., M, N]`.
    Raises: InvalidArgumentError: if the shapes do not fit, or there is a zero on a diagonal.
    """
    with name_scope(name, "banded_triangular_solve"):
        result: Tensor = banded_triangular_solve_op(bands, rhs, lower=lower, adjoint=adjoint)
        return result


# --- eigenvalues -----------------------------------------------------------------------------------------------------


@export("linalg.eigh_tridiagonal")
def eigh_tridiagonal(
    alpha: Any,
    beta: Any,
    eigvals_only: bool = True,
    select: str = "a",
    select_range: TensorLike | None = None,
    tol: TensorLike | None = None,
    name: str | None = None,
) -> Any:
    """Computes the eigenvalues, and the eigenvectors if wanted, of a Hermitian tridiagonal matrix.

    >>> tf.linalg.eigh_tridiagonal([2.0, 2.0], [1.0]).numpy().round(4)
    array([1., 3.], dtype=float32)

    Args:
      alpha: A vector of N elements, the diagonal: floating point or complex, of which the real part counts.
      beta: A vector of N - 1 elements and the same dtype, the superdiagonal.
      eigvals_only: Whether eigenvalues are enough.
      select: Which eigenvalues: "a" for all, "v" for those in the half-open interval `(low, high]` of `select_range`,
        "i" for those from the first to the last index in `select_range`, in ascending order.
      select_range: Two numbers.
      tol: How far eigenvalues may be off; Millrace always computes them to the precision of the dtype.
      name: A name for the operation (optional).

    Returns: The eigenvalues, real and ascending; or a pair of the eigenvalues and the eigenvectors, a column each.
    Raises:
      ValueError: if the dtypes differ or `select` is not "a", "v" or "i".
      InvalidArgumentError: if `select_range` is empty.
    """
    with name_scope(name, "eigh_tridiagonal"):
        alpha, beta = convert_to_tensor(alpha, name="alpha"), convert_to_tensor(beta, name="beta")
        if alpha.dtype is not beta.dtype:
            raise ValueError("'alpha' and 'beta' must have the same type.")
        if select not in ("a", "i", "v"):
            raise ValueError("'select must have a value in {'a', 'i', 'v'}.")
        matrix = matrix_diag(alpha) + matrix_diag(conj_(beta), k=-1)
        if eigvals_only:
            values = real(eigvalsh(matrix))
            return values if select == "a" else values[_select(values, select, select_range)]
        values, vectors = eigh(matrix)
        values = real(values)
        if select == "a":
            return values, vectors
        part = _select(values, select, select_range)
        return values[part], vectors[:, part]


def _select(values: Tensor, select: str, select_range: Any) -> slice:
    """Returns the slice of the ascending eigenvalues that are asked for, which are neighbours."""
    low, high = select_range
    if select == "i":
        if not low <= high:
            raise errors.InvalidArgumentError(None, None, f"Got empty index range in select_range: {low} to {high}.")
        return slice(low, high + 1)
    if not low < high:
        raise errors.InvalidArgumentError(None, None, f"Got empty interval in select_range: {low} to {high}.")

    def count(limit: Any) -> Tensor:
        below = raw.Cast(x=values <= convert_to_tensor(limit, dtype=values.dtype), DstT="int32")
        total: Tensor = raw.Sum(input=below, reduction_indices=np.int32(0))
        return total

    return slice(count(low), count(high))
