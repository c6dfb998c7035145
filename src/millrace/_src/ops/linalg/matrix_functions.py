"""Functions of square matrices as wholes: exponential, logarithm, square root.

Their gradients share one identity (Najfeld and Havel 1995): for an analytic f, the upper right block of
f([[A, E], [0, A]]) is the derivative of f at A in the direction E. With the adjoint of A, and the incoming gradient as
E, it is the gradient, which can so be differentiated again.
"""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.context import name_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import complex64, complex128
from millrace._src.core.op_def import op
from millrace._src.core.op_signature import TypeSet
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.linalg.matrices import LAPACK_TYPES, adjoint_of, check_square, square_shape, widened
from millrace._src.util.export import export

_LOGARITHM_TYPES = TypeSet([complex64, complex128])

# Numerator of the Padé approximant of degree 13 of exp, for 1-norms up to 5.37 (Higham 2005).
_PADE = (
    64764752532480000.0,
    32382376266240000.0,
    7771770303897600.0,
    1187353796428800.0,
    129060195264000.0,
    10559470521600.0,
    670442572800.0,
    33522128640.0,
    1323241920.0,
    40840800.0,
    960960.0,
    16380.0,
    182.0,
    1.0,
)
_PADE_NORM = 5.371920351148152


def _derivative(function: Callable[..., Tensor], x: Tensor, dy: Tensor) -> Tensor:
    """The gradient of a function of matrices at `x`: see the module's docstring."""
    a = adjoint_of(x)
    rows = raw.ConcatV2(values=[a, dy], axis=-1), raw.ConcatV2(values=[raw.ZerosLike(x=a), a], axis=-1)
    n = raw.Shape(input=a)[-1]
    whole = function(input=raw.ConcatV2(values=list(rows), axis=-2))
    result: Tensor = whole[..., :n, n:]
    return result


def _each(function: Callable[[Array], Array], x: Array, *, singular: bool) -> Array:
    """A SciPy function of each matrix of a stack, on the host.

    NaN for matrices that hold a NaN or infinity; also for those SciPy warns of, unless they may be `singular`.
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
    """A result as `dtype`; NaN if that is real and the result is not."""
    if value.dtype.kind != "c" or dtype.kind == "c":
        return value
    return value.real if np.allclose(value.imag, 0) else np.full(value.shape, np.nan)


# --- exponential -----------------------------------------------------------------------------------------------------


@op("MatrixExponential", "input: T -> output: T", T=LAPACK_TYPES, shape=square_shape)
def matrix_exponential(xp: Xp, input: Array) -> Array:
    """The matrix exponential, by scaling and squaring; the op behind `tf.linalg.expm`.

    >>> tf.raw_ops.MatrixExponential(input=[[0.0, 1.0], [0.0, 0.0]]).numpy()
    array([[1., 1.],
           [0., 1.]], dtype=float32)
    """
    check_square(input)
    if 0 in input.shape:
        return input
    x = widened(xp, input)
    norm = xp.max(xp.sum(xp.abs(x), axis=-2), axis=-1)
    doublings = xp.ceil(xp.log2(xp.maximum(norm / _PADE_NORM, 1.0)))
    doublings = xp.where(xp.isfinite(doublings), doublings, 0.0)
    result = _pade(xp, x / xp.astype(xp.exp2(doublings), x.dtype)[..., None, None])
    doublings = xp.astype(doublings, np.int32)[..., None, None]
    last = xp.max(doublings)

    def square(i: Array, y: Array) -> tuple[Array, Array]:
        return i + 1, xp.where(i < doublings, xp.matmul(y, y), y)

    _, result = xp.while_loop(lambda i, y: (i < last,), square, (xp.zeros((), np.int32), result))
    return xp.astype(result, input.dtype)


def _pade(xp: Xp, x: Array) -> Array:
    eye = xp.eye(x.shape[-1], dtype=x.dtype)
    b = [xp.asarray(c, dtype=x.dtype) for c in _PADE]
    x2 = xp.matmul(x, x)
    x4 = xp.matmul(x2, x2)
    x6 = xp.matmul(x4, x2)
    odd = xp.matmul(x6, b[13] * x6 + b[11] * x4 + b[9] * x2) + b[7] * x6 + b[5] * x4 + b[3] * x2 + b[1] * eye
    u = xp.matmul(x, odd)
    v = xp.matmul(x6, b[12] * x6 + b[10] * x4 + b[8] * x2) + b[6] * x6 + b[4] * x4 + b[2] * x2 + b[0] * eye
    return xp.linalg.solve(v - u, v + u)


@matrix_exponential.gradient
def matrix_exponential_gradient(dy: Tensor, input: Tensor) -> Tensor:
    return _derivative(raw.MatrixExponential, input, dy)


@export("linalg.expm")
def expm(input: Any, name: str | None = None) -> Tensor:
    """The exponential of one or more square matrices, the sum of `A^k / k!`.

    >>> tf.linalg.expm([[0.0, 1.0], [0.0, 0.0]]).numpy()
    array([[1., 1.],
           [0., 1.]], dtype=float32)

    Args:
      input: A `Tensor` of shape `[..., N, N]`: floating point or complex.
      name: A name for the operation (optional).

    Returns: A `Tensor` of the shape and dtype of `input`.
    Raises:
      ValueError: if `input` is of another dtype.
      InvalidArgumentError: if the matrices are not square.
    """
    with name_scope(name, "matrix_exponential"):
        matrix = convert_to_tensor(input, name="input")
        if matrix.dtype not in LAPACK_TYPES:
            raise ValueError(f"tf.linalg.expm does not support matrices of type {matrix.dtype!r}")
        result: Tensor = raw.MatrixExponential(input=matrix)
        return result


# --- logarithm and square root ---------------------------------------------------------------------------------------


@export("linalg.logm")
@op("MatrixLogarithm", "input: T -> output: T", T=_LOGARITHM_TYPES, shape=square_shape, host_only=True)
def matrix_logarithm(xp: Xp, input: Array) -> Array:
    """The principal logarithm of one or more complex square matrices: `expm(logm(A)) = A`.

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
    return _each(scipy_linalg.logm, input, singular=False)


@matrix_logarithm.gradient
def matrix_logarithm_gradient(dy: Tensor, input: Tensor) -> Tensor:
    return _derivative(raw.MatrixLogarithm, input, dy)


@export("linalg.sqrtm", "matrix_square_root")
@op("MatrixSquareRoot", "input: T -> output: T", T=LAPACK_TYPES, shape=square_shape, host_only=True)
def matrix_square_root(xp: Xp, input: Array) -> Array:
    """The principal square root of one or more square matrices: `sqrtm(A) @ sqrtm(A) = A`.

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
    return _each(scipy_linalg.sqrtm, widened(xp, input), singular=True).astype(input.dtype, copy=False)


@matrix_square_root.gradient
def matrix_square_root_gradient(dy: Tensor, input: Tensor) -> Tensor:
    return _derivative(raw.MatrixSquareRoot, input, dy)
