"""Tridiagonal matrices, given by their three diagonals: products and systems of equations in linear time.

Diagonals are rows of `[..., 3, M]`: the superdiagonal (its last element is not used), the diagonal, and the subdiagonal
(its first element is not used).
"""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from millrace._src.core import dtypes as d
from millrace._src.core import errors
from millrace._src.core.argument_types import TensorLike
from millrace._src.core.array_namespace import Array, CompilingXp, Xp
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.kernel_part import kernel_part
from millrace._src.core.op_def import op
from millrace._src.core.op_signature import TypeSet
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.array.diagonals import matrix_diag_part
from millrace._src.ops.array.transposing import matrix_transpose
from millrace._src.ops.batching_rules import leading
from millrace._src.ops.linalg.matrices import matrix_dims, merge, row, same_dim
from millrace._src.ops.linalg.solving import check_equations
from millrace._src.util.export import export

_TYPES = TypeSet([d.float64, d.float32, d.complex64, d.complex128])


# --- products --------------------------------------------------------------------------------------------------------


def tridiagonal_matmul_shape(c: ShapeContext) -> TensorShape:
    """Infers the shape of the result, which is that of the right-hand side."""
    rhs = c.shape("rhs")
    matrix_dims(rhs)
    for name in ("superdiag", "maindiag", "subdiag"):
        matrix_dims(c.shape(name))
    return rhs


@op(
    "TridiagonalMatMul",
    "superdiag: T, maindiag: T, subdiag: T, rhs: T -> output: T",
    T=_TYPES,
    shape=tridiagonal_matmul_shape,
    batching=leading("superdiag", "maindiag", "subdiag", "rhs"),
)
def tridiagonal_mat_mul(xp: Xp, superdiag: Array, maindiag: Array, subdiag: Array, rhs: Array) -> Array:
    """Multiplies tridiagonal matrices, their diagonals `[..., 1, M]`, by matrices; the op behind
    `tf.linalg.tridiagonal_matmul`.

    >>> diagonals = {"superdiag": [[1.0, 0.0]], "maindiag": [[2.0, 2.0]], "subdiag": [[0.0, 3.0]]}
    >>> tf.raw_ops.TridiagonalMatMul(**diagonals, rhs=[[1.0], [2.0]]).numpy()
    array([[4.],
           [7.]], dtype=float32)
    """
    diagonals = (("superdiagonal", superdiag), ("main diagonal", maindiag), ("subdiagonal", subdiag))
    for name, diagonal in diagonals:
        if diagonal.ndim != rhs.ndim:
            raise errors.InvalidArgumentError(None, None, "All input tensors must have the same rank.")
        if diagonal.shape != (*rhs.shape[:-2], 1, rhs.shape[-2]):
            raise errors.InvalidArgumentError(None, None, f"Invalid {name} shape.")
    above, on, below = (xp.swapaxes(x, -1, -2) for x in (superdiag, maindiag, subdiag))
    if rhs.shape[-2] == 0:
        return rhs
    nothing = xp.zeros_like(rhs[..., :1, :])
    from_above = xp.concatenate([above[..., :-1, :] * rhs[..., 1:, :], nothing], axis=-2)
    from_below = xp.concatenate([nothing, below[..., 1:, :] * rhs[..., :-1, :]], axis=-2)
    return on * rhs + from_above + from_below


def _three_diagonals(a: Tensor, b: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Computes superdiagonal, diagonal and subdiagonal of `a @ adjoint(b)`, each `[..., M]` with unused elements 0."""
    b = raw.Conj(input=b) if b.dtype.is_complex else b

    def dots(x: Tensor, y: Tensor) -> Tensor:
        total: Tensor = raw.Sum(input=x * y, reduction_indices=np.int32(-1))
        return total

    on = dots(a, b)
    nothing = raw.ZerosLike(x=on[..., :1])
    above = raw.ConcatV2(values=[dots(a[..., :-1, :], b[..., 1:, :]), nothing], axis=-1)
    below = raw.ConcatV2(values=[nothing, dots(a[..., 1:, :], b[..., :-1, :])], axis=-1)
    return above, on, below


def _shift(x: Tensor, by: int) -> Tensor:
    """Moves the elements of the last axis by one, to the right or to the left; the element that comes in is 0."""
    nothing = raw.ZerosLike(x=x[..., :1])
    values = [nothing, x[..., :-1]] if by > 0 else [x[..., 1:], nothing]
    moved: Tensor = raw.ConcatV2(values=values, axis=-1)
    return moved


def _conj(x: Tensor) -> Tensor:
    conjugate: Tensor = raw.Conj(input=x) if x.dtype.is_complex else x
    return conjugate


@tridiagonal_mat_mul.gradient
def tridiagonal_mat_mul_gradient(
    dy: Tensor, superdiag: Tensor, maindiag: Tensor, subdiag: Tensor, rhs: Tensor
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    above, on, below = _three_diagonals(dy, rhs)
    drhs = raw.TridiagonalMatMul(
        superdiag=_conj(_shift(subdiag, -1)), maindiag=_conj(maindiag), subdiag=_conj(_shift(superdiag, 1)), rhs=dy
    )
    return row(above), row(on), row(below), drhs


# --- systems of equations --------------------------------------------------------------------------------------------


def tridiagonal_solve_shape(c: ShapeContext) -> TensorShape:
    """Infers the shape of the solutions from diagonals and right-hand sides."""
    diagonals, rhs = matrix_dims(c.shape("diagonals")), matrix_dims(c.shape("rhs"))
    if diagonals is None or rhs is None:
        return TensorShape(None)
    batch = merge(TensorShape.of(diagonals[0]), TensorShape.of(rhs[0]))
    if diagonals[1] not in (None, 3):
        raise ValueError(f"Dimension must be 3 but is {diagonals[1]}")
    return TensorShape.of((*(batch.dim_sizes or ()), same_dim(diagonals[2], rhs[1]), rhs[2]))


@op(
    "TridiagonalSolve",
    "diagonals: T, rhs: T -> output: T",
    T=_TYPES,
    shape=tridiagonal_solve_shape,
    batching=leading("diagonals", "rhs"),
    library_bound=True,
)
def tridiagonal_solve_op(
    xp: Xp, diagonals: Array, rhs: Array, *, partial_pivoting: bool = True, perturb_singular: bool = False
) -> Array:
    """Solves tridiagonal systems of equations; the op behind `tf.linalg.tridiagonal_solve`.

    >>> tf.raw_ops.TridiagonalSolve(diagonals=[[1.0, 0.0], [2.0, 2.0], [0.0, 3.0]], rhs=[[4.0], [7.0]]).numpy().round(4)
    array([[1.],
           [2.]], dtype=float32)
    """
    if perturb_singular:
        raise errors.UnimplementedError(None, None, "TridiagonalSolve: perturb_singular works on GPUs only.")
    check_equations(xp.swapaxes(diagonals, -1, -2), rhs, square=False)
    if diagonals.shape[-2] != 3:
        raise errors.InvalidArgumentError(None, None, f"Expected 3 diagonals got {diagonals.shape[-2]}")
    if 0 in rhs.shape:
        return rhs
    above, on, below = diagonals[..., 0, :], diagonals[..., 1, :], diagonals[..., 2, :]
    if rhs.shape[-2] == 1:
        return rhs / on[..., None]
    return _solve(xp, above, on, below, rhs, partial_pivoting)


@kernel_part
def _solve(xp: Xp, above: Array, on: Array, below: Array, rhs: Array, partial_pivoting: bool) -> Array:
    return _pivot(above, on, below, rhs) if partial_pivoting else _substitute(above, on, below, rhs)


@_solve.kernel_for("xla")
def _solve_xla(xp: CompilingXp, above: Array, on: Array, below: Array, rhs: Array, partial_pivoting: bool) -> Array:
    first, last = xp.arange(rhs.shape[-2]) == 0, xp.arange(rhs.shape[-2]) == rhs.shape[-2] - 1
    zero = xp.zeros((), rhs.dtype)
    return xp.lax.linalg.tridiagonal_solve(xp.where(first, zero, below), on, xp.where(last, zero, above), rhs)


def _pivot(above: Array, on: Array, below: Array, rhs: Array) -> Array:
    """Calls LAPACK's gtsv for each system; NaN where a matrix is singular."""
    lapack = importlib.import_module("scipy.linalg.lapack")  # heavy, and few programs need it
    gtsv = getattr(lapack, {"f": "s", "d": "d", "F": "c", "D": "z"}[rhs.dtype.char] + "gtsv")
    solutions = np.empty_like(rhs)
    for index in np.ndindex(rhs.shape[:-2]):
        *_, x, info = gtsv(below[index][1:], on[index], above[index][:-1], rhs[index])
        solutions[index] = np.nan if info > 0 else x
    return solutions


def _substitute(above: Array, on: Array, below: Array, rhs: Array) -> Array:
    """Solves all systems at once by Thomas's algorithm.

    There are no row exchanges, so a pivot of zero gives NaN or infinities.
    """
    size = rhs.shape[-2]
    upper, solution = np.zeros_like(above), np.zeros_like(rhs)
    pivot = on[..., 0]
    solution[..., 0, :] = rhs[..., 0, :] / pivot[..., None]
    for i in range(1, size):
        upper[..., i - 1] = above[..., i - 1] / pivot
        pivot = on[..., i] - below[..., i] * upper[..., i - 1]
        solution[..., i, :] = (rhs[..., i, :] - below[..., i, None] * solution[..., i - 1, :]) / pivot[..., None]
    for i in range(size - 2, -1, -1):
        solution[..., i, :] -= upper[..., i, None] * solution[..., i + 1, :]
    return solution


@tridiagonal_solve_op.gradient
def tridiagonal_solve_gradient(
    dx: Tensor, diagonals: Tensor, output: Tensor, partial_pivoting: bool, perturb_singular: bool
) -> tuple[Tensor, Tensor]:
    above, on, below = diagonals[..., 0, :], diagonals[..., 1, :], diagonals[..., 2, :]
    adjoint = raw.ConcatV2(
        values=[row(_conj(_shift(below, -1))), row(_conj(on)), row(_conj(_shift(above, 1)))], axis=-2
    )
    drhs = raw.TridiagonalSolve(
        diagonals=adjoint, rhs=dx, partial_pivoting=partial_pivoting, perturb_singular=perturb_singular
    )
    parts = [row(x) for x in _three_diagonals(drhs, output)]
    return -raw.ConcatV2(values=parts, axis=-2), drhs


# --- public ----------------------------------------------------------------------------------------------------------


def _from_sequence(diagonals: Any) -> list[Tensor]:
    """Returns three diagonals of length M; the outer two, which may be of length M - 1, are filled up."""
    above, on, below = (convert_to_tensor(x) for x in diagonals)
    length = on.shape.dim_sizes[-1] if on.shape.dim_sizes else None
    parts = [above, on, below]
    for position, x in ((0, above), (2, below)):
        if x.shape.dim_sizes and length is not None and x.shape.dim_sizes[-1] == length - 1:
            nothing = raw.ZerosLike(x=on[..., :1])
            parts[position] = raw.ConcatV2(values=[x, nothing] if position == 0 else [nothing, x], axis=-1)
    return parts


def _from_matrix(matrix: Any) -> list[Tensor]:
    matrix = convert_to_tensor(matrix)
    dims = matrix.shape.dim_sizes
    if dims is not None and len(dims) >= 2 and dims[-1] is not None and dims[-2] is not None and dims[-1] != dims[-2]:
        raise ValueError(f"Expected last two dimensions of diagonals to be same, got {dims[-2]} and {dims[-1]}")
    nothing = raw.ZerosLike(x=matrix[..., :1, 0])
    above, below = matrix_diag_part(matrix, k=1), matrix_diag_part(matrix, k=-1)
    return [
        raw.ConcatV2(values=[above, nothing], axis=-1),
        matrix_diag_part(matrix),
        raw.ConcatV2(values=[nothing, below], axis=-1),
    ]


def _diagonals(diagonals: Any, diagonals_format: str) -> list[Tensor]:
    if diagonals_format == "compact":
        compact = convert_to_tensor(diagonals)
        dims = compact.shape.dim_sizes
        if dims is not None and len(dims) >= 2 and dims[-2] not in (None, 3):
            raise ValueError(f"Expected 3 diagonals got {dims[-2]}")
        return [compact[..., i, :] for i in range(3)]
    if diagonals_format == "sequence":
        if not isinstance(diagonals, (tuple, list)) or len(diagonals) != 3:
            raise ValueError("Expected diagonals to be a sequence of length 3.")
        return _from_sequence(diagonals)
    if diagonals_format == "matrix":
        return _from_matrix(diagonals)
    raise ValueError(f"Unrecognized diagonals_format: {diagonals_format}")


@export("linalg.tridiagonal_solve")
def tridiagonal_solve(
    diagonals: TensorLike,
    rhs: Any,
    diagonals_format: str = "compact",
    transpose_rhs: bool = False,
    conjugate_rhs: bool = False,
    name: str | None = None,
    partial_pivoting: bool = True,
    perturb_singular: bool = False,
) -> Tensor:
    """Solves systems of linear equations with tridiagonal matrices.

    >>> diagonals = [[1.0, 0.0], [2.0, 2.0], [0.0, 3.0]]
    >>> tf.linalg.tridiagonal_solve(diagonals, [4.0, 7.0]).numpy().round(4)
    array([1., 2.], dtype=float32)

    Args:
      diagonals: The matrices, in one of three forms: "compact", a `Tensor` `[..., 3, M]` of superdiagonal (its last
        element is not used), diagonal, and subdiagonal (its first is not used); "sequence", three tensors, of which the
        outer two may have M - 1 elements; "matrix", the whole `[..., M, M]`. float32, float64 or complex.
      rhs: A `Tensor` `[..., M]` or `[..., M, K]` of the same dtype.
      diagonals_format: "compact", "sequence" or "matrix".
      transpose_rhs: Whether `rhs` is transposed first.
      conjugate_rhs: Whether `rhs` is conjugated first.
      name: A name for the operation (optional).
      partial_pivoting: Whether rows may be exchanged, which is more stable.
      perturb_singular: Whether singular matrices are changed a little; on GPUs only.

    Returns: A `Tensor` of the shape of `rhs`; NaN where a matrix is singular.
    Raises: ValueError: if the shapes do not fit, or `diagonals_format` is unknown.
    """
    parts = _diagonals(diagonals, diagonals_format)
    compact: Tensor = (
        convert_to_tensor(diagonals)
        if diagonals_format == "compact"
        else raw.ConcatV2(values=[row(part) for part in parts], axis=-2)
    )
    rhs = convert_to_tensor(rhs, dtype_hint=compact.dtype)
    if transpose_rhs and (compact.shape.rank is None or rhs.shape.rank == compact.shape.rank):
        rhs = matrix_transpose(rhs)
    is_vector = _check_sizes(compact, rhs)
    if is_vector:
        rhs = raw.ExpandDims(input=rhs, dim=np.int32(-1))
    if conjugate_rhs:
        rhs = _conj(rhs)
    result: Tensor = tridiagonal_solve_op(
        compact, rhs, partial_pivoting=partial_pivoting, perturb_singular=perturb_singular, name=name
    )
    return raw.Squeeze(input=result, squeeze_dims=[-1]) if is_vector else result


def _check_sizes(compact: Tensor, rhs: Tensor) -> bool:
    """Returns whether the right-hand sides are vectors.

    Raises: ValueError: if the right-hand sides do not fit the diagonals.
    """
    rank, rhs_rank = compact.shape.rank, rhs.shape.rank
    if rank is None or rhs_rank is None:
        return False
    if rhs_rank not in (rank - 1, rank):
        raise ValueError(f"Expected the rank of rhs to be {rank - 1} or {rank}, got {rhs_rank}")
    is_vector = rhs_rank == rank - 1
    size, rhs_size = compact.shape.as_list()[-1], rhs.shape.as_list()[-1 if is_vector else -2]
    if size is not None and rhs_size is not None and size != rhs_size:
        raise ValueError(
            f"Expected number of left-hand sided and right-hand sides to be equal, got {size} and {rhs_size}"
        )
    return is_vector


@export("linalg.tridiagonal_matmul")
def tridiagonal_matmul(
    diagonals: TensorLike, rhs: TensorLike, diagonals_format: str = "compact", name: str | None = None
) -> Tensor:
    """Multiplies tridiagonal matrices by matrices.

    >>> diagonals = [[1.0, 0.0], [2.0, 2.0], [0.0, 3.0]]
    >>> tf.linalg.tridiagonal_matmul(diagonals, [[1.0], [2.0]]).numpy()
    array([[4.],
           [7.]], dtype=float32)

    Args:
      diagonals: The tridiagonal matrices, as in `tf.linalg.tridiagonal_solve`.
      rhs: A `Tensor` `[..., M, K]` of the same dtype.
      diagonals_format: "compact", "sequence" or "matrix".
      name: A name for the operation (optional).

    Returns: A `Tensor` of the shape of `rhs`.
    Raises:
      ValueError: if `diagonals_format` is unknown.
      InvalidArgumentError: if the shapes do not fit.
    """
    above, on, below = _diagonals(diagonals, diagonals_format)
    rhs = convert_to_tensor(rhs, dtype_hint=on.dtype)
    result: Tensor = tridiagonal_mat_mul(row(above), row(on), row(below), rhs, name=name)
    return result
