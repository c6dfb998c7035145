"""The LU decomposition with row exchanges, and the systems solved with it.

`lu` holds both factors in one matrix: U in and above the diagonal, and L below it. The diagonal of L is all ones and is
not stored. The permutation `p` says where each row came from: row i of L U is row p[i] of the input.
"""

from __future__ import annotations

import importlib
from typing import Any, NamedTuple

import numpy as np

from millrace._src.core import errors
from millrace._src.core.argument_types import TensorLike
from millrace._src.core.array_namespace import Array, CompilingXp, Xp
from millrace._src.core.context import name_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import DType, int32
from millrace._src.core.kernel_part import kernel_part
from millrace._src.core.op_def import op
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.batching_rules import leading
from millrace._src.ops.linalg.matrices import (
    LAPACK_TYPES,
    adjoint_of,
    identity_like,
    product,
    square_dims,
    strictly_lower_part,
    upper_part,
    widen,
)
from millrace._src.ops.linalg.solving import triangular_solve
from millrace._src.ops.math.matmul import matmul
from millrace._src.ops.type_sets import INDEX
from millrace._src.util.export import export


def lu_shape(c: ShapeContext) -> tuple[TensorShape, TensorShape]:
    """Infers the shapes of packed factors and permutations from square matrices."""
    parts = square_dims(c.shape("input"))
    if parts is None:
        return TensorShape(None), TensorShape(None)
    batch, n = parts
    return TensorShape.of((*batch, n, n)), TensorShape.of((*batch, n))


@op(
    "Lu",
    "input: T -> lu: T, p: output_idx_type",
    T=LAPACK_TYPES,
    output_idx_type=INDEX.with_default(int32),
    shape=lu_shape,
    batching=leading("input"),
    library_bound=True,
    refuses=("input",),
)
def lu_op(xp: Xp, input: Array, *, output_idx_type: DType) -> tuple[Array, Array]:
    """Computes the LU decomposition of square matrices; the op behind `tf.linalg.lu`.

    >>> tf.raw_ops.Lu(input=[[0.0, 1.0], [1.0, 0.0]])[1].numpy()
    array([1, 0], dtype=int32)
    """
    if input.ndim < 2:
        raise errors.InvalidArgumentError(None, None, f"Input tensor must have rank >= 2, got {input.ndim}")
    if input.shape[-1] != input.shape[-2]:
        raise errors.InvalidArgumentError(None, None, "Input matrix must be square.")
    x = widen(xp, input)
    packed, permutation = _factorize(xp, x)
    return xp.astype(packed, input.dtype), xp.astype(permutation, output_idx_type.np_dtype)


@kernel_part
def _factorize(xp: Xp, x: Array) -> tuple[Array, Array]:
    lapack = importlib.import_module("scipy.linalg.lapack")  # heavy, and few programs need it
    getrf = getattr(lapack, {"f": "s", "d": "d", "F": "c", "D": "z"}[x.dtype.char] + "getrf")
    packed, permutation = np.empty_like(x), np.empty(x.shape[:-1], np.int64)
    for index in np.ndindex(x.shape[:-2] if x.size else (0,)):
        packed[index], exchanges, info = getrf(x[index])
        if info > 0 or np.isnan(x[index]).any():
            raise errors.InvalidArgumentError(None, None, "Input is not invertible.")
        order = np.arange(len(exchanges))
        for i, j in enumerate(exchanges):
            order[i], order[j] = order[j], order[i]
        permutation[index] = order
    return packed, permutation


@_factorize.kernel_for("xla")
def _factorize_xla(xp: CompilingXp, x: Array) -> tuple[Array, Array]:
    packed, _, permutation = xp.lax.linalg.lu(x)
    return packed, permutation


@lu_op.gradient
def lu_gradient(dlu: Tensor, dp: Tensor, lu: Tensor, p: Tensor) -> Tensor:
    # P A = L U: L^-1 P dA U^-1 = L^-1 dL + dU U^-1, whose parts below and not below the diagonal do not mix.
    unit = strictly_lower_part(lu) + identity_like(lu)
    upper = upper_part(lu)
    core = strictly_lower_part(product(unit, strictly_lower_part(dlu), adj_a=True))
    core = core + upper_part(product(upper_part(dlu), upper, adj_b=True))
    left = raw.MatrixTriangularSolve(matrix=unit, rhs=core, lower=True, adjoint=True)
    both = adjoint_of(raw.MatrixTriangularSolve(matrix=upper, rhs=adjoint_of(left), lower=False, adjoint=False))
    return _permute(both, _inverse(p))


def _batch_rank(x: Tensor) -> int:
    """Returns the number of batch dimensions.

    Raises: ValueError: if the number is unknown.
    """
    if x.shape.rank is None:
        raise ValueError(f"Permuting rows needs a tensor of known rank; received: {x}.")
    return x.shape.rank - 2


def _permute(matrix: Tensor, permutation: Tensor) -> Tensor:
    if matrix.shape.rank is None:  # one batch dimension for all
        shape = raw.Shape(input=matrix)
        lead = np.array([-1], np.int32)
        flat = raw.Reshape(tensor=matrix, shape=raw.ConcatV2(values=[lead, shape[-2:]], axis=0))
        rows = raw.Reshape(tensor=permutation, shape=raw.ConcatV2(values=[lead, shape[-1:]], axis=0))
        permuted_rows = raw.GatherV2(params=flat, indices=rows, axis=np.int32(1), batch_dims=1)
        back: Tensor = raw.Reshape(tensor=permuted_rows, shape=shape)
        return back
    batch = _batch_rank(matrix)
    result: Tensor = raw.GatherV2(params=matrix, indices=permutation, axis=np.int32(batch), batch_dims=batch)
    return result


def _inverse(permutation: Tensor) -> Tensor:
    """Returns the permutations that undo the given ones."""
    if permutation.shape.rank == 1:
        inverse: Tensor = raw.InvertPermutation(x=permutation)
        return inverse
    _, order = raw.TopKV2(input=-permutation, k=raw.Shape(input=permutation)[-1], sorted=True)
    return order


class Lu(NamedTuple):
    """The pair that `tf.linalg.lu` returns."""

    lu: Any
    p: Any


@export("linalg.lu")
def lu(input: object, output_idx_type: object = int32, name: str | None = None) -> Lu:
    """Computes the LU decomposition of one or more square matrices, with partial pivoting.

    >>> packed, p = tf.linalg.lu([[1.0, 2.0], [4.0, 4.0]])
    >>> packed.numpy(), p.numpy()
    (array([[4.  , 4.  ],
           [0.25, 1.  ]], dtype=float32), array([1, 0], dtype=int32))

    Args:
      input: A `Tensor` of shape `[..., M, M]`: floating point or complex.
      output_idx_type: The dtype of `p`: int32 or int64.
      name: A name for the operation (optional).

    Returns: `(lu, p)`: L below the diagonal (its own diagonal is 1) and U, in one `[..., M, M]`; and the permutation
      `[..., M]`: row i of `L @ U` is row `p[i]` of `input`.
    Raises: InvalidArgumentError: if a matrix is singular, or not square.
    """
    return Lu(*lu_op(input, output_idx_type=output_idx_type, name=name))


def _factors(lower_upper: Any, perm: Any, validate_args: bool) -> tuple[Tensor, Tensor]:
    lower_upper = convert_to_tensor(lower_upper, dtype_hint="float32", name="lower_upper")
    perm = convert_to_tensor(perm, dtype_hint="int32", name="perm")
    dims = lower_upper.shape.dim_sizes
    if dims is not None and len(dims) < 2:
        raise ValueError("Input `lower_upper` must have at least 2 dimensions.")
    if validate_args and dims is not None and None not in dims[-2:] and dims[-1] != dims[-2]:
        raise ValueError("`lower_upper` must be square.")
    return lower_upper, perm


@export("linalg.lu_reconstruct")
def lu_reconstruct(
    lower_upper: TensorLike, perm: TensorLike, validate_args: bool = False, name: str | None = None
) -> Tensor:
    """Multiplies the factors of an LU decomposition, and undoes the permutation: returns the decomposed matrices.

    >>> tf.linalg.lu_reconstruct(*tf.linalg.lu([[1.0, 2.0], [4.0, 4.0]])).numpy()
    array([[1., 2.],
           [4., 4.]], dtype=float32)

    Args:
      lower_upper: `lu` as `tf.linalg.lu` returns it.
      perm: `p` as `tf.linalg.lu` returns it.
      validate_args: Whether to check that the matrices are square.
      name: A name for the operation (optional).

    Returns: A `Tensor` of the shape and dtype of `lower_upper`.
    Raises: ValueError: if `lower_upper` has fewer than two dimensions.
    """
    with name_scope(name, "lu_reconstruct"):
        lower_upper, perm = _factors(lower_upper, perm, validate_args)
        whole = matmul(strictly_lower_part(lower_upper) + identity_like(lower_upper), upper_part(lower_upper))
        return _permute(whole, _inverse(perm))


@export("linalg.lu_solve")
def lu_solve(lower_upper: Any, perm: Any, rhs: Any, validate_args: bool = False, name: str | None = None) -> Tensor:
    """Solves systems of linear equations `A @ x = rhs`, given the LU decomposition of `A`.

    >>> tf.linalg.lu_solve(*tf.linalg.lu([[0.0, 2.0], [4.0, 0.0]]), rhs=[[2.0], [4.0]]).numpy()
    array([[1.],
           [1.]], dtype=float32)

    Args:
      lower_upper: `lu` as `tf.linalg.lu` returns it.
      perm: `p` as `tf.linalg.lu` returns it.
      rhs: A `Tensor` of shape `[..., M, K]`.
      validate_args: Whether to check the shapes further.
      name: A name for the operation (optional).

    Returns: A `Tensor` of shape `[..., M, K]`.
    Raises: ValueError: if `lower_upper` or `rhs` has fewer than two dimensions.
    """
    with name_scope(name, "lu_solve"):
        lower_upper, perm = _factors(lower_upper, perm, validate_args)
        rhs = convert_to_tensor(rhs, dtype_hint=lower_upper.dtype, name="rhs")
        if rhs.shape.rank is not None and rhs.shape.rank < 2:
            raise ValueError("Input `rhs` must have at least 2 dimensions.")
        if validate_args and None not in (lower_upper.shape.rank, rhs.shape.rank):
            if not lower_upper.shape[-1:].is_compatible_with(rhs.shape[-2:-1]):
                raise ValueError("`lower_upper.shape[-1]` must equal `rhs.shape[-1]`.")
        if lower_upper.shape.rank == 2 and perm.shape.rank == 1 and rhs.shape.rank == 2:
            permuted: Tensor = raw.GatherV2(params=rhs, indices=perm, axis=np.int32(-2))
        else:
            permuted = _permute(*_common_batch(rhs, perm))
        unit = strictly_lower_part(lower_upper) + identity_like(lower_upper)
        return triangular_solve(lower_upper, triangular_solve(unit, permuted), lower=False)


def _common_batch(rhs: Tensor, perm: Tensor) -> tuple[Tensor, Tensor]:
    """Repeats right-hand sides and permutations over the batch dimensions that only the other argument has."""
    rhs_shape, perm_shape = raw.Shape(input=rhs), raw.Shape(input=perm)
    batch = raw.BroadcastArgs(s0=rhs_shape[:-2], s1=perm_shape[:-1])
    rhs = raw.BroadcastTo(input=rhs, shape=raw.ConcatV2(values=[batch, rhs_shape[-2:]], axis=0))
    return rhs, raw.BroadcastTo(input=perm, shape=raw.ConcatV2(values=[batch, perm_shape[-1:]], axis=0))


@export("linalg.lu_matrix_inverse")
def lu_matrix_inverse(
    lower_upper: TensorLike, perm: TensorLike, validate_args: bool = False, name: str | None = None
) -> Tensor:
    """Inverts matrices, given their LU decomposition.

    >>> tf.linalg.lu_matrix_inverse(*tf.linalg.lu([[0.0, 2.0], [4.0, 0.0]])).numpy()
    array([[0.  , 0.25],
           [0.5 , 0.  ]], dtype=float32)

    Args:
      lower_upper: `lu` as `tf.linalg.lu` returns it.
      perm: `p` as `tf.linalg.lu` returns it.
      validate_args: Whether to check that the matrices are square.
      name: A name for the operation (optional).

    Returns: A `Tensor` of the shape and dtype of `lower_upper`.
    Raises: ValueError: if `lower_upper` has fewer than two dimensions.
    """
    with name_scope(name, "lu_matrix_inverse"):
        lower_upper, perm = _factors(lower_upper, perm, validate_args)
        return lu_solve(lower_upper, perm, identity_like(lower_upper), validate_args=validate_args)
