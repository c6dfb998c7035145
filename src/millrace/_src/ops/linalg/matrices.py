"""What the matrix ops share: stacks of matrices in the last two axes, their shape rules, and LAPACK's element types.

Every op of this folder takes `[..., M, N]` and works on each matrix of the stack. The kernels themselves refuse bad
shapes, in TensorFlow's words, because NumPy says something else; shape rules refuse them while tracing. LAPACK knows no
16-bit floats, so matrices of 16-bit floats are computed in 32 bits.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from millrace._src.core import dtypes as d
from millrace._src.core import errors
from millrace._src.core.array_namespace import Array, CompilingXp, Xp
from millrace._src.core.kernel_part import kernel_part
from millrace._src.core.op_signature import TypeSet
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.array.transposing import matrix_transpose
from millrace._src.ops.math.broadcasting import shape_text

Dims = tuple[int | None, ...]

LAPACK_TYPES = TypeSet([d.float64, d.float32, d.float16, d.complex64, d.complex128])
DETERMINANT_TYPES = TypeSet([d.float16, d.float32, d.float64, d.complex64, d.complex128])


# --- kernels ---------------------------------------------------------------------------------------------------------


def check_matrix(x: Array, index: int = 0) -> None:
    """Checks that `x`, input number `index`, is a matrix or a stack of matrices.

    Raises: InvalidArgumentError: if `x` has fewer than two dimensions.
    """
    if x.ndim < 2:
        raise errors.InvalidArgumentError(None, None, f"Input tensor {index} must have rank >= 2, got {x.ndim}")


def check_square(x: Array) -> None:
    """Checks that `x` is a square matrix or a stack of square matrices.

    Raises: InvalidArgumentError: if `x` is neither.
    """
    check_matrix(x)
    if x.shape[-1] != x.shape[-2]:
        raise errors.InvalidArgumentError(None, None, "Input matrix must be square.")


def widen(xp: Xp, x: Array) -> Array:
    """Converts `x` to a type that LAPACK knows."""
    return xp.astype(x, np.float32) if x.dtype.itemsize == 2 else x


def conjugate_transpose(xp: Xp, x: Array) -> Array:
    """Computes the adjoint of each matrix."""
    transposed = xp.swapaxes(x, -1, -2)
    return xp.conj(transposed) if x.dtype.kind == "c" else transposed


@kernel_part
def guard(xp: Xp, message: str, function: Callable[..., Any], *arrays: Array) -> Any:
    """Returns `function(*arrays)`; raises `message` where LAPACK refuses a matrix, and where the first array has a NaN.

    Raises: InvalidArgumentError: on the host; XLA gives NaN.
    """
    try:
        result = function(*arrays)
    except np.linalg.LinAlgError:
        raise errors.InvalidArgumentError(None, None, message) from None
    if np.isnan(arrays[0]).any():
        raise errors.InvalidArgumentError(None, None, message)
    return result


@guard.kernel_for("xla")
def _call_unguarded(xp: CompilingXp, message: str, function: Callable[..., Any], *arrays: Array) -> Any:
    return function(*arrays)


@kernel_part
def nan_where_not_finite(xp: Xp, function: Callable[[Array], tuple[Array, ...]], x: Array) -> tuple[Array, ...]:
    """Returns `function(x)`; a matrix with a NaN or an infinity gives NaN rather than a LinAlgError."""
    try:
        return function(x)
    except np.linalg.LinAlgError:
        bad = ~np.isfinite(x).all(axis=(-2, -1))
        results = function(np.where(bad[..., None, None], 0, x))
        return tuple(np.where(bad.reshape(bad.shape + (1,) * (r.ndim - bad.ndim)), np.nan, r) for r in results)


@nan_where_not_finite.kernel_for("xla")
def _as_it_is(xp: CompilingXp, function: Callable[[Array], tuple[Array, ...]], x: Array) -> tuple[Array, ...]:
    return function(x)


# --- shape rules -----------------------------------------------------------------------------------------------------


def matrix_dims(shape: TensorShape) -> tuple[Dims, int | None, int | None] | None:
    """Returns the batch dimensions, rows and columns of a static shape; None if its rank is unknown.

    Raises: ValueError: if the rank is less than 2.
    """
    dims = shape.dim_sizes
    if dims is None:
        return None
    if len(dims) < 2:
        raise ValueError(f"Shape must be at least rank 2 but is rank {len(dims)}")
    return dims[:-2], dims[-2], dims[-1]


def same_dim(a: int | None, b: int | None) -> int | None:
    """Merges two dimensions that must be equal.

    Raises: ValueError: if the dimensions differ.
    """
    if a is not None and b is not None and a != b:
        raise ValueError(f"Dimensions must be equal, but are {a} and {b}")
    return b if a is None else a


def square_dims(shape: TensorShape) -> tuple[Dims, int | None] | None:
    """Returns the batch dimensions and the size of square matrices; None if the rank is unknown.

    Raises: ValueError: if the matrices cannot be square.
    """
    parts = matrix_dims(shape)
    return None if parts is None else (parts[0], same_dim(parts[1], parts[2]))


def merge(a: TensorShape, b: TensorShape) -> TensorShape:
    """Merges two shapes that must be equal.

    Raises: ValueError: if the shapes differ; the words are those of TensorFlow's shape inference.
    """
    if a.dim_sizes is None or b.dim_sizes is None:
        return b if a.dim_sizes is None else a
    if len(a.dim_sizes) != len(b.dim_sizes):
        raise ValueError(f"Shapes must be equal rank, but are {len(a.dim_sizes)} and {len(b.dim_sizes)}")
    for i, (m, n) in enumerate(zip(a.dim_sizes, b.dim_sizes)):
        if m is not None and n is not None and m != n:
            shapes = f"Shapes are {shape_text(a)} and {shape_text(b)}."
            raise ValueError(f"Dimension {i} in both shapes must be equal, but are {m} and {n}. {shapes}")
    return a.merge_with(b)


def square_shape(c: ShapeContext) -> TensorShape:
    """Infers the shape of matrices of the same size as square matrices."""
    parts = square_dims(c.inputs[0].shape)
    return TensorShape(None) if parts is None else TensorShape.of((*parts[0], parts[1], parts[1]))


def minimum(a: int | None, b: int | None) -> int | None:
    """Returns the lesser of two dimensions, if known."""
    if a is None or b is None:
        return 0 if 0 in (a, b) else None
    return min(a, b)


# --- gradients -------------------------------------------------------------------------------------------------------


def product(a: Tensor, b: Tensor, adj_a: bool = False, adj_b: bool = False) -> Tensor:
    """Multiplies two stacks of matrices."""
    return raw.BatchMatMulV2(x=a, y=b, adj_x=adj_a, adj_y=adj_b)


def adjoint_of(x: Tensor) -> Tensor:
    """Computes the conjugate transpose of each matrix."""
    return matrix_transpose(x, conjugate=True)


def identity_like(square: Tensor) -> Tensor:
    """Builds identity matrices of the shape of `square`."""
    return raw.MatrixSetDiag(input=raw.ZerosLike(x=square), diagonal=raw.OnesLike(x=raw.MatrixDiagPart(input=square)))


def lower_part(x: Tensor) -> Tensor:
    """Returns `x` with zeros above the diagonal."""
    return raw.MatrixBandPart(input=x, num_lower=np.int64(-1), num_upper=np.int64(0))


def upper_part(x: Tensor) -> Tensor:
    """Returns `x` with zeros below the diagonal."""
    return raw.MatrixBandPart(input=x, num_lower=np.int64(0), num_upper=np.int64(-1))


def strictly_lower_part(x: Tensor) -> Tensor:
    """Returns `x` with zeros above and on the diagonal."""
    return lower_part(x) - diagonal_part(x)


def diagonal_part(x: Tensor) -> Tensor:
    """Returns `x` with zeros beside the diagonal."""
    return raw.MatrixBandPart(input=x, num_lower=np.int64(0), num_upper=np.int64(0))


def column(x: Tensor) -> Tensor:
    """Reshapes `[..., N]` to `[..., N, 1]`."""
    return raw.ExpandDims(input=x, dim=np.int32(-1))


def row(x: Tensor) -> Tensor:
    """Reshapes `[..., N]` to `[..., 1, N]`."""
    return raw.ExpandDims(input=x, dim=np.int32(-2))
