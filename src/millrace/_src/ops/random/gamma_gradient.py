"""How a gamma sample moves with alpha: the implicit reparameterization gradient.

A sample x is a fixed quantile, so dx/dalpha = -(dP/dalpha) / p, P being the regularized lower incomplete gamma function
and p the density. P is a power series where x is small and a continued fraction elsewhere; both are differentiated term
by term. Source: Figurnov, Mohamed, Mnih, "Implicit reparameterization gradients", NeurIPS 2018.
"""

from __future__ import annotations

import numpy as np

from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.dtypes import float32, float64
from millrace._src.core.op_def import op
from millrace._src.ops.batching_rules import elementwise
from millrace._src.ops.shape_rules import broadcast_shape
from millrace._src.ops.type_sets import TypeSet

_MAX_TERMS = 2000
_RESCALE_ABOVE = 2.0**52


@op(
    "RandomGammaGrad",
    "alpha: T, sample: T -> output: T",
    T=TypeSet((float32, float64)),
    shape=broadcast_shape,
    no_gradient="TensorFlow defines no second derivative of gamma samples",
    batching=elementwise,  # declared, for it is not exact: all elements take as many terms as the slowest one
)
def random_gamma_grad(xp: Xp, alpha: Array, sample: Array) -> Array:
    """Computes the derivative of gamma samples with respect to alpha, for samples drawn with that alpha.

    >>> round(float(tf.raw_ops.RandomGammaGrad(alpha=1.0, sample=1.0)), 4)
    1.1736
    """
    a, x = xp.broadcast_arrays(xp.astype(alpha, np.float64), xp.astype(sample, np.float64))
    in_series = (x <= 1) | (x <= a)
    series = _series_derivative(xp, xp.where(in_series, a, 1.0), xp.where(in_series, x, 0.5))
    fraction = _fraction_derivative(xp, xp.where(in_series, 1.0, a), xp.where(in_series, 2.0, x))
    derivative = xp.where(in_series, series, fraction)
    derivative = xp.where(x == 0, 0.0, derivative)
    return xp.astype(xp.where((a > 0) & (x >= 0), derivative, np.nan), alpha.dtype)


def _series_derivative(xp: Xp, a: Array, x: Array) -> Array:
    # P = x^a e^-x / Gamma(a + 1) * sum_n x^n / ((a + 1) ... (a + n))
    def more(n: Array, moving: Array, *state: Array) -> tuple[Array]:
        return (moving & (n < _MAX_TERMS),)

    def add_term(
        n: Array, moving: Array, r: Array, term: Array, total: Array, d_term: Array, d_total: Array
    ) -> tuple[Array, ...]:
        r = r + 1
        d_term = d_term * (x / r) - term * x / (r * r)
        term = term * (x / r)
        moving = xp.any(xp.abs(d_term) > np.finfo(np.float64).eps * xp.abs(d_total))
        return n + 1, moving, r, term, total + term, d_term, d_total + d_term

    one, zero = xp.ones(a.shape, np.float64), xp.zeros(a.shape, np.float64)
    start = (xp.asarray(0), xp.asarray(a.size > 0), a, one, one, zero, zero)
    total, d_total = [xp.while_loop(more, add_term, start)[i] for i in (4, 6)]
    return -(d_total + total * (xp.log(x) - xp.special.digamma(a + 1))) * x / a


def _fraction_derivative(xp: Xp, a: Array, x: Array) -> Array:
    # 1 - P = x^a e^-x / Gamma(a) * p / q, the convergents p / q of a continued fraction (Cephes, igamc)
    def more(n: Array, moving: Array, *state: Array) -> tuple[Array]:
        return (moving & (n < _MAX_TERMS),)

    def next_convergent(n: Array, moving: Array, y: Array, z: Array, *state: Array) -> tuple[Array, ...]:
        p1, q1, p2, q2, dp1, dq1, dp2, dq2, _, d_ratio = state
        n, y, z = n + 1, y + 1, z + 2
        yc = y * n
        p, q = p1 * z - p2 * yc, q1 * z - q2 * yc
        # dy/da = dz/da = -1
        dp = dp1 * z - p1 - dp2 * yc + p2 * n
        dq = dq1 * z - q1 - dq2 * yc + q2 * n
        new_ratio = p / q
        new_d_ratio = (dp - new_ratio * dq) / q
        moving = xp.any(xp.abs(new_d_ratio - d_ratio) > np.finfo(np.float64).eps * xp.abs(new_d_ratio))
        scale = xp.where(xp.abs(p) > _RESCALE_ABOVE, 1 / _RESCALE_ABOVE, 1.0)
        kept = [v * scale for v in (p, q, p1, q1, dp, dq, dp1, dq1)]
        return n, moving, y, z, *kept, new_ratio, new_d_ratio

    y = 1 - a
    z = x + y + 1
    one, zero = xp.ones(a.shape, np.float64), xp.zeros(a.shape, np.float64)
    # Convergents 0 and 1, p_0 / q_0 = 1 / x and p_1 / q_1 = (x + 1) / (z x), and their derivatives.
    p1, q1, dq1 = x + 1, z * x, -x
    ratio = p1 / q1
    start = (
        xp.asarray(0.0),
        xp.asarray(a.size > 0),
        y,
        z,
        *(p1, q1, one, x, zero, dq1, zero, zero, ratio, -ratio * dq1 / q1),
    )
    loop = xp.while_loop(more, next_convergent, start)
    ratio, d_ratio = loop[-2], loop[-1]
    return x * (d_ratio + ratio * (xp.log(x) - xp.special.digamma(a)))
