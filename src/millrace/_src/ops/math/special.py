"""The error function, the gamma function and their relatives.

The kernels are SciPy's (jax.scipy's under XLA), but for large arrays of some functions: see `error_functions`. Where
SciPy gives a value by continuation that TensorFlow leaves undefined, the result is TensorFlow's NaN.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from millrace._src.core.argument_types import TensorLike
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.context import name_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.op_def import op
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.batching_rules import scalars_aside
from millrace._src.ops.gradient_rules import unbroadcast
from millrace._src.ops.math import error_functions
from millrace._src.ops.math.blockwise_functions import many_at_once
from millrace._src.ops.math.broadcasting import broadcast_shape, reduce_to_operands, shape_text
from millrace._src.ops.math.element_types import FLOAT, SINGLE_DOUBLE
from millrace._src.ops.math.precision import at_least_single, in_single
from millrace._src.ops.shape_rules import same_shape
from millrace._src.util.export import export

_SQRT_PI = math.sqrt(math.pi)
AT_POLES = "XLA's form differs at poles and for huge numbers"
"""Why the values of a special function on XLA are others than rounding explains."""


def _special(xp: Xp, name: str, *arrays: Array) -> Array:
    """Applies SciPy's function `name`, in 32 bits at least; the result has the dtype of the first array."""
    function = getattr(xp.special, name)
    return in_single(xp, lambda *a: xp.astype(function(*a), a[0].dtype), *arrays)


@export("math.erf", v1=["erf", "math.erf"], elementwise="unary")
@op("Erf", "x: T -> y: T", T=FLOAT, shape=same_shape)
def erf(xp: Xp, x: Array) -> Array:
    """Computes the Gauss error function, `2 / sqrt(pi) * integral of exp(-t ** 2) from 0 to x`.

    >>> tf.math.erf([0.0, 1.0]).numpy()
    array([0.       , 0.8427...], dtype=float32)

    Args: x: A `Tensor` of floating point.
    Returns: A `Tensor` with the shape and dtype of `x`; values between -1 and 1.
    """
    return _special(xp, "erf", x)


erf.specialize(many_at_once(error_functions.erf, erf.op_def.kernel))


@erf.gradient
def erf_gradient(dy: Tensor, x: Tensor) -> Any:
    return dy * (raw.Exp(x=-raw.Square(x=x)) * (2 / _SQRT_PI))


@export("math.erfc", v1=["erfc", "math.erfc"], elementwise="unary")
@op("Erfc", "x: T -> y: T", T=FLOAT, shape=same_shape)
def erfc(xp: Xp, x: Array) -> Array:
    """Computes the complementary error function, `1 - erf(x)`, exact also for large `x`.

    >>> tf.math.erfc([0.0, 1.0]).numpy()
    array([1.       , 0.1572...], dtype=float32)

    Args: x: A `Tensor` of floating point.
    Returns: A `Tensor` with the shape and dtype of `x`; values between 0 and 2.
    """
    return _special(xp, "erfc", x)


erfc.specialize(many_at_once(error_functions.erfc, erfc.op_def.kernel))


@erfc.gradient
def erfc_gradient(dy: Tensor, x: Tensor) -> Any:
    return dy * (raw.Exp(x=-raw.Square(x=x)) * (-2 / _SQRT_PI))


@op("Erfinv", "x: T -> y: T", T=FLOAT, shape=same_shape)
def erfinv_op(xp: Xp, x: Array) -> Array:
    """Computes the inverse of the error function; the op behind `tf.math.erfinv`.

    >>> tf.raw_ops.Erfinv(x=[0.0, 1.0]).numpy()
    array([ 0., inf], dtype=float32)
    """
    return _special(xp, "erfinv", x)


erfinv_op.specialize(many_at_once(error_functions.erfinv, erfinv_op.op_def.kernel))


@erfinv_op.gradient
def erfinv_gradient(dy: Tensor, y: Tensor) -> Any:
    return dy * (raw.Exp(x=raw.Square(x=y)) * (_SQRT_PI / 2))


@export("math.erfinv", elementwise="unary")
def erfinv(x: TensorLike, name: str | None = None) -> Tensor:
    """Finds the number whose error function is `x`.

    >>> tf.math.erfinv([0.0, 0.5, 1.0]).numpy()
    array([0.       , 0.4769...,       inf], dtype=float32)

    Args:
      x: A `Tensor` of floating point.
      name: A name for the operation (optional).

    Returns: A `Tensor` with the shape and dtype of `x`; NaN beyond -1 and 1.
    """
    with name_scope(name, "erfinv"):
        return erfinv_op(x)


@op("Ndtri", "x: T -> y: T", T=FLOAT, shape=same_shape)
def ndtri_op(xp: Xp, x: Array) -> Array:
    """Computes the quantile of the standard normal distribution; the op behind `tf.math.ndtri`.

    >>> tf.raw_ops.Ndtri(x=[0.5, 1.0]).numpy()
    array([ 0., inf], dtype=float32)
    """
    return _special(xp, "ndtri", x)


@ndtri_op.gradient
def ndtri_gradient(dy: Tensor, y: Tensor) -> Any:
    return dy * (raw.Exp(x=raw.Square(x=y) * 0.5) * math.sqrt(2 * math.pi))


@export("math.ndtri", elementwise="unary")
def ndtri(x: TensorLike, name: str | None = None) -> Tensor:
    """Computes the quantile of the standard normal distribution: the number below which lies the probability `x`.

    >>> tf.math.ndtri([0.5, 0.975]).numpy()
    array([0.       , 1.9599...], dtype=float32)

    Args:
      x: A `Tensor` of floating point, probabilities.
      name: A name for the operation (optional).

    Returns: A `Tensor` with the shape and dtype of `x`; NaN outside [0, 1].
    """
    with name_scope(name, "ndtri"):
        return ndtri_op(x)


@export("math.erfcinv", elementwise="unary")
def erfcinv(x: Any, name: str | None = None) -> Tensor:
    """Finds the number whose complementary error function is `x`.

    >>> tf.math.erfcinv([0.5, 1.5]).numpy()
    array([ 0.4769..., -0.4769...], dtype=float32)

    Args:
      x: A `Tensor` of floating point.
      name: A name for the operation (optional).

    Returns: A `Tensor` with the shape and dtype of `x`; NaN outside [0, 2].
    """
    with name_scope(name, "erfcinv"):
        x = convert_to_tensor(x, name="start")
        return -ndtri(0.5 * x) * math.sqrt(0.5)


@export("math.lgamma", v1=["lgamma", "math.lgamma"], elementwise="unary")
@op("Lgamma", "x: T -> y: T", T=FLOAT, shape=same_shape)
def lgamma(xp: Xp, x: Array) -> Array:
    """Computes the logarithm of the absolute value of the gamma function.

    >>> tf.math.lgamma([0.0, 1.0, 4.0]).numpy()
    array([      inf, 0.       , 1.7917...], dtype=float32)

    Args: x: A `Tensor` of floating point.
    Returns: A `Tensor` with the shape and dtype of `x`; infinite at 0 and the negative whole numbers.
    """
    result = _special(xp, "gammaln", x)
    return xp.where(xp.isinf(x), xp.abs(x), result)


@lgamma.gradient
def lgamma_gradient(dy: Tensor, x: Tensor) -> Any:
    return dy * raw.Digamma(x=x)


@export("math.digamma", v1=["digamma", "math.digamma"], elementwise="unary")
@op("Digamma", "x: T -> y: T", T=FLOAT, shape=same_shape)
def digamma(xp: Xp, x: Array) -> Array:
    """Computes the derivative of `lgamma`.

    >>> tf.math.digamma([1.0, 2.0]).numpy()
    array([-0.5772...,  0.4227...], dtype=float32)

    Args: x: A `Tensor` of floating point.
    Returns: A `Tensor` with the shape and dtype of `x`; NaN at 0 and the negative whole numbers.
    """
    result = _special(xp, "digamma", x)
    return xp.where(x == 0, x.dtype.type(np.nan), result)


@digamma.gradient
def digamma_gradient(dy: Tensor, x: Tensor) -> Any:
    return dy * at_least_single(lambda x: raw.Polygamma(a=raw.OnesLike(x=x), x=x), x)


def _zeta(xp: Xp, x: Array, q: Array) -> Array:
    """Computes SciPy's zeta, but NaN at poles where the sign of the infinity depends on the side."""
    is_two_sided = (q <= 0) & (q == xp.floor(q)) & (x % 2 != 0) & (x != 1) & (x != np.inf)
    return xp.where(is_two_sided, np.nan, xp.special.zeta(x, q))


@export("math.zeta", v1=["zeta", "math.zeta"], elementwise="binary")
@op("Zeta", "x: T, q: T -> z: T", T=SINGLE_DOUBLE, shape=broadcast_shape, values_differ_when_compiled=AT_POLES)
def zeta(xp: Xp, x: Array, q: Array) -> Array:
    """Computes the Hurwitz zeta function, the sum of `(q + n) ** -x` over n = 0, 1, ...

    >>> tf.math.zeta([2.0, 4.0], 1.0).numpy()
    array([1.6449..., 1.0823...], dtype=float32)

    Args:
      x: A `Tensor` of dtype float32 or float64; the series converges above 1.
      q: A `Tensor` of the same dtype; the two broadcast.

    Returns: A `Tensor` of the dtype of `x`; NaN below 1.
    """
    return xp.astype(_zeta(xp, x, q), x.dtype)


@zeta.gradient
def zeta_gradient(dz: Tensor, x: Tensor, q: Tensor) -> tuple[None, Tensor]:
    dq = dz * -x * raw.Zeta(x=x + 1, q=q)
    return None, reduce_to_operands(x, q, dq, dq)[1]


@export("math.polygamma", v1=["polygamma", "math.polygamma"])
@op("Polygamma", "a: T, x: T -> z: T", T=SINGLE_DOUBLE, shape=broadcast_shape, values_differ_when_compiled=AT_POLES)
def polygamma(xp: Xp, a: Array, x: Array) -> Array:
    """Computes the `a`-th derivative of `digamma`.

    >>> tf.math.polygamma([0.0, 1.0], 2.0).numpy()
    array([0.4227..., 0.6449...], dtype=float32)

    Args:
      a: A `Tensor` of dtype float32 or float64 holding whole numbers from 0.
      x: A `Tensor` of the same dtype; the two broadcast.

    Returns: A `Tensor` of the dtype of `a`; NaN if `a` is negative or not whole.
    """
    order = xp.maximum(a, 1)
    sign = xp.where(order % 2 == 0, -1, 1)
    higher = sign * xp.exp(xp.special.gammaln(order + 1)) * _zeta(xp, order + 1, x)
    value = xp.where(a == 0, xp.where(x == 0, np.nan, xp.special.digamma(x)), higher)
    return xp.astype(xp.where((a >= 0) & (a == xp.floor(a)), value, np.nan), a.dtype)


@polygamma.gradient
def polygamma_gradient(dz: Tensor, a: Tensor, x: Tensor) -> tuple[None, Tensor]:
    dx = dz * raw.Polygamma(a=a + 1, x=x)
    return None, reduce_to_operands(a, x, dx, dx)[1]


@export("math.lbeta", v1=["lbeta", "math.lbeta"])
def lbeta(x: TensorLike, name: str | None = None) -> Tensor:
    """Computes the logarithm of the absolute value of the beta function over the last axis.

    >>> tf.math.lbeta([0.5, 1.0, 2.0]).numpy()
    np.float32(-0.6286...)

    Args:
      x: A `Tensor` of floating point with at least one axis.
      name: A name for the operation (optional).

    Returns: A `Tensor` of the shape of `x` without its last axis: `sum(lgamma(x)) - lgamma(sum(x))`.
    """
    with name_scope(name, "lbeta"):
        x = convert_to_tensor(x, name="x")
        log_product = raw.Sum(input=raw.Lgamma(x=x), reduction_indices=[-1])
        log_sum = raw.Lgamma(x=raw.Sum(input=x, reduction_indices=[-1]))
        return log_product - log_sum


def betainc_shape(c: ShapeContext) -> TensorShape:
    """Returns the shape that all three inputs have in common; scalars go with any shape."""
    shape = TensorShape.of(())
    owner = "a"
    for name in ("a", "b", "x"):
        other = c.shape(name)
        if other.rank == 0:
            continue
        if shape.rank == 0:
            shape, owner = other, name
        elif shape.is_compatible_with(other):
            shape = shape.merge_with(other)
        else:
            raise ValueError(
                f"Shapes of {owner} and {name} are inconsistent: {shape_text(shape)} vs. {shape_text(other)}"
            )
    return shape


@export("math.betainc", v1=["betainc", "math.betainc"])
@op("Betainc", "a: T, b: T, x: T -> z: T", T=SINGLE_DOUBLE, shape=betainc_shape, batching=scalars_aside)
def betainc(xp: Xp, a: Array, b: Array, x: Array) -> Array:
    """Computes the regularized incomplete beta function.

    >>> tf.math.betainc(1.0, 2.0, [0.0, 0.5, 1.0]).numpy()
    array([0.  , 0.75, 1.  ], dtype=float32)

    Args:
      a: A `Tensor` of dtype float32 or float64, positive.
      b: A `Tensor` of the same dtype, positive.
      x: A `Tensor` of the same dtype between 0 and 1. Each of the three is a scalar or has the common shape.

    Returns: A `Tensor` of the dtype of `a`; NaN outside the domain.
    """
    if len({v.shape for v in (a, b, x) if v.ndim}) > 1:
        raise ValueError("shapes do not match")
    return _special(xp, "betainc", a, b, x)


@betainc.gradient
def betainc_gradient(dz: Tensor, a: Tensor, b: Tensor, x: Tensor) -> tuple[None, None, Tensor]:
    # The derivative is the density: x ** (a - 1) * (1 - x) ** (b - 1) / B(a, b).
    log_beta = raw.Lgamma(x=a) + raw.Lgamma(x=b) - raw.Lgamma(x=a + b)
    exponent = raw.Xlog1py(x=b - 1, y=-x) + raw.Xlogy(x=a - 1, y=x) - log_beta
    return None, None, unbroadcast(dz * raw.Exp(x=exponent), x)
