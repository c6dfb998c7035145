"""The inverse of square matrices, the pseudo-inverse where there is none, and the rank.

The inverse is an op; pseudo-inverse and rank are read off the singular values.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from millrace._src.core.argument_types import TensorLike
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.context import name_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import int32
from millrace._src.core.op_def import op
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.batching_rules import leading
from millrace._src.ops.linalg.matrices import (
    LAPACK_TYPES,
    check_square,
    column,
    conjugate_transpose,
    guard,
    product,
    row,
    square_shape,
    widen,
)
from millrace._src.ops.linalg.singular_values import svd
from millrace._src.ops.math.casting import cast
from millrace._src.ops.math.matmul import matmul
from millrace._src.ops.math.reduce import reduce_max, reduce_sum
from millrace._src.util.export import export


@op(
    "MatrixInverse",
    "input: T -> output: T",
    T=LAPACK_TYPES,
    shape=square_shape,
    batching=leading("input"),
    library_bound=True,
    refuses=("input",),
)
def matrix_inverse(xp: Xp, input: Array, *, adjoint: bool = False) -> Array:
    """Inverts one or more square matrices, or their adjoints; the op behind `tf.linalg.inv`.

    >>> tf.raw_ops.MatrixInverse(input=[[2.0, 0.0], [0.0, 4.0]]).numpy()
    array([[0.5 , 0.  ],
           [0.  , 0.25]], dtype=float32)
    """
    check_square(input)
    x = widen(xp, input)
    if adjoint:
        x = conjugate_transpose(xp, x)
    return xp.astype(guard(xp, "Input is not invertible.", xp.linalg.inv, x), input.dtype)


@matrix_inverse.gradient
def matrix_inverse_gradient(dy: Tensor, output: Tensor, adjoint: bool) -> Tensor:
    # d(A^-1) = -A^-1 dA A^-1
    if adjoint:
        return -product(output, product(dy, output, adj_a=True))
    return -product(output, product(dy, output, adj_b=True), adj_a=True)


@export("linalg.inv", v1=["linalg.inv", "matrix_inverse"])
def inv(input: TensorLike, adjoint: bool = False, name: str | None = None) -> Tensor:
    """Inverts one or more square matrices.

    >>> tf.linalg.inv([[2.0, 0.0], [0.0, 4.0]]).numpy()
    array([[0.5 , 0.  ],
           [0.  , 0.25]], dtype=float32)

    Args:
      input: A `Tensor` of shape `[..., N, N]`: floating point or complex.
      adjoint: Whether to invert the adjoints instead.
      name: A name for the operation (optional).

    Returns: A `Tensor` of the shape and dtype of `input`.
    Raises: InvalidArgumentError: if a matrix is singular, or not square.
    """
    result: Tensor = matrix_inverse(input, adjoint=adjoint, name=name)
    return result


def _float_matrix(a: Any) -> Tensor:
    a = convert_to_tensor(a, name="a")
    if not a.dtype.is_floating:
        raise TypeError(f"Input `a` must have `float`-like `dtype` (saw {a.dtype.name}).")
    if a.shape.rank is not None and a.shape.rank < 2:
        raise ValueError(f"Input `a` must have at least 2 dimensions (saw: {a.shape.rank}).")
    return a


def _largest_dim(a: Tensor) -> Any:
    """Returns the greater of rows and columns: a number if it is known, else a tensor of the dtype of `a`."""
    dims = a.shape.dim_sizes
    if dims is not None and None not in dims[-2:]:
        return max(d for d in dims[-2:] if d is not None)
    return reduce_max(raw.Shape(input=a)[-2:])


@export("linalg.matrix_rank")
def matrix_rank(
    a: TensorLike, tol: TensorLike | None = None, validate_args: bool = False, name: str | None = None
) -> Tensor:
    """Computes the rank of one or more matrices: the number of singular values that exceed a tolerance.

    >>> tf.linalg.matrix_rank([[1.0, 2.0], [2.0, 4.0]]).numpy()
    np.int32(1)

    Args:
      a: A `Tensor` of shape `[..., M, N]`, floating point.
      tol: The tolerance; by default the largest singular value, times the larger dimension, times the precision of
        the dtype.
      validate_args: Whether to check more at run time.
      name: A name for the operation (optional).

    Returns: An int32 `Tensor` of shape `[...]`.
    Raises:
      TypeError: if `a` is not floating point.
      ValueError: if `a` has fewer than two dimensions.
    """
    with name_scope(name, "matrix_rank"):
        a = _float_matrix(a)
        s = svd(a, compute_uv=False)
        if tol is None:
            size = cast(_largest_dim(a), a.dtype)
            tol = float(np.finfo(a.dtype.as_numpy_dtype).eps) * size * reduce_max(s, axis=-1, keepdims=True)
        return reduce_sum(cast(s > tol, int32), axis=-1)


@export("linalg.pinv")
def pinv(
    a: TensorLike, rcond: TensorLike | None = None, validate_args: bool = False, name: str | None = None
) -> Tensor:
    """Computes the Moore-Penrose pseudo-inverse of one or more matrices.

    >>> tf.linalg.pinv([[1.0, 0.0], [0.0, 0.5], [0.0, 0.0]]).numpy()
    array([[1., 0., 0.],
           [0., 2., 0.]], dtype=float32)

    Args:
      a: A `Tensor` of shape `[..., M, N]`, floating point.
      rcond: Singular values up to `rcond` times the largest count as zero; by default 10, times the larger dimension,
        times the precision of the dtype.
      validate_args: Whether to check more at run time.
      name: A name for the operation (optional).

    Returns: A `Tensor` of shape `[..., N, M]`.
    Raises:
      TypeError: if `a` is not floating point.
      ValueError: if `a` has fewer than two dimensions.
    """
    with name_scope(name, "pinv"):
        a = _float_matrix(a)
        if rcond is None:
            size = _largest_dim(a)
            precision = 10.0 * float(np.finfo(a.dtype.as_numpy_dtype).eps)
            rcond = precision * (cast(size, a.dtype) if isinstance(size, Tensor) else size)
        rcond = convert_to_tensor(rcond, dtype=a.dtype, name="rcond")
        s, u, v = svd(a, full_matrices=False, compute_uv=True)
        cutoff = column(rcond * reduce_max(s, axis=-1))
        s = raw.SelectV2(condition=s > cutoff, t=s, e=convert_to_tensor(np.inf, dtype=a.dtype))
        return matmul(v / row(s), u, adjoint_b=True)
