"""Functions of square matrices as wholes: logarithm, square root; and what they share with the exponential.

The gradients share one identity (Najfeld and Havel 1995): for an analytic f, the upper right block of
f([[A, E], [0, A]]) is the derivative of f at A in the direction E. With the adjoint of A, and the incoming gradient as
E, the block is the gradient, and can itself be differentiated.
"""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.dtypes import complex64, complex128
from millrace._src.core.op_def import op
from millrace._src.core.op_signature import TypeSet
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.batching_rules import leading
from millrace._src.ops.linalg.matrices import LAPACK_TYPES, adjoint_of, check_square, square_shape, widen
from millrace._src.util.export import export

_LOGARITHM_TYPES = TypeSet([complex64, complex128])


def derivative(function: Callable[..., Tensor], x: Tensor, dy: Tensor) -> Tensor:
    """Computes the gradient of a function of matrices at `x`, as the module's docstring says."""
    a = adjoint_of(x)
    rows = raw.ConcatV2(values=[a, dy], axis=-1), raw.ConcatV2(values=[raw.ZerosLike(x=a), a], axis=-1)
    n = raw.Shape(input=a)[-1]
    whole = function(input=raw.ConcatV2(values=list(rows), axis=-2))
    result: Tensor = whole[..., :n, n:]
    return result


def _each(function: Callable[[Array], Array], x: Array, *, singular: bool) -> Array:
    """Applies a SciPy function to each matrix of a stack, on the host.

    The result is NaN for matrices that hold a NaN or infinity, and for matrices that SciPy warns of, unless matrices
    may be `singular`.
    """
    results = np.full(x.shape, np.nan, x.dtype)
    for index in np.ndindex(x.shape[:-2]):
        if x[index].size and np.isfinite(x[index]).all():
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                value = np.asarray(function(x[index]))
            if singular or not caught:
                results[index] = _in_type(value, x.dtype)
    return results


def _in_type(value: Array, dtype: Any) -> Array:
    """Converts a result to `dtype`; NaN if `dtype` is real and the result is not."""
    if value.dtype.kind != "c" or dtype.kind == "c":
        return value
    return value.real if np.allclose(value.imag, 0) else np.full(value.shape, np.nan)


# --- logarithm and square root ---------------------------------------------------------------------------------------


@export("linalg.logm")
@op(
    "MatrixLogarithm",
    "input: T -> output: T",
    T=_LOGARITHM_TYPES,
    shape=square_shape,
    host_only=True,
    batching=leading("input"),
)
def matrix_logarithm(xp: Xp, input: Array) -> Array:
    """Computes the principal logarithm of one or more complex square matrices: `expm(logm(A)) = A`.

    >>> tf.linalg.logm(tf.constant([[1.0 + 0j, 0.0], [0.0, 1.0]])).numpy()
    array([[0.+0.j, 0.+0.j],
           [0.+0.j, 0.+0.j]])

    Args:
      input: A complex `Tensor` of shape `[..., N, N]`.
      name: A name for the operation (optional).

    Returns: A `Tensor` of the shape and dtype of `input`; NaN for singular matrices.
    Raises: InvalidArgumentError: if the matrices are not square, or not complex.
    """
    check_square(input)
    scipy_linalg = importlib.import_module("scipy.linalg")  # heavy, and few programs need it
    # In single precision SciPy is not sure enough of matrices whose logarithm has large derivatives.
    return _each(scipy_linalg.logm, input.astype(np.complex128), singular=False).astype(input.dtype, copy=False)


@matrix_logarithm.gradient
def matrix_logarithm_gradient(dy: Tensor, input: Tensor) -> Tensor:
    return derivative(raw.MatrixLogarithm, input, dy)


@export("linalg.sqrtm", "matrix_square_root")
@op(
    "MatrixSquareRoot",
    "input: T -> output: T",
    T=LAPACK_TYPES,
    shape=square_shape,
    host_only=True,
    batching=leading("input"),
)
def matrix_square_root(xp: Xp, input: Array) -> Array:
    """Computes the principal square root of one or more square matrices: `sqrtm(A) @ sqrtm(A) = A`.

    >>> tf.linalg.sqrtm([[4.0, 0.0], [0.0, 9.0]]).numpy()
    array([[2., 0.],
           [0., 3.]], dtype=float32)

    Args:
      input: A `Tensor` of shape `[..., N, N]`: floating point or complex.
      name: A name for the operation (optional).

    Returns: A `Tensor` of the shape and dtype of `input`; NaN where a real matrix has no real root.
    Raises: InvalidArgumentError: if the matrices are not square.
    """
    check_square(input)
    scipy_linalg = importlib.import_module("scipy.linalg")  # heavy, and few programs need it
    return _each(scipy_linalg.sqrtm, widen(xp, input), singular=True).astype(input.dtype, copy=False)


@matrix_square_root.gradient
def matrix_square_root_gradient(dy: Tensor, input: Tensor) -> Tensor:
    return derivative(raw.MatrixSquareRoot, input, dy)
