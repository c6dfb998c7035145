"""The regularized incomplete gamma functions P and Q, and the derivative with respect to the shape.

P(a, x) has no elementary derivative in `a`. Here the derivative is summed from the power series

    P(a, x) = sum over n of t_n,   t_n = x ** (a + n) * exp(-x) / gamma(a + n + 1),

whose terms have the derivative t_n * (log(x) - digamma(a + n + 1)).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.op_def import op
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.batching_rules import elementwise
from millrace._src.ops.math.broadcasting import broadcast_shape, reduce_to_operands
from millrace._src.ops.math.element_types import FLOAT, SINGLE_DOUBLE
from millrace._src.ops.math.precision import at_least_single, in_single
from millrace._src.util.export import export

_MAX_TERMS = 100_000


def _in_domain(xp: Xp, function: Any, a: Array, x: Array) -> Array:
    """Applies `function`; the result is NaN outside the domain, and TensorFlow's 0 where both inputs are infinite."""
    value = xp.astype(function(a, x), a.dtype)
    value = xp.where((a > 0) & (x >= 0), value, a.dtype.type(np.nan))
    return xp.where((a == np.inf) & (x == np.inf), a.dtype.type(0), value)


@export("math.igamma", v1=["igamma", "math.igamma"])
@op("Igamma", "a: T, x: T -> z: T", T=FLOAT, shape=broadcast_shape)
def igamma(xp: Xp, a: Array, x: Array) -> Array:
    """Computes the lower regularized incomplete gamma function P(a, x).

    >>> tf.math.igamma([1.0, 2.0], 2.0).numpy()
    array([0.8646..., 0.5939...], dtype=float32)

    Args:
      a: A `Tensor` of floating point, positive.
      x: A `Tensor` of the same dtype, not negative; the two broadcast.

    Returns: A `Tensor` of the dtype of `a`; NaN outside the domain.
    """

    def lower(a: Array, x: Array) -> Array:
        return xp.where(x == 0, a.dtype.type(0), _in_domain(xp, xp.special.gammainc, a, x))

    return in_single(xp, lower, a, x)


@export("math.igammac", v1=["igammac", "math.igammac"])
@op("Igammac", "a: T, x: T -> z: T", T=FLOAT, shape=broadcast_shape)
def igammac(xp: Xp, a: Array, x: Array) -> Array:
    """Computes the upper regularized incomplete gamma function Q(a, x) = 1 - P(a, x).

    >>> tf.math.igammac([1.0, 2.0], 2.0).numpy()
    array([0.1353..., 0.4060...], dtype=float32)

    Args:
      a: A `Tensor` of floating point, positive.
      x: A `Tensor` of the same dtype, not negative; the two broadcast.

    Returns: A `Tensor` of the dtype of `a`; NaN outside the domain.
    """
    return in_single(xp, lambda a, x: _in_domain(xp, xp.special.gammaincc, a, x), a, x)


def _density(a: Tensor, x: Tensor) -> Any:
    """Returns the derivative of P(a, x) with respect to `x`: the density of the gamma distribution."""
    return raw.Exp(x=(a - 1) * raw.Log(x=x) - x - raw.Lgamma(x=a))


def _by_shape(a: Tensor, x: Tensor) -> Any:
    """Returns the derivative of P(a, x) with respect to `a`, in 32 bits at least, as the op has no 16-bit types."""
    return at_least_single(lambda a, x: raw.IgammaGradA(a=a, x=x), a, x)


@igamma.gradient
def igamma_gradient(dz: Tensor, a: Tensor, x: Tensor) -> tuple[Tensor, Tensor]:
    return reduce_to_operands(a, x, dz * _by_shape(a, x), dz * _density(a, x))


@igammac.gradient
def igammac_gradient(dz: Tensor, a: Tensor, x: Tensor) -> tuple[Tensor, Tensor]:
    return reduce_to_operands(a, x, -dz * _by_shape(a, x), -dz * _density(a, x))


def _shape_derivative(xp: Xp, a: Array, x: Array) -> Array:
    """Sums the series for dP/da in float64 (the formula is in the docstring of the module)."""
    a, x = np.broadcast_arrays(a.astype(np.float64), x.astype(np.float64))
    in_domain = (a > 0) & (x > 0)
    shape, point = np.where(in_domain, a, 1.0), np.where(in_domain, x, 1.0)
    log_x = np.log(point)
    term = np.exp(shape * log_x - point - xp.special.gammaln(shape + 1))
    slope = log_x - xp.special.digamma(shape + 1)
    total = term * slope
    k = shape
    for _ in range(_MAX_TERMS):
        k = k + 1
        slope = slope - 1 / k
        term = term * (point / k)
        total = total + term * slope
        if np.all((np.abs(term * slope) <= 1e-17 * np.abs(total)) & (k > point) | (term == 0)):
            break
    return np.where(in_domain, total, np.where((a > 0) & (x == 0), 0.0, np.nan))


@op(
    "IgammaGradA",
    "a: T, x: T -> z: T",
    T=SINGLE_DOUBLE,
    shape=broadcast_shape,
    host_only=True,
    no_gradient="TensorFlow declares no second derivative in the shape",
    batching=elementwise,
)
def igamma_grad_a(xp: Xp, a: Array, x: Array) -> Array:
    """Computes the derivative of P(a, x) with respect to `a`.

    >>> tf.raw_ops.IgammaGradA(a=[1.0], x=[2.0]).numpy()
    array([-0.2208...], dtype=float32)
    """
    return _shape_derivative(xp, a, x).astype(a.dtype)
