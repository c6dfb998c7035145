"""Trigonometric and hyperbolic functions and their inverses.

Angles are in radians. Outside a function's domain real inputs give NaN; complex inputs
take the principal branch.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.op_def import Elementwise, op
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.batching_rules import alike
from millrace._src.ops.math.broadcasting import broadcast_shape, conj, reduce_to_operands
from millrace._src.ops.math.element_types import FLOAT, FLOAT_COMPLEX
from millrace._src.ops.math.precision import in_one_buffer, smooth_ufunc, ufunc
from millrace._src.ops.shape_rules import same_shape
from millrace._src.util.export import export


@export("math.sin", "sin", elementwise="unary")
@op("Sin", "x: T -> y: T", T=FLOAT_COMPLEX, shape=same_shape)
def sin(xp: Xp, x: Array) -> Array:
    """Computes the sine of `x` element-wise.

    >>> tf.math.sin([0.0, 0.5]).numpy()
    array([0.        , 0.4794...], dtype=float32)

    Args: x: A `Tensor`: floating point or complex.
    Returns: A `Tensor` with the shape and dtype of `x`.
    """
    return xp.sin(x)


sin.specialize(smooth_ufunc("sin"))


@sin.gradient
def sin_gradient(dy: Tensor, x: Tensor) -> Any:
    return dy * raw.Cos(x=conj(x))


@export("math.cos", "cos", elementwise="unary")
@op("Cos", "x: T -> y: T", T=FLOAT_COMPLEX, shape=same_shape)
def cos(xp: Xp, x: Array) -> Array:
    """Computes the cosine of `x` element-wise.

    >>> tf.math.cos([0.0, 0.5]).numpy()
    array([1.        , 0.8775...], dtype=float32)

    Args: x: A `Tensor`: floating point or complex.
    Returns: A `Tensor` with the shape and dtype of `x`.
    """
    return xp.cos(x)


cos.specialize(smooth_ufunc("cos"))


@cos.gradient
def cos_gradient(dy: Tensor, x: Tensor) -> Any:
    return -dy * raw.Sin(x=conj(x))


@export("math.tan", "tan", elementwise="unary")
@op("Tan", "x: T -> y: T", T=FLOAT_COMPLEX, shape=same_shape)
def tan(xp: Xp, x: Array) -> Array:
    """Computes the tangent of `x` element-wise.

    >>> tf.math.tan([0.0, 0.5]).numpy()
    array([0.       , 0.5463...], dtype=float32)

    Args: x: A `Tensor`: floating point or complex.
    Returns: A `Tensor` with the shape and dtype of `x`.
    """
    return xp.tan(x)


tan.specialize(smooth_ufunc("tan"))


@tan.gradient
def tan_gradient(dy: Tensor, x: Tensor) -> Any:
    return dy * raw.Square(x=raw.Reciprocal(x=raw.Cos(x=conj(x))))


@export("math.asin", "asin", elementwise="unary")
@op("Asin", "x: T -> y: T", T=FLOAT_COMPLEX, shape=same_shape)
def asin(xp: Xp, x: Array) -> Array:
    """Computes the angle in [-pi/2, pi/2] whose sine is `x`.

    >>> tf.math.asin([0.0, 0.5]).numpy()
    array([0.       , 0.5235...], dtype=float32)

    Args: x: A `Tensor`: floating point or complex.
    Returns: A `Tensor` with the shape and dtype of `x`.
    """
    return xp.arcsin(x)


asin.specialize(smooth_ufunc("arcsin"))


@asin.gradient
def asin_gradient(dy: Tensor, x: Tensor) -> Any:
    return dy * raw.Rsqrt(x=1 - raw.Square(x=conj(x)))


@export("math.acos", "acos", elementwise="unary")
@op("Acos", "x: T -> y: T", T=FLOAT_COMPLEX, shape=same_shape)
def acos(xp: Xp, x: Array) -> Array:
    """Computes the angle in [0, pi] whose cosine is `x`.

    >>> tf.math.acos([0.0, 0.5]).numpy()
    array([1.5707..., 1.0471...], dtype=float32)

    Args: x: A `Tensor`: floating point or complex.
    Returns: A `Tensor` with the shape and dtype of `x`.
    """
    return xp.arccos(x)


acos.specialize(smooth_ufunc("arccos"))


@acos.gradient
def acos_gradient(dy: Tensor, x: Tensor) -> Any:
    return -dy * raw.Rsqrt(x=1 - raw.Square(x=conj(x)))


@export("math.atan", "atan", elementwise="unary")
@op("Atan", "x: T -> y: T", T=FLOAT_COMPLEX, shape=same_shape)
def atan(xp: Xp, x: Array) -> Array:
    """Computes the angle in (-pi/2, pi/2) whose tangent is `x`.

    >>> tf.math.atan([0.0, 0.5]).numpy()
    array([0.       , 0.4636...], dtype=float32)

    Args: x: A `Tensor`: floating point or complex.
    Returns: A `Tensor` with the shape and dtype of `x`.
    """
    return xp.arctan(x)


atan.specialize(smooth_ufunc("arctan"))


@atan.gradient
def atan_gradient(dy: Tensor, x: Tensor) -> Any:
    return dy * raw.Reciprocal(x=raw.Square(x=conj(x)) + 1)


@export("math.sinh", "sinh", elementwise="unary")
@op("Sinh", "x: T -> y: T", T=FLOAT_COMPLEX, shape=same_shape)
def sinh(xp: Xp, x: Array) -> Array:
    """Computes the hyperbolic sine of `x` element-wise.

    >>> tf.math.sinh([0.0, 0.5]).numpy()
    array([0.       , 0.5210...], dtype=float32)

    Args: x: A `Tensor`: floating point or complex.
    Returns: A `Tensor` with the shape and dtype of `x`.
    """
    return xp.sinh(x)


sinh.specialize(smooth_ufunc("sinh"))


@sinh.gradient
def sinh_gradient(dy: Tensor, x: Tensor) -> Any:
    return dy * raw.Cosh(x=conj(x))


@export("math.cosh", "cosh", elementwise="unary")
@op("Cosh", "x: T -> y: T", T=FLOAT_COMPLEX, shape=same_shape)
def cosh(xp: Xp, x: Array) -> Array:
    """Computes the hyperbolic cosine of `x` element-wise.

    >>> tf.math.cosh([0.0, 0.5]).numpy()
    array([1.       , 1.1276...], dtype=float32)

    Args: x: A `Tensor`: floating point or complex.
    Returns: A `Tensor` with the shape and dtype of `x`.
    """
    return xp.cosh(x)


cosh.specialize(smooth_ufunc("cosh"))


@cosh.gradient
def cosh_gradient(dy: Tensor, x: Tensor) -> Any:
    return dy * raw.Sinh(x=conj(x))


@export("math.tanh", "nn.tanh", "tanh", elementwise="unary")
@op("Tanh", "x: T -> y: T", T=FLOAT_COMPLEX, shape=same_shape)
def tanh(xp: Xp, x: Array) -> Array:
    """Computes the hyperbolic tangent of `x` element-wise.

    >>> tf.math.tanh([0.0, 0.5]).numpy()
    array([0.       , 0.4621...], dtype=float32)

    Args: x: A `Tensor`: floating point or complex.
    Returns: A `Tensor` with the shape and dtype of `x`.
    """
    return xp.tanh(x)


tanh.specialize(smooth_ufunc("tanh"))


@tanh.gradient
def tanh_gradient(dy: Tensor, y: Tensor) -> Any:
    return raw.TanhGrad(y=conj(y), dy=dy)


@export("math.asinh", "asinh", elementwise="unary")
@op("Asinh", "x: T -> y: T", T=FLOAT_COMPLEX, shape=same_shape)
def asinh(xp: Xp, x: Array) -> Array:
    """Computes the number whose hyperbolic sine is `x`.

    >>> tf.math.asinh([0.0, 0.5]).numpy()
    array([0.       , 0.4812...], dtype=float32)

    Args: x: A `Tensor`: floating point or complex.
    Returns: A `Tensor` with the shape and dtype of `x`.
    """
    return xp.arcsinh(x)


asinh.specialize(smooth_ufunc("arcsinh"))


@asinh.gradient
def asinh_gradient(dy: Tensor, y: Tensor) -> Any:
    return dy * raw.Reciprocal(x=raw.Cosh(x=conj(y)))


@export("math.acosh", "acosh", elementwise="unary")
@op("Acosh", "x: T -> y: T", T=FLOAT_COMPLEX, shape=same_shape)
def acosh(xp: Xp, x: Array) -> Array:
    """Computes the number >= 0 whose hyperbolic cosine is `x`; NaN below 1.

    >>> tf.math.acosh([1.0, 2.5]).numpy()
    array([0.       , 1.5667...], dtype=float32)

    Args: x: A `Tensor`: floating point or complex.
    Returns: A `Tensor` with the shape and dtype of `x`.
    """
    return xp.arccosh(x)


acosh.specialize(smooth_ufunc("arccosh"))


@acosh.gradient
def acosh_gradient(dy: Tensor, y: Tensor) -> Any:
    return dy * raw.Reciprocal(x=raw.Sinh(x=conj(y)))


@export("math.atanh", "atanh", elementwise="unary")
@op("Atanh", "x: T -> y: T", T=FLOAT_COMPLEX, shape=same_shape)
def atanh(xp: Xp, x: Array) -> Array:
    """Computes the number whose hyperbolic tangent is `x`; infinite at -1 and 1, NaN beyond.

    >>> tf.math.atanh([0.0, 0.5]).numpy()
    array([0.        , 0.5493...], dtype=float32)

    Args: x: A `Tensor`: floating point or complex.
    Returns: A `Tensor` with the shape and dtype of `x`.
    """
    return xp.arctanh(x)


atanh.specialize(smooth_ufunc("arctanh"))


@atanh.gradient
def atanh_gradient(dy: Tensor, x: Tensor) -> Any:
    return dy * raw.Reciprocal(x=1 - raw.Square(x=conj(x)))


@op("TanhGrad", "y: T, dy: T -> z: T", T=FLOAT_COMPLEX, shape=same_shape, elementwise=Elementwise.ALIKE, batching=alike)
def tanh_grad(xp: Xp, y: Array, dy: Array) -> Array:
    """Computes the gradient of `y = tanh(x)`: `dy * (1 - y * y)`.

    >>> tf.raw_ops.TanhGrad(y=[0.5], dy=[1.0]).numpy()
    array([0.75], dtype=float32)
    """
    return dy * (1 - y * y)


@tanh_grad.specialize
@in_one_buffer
def _tanh_grad_in_one_buffer(y: Array, dy: Array) -> Array:
    slope = np.multiply(y, y)
    np.subtract(1, slope, out=slope)
    return np.multiply(dy, slope, out=slope)


@tanh_grad.gradient
def tanh_grad_gradient(dz: Tensor, y: Tensor, dy: Tensor) -> tuple[Tensor, Tensor]:
    return dz * -2 * conj(dy) * conj(y), raw.TanhGrad(y=conj(y), dy=dz)


@export("math.atan2", "atan2", elementwise="binary")
@op("Atan2", "y: T, x: T -> z: T", T=FLOAT, shape=broadcast_shape)
def atan2(xp: Xp, y: Array, x: Array) -> Array:
    """Computes the angle of the point `(x, y)` from the positive x axis, in [-pi, pi].

    >>> tf.math.atan2([1.0, -1.0], [1.0, -1.0]).numpy()
    array([ 0.7853..., -2.3561...], dtype=float32)

    Args:
      y: A `Tensor` of floating point.
      x: A `Tensor` of the same dtype; the two broadcast.

    Returns: A `Tensor` of the dtype of `y`.
    """
    return xp.arctan2(y, x)


atan2.specialize(ufunc("arctan2"))


@atan2.gradient
def atan2_gradient(dz: Tensor, y: Tensor, x: Tensor) -> tuple[Tensor, Tensor]:
    inverse = dz / (raw.Square(x=x) + raw.Square(x=y))
    return reduce_to_operands(y, x, x * inverse, -y * inverse)
