"""Bessel functions of order 0 and 1: J and Y, the modified I and K, and their scaled forms.

Each op is SciPy's function of the same name, but for many float32 numbers of `bessel_i0e`: SciPy computes one number
after the other, 29 ns each. `i0e(x) * sqrt(x + 3)` is a smooth function of `3 / (x + 3)`, from 0 to infinity, for which
a polynomial of degree 17 is enough; the coefficients are a weighted minimax fit, and the largest error is 6 units in
the last digit, as TensorFlow's. K and Y are infinite at 0. For negative arguments K and Y are not real,
and the result is TensorFlow's infinity.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from millrace._src.core.argument_types import TensorLike
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.context import name_scope
from millrace._src.core.op_def import op
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.math.blockwise_functions import in_blocks, many_at_once, polynomial, singles
from millrace._src.ops.math.element_types import FLOAT
from millrace._src.ops.math.precision import in_single
from millrace._src.ops.shape_rules import same_shape
from millrace._src.util.export import export

_SCALED_I0 = singles(
    [
        0.5952268838882446,
        0.38099735975265503,
        0.3842048943042755,
        0.35500526428222656,
        0.15752772986888885,
        -0.10852421075105667,
        -0.11881881952285767,
        0.08761854469776154,
        0.06977545469999313,
        -0.10728918761014938,
        -0.022753171622753143,
        0.10923722386360168,
        -0.006709739565849304,
        -0.07662929594516754,
        0.009981069713830948,
        0.032179094851017,
        -0.0029378498438745737,
        -0.006040571257472038,
    ]
)
"""The polynomial `i0e(x) * sqrt(x + 3)` of `6 / (x + 3) - 1`, for `x` from 0 to infinity."""
_ONE, _THREE, _SIX = singles([1, 3, 6])


def _bessel(xp: Xp, name: str, x: Array, not_positive: float | None = None) -> Array:
    """Applies SciPy's function `name`; the result is `not_positive`, if given, where `x <= 0`."""

    def compute(v: Array) -> Array:
        result = xp.astype(getattr(xp.special, name)(v), v.dtype)
        return result if not_positive is None else xp.where(v <= 0, v.dtype.type(not_positive), result)

    return in_single(xp, compute, x)


def _at_zero(x: Tensor, value: float, elsewhere: Callable[[Tensor], Tensor]) -> Any:
    """Returns `elsewhere(x)`, but `value` where `x` is 0: there the formula would divide by 0."""
    ones = raw.OnesLike(x=x)
    is_zero = raw.Equal(x=x, y=raw.ZerosLike(x=x))
    nonzero_x = raw.SelectV2(condition=is_zero, t=ones, e=x)
    return raw.SelectV2(condition=is_zero, t=ones * value, e=elsewhere(nonzero_x))


@op("BesselI0", "x: T -> y: T", T=FLOAT, shape=same_shape)
def bessel_i0_op(xp: Xp, x: Array) -> Array:
    """Computes the modified Bessel function I of order 0; the op behind `tf.math.special.bessel_i0`.

    >>> tf.raw_ops.BesselI0(x=[1.0]).numpy()
    array([1.2660...], dtype=float32)
    """
    return _bessel(xp, "i0", x)


@bessel_i0_op.gradient
def bessel_i0_gradient(dy: Tensor, x: Tensor) -> Any:
    return dy * raw.BesselI1(x=x)


@export("math.bessel_i0", "math.special.bessel_i0", elementwise="unary")
def bessel_i0(x: TensorLike, name: str | None = None) -> Tensor:
    """Computes the modified Bessel function of the first kind of order 0, element-wise.

    >>> tf.math.special.bessel_i0([0.5, 1.0]).numpy()
    array([1.0634..., 1.2660...], dtype=float32)

    Args:
      x: A `Tensor` of floating point.
      name: A name for the operation (optional).

    Returns: A `Tensor` with the shape and dtype of `x`.
    """
    with name_scope(name, "bessel_i0"):
        return bessel_i0_op(x)


@op("BesselI0e", "x: T -> y: T", T=FLOAT, shape=same_shape)
def bessel_i0e_op(xp: Xp, x: Array) -> Array:
    """Computes `bessel_i0` scaled by `exp(-abs(x))`; the op behind `tf.math.special.bessel_i0e`.

    >>> tf.raw_ops.BesselI0e(x=[1.0]).numpy()
    array([0.4657...], dtype=float32)
    """
    return _bessel(xp, "i0e", x)


def _many_i0e(x: Array) -> Array:
    return in_blocks(_i0e_block, x, nanoseconds=2.0)


def _i0e_block(x: Array, result: Array) -> None:
    shifted = np.abs(x)
    np.add(shifted, _THREE, out=shifted)
    scaled = np.divide(_SIX, shifted)
    np.subtract(scaled, _ONE, out=scaled)
    np.divide(polynomial(_SCALED_I0, scaled), np.sqrt(shifted, out=shifted), out=result)


bessel_i0e_op.specialize(many_at_once(_many_i0e, bessel_i0e_op.op_def.kernel))


@bessel_i0e_op.gradient
def bessel_i0e_gradient(dy: Tensor, x: Tensor, y: Tensor) -> Any:
    return dy * (raw.BesselI1e(x=x) - raw.Sign(x=x) * y)


@export("math.bessel_i0e", "math.special.bessel_i0e", elementwise="unary")
def bessel_i0e(x: TensorLike, name: str | None = None) -> Tensor:
    """Computes `bessel_i0` scaled by `exp(-abs(x))`, element-wise.

    >>> tf.math.special.bessel_i0e([0.5, 1.0]).numpy()
    array([0.6450..., 0.4657...], dtype=float32)

    Args:
      x: A `Tensor` of floating point.
      name: A name for the operation (optional).

    Returns: A `Tensor` with the shape and dtype of `x`.
    """
    with name_scope(name, "bessel_i0e"):
        return bessel_i0e_op(x)


@op("BesselI1", "x: T -> y: T", T=FLOAT, shape=same_shape)
def bessel_i1_op(xp: Xp, x: Array) -> Array:
    """Computes the modified Bessel function I of order 1; the op behind `tf.math.special.bessel_i1`.

    >>> tf.raw_ops.BesselI1(x=[1.0]).numpy()
    array([0.5651...], dtype=float32)
    """
    return _bessel(xp, "i1", x)


@bessel_i1_op.gradient
def bessel_i1_gradient(dy: Tensor, x: Tensor, y: Tensor) -> Any:
    return dy * _at_zero(x, 1.0, lambda v: raw.BesselI0(x=v) - y / v)


@export("math.bessel_i1", "math.special.bessel_i1", elementwise="unary")
def bessel_i1(x: TensorLike, name: str | None = None) -> Tensor:
    """Computes the modified Bessel function of the first kind of order 1, element-wise.

    >>> tf.math.special.bessel_i1([0.5, 1.0]).numpy()
    array([0.2578..., 0.5651...], dtype=float32)

    Args:
      x: A `Tensor` of floating point.
      name: A name for the operation (optional).

    Returns: A `Tensor` with the shape and dtype of `x`.
    """
    with name_scope(name, "bessel_i1"):
        return bessel_i1_op(x)


@op("BesselI1e", "x: T -> y: T", T=FLOAT, shape=same_shape)
def bessel_i1e_op(xp: Xp, x: Array) -> Array:
    """Computes `bessel_i1` scaled by `exp(-abs(x))`; the op behind `tf.math.special.bessel_i1e`.

    >>> tf.raw_ops.BesselI1e(x=[1.0]).numpy()
    array([0.2079...], dtype=float32)
    """
    return _bessel(xp, "i1e", x)


@bessel_i1e_op.gradient
def bessel_i1e_gradient(dy: Tensor, x: Tensor, y: Tensor) -> Any:
    return dy * _at_zero(x, 0.5, lambda v: raw.BesselI0e(x=v) - y * (raw.Sign(x=v) + raw.Reciprocal(x=v)))


@export("math.bessel_i1e", "math.special.bessel_i1e", elementwise="unary")
def bessel_i1e(x: TensorLike, name: str | None = None) -> Tensor:
    """Computes `bessel_i1` scaled by `exp(-abs(x))`, element-wise.

    >>> tf.math.special.bessel_i1e([0.5, 1.0]).numpy()
    array([0.1564..., 0.2079...], dtype=float32)

    Args:
      x: A `Tensor` of floating point.
      name: A name for the operation (optional).

    Returns: A `Tensor` with the shape and dtype of `x`.
    """
    with name_scope(name, "bessel_i1e"):
        return bessel_i1e_op(x)


@op("BesselJ0", "x: T -> y: T", T=FLOAT, shape=same_shape, host_only=True)
def bessel_j0_op(xp: Xp, x: Array) -> Array:
    """Computes the Bessel function J of order 0; the op behind `tf.math.special.bessel_j0`.

    >>> tf.raw_ops.BesselJ0(x=[1.0]).numpy()
    array([0.7651...], dtype=float32)
    """
    return _bessel(xp, "j0", x)


@bessel_j0_op.gradient
def bessel_j0_gradient(dy: Tensor, x: Tensor) -> Any:
    return -dy * raw.BesselJ1(x=x)


@export("math.special.bessel_j0", elementwise="unary")
def bessel_j0(x: TensorLike, name: str | None = None) -> Tensor:
    """Computes the Bessel function of the first kind of order 0, element-wise.

    >>> tf.math.special.bessel_j0([0.5, 1.0]).numpy()
    array([0.9384..., 0.7651...], dtype=float32)

    Args:
      x: A `Tensor` of floating point.
      name: A name for the operation (optional).

    Returns: A `Tensor` with the shape and dtype of `x`.
    """
    with name_scope(name, "bessel_j0"):
        return bessel_j0_op(x)


@op("BesselJ1", "x: T -> y: T", T=FLOAT, shape=same_shape, host_only=True)
def bessel_j1_op(xp: Xp, x: Array) -> Array:
    """Computes the Bessel function J of order 1; the op behind `tf.math.special.bessel_j1`.

    >>> tf.raw_ops.BesselJ1(x=[1.0]).numpy()
    array([0.4400...], dtype=float32)
    """
    return _bessel(xp, "j1", x)


@bessel_j1_op.gradient
def bessel_j1_gradient(dy: Tensor, x: Tensor, y: Tensor) -> Any:
    return dy * _at_zero(x, 0.5, lambda v: raw.BesselJ0(x=v) - y / v)


@export("math.special.bessel_j1", elementwise="unary")
def bessel_j1(x: TensorLike, name: str | None = None) -> Tensor:
    """Computes the Bessel function of the first kind of order 1, element-wise.

    >>> tf.math.special.bessel_j1([0.5, 1.0]).numpy()
    array([0.2422..., 0.4400...], dtype=float32)

    Args:
      x: A `Tensor` of floating point.
      name: A name for the operation (optional).

    Returns: A `Tensor` with the shape and dtype of `x`.
    """
    with name_scope(name, "bessel_j1"):
        return bessel_j1_op(x)


@op("BesselK0", "x: T -> y: T", T=FLOAT, shape=same_shape, host_only=True)
def bessel_k0_op(xp: Xp, x: Array) -> Array:
    """Computes the modified Bessel function K of order 0; the op behind `tf.math.special.bessel_k0`.

    >>> tf.raw_ops.BesselK0(x=[1.0]).numpy()
    array([0.4210...], dtype=float32)
    """
    return _bessel(xp, "k0", x, float("inf"))


@bessel_k0_op.gradient
def bessel_k0_gradient(dy: Tensor, x: Tensor) -> Any:
    return -dy * raw.BesselK1(x=x)


@export("math.special.bessel_k0", elementwise="unary")
def bessel_k0(x: TensorLike, name: str | None = None) -> Tensor:
    """Computes the modified Bessel function of the second kind of order 0, element-wise.

    >>> tf.math.special.bessel_k0([0.5, 1.0]).numpy()
    array([0.9244..., 0.4210...], dtype=float32)

    Args:
      x: A `Tensor` of floating point.
      name: A name for the operation (optional).

    Returns: A `Tensor` with the shape and dtype of `x`; infinite where `x` is not positive.
    """
    with name_scope(name, "bessel_k0"):
        return bessel_k0_op(x)


@op("BesselK0e", "x: T -> y: T", T=FLOAT, shape=same_shape, host_only=True)
def bessel_k0e_op(xp: Xp, x: Array) -> Array:
    """Computes `bessel_k0` scaled by `exp(x)`; the op behind `tf.math.special.bessel_k0e`.

    >>> tf.raw_ops.BesselK0e(x=[1.0]).numpy()
    array([1.1444...], dtype=float32)
    """
    return _bessel(xp, "k0e", x, float("inf"))


@bessel_k0e_op.gradient
def bessel_k0e_gradient(dy: Tensor, x: Tensor, y: Tensor) -> Any:
    return dy * (y - raw.BesselK1e(x=x))


@export("math.special.bessel_k0e", elementwise="unary")
def bessel_k0e(x: TensorLike, name: str | None = None) -> Tensor:
    """Computes `bessel_k0` scaled by `exp(x)`, element-wise.

    >>> tf.math.special.bessel_k0e([0.5, 1.0]).numpy()
    array([1.5241..., 1.1444...], dtype=float32)

    Args:
      x: A `Tensor` of floating point.
      name: A name for the operation (optional).

    Returns: A `Tensor` with the shape and dtype of `x`; infinite where `x` is not positive.
    """
    with name_scope(name, "bessel_k0e"):
        return bessel_k0e_op(x)


@op("BesselK1", "x: T -> y: T", T=FLOAT, shape=same_shape, host_only=True)
def bessel_k1_op(xp: Xp, x: Array) -> Array:
    """Computes the modified Bessel function K of order 1; the op behind `tf.math.special.bessel_k1`.

    >>> tf.raw_ops.BesselK1(x=[1.0]).numpy()
    array([0.6019...], dtype=float32)
    """
    return _bessel(xp, "k1", x, float("inf"))


@bessel_k1_op.gradient
def bessel_k1_gradient(dy: Tensor, x: Tensor, y: Tensor) -> Any:
    return dy * (-raw.BesselK0(x=x) - y / x)


@export("math.special.bessel_k1", elementwise="unary")
def bessel_k1(x: TensorLike, name: str | None = None) -> Tensor:
    """Computes the modified Bessel function of the second kind of order 1, element-wise.

    >>> tf.math.special.bessel_k1([0.5, 1.0]).numpy()
    array([1.6564..., 0.6019...], dtype=float32)

    Args:
      x: A `Tensor` of floating point.
      name: A name for the operation (optional).

    Returns: A `Tensor` with the shape and dtype of `x`; infinite where `x` is not positive.
    """
    with name_scope(name, "bessel_k1"):
        return bessel_k1_op(x)


@op("BesselK1e", "x: T -> y: T", T=FLOAT, shape=same_shape, host_only=True)
def bessel_k1e_op(xp: Xp, x: Array) -> Array:
    """Computes `bessel_k1` scaled by `exp(x)`; the op behind `tf.math.special.bessel_k1e`.

    >>> tf.raw_ops.BesselK1e(x=[1.0]).numpy()
    array([1.6361...], dtype=float32)
    """
    return _bessel(xp, "k1e", x, float("inf"))


@bessel_k1e_op.gradient
def bessel_k1e_gradient(dy: Tensor, x: Tensor, y: Tensor) -> Any:
    return dy * (y * (1 - raw.Reciprocal(x=x)) - raw.BesselK0e(x=x))


@export("math.special.bessel_k1e", elementwise="unary")
def bessel_k1e(x: TensorLike, name: str | None = None) -> Tensor:
    """Computes `bessel_k1` scaled by `exp(x)`, element-wise.

    >>> tf.math.special.bessel_k1e([0.5, 1.0]).numpy()
    array([2.7310..., 1.6361...], dtype=float32)

    Args:
      x: A `Tensor` of floating point.
      name: A name for the operation (optional).

    Returns: A `Tensor` with the shape and dtype of `x`; infinite where `x` is not positive.
    """
    with name_scope(name, "bessel_k1e"):
        return bessel_k1e_op(x)


@op("BesselY0", "x: T -> y: T", T=FLOAT, shape=same_shape, host_only=True)
def bessel_y0_op(xp: Xp, x: Array) -> Array:
    """Computes the Bessel function Y of order 0; the op behind `tf.math.special.bessel_y0`.

    >>> tf.raw_ops.BesselY0(x=[1.0]).numpy()
    array([0.0882...], dtype=float32)
    """
    return _bessel(xp, "y0", x, float("-inf"))


@bessel_y0_op.gradient
def bessel_y0_gradient(dy: Tensor, x: Tensor) -> Any:
    return -dy * raw.BesselY1(x=x)


@export("math.special.bessel_y0", elementwise="unary")
def bessel_y0(x: TensorLike, name: str | None = None) -> Tensor:
    """Computes the Bessel function of the second kind of order 0, element-wise.

    >>> tf.math.special.bessel_y0([0.5, 1.0]).numpy()
    array([-0.4445...,  0.0882...], dtype=float32)

    Args:
      x: A `Tensor` of floating point.
      name: A name for the operation (optional).

    Returns: A `Tensor` with the shape and dtype of `x`; infinite where `x` is not positive.
    """
    with name_scope(name, "bessel_y0"):
        return bessel_y0_op(x)


@op("BesselY1", "x: T -> y: T", T=FLOAT, shape=same_shape, host_only=True)
def bessel_y1_op(xp: Xp, x: Array) -> Array:
    """Computes the Bessel function Y of order 1; the op behind `tf.math.special.bessel_y1`.

    >>> tf.raw_ops.BesselY1(x=[1.0]).numpy()
    array([-0.7812...], dtype=float32)
    """
    return _bessel(xp, "y1", x, float("-inf"))


@bessel_y1_op.gradient
def bessel_y1_gradient(dy: Tensor, x: Tensor, y: Tensor) -> Any:
    return dy * (raw.BesselY0(x=x) - y / x)


@export("math.special.bessel_y1", elementwise="unary")
def bessel_y1(x: TensorLike, name: str | None = None) -> Tensor:
    """Computes the Bessel function of the second kind of order 1, element-wise.

    >>> tf.math.special.bessel_y1([0.5, 1.0]).numpy()
    array([-1.4714..., -0.7812...], dtype=float32)

    Args:
      x: A `Tensor` of floating point.
      name: A name for the operation (optional).

    Returns: A `Tensor` with the shape and dtype of `x`; infinite where `x` is not positive.
    """
    with name_scope(name, "bessel_y1"):
        return bessel_y1_op(x)
