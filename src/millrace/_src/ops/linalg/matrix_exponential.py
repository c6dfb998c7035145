"""The matrix exponential: `tf.linalg.expm` and the op behind it in eager mode.

Scaling and squaring (Higham 2005, "The scaling and squaring method for the matrix exponential revisited", SIAM J.
Matrix Anal. Appl. 26, 1179-1193): halve the matrix until its 1-norm is small, take a Padé approximant of the
exponential, square the result as often. The gradient is the upper right block of a larger exponential.

In eager mode the op `MatrixExponential` computes it, on all engines. A graph holds the steps as TensorFlow's nodes,
which TensorFlow can load: all degrees of the approximant are computed and each matrix chooses, then a loop squares. For
tapes the steps are one op; `tf.gradients` goes through the steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from millrace._src.core.argument_types import TensorLike
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.context import name_scope, state, tapes_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import complex128, float64
from millrace._src.core.op_def import op
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.array.concat import concat
from millrace._src.ops.array.filling import fill
from millrace._src.ops.array.one_hot import eye
from millrace._src.ops.array.reshaping import reshape
from millrace._src.ops.array.selecting import where
from millrace._src.ops.array.shape_ops import shape, size
from millrace._src.ops.batching_rules import leading
from millrace._src.ops.control_flow import cond, while_loop
from millrace._src.ops.linalg.matrices import LAPACK_TYPES, check_square, square_shape, widen
from millrace._src.ops.linalg.matrix_functions import derivative
from millrace._src.ops.math.binary import maximum
from millrace._src.ops.math.casting import cast
from millrace._src.ops.math.exponential import log
from millrace._src.ops.math.matmul import matmul
from millrace._src.ops.math.power import pow_
from millrace._src.ops.math.reduce import reduce_max, reduce_sum
from millrace._src.ops.math.rounding import floor, is_finite
from millrace._src.ops.math.unary import abs_
from millrace._src.util.export import export

# Numerators of the diagonal Padé approximants of exp, by degree; the sign of every second term turns for denominators.
NUMERATORS: dict[int, tuple[float, ...]] = {
    3: (120.0, 60.0, 12.0, 1.0),
    5: (30240.0, 15120.0, 3360.0, 420.0, 30.0, 1.0),
    7: (17297280.0, 8648640.0, 1995840.0, 277200.0, 25200.0, 1512.0, 56.0, 1.0),
    9: (
        17643225600.0,
        8821612800.0,
        2075673600.0,
        302702400.0,
        30270240.0,
        2162160.0,
        110880.0,
        3960.0,
        90.0,
        1.0,
    ),
    13: (
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
    ),
}
# The 1-norms up to which each degree is accurate (Higham 2005, tables 2.3 and A.1).
DOUBLE_LIMITS = {3: 1.495585217958292e-2, 5: 2.53939833006323e-1, 7: 9.504178996162932e-1, 9: 2.097847961257068}
DOUBLE_LIMITS |= {13: 5.371920351148152}
SINGLE_LIMITS = {3: 4.258730016922831e-1, 5: 1.880152677804762, 7: 3.92572478313866}


# --- one op, for eager mode ------------------------------------------------------------------------------------------


@op("MatrixExponential", "input: T -> output: T", T=LAPACK_TYPES, shape=square_shape, batching=leading("input"))
def matrix_exponential(xp: Xp, input: Array) -> Array:
    """Computes the matrix exponential by scaling and squaring; the op behind `tf.linalg.expm` in eager mode.

    >>> tf.raw_ops.MatrixExponential(input=[[0.0, 1.0], [0.0, 0.0]]).numpy()
    array([[1., 1.],
           [0., 1.]], dtype=float32)
    """
    check_square(input)
    if 0 in input.shape:
        return input
    x = widen(xp, input)
    norm = xp.max(xp.sum(xp.abs(x), axis=-2), axis=-1)
    doublings = xp.ceil(xp.log2(xp.maximum(norm / DOUBLE_LIMITS[13], 1.0)))
    doublings = xp.where(xp.isfinite(doublings), doublings, 0.0)
    result = _approximant(xp, x / xp.astype(xp.exp2(doublings), x.dtype)[..., None, None])
    doublings = xp.astype(doublings, np.int32)[..., None, None]
    last = xp.max(doublings)

    def square(i: Array, y: Array) -> tuple[Array, Array]:
        return i + 1, xp.where(i < doublings, xp.matmul(y, y), y)

    _, result = xp.while_loop(lambda i, y: (i < last,), square, (xp.zeros((), np.int32), result))
    return xp.astype(result, input.dtype)


def _approximant(xp: Xp, x: Array) -> Array:
    eye = xp.eye(x.shape[-1], dtype=x.dtype)
    b = [xp.asarray(c, dtype=x.dtype) for c in NUMERATORS[13]]
    x2 = xp.matmul(x, x)
    x4 = xp.matmul(x2, x2)
    x6 = xp.matmul(x4, x2)
    odd = xp.matmul(x6, b[13] * x6 + b[11] * x4 + b[9] * x2) + b[7] * x6 + b[5] * x4 + b[3] * x2 + b[1] * eye
    u = xp.matmul(x, odd)
    v = xp.matmul(x6, b[12] * x6 + b[10] * x4 + b[8] * x2) + b[6] * x6 + b[4] * x4 + b[2] * x2 + b[0] * eye
    return xp.linalg.solve(v - u, v + u)


@matrix_exponential.gradient
def matrix_exponential_gradient(dy: Tensor, input: Tensor) -> Tensor:
    return derivative(raw.MatrixExponential, input, dy)


@export("linalg.expm")
def expm(input: TensorLike, name: str | None = None) -> Tensor:
    """Computes the exponential of one or more square matrices, the sum of `A^k / k!`.

    >>> tf.linalg.expm([[0.0, 1.0], [0.0, 0.0]]).numpy()
    array([[1., 1.],
           [0., 1.]], dtype=float32)

    Args:
      input: A `Tensor` of shape `[..., N, N]`: floating point or complex.
      name: A name for the operation (optional).

    Returns: A `Tensor` of the shape and dtype of `input`.
    Raises:
      ValueError: if `input` is of another dtype.
      InvalidArgumentError: (ValueError while tracing) if the matrices are not square.
    """
    with name_scope(name, "matrix_exponential"):
        matrix = convert_to_tensor(input, name="input")
        if matrix.dtype not in LAPACK_TYPES:
            raise ValueError(f"tf.linalg.expm does not support matrices of type {matrix.dtype!r}")
        if state.graph is None:
            result: Tensor = matrix_exponential(matrix)
            return result
        return matrix if matrix.shape[-2:] == [0, 0] else _record_as_one(matrix)


# --- TensorFlow's nodes, for graphs ----------------------------------------------------------------------------------


def _record_as_one(matrix: Tensor) -> Any:
    """Computes the exponential in steps, which a tape sees as one op.

    To differentiate the loop of the steps in a compiled function would need a bound on the number of iterations.
    """
    with tapes_scope(()):
        result = _in_steps(matrix)
    for tape in state.tapes:
        tape.record_function(matrix_exponential.op_def, [matrix], [result], lambda dy: [derivative(expm, matrix, dy)])
    return result


def _in_steps(matrix: Tensor) -> Any:
    batch = matrix.shape[:-2]
    batch_sizes = None if batch.is_fully_defined() else shape(matrix)[:-2]
    stacked = reshape(matrix, concat([[-1], shape(matrix)[-2:]], axis=0))
    columns = reduce_sum(abs_(stacked), axis=size(shape(stacked)) - 2)
    norm = reduce_max(columns, axis=-1)[..., None, None]
    limits = DOUBLE_LIMITS if matrix.dtype in (float64, complex128) else SINGLE_LIMITS
    last = max(limits)
    # TensorFlow rounds the number of halvings down; the op above rounds it up, which is a little more accurate.
    excess = log(norm / _number(limits[last], norm))
    halvings = maximum(floor(excess / log(_number(2.0, norm))), 0.0)
    parts = [_odd_and_even(stacked, degree) for degree in limits if degree != last]
    scale = pow_(_number(2.0, norm), halvings)
    parts.append(_odd_and_even(stacked / cast(scale, matrix.dtype), last))
    bounds = [limits[degree] for degree in limits if degree != last]
    odd, even = (_choose(norm, bounds, [pair[side] for pair in parts]) for side in (0, 1))
    is_bounded = is_finite(reduce_max(norm))
    result = _square(_quotient(odd, even, stacked, is_bounded), halvings, is_bounded)
    if batch_sizes is not None or not stacked.shape[-2:].is_fully_defined():
        sizes = batch.as_list() if batch_sizes is None else batch_sizes
        return reshape(result, concat([sizes, shape(result)[-2:]], axis=0))
    return reshape(result, batch.concatenate(result.shape[-2:]))


def _number(value: float, like: Tensor) -> Any:
    return convert_to_tensor(value, dtype=like.dtype)


def _odd_and_even(x: Tensor, degree: int) -> tuple[Any, Any]:
    """Computes the odd and the even part of a numerator; their sum over their difference is the approximant."""
    b = [_number(value, x) for value in NUMERATORS[degree][:-1]]
    identity = eye(shape(x)[-2], batch_shape=shape(x)[:-2], dtype=x.dtype)
    powers = [matmul(x, x)]
    while len(powers) < (3 if degree == 13 else (degree - 1) // 2):
        powers.append(matmul(powers[-1], powers[0]))
    if degree == 13:
        return _thirteen(x, b, powers, identity)
    total = powers[-1]
    for k in range(len(powers) - 2, -1, -1):
        total = total + b[2 * k + 3] * powers[k]
    odd = matmul(x, total + b[1] * identity)
    return odd, _weigh(b[2::2], powers) + b[0] * identity


def _thirteen(x: Tensor, b: Sequence[Any], powers: Sequence[Any], identity: object) -> tuple[Any, Any]:
    """Computes both parts of degree 13 from three powers: the sixth power is taken out of the higher terms."""
    inner = matmul(powers[2], powers[2] + b[11] * powers[1] + b[9] * powers[0])
    for k in (2, 1, 0):
        inner = inner + b[2 * k + 3] * powers[k]
    odd = matmul(x, inner + b[1] * identity)
    even = matmul(powers[2], _weigh(b[8::2], powers))
    for k in (2, 1, 0):
        even = even + b[2 * k + 2] * powers[k]
    return odd, even + b[0] * identity


def _weigh(weights: Sequence[Any], powers: Sequence[Any]) -> Any:
    """Sums the powers with their weights, the highest power first."""
    total = weights[len(powers) - 1] * powers[-1]
    for weight, power in reversed(list(zip(weights, powers, strict=False))[:-1]):
        total = total + weight * power
    return total


def _choose(norm: Tensor, bounds: Sequence[float], values: Sequence[Any]) -> Any:
    """Returns, for each matrix, the value of the first degree whose bound its norm is below, else the last value."""
    if not bounds:
        return values[0]
    is_below = norm < _number(bounds[0], norm)
    return where(is_below, values[0], _choose(norm, bounds[1:], values[1:]))


def _quotient(odd: Tensor, even: Tensor, stacked: Tensor, is_bounded: Any) -> Any:
    """Computes the approximants; NaN where a matrix holds NaN or infinity."""
    nan = _number(float("nan"), stacked)
    return cond(
        is_bounded,
        lambda: raw.MatrixSolve(matrix=-odd + even, rhs=odd + even),
        lambda: fill(shape(stacked), nan),
    )


def _square(result: Tensor, halvings: Tensor, is_bounded: Any) -> Any:
    """Squares each matrix as often as it was halved."""
    most = reduce_max(halvings)

    def go_on(i: Tensor, _: Tensor) -> Any:
        return cond(is_bounded, lambda: i < most, lambda: convert_to_tensor(value=False))

    def square(i: Tensor, y: Tensor) -> tuple[Any, Any]:
        following = i + 1
        return following, where(i < halvings, matmul(y, y), y)

    return while_loop(go_on, square, [_number(0.0, halvings), result])[1]
