"""The op behind `tf.linalg.expm` in eager mode.

Scaling and squaring (Higham 2005, "The scaling and squaring method for the matrix exponential revisited", SIAM J.
Matrix Anal. Appl. 26, 1179-1193): halve the matrix until its 1-norm is small, take a Padé approximant of the
exponential, square the result as often. The gradient is the upper right block of a larger exponential.

The function `expm`, which builds loops in graphs, stands above these, in `control_flow/matrix_exponential.py`.
"""

from __future__ import annotations

import numpy as np

from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.op_def import op
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.batching_rules import leading
from millrace._src.ops.linalg.matrices import LAPACK_TYPES, check_square, square_shape, widened
from millrace._src.ops.linalg.matrix_functions import derivative

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
    x = widened(xp, input)
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
