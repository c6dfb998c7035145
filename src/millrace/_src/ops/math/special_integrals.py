"""Integrals that have no elementary form: Dawson, exponential, Fresnel, Spence (`tf.math.special`).

The kernels are SciPy's functions of the same names, NaN where TensorFlow has no value. Each gradient is the integrand,
or follows from the differential equation of the function.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from millrace._src.core.argument_types import TensorLike
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.context import name_scope
from millrace._src.core.op_def import op
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.math.element_types import FLOAT
from millrace._src.ops.math.precision import in_single
from millrace._src.ops.math.special import AT_POLES
from millrace._src.ops.shape_rules import same_shape
from millrace._src.util.export import export


def _direct(xp: Xp, name: str, x: Array, defined: Callable[[Array], Array] | None = None) -> Array:
    """Applies SciPy's function `name`; the result is NaN where `defined` is False."""

    def compute(v: Array) -> Array:
        result = xp.astype(getattr(xp.special, name)(v), v.dtype)
        return result if defined is None else xp.where(defined(v), result, v.dtype.type(np.nan))

    return in_single(xp, compute, x)


def _fresnel(xp: Xp, x: Array, which: int) -> Array:
    return in_single(xp, lambda v: xp.astype(xp.special.fresnel(v)[which], v.dtype), x)


def _spence_slope(x: Tensor) -> Any:
    """Computes `log(x) / (1 - x)`, which is -1 at 1."""
    is_one = raw.Equal(x=x, y=raw.OnesLike(x=x))
    x_but_one = raw.SelectV2(condition=is_one, t=x * 2, e=x)
    return raw.SelectV2(condition=is_one, t=-raw.OnesLike(x=x), e=raw.Log(x=x_but_one) / (1 - x_but_one))


@op("Dawsn", "x: T -> y: T", T=FLOAT, shape=same_shape, host_only=True)
def dawsn_op(xp: Xp, x: Array) -> Array:
    """Computes Dawson's integral, `exp(-x ** 2)` times the integral of `exp(t ** 2)` from 0 to `x`.

    The op behind `tf.math.special.dawsn`.

    >>> tf.raw_ops.Dawsn(x=[1.0]).numpy()
    array([0.5380...], dtype=float32)
    """
    return _direct(xp, "dawsn", x)


@dawsn_op.gradient
def dawsn_gradient(dy: Tensor, x: Tensor, y: Tensor) -> Any:
    return dy * (1 - 2 * x * y)


@export("math.special.dawsn", elementwise="unary")
def dawsn(x: TensorLike, name: str | None = None) -> Tensor:
    """Computes Dawson's integral, `exp(-x ** 2)` times the integral of `exp(t ** 2)` from 0 to `x`.

    >>> tf.math.special.dawsn([0.5, 1.0]).numpy()
    array([0.4244..., 0.5380...], dtype=float32)

    Args:
      x: A `Tensor` of floating point.
      name: A name for the operation (optional).

    Returns: A `Tensor` with the shape and dtype of `x`.
    """
    with name_scope(name, "dawsn"):
        return dawsn_op(x)


@op("Expint", "x: T -> y: T", T=FLOAT, shape=same_shape, values_differ_when_compiled=AT_POLES)
def expint_op(xp: Xp, x: Array) -> Array:
    """Computes the exponential integral Ei, the integral of `exp(t) / t` from minus infinity to `x`.

    The op behind `tf.math.special.expint`.

    >>> tf.raw_ops.Expint(x=[1.0]).numpy()
    array([1.8951...], dtype=float32)
    """
    return _direct(xp, "expi", x, defined=lambda v: (v >= 0) & (v < np.inf))


@expint_op.gradient
def expint_gradient(dy: Tensor, x: Tensor) -> Any:
    return dy * raw.Exp(x=x) / x


@export("math.special.expint", elementwise="unary")
def expint(x: TensorLike, name: str | None = None) -> Tensor:
    """Computes the exponential integral Ei, the integral of `exp(t) / t` from minus infinity to `x`.

    >>> tf.math.special.expint([0.5, 1.0]).numpy()
    array([0.4542..., 1.8951...], dtype=float32)

    Args:
      x: A `Tensor` of floating point.
      name: A name for the operation (optional).

    Returns: A `Tensor` with the shape and dtype of `x`; NaN for negative `x`.
    """
    with name_scope(name, "expint"):
        return expint_op(x)


@op("FresnelCos", "x: T -> y: T", T=FLOAT, shape=same_shape, host_only=True)
def fresnel_cos_op(xp: Xp, x: Array) -> Array:
    """Computes Fresnel's cosine integral, of `cos(pi / 2 * t ** 2)` from 0 to `x`.

    The op behind `tf.math.special.fresnel_cos`.

    >>> tf.raw_ops.FresnelCos(x=[1.0]).numpy()
    array([0.7798...], dtype=float32)
    """
    return _fresnel(xp, x, 1)


@fresnel_cos_op.gradient
def fresnel_cos_gradient(dy: Tensor, x: Tensor) -> Any:
    return dy * raw.Cos(x=raw.Square(x=x) * (math.pi / 2))


@export("math.special.fresnel_cos", elementwise="unary")
def fresnel_cos(x: TensorLike, name: str | None = None) -> Tensor:
    """Computes Fresnel's cosine integral, of `cos(pi / 2 * t ** 2)` from 0 to `x`.

    >>> tf.math.special.fresnel_cos([0.5, 1.0]).numpy()
    array([0.4923..., 0.7798...], dtype=float32)

    Args:
      x: A `Tensor` of floating point.
      name: A name for the operation (optional).

    Returns: A `Tensor` with the shape and dtype of `x`.
    """
    with name_scope(name, "fresnel_cos"):
        return fresnel_cos_op(x)


@op("FresnelSin", "x: T -> y: T", T=FLOAT, shape=same_shape, host_only=True)
def fresnel_sin_op(xp: Xp, x: Array) -> Array:
    """Computes Fresnel's sine integral, of `sin(pi / 2 * t ** 2)` from 0 to `x`.

    The op behind `tf.math.special.fresnel_sin`.

    >>> tf.raw_ops.FresnelSin(x=[1.0]).numpy()
    array([0.4382...], dtype=float32)
    """
    return _fresnel(xp, x, 0)


@fresnel_sin_op.gradient
def fresnel_sin_gradient(dy: Tensor, x: Tensor) -> Any:
    return dy * raw.Sin(x=raw.Square(x=x) * (math.pi / 2))


@export("math.special.fresnel_sin", elementwise="unary")
def fresnel_sin(x: TensorLike, name: str | None = None) -> Tensor:
    """Computes Fresnel's sine integral, of `sin(pi / 2 * t ** 2)` from 0 to `x`.

    >>> tf.math.special.fresnel_sin([0.5, 1.0]).numpy()
    array([0.0647..., 0.4382...], dtype=float32)

    Args:
      x: A `Tensor` of floating point.
      name: A name for the operation (optional).

    Returns: A `Tensor` with the shape and dtype of `x`.
    """
    with name_scope(name, "fresnel_sin"):
        return fresnel_sin_op(x)


@op("Spence", "x: T -> y: T", T=FLOAT, shape=same_shape, values_differ_when_compiled=AT_POLES)
def spence_op(xp: Xp, x: Array) -> Array:
    """Computes Spence's function (the dilogarithm), the integral of `log(t) / (1 - t)` from 1 to `x`.

    The op behind `tf.math.special.spence`.

    >>> tf.raw_ops.Spence(x=[1.0]).numpy()
    array([0.], dtype=float32)
    """
    return _direct(xp, "spence", x)


@spence_op.gradient
def spence_gradient(dy: Tensor, x: Tensor) -> Any:
    return dy * _spence_slope(x)


@export("math.special.spence", elementwise="unary")
def spence(x: TensorLike, name: str | None = None) -> Tensor:
    """Computes Spence's function (the dilogarithm), the integral of `log(t) / (1 - t)` from 1 to `x`.

    >>> tf.math.special.spence([0.5, 1.0]).numpy()
    array([0.5822..., 0.       ], dtype=float32)

    Args:
      x: A `Tensor` of floating point.
      name: A name for the operation (optional).

    Returns: A `Tensor` with the shape and dtype of `x`; NaN for negative `x`.
    """
    with name_scope(name, "spence"):
        return spence_op(x)
