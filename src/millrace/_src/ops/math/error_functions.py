"""The error function, its complement and its inverse for many float32 numbers at once, with NumPy alone.

Problem: SciPy computes one number after the other, 12 ns each.

Idea: `erf(x) = tanh(x h(x^2))` with a smooth function `h`, for which a polynomial of degree 7 is enough: NumPy's tanh
works on many numbers at once. Likewise `erfc(x) = 2 / (1 + exp(2 x h(x^2)))`, which loses digits where the
exponent is large; there, `erfc(x) = exp(-x^2) erfcx(x)`, the exponential in float64, with a polynomial in
`1 / (x + 1.25)`. Few numbers are that large as a rule, so they are picked out. Blocks keep all steps in a cache. The
coefficients are weighted minimax fits. The largest errors are 4 units in the last digit (`erf`) and 7 (`erfc`),
TensorFlow's are 6 and 8. `erfinv(x) / x` is a polynomial of degree 17 in `sqrt(-log(1 - x^2))`, which is at most 4 for
numbers of float32; the largest error is 7 units.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from millrace._src.core.array_namespace import Array
from millrace._src.ops.math.blockwise_functions import BLOCK, in_blocks, polynomial, singles

_NANOSECONDS = 2.0

_HALF_LOGIT = singles(
    [
        1.1283792471840943,
        0.10276986419145341,
        -0.00019528838258116733,
        -0.0006148379774130015,
        8.459643967521685e-05,
        -4.794567903498399e-06,
        2.757170381231382e-08,
        5.4217887800201796e-09,
    ]
)
"""The polynomial `atanh(erf(x)) / x` of `x^2`, up to 16."""
_LOGIT = singles(
    [
        2.256759135713536,
        0.2055362195827661,
        -0.00038780811508847164,
        -0.001226797895298108,
        0.00016549454379592146,
        -8.306495358604367e-06,
        -1.1833759310612697e-07,
        1.8794066122567365e-08,
    ]
)
"""The polynomial `log(2 / erfc(x) - 1) / x` of `x^2`, up to 16; exact enough for `erfc(x)` up to `_TAIL`."""
_SCALED = singles(
    [
        0.5641896097973246,
        0.7052263027047736,
        0.6001567712144171,
        0.026414396005432963,
        -0.6275091052082569,
        -2.5741329917104783,
        5.730708279196268,
        -3.3496262965312766,
    ]
)
"""The polynomial `exp(x^2) erfc(x) (x + 1.25)` of `1 / (x + 1.25)`, from `_TAIL` on."""
_INVERSE = singles(
    [
        1.9511797428131104,
        1.9612313508987427,
        0.40788283944129944,
        -0.5965949296951294,
        0.3575104773044586,
        0.3239341676235199,
        -0.6336254477500916,
        -0.08702964335680008,
        0.8136940002441406,
        -0.14625927805900574,
        -0.7939921021461487,
        0.2473735511302948,
        0.5514844655990601,
        -0.18458935618400574,
        -0.2357597053050995,
        0.0705965906381607,
        0.04560277238488197,
        -0.010912501253187656,
    ]
)
"""The polynomial `erfinv(x) / x` of `sqrt(-log(1 - x^2)) / 2.1 - 1`."""
_TAIL = np.array(1.25, np.float32)
_LARGEST_SQUARE = np.full(BLOCK, 16, np.float32)  # NumPy has no fast loop for the smaller of an array and a number
_ONE, _TWO, _SHIFT, _INVERSE_SCALE = singles([1, 2, 1.25, 1 / 2.1])


def erf(x: Array) -> Array:
    """Computes the error function of float32 numbers."""
    return in_blocks(_erf_block, x, nanoseconds=_NANOSECONDS)


def erfc(x: Array) -> Array:
    """Computes the complementary error function of float32 numbers."""
    return in_blocks(_erfc_block, x, nanoseconds=_NANOSECONDS)


def erfinv(x: Array) -> Array:
    """Computes the inverse of the error function of float32 numbers."""
    return in_blocks(_erfinv_block, x, nanoseconds=_NANOSECONDS)


def _erf_block(x: Array, result: Array) -> None:
    np.tanh(_odd_polynomial(_HALF_LOGIT, x), out=result)


def _erfc_block(x: Array, result: Array) -> None:
    odds = _odd_polynomial(_LOGIT, x)
    np.exp(odds, out=odds)
    np.add(odds, _ONE, out=odds)
    np.divide(_TWO, odds, out=result)
    tail = np.flatnonzero(np.greater(x, _TAIL))  # indexing by a mask branches, and the branches are guessed wrong
    if tail.size:
        result[tail] = _erfc_of_large(x.take(tail))


def _erfinv_block(x: Array, result: Array) -> None:
    scaled = np.subtract(_ONE, x)
    np.multiply(scaled, np.add(_ONE, x), out=scaled)
    np.log(scaled, out=scaled)
    np.sqrt(np.abs(scaled, out=scaled), out=scaled)  # rounding can bring a product above 1
    np.multiply(scaled, _INVERSE_SCALE, out=scaled)
    np.subtract(scaled, _ONE, out=scaled)
    ends = np.flatnonzero(np.isinf(scaled))
    np.multiply(polynomial(_INVERSE, scaled), x, out=result)
    result[ends] = np.copysign(np.float32(np.inf), x[ends])


def _odd_polynomial(coefficients: Sequence[Any], x: Array) -> Array:
    """Returns `x` times a polynomial of `x^2`, which stays as it is from 16 on: there the results are 1 or 0."""
    square = np.multiply(x, x)
    np.minimum(square, _LARGEST_SQUARE[: x.size], out=square)
    total = polynomial(coefficients, square)
    return np.multiply(total, x, out=total)


def _erfc_of_large(x: Array) -> Array:
    fraction = np.add(x, _SHIFT)
    np.divide(_ONE, fraction, out=fraction)
    scaled = np.multiply(fraction, _SCALED[-1])
    for coefficient in _SCALED[-2::-1]:
        np.add(scaled, coefficient, out=scaled)
        np.multiply(scaled, fraction, out=scaled)
    exponent = x.astype(np.float64)  # a float32 square has too few digits for an exponent
    np.multiply(exponent, -exponent, out=exponent)
    result: Array = np.multiply(np.exp(exponent, out=exponent), scaled)
    return result
