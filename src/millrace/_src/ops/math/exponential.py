"""Exponentials and logarithms: exp, expm1, log, log1p, sigmoid, log_sigmoid, softplus.

Where an op saturates (sigmoid, softplus), the kernel uses the form that neither overflows nor loses digits. 16-bit
types are computed in 32 bits.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from millrace._src.core.argument_types import TensorLike
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.context import name_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import bfloat16, float16, float32, float64
from millrace._src.core.op_def import Elementwise, op
from millrace._src.core.op_signature import TypeSet
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.batching_rules import alike
from millrace._src.ops.math.blockwise_functions import in_single_floats
from millrace._src.ops.math.broadcasting import conj
from millrace._src.ops.math.element_types import FLOAT_COMPLEX
from millrace._src.ops.math.precision import in_one_buffer, in_single, smooth_ufunc
from millrace._src.ops.math.unary import negative
from millrace._src.ops.shape_rules import same_shape
from millrace._src.util.export import export

_SOFTPLUS_TYPES = TypeSet([float16, bfloat16, float32, float64])


@export("math.exp", "exp", elementwise="unary")
@op("Exp", "x: T -> y: T", T=FLOAT_COMPLEX, shape=same_shape)
def exp(xp: Xp, x: Array) -> Array:
    """Computes the exponential `e ** x`, element-wise.

    >>> tf.math.exp([0.0, 2.0]).numpy()
    array([1.      , 7.3890...], dtype=float32)

    Args: x: A `Tensor`: floating point or complex.
    Returns: A `Tensor` with the shape and dtype of `x`.
    """
    return xp.exp(x)


exp.specialize(smooth_ufunc("exp"))


@exp.gradient
def exp_gradient(dy: Tensor, y: Tensor) -> Any:
    return dy * conj(y)


@export("math.expm1", v1=["expm1", "math.expm1"], elementwise="unary")
@op("Expm1", "x: T -> y: T", T=FLOAT_COMPLEX, shape=same_shape)
def expm1(xp: Xp, x: Array) -> Array:
    """Computes `e ** x - 1`, element-wise, exact also for small `x`.

    >>> tf.math.expm1([0.0, 2.0]).numpy()
    array([0.      , 6.3890...], dtype=float32)

    Args: x: A `Tensor`: floating point or complex.
    Returns: A `Tensor` with the shape and dtype of `x`.
    """
    return xp.expm1(x)


expm1.specialize(smooth_ufunc("expm1"))


@expm1.gradient
def expm1_gradient(dy: Tensor, x: Tensor) -> Any:
    return dy * raw.Exp(x=conj(x))


@export("math.log", v1=["log", "math.log"], elementwise="unary")
@op(
    "Log",
    "x: T -> y: T",
    T=FLOAT_COMPLEX,
    shape=same_shape,
    flops=1,
)
def log(xp: Xp, x: Array) -> Array:
    """Computes the natural logarithm, element-wise; -inf for 0, NaN for negative real numbers.

    >>> tf.math.log([0.0, 1.0, 5.0]).numpy()
    array([    -inf, 0.       , 1.6094...], dtype=float32)

    Args: x: A `Tensor`: floating point or complex (principal branch).
    Returns: A `Tensor` with the shape and dtype of `x`.
    """
    return xp.log(x)


log.specialize(smooth_ufunc("log"))


@log.gradient
def log_gradient(dy: Tensor, x: Tensor) -> Any:
    return dy * raw.Reciprocal(x=conj(x))


@export("math.log1p", v1=["log1p", "math.log1p"], elementwise="unary")
@op("Log1p", "x: T -> y: T", T=FLOAT_COMPLEX, shape=same_shape)
def log1p(xp: Xp, x: Array) -> Array:
    """Computes `log(1 + x)`, element-wise, exact also for small `x`.

    >>> tf.math.log1p([0.0, 0.5, 1.0]).numpy()
    array([0.       , 0.4054..., 0.6931...], dtype=float32)

    Args: x: A `Tensor`: floating point or complex.
    Returns: A `Tensor` with the shape and dtype of `x`.
    """
    return xp.log1p(x)


log1p.specialize(smooth_ufunc("log1p"))


@log1p.gradient
def log1p_gradient(dy: Tensor, x: Tensor) -> Any:
    return dy * raw.Reciprocal(x=conj(x) + 1)


def logistic(xp: Xp, x: Array) -> Array:
    """Computes `1 / (1 + exp(-x))`; for very negative `x`, exp overflows to infinity, which gives the right 0."""
    return xp.true_divide(1, 1 + xp.exp(-x))  # NumPy divides in half the time of `reciprocal`


@export("math.sigmoid", "nn.sigmoid", "sigmoid", elementwise="unary")
@op("Sigmoid", "x: T -> y: T", T=FLOAT_COMPLEX, shape=same_shape)
def sigmoid(xp: Xp, x: Array) -> Array:
    """Computes the logistic function `1 / (1 + exp(-x))`, element-wise.

    >>> tf.math.sigmoid([0.0, 1.0]).numpy()
    array([0.5       , 0.7310...], dtype=float32)

    Args: x: A `Tensor`: floating point or complex.
    Returns: A `Tensor` with the shape and dtype of `x`; values between 0 and 1 for real `x`.
    """
    return in_single(xp, lambda v: logistic(xp, v), x)


sigmoid.specialize(in_single_floats("sigmoid", sigmoid.op_def.kernel))


@sigmoid.gradient
def sigmoid_gradient(dy: Tensor, y: Tensor) -> Any:
    return raw.SigmoidGrad(y=conj(y), dy=dy)


@op(
    "SigmoidGrad",
    "y: T, dy: T -> z: T",
    T=FLOAT_COMPLEX,
    shape=same_shape,
    elementwise=Elementwise.ALIKE,
    batching=alike,
)
def sigmoid_grad(xp: Xp, y: Array, dy: Array) -> Array:
    """Computes the gradient of `y = sigmoid(x)`: `dy * y * (1 - y)`.

    >>> tf.raw_ops.SigmoidGrad(y=[0.5], dy=[1.0]).numpy()
    array([0.25], dtype=float32)
    """
    return dy * y * (1 - y)


@sigmoid_grad.specialize
@in_one_buffer
def _sigmoid_grad_in_one_buffer(y: Array, dy: Array) -> Array:
    weighted_gradient, slope = np.multiply(dy, y), np.subtract(1, y)
    return np.multiply(weighted_gradient, slope, out=slope)


@sigmoid_grad.gradient
def sigmoid_grad_gradient(dz: Tensor, y: Tensor, dy: Tensor) -> tuple[Tensor, Tensor]:
    product = dz * conj(dy)
    return product - product * 2 * conj(y), raw.SigmoidGrad(y=conj(y), dy=dz)


@export("math.softplus", "nn.softplus", elementwise="unary")
@op("Softplus", "features: T -> activations: T", T=_SOFTPLUS_TYPES, shape=same_shape)
def softplus(xp: Xp, features: Array) -> Array:
    """Computes `log(1 + exp(features))`, element-wise: a smooth, always positive form of `relu`.

    >>> tf.math.softplus([0.0, 100.0]).numpy()
    array([  0.6931..., 100.        ], dtype=float32)

    Args: features: A `Tensor` of floating point.
    Returns: A `Tensor` with the shape and dtype of `features`.
    """
    return in_single(xp, lambda x: xp.maximum(x, 0) + xp.log1p(xp.exp(-xp.abs(x))), features)


@softplus.gradient
def softplus_gradient(dy: Tensor, features: Tensor) -> Any:
    return raw.SoftplusGrad(gradients=dy, features=features)


@op(
    "SoftplusGrad",
    "gradients: T, features: T -> backprops: T",
    T=_SOFTPLUS_TYPES,
    shape=same_shape,
    elementwise=Elementwise.ALIKE,
    batching=alike,
)
def softplus_grad(xp: Xp, gradients: Array, features: Array) -> Array:
    """Computes the gradient of softplus: `gradients * sigmoid(features)`.

    >>> tf.raw_ops.SoftplusGrad(gradients=[1.0], features=[0.0]).numpy()
    array([0.5], dtype=float32)
    """
    return in_single(xp, lambda dy, x: dy * logistic(xp, x), gradients, features)


@softplus_grad.gradient
def softplus_grad_gradient(dz: Tensor, gradients: Tensor, features: Tensor) -> tuple[Tensor, Tensor]:
    slope = raw.SigmoidGrad(y=raw.Sigmoid(x=features), dy=gradients)
    return raw.SoftplusGrad(gradients=dz, features=features), dz * slope


@export("math.log_sigmoid", v1=["log_sigmoid", "math.log_sigmoid"], elementwise="unary")
def log_sigmoid(x: TensorLike, name: str | None = None) -> Tensor:
    """Computes the logarithm of the sigmoid as `-softplus(-x)`, which does not underflow.

    >>> tf.math.log_sigmoid([0.0, 1.0, -50.0]).numpy()
    array([ -0.6931...,  -0.3132..., -50.        ], dtype=float32)

    Args:
      x: A `Tensor` of floating point.
      name: A name for the operation (optional).

    Returns: A `Tensor` with the shape and dtype of `x`.
    """
    with name_scope(name, "LogSigmoid") as scope:
        x = convert_to_tensor(x, name="x")
        return negative(softplus(negative(x)), name=scope)
